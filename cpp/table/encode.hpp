// From the caller's columns to a Table. The table does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "run/control.hpp"
#include "run/team.hpp"
#include "table/source.hpp"
#include "table/table.hpp"

namespace thriftree {

enum class Binning : std::uint8_t { quantile, uniform, kmeans };

// Tables of fewer rows are ranked at once.
inline constexpr std::size_t kSpansFrom = 8192;
inline constexpr std::size_t kNeverSpans = std::numeric_limits<std::size_t>::max();

// Without bins and book, columns of many distinct values have spans (Column::spans). The sources must then
// live as long as the table is grown on, see ExactValues::keep. Other numbers than these are for tests.
struct SpanOptions {
  std::size_t from_rows = kSpansFrom;  // in tables of at least so many rows,
  std::uint32_t above_values = 256;    // columns of more distinct values than this
  std::uint32_t codes = 255;           // have at most so many codes,
  // and nodes of at most so many rows are sorted by value; none: as the number of classes makes it worth.
  std::optional<std::size_t> sorted_rows;
};

struct EncodeOptions {
  // 0: every distinct value gets its own code. Otherwise a column of more than max_bins distinct values
  // (missing not counted) is binned into at most max_bins codes; the others stay exact.
  std::uint32_t max_bins = 0;
  Binning binning = Binning::quantile;
  const double* weight = nullptr;  // n_rows positive weights for quantile and kmeans; nullptr: all 1
  // The code book of each column, made of other rows: codes mean what they mean there, and nothing is said of
  // the options above. Empty: code books are made of these rows.
  std::span<const Column> book;
  SpanOptions spans;
};

// Where edges come from: quantile and kmeans edges use every row of a table of at most `sample_all_rows`
// rows, else `sample_rows` of them, one from each of as many equal stretches at a place given by a hash of
// the stretch's number. So the same table always gives the same edges, and rows that repeat with a period do
// no harm.
inline constexpr std::size_t sample_all_rows = 65'536;
inline constexpr std::size_t sample_rows = 50'000;
inline constexpr std::size_t probe_rows = 4096;  // rows that first tell few-valued columns from many-valued

// Throws BadInput that names the column ("column 3") and row of an infinite value, of an integer beyond 2^53,
// or of a value that the given code book of an exact column lacks.
Table encode(const std::vector<ColumnSource>& sources, std::size_t n_rows, const EncodeOptions& options,
             Control& control, Team& team);

}  // namespace thriftree
