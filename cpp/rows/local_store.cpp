#include "rows/local_store.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rows/divide_rows.hpp"
#include "rows/named_statistics.hpp"
#include "table/exact_values.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kRowsPerTask = 32768;
// Nodes of at most so many rows for each sum that a code has sort them: counting codes costs more there, as
// each of their many columns has up to 255 to look at. Numbers have a bound that takes longer.
constexpr std::size_t kSortedRows = 64, kSortedRowsOfNumbers = 256;
// A batch holds about this many rows, so that small nodes share the cost of a pass and memory stays bounded.
constexpr std::int64_t kRowsPerBatch = 32768;
// Histograms of open nodes may take this much; nodes beyond it are counted column by column when they are
// looked at.
constexpr std::size_t kHistogramMemory = std::size_t{1} << 30;
// Those that nobody uses may take this much, beside them, but no more than so many of them, nor than this
// part of the memory that is left: fresh pages cost the system as much as a small node's counting.
constexpr std::size_t kSpareMemory = std::size_t{32} << 20, kSpareHistograms = 32, kSparePart = 8;
// Of this, those of nodes that wait to be divided may take this much, or as much as the table.
constexpr std::size_t kWaitingMemory = std::size_t{64} << 20;

// Of columns that are no spans rows are asked for, whatever the limits are.
bool only_spans(const Table& table) {
  return std::all_of(table.columns.begin(), table.columns.end(),
                     [](const Column& column) { return column.spans; });
}

// How far moment / weight of any row may be from y.
double rounding_of(const Target& target, const TargetHeader& header) {
  if (target.n_classes > 0 || target.n_rows == 0) return 0;
  double largest = 0;
  for (double y : target.values) largest = std::max(largest, std::abs(y - target.center));
  return moment_rounding(header, largest);
}

}  // namespace

LocalStore::LocalStore(const Table& table, const Target& target, Control& control, Team& team)
    : LocalStore(table, target, plain_statistics(target), control, team) {}

LocalStore::LocalStore(const Table& table, const Target& target, const Statistics& statistics,
                       Control& control, Team& team, bool rows_matter)
    : table_(table),
      target_(target),
      header_(target),
      control_(control),
      statistics_(statistics),
      counting_(target, statistics_, rows_matter || !only_spans(table)),
      slots_(table, target),
      n_groups_(static_cast<std::size_t>(target.n_groups())),
      rounding_(rounding_of(target, header_)),
      shared_moves_(team.size() > 1) {
  const std::size_t n = table.n_rows;
  if (table.exact) {
    // Also scratch of those who gather rows of a span: a row, its class and its span, of every row of a node.
    control_.reserve(4 * n + 9 * n * static_cast<std::size_t>(team.size()), "opening ranges of values");
    counting_.count_squares();
  }
  // A histogram is worth its clearing and reading where a node has more rows than a quarter of a column's
  // sums.
  const std::size_t groups = std::max(counting_.row_groups, counting_.weight_groups);
  histogram_from_ =
      slots_.n_columns > 0 ? slots_.n * std::max<std::size_t>(2, groups) / slots_.n_columns / 4 : 0;
  if (table.exact) {
    const std::size_t worth =
        target.n_classes == 0 ? kSortedRowsOfNumbers : kSortedRows * std::max<std::size_t>(2, groups);
    sort_up_to_ = table.exact->sorted_rows().value_or(worth);
  }
  histogram_bytes_ = Histogram::bytes_for(counting_, slots_.n);
  control_.reserve(n * 8 + n / 8, "moving rows");
  control_.reserve(counting_.numbers.size() * sizeof(NumberOfRow), "counting numbers");
  spare_memory_ = std::min(kSpareMemory, kSpareHistograms * histogram_bytes_);
  spare_memory_ = std::min(spare_memory_, (control_.memory_limit_bytes - control_.used_bytes()) / kSparePart);
  control_.reserve(spare_memory_, "counting");
  rows_.resize(n);
  moves_.right.resize((n + 63) / 64);
  if (statistics_.heavy_terms) {
    control_.reserve(n * 8, "the terms of heavy objects");
    terms_.resize(n);
  }
  presorted_ = make_presorted(table, target, control, team);
  for (int worker = 0; worker < team.size(); ++worker) small_.emplace_back(counting_);
  scratch_.resize(static_cast<std::size_t>(team.size()));
}

void LocalStore::know_rows_behind(const Objects& objects, const Target& rows) {
  objects_ = &objects;
  target_of_rows_ = &rows;
}

bool LocalStore::room_for_histograms(std::size_t n) const {
  const std::size_t bytes = n * histogram_bytes_;
  return histograms_in_use_ + bytes <= kHistogramMemory &&
         control_.used_bytes() + bytes <= control_.memory_limit_bytes;
}

std::int64_t LocalStore::preferred_batch_rows() const { return kRowsPerBatch; }

NodeTotals LocalStore::open_root(Team& team) {
  auto root = std::make_unique<Node>();
  root->end = rows_.size();
  root->class_begin.assign(n_groups_ + 1, 0);
  if (!target_.labels.empty()) {
    for (std::uint32_t label : target_.labels) ++root->class_begin[label + 1];
    std::partial_sum(root->class_begin.begin(), root->class_begin.end(), root->class_begin.begin());
    std::vector<std::uint32_t> next(root->class_begin.begin(), root->class_begin.end() - 1);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      rows_[next[target_.labels[row]]++] = static_cast<std::uint32_t>(row);
    }
  } else {
    std::iota(rows_.begin(), rows_.end(), 0U);
    root->class_begin[1] = static_cast<std::uint32_t>(rows_.size());
  }
  for (std::size_t id = 0; id < nodes_.size(); ++id) close(static_cast<int>(id));
  nodes_.clear();
  nodes_.push_back(std::move(root));
  if (!bits_) {
    bits_ = std::make_unique<BitColumns>(table_, target_, rows_, control_, team);
  } else {
    bits_->reset();
    if (presorted_) presorted_->reset(team);
  }
  node(0).whole = whole_sums(node(0), rows_.data());
  return totals(node(0), rows_.data(), true);
}

// Tells the run of this code that the dominant object is in it.
void LocalStore::set_dominant(const Node& n, std::uint32_t code, ColumnRuns& out) const {
  const auto row = static_cast<std::size_t>(n.dominant);
  const auto at = std::lower_bound(out.codes.begin(), out.codes.end(), code);
  const auto run = static_cast<std::size_t>(at - out.codes.begin());
  out.sums[run * statistics_.width() + statistics_.dominant_at()] =
      static_cast<double>(target_.growth[row]) * target_.growth_unit;
}

void LocalStore::runs(int id, std::uint32_t column, int worker, ColumnRuns& out) {
  const Node& n = node(id);
  if (presorted_ && presorted_->holds(column)) {
    presorted_->runs(column, n.begin, n.end, counting_, terms_, out);
  } else if (bits_->holds(column)) {
    bits_->runs(column, n.begin, n.class_begin, out);
  } else if (!n.histogram.empty()) {
    runs_from_histogram(n.histogram, counting_, slots_, table_, column, out);
  } else {
    small_[static_cast<std::size_t>(worker)].runs(table_, counting_, column, rows_of(n), terms_, out);
  }
  if (n.dominant >= 0) set_dominant(n, table_.code(static_cast<std::size_t>(n.dominant), column), out);
}

std::optional<RowStream> LocalStore::stream(int id, std::uint32_t column) {
  if (!in_order(node(id), column)) return {};
  RowStream stream = presorted_->stream(column, node(id).begin, node(id).end);
  if (statistics_.width() > statistics_.base || statistics_.members)
    stream.carry({&statistics_, &terms_, node(id).dominant});
  return stream;
}

Histogram LocalStore::new_histogram() {
  control_.reserve(histogram_bytes_, "counting");
  histograms_in_use_ += histogram_bytes_;
  Histogram histogram;
  if (!spare_.empty()) {
    histogram = std::move(spare_.back());
    spare_.pop_back();
  }
  histogram.allocate(counting_, slots_.n);
  return histogram;
}

void LocalStore::release_histogram(Histogram histogram) {
  control_.release(histogram_bytes_);
  histograms_in_use_ -= histogram_bytes_;
  if ((spare_.size() + 1) * histogram_bytes_ <= spare_memory_) spare_.push_back(std::move(histogram));
}

void LocalStore::drop_histogram(Node& n) {
  if (n.histogram.empty()) return;
  release_histogram(std::exchange(n.histogram, {}));
}

// Where many nodes wait, those looked at last go without: their children are then all counted.
void LocalStore::drop_waiting_histograms(std::span<const DivideRequest> requests) {
  const std::size_t used_by_others = control_.used_bytes() - histograms_in_use_;
  const std::size_t left =
      control_.memory_limit_bytes - std::min(control_.memory_limit_bytes, used_by_others);
  if (histograms_in_use_ <= std::min(left / 2, std::max(kWaitingMemory, table_.bytes()))) return;
  for (int id : counted_last_) {
    const auto& counted = nodes_[static_cast<std::size_t>(id)];
    if (!counted || counted->histogram.empty()) continue;
    const bool waits = std::none_of(requests.begin(), requests.end(),
                                    [&](const DivideRequest& request) { return request.node == id; });
    if (waits) drop_histogram(*counted);
  }
}

void LocalStore::close(int id) {
  if (static_cast<std::size_t>(id) >= nodes_.size() || !nodes_[static_cast<std::size_t>(id)]) return;
  drop_histogram(node(id));
  nodes_[static_cast<std::size_t>(id)].reset();
}

void LocalStore::count(std::span<const CountRequest> requests, Team& team) {
  if (presorted_) move_columns(requests, team);
  if (!bits_->columns().empty()) move_bits(requests, team);
  counted_last_.clear();
  for (const auto& request : requests) counted_last_.push_back(request.node);
  if (slots_.n_columns > 0) count_histograms(requests, team);
  if (table_.exact) sort_small_nodes(requests, team);
  if (slots_.n_columns > 0 && statistics_.recounted()) recount(requests, team);
}

void LocalStore::recount(std::span<const CountRequest> requests, Team& team) {
  std::vector<int> ids;
  for (const auto& request : requests) {
    if (node(request.node).histogram.empty()) continue;
    ids.push_back(request.node);
    node(request.node).histogram.clear_recounted(counting_, slots_.n);
  }
  const std::size_t n_blocks = slots_.blocks.size();
  team.run(ids.size() * n_blocks, [&](std::size_t task, int) {
    Node& n = node(ids[task / n_blocks]);
    const std::span<const std::uint32_t> rows(rows_.data() + n.begin, n.size());
    recount_block(table_, counting_, slots_, slots_.blocks[task % n_blocks], rows,
                  statistics_.heavy_weight ? std::span<const std::uint32_t>(n.heavy_rows) : rows, terms_,
                  n.histogram);
  });
}

// One child of each divided node whose children are requested: children of one node come together.
std::vector<const CountRequest*> LocalStore::one_per_parent(std::span<const CountRequest> requests) {
  std::vector<const CountRequest*> chosen;
  for (const auto& request : requests) {
    const int parent = node(request.node).parent;
    if (parent >= 0 && (chosen.empty() || node(chosen.back()->node).parent != parent))
      chosen.push_back(&request);
  }
  return chosen;
}

void LocalStore::move_bits(std::span<const CountRequest> requests, Team& team) {
  std::vector<BitMoves> moves;
  for (const CountRequest* child : one_per_parent(requests)) {
    moves.push_back(std::move(node(node(child->node).parent).bit_moves));
  }
  if (moves.empty()) return;
  const auto columns = bits_->columns();
  team.run(columns.size(), [&](std::size_t i, int) { bits_->divide(columns[i], moves); });
}

// The entries of presorted columns follow their rows only where a child is looked at again.
void LocalStore::move_columns(std::span<const CountRequest> requests, Team& team) {
  struct Move {
    std::uint32_t column;
    int parent;
  };
  std::vector<Move> moves;
  for (const CountRequest* child : one_per_parent(requests)) {  // siblings have the same columns
    for (std::uint32_t column : *child->columns) {
      const int parent = node(child->node).parent;
      if (in_order(node(parent), column)) moves.push_back({column, parent});
    }
  }
  // Small nodes share a task, so that handing out work costs little beside it.
  std::vector<std::size_t> task_begin{0};
  std::size_t rows = 0;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    rows += node(moves[i].parent).size();
    if (rows >= kRowsPerTask || i + 1 == moves.size()) {
      task_begin.push_back(i + 1);
      rows = 0;
    }
  }
  team.run(task_begin.size() - 1, [&](std::size_t task, int worker) {
    std::vector<std::size_t> ends;
    for (std::size_t i = task_begin[task]; i < task_begin[task + 1]; ++i) {
      const Node& parent = node(moves[i].parent);
      ends.clear();
      for (int child : parent.children) ends.push_back(node(child).end);
      presorted_->divide(moves[i].column, parent.begin, ends, moves_, worker);
    }
  });
}

int LocalStore::largest_child(const Node& parent) const {
  return *std::max_element(parent.children.begin(), parent.children.end(),
                           [&](int a, int b) { return node(a).size() < node(b).size(); });
}

void LocalStore::count_histograms(std::span<const CountRequest> requests, Team& team) {
  std::vector<int> direct;                 // nodes whose rows are counted
  std::vector<std::pair<int, int>> large;  // (parent, its largest child), got by subtraction
  for (const auto& request : requests) {
    if (request.follow_only) continue;
    const int id = request.node, parent = node(id).parent;
    // A large node may be counted in parts, one per thread, so there must be room for those.
    const std::size_t n_siblings = parent < 0 ? 1 : node(parent).children.size();
    if (!worth_a_histogram(node(id)) ||
        !room_for_histograms(direct.size() + n_siblings + static_cast<std::size_t>(team.size()))) {
      continue;
    }
    if (parent < 0 || node(parent).histogram.empty()) {
      direct.push_back(id);
      continue;
    }
    const auto& siblings = node(parent).children;
    const int largest = largest_child(node(parent));
    if (largest == id) {
      large.emplace_back(parent, id);
      for (int sibling : siblings) {
        if (sibling != id) direct.push_back(sibling);
      }
    } else {
      direct.push_back(id);
    }
  }
  std::sort(direct.begin(), direct.end());
  direct.erase(std::unique(direct.begin(), direct.end()), direct.end());
  count_directly(direct, team);
  team.run(large.size(), [&](std::size_t i, int) {
    Node& parent = node(large[i].first);
    Node& child = node(large[i].second);
    child.histogram = std::move(parent.histogram);
    parent.histogram = {};
    for (int sibling : parent.children) {
      if (sibling != large[i].second) child.histogram.subtract(node(sibling).histogram);
    }
  });
}

void LocalStore::count_directly(const std::vector<int>& ids, Team& team) {
  struct Part {
    int id;
    std::size_t from, to;
    Histogram histogram;
  };
  std::vector<Part> parts;
  for (int id : ids) {
    // A large node is counted in as many parts as there are threads; integers make the order of adding
    // irrelevant.
    const std::size_t size = node(id).size();
    const std::size_t n_parts = size >= 2 * kRowsPerTask ? static_cast<std::size_t>(team.size()) : 1;
    for (std::size_t p = 0; p < n_parts; ++p) {
      parts.push_back({id, size * p / n_parts, size * (p + 1) / n_parts, {}});
    }
  }
  for (auto& part : parts) part.histogram = new_histogram();
  const std::size_t n_blocks = slots_.blocks.size();
  team.run(parts.size() * n_blocks, [&](std::size_t task, int) {
    Part& part = parts[task / n_blocks];
    count_block(table_, counting_, slots_, slots_.blocks[task % n_blocks], rows_of(node(part.id)), part.from,
                part.to, part.histogram);
  });
  for (auto& part : parts) {
    Histogram& whole = node(part.id).histogram;
    if (whole.empty()) {
      whole = std::move(part.histogram);
    } else {
      whole.add(part.histogram);
      release_histogram(std::move(part.histogram));
    }
  }
}

void LocalStore::divide_node(const DivideRequest& request, int worker) {
  Node& parent = node(request.node);
  RowDivision division;
  division.rows = rows_.data() + parent.begin;
  division.class_begin = &parent.class_begin;
  if (!bits_->columns().empty()) {
    parent.bit_moves.begin = parent.begin;
    division.bit_moves = &parent.bit_moves;
  }
  const bool entries_follow = presorted_ && (!table_.wide.empty() || parent.sorted);
  divide_rows(table_, *request.partition, entries_follow ? &moves_ : nullptr, shared_moves_,
              scratch_[static_cast<std::size_t>(worker)], division);
  std::size_t position = parent.begin;
  for (std::size_t v = 0; v < division.branch_class_begin.size(); ++v) {
    const int id = request.first_child + static_cast<int>(v);
    Node& child = node(id);
    child.parent = request.node;
    child.sorted = parent.sorted;
    child.class_begin = std::move(division.branch_class_begin[v]);
    child.begin = position;
    child.end = position + child.class_begin.back();
    position = child.end;
    parent.children.push_back(id);
  }
}

std::vector<std::vector<NodeTotals>> LocalStore::divide(std::span<const DivideRequest> requests, Team& team) {
  drop_waiting_histograms(requests);
  std::size_t n_nodes = nodes_.size();
  for (const auto& request : requests) {
    n_nodes =
        std::max(n_nodes, static_cast<std::size_t>(request.first_child + request.partition->n_branches));
    if (presorted_ && request.partition->n_branches > 2) moves_.branch.resize(table_.n_rows);
  }
  const std::size_t old = nodes_.size();
  nodes_.resize(n_nodes);
  for (std::size_t i = old; i < n_nodes; ++i) nodes_[i] = std::make_unique<Node>();
  std::vector<std::vector<NodeTotals>> result(requests.size());
  team.run(requests.size(), [&](std::size_t i, int worker) {
    divide_node(requests[i], worker);
    const Node& parent = node(requests[i].node);
    const int largest = largest_child(parent);
    for (int child : parent.children) {
      if (child != largest) node(child).whole = whole_sums(node(child), rows_.data() + node(child).begin);
    }
    leave_to_largest(parent, node(largest));
    for (int child : parent.children) {
      result[i].push_back(totals(node(child), rows_.data() + node(child).begin, !requests[i].totals_known));
    }
  });
  return result;
}

}  // namespace thriftree
