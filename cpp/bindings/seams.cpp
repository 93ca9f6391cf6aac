#include "bindings/seams.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "criterion/registry.hpp"
#include "run/control.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

NodeTotals totals_from(nb::handle object) {
  NodeTotals totals;
  totals.sums = to_vector<double>(object.attr("sums"), "float64");
  totals.rows = nb::cast<std::int64_t>(object.attr("rows"));
  totals.objects = totals.rows;
  for (double s : totals.sums) totals.total += s;
  totals.weight = totals.total;
  std::size_t present = 0;
  for (double s : totals.sums) present += s > 0;
  totals.pure = present <= 1;
  return totals;
}

nb::list path_of(std::span<const PathStep> path) {
  nb::list steps;
  for (const auto& step : path) steps.append(nb::make_tuple(step.column, step.branch));
  return steps;
}

class PythonCriterion final : public Criterion {
 public:
  PythonCriterion(nb::callable function, bool numbers)
      : function_(std::move(function)),
        numbers_(numbers),
        reported_(make_criterion(numbers ? "squared_error" : "gini")) {}
  ~PythonCriterion() override {
    nb::gil_scoped_acquire gil;
    function_.reset();
  }

  bool for_numbers() const override { return numbers_; }
  double impurity(const NodeSums& node) const override { return reported_->impurity(node); }
  bool scores_in_batches() const override { return true; }

  void score_candidates(const NodeSums& node, std::span<const double> branches, std::size_t n_candidates,
                        std::size_t n_branches, double price, std::span<double> scores) const override {
    nb::gil_scoped_acquire gil;
    const std::size_t width = branches.size() / (n_candidates * n_branches);
    const nb::object result =
        function_(to_numpy<double>(node.sums.first(width)),
                  to_numpy(std::vector<double>(branches.begin(), branches.end()), {n_candidates, n_branches, width}),
                  to_numpy(std::vector<double>(n_candidates, price), {n_candidates}));
    const auto values = to_vector<double>(result, "float64");
    if (values.size() != n_candidates) {
      throw BadInput("the criterion returned " + std::to_string(values.size()) + " scores for " +
                     std::to_string(n_candidates) + " candidates: return one score per candidate");
    }
    for (std::size_t c = 0; c < n_candidates; ++c) {
      if (values[c] != values[c]) throw BadInput("the criterion returned NaN: scores must be numbers, larger is better");
      scores[c] = values[c];
    }
  }

 private:
  nb::callable function_;
  bool numbers_;
  std::unique_ptr<Criterion> reported_;  // the impurity that a tree grown by a function reports
};

// A node as a Python chooser sees it; valid during the call only.
struct NodeView {
  const NodeContext* context;
  RowStore* store;
};

class PythonChooser final : public Chooser {
 public:
  explicit PythonChooser(nb::object chooser) : chooser_(std::move(chooser)) {}
  ~PythonChooser() override {
    nb::gil_scoped_acquire gil;
    chooser_.reset();
  }

  std::vector<Chosen> choose(std::span<const NodeContext> nodes, RowStore& store, Team&) override {
    nb::gil_scoped_acquire gil;
    std::vector<Chosen> chosen(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NodeView view{&nodes[i], &store};
      const nb::object answer = chooser_.attr("choose")(nb::cast(view, nb::rv_policy::copy));
      if (!answer.is_none()) chosen[i].choice = nb::cast<Choice>(answer);
    }
    return chosen;
  }

 private:
  nb::object chooser_;
};

class PythonGrower final : public Grower {
 public:
  explicit PythonGrower(nb::object grower) : grower_(std::move(grower)) {}
  ~PythonGrower() override {
    nb::gil_scoped_acquire gil;
    grower_.reset();
  }

  std::vector<int> select(const Growth& growth) override {
    nb::gil_scoped_acquire gil;
    return nb::cast<std::vector<int>>(grower_.attr("select")(nb::cast(&growth, nb::rv_policy::reference)));
  }
  std::vector<int> collapse(const Growth& growth, std::span<const int> just_split) override {
    nb::gil_scoped_acquire gil;
    if (!nb::hasattr(grower_, "collapse")) return {};
    return nb::cast<std::vector<int>>(grower_.attr("collapse")(
        nb::cast(&growth, nb::rv_policy::reference), std::vector<int>(just_split.begin(), just_split.end())));
  }

 private:
  nb::object grower_;
};

class PythonPrices final : public PriceModel {
 public:
  explicit PythonPrices(nb::object model) : model_(std::move(model)) {}
  ~PythonPrices() override {
    nb::gil_scoped_acquire gil;
    model_.reset();
  }

  void marginal(std::span<const PathStep> path, std::span<double> prices) const override {
    nb::gil_scoped_acquire gil;
    const auto values = to_vector<double>(model_.attr("marginal")(path_of(path)), "float64");
    if (values.size() != prices.size()) throw BadInput("marginal must return one price per column");
    std::copy(values.begin(), values.end(), prices.begin());
  }

 private:
  nb::object model_;
};

class PythonStore final : public RowStore {
 public:
  explicit PythonStore(nb::object store) : store_(std::move(store)) {}
  ~PythonStore() override {
    nb::gil_scoped_acquire gil;
    store_.reset();
  }

  NodeTotals open_root() override {
    nb::gil_scoped_acquire gil;
    return totals_from(store_.attr("open_root")());
  }
  void count(std::span<const CountRequest> requests, Team&) override {
    nb::gil_scoped_acquire gil;
    nb::list nodes;
    for (const auto& request : requests) nodes.append(request.node);
    store_.attr("count")(nodes);
  }
  void runs(int node, std::uint32_t column, int, ColumnRuns& out) override {
    nb::gil_scoped_acquire gil;
    out.clear();
    const nb::object answer = store_.attr("runs")(node, column);
    out.codes = to_vector<std::uint32_t>(answer[0], "uint32");
    out.rows = to_vector<std::int64_t>(answer[1], "int64");
    out.sums = to_vector<double>(answer[2], "float64");
    const std::size_t width = out.codes.empty() ? 0 : out.sums.size() / out.codes.size();
    if (out.rows.size() != out.codes.size() || out.sums.size() != width * out.codes.size()) {
      throw BadInput("runs must return codes[m], rows[m] and sums[m, width]");
    }
    for (std::size_t i = 0; i < out.codes.size(); ++i) {
      double total = 0;
      for (std::size_t k = 0; k < width; ++k) total += out.sums[i * width + k];
      out.totals.push_back(total);
    }
  }
  std::vector<std::vector<NodeTotals>> divide(std::span<const DivideRequest> requests, Team&) override {
    nb::gil_scoped_acquire gil;
    std::vector<std::vector<NodeTotals>> result;
    for (const auto& request : requests) {
      const nb::object answer =
          store_.attr("divide")(request.node, nb::cast(*request.partition, nb::rv_policy::copy), request.first_child);
      result.emplace_back();
      for (nb::handle child : answer) result.back().push_back(totals_from(child));
      if (result.back().size() != static_cast<std::size_t>(request.partition->n_branches)) {
        throw BadInput("divide must return the totals of every branch");
      }
    }
    return result;
  }

 private:
  nb::object store_;
};

}  // namespace

std::unique_ptr<Criterion> python_criterion(nb::callable function, bool numbers) {
  return std::make_unique<PythonCriterion>(std::move(function), numbers);
}
std::unique_ptr<Chooser> python_chooser(nb::object chooser) { return std::make_unique<PythonChooser>(std::move(chooser)); }
std::unique_ptr<Grower> python_grower(nb::object grower) { return std::make_unique<PythonGrower>(std::move(grower)); }
std::unique_ptr<PriceModel> python_prices(nb::object model) { return std::make_unique<PythonPrices>(std::move(model)); }
std::unique_ptr<RowStore> python_store(nb::object store) { return std::make_unique<PythonStore>(std::move(store)); }

void register_seams(nb::module_& m) {
  nb::class_<Partition>(m, "Partition", "Which branch each code of a column takes.")
      .def(
          "__init__",
          [](Partition* self, std::uint32_t column, const std::vector<std::uint32_t>& codes,
             const std::vector<std::int32_t>& branches, std::int32_t missing, std::int32_t other) {
            if (codes.empty() || codes.size() != branches.size()) {
              throw BadInput("a partition needs one branch for each code");
            }
            new (self) Partition();
            self->column = column;
            self->last = codes;
            self->to = branches;
            self->missing = missing;
            self->other = other;
            self->n_branches = missing + 1;
            for (std::int32_t b : branches) self->n_branches = std::max(self->n_branches, b + 1);
          },
          "column"_a, "codes"_a, "branches"_a, "missing"_a = -1, "other"_a = -1,
          "A partition of the codes seen at a node (ascending; the missing code excluded) into branches 0, 1, ...")
      .def_ro("column", &Partition::column)
      .def_ro("ordered", &Partition::ordered)
      .def_ro("n_branches", &Partition::n_branches)
      .def_ro("missing", &Partition::missing)
      .def("branch_of", &Partition::branch_of, "code"_a);

  nb::class_<Choice>(m, "Choice", "A chooser's answer: a partition and what it was chosen by.")
      .def(
          "__init__",
          [](Choice* self, const Partition& partition, double score, std::optional<double> decrease) {
            new (self) Choice{partition, score, decrease.value_or(score), 1.0};
          },
          "partition"_a, "score"_a, "decrease"_a = nb::none())
      .def_ro("partition", &Choice::partition)
      .def_ro("score", &Choice::score)
      .def_ro("decrease", &Choice::decrease)
      .def_ro("price", &Choice::price);

  nb::class_<NodeView>(m, "NodeView", "A node as a chooser sees it; valid during the call only.")
      .def_prop_ro("id", [](const NodeView& v) { return v.context->node; })
      .def_prop_ro("depth", [](const NodeView& v) { return v.context->depth; })
      .def_prop_ro("rows", [](const NodeView& v) { return v.context->totals->rows; })
      .def_prop_ro("weight", [](const NodeView& v) { return v.context->totals->weight; })
      .def_prop_ro("sums", [](const NodeView& v) { return to_numpy<double>(v.context->totals->sums); })
      .def_prop_ro("columns", [](const NodeView& v) { return *v.context->columns; })
      .def_prop_ro("path", [](const NodeView& v) { return path_of(v.context->path); })
      .def(
          "runs",
          [](const NodeView& v, std::uint32_t column) {
            if (std::find(v.context->columns->begin(), v.context->columns->end(), column) == v.context->columns->end()) {
              throw nb::index_error("this column does not vary at this node");
            }
            ColumnRuns runs;
            v.store->runs(v.context->node, column, 0, runs);
            const std::size_t m = runs.codes.size(), width = m == 0 ? 0 : runs.sums.size() / m;
            return nb::make_tuple(to_numpy(std::move(runs.codes), {m}), to_numpy(std::move(runs.rows), {m}),
                                  to_numpy(std::move(runs.sums), {m, width}));
          },
          "column"_a, "codes[m], rows[m], sums[m, width] of the codes seen here, in code order.");

  nb::class_<GrowthNode>(m, "GrowthNode", "A node of a tree that is being grown.")
      .def_ro("parent", &GrowthNode::parent)
      .def_ro("branch", &GrowthNode::branch)
      .def_ro("depth", &GrowthNode::depth)
      .def_prop_ro("is_open", [](const GrowthNode& n) { return n.state == NodeState::open; })
      .def_prop_ro("rows", [](const GrowthNode& n) { return n.totals.rows; })
      .def_prop_ro("weight", [](const GrowthNode& n) { return n.totals.weight; })
      .def_prop_ro("sums", [](const GrowthNode& n) { return to_numpy<double>(n.totals.sums); })
      .def_ro("impurity", &GrowthNode::impurity)
      .def_ro("children", &GrowthNode::children)
      .def_prop_ro("choice", [](const GrowthNode& n) { return n.choice; });

  nb::class_<Growth>(m, "Growth", "A tree that is being grown: its nodes in the order they were made.")
      .def("__len__", [](const Growth& g) { return g.nodes.size(); })
      .def(
          "__getitem__",
          [](const Growth& g, std::size_t i) -> const GrowthNode& {
            if (i >= g.nodes.size()) throw nb::index_error("no such node");
            return g.nodes[i];
          },
          nb::rv_policy::reference_internal)
      .def_ro("n_leaves", &Growth::n_leaves)
      .def_ro("total", &Growth::total)
      .def("priority", [](const Growth& g, std::size_t i) {
        if (i >= g.nodes.size()) throw nb::index_error("no such node");
        return g.priority(static_cast<int>(i));
      });
}

}  // namespace thriftree::bindings
