// The table and the encoder, for table.py and the tests.
#include "table/table.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/column_sources.hpp"
#include "bindings/control.hpp"
#include "table/encode.hpp"
#include "table/exact_values.hpp"
#include "table/objects.hpp"
#include "table/ranked.hpp"
#include "table/take.hpp"
#include "table/whole_labels.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {
namespace {

// The arrays that a table reads exact values from live as long as it does, wherever it ends.
template <typename Arrays>
void keep_arrays(Table& table, const Arrays& arrays) {
  if (!table.exact) return;
  table.exact->keep(std::shared_ptr<const void>(new Arrays(arrays), [](const void* kept) {
    nb::gil_scoped_acquire locked;
    delete static_cast<const Arrays*>(kept);
  }));
}

Table encode_sources(const std::vector<ColumnSource>& sources, std::size_t n_rows,
                     std::optional<std::uint32_t> max_bins, const std::string& binning,
                     const std::optional<Vector<double>>& sample_weight, const std::vector<Column>& book,
                     const SpanOptions& spans, int n_threads, std::optional<double> time_limit_s,
                     std::optional<double> memory_limit_mb) {
  EncodeOptions options;
  options.spans = spans;
  options.book = book;
  if (max_bins && *max_bins == 0) throw BadInput("max_bins must be from 2 to 65535");
  options.max_bins = max_bins.value_or(0);
  options.binning = binning_of(binning);
  if (sample_weight) {
    if (sample_weight->shape(0) != n_rows) throw BadInput("sample_weight must have one weight for each row");
    options.weight = sample_weight->data();
  }
  const auto control = make_control(n_threads, time_limit_s, memory_limit_mb);
  control->watch_time();
  nb::gil_scoped_release unlocked;
  Team team(*control);
  return encode(sources, n_rows, options, *control, team);
}

Table encode_matrix(const AnyArray& matrix, std::optional<std::uint32_t> max_bins, const std::string& binning,
                    const std::optional<Vector<double>>& sample_weight, const std::vector<Column>& book,
                    const SpanOptions& spans, int n_threads, std::optional<double> time_limit_s,
                    std::optional<double> memory_limit_mb) {
  if (matrix.ndim() != 2)
    throw BadInput("the matrix must have two dimensions, not " + std::to_string(matrix.ndim()));
  std::vector<ColumnSource> sources;
  for (std::size_t j = 0; j < matrix.shape(1); ++j) {
    sources.push_back(source_of(matrix, matrix.stride(0)));
    sources.back().data +=
        static_cast<std::ptrdiff_t>(j) * matrix.stride(1) * static_cast<std::ptrdiff_t>(matrix.itemsize());
  }
  Table table = encode_sources(sources, matrix.shape(0), max_bins, binning, sample_weight, book, spans,
                               n_threads, time_limit_s, memory_limit_mb);
  keep_arrays(table, matrix);
  return table;
}

// Columns one after the other, as in scipy's csc_matrix.
Table encode_sparse(const AnyArray& data, const Vector<std::int32_t>& indices,
                    const Vector<std::int64_t>& indptr, std::size_t n_rows,
                    std::optional<std::uint32_t> max_bins, const std::string& binning,
                    const std::optional<Vector<double>>& sample_weight, const std::vector<Column>& book,
                    const SpanOptions& spans, int n_threads, std::optional<double> time_limit_s,
                    std::optional<double> memory_limit_mb) {
  const std::size_t n_entries = indices.shape(0);
  if (data.ndim() != 1 || data.shape(0) != n_entries)
    throw BadInput("data must have an entry for each index");
  if (indptr.shape(0) == 0 || indptr.data()[0] != 0) throw BadInput("indptr must begin with 0");
  std::vector<ColumnSource> sources;
  for (std::size_t j = 0; j + 1 < indptr.shape(0); ++j) {
    const std::int64_t begin = indptr.data()[j], end = indptr.data()[j + 1];
    if (begin > end || end > static_cast<std::int64_t>(n_entries))
      throw BadInput("indptr must rise from 0 to the number of entries at most");
    const std::int32_t* rows = indices.data() + begin;
    for (std::int64_t k = 0; k < end - begin; ++k) {
      if (rows[k] < 0 || static_cast<std::size_t>(rows[k]) >= n_rows || (k > 0 && rows[k] <= rows[k - 1]))
        throw BadInput("the indices of column " + std::to_string(j) + " must be rows, ascending");
    }
    ColumnSource source = source_of(data, data.stride(0));
    source.data += begin * source.stride;
    source.rows = rows;
    source.n_entries = static_cast<std::size_t>(end - begin);
    sources.push_back(source);
  }
  Table table = encode_sources(sources, n_rows, max_bins, binning, sample_weight, book, spans, n_threads,
                               time_limit_s, memory_limit_mb);
  keep_arrays(table, std::pair(data, indices));
  return table;
}

Table encode_columns(const std::vector<AnyArray>& arrays,
                     const std::vector<std::optional<std::uint32_t>>& n_categories,
                     const std::vector<std::uint32_t>& ranked, std::optional<std::uint32_t> max_bins,
                     const std::string& binning, const std::optional<Vector<double>>& sample_weight,
                     const std::vector<Column>& book, const SpanOptions& spans, int n_threads,
                     std::optional<double> time_limit_s, std::optional<double> memory_limit_mb) {
  if (n_categories.size() != arrays.size())
    throw BadInput("n_categories must have one entry for each column");
  std::vector<ColumnSource> sources;
  for (std::size_t j = 0; j < arrays.size(); ++j) {
    const std::string place = "column " + std::to_string(j);
    if (arrays[j].ndim() != 1) throw BadInput(place + " must have one dimension");
    if (arrays[j].shape(0) != arrays[0].shape(0)) throw BadInput(place + " differs in length from column 0");
    sources.push_back(source_of(arrays[j], arrays[j].stride(0)));
    if (!n_categories[j]) continue;
    if (sources.back().type != SourceType::i32)
      throw nb::type_error((place + ": category codes must be int32").c_str());
    sources.back().type = SourceType::category;
    sources.back().n_categories = *n_categories[j];
  }
  for (const std::uint32_t j : ranked) {
    if (j >= sources.size() || sources[j].type != SourceType::category) {
      throw BadInput("only category columns can be ranked");
    }
    sources[j].ranked = true;
  }
  Table table = encode_sources(sources, arrays.empty() ? 0 : arrays[0].shape(0), max_bins, binning,
                               sample_weight, book, spans, n_threads, time_limit_s, memory_limit_mb);
  keep_arrays(table, arrays);
  return table;
}

// With a code for every value, whatever the core counts by. Called with the interpreter's lock.
const Table& ranked_table(const Table& table, int n_threads = 1, std::optional<double> time_limit_s = {},
                          std::optional<double> memory_limit_mb = {}) {
  if (!table.exact) return table;
  const auto control = make_control(n_threads, time_limit_s, memory_limit_mb);
  control->watch_time();
  nb::gil_scoped_release unlocked;
  Team team(*control);
  return ranked(table, *control, team);
}

const Column& column_at(const Table& table, std::size_t column) {
  if (column >= table.columns.size()) throw nb::index_error("no such column");
  return ranked_table(table).columns[column];
}

// Rows by code of a column as it is counted.
Array<std::int64_t> span_rows_of(const Table& table, std::size_t column) {
  if (column >= table.columns.size()) throw nb::index_error("no such column");
  std::vector<std::int64_t> rows(table.columns[column].n_codes, 0);
  for (std::size_t row = 0; row < table.n_rows; ++row) ++rows[table.code(row, column)];
  return to_numpy(std::move(rows));
}

const char* kind_of(const Column& column) {
  return column.kind == ColumnKind::category ? "category" : "ordered";
}

std::vector<std::string> kinds_of(const Table& table) {
  std::vector<std::string> kinds;
  for (const Column& column : table.columns) kinds.emplace_back(kind_of(column));
  return kinds;
}

Column book_of(const std::string& kind, std::uint32_t n_codes, bool has_missing, std::vector<double> values,
               std::vector<double> edges, bool ranked_category, bool spans) {
  if (kind != "ordered" && kind != "category") throw BadInput("kind must be 'ordered' or 'category'");
  if (n_codes == 0) throw BadInput("a column has at least one code");
  Column column;
  column.kind = kind == "category" ? ColumnKind::category : ColumnKind::ordered;
  column.n_codes = n_codes;
  column.has_missing = has_missing;
  column.ranked_category = ranked_category;
  column.spans = spans;
  const bool by_number = kind == "ordered" && !ranked_category, none = values.empty() && edges.empty();
  const bool fits = by_number ? (edges.empty() && values.size() == column.n_known()) ||
                                    (values.empty() && edges.size() + 1 == column.n_known())
                              : none;
  if (!fits)
    throw BadInput(
        "an ordered column has a value per known code, or an edge between any two; others have none");
  for (const std::vector<double>& numbers : {std::cref(values), std::cref(edges)}) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!std::isfinite(numbers[i]) || (i > 0 && numbers[i] <= numbers[i - 1]))
        throw BadInput("the values and edges of a column are finite numbers in rising order");
    }
  }
  if (spans && (edges.empty() || n_codes > kByteCodes))
    throw BadInput("a column of spans has edges, and no more codes than a byte tells apart");
  column.values = std::move(values);
  column.edges = std::move(edges);
  return column;
}

Array<std::uint32_t> codes_of(const Table& table, std::size_t column) {
  column_at(table, column);
  const Table& known = ranked_table(table);
  const Column& of = known.columns[column];
  if (!of.narrow) return to_numpy(std::vector<std::uint32_t>(known.wide[of.wide]));
  const Block& block = known.blocks[of.block];
  const std::uint8_t* code = block.codes.data() + of.offset;
  std::vector<std::uint32_t> codes(table.n_rows);
  for (std::size_t row = 0; row < codes.size(); ++row) codes[row] = code[row * block.stride];
  return to_numpy(std::move(codes));
}

std::vector<Column> books_of(const Table& table) {
  std::vector<Column> books;
  for (const Column& column : ranked_table(table).columns) books.push_back(column.book());
  return books;
}

Array<double> numbers_of(const SharedNumbers& numbers) {
  return to_numpy(std::vector<double>(numbers.begin(), numbers.end()));
}

// Some rows, with the categories of some columns in another order.
Table sample_of(const Table& table, const std::optional<Vector<std::uint32_t>>& rows,
                const std::vector<std::pair<std::uint32_t, Vector<std::uint32_t>>>& orders,
                std::optional<double> memory_limit_mb) {
  const auto control = make_control(1, {}, memory_limit_mb);
  nb::gil_scoped_release unlocked;
  Table result = rows ? take_rows(table, span_of(*rows), *control) : table;
  for (const auto& [column, new_code] : orders) rank_categories(result, column, span_of(new_code));
  return result;
}

// A table of codes alone, as other processes take it. Values behind columns of spans do not travel.
nb::tuple state_of(const Table& table) {
  if (table.exact) throw nb::type_error("a table that reads exact values in this process does not travel");
  nb::list blocks, wide;
  for (const Block& block : table.blocks)
    blocks.append(
        nb::make_tuple(block.stride, block.columns,
                       to_numpy(std::vector<std::uint8_t>(block.codes.begin(), block.codes.end()))));
  for (const Column& column : table.columns) {
    if (!column.narrow) wide.append(to_numpy(std::vector<std::uint32_t>(table.wide[column.wide])));
  }
  return nb::make_tuple(table.n_rows, books_of(table), blocks, wide);
}

Table table_of(const nb::tuple& state) {
  Table table;
  table.n_rows = nb::cast<std::size_t>(state[0]);
  table.columns = nb::cast<std::vector<Column>>(state[1]);
  for (Column& column : table.columns) column.narrow = false;
  for (const nb::handle given : state[2]) {
    Block block;
    block.stride = nb::cast<std::uint32_t>(given[0]);
    block.columns = nb::cast<std::vector<std::uint32_t>>(given[1]);
    const auto codes = nb::cast<Vector<std::uint8_t>>(given[2]);
    block.codes.assign(codes.data(), codes.data() + codes.size());
    for (std::size_t i = 0; i < block.columns.size(); ++i) {
      Column& column = table.columns[block.columns[i]];
      column.narrow = true;
      column.block = static_cast<std::uint32_t>(table.blocks.size());
      column.offset = static_cast<std::uint32_t>(i);
    }
    table.blocks.push_back(std::move(block));
  }
  std::size_t next = 0;
  for (Column& column : table.columns) {
    if (column.narrow) continue;
    const auto codes = nb::cast<Vector<std::uint32_t>>(state[3][next]);
    column.wide = static_cast<std::uint32_t>(next++);
    table.wide.emplace_back(codes.data(), codes.data() + codes.size());
  }
  table.sorted.resize(table.wide.size());
  return table;
}

nb::tuple objects_of(const Table& table, int n_threads) {
  std::vector<std::uint32_t> object_of_row, first_row;
  {
    const auto control = make_control(n_threads);
    Team team(*control);
    nb::gil_scoped_release unlocked;
    first_row = find_objects(table, object_of_row, *control, team);
  }
  return nb::make_tuple(to_numpy(std::move(object_of_row)), to_numpy(std::move(first_row)));
}

nb::object labels_of_whole_numbers(const Vector<std::int64_t>& numbers) {
  if (numbers.size() == 0) throw BadInput("there are no numbers to label");
  std::optional<WholeLabels> found;
  {
    nb::gil_scoped_release release;
    found = whole_labels(span_of(numbers));
  }
  if (!found) return nb::none();
  return nb::make_tuple(to_numpy(std::move(found->labels)), to_numpy(std::move(found->classes)));
}

}  // namespace

void register_table(nb::module_& m) {
  nb::class_<Column>(m, "Column", "A column's code book: which values its codes stand for.")
      .def(
          "__init__",
          [](Column* self, const std::string& kind, std::uint32_t n_codes, bool has_missing,
             std::vector<double> values, std::vector<double> edges, bool ranked_category, bool spans) {
            new (self) Column(book_of(kind, n_codes, has_missing, std::move(values), std::move(edges),
                                      ranked_category, spans));
          },
          "kind"_a, "n_codes"_a, "has_missing"_a, "values"_a = std::vector<double>(),
          "edges"_a = std::vector<double>(), "ranked_category"_a = false, "spans"_a = false,
          "The code book of a column whose codes are elsewhere. `spans`: thresholds lie inside the codes, "
          "too, "
          "and whoever has the rows knows their values.")
      .def_prop_ro("kind", &kind_of)
      .def_ro("n_codes", &Column::n_codes)
      .def_ro("has_missing", &Column::has_missing)
      .def_ro("ranked_category", &Column::ranked_category)
      .def_ro("spans", &Column::spans)
      .def_ro("narrow", &Column::narrow)
      .def_prop_ro(
          "values", [](const Column& c) { return numbers_of(c.values); }, nb::rv_policy::move)
      .def_prop_ro(
          "edges", [](const Column& c) { return numbers_of(c.edges); }, nb::rv_policy::move)
      .def(
          "__eq__",
          [](const Column& self, nb::handle other) {
            return nb::isinstance<Column>(other) && self.same_book(nb::cast<const Column&>(other));
          },
          "other"_a.none(), "Whether values have the same codes in both.")
      .def("__getstate__",
           [](const Column& c) {
             return nb::make_tuple(kind_of(c), c.n_codes, c.has_missing, numbers_of(c.values),
                                   numbers_of(c.edges), c.ranked_category, c.spans);
           })
      .def("__setstate__", [](Column& self, const nb::tuple& state) {
        const auto numbers = [&](int at) {
          const auto array = nb::cast<Vector<double>>(state[at]);
          return std::vector<double>(array.data(), array.data() + array.shape(0));
        };
        new (&self) Column(book_of(nb::cast<std::string>(state[0]), nb::cast<std::uint32_t>(state[1]),
                                   nb::cast<bool>(state[2]), numbers(3), numbers(4), nb::cast<bool>(state[5]),
                                   nb::cast<bool>(state[6])));
      });

  nb::class_<SpanOptions>(m, "SpanOptions", "Which columns are counted by ranges of values.")
      .def(
          "__init__",
          [](SpanOptions* self, std::size_t from_rows, std::uint32_t above_values, std::uint32_t codes,
             std::optional<std::size_t> sorted_rows) {
            new (self) SpanOptions{from_rows, above_values, codes, sorted_rows};
          },
          nb::kw_only(), "from_rows"_a = kSpansFrom, "above_values"_a = SpanOptions().above_values,
          "codes"_a = SpanOptions().codes, "sorted_rows"_a = nb::none(),
          "Those of more distinct values, in tables of at least so many rows; each by so many ranges at "
          "most. Nodes of at most `sorted_rows` rows are sorted instead.");

  nb::class_<Table>(m, "Table", "Every column as small integer codes.")
      .def_ro("n_rows", &Table::n_rows)
      .def_prop_ro("n_columns", [](const Table& t) { return t.columns.size(); })
      .def("__getstate__", &state_of)
      .def("__setstate__", [](Table& self, const nb::tuple& state) { new (&self) Table(table_of(state)); })
      .def_prop_ro("nbytes", &Table::bytes)
      .def_prop_ro("kinds", &kinds_of, "Of each column: 'ordered' or 'category'.")
      .def_prop_ro(
          "n_spans",
          [](const Table& t) {
            return std::count_if(t.columns.begin(), t.columns.end(), [](const Column& c) { return c.spans; });
          },
          "Columns that are counted by ranges of values and have a code for each only when that is asked "
          "for.")
      .def("span_rows", &span_rows_of, "column"_a, "By the codes that a column is counted by, its rows.")
      .def(
          "rank_values",
          [](const Table& self, int n_threads, std::optional<double> time_limit_s,
             std::optional<double> memory_limit_mb) {
            ranked_table(self, n_threads, time_limit_s, memory_limit_mb);
          },
          nb::kw_only(), "n_threads"_a = 1, "time_limit_s"_a = nb::none(), "memory_limit_mb"_a = nb::none(),
          "Gives every distinct value its code now, within the limits; it is done at most once.")
      .def("column", &column_at, "column"_a, nb::rv_policy::reference_internal)
      .def_prop_ro("book", &books_of, "The code book of every column, without rows.")
      .def("codes", &codes_of, "column"_a, "A copy of one column's codes.")
      .def("sample", &sample_of, "rows"_a = nb::none(), nb::kw_only(), "orders"_a = nb::list(),
           "memory_limit_mb"_a = nb::none(),
           "The table of these rows (ascending; None: all) under the same codes. `orders` lists category "
           "columns "
           "with the new code of each category: they are tested by cuts from then on.")
      .def("objects", &objects_of, "n_threads"_a = 1,
           nb::sig("def objects(self, n_threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                   "numpy.typing.NDArray[numpy.uint32]]"),
           "Rows of equal codes are one object: the number of each row's, counted as they appear, and the "
           "first row of each.");

  m.def("whole_labels", &labels_of_whole_numbers, "numbers"_a,
        nb::sig("def whole_labels(numbers: numpy.typing.NDArray[numpy.int64]) -> "
                "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]] | None"),
        "The class number of each of these whole numbers, and the numbers that occur, ascending; None where "
        "they lie too\nfar apart for a table.");
  m.def("encode_matrix", &encode_matrix, "matrix"_a, nb::kw_only(), "max_bins"_a = nb::none(),
        "binning"_a = "quantile", "sample_weight"_a = nb::none(), "book"_a = std::vector<Column>(),
        "spans"_a = SpanOptions(), "n_threads"_a = 1, "time_limit_s"_a = nb::none(),
        "memory_limit_mb"_a = nb::none(),
        "Codes a 2-D array of numbers of any strides, a table column for each of its columns; by a code "
        "book, if "
        "one is given.");
  m.def("encode_sparse", &encode_sparse, "data"_a, "indices"_a, "indptr"_a, "n_rows"_a, nb::kw_only(),
        "max_bins"_a = nb::none(), "binning"_a = "quantile", "sample_weight"_a = nb::none(),
        "book"_a = std::vector<Column>(), "spans"_a = SpanOptions(), "n_threads"_a = 1,
        "time_limit_s"_a = nb::none(), "memory_limit_mb"_a = nb::none(),
        "Codes sparse columns, given as scipy's csc_matrix holds them; what is not stored is 0.");
  m.def("encode_columns", &encode_columns, "arrays"_a, "n_categories"_a, nb::kw_only(),
        "ranked"_a = std::vector<std::uint32_t>(), "max_bins"_a = nb::none(), "binning"_a = "quantile",
        "sample_weight"_a = nb::none(), "book"_a = std::vector<Column>(), "spans"_a = SpanOptions(),
        "n_threads"_a = 1, "time_limit_s"_a = nb::none(), "memory_limit_mb"_a = nb::none(),
        "Codes 1-D arrays. Where n_categories has a number, the array holds int32 category codes (negative: "
        "missing). `ranked` lists the category columns whose codes are in order of the target.");
}

}  // namespace thriftree::bindings
