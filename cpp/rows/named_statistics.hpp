// Which figures a store sums over rows, named one by one so that a store elsewhere can count them, and how
// these sums become the totals and runs that choosers see.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "criterion/statistics.hpp"
#include "rows/sums.hpp"
#include "table/target.hpp"

namespace thriftree {

// What one row, or one object where objects are counted, adds to a sum. Figures of 64 bits whose sums may
// need more come as two: the upper bits (x >> 32) and the lower 32.
enum class Figure : std::uint8_t {
  objects,        // 1
  members,        // how many rows the object has
  weight,         // its growth weight, in fixed point like all weights; 1 where nothing is weighted
  sample_weight,  // its sample weight
  moment_high,    // its moment, see Target
  moment_low,     //
  square_high,    // its square
  square_low,     //
  heavy_weight,   // its growth weight w if that is above NamedStatistics::heavy_above
  heavy_term,  // if so, and w is no more than P - w, P the weight of the node: w / (P - w) in units of 2^-56,
               // rounded to nearest, halves up
  dominant_weight,  // if so, and w is more than P - w: w
  square_above,     // no less than its square, in units of 2^32 of these
  // Sums of the rows behind an object, in the fixed point of the rows:
  rows_behind,
  weight_behind,
  sample_weight_behind,
  moment_behind_high,
  moment_behind_low,
  square_behind_high,
  square_behind_low,
};
const char* name_of(Figure figure);
Figure figure_of(const std::string& name);  // throws BadInput

struct Statistic {
  Figure figure;
  // Only objects of this class or bin; of weight_behind, only rows of this class. -1: all.
  std::int32_t group = -1;
};

// How far moment / weight of a row of numbers may be from y - center, as both are rounded to units;
// `largest`: no |y - center| is larger.
double moment_rounding(const TargetHeader& target, double largest);

// Everything that is summed in a fit.
struct NamedStatistics {
  // `rows`: what lies behind the objects; null where the counted are rows, or objects that weigh as their
  // row. `spans`: some columns have them, and bounds ask for squares.
  NamedStatistics(const Statistics& statistics, const TargetHeader& counted, const TargetHeader* rows,
                  bool spans = false);

  std::vector<Statistic> of_code;  // per node, column and code; the first is how many there are
  std::vector<Statistic> of_node;  // per node; the first is how many there are
  std::int64_t heavy_above = 0;
  bool terms = false;   // some figures depend on the weight of the node
  bool ranges = false;  // nodes also tell their least and their greatest target

  // The plain weights among the sums of one code, added.
  std::int64_t weight_of(std::span<const std::int64_t> code_sums) const;
  // The sums of all codes of a column as runs, in place of what was there.
  void set_runs(std::span<const std::int64_t> sums, ColumnRuns& out) const;
  // Adds the same in fixed point (ColumnRuns::exact), where doubles would round sums of several codes.
  void set_exact(std::span<const std::int64_t> sums, ColumnRuns& out) const;
  // Appends the sums of one code as a run.
  void append_run(std::uint32_t code, std::span<const std::int64_t> sums, ColumnRuns& out) const;
  // `least`, `greatest`: of the targets; looked at where `ranges`.
  NodeTotals totals(std::span<const std::int64_t> sums, double least, double greatest) const;

 private:
  Statistics statistics_;
  TargetHeader counted_, rows_;
  bool behind_;
  bool grouped_;  // classes or bins tell who agrees
};

}  // namespace thriftree
