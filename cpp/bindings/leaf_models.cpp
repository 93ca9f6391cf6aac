// Linear models of leaves: what nodes lose with them, and the models.
#include "prune/leaf_models.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <utility>

#include "bindings/arrays.hpp"
#include "bindings/control.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {
namespace {

using AllowedMatrix =
    ArrayArgument<nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>>;

ModelRows model_rows(const Matrix& values, const Vector<double>& target, const Vector<double>& weight) {
  return {{values.data(), values.size()}, values.shape(1), span_of(target), span_of(weight)};
}

AllowedColumns allowed_span(const std::optional<AllowedMatrix>& allowed) {
  return allowed ? AllowedColumns(allowed->data(), allowed->size()) : AllowedColumns();
}

using ModelFigures = nb::typed<nb::dict, nb::str, nb::any>;

ModelFigures errors_of_models(const Tree& tree, const Matrix& values, const Vector<double>& target,
                              const Vector<double>& weight, const Vector<std::int32_t>& leaf,
                              const Matrix& held_values, const Vector<double>& held_target,
                              const Vector<double>& held_weight, const Vector<std::int32_t>& held_leaf,
                              const std::optional<AllowedMatrix>& allowed, const Vector<double>& penalties,
                              int n_threads, std::optional<double> time_limit_s,
                              std::optional<double> memory_limit_mb) {
  const ModelRows training = model_rows(values, target, weight);
  const ModelRows held = model_rows(held_values, held_target, held_weight);
  const auto control = make_control(n_threads, time_limit_s, memory_limit_mb);
  control->reserve(sizeof(double) * (values.size() + held_values.size()), "the columns of linear leaves");
  ModelErrors errors;
  {
    nb::gil_scoped_release release;
    errors = model_errors(tree, training, span_of(leaf), held, span_of(held_leaf), allowed_span(allowed),
                          span_of(penalties), *control);
  }
  const std::size_t n = penalties.size(), nodes = tree.n_nodes();
  ModelFigures result;
  result["training"] = to_numpy(std::move(errors.training), {n, nodes});
  result["held"] = to_numpy(std::move(errors.held), {n, nodes});
  result["reads"] = to_numpy(std::move(errors.reads), {nodes, values.shape(1)});
  return result;
}

ModelFigures models_of_leaves(const Tree& tree, const Matrix& values, const Vector<double>& target,
                              const Vector<double>& weight, const Vector<std::int32_t>& leaf,
                              const std::optional<AllowedMatrix>& allowed, double penalty) {
  const auto control = make_control(1);
  LeafModels models;
  {
    nb::gil_scoped_release release;
    models = leaf_models(tree, model_rows(values, target, weight), span_of(leaf), allowed_span(allowed),
                         penalty, *control);
  }
  ModelFigures result;
  result["node"] = to_numpy(std::move(models.node));
  result["begin"] = to_numpy(std::move(models.begin));
  result["column"] = to_numpy(std::move(models.column));
  result["coefficient"] = to_numpy(std::move(models.coefficient));
  result["mean"] = to_numpy(std::move(models.mean));
  result["lowest"] = to_numpy(std::move(models.lowest));
  result["highest"] = to_numpy(std::move(models.highest));
  return result;
}

}  // namespace

void register_leaf_models(nb::module_& m) {
  m.def(
      "leaf_model_errors", &errors_of_models, "tree"_a, "values"_a, "target"_a, "weight"_a, "leaf"_a,
      "held_values"_a, "held_target"_a, "held_weight"_a, "held_leaf"_a, "allowed"_a.none(), "penalties"_a,
      "n_threads"_a = 1, "time_limit_s"_a = nb::none(), "memory_limit_mb"_a = nb::none(),
      "Penalties x nodes: what each node loses, in squared error, as a leaf with a linear model of the\n"
      "rows that pass it: on these rows (training), and on others (held); and nodes x columns: what models\n"
      "read (reads). NaN is missing; `allowed`\n"
      "(nodes x columns) says which columns a node's model may read, None: all.");
  m.def("leaf_models", &models_of_leaves, "tree"_a, "values"_a, "target"_a, "weight"_a, "leaf"_a,
        "allowed"_a.none(), "penalty"_a,
        "The linear models of the tree's leaves: node, and of model i [begin[i], begin[i + 1]) of column,\n"
        "coefficient and mean; lowest and highest by model.");
}

}  // namespace thriftree::bindings
