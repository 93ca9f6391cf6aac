// A column as the caller holds it: typed memory with any stride, dense or sparse, read and never written.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace thriftree {

enum class SourceType : std::uint8_t { f32, f64, i8, u8, i16, u16, i32, u32, i64, u64, category };

struct ColumnSource {
  SourceType type = SourceType::f32;
  const std::byte* data = nullptr;  // row 0
  std::ptrdiff_t stride = 0;        // bytes from a row to the next; may be negative or 0
  std::uint32_t n_categories = 0;   // category only: int32 codes in [0, n_categories), negative = missing
  bool ranked = false;  // category only: the codes are in order of the target (Column::ranked_category)
  // A sparse column has n_entries values at `data`, that of row rows[k] at k; rows ascend, and all others
  // hold 0. nullptr: a value for every row.
  const std::int32_t* rows = nullptr;
  std::size_t n_entries = 0;

  // Types whose every value is a float32; the others are read as float64.
  bool fits_float() const {
    return type == SourceType::f32 || type == SourceType::i8 || type == SourceType::u8 ||
           type == SourceType::i16 || type == SourceType::u16;
  }
};

inline constexpr std::int64_t largest_exact_integer = std::int64_t{1} << 53;

namespace detail {

template <typename From, typename To>
To number_at(const std::byte* p) {
  From value;  // memcpy: a stride may leave values unaligned
  std::memcpy(&value, p, sizeof value);
  if constexpr (sizeof(From) == 8 && std::numeric_limits<From>::is_integer) {
    bool exact = value <= static_cast<From>(largest_exact_integer);
    if constexpr (std::numeric_limits<From>::is_signed) exact = exact && value >= -largest_exact_integer;
    return exact ? static_cast<To>(value) : std::numeric_limits<To>::infinity();
  } else {
    return static_cast<To>(value) + To{0};  // + 0 makes -0.0 the same value as 0.0
  }
}

// Calls read(From{}) with the C++ type of the source's values.
template <typename Read>
void with_type(SourceType type, Read read) {
  switch (type) {
    case SourceType::f32:
      return read(float{});
    case SourceType::f64:
      return read(double{});
    case SourceType::i8:
      return read(std::int8_t{});
    case SourceType::u8:
      return read(std::uint8_t{});
    case SourceType::i16:
      return read(std::int16_t{});
    case SourceType::u16:
      return read(std::uint16_t{});
    case SourceType::i32:
    case SourceType::category:
      return read(std::int32_t{});
    case SourceType::u32:
      return read(std::uint32_t{});
    case SourceType::i64:
      return read(std::int64_t{});
    case SourceType::u64:
      return read(std::uint64_t{});
  }
}

// The entry of a sparse source for this row, or the first one after it.
inline std::size_t entry_from(const ColumnSource& s, std::size_t row) {
  const auto* end = s.rows + s.n_entries;
  return static_cast<std::size_t>(std::lower_bound(s.rows, end, static_cast<std::int32_t>(row)) - s.rows);
}

template <typename From, typename To>
To entry_at(const ColumnSource& s, std::size_t entry) {
  return number_at<From, To>(s.data + static_cast<std::ptrdiff_t>(entry) * s.stride);
}

}  // namespace detail

// Reads rows [first, first + n) as numbers: NaN is missing, -0.0 becomes 0.0, and what no tree may see
// (infinite values, integers beyond 2^53) becomes an infinity. To is float only for sources that fit it.
template <typename To>
void read_numbers(const ColumnSource& s, std::size_t first, std::size_t n, To* out) {
  detail::with_type(s.type, [&](auto from) {
    if (s.rows != nullptr) {
      std::fill_n(out, n, To{0});
      for (std::size_t k = detail::entry_from(s, first); k < s.n_entries; ++k) {
        const auto row = static_cast<std::size_t>(s.rows[k]);
        if (row >= first + n) return;
        out[row - first] = detail::entry_at<decltype(from), To>(s, k);
      }
      return;
    }
    const std::byte* p = s.data + static_cast<std::ptrdiff_t>(first) * s.stride;
    for (std::size_t i = 0; i < n; ++i, p += s.stride) out[i] = detail::number_at<decltype(from), To>(p);
  });
}

// The same for n chosen rows.
template <typename To>
void read_numbers_at(const ColumnSource& s, const std::uint32_t* rows, std::size_t n, To* out) {
  detail::with_type(s.type, [&](auto from) {
    for (std::size_t i = 0; i < n; ++i) {
      if (s.rows != nullptr) {
        const std::size_t k = detail::entry_from(s, rows[i]);
        const bool found = k < s.n_entries && static_cast<std::uint32_t>(s.rows[k]) == rows[i];
        out[i] = found ? detail::entry_at<decltype(from), To>(s, k) : To{0};
        continue;
      }
      out[i] =
          detail::number_at<decltype(from), To>(s.data + static_cast<std::ptrdiff_t>(rows[i]) * s.stride);
    }
  });
}

// The size of a value of this type.
inline std::size_t size_of(SourceType type) {
  std::size_t size = 0;
  detail::with_type(type, [&](auto from) { size = sizeof from; });
  return size;
}

// Whether values of this type are T as they are.
template <typename T>
bool is_of(SourceType type) {
  return type == (sizeof(T) == sizeof(float) ? SourceType::f32 : SourceType::f64);
}

// The same of n_columns dense columns that lie side by side, of which `s` is the first: out[i * width +
// column].
template <typename To>
void read_side_by_side(const ColumnSource& s, std::size_t first, std::size_t n, std::size_t n_columns,
                       To* out, std::size_t width) {
  detail::with_type(s.type, [&](auto from) {
    const std::byte* row = s.data + static_cast<std::ptrdiff_t>(first) * s.stride;
    for (std::size_t i = 0; i < n; ++i, row += s.stride, out += width) {
      for (std::size_t c = 0; c < n_columns; ++c)
        out[c] = detail::number_at<decltype(from), To>(row + c * sizeof from);
    }
  });
}

inline double read_number(const ColumnSource& s, std::size_t row) {
  double value;
  read_numbers(s, row, 1, &value);
  return value;
}

// Integers that sort as the numbers do; NaN (any) is the largest.
inline std::uint32_t sort_key(float x) {
  if (x != x) return ~std::uint32_t{0};
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return bits ^ (bits >> 31 != 0 ? ~std::uint32_t{0} : std::uint32_t{1} << 31);
}
inline std::uint64_t sort_key(double x) {
  if (x != x) return ~std::uint64_t{0};
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return bits ^ (bits >> 63 != 0 ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}
inline float number_of(std::uint32_t key) {
  return std::bit_cast<float>(key ^ (key >> 31 != 0 ? std::uint32_t{1} << 31 : ~std::uint32_t{0}));
}
inline double number_of(std::uint64_t key) {
  return std::bit_cast<double>(key ^ (key >> 63 != 0 ? std::uint64_t{1} << 63 : ~std::uint64_t{0}));
}

}  // namespace thriftree
