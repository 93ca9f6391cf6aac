#include "choose/subset_rules.hpp"

namespace thriftree {

void SubsetPlacing::look(const SubsetRules& rules, const ColumnRuns& runs, std::size_t n_missing,
                         std::size_t width) {
  const std::size_t n_runs = runs.codes.size();
  placed_.clear();
  is_rare_.assign(n_runs, 0);
  rare_sums_.assign(width, 0.0);
  n_known_ = n_runs - n_missing;
  n_rare_ = 0;
  placed_total_ = rare_total_ = 0;
  rare_rows_ = 0;
  for (std::size_t i = 0; i < n_runs; ++i) {
    const bool rare = i < n_known_ && n_runs > 2 && runs.rows[i] < rules.min_rows;
    if (!rare) {
      placed_.push_back(static_cast<std::uint32_t>(i));
      placed_total_ += runs.totals[i];
      continue;
    }
    is_rare_[i] = 1;
    ++n_rare_;
    for (std::size_t k = 0; k < width; ++k) rare_sums_[k] += runs.sums[i * width + k];
    rare_total_ += runs.totals[i];
    rare_rows_ += runs.rows[i];
  }
}

}  // namespace thriftree
