#include "search/sweep_rows.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace thriftree {

namespace {

void check_costs(const SweepTable& table, const SweepOptions& options) {
  const auto k = static_cast<std::size_t>(table.n_classes);
  if (table.n_classes < 1 || table.n_classes > 65535) throw BadInput("n_classes must be between 1 and 65535");
  if (!options.error_costs.empty() && options.error_costs.size() != k * k)
    throw BadInput("error_costs must be a matrix with a row and a column per class");
  for (const std::int64_t cost : options.error_costs) {
    if (cost < 0 || cost >= kNoSweep)
      throw BadInput("error_costs must be whole numbers of 0 or more, below 2^60");
  }
}

void check_rows(const SweepTable& table) {
  if (table.n_rows == 0) throw BadInput("a sweep needs at least one row");
  if (table.n_rows >= kRowMask) throw BadInput("a sweep takes fewer than 2^31 rows");
  if (table.labels.size() != table.n_rows) throw BadInput("labels must have one entry per row");
  if (!table.weights.empty() && table.weights.size() != table.n_rows)
    throw BadInput("weights must have one entry per row");
  for (const std::int32_t label : table.labels) {
    if (label < 0 || label >= table.n_classes)
      throw BadInput("label " + std::to_string(label) + " is not below n_classes");
  }
  for (const std::int64_t weight : table.weights) {
    if (weight < 0 || weight >= kNoSweep) throw BadInput("weights must be 0 or more, below 2^60");
  }
  for (const std::int32_t rank : table.ranks) {
    if (rank < 0) throw BadInput("ranks must be 0 or more");
  }
}

// Places by the ranks of one column, equal ranks in the order of their places.
void order_by_rank(const std::int32_t* ranks, std::size_t n, std::vector<std::uint32_t>& starts,
                   std::uint32_t* order) {
  const auto most = static_cast<std::size_t>(*std::max_element(ranks, ranks + n));
  if (most < 4 * n + 1024) {
    starts.assign(most + 2, 0);
    for (std::size_t i = 0; i < n; ++i) ++starts[static_cast<std::size_t>(ranks[i]) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (std::size_t i = 0; i < n; ++i)
      order[starts[static_cast<std::size_t>(ranks[i])]++] = static_cast<std::uint32_t>(i);
  } else {
    std::iota(order, order + n, std::uint32_t{0});
    std::stable_sort(order, order + n,
                     [ranks](std::uint32_t a, std::uint32_t b) { return ranks[a] < ranks[b]; });
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (i + 1 == n || ranks[order[i]] != ranks[order[i + 1]]) order[i] |= kEndOfRank;
  }
}

void add_label_costs(const SweepTable& table, SweepRows& rows) {
  const auto k = static_cast<std::size_t>(table.n_classes);
  std::vector<std::int64_t> by_class(k, 0);
  rows.weight = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    by_class[static_cast<std::size_t>(rows.labels[i])] += rows.weight_of(i);
    rows.weight += rows.weight_of(i);
  }
  rows.label_cost.assign(k, 0);
  for (std::size_t y = 0; y < k; ++y) {
    if (by_class[y] == 0) continue;
    for (std::size_t p = 0; p < k; ++p) rows.label_cost[p] += by_class[y] * table.costs[y * k + p];
  }
}

}  // namespace

SweepTable::SweepTable(std::span<const std::int32_t> ranks, std::size_t n_rows,
                       std::span<const std::int32_t> labels, std::span<const std::int64_t> weights,
                       const SweepOptions& options)
    : n_rows(n_rows),
      n_columns(n_rows == 0 ? 0 : ranks.size() / n_rows),
      n_classes(options.n_classes),
      ranks(ranks),
      labels(labels),
      weights(weights) {
  check_costs(*this, options);
  check_rows(*this);
  const auto k = static_cast<std::size_t>(n_classes);
  costs = options.error_costs;
  if (costs.empty()) {
    costs.assign(k * k, 1);
    for (std::size_t y = 0; y < k; ++y) costs[y * k + y] = 0;
  }
  std::vector<std::int64_t> least(k), most(k);
  for (std::size_t y = 0; y < k; ++y) {
    const auto row = std::span(costs).subspan(y * k, k);
    least[y] = *std::min_element(row.begin(), row.end());
    most[y] = *std::max_element(row.begin(), row.end());
    for (std::int64_t& cost : row) cost -= least[y];
    worst_.push_back(most[y] - least[y]);
  }
  double bound = 0;  // only to refuse what would not fit
  double weight_bound = 0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    const auto y = static_cast<std::size_t>(labels[i]);
    bound += static_cast<double>(weight(i)) * static_cast<double>(most[y]);
    weight_bound += static_cast<double>(weight(i));
    if (bound >= 0x1p58 || weight_bound >= 0x1p58)
      throw BadInput("weights × error_costs must sum to less than 2^58: use coarser units");
    total += weight(i) * worst_[y];
    unavoidable += weight(i) * least[y];
    total_weight += weight(i);
  }
}

std::size_t bytes_of_rows(const SweepTable& table, std::size_t n_rows) {
  return n_rows * (sizeof(std::uint32_t) * (1 + table.n_columns) + sizeof(std::int32_t) +
                   (table.weights.empty() ? 0 : sizeof(std::int64_t)));
}

SweepRows all_rows(const SweepTable& table, Team* team) {
  SweepRows rows;
  const std::size_t n = table.n_rows;
  rows.rows.resize(n);
  std::iota(rows.rows.begin(), rows.rows.end(), std::uint32_t{0});
  rows.labels.assign(table.labels.begin(), table.labels.end());
  rows.weights.assign(table.weights.begin(), table.weights.end());
  for (std::size_t c = 0; c < table.n_columns; ++c) {
    const std::int32_t* ranks = table.ranks.data() + c * n;
    if (std::any_of(ranks, ranks + n, [&](std::int32_t rank) { return rank != ranks[0]; }))
      rows.columns.push_back(static_cast<std::int32_t>(c));
  }
  rows.orders.resize(n * rows.columns.size());
  for_each(team, rows.columns.size(), [&](std::size_t c) {
    std::vector<std::uint32_t> starts;
    order_by_rank(table.ranks.data() + static_cast<std::size_t>(rows.columns[c]) * n, n, starts,
                  rows.orders.data() + c * n);
  });
  add_label_costs(table, rows);
  return rows;
}

namespace {

// Rows to their parts, each in the order of places; gives each row its place there.
void divide_places(const SweepRows& from, std::span<const std::uint8_t> part_of, std::span<SweepRows> parts,
                   std::vector<std::uint32_t>& place) {
  place.resize(from.size());
  for (SweepRows& to : parts) to.rows.clear(), to.labels.clear(), to.weights.clear(), to.columns.clear();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (part_of[i] == kNoPart) continue;
    SweepRows& to = parts[part_of[i]];
    place[i] = static_cast<std::uint32_t>(to.rows.size());
    to.rows.push_back(from.rows[i]);
    to.labels.push_back(from.labels[i]);
    if (!from.weights.empty()) to.weights.push_back(from.weights[i]);
  }
}

// One column's order to the orders of the parts, from `next` on.
void divide_order(std::span<const std::uint32_t> order, const std::uint8_t* part_of,
                  const std::uint32_t* place, std::vector<std::uint32_t*>& next) {
  std::vector<std::uint32_t> rank(next.size(), 0);
  std::vector<std::uint32_t> none(next.size());
  std::vector<std::uint32_t*> last(next.size());
  for (std::size_t p = 0; p < next.size(); ++p) last[p] = &none[p];
  std::uint32_t current = 0;
  for (const std::uint32_t entry : order) {
    const std::uint32_t i = entry & kRowMask;
    if (const std::uint8_t p = part_of[i]; p != kNoPart) {
      if (rank[p] != current) *last[p] |= kEndOfRank;
      rank[p] = current;
      last[p] = next[p]++;
      *last[p] = place[i];
    }
    current += entry >> 31;
  }
  for (std::uint32_t* end : last) *end |= kEndOfRank;
}

// The same for two parts that have all rows, without a branch.
void divide_order_in_two(std::span<const std::uint32_t> order, const std::uint8_t* part_of,
                         const std::uint32_t* place, std::uint32_t** next) {
  std::uint32_t none;
  std::uint32_t* last[2] = {&none, &none};
  for (const std::uint32_t entry : order) {
    const std::uint32_t i = entry & kRowMask;
    const std::size_t p = part_of[i];
    last[p] = next[p]++;
    *last[p] = place[i];
    // A rank ends after the last of its rows that a part has, if it has any.
    *last[0] |= entry & kEndOfRank;
    *last[1] |= entry & kEndOfRank;
  }
}

// `to` has an order for each of `columns`; those that are constant in it go.
void drop_constant_columns(const SweepTable& table, std::span<const std::int32_t> columns, SweepRows& to) {
  const std::size_t n = to.size();
  for (std::size_t c = 0; n > 0 && c < columns.size(); ++c) {
    const std::uint32_t* order = to.orders.data() + c * n;
    const auto column = static_cast<std::size_t>(columns[c]);
    if (table.rank(column, to.rows[order[0] & kRowMask]) ==
        table.rank(column, to.rows[order[n - 1] & kRowMask]))
      continue;
    if (c != to.columns.size()) std::copy(order, order + n, to.orders.data() + to.columns.size() * n);
    to.columns.push_back(columns[c]);
  }
  to.orders.resize(n * to.columns.size());
}

}  // namespace

void divide(const SweepTable& table, const SweepRows& from, std::span<const std::uint8_t> part_of,
            std::span<SweepRows> parts, Team* team) {
  std::vector<std::uint32_t> place;
  divide_places(from, part_of, parts, place);
  const bool is_in_two = parts.size() == 2 && parts[0].size() + parts[1].size() == from.size();
  for (SweepRows& to : parts) to.orders.resize(to.size() * from.columns.size());
  for_each(team, from.columns.size(), [&](std::size_t c) {
    std::vector<std::uint32_t*> next;
    for (SweepRows& to : parts) next.push_back(to.orders.data() + c * to.size());
    if (is_in_two)
      divide_order_in_two(from.order(c), part_of.data(), place.data(), next.data());
    else
      divide_order(from.order(c), part_of.data(), place.data(), next);
  });
  for (SweepRows& to : parts) {
    drop_constant_columns(table, from.columns, to);
    add_label_costs(table, to);
  }
}

void mark_sides(const SweepTable& table, const SweepRows& rows, std::int32_t column, std::int32_t cut,
                std::vector<std::uint8_t>& marks) {
  marks.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    marks[i] = table.rank(static_cast<std::size_t>(column), rows.rows[i]) > cut;
}

SweepLeaf leaf_of(std::span<const std::int64_t> label_cost) {
  const auto least = std::min_element(label_cost.begin(), label_cost.end());
  return {*least, static_cast<std::int32_t>(least - label_cost.begin())};
}

}  // namespace thriftree
