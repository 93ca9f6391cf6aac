#include "table/encode.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "table/bins.hpp"
#include "table/ladder.hpp"
#include "table/sort_keys.hpp"
#include "testing.hpp"

using namespace thriftree;

namespace {

template <typename T>
std::vector<ColumnSource> columns_of(const std::vector<T>& matrix, std::size_t n_columns, SourceType type) {
  std::vector<ColumnSource> sources;
  for (std::size_t j = 0; j < n_columns; ++j) {
    ColumnSource s;
    s.type = type;
    s.data = reinterpret_cast<const std::byte*>(matrix.data() + j);
    s.stride = static_cast<std::ptrdiff_t>(n_columns * sizeof(T));
    sources.push_back(s);
  }
  return sources;
}

Table encoded(const std::vector<ColumnSource>& sources, std::size_t n_rows, int n_threads,
              EncodeOptions options = {}) {
  Control control;
  control.n_threads = n_threads;
  Team team(control);
  return encode(sources, n_rows, options, control, team);
}

// A cheap sequence that looks random enough and is the same everywhere.
double noise(std::size_t i) { return std::sin(static_cast<double>(i) * 12.9898) * 43758.5453; }

}  // namespace

TEST(exact_codes_give_back_every_value) {
  constexpr std::size_t n_rows = 5000, n_columns = 19;
  std::vector<float> matrix(n_rows * n_columns);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const std::size_t column = i % n_columns;
    const auto x = static_cast<float>(noise(i));
    matrix[i] = column < 17 ? std::floor(std::fmod(x, static_cast<float>(column + 2))) : x;
    if (i % 97 == 0) matrix[i] = std::numeric_limits<float>::quiet_NaN();
  }
  const Table table = encoded(columns_of(matrix, n_columns, SourceType::f32), n_rows, 3);
  CHECK(table.blocks.size() == 2 && table.blocks[0].stride == 16 && table.blocks[1].stride == 4);
  CHECK(table.wide.size() == 2);
  for (std::size_t r = 0; r < n_rows; ++r) {
    for (std::size_t c = 0; c < n_columns; ++c) {
      const Column& column = table.columns[c];
      const float x = matrix[r * n_columns + c];
      const std::uint32_t code = table.code(r, c);
      CHECK(code < column.n_codes);
      CHECK(std::isnan(x) ? column.has_missing && code == column.n_known() : column.values[code] == x);
    }
  }
}

TEST(float64_values_that_differ_in_the_last_bit_are_told_apart) {
  std::vector<double> values;
  for (double x = 1.0; values.size() < 5000; x = std::nextafter(x, 2.0)) values.push_back(x);
  std::vector<double> column;
  for (std::size_t i = 0; i < values.size(); ++i) column.push_back(values[i * 1237 % values.size()]);
  const Table table = encoded(columns_of(column, 1, SourceType::f64), column.size(), 1);
  CHECK(std::ranges::equal(table.columns[0].values, values));
  for (std::size_t i = 0; i < column.size(); ++i) CHECK(values[table.code(i, 0)] == column[i]);
}

TEST(binned_codes_count_the_edges_below) {
  constexpr std::size_t n_rows = 70'001;
  std::vector<float> column(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) column[i] = static_cast<float>(std::fmod(noise(i), 1.0));
  for (const auto binning : {Binning::quantile, Binning::uniform, Binning::kmeans}) {
    for (const std::uint32_t max_bins : {2U, 17U, 255U, 256U, 1000U}) {
      EncodeOptions options;
      options.max_bins = max_bins;
      options.binning = binning;
      const Table table = encoded(columns_of(column, 1, SourceType::f32), n_rows, 2, options);
      const auto& edges = table.columns[0].edges;
      CHECK(edges.size() + 1 == max_bins);
      for (std::size_t i = 0; i < n_rows; ++i) {
        const auto below =
            std::lower_bound(edges.begin(), edges.end(), static_cast<double>(column[i])) - edges.begin();
        CHECK(table.code(i, 0) == static_cast<std::uint32_t>(below));
      }
    }
  }
}

TEST(columns_backwards_unaligned_and_without_stride_are_read) {
  std::vector<std::byte> bytes(5 * 9 + 1);
  for (int i = 0; i < 5; ++i) {
    const double x = i * 1.5;
    std::memcpy(bytes.data() + 1 + 9 * i, &x, sizeof x);
  }
  ColumnSource forwards{SourceType::f64, bytes.data() + 1, 9, 0, false};
  ColumnSource backwards{SourceType::f64, bytes.data() + 1 + 4 * 9, -9, 0, false};
  ColumnSource constant{SourceType::f64, bytes.data() + 1, 0, 0, false};
  const Table table = encoded({forwards, backwards, constant}, 5, 1);
  for (std::uint32_t i = 0; i < 5; ++i) {
    CHECK(table.code(i, 0) == i);
    CHECK(table.code(i, 1) == 4 - i);
    CHECK(table.code(i, 2) == 0);
  }
}

TEST(infinity_is_refused_beside_longer_and_shorter_lists_of_values) {
  // Columns of 4, 2 and 3 values: short lists are padded to the longest, and padding is not a value.
  constexpr std::size_t n_rows = 4, n_columns = 3;
  const auto column_refused = [&](std::size_t place, double infinity, std::uint32_t max_bins) {
    std::vector<double> matrix{0, 1, 0, 1, 0, 1, 2, 1, 2, 3, 0, 0};
    matrix[place] = infinity;
    EncodeOptions options;
    options.max_bins = max_bins;
    try {
      encoded(columns_of(matrix, n_columns, SourceType::f64), n_rows, 1, options);
    } catch (const BadInput& error) {
      return std::string(error.what()).find("column " + std::to_string(place % n_columns)) == 0;
    }
    return false;
  };
  for (std::size_t place = 0; place < n_rows * n_columns; ++place) {
    for (const std::uint32_t max_bins : {0U, 3U}) {
      CHECK(column_refused(place, std::numeric_limits<double>::infinity(), max_bins));
      CHECK(column_refused(place, -std::numeric_limits<double>::infinity(), max_bins));
    }
  }
}

TEST(category_codes_are_kept_and_checked) {
  std::vector<std::int32_t> codes{2, 0, -1, 1};
  auto sources = columns_of(codes, 1, SourceType::category);
  sources[0].n_categories = 3;
  const Table table = encoded(sources, codes.size(), 1);
  CHECK(table.columns[0].kind == ColumnKind::category && table.columns[0].n_codes == 4);
  CHECK(table.code(0, 0) == 2 && table.code(2, 0) == 3);
  sources[0].n_categories = 2;
  bool refused = false;
  try {
    encoded(sources, codes.size(), 1);
  } catch (const BadInput&) {
    refused = true;
  }
  CHECK(refused);
}

TEST(a_cancelled_encoding_stops) {
  std::vector<float> matrix(200'000);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<float>(noise(i));
  Control control;
  control.interrupted = [] { return true; };
  Team team(control);
  bool stopped = false;
  try {
    encode(columns_of(matrix, 10, SourceType::f32), matrix.size() / 10, {}, control, team);
  } catch (const Interrupted&) {
    stopped = true;
  }
  CHECK(stopped);
}

TEST(rows_coded_by_the_book_of_others_have_their_codes) {
  for (const std::size_t n_values : {7, 256, 5000}) {
    std::vector<double> numbers(6000);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = i % 97 == 5 ? std::numeric_limits<double>::quiet_NaN()
                               : static_cast<double>(i * 7919 % n_values) / 3;
    }
    for (const std::uint32_t max_bins : {0U, 20U}) {
      Control control;
      Team team(control);
      EncodeOptions options;
      options.max_bins = max_bins;
      const Table whole =
          encode(columns_of(numbers, 1, SourceType::f64), numbers.size(), options, control, team);
      std::vector<double> part(numbers.begin() + 1000, numbers.begin() + 1900);
      const std::vector<Column> book{whole.columns[0].book()};
      EncodeOptions by_book;
      by_book.book = book;
      const Table coded = encode(columns_of(part, 1, SourceType::f64), part.size(), by_book, control, team);
      CHECK(coded.columns[0].same_book(whole.columns[0]));
      for (std::size_t i = 0; i < part.size(); ++i) CHECK(coded.code(i, 0) == whole.code(1000 + i, 0));
      part[3] = 0.123;  // no value of the book
      const bool exact = whole.columns[0].edges.empty();
      bool refused = false;
      try {
        encode(columns_of(part, 1, SourceType::f64), part.size(), by_book, control, team);
      } catch (const BadInput&) {
        refused = true;
      }
      CHECK(refused == exact);
    }
  }
}

TEST(a_sparse_column_has_the_codes_of_the_dense_one) {
  std::vector<float> dense(9000), stored;
  std::vector<std::int32_t> rows;
  for (std::size_t i = 0; i < dense.size(); ++i) {
    if (noise(i) < 0.9) continue;
    dense[i] = static_cast<float>(noise(i + 7)) - 0.5F;
    stored.push_back(dense[i]);
    rows.push_back(static_cast<std::int32_t>(i));
  }
  for (const std::uint32_t max_bins : {0U, 30U}) {
    Control control;
    Team team(control);
    EncodeOptions options;
    options.max_bins = max_bins;
    ColumnSource sparse = columns_of(stored, 1, SourceType::f32)[0];
    sparse.rows = rows.data();
    sparse.n_entries = rows.size();
    const Table a = encode(columns_of(dense, 1, SourceType::f32), dense.size(), options, control, team);
    const Table b = encode({sparse}, dense.size(), options, control, team);
    CHECK(a.columns[0].same_book(b.columns[0]));
    for (std::size_t i = 0; i < dense.size(); ++i) CHECK(a.code(i, 0) == b.code(i, 0));
  }
}

namespace {

// Lists of many shapes: even, with long tails on one or both sides, in clumps, of neighbouring numbers.
std::vector<std::vector<double>> entry_lists() {
  std::vector<std::vector<double>> lists{{}, {0}, {-1, 1}};
  for (const std::size_t size : {7, 8, 9, 100, 255, 256, 3000}) {
    std::vector<std::vector<double>> of_size(6);
    for (std::size_t i = 0; i < size; ++i) {
      const double x = noise(i) / 43758.5453, sign = x < 0 ? -1 : 1;
      of_size[0].push_back(x);
      of_size[1].push_back(std::exp(20 * x));
      of_size[2].push_back(sign * std::pow(std::abs(x), 9));
      of_size[3].push_back(std::floor(x * 5) * 1e6 + x);
      of_size[4].push_back(static_cast<double>(1.0F + static_cast<float>(i) * 0x1p-23F));
      of_size[5].push_back(sign * std::exp(80 * std::abs(x)) * 1e-3);
    }
    for (auto& list : of_size) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      lists.push_back(list);
    }
  }
  lists.push_back({-1.7e308, -1e300, -1e200, -1, 0, 1, 1e200, 1e300, 1.7e308});
  return lists;
}

template <typename T>
void check_count_below(const std::vector<double>& entries) {
  const Ladder<T> ladder(entries);
  std::vector<T> x{std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                   -std::numeric_limits<T>::infinity(), T{0}, std::numeric_limits<T>::denorm_min()};
  for (const double entry : entries) {
    const auto at = static_cast<T>(entry);
    for (const T y : {at, std::nextafter(at, T{-1e30F}), std::nextafter(at, T{1e30F}), at * T{1.01F}})
      x.push_back(y);
  }
  for (std::size_t i = 0; i < 200; ++i) x.push_back(static_cast<T>(noise(i)));
  std::vector<std::uint32_t> below(x.size());
  count_below(ladder, x.data(), x.size(), below.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto expected = std::isnan(x[i]) ? 0 : std::count_if(entries.begin(), entries.end(), [&](double e) {
      return e < static_cast<double>(x[i]);
    });
    CHECK(below[i] == static_cast<std::uint32_t>(expected));
  }
}

}  // namespace

TEST(a_list_of_any_shape_is_searched_right) {
  std::size_t with_cells = 0, by_bits = 0;
  for (const auto& entries : entry_lists()) {
    check_count_below<float>(entries);
    check_count_below<double>(entries);
    const Ladder<double> ladder(entries);
    with_cells += ladder.cells.comparisons > 0;
    by_bits += ladder.cells.comparisons > 0 && ladder.cells.by_bits;
  }
  CHECK(with_cells > 10 && by_bits > 3);
}

TEST(quantile_edges_of_sorted_keys_are_those_of_the_spectrum) {
  for (std::size_t n : {2, 3, 10, 300, 2000}) {
    for (const double grain : {0.0, 1e-3, 0.05, 0.4}) {
      std::vector<std::uint64_t> keys, spare;
      for (std::size_t i = 0; i < n; ++i) {
        const double x = noise(i) / 43758.5453;
        keys.push_back(sort_key(grain > 0 ? std::round(x / grain) * grain + 0.0 : x));
      }
      std::vector<std::uint64_t> expected = keys;
      std::sort(expected.begin(), expected.end());
      sort_keys(keys, spare);
      CHECK(keys == expected);
      Spectrum spectrum;
      for (const auto key : keys) {
        if (spectrum.values.empty() || spectrum.values.back() != number_of(key)) {
          spectrum.values.push_back(number_of(key));
          spectrum.weights.push_back(0);
        }
        ++spectrum.weights.back();
      }
      if (spectrum.values.size() < 2) continue;
      for (const std::uint32_t n_bins : {2U, 3U, 10U, 255U, 5000U})
        CHECK(quantile_edges(std::span<const std::uint64_t>(keys), n_bins) ==
              quantile_edges(spectrum, n_bins));
    }
  }
}
