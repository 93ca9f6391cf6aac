// Coding by a code book that was made of other rows: the same value gets the same code.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "table/column_plan.hpp"
#include "table/rank.hpp"
#include "table/table.hpp"

namespace thriftree {

// Throws BadInput unless there is a code book for each column, of its kind.
void check_book(std::span<const Column> book, const std::vector<ColumnSource>& sources);

// Plans a column by its code book: bins as they are there; the values there, to be listed or, if they are too
// many for that, to be ranked first (`keep_to`).
void follow(const Column& book, ColumnPlan& plan);

// From ranks among a column's own values, and the codes that are such ranks, to those of the code book. Calls
// `stranger` with a value that it lacks, which must throw.
void keep_to(const Column& book, Ranks& ranks, std::vector<std::uint32_t>& codes,
             const std::function<void(double)>& stranger);

}  // namespace thriftree
