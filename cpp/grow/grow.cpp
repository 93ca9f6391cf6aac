#include "grow/grow.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace thriftree {

namespace {

// Seconds that it takes to make a finished tree of a growth, and to free what the growth held: for each node,
// for each sum there, and for each code that a test names. About what was measured; it need not be exact.
constexpr double kSecondsPerNode = 2e-6, kSecondsPerSum = 8e-8, kSecondsPerCode = 4e-8;
// And bytes, in the growth, in the store and in the tree that is made of it.
constexpr std::size_t kBytesPerNode = 1200, kBytesPerSum = 40, kBytesPerCode = 48;

// Adds the time until it ends to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Control::Clock::now() - started_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  Control::Clock::time_point started_ = Control::Clock::now();
};

class Greedy {
 public:
  Greedy(const Loop& loop, Control& control, Team& team) : loop_(loop), control_(control), team_(team) {}

  GrowthResult run() {
    open_root();
    control_.watch_time();
    try {
      grow();
    } catch (const OutOfTime&) {  // nodes that were not finished are leaves
      result_.stopped_by = control_.was_interrupted() ? "interrupt" : "time_limit";
    } catch (const MemoryLimitReached&) {
      result_.stopped_by = "memory_limit";
    } catch (...) {
      if (!control_.keeps_after(std::current_exception())) throw;
      result_.stopped_by = "interrupt";
    }
    control_.leave_time();
    control_.release(booked_bytes_);
    growth().peek = nullptr;
    return std::move(result_);
  }

 private:
  Growth& growth() { return result_.growth; }
  GrowthNode& node(int id) { return growth().nodes[static_cast<std::size_t>(id)]; }
  // Whether another tree of the path may come to this node.
  bool is_remembered(int id) { return node(id).remembered >= 0; }

  void open_root() {
    GrowthNode root;
    root.totals = open_rows();
    root.impurity = loop_.score.impurity_of(root.totals.view());
    auto columns = std::make_shared<std::vector<std::uint32_t>>(loop_.columns.size());
    std::iota(columns->begin(), columns->end(), 0U);
    root.columns = std::move(columns);
    root.depth = loop_.start.depth;
    growth().n_leaves = 1 + loop_.start.other_leaves;
    growth().total = root.totals.total / loop_.start.growth_share;
    growth().sample_total = root.totals.weight / loop_.start.sample_share;
    if (loop_.memory) root.remembered = loop_.memory->empty() ? loop_.memory->add_root(root.totals) : 0;
    growth().nodes.push_back(std::move(root));
    growth().n_born = 1;
    growth().peek = [this](int id) {
      if (id < 0 || static_cast<std::size_t>(id) >= growth().nodes.size() || !node(id).choice ||
          node(id).state != NodeState::open)
        throw BadInput("node " + std::to_string(id) +
                       " is not open: only open nodes have a split to look at");
      return loop_.store.peek(id, node(id).choice->partition);
    };
  }

  // Where no time is left, a root that is remembered needs no rows: it stays a leaf.
  NodeTotals open_rows() {
    const bool remembered = loop_.memory && !loop_.memory->empty();
    if (remembered && control_.out_of_time()) return loop_.memory->node(0).totals;
    return loop_.store.open_root(team_);
  }

  void grow() {
    if (control_.out_of_time()) throw OutOfTime();
    const int root = 0;
    evaluate({&root, 1});
    if (node(0).state == NodeState::open) loop_.grower.opened(growth(), {&root, 1});
    for (;;) {
      const std::vector<int> selected = loop_.grower.select(growth());
      if (selected.empty()) return;
      if (control_.out_of_time()) throw OutOfTime();
      check(selected);
      const std::vector<int> divided = to_divide(selected);
      const std::vector<int> fresh = divide(divided);
      split(selected);
      evaluate(fresh);
      for (int node : divided) loop_.store.close(node);
      tell_of_children(selected);
      for (int node : loop_.grower.collapse(growth(), selected)) collapse(node);
    }
  }

  // Of these nodes, those whose children have not been made. A store that wants large batches gets the nodes
  // that may be selected soon, too.
  std::vector<int> to_divide(const std::vector<int>& selected) {
    std::vector<int> wanted;
    for (int id : selected) {
      if (node(id).ahead.empty()) wanted.push_back(id);
    }
    if (wanted.empty() || loop_.memory || loop_.store.preferred_batch_rows() != kWholeLevel) return wanted;
    for (int id : loop_.grower.soon(growth(), selected)) {
      if (std::find(wanted.begin(), wanted.end(), id) == wanted.end()) wanted.push_back(id);
    }
    return wanted;
  }

  // The children of these nodes come into the tree.
  void split(const std::vector<int>& selected) {
    for (int id : selected) {
      GrowthNode& parent = node(id);
      parent.state = NodeState::split;
      parent.children = std::exchange(parent.ahead, {});
      growth().n_leaves += static_cast<int>(parent.children.size()) - 1;
      for (int child : parent.children) node(child).born = growth().n_born++;
      n_codes_ += parent.choice->partition.to.size();
    }
    const double per_node =
        kSecondsPerNode + kSecondsPerSum * static_cast<double>(node(0).totals.sums.size());
    control_.keep_time(per_node * static_cast<double>(growth().nodes.size()) +
                       kSecondsPerCode * static_cast<double>(n_codes_));
  }

  void tell_of_children(const std::vector<int>& selected) {
    std::vector<int> opened;
    for (int id : selected) {
      for (int child : node(id).children) {
        if (node(child).state == NodeState::open) opened.push_back(child);
      }
    }
    std::sort(opened.begin(), opened.end());
    if (!opened.empty()) loop_.grower.opened(growth(), opened);
  }

  // Only open nodes can be split: a grower written by someone else gets an error, not a broken tree.
  void check(const std::vector<int>& selected) {
    std::vector<int> sorted = selected;
    std::sort(sorted.begin(), sorted.end());
    const bool twice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    for (int id : selected) {
      const bool known = id >= 0 && static_cast<std::size_t>(id) < growth().nodes.size();
      if (twice || !known || node(id).state != NodeState::open || !node(id).choice) {
        throw BadInput("a grower selected node " + std::to_string(id) +
                       ", which is not open, or selected a node twice");
      }
    }
  }

  // Moves rows to new nodes and returns their numbers.
  std::vector<int> divide(const std::vector<int>& selected) {
    std::vector<DivideRequest> requests;
    std::vector<int> first_child;
    int next = static_cast<int>(growth().nodes.size());
    const int first = next;
    for (int id : selected) {
      const Partition& partition = node(id).choice->partition;
      first_child.push_back(next);
      const bool known = is_remembered(id) && loop_.memory->children(node(id).remembered, partition);
      if (!known || loop_.memory->needs_rows(node(id).remembered, loop_.variant))
        requests.push_back({id, &partition, next, known});
      next += partition.n_branches;
    }
    book(selected, static_cast<std::size_t>(next - first));
    auto divided = [&] {
      const Stopwatch watch(result_.seconds.dividing);
      return loop_.store.divide(requests, team_);
    }();
    growth().nodes.resize(static_cast<std::size_t>(next));
    std::size_t at = 0;
    for (std::size_t i = 0; i < selected.size(); ++i) {
      const bool moved = at < requests.size() && requests[at].node == selected[i];
      add_children(selected[i], first_child[i], moved ? &divided[at++] : nullptr);
    }
    std::vector<int> fresh(static_cast<std::size_t>(next - first));
    std::iota(fresh.begin(), fresh.end(), first);
    return fresh;
  }

  // Books the memory of so many new nodes, and of the tests of their parents.
  void book(const std::vector<int>& parents, std::size_t n_children) {
    std::size_t bytes = n_children * (kBytesPerNode + kBytesPerSum * node(0).totals.sums.size());
    for (int id : parents) bytes += kBytesPerCode * node(id).choice->partition.to.size();
    control_.reserve(bytes, "the tree");
    booked_bytes_ += bytes;
  }

  // `totals` is null where no row was moved: memory has them.
  void add_children(int id, int first_child, std::vector<NodeTotals>* totals) {
    GrowthNode& parent = node(id);
    const std::vector<int>* remembered = nullptr;
    if (is_remembered(id)) {
      const Partition& partition = parent.choice->partition;
      remembered = loop_.memory->children(parent.remembered, partition);
      if (remembered) {
        totals = nullptr;
      } else if (loop_.memory->is_shared(parent.remembered, partition)) {
        remembered = &loop_.memory->add_children(parent.remembered, partition, *totals);
      }
    }
    const auto n = static_cast<std::size_t>(parent.choice->partition.n_branches);
    for (std::size_t v = 0; v < n; ++v) {
      const int child_id = first_child + static_cast<int>(v);
      parent.ahead.push_back(child_id);
      GrowthNode& child = node(child_id);
      child.parent = id;
      child.branch = static_cast<std::int32_t>(v);
      child.depth = parent.depth + 1;
      if (remembered) child.remembered = (*remembered)[v];
      child.totals = totals ? std::move((*totals)[v]) : loop_.memory->node(child.remembered).totals;
      if (child.totals.objects == 0) {
        throw BadInput("a test at node " + std::to_string(id) + " has an empty branch: it splits nothing");
      }
      child.impurity = loop_.score.impurity_of(child.totals.view());
      child.columns = parent.columns;
    }
  }

  std::vector<PathStep> path_to(int id) {
    std::vector<PathStep> path;
    for (; node(id).parent >= 0; id = node(id).parent) {
      path.push_back({node(node(id).parent).choice->partition.column, node(id).branch});
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  // Gives each new node a choice, or closes it.
  void evaluate(std::span<const int> fresh) {
    std::vector<CountRequest> requests;
    std::vector<NodeContext> contexts;
    for (int id : fresh) {
      GrowthNode& n = node(id);
      if (loop_.stop.end(n, growth()) || !loop_.chooser.may_choose(n.totals)) {
        n.state = NodeState::closed;
        if (is_remembered(id)) loop_.memory->node(n.remembered).leaf = true;
        continue;
      }
      if (is_remembered(id) && loop_.memory->node(n.remembered).counted()) {
        // Accepting narrows the columns; siblings must name the same ones, so that all follow their rows.
        if (loop_.memory->needs_rows(n.remembered, loop_.variant)) requests.push_back({id, n.columns, true});
        accept(id, loop_.memory->chosen(n.remembered, loop_.variant));
        continue;
      }
      requests.push_back({id, n.columns});
      contexts.push_back({id, n.depth, &n.totals, n.columns, {}});
      if (loop_.chooser.needs_path()) contexts.back().path = path_to(id);
    }
    if (!requests.empty()) {
      const Stopwatch watch(result_.seconds.counting);
      loop_.store.count(requests, team_);
    }
    if (!contexts.empty()) {
      const Stopwatch watch(result_.seconds.choosing);
      auto chosen = choose(contexts);
      for (std::size_t i = 0; i < contexts.size(); ++i) accept(contexts[i].node, std::move(chosen[i]));
    }
    for (int id : fresh) {
      if (node(id).state == NodeState::closed) loop_.store.close(id);
    }
  }

  std::vector<Chosen> choose(std::span<const NodeContext> contexts) {
    if (!loop_.memory) return loop_.chooser.choose(contexts, loop_.store, team_);
    ChoiceMemory& memory = *loop_.memory;
    std::vector<std::vector<int>> variants;
    for (const auto& context : contexts) {
      const int remembered = node(context.node).remembered;
      variants.push_back(remembered < 0 ? std::vector<int>{loop_.variant} : memory.node(remembered).variants);
      (remembered < 0 ? memory.rows_of_unshared : memory.rows_counted) += context.totals->rows;
    }
    auto each = memory.chooser().choose_each(contexts, variants, loop_.store, team_);
    std::vector<Chosen> chosen;
    for (std::size_t i = 0; i < contexts.size(); ++i) {
      const int id = node(contexts[i].node).remembered;
      if (id < 0) {
        chosen.push_back(std::move(each[i][0]));
        continue;
      }
      for (Chosen& one : each[i]) {
        if (one.choice) make_fit(one.choice->partition);
      }
      memory.node(id).chosen = std::move(each[i]);
      chosen.push_back(memory.chosen(id, loop_.variant));
    }
    return chosen;
  }

  // A partition of a column as that column's tests are stored.
  void make_fit(Partition& partition) const {
    if (partition.column >= loop_.columns.size())
      throw BadInput("a chooser chose a column that does not exist");
    if (loop_.columns[partition.column].kind == ColumnKind::ordered && !partition.ordered)
      partition.make_ordered();
  }

  // Opens a node with this choice, or closes it.
  void accept(int id, Chosen chosen) {
    GrowthNode& n = node(id);
    n.choice = std::move(chosen.choice);
    if (!n.choice || loop_.stop.refuse(n, growth())) {
      n.choice.reset();
      n.state = NodeState::closed;
      return;
    }
    make_fit(n.choice->partition);
    if (!chosen.constant.empty()) {
      auto remaining = std::make_shared<std::vector<std::uint32_t>>();
      std::set_difference(n.columns->begin(), n.columns->end(), chosen.constant.begin(),
                          chosen.constant.end(), std::back_inserter(*remaining));
      n.columns = std::move(remaining);
    }
  }

  // The subtree becomes a leaf for good.
  void collapse(int id) {
    if (id < 0 || static_cast<std::size_t>(id) >= growth().nodes.size()) {
      throw BadInput("a grower collapsed node " + std::to_string(id) + ", which does not exist");
    }
    if (node(id).state == NodeState::split) {
      for (int child : node(id).children) {
        collapse(child);
        --growth().n_leaves;
      }
      ++growth().n_leaves;
      node(id).children.clear();
    } else if (node(id).state == NodeState::open) {
      loop_.store.close(id);
    }
    node(id).state = NodeState::closed;
  }

  const Loop& loop_;
  Control& control_;
  Team& team_;
  GrowthResult result_;
  std::size_t n_codes_ = 0;       // named by the tests of the tree
  std::size_t booked_bytes_ = 0;  // for the nodes of the growth
};

}  // namespace

GrowthResult grow(const Loop& loop, Control& control, Team& team) {
  return Greedy(loop, control, team).run();
}

}  // namespace thriftree
