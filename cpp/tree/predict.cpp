#include "tree/predict.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "tree/compiled_tree.hpp"
#include "tree/route.hpp"
#include "tree/shape.hpp"

namespace thriftree {
namespace {

constexpr std::size_t kRowsPerBlock = 64;  // rows copied together when they do not lie row by row: a few kB

void check_columns(const Tree& tree, const Inputs& inputs) {
  if (inputs.columns.size() == static_cast<std::size_t>(tree.n_columns)) return;
  throw BadInput("the tree has " + std::to_string(tree.n_columns) + " columns, the input " +
                 std::to_string(inputs.columns.size()));
}

// Runs task(begin, end) over all rows.
template <typename Task>
void for_row_ranges(std::size_t n_rows, Team& team, const Task& task) {
  team.run((n_rows + kRowsPerTask - 1) / kRowsPerTask,
           [&](std::size_t i, int) { task(i * kRowsPerTask, std::min(n_rows, (i + 1) * kRowsPerTask)); });
}

// The columns are neighbours in rows of aligned T, so that the rows can be walked where they lie.
template <typename T>
bool lies_row_by_row(const Inputs& inputs, InputType type) {
  const InputColumn& first = inputs.columns.front();
  if (reinterpret_cast<std::uintptr_t>(first.data) % alignof(T) != 0 || first.stride % sizeof(T) != 0)
    return false;
  for (std::size_t c = 0; c < inputs.columns.size(); ++c) {
    const InputColumn& column = inputs.columns[c];
    if (column.type != type || column.stride != first.stride || column.data != first.data + c * sizeof(T))
      return false;
  }
  return true;
}

// A code as the number that InputColumn::code says, without a branch: rows are seldom all known.
inline double number_of(std::int32_t code) {
  const double negative = code == -1 ? std::numeric_limits<double>::quiet_NaN() : InputColumn::kOther;
  return code >= 0 ? static_cast<double>(code) : negative;
}
inline double number_of(double value) { return value; }
inline float number_of(float value) { return value; }

// Writes the values of rows [row, row + n) of a column to to[0], to[step], to[2 * step], ...
template <typename Raw, typename T>
void copy_raw(const InputColumn& column, std::size_t row, std::size_t n, T* to, std::size_t step) {
  const std::byte* const first = column.data + static_cast<std::ptrdiff_t>(row) * column.stride;
  const auto copy = [&](std::ptrdiff_t stride) {
    for (std::size_t i = 0; i < n; ++i) {
      Raw value;
      std::memcpy(&value, first + static_cast<std::ptrdiff_t>(i) * stride, sizeof(Raw));
      to[i * step] = static_cast<T>(number_of(value));
    }
  };
  // Said twice, so that the usual stride is a constant.
  column.stride == sizeof(Raw) ? copy(sizeof(Raw)) : copy(column.stride);
}

template <typename T>
void copy_values(const InputColumn& column, std::size_t row, std::size_t n, T* to, std::size_t step) {
  switch (column.type) {
    case InputType::float32:
      return copy_raw<float>(column, row, n, to, step);
    case InputType::float64:
      return copy_raw<double>(column, row, n, to, step);
    case InputType::code:
      return copy_raw<std::int32_t>(column, row, n, to, step);
  }
}

// For few rows: not compiled, straight over the tree's arrays.
template <typename Out>
void walk_few(const Tree& tree, const Inputs& inputs, const std::vector<Out>& at_node, std::span<Out> out) {
  for (std::size_t row = 0; row < inputs.n_rows; ++row) {
    std::int32_t node = 0;
    while (tree.kind[node] != TestKind::leaf) {
      const InputColumn& column = inputs.columns[tree.column[node]];
      const std::int32_t branch = route(tree, node, column.number(row), column.type == InputType::code);
      node = tree.children[tree.child_begin[node] + branch];
    }
    out[row] = at_node[node];
  }
}

template <typename Out, typename T>
std::vector<Out> by_place(const CompiledTree<T>& compiled, const std::vector<Out>& at_node) {
  std::vector<Out> at_leaf(compiled.node_at().size());
  for (std::size_t place = 0; place < at_leaf.size(); ++place)
    at_leaf[place] = at_node[compiled.node_at()[place]];
  return at_leaf;
}

template <typename T, typename Out>
void walk_in_place(const Tree& tree, const Inputs& inputs, Team& team, const std::vector<Out>& at_node,
                   std::span<Out> out) {
  std::vector<std::uint32_t> slot_of(inputs.columns.size());
  for (std::uint32_t c = 0; c < slot_of.size(); ++c) slot_of[c] = c;
  const CompiledTree<T> compiled(tree, slot_of, std::vector<char>(slot_of.size(), 0));
  const std::vector<Out> at_leaf = by_place(compiled, at_node);
  const auto* rows = reinterpret_cast<const T*>(inputs.columns.front().data);
  const std::ptrdiff_t stride = inputs.columns.front().stride / static_cast<std::ptrdiff_t>(sizeof(T));
  for_row_ranges(inputs.n_rows, team, [&](std::size_t begin, std::size_t end) {
    compiled.walk(rows + static_cast<std::ptrdiff_t>(begin) * stride, stride, inputs.columns.size(),
                  end - begin, at_leaf.data(), &out[begin]);
  });
}

// Copies the values of the columns that the tree tests into rows of T, a block of rows at a time, and walks
// those.
template <typename T, typename Out>
void walk_copied(const Tree& tree, const Inputs& inputs, Team& team, const std::vector<Out>& at_node,
                 std::span<Out> out) {
  std::vector<std::uint32_t> slot_of(inputs.columns.size(), 0);
  std::vector<char> code(inputs.columns.size(), 0), tested(inputs.columns.size(), 0);
  for (const std::int32_t column : tree.column) {
    if (column >= 0) tested[column] = 1;
  }
  std::vector<std::uint32_t> columns;  // by slot
  for (std::uint32_t c = 0; c < inputs.columns.size(); ++c) {
    code[c] = inputs.columns[c].type == InputType::code;
    if (!tested[c]) continue;
    slot_of[c] = static_cast<std::uint32_t>(columns.size());
    columns.push_back(c);
  }
  const CompiledTree<T> compiled(tree, slot_of, code);
  const std::vector<Out> at_leaf = by_place(compiled, at_node);
  for_row_ranges(inputs.n_rows, team, [&](std::size_t begin, std::size_t end) {
    std::vector<T> block(kRowsPerBlock * columns.size());
    for (std::size_t row = begin; row < end; row += kRowsPerBlock) {
      const std::size_t n = std::min(kRowsPerBlock, end - row);
      for (std::size_t slot = 0; slot < columns.size(); ++slot) {
        copy_values(inputs.columns[columns[slot]], row, n, &block[slot], columns.size());
      }
      compiled.walk(block.data(), static_cast<std::ptrdiff_t>(columns.size()), columns.size(), n,
                    at_leaf.data(), &out[row]);
    }
  });
}

// out[i] = at_node[leaf that row i reaches].
template <typename Out>
void walk(const Tree& tree, const Inputs& inputs, Team& team, const std::vector<Out>& at_node,
          std::span<Out> out) {
  check_columns(tree, inputs);
  if (inputs.n_rows < 64 || inputs.n_rows < tree.n_nodes() / 8 || tree.n_nodes() == 1)
    return walk_few(tree, inputs, at_node, out);
  if (lies_row_by_row<float>(inputs, InputType::float32))
    return walk_in_place<float>(tree, inputs, team, at_node, out);
  if (lies_row_by_row<double>(inputs, InputType::float64))
    return walk_in_place<double>(tree, inputs, team, at_node, out);
  const bool all_float32 = std::all_of(inputs.columns.begin(), inputs.columns.end(),
                                       [](const InputColumn& c) { return c.type == InputType::float32; });
  if (all_float32) return walk_copied<float>(tree, inputs, team, at_node, out);
  walk_copied<double>(tree, inputs, team, at_node, out);
}

}  // namespace

void apply(const Tree& tree, const Inputs& inputs, Team& team, std::span<std::int32_t> out) {
  std::vector<std::int32_t> node(tree.n_nodes());
  for (std::size_t i = 0; i < node.size(); ++i) node[i] = static_cast<std::int32_t>(i);
  walk(tree, inputs, team, node, out);
}

void predict_labels(const Tree& tree, const Inputs& inputs, Team& team, std::span<std::int32_t> out) {
  walk(tree, inputs, team, tree.label, out);
}

void predict_means(const Tree& tree, const Inputs& inputs, Team& team, std::span<double> out) {
  std::vector<double> mean(tree.n_nodes());
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = tree.value[i * tree.value_width()];
  walk(tree, inputs, team, mean, out);
}

void values_at_leaves(const Tree& tree, const Inputs& inputs, Team& team,
                      const std::vector<std::int64_t>& at_node, std::span<std::int64_t> out) {
  walk(tree, inputs, team, at_node, out);
}

Paths decision_path(const Tree& tree, const Inputs& inputs, Team& team) {
  std::vector<std::int32_t> leaf(inputs.n_rows);
  apply(tree, inputs, team, leaf);
  const std::vector<std::int32_t> depth = depths(tree);
  Paths paths;
  paths.indptr.resize(inputs.n_rows + 1, 0);
  for (std::size_t row = 0; row < leaf.size(); ++row)
    paths.indptr[row + 1] = paths.indptr[row] + depth[leaf[row]] + 1;
  paths.indices.resize(static_cast<std::size_t>(paths.indptr.back()));
  for_row_ranges(inputs.n_rows, team, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      std::int64_t at = paths.indptr[row + 1];
      for (std::int32_t node = leaf[row]; node >= 0; node = tree.parent[node]) paths.indices[--at] = node;
    }
  });
  return paths;
}

}  // namespace thriftree
