// How a search that keeps what it has says what ended it.
#pragma once

#include <exception>
#include <string>

#include "run/control.hpp"

namespace thriftree {

// What stopped a search whose best tree is kept; other errors go on to the caller.
inline std::string status_after(const std::exception_ptr& error, Control& control) {
  try {
    std::rethrow_exception(error);
  } catch (const OutOfTime&) {
    return control.was_interrupted() ? "interrupted" : "time_limit";
  } catch (const MemoryLimitReached&) {
    return "memory_limit";
  } catch (...) {
    if (!control.keeps_after(error)) throw;
    return "interrupted";
  }
}

}  // namespace thriftree
