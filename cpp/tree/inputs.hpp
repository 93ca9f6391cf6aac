// Rows to predict, as they lie in the caller's memory. Nothing is copied; the caller keeps it alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace thriftree {

enum class InputType : std::uint8_t {
  float32,
  float64,
  code,  // int32 position in the column's code book; -1 missing, any other negative number: not in the code
         // book
};

struct InputColumn {
  const std::byte* data = nullptr;  // the first row's value; may lie at any address
  std::ptrdiff_t stride = 0;        // bytes from a row's value to the next row's; any sign
  InputType type = InputType::float64;

  // How a code column says "not in the code book" once it is a number. Known codes are >= 0, so nothing else
  // is it.
  static constexpr double kOther = -std::numeric_limits<double>::infinity();

  template <typename T>
  T raw(std::size_t row) const {
    T value;
    std::memcpy(&value, data + static_cast<std::ptrdiff_t>(row) * stride, sizeof(T));
    return value;
  }

  // A code column's value as a number: NaN is missing, kOther is "not in the code book".
  double code(std::size_t row) const {
    const auto code = raw<std::int32_t>(row);
    if (code >= 0) return code;
    return code == -1 ? std::numeric_limits<double>::quiet_NaN() : kOther;
  }

  // The value as a number, as code() says it in a code column; NaN is missing.
  double number(std::size_t row) const {
    switch (type) {
      case InputType::float32:
        return raw<float>(row);
      case InputType::float64:
        return raw<double>(row);
      case InputType::code:
        break;
    }
    return code(row);
  }
};

// One InputColumn for each column of the tree. A matrix is columns that share their stride.
struct Inputs {
  std::size_t n_rows = 0;
  std::vector<InputColumn> columns;
};

}  // namespace thriftree
