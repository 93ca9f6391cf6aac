// Which bins a column of many numbers gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "run/control.hpp"
#include "run/team.hpp"
#include "table/column_plan.hpp"
#include "table/encode.hpp"
#include "table/rank.hpp"

namespace thriftree {

// m of n rows, ascending: one from each of m equal stretches, at a hashed place.
template <typename Row = std::uint32_t>
std::vector<Row> sampled_rows(std::size_t m, std::size_t n);

class Binner {
 public:
  Binner(const EncodeOptions& options, std::size_t n_rows) : options_(options), n_rows_(n_rows) {}

  // Bins those of these columns whose sample alone shows more than max_bins values; the plans of the others
  // stay as they are.
  void bin_by_sample(std::vector<ColumnPlan>& plans, const std::vector<std::uint32_t>& columns,
                     Control& control, Team& team) const;
  // Bins a column by the ranks of n rows: of `rows`, or of all where that is nullptr.
  void bin(ColumnPlan& plan, const Ranks& ranks, const std::uint32_t* codes,
           const std::vector<std::uint32_t>* rows, std::size_t n) const;

 private:
  struct Scratch;
  // False where a number is infinite.
  bool bin_sample(ColumnPlan& plan, const double* x, const std::vector<std::uint32_t>& rows, Scratch& scratch,
                  const std::function<void()>& poll) const;
  template <typename Number, typename Key>
  bool bin_counted(ColumnPlan& plan, const double* x, std::size_t n, std::vector<Key>& keys,
                   std::vector<Key>& spare) const;
  void set_edges(ColumnPlan& plan, std::vector<double> edges) const;
  std::pair<double, double> range(const ColumnSource& source) const;

  const EncodeOptions& options_;
  std::size_t n_rows_;
};

}  // namespace thriftree
