// Objects are the distinct rows of a table: rows with equal codes in every column (in columns of spans, equal
// values), which no test can tell apart, are one object of their joint weight.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/team.hpp"
#include "table/table.hpp"
#include "table/target.hpp"

namespace thriftree {

struct Objects {
  // A table of one row per object, in order of first appearance; none where every row is an object of its
  // own.
  std::optional<Table> table;
  // The object's label is its heaviest class or bin, the first of equals; its moments are those of its rows.
  Target target;
  // The rows of object i are rows[begin[i] .. begin[i + 1]). Both empty where every row is an object of its
  // own and weighs as it did.
  std::vector<std::uint32_t> begin, rows;
  // Beside them: each object's weight in the fixed point of the rows, and whether its rows differ in class.
  std::vector<std::int64_t> weights;
  std::vector<std::uint8_t> mixed;
};

// The number of each row's object, counted as they appear; returns the first row of each object.
std::vector<std::uint32_t> find_objects(const Table& table, std::vector<std::uint32_t>& object_of_row,
                                        Control& control, Team& team);

// The growth weight of an object: that of its rows; or their sample weight, where what classes count for is
// left to impurities (TargetScale::factors_apart); or 1.
enum class ObjectsWeigh : std::uint8_t { growth, samples, alike };
const char* name_of(ObjectsWeigh weigh);
ObjectsWeigh objects_weigh_of(const std::string& name);  // throws BadInput

// `target` must have classes, or numbers with bins.
Objects coalesce(const Table& table, const Target& target, Control& control, Team& team,
                 ObjectsWeigh weigh = ObjectsWeigh::growth);

}  // namespace thriftree
