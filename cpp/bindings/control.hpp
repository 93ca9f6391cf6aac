// A Control for one call from Python: signals are checked from the calling thread while the GIL is released.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>

#include "run/control.hpp"

namespace thriftree::bindings {

inline std::size_t bytes_of(double megabytes) {
  if (!(megabytes >= 0)) throw BadInput("memory_limit_mb must be 0 or more megabytes");
  constexpr double most = 1e12;  // beyond any memory, and still a size
  return static_cast<std::size_t>(std::min(megabytes, most) * 1048576.0);
}

inline std::unique_ptr<Control> make_control(int n_threads, std::optional<double> time_limit_s = {},
                                             std::optional<double> memory_limit_mb = {}) {
  auto control = std::make_unique<Control>();
  if (n_threads < 1 || n_threads > 1024) throw BadInput("n_threads must be between 1 and 1024");
  control->n_threads = n_threads;
  if (time_limit_s && !(*time_limit_s >= 0)) throw BadInput("time_limit_s must be 0 or more seconds");
  if (time_limit_s) control->time_limit_s = *time_limit_s;
  if (memory_limit_mb) control->memory_limit_bytes = bytes_of(*memory_limit_mb);
  control->interrupted = [] {
    nanobind::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;  // leaves the KeyboardInterrupt pending for the Interrupted translator
  };
  return control;
}

// From now on a growth that Ctrl-C ends gives the tree so far, and says so.
inline void keep_interrupted(Control& control) {
  control.keeps_interrupted = true;
  control.interrupted = [&control] {
    nanobind::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() == 0) return false;
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
      PyErr_Clear();  // whoever keeps the tree raises it again
    } else {
      control.keeps_interrupted = false;  // a signal handler's own error is for the caller
    }
    return true;
  };
  control.is_interrupt = [](const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const nanobind::python_error& e) {
      nanobind::gil_scoped_acquire gil;
      return e.matches(PyExc_KeyboardInterrupt);
    } catch (...) {
      return false;
    }
  };
}

}  // namespace thriftree::bindings
