#include "bindings/seams.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "bindings/arrays.hpp"
#include "bindings/borrowed_view.hpp"
#include "criterion/impurity_registry.hpp"
#include "run/control.hpp"

namespace nb = nanobind;

namespace thriftree::bindings {

namespace {

// A function of one's own; the tree reports the impurity that is usual for its target.
class PythonScore final : public Score, public BatchScoring {
 public:
  PythonScore(nb::callable function, const TargetHeader& target)
      : Score(make_impurity(target.n_classes == 0 ? "squared_error" : "gini"), plain_statistics(target)),
        function_(std::move(function)) {}
  ~PythonScore() override {
    nb::gil_scoped_acquire gil;
    function_.reset();
  }

  const BatchScoring* batch_scoring() const override { return this; }
  // What a split is worth where nobody asks the function.
  double decrease(const NodeSums& node, const BranchSums& branches) const override {
    return impurity_decrease(node, branches);
  }

  void score_candidates(const NodeSums& node, std::span<const double> branches, std::size_t n_candidates,
                        std::size_t n_branches, double price, std::span<double> scores) const override {
    nb::gil_scoped_acquire gil;
    const std::size_t width = branches.size() / (n_candidates * n_branches);
    const nb::object result = function_(
        to_numpy<double>(node.sums.first(width)),
        to_numpy(std::vector<double>(branches.begin(), branches.end()), {n_candidates, n_branches, width}),
        to_numpy(std::vector<double>(n_candidates, price), {n_candidates}));
    const auto values = to_vector<double>(result, "float64");
    if (values.size() != n_candidates) {
      throw BadInput("the criterion returned " + std::to_string(values.size()) + " scores for " +
                     std::to_string(n_candidates) + " candidates: return one score per candidate");
    }
    for (std::size_t c = 0; c < n_candidates; ++c) {
      if (values[c] != values[c])
        throw BadInput("the criterion returned NaN: scores must be numbers, larger is better");
      scores[c] = values[c];
    }
  }

 private:
  nb::callable function_;
};

// A partition from Python, checked against the column it is for, so that dividing by it is safe.
void check_partition(const Partition& partition, std::span<const Column> columns) {
  const auto refuse = [&](const std::string& what) {
    throw BadInput("a chooser's partition of column " + std::to_string(partition.column) + " " + what);
  };
  if (partition.column >= columns.size()) refuse("is of a column that the table does not have");
  if (partition.n_branches < 2) refuse("has one branch: it splits nothing");
  const std::uint32_t n_known = columns[partition.column].n_known();
  for (std::size_t i = 0; i < partition.last.size(); ++i) {
    if (partition.last[i] >= n_known)
      refuse("names code " + std::to_string(partition.last[i]) + ", which is no value's");
    if (i > 0 && partition.last[i] <= partition.last[i - 1]) refuse("must name its codes in ascending order");
  }
}

class PythonChooser final : public Chooser {
 public:
  PythonChooser(nb::object chooser, std::span<const Column> columns)
      : chooser_(std::move(chooser)), columns_(columns) {}
  ~PythonChooser() override {
    nb::gil_scoped_acquire gil;
    chooser_.reset();
  }

  std::vector<Chosen> choose(std::span<const NodeContext> nodes, RowStore& store, Team&) override {
    nb::gil_scoped_acquire gil;
    std::vector<Chosen> chosen(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NodeInStore node{nodes[i], store};
      const NodeView view(node);
      const EndOfView<NodeInStore> end{view};
      const nb::object answer = ask(view);
      if (answer.is_none()) continue;
      chosen[i].choice = answer_as<Choice>(answer, "choose must return a Choice, or None");
      check_partition(chosen[i].choice->partition, columns_);
    }
    return chosen;
  }

 private:
  // A chooser ends the growth at a limit by the error of Python that says so.
  nb::object ask(const NodeView& view) const {
    try {
      return chooser_.attr("choose")(view);
    } catch (const nb::python_error& error) {
      if (error.matches(PyExc_TimeoutError)) throw OutOfTime();
      if (error.matches(PyExc_MemoryError)) throw MemoryLimitReached(error.what());
      throw;
    }
  }

  nb::object chooser_;
  std::span<const Column> columns_;
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
    const GrowthView view(growth);
    const EndOfView<Growth> end{view};
    return answer_as<std::vector<int>>(grower_.attr("select")(view), "select must return a list of nodes");
  }
  std::vector<int> collapse(const Growth& growth, std::span<const int> just_split) override {
    nb::gil_scoped_acquire gil;
    if (!nb::hasattr(grower_, "collapse")) return {};
    const GrowthView view(growth);
    const EndOfView<Growth> end{view};
    const nb::object answer =
        grower_.attr("collapse")(view, std::vector<int>(just_split.begin(), just_split.end()));
    return answer_as<std::vector<int>>(answer, "collapse must return a list of nodes");
  }

 private:
  nb::object grower_;
};

class PythonPrices final : public PriceModel {
 public:
  PythonPrices(nb::object model, bool divide) : model_(std::move(model)), divide_(divide) {}
  ~PythonPrices() override {
    nb::gil_scoped_acquire gil;
    model_.reset();
  }

  void marginal(std::span<const PathStep> path, std::span<double> prices) const override {
    nb::gil_scoped_acquire gil;
    const auto values = to_vector<double>(model_.attr("marginal")(path_of(path)), "float64");
    if (values.size() != prices.size()) throw BadInput("marginal must return one price per column");
    check_prices(values, divide_);
    std::copy(values.begin(), values.end(), prices.begin());
  }

 private:
  nb::object model_;
  bool divide_;  // scores will be divided by these prices
};

}  // namespace

std::unique_ptr<Score> python_score(nb::callable function, const TargetHeader& target) {
  return std::make_unique<PythonScore>(std::move(function), target);
}
std::unique_ptr<Chooser> python_chooser(nb::object chooser, std::span<const Column> columns) {
  return std::make_unique<PythonChooser>(std::move(chooser), columns);
}
std::unique_ptr<Grower> python_grower(nb::object grower) {
  return std::make_unique<PythonGrower>(std::move(grower));
}
std::unique_ptr<PriceModel> python_prices(nb::object model, bool divide) {
  return std::make_unique<PythonPrices>(std::move(model), divide);
}

}  // namespace thriftree::bindings
