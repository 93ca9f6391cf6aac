// The exact values behind the codes of columns of spans: the caller's own memory, read where a code is
// opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "run/control.hpp"
#include "run/team.hpp"
#include "table/source.hpp"
#include "table/table.hpp"

namespace thriftree {

class ExactValues {
 public:
  // The columns of spans, by their number in the table, and where their values are.
  struct Known {
    std::uint32_t column = 0;
    ColumnSource source;
  };

  // `sorted_rows`: see SpanOptions.
  ExactValues(std::vector<Known> known, std::size_t n_columns, std::size_t n_rows,
              std::optional<std::size_t> sorted_rows);
  // Whatever must live as long as the sources are read.
  void keep(std::shared_ptr<const void> owner) { owner_ = std::move(owner); }

  const std::optional<std::size_t>& sorted_rows() const { return sorted_rows_; }
  const ColumnSource& source(std::size_t column) const { return known_[place_[column]].source; }
  // Where a column of spans is in `ranks`.
  std::size_t place(std::size_t column) const { return place_[column]; }

  // The columns of spans alone, in their order, with a code for every distinct value: made when first asked
  // for, and kept.
  const Table& ranks(Control& control, Team& team);

 private:
  std::vector<Known> known_;
  std::vector<std::size_t> place_;  // by column of the table: its entry in known_
  std::size_t n_rows_;
  std::optional<std::size_t> sorted_rows_;
  std::shared_ptr<const void> owner_;
  std::mutex making_;
  std::unique_ptr<const Table> ranks_;  // under making_ until it is there
};

}  // namespace thriftree
