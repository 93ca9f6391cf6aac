// The tree in Python: read-only arrays, a validating constructor, native prediction.
#include "tree/tree.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <string>
#include <utility>

#include "bindings/arrays.hpp"
#include "bindings/buffers.hpp"
#include "bindings/control.hpp"
#include "bindings/tree_structure.hpp"
#include "run/team.hpp"
#include "tree/predict.hpp"
#include "tree/shape.hpp"
#include "tree/validate.hpp"

namespace nb = nanobind;

namespace thriftree::bindings {
namespace {

template <typename T>
using View = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;

template <typename T>
void add_view(nb::class_<Tree>& cls, const char* name, std::vector<T> Tree::* array, const char* doc) {
  cls.def_prop_ro(
      name,
      [array](nb::handle_t<Tree> self) {
        const std::vector<T>& v = nb::cast<const Tree&>(self).*array;
        return View<T>(v.data(), {v.size()}, self);
      },
      doc);
}

InputType input_type(const std::string& type, const std::string& name, bool codes_allowed) {
  if (type == "f4") return InputType::float32;
  if (type == "f8") return InputType::float64;
  if (type == "i4" && codes_allowed) return InputType::code;
  throw BadInput(name + (codes_allowed ? " must be of dtype float32, float64 or int32 (codes)"
                                       : " must be of dtype float32 or float64"));
}

// What a prediction reads, and the buffers that keep it alive. Destroy with the GIL held.
struct HeldInputs {
  std::vector<Buffer> buffers;
  Inputs inputs;
};

HeldInputs read_matrix(nb::handle matrix) {
  HeldInputs held;
  const Buffer& buffer = held.buffers.emplace_back(matrix.ptr(), "the input");
  if (buffer.ndim() != 2) throw BadInput("the input must be a two-dimensional array or a list of columns");
  const InputType type = input_type(buffer.type(), "the input", false);
  held.inputs.n_rows = buffer.size(0);
  for (std::size_t c = 0; c < buffer.size(1); ++c) {
    const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(c) * buffer.stride(1);
    held.inputs.columns.push_back({buffer.data() + offset, buffer.stride(0), type});
  }
  return held;
}

HeldInputs read_columns(nb::sequence columns) {
  HeldInputs held;
  for (nb::handle column : columns) {
    const std::string name = "column " + std::to_string(held.buffers.size()) + " of the input";
    const Buffer& buffer = held.buffers.emplace_back(column.ptr(), name);
    if (buffer.ndim() != 1) throw BadInput(name + " must be one-dimensional");
    if (held.buffers.size() == 1) held.inputs.n_rows = buffer.size(0);
    if (buffer.size(0) != held.inputs.n_rows)
      throw BadInput(name + " has " + std::to_string(buffer.size(0)) + " rows, the first column " +
                     std::to_string(held.inputs.n_rows));
    held.inputs.columns.push_back({buffer.data(), buffer.stride(0), input_type(buffer.type(), name, true)});
  }
  if (held.buffers.empty()) throw BadInput("the input has no columns, so its rows cannot be counted");
  return held;
}

// Columns that are made when they are asked for (thriftree/table/sparse.py): those that the tree tests.
HeldInputs read_tested(const Tree& tree, nb::handle columns) {
  static constexpr double untested = 0;
  HeldInputs held;
  held.inputs.n_rows = nb::cast<std::size_t>(columns.attr("n_rows"));
  held.inputs.columns.assign(nb::len(columns),
                             {reinterpret_cast<const std::byte*>(&untested), 0, InputType::float64});
  std::vector<bool> read(held.inputs.columns.size());
  for (const std::int32_t c : tree.column) {
    if (c < 0 || static_cast<std::size_t>(c) >= read.size() || read[static_cast<std::size_t>(c)]) continue;
    const auto at = static_cast<std::size_t>(c);
    const std::string name = "column " + std::to_string(c) + " of the input";
    const nb::object column = columns[c];
    const Buffer& buffer = held.buffers.emplace_back(column.ptr(), name);
    if (buffer.ndim() != 1 || buffer.size(0) != held.inputs.n_rows)
      throw BadInput(name + " must have one dimension and a value for each row");
    held.inputs.columns[at] = {buffer.data(), buffer.stride(0), input_type(buffer.type(), name, true)};
    read[at] = true;
  }
  return held;
}

HeldInputs read_inputs(const Tree& tree, nb::handle inputs) {
  if (nb::hasattr(inputs, "n_rows")) return read_tested(tree, inputs);
  const bool columns = nb::isinstance<nb::list>(inputs) || nb::isinstance<nb::tuple>(inputs);
  return columns ? read_columns(nb::borrow<nb::sequence>(inputs)) : read_matrix(inputs);
}

// Runs work(inputs, team) with the GIL released.
template <typename Work>
auto with_inputs(const Tree& tree, nb::handle inputs, int n_threads, const Work& work) {
  const HeldInputs held = read_inputs(tree, inputs);
  const std::size_t tasks = held.inputs.n_rows / kRowsPerTask + 1;
  const auto control = make_control(n_threads);
  control->n_threads = static_cast<int>(std::min<std::size_t>(control->n_threads, tasks));
  nb::gil_scoped_release released;
  Team team(*control);
  return work(held.inputs, team);
}

template <typename Out, typename Predict>
Array<Out> per_row(const Tree& tree, nb::handle inputs, int n_threads, const Predict& predict) {
  return to_numpy(with_inputs(tree, inputs, n_threads, [&](const Inputs& rows, Team& team) {
    std::vector<Out> out(rows.n_rows);
    predict(rows, team, std::span<Out>(out));
    return out;
  }));
}

Tree from_arrays(std::int32_t n_columns, std::int32_t n_classes, nb::handle parent, nb::handle kind,
                 nb::handle column, nb::handle missing, nb::handle other, nb::handle child_begin,
                 nb::handle children, nb::handle key_begin, nb::handle keys, nb::handle to_begin,
                 nb::handle to, nb::handle rows, nb::handle objects, nb::handle weight, nb::handle value,
                 nb::handle impurity, nb::handle score, nb::handle label) {
  const auto held = [](nb::handle array) { return nb::borrow(array); };
  Tree tree =
      read_structure({held(parent), held(kind), held(column), held(missing), held(other), held(child_begin),
                      held(children), held(key_begin), held(keys), held(to_begin), held(to), held(weight)});
  tree.n_columns = n_columns;
  tree.n_classes = n_classes;
  tree.rows = read_vector<std::int64_t>(rows.ptr(), "rows");
  tree.objects = read_vector<std::int64_t>(objects.ptr(), "objects");
  tree.value = read_rows<double>(value.ptr(), "value", tree.value_width());
  tree.impurity = read_vector<double>(impurity.ptr(), "impurity");
  tree.score = read_vector<double>(score.ptr(), "score");
  tree.label = read_vector<std::int32_t>(label.ptr(), "label");
  validate(tree);
  return tree;
}

// Names of from_arrays' arguments, in order; each is an attribute of the Python class.
constexpr const char* kFields[] = {"n_columns", "n_classes", "parent",      "kind",     "column",
                                   "missing",   "other",     "child_begin", "children", "key_begin",
                                   "keys",      "to_begin",  "to",          "rows",     "objects",
                                   "weight",    "value",     "impurity",    "score",    "label"};

void add_arrays(nb::class_<Tree>& cls) {
  add_view(cls, "parent", &Tree::parent, "Per node: its parent; -1 at the root.");
  cls.def_prop_ro(
      "kind",
      [](nb::handle_t<Tree> self) {
        const auto& kind = nb::cast<const Tree&>(self).kind;
        return View<std::uint8_t>(reinterpret_cast<const std::uint8_t*>(kind.data()), {kind.size()}, self);
      },
      "Per node: 0 leaf, 1 ordered, 2 category.");
  add_view(cls, "column", &Tree::column, "Per node: the column tested; -1 at leaves.");
  add_view(cls, "missing", &Tree::missing, "Per node: the branch of a missing value.");
  add_view(cls, "other", &Tree::other, "Per node: the branch of a value that is in no key or code book.");
  add_view(cls, "child_begin", &Tree::child_begin,
           "Node i's children are children[child_begin[i]:child_begin[i + 1]].");
  add_view(cls, "children", &Tree::children, "Children of all nodes, by node and branch.");
  add_view(cls, "key_begin", &Tree::key_begin, "Node i's keys are keys[key_begin[i]:key_begin[i + 1]].");
  add_view(cls, "keys", &Tree::keys, "Cuts of ordered tests, codes of category tests, ascending in a node.");
  add_view(cls, "to_begin", &Tree::to_begin, "Node i's branches are to[to_begin[i]:to_begin[i + 1]].");
  add_view(cls, "to", &Tree::to, "Branch of each interval (ordered tests) or key (category tests).");
  add_view(cls, "rows", &Tree::rows, "Per node: training rows of positive weight.");
  add_view(cls, "objects", &Tree::objects, "Per node: groups of equal training rows.");
  add_view(cls, "weight", &Tree::weight, "Per node: sum of sample_weight.");
  cls.def_prop_ro(
      "value",
      [](nb::handle_t<Tree> self) {
        const Tree& tree = nb::cast<const Tree&>(self);
        return nb::ndarray<nb::numpy, const double, nb::ndim<2>>(tree.value.data(),
                                                                 {tree.n_nodes(), tree.value_width()}, self);
      },
      "Per node: n_classes class weights, or the target's mean and mean squared deviation.");
  add_view(cls, "impurity", &Tree::impurity, "Per node, by the impurity the tree was grown with.");
  add_view(cls, "score", &Tree::score, "Per node: the test's score; NaN at leaves.");
  add_view(cls, "label", &Tree::label,
           "Per node: index of the class it would predict as a leaf; 0 in regression.");
}

void add_predictions(nb::class_<Tree>& cls) {
  using namespace nb::literals;
  cls.def(
      "apply",
      [](const Tree& self, nb::handle inputs, int n_threads) {
        return per_row<std::int32_t>(self, inputs, n_threads, [&](const Inputs& rows, Team& team, auto out) {
          apply(self, rows, team, out);
        });
      },
      "inputs"_a, "n_threads"_a = 1,
      "The leaf each row reaches. Inputs: one 2-D float32/float64 array of any strides, or a list with one "
      "1-D array per\n"
      "column: float32, float64, or int32 codes (-1 missing, -2 not in the code book). NaN is missing. An "
      "object with\n"
      "`n_rows` and `len` is asked for the columns that the tree tests only, by number.");
  cls.def(
      "predict",
      [](const Tree& self, nb::handle inputs, int n_threads) -> nb::object {
        if (self.n_classes == 0) {
          return nb::cast(per_row<double>(
              self, inputs, n_threads,
              [&](const Inputs& rows, Team& team, auto out) { predict_means(self, rows, team, out); }));
        }
        return nb::cast(per_row<std::int32_t>(
            self, inputs, n_threads,
            [&](const Inputs& rows, Team& team, auto out) { predict_labels(self, rows, team, out); }));
      },
      "inputs"_a, "n_threads"_a = 1,
      nb::sig("def predict(self, inputs: object, n_threads: int = 1) -> numpy.typing.NDArray[numpy.int32] | "
              "numpy.typing.NDArray[numpy.float64]"),
      "Index of the predicted class (int32), or the predicted mean (float64), of each row.");
  cls.def(
      "values_at_leaves",
      [](const Tree& self, nb::handle inputs, const Vector<std::int64_t>& at_node, int n_threads) {
        if (at_node.size() != self.n_nodes())
          throw BadInput("at_node has " + std::to_string(at_node.size()) + " values, the tree " +
                         std::to_string(self.n_nodes()) + " nodes");
        const std::span<const std::int64_t> given = span_of(at_node);
        const std::vector<std::int64_t> values(given.begin(), given.end());
        return per_row<std::int64_t>(self, inputs, n_threads, [&](const Inputs& rows, Team& team, auto out) {
          values_at_leaves(self, rows, team, values, out);
        });
      },
      "inputs"_a, "at_node"_a, "n_threads"_a = 1,
      "What at_node, an int64 for each node, holds at the leaf that each row reaches. Other types of 8 bytes "
      "pass as views.");
  cls.def(
      "decision_path",
      [](const Tree& self, nb::handle inputs, int n_threads) {
        Paths paths = with_inputs(self, inputs, n_threads, [&](const Inputs& rows, Team& team) {
          return decision_path(self, rows, team);
        });
        return nb::make_tuple(to_numpy(std::move(paths.indptr)), to_numpy(std::move(paths.indices)));
      },
      "inputs"_a, "n_threads"_a = 1,
      nb::sig("def decision_path(self, inputs: object, n_threads: int = 1) -> "
              "tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]"),
      "(indptr, indices): row i passes the nodes indices[indptr[i]:indptr[i + 1]], root first.");
}

}  // namespace

void register_tree(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Tree> cls(m, "Tree", "An immutable tree of flat arrays, nodes in preorder. Always valid.");
  cls.def_static(
      "from_arrays", &from_arrays, "n_columns"_a, "n_classes"_a, "parent"_a, "kind"_a, "column"_a,
      "missing"_a, "other"_a, "child_begin"_a, "children"_a, "key_begin"_a, "keys"_a, "to_begin"_a, "to"_a,
      "rows"_a, "objects"_a, "weight"_a, "value"_a, "impurity"_a, "score"_a, "label"_a,
      "The tree with these arrays, copied. Raises ValueError, naming array or node, unless it is valid.");
  cls.def_ro("n_columns", &Tree::n_columns);
  cls.def_ro("n_classes", &Tree::n_classes, "0: the target is a number.");
  cls.def_prop_ro("n_nodes", [](const Tree& self) { return self.n_nodes(); });
  cls.def_prop_ro("n_leaves", [](const Tree& self) { return n_leaves(self); });
  cls.def_prop_ro(
      "tests_categories",
      [](const Tree& self) {
        return std::find(self.kind.begin(), self.kind.end(), TestKind::category) != self.kind.end();
      },
      "Whether any test is one of categories.");
  cls.def_prop_ro(
      "depths", [](const Tree& self) { return to_numpy(depths(self)); }, nb::rv_policy::automatic,
      "Per node: tests above it.");
  add_arrays(cls);
  add_predictions(cls);
  cls.def(
      "__eq__",
      [](const Tree& self, nb::handle other) {
        return nb::isinstance<Tree>(other) && equal(self, nb::cast<const Tree&>(other));
      },
      "other"_a.none());
  // Equal by value, so identity must not serve as its hash.
  cls.def("__hash__",
          [](const Tree&) -> int { throw nb::type_error("unhashable type: 'thriftree._core.Tree'"); });
  cls.def(
      "__getstate__",
      [](nb::handle_t<Tree> self) {
        nb::dict state;
        for (const char* field : kFields) state[field] = self.attr(field);
        return state;
      },
      nb::sig("def __getstate__(self) -> dict[str, object]"));
  cls.def(
      "__setstate__",
      [](Tree& self, const nb::dict& state) {
        new (&self) Tree(nb::cast<Tree>(nb::type<Tree>().attr("from_arrays")(**state)));
      },
      nb::sig("def __setstate__(self, state: dict[str, object]) -> None"));
}

}  // namespace thriftree::bindings
