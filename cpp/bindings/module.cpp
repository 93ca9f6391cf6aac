// The extension module's table of contents: each topic registers itself in its own file.
#include <nanobind/nanobind.h>

#include <string>

#include "run/cpu.hpp"

namespace thriftree::bindings {

// The instructions that are used. A name that nobody knows is refused when the library is loaded.
const char* name_of_cpu_level() {
  if (unknown_cpu_level) {
    const std::string message = std::string("the environment variable THRIFTREE_CPU is '") +
                                unknown_cpu_level + "': let it be plain, avx2 or avx512";
    throw nanobind::value_error(message.c_str());
  }
  return cpu_level_names[static_cast<std::size_t>(cpu_level)];
}

void register_errors(nanobind::module_&);
void register_table(nanobind::module_&);
void register_tree(nanobind::module_&);
void register_prune(nanobind::module_&);
void register_leaf_models(nanobind::module_&);
void register_prices(nanobind::module_&);
void register_grow(nanobind::module_&);
void register_options(nanobind::module_&);
void register_scores(nanobind::module_&);
void register_set_functions(nanobind::module_&);
void register_seams(nanobind::module_&);
void register_chaid(nanobind::module_&);
void register_quest(nanobind::module_&);
void register_parts(nanobind::module_&);
void register_search(nanobind::module_&);
void register_sweep(nanobind::module_&);
void register_near_optimal(nanobind::module_&);
void register_soft(nanobind::module_&);
}  // namespace thriftree::bindings

NB_MODULE(_core, m) {
  // A library does not print, and a tree that a cache or a traceback holds to the very end is no leak of
  // ours.
  nanobind::set_leak_warnings(false);
  m.doc() = "thriftree's compiled core. Not public: use the classes of the thriftree package.";
  m.attr("cpu_level") = thriftree::bindings::name_of_cpu_level();
  thriftree::bindings::register_errors(m);
  thriftree::bindings::register_table(m);
  thriftree::bindings::register_tree(m);
  thriftree::bindings::register_prune(m);
  thriftree::bindings::register_leaf_models(m);
  thriftree::bindings::register_seams(m);
  thriftree::bindings::register_chaid(m);
  thriftree::bindings::register_quest(m);
  thriftree::bindings::register_options(m);
  thriftree::bindings::register_prices(m);
  thriftree::bindings::register_grow(m);
  thriftree::bindings::register_scores(m);
  thriftree::bindings::register_set_functions(m);
  thriftree::bindings::register_parts(m);
  thriftree::bindings::register_search(m);
  thriftree::bindings::register_sweep(m);
  thriftree::bindings::register_near_optimal(m);
  thriftree::bindings::register_soft(m);
}
