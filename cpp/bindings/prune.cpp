#include <nanobind/nanobind.h>

namespace thriftree::bindings {

void register_prune(nanobind::module_&) {}

}  // namespace thriftree::bindings
