// The thresholds of a stream with all sums of the statistics: a batch at a time, what lies left of each. The
// sums are those of the column's runs, added run after run, to the last digit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rows/row_stream.hpp"

namespace thriftree {

class StreamPrefixes {
 public:
  // Sums of some rows.
  struct Sums {
    std::vector<double> sums;
    double total = 0;
    std::int64_t rows = 0;
  };
  // Memory, kept from one walk to the next.
  struct Scratch {
    std::vector<double> left, left_total;
    std::vector<std::int64_t> left_rows, weights, counts;
    std::vector<std::uint64_t> positions;
    std::vector<std::uint32_t> rows, groups;
    std::vector<std::uint8_t> boundary;
  };

  // The stream must carry its rows' sums. The scratch must outlive the walk and serve only one at a time.
  StreamPrefixes(const RowStream& stream, Scratch& scratch);

  // Goes on to the next thresholds, kBatch at most, and returns how many: 0 at the end.
  int next();
  const double* left() const { return scratch_.left.data(); }
  const double* left_total() const { return scratch_.left_total.data(); }
  const std::int64_t* left_rows() const { return scratch_.left_rows.data(); }
  const std::uint64_t* positions() const { return scratch_.positions.data(); }  // of the row before each
  // Adds these rows to the left of the thresholds at hand.
  void add_to_left(const Sums& more);

  std::size_t n_thresholds() const { return n_thresholds_; }  // so far
  const Sums& known() const { return prefix_; }               // at the end: all rows whose value is known
  Sums missing();

 private:
  void read(std::size_t begin, std::size_t end);
  void add_alone(std::size_t row, Sums& to) const;
  void add_to_run(std::size_t row);
  void pass_run(Sums& to);

  const RowStream& stream_;
  const Target& target_;
  const Statistics& statistics_;
  Scratch& scratch_;
  Sums prefix_;
  std::size_t position_ = 0, read_begin_ = 0, read_end_ = 0, n_thresholds_ = 0;
  // The run being summed, of several rows: by group in the scratch, and
  std::int64_t run_rows_ = 0, run_heavy_ = 0, run_terms_ = 0, run_dominant_ = 0;
  int128 run_moment_ = 0;
  int at_hand_ = 0;
};

}  // namespace thriftree
