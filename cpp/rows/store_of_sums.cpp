#include "rows/store_of_sums.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "run/control.hpp"

namespace thriftree {

namespace {

std::string place_of(int node) { return "node " + std::to_string(node); }

}  // namespace

StoreOfSums::StoreOfSums(SumSource& source, const std::vector<Column>& columns, NamedStatistics statistics,
                         std::int64_t root_weight)
    : source_(source), columns_(columns), statistics_(std::move(statistics)), root_weight_(root_weight) {
  source_.prepare(statistics_);
}

void StoreOfSums::open_spans(const Statistics& kept, const TargetHeader& target) {
  spans_.emplace(source_, columns_, statistics_, kept, target);
}

void StoreOfSums::tell_cut(int id, const Partition& partition) {
  if (!spans_ || !partition.cut || partition.last[0] != partition.next[0]) return;
  source_.tell_cut(id, spans_->sums_up_to(id, partition.column, partition.last[0], partition.cut->low));
}

StoreOfSums::Node& StoreOfSums::node(int id) {
  const auto at = nodes_.find(id);
  if (at == nodes_.end()) throw BadInput(place_of(id) + " is not known to the row store, or was closed");
  return at->second;
}

void StoreOfSums::check(const SummedNodes& answer, std::size_t n) const {
  const std::size_t wanted = n * statistics_.of_node.size();
  if (answer.sums.size() != wanted) {
    throw BadInput("a row store answered " + std::to_string(answer.sums.size()) + " sums for " +
                   std::to_string(n) + " nodes: totals have " + std::to_string(statistics_.of_node.size()) +
                   " sums each, one per statistic");
  }
  if (statistics_.ranges && (answer.least.size() != n || answer.greatest.size() != n))
    throw BadInput("totals of numbers need the least and the greatest target of every node");
}

NodeTotals StoreOfSums::open_root(Team&) {
  const SummedNodes answer = source_.open_root(root_weight_);
  check(answer, 1);
  nodes_.clear();
  closed_.clear();
  if (spans_) spans_->clear();
  const double least = statistics_.ranges ? answer.least[0] : 0;
  const double greatest = statistics_.ranges ? answer.greatest[0] : 0;
  NodeTotals totals = statistics_.totals(answer.sums, least, greatest);
  if (totals.objects < 1) throw BadInput("the root that a row store opened has no rows");
  nodes_[0] = {totals.objects, totals.rows, root_weight_, nullptr, 0};
  return totals;
}

std::vector<std::int64_t> StoreOfSums::weights_of(std::span<const int> nodes) {
  std::vector<std::int64_t> weights;
  for (int id : nodes) {
    if (statistics_.terms) weights.push_back(node(id).weight);
  }
  return weights;
}

void StoreOfSums::count(std::span<const CountRequest> requests, Team&) {
  std::vector<int> nodes;
  std::set<std::uint32_t> varying;
  for (const auto& request : requests) {
    // What is only followed need not be counted, unless the weights of its branches will be asked for.
    if (request.follow_only && !statistics_.terms) continue;
    nodes.push_back(request.node);
    varying.insert(request.columns->begin(), request.columns->end());
  }
  if (nodes.empty()) return;
  const std::vector<std::uint32_t> columns(varying.begin(), varying.end());
  const auto batch = std::make_shared<Batch>();
  for (std::uint32_t column : columns) {
    batch->first_slot[column] = batch->n_slots;
    batch->n_slots += columns_[column].n_codes;
  }
  batch->sums = source_.count(nodes, columns, weights_of(nodes));
  const std::size_t width = statistics_.of_code.size();
  if (batch->sums.size() != nodes.size() * batch->n_slots * width) {
    throw BadInput("count must return " + std::to_string(nodes.size()) + " x " +
                   std::to_string(batch->n_slots) + " x " + std::to_string(width) +
                   " sums (nodes, codes of all columns, statistics), not " +
                   std::to_string(batch->sums.size()));
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Node& n = node(nodes[i]);
    n.batch = batch;
    n.place = i;
    for (std::uint32_t column : columns) {
      std::int64_t counted = 0;
      const auto sums = sums_of(nodes[i], column);
      for (std::size_t at = 0; at < sums.size(); at += width) counted += sums[at];
      if (counted != n.counted) {
        throw BadInput("count of " + place_of(nodes[i]) + " found " + std::to_string(counted) + " of " +
                       std::to_string(n.counted) + " rows in column " + std::to_string(column) +
                       ": every row has one code");
      }
      if (spans_ && columns_[column].spans) spans_->set_counted(nodes[i], column, sums);
    }
  }
}

std::span<const std::int64_t> StoreOfSums::sums_of(int id, std::uint32_t column) {
  const Node& n = node(id);
  if (!n.batch || !n.batch->first_slot.contains(column))
    throw BadInput("column " + std::to_string(column) + " was not counted at " + place_of(id));
  const std::size_t slot = n.batch->first_slot.at(column);
  const std::size_t width = statistics_.of_code.size();
  return std::span(n.batch->sums)
      .subspan((n.place * n.batch->n_slots + slot) * width, columns_[column].n_codes * width);
}

void StoreOfSums::runs(int id, std::uint32_t column, int, ColumnRuns& out) {
  const auto sums = sums_of(id, column);
  statistics_.set_runs(sums, out);
  // Columns that rows of this process would be read in order of add up in fixed point there, too.
  if (columns_[column].n_codes > kByteCodes) statistics_.set_exact(sums, out);
}

bool StoreOfSums::product_runs(int id, std::span<const std::uint32_t> columns, ColumnRuns& out) {
  const auto sums = source_.count_combinations(id, columns, node(id).weight);
  if (sums.size() % statistics_.of_code.size() != 0)
    throw BadInput("count_combinations must return all statistics of each combination");
  statistics_.set_runs(sums, out);
  return out.codes.size() > 1;
}

void StoreOfSums::add_branch_weights(int id, const Partition& partition, std::vector<std::int64_t>& weights) {
  if (!statistics_.terms) return;
  const Column& column = columns_[partition.column];
  const std::size_t width = statistics_.of_code.size(), first = weights.size();
  weights.resize(first + static_cast<std::size_t>(partition.n_branches), 0);
  const auto sums = sums_of(id, partition.column);
  for (std::uint32_t code = 0; code < column.n_codes; ++code) {
    const auto one = sums.subspan(code * width, width);
    if (one[0] == 0) continue;
    const std::int32_t branch =
        column.has_missing && code + 1 == column.n_codes ? partition.missing : partition.branch_of(code);
    if (branch < 0)
      throw BadInput("a test of column " + std::to_string(partition.column) + " has no branch for code " +
                     std::to_string(code) + ", which " + place_of(id) + " has");
    weights[first + static_cast<std::size_t>(branch)] += statistics_.weight_of(one);
  }
}

std::vector<NodeTotals> StoreOfSums::branches(int id, const Partition& partition, const SummedNodes& answer,
                                              std::size_t at) const {
  const std::size_t width = statistics_.of_node.size();
  std::vector<NodeTotals> totals;
  std::int64_t moved = 0;
  for (std::size_t v = 0; v < static_cast<std::size_t>(partition.n_branches); ++v, ++at) {
    totals.push_back(statistics_.totals(std::span(answer.sums).subspan(at * width, width),
                                        statistics_.ranges ? answer.least[at] : 0,
                                        statistics_.ranges ? answer.greatest[at] : 0));
    moved += totals.back().objects;
  }
  const std::int64_t objects = nodes_.at(id).objects;
  if (moved != objects) {
    throw BadInput("divide of " + place_of(id) + " returned " + std::to_string(moved) + " rows of " +
                   std::to_string(objects) + ": every row has one branch");
  }
  return totals;
}

std::vector<std::vector<NodeTotals>> StoreOfSums::divide(std::span<const DivideRequest> requests, Team&) {
  if (requests.empty()) return {};
  if (!closed_.empty()) source_.close(closed_);
  closed_.clear();
  std::vector<std::int64_t> weights;
  std::size_t n = 0;
  for (const auto& request : requests) {
    add_branch_weights(request.node, *request.partition, weights);
    tell_cut(request.node, *request.partition);
    n += static_cast<std::size_t>(request.partition->n_branches);
  }
  const SummedNodes answer = source_.divide(requests, weights);
  check(answer, n);
  std::vector<std::vector<NodeTotals>> result;
  std::size_t at = 0;
  for (const auto& request : requests) {
    result.push_back(branches(request.node, *request.partition, answer, at));
    for (std::size_t v = 0; v < result.back().size(); ++v, ++at) {
      const NodeTotals& child = result.back()[v];
      nodes_[request.first_child + static_cast<int>(v)] = {child.objects, child.rows,
                                                           statistics_.terms ? weights[at] : 0, nullptr, 0};
    }
  }
  return result;
}

std::vector<NodeTotals> StoreOfSums::peek(int id, const Partition& partition) {
  std::vector<std::int64_t> weights;
  add_branch_weights(id, partition, weights);
  tell_cut(id, partition);
  const SummedNodes answer = source_.peek(id, partition, weights);
  check(answer, static_cast<std::size_t>(partition.n_branches));
  return branches(id, partition, answer, 0);
}

void StoreOfSums::close(int id) {
  if (nodes_.erase(id) > 0) closed_.push_back(id);
  if (spans_) spans_->close(id);
}

}  // namespace thriftree
