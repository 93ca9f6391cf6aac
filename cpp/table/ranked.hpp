// The table in which every distinct value has a code, for all that looks at values one by one.
#pragma once

#include <memory>
#include <mutex>

#include "run/control.hpp"
#include "run/team.hpp"
#include "table/table.hpp"

namespace thriftree {

// The ranked form of one table, made when first asked for.
struct RankedForm {
  std::mutex making;
  std::unique_ptr<const Table> table;  // under the mutex until it is there
};

// The same rows and columns; columns of spans have a code for every value that the whole table has there.
// The table itself where it has no such column. Lives as long as the table does.
const Table& ranked(const Table& table, Control& control, Team& team);

}  // namespace thriftree
