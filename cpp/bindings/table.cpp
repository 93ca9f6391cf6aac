#include <nanobind/nanobind.h>

namespace thriftree::bindings {

void register_table(nanobind::module_&) {}

}  // namespace thriftree::bindings
