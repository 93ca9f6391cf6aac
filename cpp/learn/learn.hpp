// Learning: what makes a fit is put together here, from parameters and parts to finished trees.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "choose/span_search.hpp"
#include "grow/grow.hpp"
#include "learn/options.hpp"
#include "rows/sum_source.hpp"
#include "run/control.hpp"
#include "table/table.hpp"
#include "table/target.hpp"
#include "tree/tree.hpp"

namespace thriftree {

struct LearntTree {
  Tree tree;
  std::string stopped_by;  // empty, or the limit that ended the growth
  GrowthSeconds seconds;
  // Rows times columns of spans, over all nodes that were looked at, and how many of these were opened to
  // find the exact threshold; of a path, up to this tree.
  OpenedPairs pairs;
};

// The trees of several trade-offs, and how much was counted for them.
struct LearntPath {
  std::vector<LearntTree> trees;
  std::int64_t rows_counted = 0, rows_of_distinct_nodes = 0;
};

// Rows that are not in this process: what is known of them, and who counts them.
struct RowsElsewhere {
  std::vector<Column> columns;
  TargetHeader counted;  // the rows, or the objects, that are counted
  std::optional<TargetHeader>
      rows;  // those behind the objects; none where each object is a row and weighs as it
  SumSource& source;
};

// Can a tree of rows elsewhere be grown from columns of spans (Column::spans)? Else every value needs a code.
bool opens_spans(const std::vector<Column>& columns, const TargetHeader& counted, const LearnOptions& options,
                 const std::vector<double>& trade_offs);

// The tree of these rows. Throws BadInput for parameters that do not fit them.
LearntTree learn(const Table& table, const Target& target, const LearnOptions& options, Control& control);

LearntTree learn(const RowsElsewhere& rows, const LearnOptions& options, Control& control);

// One tree per trade-off of score 'enhanced', in the order given. What they have in common is counted once.
LearntPath learn_path(const Table& table, const Target& target, const LearnOptions& options,
                      const std::vector<double>& trade_offs, Control& control);
LearntPath learn_path(const RowsElsewhere& rows, const LearnOptions& options,
                      const std::vector<double>& trade_offs, Control& control);

}  // namespace thriftree
