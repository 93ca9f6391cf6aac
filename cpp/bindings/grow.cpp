#include <nanobind/nanobind.h>

namespace thriftree::bindings {

void register_grow(nanobind::module_&) {}

}  // namespace thriftree::bindings
