// Sums over rows of a stream in exact integers, read off as doubles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rows/row_stream.hpp"

namespace thriftree {

class ExactSums {
 public:
  // `weights` is memory for the sums and must outlive them.
  ExactSums(const RowStream& stream, int width, bool numbers, std::vector<std::int64_t>& weights);

  // Adds rows [from, to) of a batch.
  void add(const RowStream::Rows& rows, int from, int to);
  // Sums as doubles, on top of those already in `sums`.
  void add_to(std::span<double> sums, double& total) const;

 private:
  bool weighted_, numbers_;
  double weight_unit_, moment_unit_;
  std::vector<std::int64_t>& weights_;
  std::int64_t total_ = 0;
  int128 moment_ = 0;
};

}  // namespace thriftree
