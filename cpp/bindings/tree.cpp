#include <nanobind/nanobind.h>

namespace thriftree::bindings {

void register_tree(nanobind::module_&) {}

}  // namespace thriftree::bindings
