// How the core's errors reach Python.
#include <nanobind/nanobind.h>

#include "run/control.hpp"

namespace nb = nanobind;

namespace thriftree::bindings {

void register_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const Interrupted&) {
      if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const OutOfTime& e) {
      PyErr_SetString(PyExc_TimeoutError, e.what());
    } catch (const MemoryLimitReached& e) {
      PyErr_SetString(PyExc_MemoryError, e.what());
    } catch (const BadInput& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
}

}  // namespace thriftree::bindings
