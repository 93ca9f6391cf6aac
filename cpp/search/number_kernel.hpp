// The kernel of pairs and triples where the target is a number: as kernel.hpp, from sums of weight and of
// weight x target in place of counts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "search/kernel.hpp"
#include "search/number_gains.hpp"
#include "search/number_leaves.hpp"
#include "search/number_sums.hpp"

namespace thriftree {

class NumberKernel {
 public:
  explicit NumberKernel(const NumberLeaves& leaves);

  // `poll` is called every few milliseconds and may throw.
  void run(const NodeBits& node, int levels, const std::function<void()>& poll, KernelAnswer& answer);

 private:
  // A column as the kernel has it: those of few ones first, so that the outer loops are over few rows.
  struct Column {
    std::size_t index = 0;  // in the node
    bool flipped = false;   // answers are exchanged, so that at most half of them are 1
    std::size_t ones = 0;
  };

  void arrange(const NodeBits& node);
  void spread(const NodeBits& node);
  void add_rows(const std::vector<std::uint32_t>& rows, const std::uint64_t* ones, std::size_t n_words,
                std::size_t first, std::vector<std::int64_t>& sums);
  void sum_pairs();
  void sum_triples();
  void divide_by_third(std::size_t f, std::size_t g);
  void combine(int levels);
  // Of number k (sum, weight, rows) over the entries that answer f and h with 1, for all h.
  double* pair(std::size_t k, std::size_t f) { return pairs_.data() + (k * p_ + f) * width_; }
  // Gains of the cell where f answers a and h answers b, divided by the best third test; [a * 2 + b][f][h].
  double* split(std::size_t cell, std::size_t f) { return splits_.data() + (cell * p_ + f) * width_; }
  const std::uint64_t* bits(std::size_t c) const { return bits_.data() + c * n_words_; }

  const NumberLeaves& leaves_;
  const GainRule rule_;
  std::vector<NumberField> fields_;  // of sum and weight, and of rows where leaves are limited
  std::size_t n_amounts_ = 1;        // words that hold them
  std::vector<std::int64_t> amount_of_group_[kNumberWords];

  const std::function<void()>* poll_ = nullptr;
  KernelAnswer* answer_ = nullptr;
  std::size_t p_ = 0, width_ = 0, n_words_ = 0;
  std::vector<Column> columns_;
  std::vector<std::uint64_t> bits_;    // [column][word]: their answers; a place is a bit of the node
  std::vector<std::uint8_t> answers_;  // [place * width + column]
  std::vector<std::uint64_t> valid_;   // [word]: the places of entries
  std::vector<std::uint32_t> rows_;    // these, one by one
  std::vector<std::int64_t> amounts_[kNumberWords];  // of each place; 0 where there is no entry
  std::vector<double> side_cost_, side_top_;         // [column]: over the entries that answer 1
  double all_cost_ = 0, all_top_ = 0;
  double total_[3] = {0, 0, 0};  // of each number, over the node
  std::vector<std::int64_t> block_;
  std::vector<double> pairs_;          // [number][f][h]
  std::vector<double> singles_;        // [number][h]
  std::vector<std::int64_t> words_;    // [amount][g][h]: sums of words over the current rows
  std::vector<std::uint64_t> packed_;  // [column][word]: answers of the rows that answer f
  std::vector<double> splits_;
};

// What a kernel takes, as Solver::work counts it.
std::int64_t number_kernel_work(const NodeBits& node, int levels);

}  // namespace thriftree
