// Memory that is counted against the limit of a call as long as it is needed.
#pragma once

#include <cstddef>

#include "run/control.hpp"

namespace thriftree {

// Memory that is booked while this lives.
class BookedMemory {
 public:
  explicit BookedMemory(Control& control) : control_(control) {}
  ~BookedMemory() { control_.release(sum_); }
  BookedMemory(const BookedMemory&) = delete;
  BookedMemory& operator=(const BookedMemory&) = delete;

  void take(std::size_t bytes, const char* what) {
    control_.reserve(bytes, what);
    sum_ += bytes;
    last_ = bytes;
  }
  std::size_t last() const { return last_; }
  std::size_t room() const { return control_.memory_limit_bytes - control_.used_bytes(); }

 private:
  Control& control_;
  std::size_t sum_ = 0, last_ = 0;
};

}  // namespace thriftree
