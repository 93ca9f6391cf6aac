// The classes that parts written in Python get and give: partitions, choices, and views of nodes and growths.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/borrowed_view.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

constexpr std::int32_t kMostBranches =
    1 << 24;  // a guard against an absurd number, which would take all memory

}  // namespace

void register_seams(nb::module_& m) {
  nb::class_<Partition>(m, "Partition", "Which branch each code of a column takes.")
      .def(
          "__init__",
          [](Partition* self, std::uint32_t column, const std::vector<std::uint32_t>& codes,
             const std::vector<std::int32_t>& branches, std::int32_t missing, std::int32_t other) {
            if (codes.empty() || codes.size() != branches.size()) {
              throw BadInput("a partition needs one branch for each code");
            }
            const std::int32_t most = std::max(missing, *std::max_element(branches.begin(), branches.end()));
            const std::int32_t least = *std::min_element(branches.begin(), branches.end());
            if (least < 0 || missing < -1 || other < -1 || other > most || most >= kMostBranches) {
              throw BadInput("branches must be numbered 0, 1, ...; missing and other are one of them, or -1");
            }
            new (self) Partition();
            self->column = column;
            self->last = codes;
            self->to = branches;
            self->missing = missing;
            self->other = other;
            self->n_branches = most + 1;
          },
          "column"_a, "codes"_a, "branches"_a, "missing"_a = -1, "other"_a = -1,
          "A partition of the codes seen at a node (ascending; the missing code excluded) into branches 0, "
          "1, ...")
      .def_ro("column", &Partition::column)
      .def_ro("ordered", &Partition::ordered)
      .def_ro("n_branches", &Partition::n_branches)
      .def_ro("missing", &Partition::missing)
      .def(
          "branches",
          [](const Partition& p, const Vector<std::uint32_t>& codes,
             std::optional<std::uint32_t> missing_code) {
            std::vector<std::int32_t> to(codes.size());
            for (std::size_t i = 0; i < to.size(); ++i) {
              const std::uint32_t code = codes.data()[i];
              to[i] = missing_code && code == *missing_code ? p.missing : p.branch_of(code);
            }
            return to_numpy(std::move(to));
          },
          "codes"_a, "missing_code"_a = nb::none(),
          "The branch of each code; -1 where the node had no such code.")
      .def("__getstate__",
           [](const Partition& p) {
             using Cut = std::optional<std::pair<double, double>>;
             const Cut cut = p.cut ? Cut({p.cut->low, p.cut->high}) : Cut();
             return std::make_tuple(p.column, p.ordered, p.n_branches, p.last, p.next, p.to, cut, p.missing,
                                    p.other);
           })
      .def("__setstate__",
           [](Partition& self,
              const std::tuple<std::uint32_t, bool, int, std::vector<std::uint32_t>,
                               std::vector<std::uint32_t>, std::vector<std::int32_t>,
                               std::optional<std::pair<double, double>>, std::int32_t, std::int32_t>& state) {
             new (&self) Partition();
             std::optional<std::pair<double, double>> cut;
             std::tie(self.column, self.ordered, self.n_branches, self.last, self.next, self.to, cut,
                      self.missing, self.other) = state;
             if (cut) self.cut = ValueCut{cut->first, cut->second};
           });

  nb::class_<Choice>(m, "Choice", "A chooser's answer: a partition and what it was chosen by.")
      .def(
          "__init__",
          [](Choice* self, const Partition& partition, double score, std::optional<double> decrease,
             double price) {
            const double given = decrease.value_or(score);
            if (std::isnan(score) || std::isnan(given)) {
              throw BadInput("a choice's score and decrease must be numbers");
            }
            new (self) Choice{partition, score, given, price};
          },
          "partition"_a, "score"_a, "decrease"_a = nb::none(), "price"_a = 1.0,
          "The decrease, by default the score, sets the node's priority.")
      .def_ro("partition", &Choice::partition)
      .def_ro("score", &Choice::score)
      .def_ro("decrease", &Choice::decrease)
      .def_ro("price", &Choice::price);

  nb::class_<NodeView>(m, "NodeView", "A node as a chooser sees it; a borrowed view, valid during the call.")
      .def_prop_ro("id", [](const NodeView& v) { return v.get().context.node; })
      .def_prop_ro("depth", [](const NodeView& v) { return v.get().context.depth; })
      .def_prop_ro("rows", [](const NodeView& v) { return v.get().context.totals->rows; })
      .def_prop_ro("weight", [](const NodeView& v) { return v.get().context.totals->weight; })
      .def_prop_ro(
          "sums", [](const NodeView& v) { return to_numpy<double>(v.get().context.totals->sums); },
          nb::rv_policy::automatic)
      .def_prop_ro("columns", [](const NodeView& v) { return *v.get().context.columns; })
      .def_prop_ro(
          "path", [](const NodeView& v) { return path_of(v.get().context.path); },
          nb::for_getter(nb::sig("def path(self) -> list[tuple[int, int]]")),
          "(column, branch) pairs, root first.")
      .def(
          "runs",
          [](const NodeView& v, std::uint32_t column) {
            const NodeInStore& node = v.get();
            const auto& columns = *node.context.columns;
            if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
              throw nb::index_error("this column does not vary at this node");
            }
            ColumnRuns runs;
            node.store.runs(node.context.node, column, 0, runs);
            const std::size_t m = runs.codes.size(), width = m == 0 ? 0 : runs.sums.size() / m;
            return nb::make_tuple(to_numpy(std::move(runs.codes), {m}), to_numpy(std::move(runs.rows), {m}),
                                  to_numpy(std::move(runs.sums), {m, width}));
          },
          "column"_a,
          nb::sig("def runs(self, column: int) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64]]"),
          "codes[m], rows[m], sums[m, width] of the codes seen here, in code order.")
      .def(
          "runs_of",
          [](const NodeView& v, const std::vector<std::uint32_t>& columns) {
            const NodeInStore& node = v.get();
            std::vector<std::uint32_t> varying(*node.context.columns);
            std::sort(varying.begin(), varying.end());
            ColumnRuns all, runs;
            std::vector<std::int64_t> begin{0};
            for (const std::uint32_t column : columns) {
              if (!std::binary_search(varying.begin(), varying.end(), column))
                throw nb::index_error("this column does not vary at this node");
              runs.clear();
              node.store.runs(node.context.node, column, 0, runs);
              all.codes.insert(all.codes.end(), runs.codes.begin(), runs.codes.end());
              all.rows.insert(all.rows.end(), runs.rows.begin(), runs.rows.end());
              all.sums.insert(all.sums.end(), runs.sums.begin(), runs.sums.end());
              begin.push_back(static_cast<std::int64_t>(all.codes.size()));
            }
            const std::size_t m = all.codes.size(), width = m == 0 ? 0 : all.sums.size() / m;
            return nb::make_tuple(to_numpy(std::move(begin)), to_numpy(std::move(all.codes), {m}),
                                  to_numpy(std::move(all.rows), {m}),
                                  to_numpy(std::move(all.sums), {m, width}));
          },
          "columns"_a,
          nb::sig("def runs_of(self, columns: collections.abc.Sequence[int]) -> "
                  "tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint32], "
                  "numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64]]"),
          "begin[c + 1], and the runs of these columns one after the other: those of the i-th are from "
          "begin[i] "
          "up to\nbegin[i + 1].");

  using NodeOf = GrowthNodeView;
  nb::class_<NodeOf>(m, "GrowthNode",
                     "A node of a tree that is being grown; a borrowed view, valid during the call.")
      .def_prop_ro("parent", [](const NodeOf& n) { return n.get().parent; })
      .def_prop_ro("branch", [](const NodeOf& n) { return n.get().branch; })
      .def_prop_ro("depth", [](const NodeOf& n) { return n.get().depth; })
      .def_prop_ro("is_open", [](const NodeOf& n) { return n.get().state == NodeState::open; })
      .def_prop_ro("rows", [](const NodeOf& n) { return n.get().totals.rows; })
      .def_prop_ro("weight", [](const NodeOf& n) { return n.get().totals.weight; })
      .def_prop_ro(
          "sums", [](const NodeOf& n) { return to_numpy<double>(n.get().totals.sums); },
          nb::rv_policy::automatic)
      .def_prop_ro("impurity", [](const NodeOf& n) { return n.get().impurity; })
      .def_prop_ro("children", [](const NodeOf& n) { return n.get().children; })
      .def_prop_ro("choice", [](const NodeOf& n) { return n.get().choice; });

  const auto check_index = [](const GrowthView& g, std::size_t i) {
    if (i >= g.get().nodes.size()) throw nb::index_error("no such node");
  };
  nb::class_<GrowthView>(m, "Growth",
                         "A tree that is being grown, nodes in the order they were made; a borrowed view, "
                         "valid during the call.")
      .def("__len__", [](const GrowthView& g) { return g.get().nodes.size(); })
      .def(
          "__getitem__",
          [check_index](const GrowthView& g, std::size_t i) {
            check_index(g, i);
            return GrowthNodeView{g, i};
          },
          "node"_a)
      .def_prop_ro("n_leaves", [](const GrowthView& g) { return g.get().n_leaves; })
      .def_prop_ro("total", [](const GrowthView& g) { return g.get().total; })
      .def(
          "priority",
          [check_index](const GrowthView& g, std::size_t i) {
            check_index(g, i);
            return g.get().priority(static_cast<int>(i));
          },
          "node"_a, "The share of the weight that the node has, times the decrease of its choice.")
      .def(
          "peek",
          [](const GrowthView& g, int node) {
            const auto branches = g.get().peek(node);
            const std::size_t n = branches.size(), width = branches.empty() ? 0 : branches[0].sums.size();
            std::vector<std::int64_t> rows;
            std::vector<double> weight, sums;
            for (const NodeTotals& branch : branches) {
              rows.push_back(branch.rows);
              weight.push_back(branch.weight);
              sums.insert(sums.end(), branch.sums.begin(), branch.sums.end());
            }
            return nb::make_tuple(to_numpy(std::move(rows), {n}), to_numpy(std::move(weight), {n}),
                                  to_numpy(std::move(sums), {n, width}));
          },
          "node"_a,
          nb::sig("def peek(self, node: int) -> tuple[numpy.typing.NDArray[numpy.int64], "
                  "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
          "rows[m], weight[m] and sums[m, width] of the children that an open node would have; no row "
          "moves.");
}

}  // namespace thriftree::bindings
