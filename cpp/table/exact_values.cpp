#include "table/exact_values.hpp"

#include "table/encode.hpp"

namespace thriftree {

ExactValues::ExactValues(std::vector<Known> known, std::size_t n_columns, std::size_t n_rows,
                         std::optional<std::size_t> sorted_rows)
    : known_(std::move(known)), place_(n_columns, 0), n_rows_(n_rows), sorted_rows_(sorted_rows) {
  for (std::size_t i = 0; i < known_.size(); ++i) place_[known_[i].column] = i;
}

const Table& ExactValues::ranks(Control& control, Team& team) {
  const std::lock_guard lock(making_);
  if (!ranks_) {
    std::vector<ColumnSource> sources;
    for (const Known& one : known_) sources.push_back(one.source);
    EncodeOptions options;
    options.spans.from_rows = kNeverSpans;
    options.spans.above_values = 0;
    ranks_ = std::make_unique<const Table>(encode(sources, n_rows_, options, control, team));
  }
  return *ranks_;
}

}  // namespace thriftree
