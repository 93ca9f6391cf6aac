// The table: every column as small integer codes. Nothing after it sees a value, a string or a frame.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "run/huge_pages.hpp"

namespace thriftree {

// How many codes a byte tells apart: columns of no more are kept in bytes.
inline constexpr std::size_t kByteCodes = 256;

// The float64 midpoint of low <= high; low itself if rounding reaches high. So low <= midpoint, and midpoint
// < high where low < high.
double midpoint(double low, double high);

enum class ColumnKind : std::uint8_t {
  ordered,   // codes follow the order of the values; tests are cuts
  category,  // codes name categories; tests are sets of codes
};

// Numbers that never change once made, shared by all tables that were taken from one.
class SharedNumbers {
 public:
  SharedNumbers() = default;
  SharedNumbers(std::vector<double> numbers)  // NOLINT: what it is made of is what it is
      : numbers_(std::make_shared<const std::vector<double>>(std::move(numbers))) {}
  bool empty() const { return size() == 0; }
  std::size_t size() const { return numbers_ ? numbers_->size() : 0; }
  double operator[](std::size_t i) const { return (*numbers_)[i]; }
  const double* begin() const { return numbers_ ? numbers_->data() : nullptr; }
  const double* end() const { return begin() + size(); }
  double back() const { return numbers_->back(); }
  bool operator==(const SharedNumbers& other) const {
    return numbers_ == other.numbers_ || std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  std::shared_ptr<const std::vector<double>> numbers_;
};

// One column's code book and where its codes are.
struct Column {
  ColumnKind kind = ColumnKind::ordered;
  std::uint32_t n_codes = 0;  // codes in use, the missing code included; 0 only for a table without rows
  bool has_missing = false;   // if so, the missing code is n_codes - 1 (missing is last)

  // An ordered column whose codes name categories, put in order of the target by whoever made the codes: a
  // cut after code c is the set of categories 0..c, and that set is the test to store. Has neither values nor
  // edges, so no cut().
  bool ranked_category = false;

  // An ordered column whose codes stand for ranges of values that are kept exactly (Table::exact): codes rise
  // with the values, and thresholds lie inside codes as well as between them. Has neither values nor edges:
  // `ranked` (table/ranked.hpp) makes the column in which every value has a code.
  bool spans = false;

  // Other ordered columns. Code c (missing excluded) stands for the values in [lower(c), upper(c)].
  // Exact columns: values_ holds the distinct values, ascending, lower == upper.
  // Binned columns: edges_ holds the n-1 inner edges, ascending: code(x) = number of edges < x, so x <=
  // edges_[c] exactly if code(x) <= c. Only one of the two is filled.
  SharedNumbers values;
  SharedNumbers edges;

  // Storage. Narrow (n_codes <= kByteCodes): byte `offset` of each row's chunk in block `block`. Wide: index
  // into Table::wide.
  bool narrow = true;
  std::uint32_t block = 0;
  std::uint32_t offset = 0;
  std::uint32_t wide = 0;

  std::uint32_t n_known() const { return n_codes - (has_missing ? 1U : 0U); }
  // The cut between two codes a < b of this column that are neighbours at some node: x <= cut goes with a.
  // The float64 midpoint of a's largest and b's smallest value; the lower one if rounding reaches the upper.
  double cut(std::uint32_t a, std::uint32_t b) const;
  // The code book alone: the same codes for the same values, stored nowhere.
  Column book() const;
  bool same_book(const Column& other) const;
};

using CodeBytes = std::vector<std::uint8_t, HugePages<std::uint8_t>>;

// A block holds up to 16 narrow columns, row after row, so that counting reads each row's chunk once and
// its histograms stay in the first-level cache.
struct Block {
  std::uint32_t stride = 16;           // bytes per row: 16, 8 or 4
  std::vector<std::uint32_t> columns;  // the table's columns in it; columns[i] is at byte i of a chunk
  CodeBytes codes;                     // n_rows * stride bytes; bytes past columns.size() are 0
};

class ExactValues;
struct RankedForm;

struct Table {
  std::size_t n_rows = 0;
  std::vector<Column> columns;
  std::vector<Block> blocks;
  std::vector<std::vector<std::uint32_t>> wide;  // one vector of n_rows codes per wide column
  // Beside each, the rows in order of their codes (equal codes: ascending rows) as row * 2 + (is it the first
  // of its code). Empty where coding needed no sorting.
  std::vector<std::vector<std::uint32_t>> sorted;
  // The values behind columns of spans, shared by all samples of the rows; null where there is no such
  // column.
  std::shared_ptr<ExactValues> exact;
  // Row i is row (*exact_rows)[i] of them; null: row i.
  std::shared_ptr<const std::vector<std::uint32_t>> exact_rows;
  std::shared_ptr<RankedForm> ranked_form;  // see table/ranked.hpp; null where `exact` is

  std::uint32_t code(std::size_t row, std::size_t column) const {
    const Column& c = columns[column];
    if (!c.narrow) return wide[c.wide][row];
    const Block& b = blocks[c.block];
    return b.codes[row * b.stride + c.offset];
  }
  std::size_t bytes() const;
};

}  // namespace thriftree
