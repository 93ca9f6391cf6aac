// A chooser that may test one column only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "choose/chooser.hpp"

namespace thriftree {

class NarrowedChooser final : public Chooser {
 public:
  NarrowedChooser(std::unique_ptr<Chooser> chooser, std::uint32_t column)
      : chooser_(std::move(chooser)),
        column_(std::make_shared<const std::vector<std::uint32_t>>(1, column)) {}

  bool needs_path() const override { return chooser_->needs_path(); }
  bool may_choose(const NodeTotals& totals) const override { return chooser_->may_choose(totals); }

  // The choice of the chooser behind, where the column varies.
  std::vector<Chosen> choose(std::span<const NodeContext> nodes, RowStore& store, Team& team) override {
    std::vector<NodeContext> narrowed;
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::vector<std::uint32_t>& columns = *nodes[i].columns;
      if (std::find(columns.begin(), columns.end(), column_->front()) == columns.end()) continue;
      narrowed.push_back(nodes[i]);
      narrowed.back().columns = column_;
      at.push_back(i);
    }
    std::vector<Chosen> chosen(nodes.size());
    if (narrowed.empty()) return chosen;
    std::vector<Chosen> found = chooser_->choose(narrowed, store, team);
    for (std::size_t i = 0; i < at.size(); ++i) chosen[at[i]].choice = std::move(found[i].choice);
    return chosen;
  }

 private:
  std::unique_ptr<Chooser> chooser_;
  ColumnList column_;
};

}  // namespace thriftree
