// Tables that lie in parts: what a part tells of its columns, and the counter beside its rows.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/column_sources.hpp"
#include "rows/part_counter.hpp"
#include "table/binner.hpp"
#include "table/bins.hpp"
#include "table/exact_values.hpp"
#include "table/summary.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

using NamedStatistic = std::pair<std::string, std::int32_t>;

std::vector<Statistic> statistics_of(const std::vector<NamedStatistic>& named) {
  std::vector<Statistic> statistics;
  for (const auto& [name, group] : named) statistics.push_back({figure_of(name), group});
  return statistics;
}

nb::list summarise_columns(const std::vector<AnyArray>& arrays, std::size_t n_rows, std::size_t limit) {
  std::vector<ColumnSource> sources;
  for (const AnyArray& array : arrays) {
    if (array.ndim() != 1 || array.shape(0) != n_rows) throw BadInput("a column has one number for each row");
    sources.push_back(source_of(array, array.stride(0)));
  }
  std::vector<ColumnSummary> found;
  {
    nb::gil_scoped_release unlocked;
    found = summarise(sources, n_rows, limit);
  }
  nb::list answers;
  for (ColumnSummary& one : found) {
    nb::object values = nb::none();
    if (!one.too_many) values = nb::cast(to_numpy(std::move(one.values)));
    answers.append(nb::make_tuple(values, one.missing, one.low, one.high));
  }
  return answers;
}

std::vector<double> edges_of(const Vector<double>& values, const Vector<double>& weights, double low,
                             double high, std::uint32_t max_bins, const std::string& name) {
  const Binning binning = binning_of(name);
  if (binning == Binning::uniform) return uniform_edges(low, high, max_bins);
  const Spectrum spectrum{{values.data(), values.data() + values.size()},
                          {weights.data(), weights.data() + weights.size()}};
  if (spectrum.values.size() < 2 || spectrum.values.size() != spectrum.weights.size())
    throw BadInput("edges need at least two values, and a weight for each");
  return binning == Binning::quantile ? quantile_edges(spectrum, max_bins) : kmeans_edges(spectrum, max_bins);
}

// The rows, of n, that edges are made from, and those that tell few-valued columns from others.
Array<std::int64_t> rows_for_edges(std::size_t n) {
  return to_numpy(sampled_rows<std::int64_t>(n <= sample_all_rows ? n : sample_rows, n));
}
Array<std::int64_t> rows_for_a_look(std::size_t n) {
  return to_numpy(sampled_rows<std::int64_t>(std::min(n, probe_rows), n));
}

nb::tuple summed(SummedNodes nodes, std::size_t width) {
  const std::size_t n = width > 0 ? nodes.sums.size() / width : 0;
  nb::object sums = nb::cast(to_numpy(std::move(nodes.sums), {n, width}));
  if (nodes.least.empty()) return nb::make_tuple(sums, nb::none());
  std::vector<double> ranges;
  for (std::size_t i = 0; i < nodes.least.size(); ++i) {
    ranges.push_back(nodes.least[i]);
    ranges.push_back(nodes.greatest[i]);
  }
  return nb::make_tuple(sums, nb::cast(to_numpy(std::move(ranges), {n, 2})));
}

using Counts = std::vector<std::int64_t>;

template <class T>
nb::object as_type(std::span<const std::int64_t> sums, std::size_t width) {
  std::vector<T> small(sums.begin(), sums.end());
  return nb::cast(to_numpy(std::move(small), {sums.size() / width, width}));
}

// The sums of one node in as few bytes each as they need.
nb::object in_few_bytes(std::span<const std::int64_t> sums, std::size_t width) {
  std::int64_t all = 0;
  bool negative = false;
  for (const std::int64_t sum : sums) {
    all |= sum;
    negative |= sum < 0;
  }
  if (!negative && all < 0x100) return as_type<std::uint8_t>(sums, width);
  if (!negative && all < 0x10000) return as_type<std::uint16_t>(sums, width);
  if (!negative && all < 0x100000000) return as_type<std::uint32_t>(sums, width);
  return as_type<std::int64_t>(sums, width);
}

// A target of objects, of which all is known.
Target object_target(const TargetHeader& header, const Vector<std::uint32_t>& labels,
                     const Vector<std::int64_t>& growth, const Vector<std::int64_t>& sample,
                     const Vector<std::uint32_t>& multiplicity, const Vector<std::int64_t>& moment,
                     const Vector<std::int64_t>& square, const Vector<double>& values) {
  Target target;
  static_cast<TargetScale&>(target) = header;
  const auto copied = [](const auto& array, auto& to) {
    to.assign(array.data(), array.data() + array.size());
  };
  target.n_rows = labels.size();
  copied(labels, target.labels);
  copied(growth, target.growth);
  copied(sample, target.sample);
  copied(multiplicity, target.multiplicity);
  copied(moment, target.moment);
  copied(square, target.square);
  copied(values, target.values);
  return target;
}

// 128 bits of a hash of each row's codes.
Array<std::uint64_t> row_hashes(const Table& table) {
  const std::uint64_t seeds[2] = {0x2545F4914F6CDD1DULL, 0x9E6C63D0876A9A47ULL};
  std::vector<std::uint64_t> hashes(2 * table.n_rows);
  for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = seeds[i % 2];
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    for (std::size_t row = 0; row < table.n_rows; ++row) {
      const std::uint64_t code = table.code(row, c);
      for (std::size_t half = 0; half < 2; ++half) {
        std::uint64_t& hash = hashes[2 * row + half];
        hash = (hash ^ code) * (half == 0 ? 0x9E3779B97F4A7C15ULL : 0xD1342543DE82EF95ULL);
        hash ^= hash >> (half == 0 ? 29 : 32);
      }
    }
  }
  const std::size_t n = table.n_rows;
  return to_numpy(std::move(hashes), {n, 2});
}

// The counter with how many statistics its answers have.
struct BoundCounter {
  BoundCounter(const Table& table, const Target& target, const std::vector<NamedStatistic>& of_code,
               const std::vector<NamedStatistic>& of_node, std::int64_t heavy_above, BehindFigures behind,
               std::shared_ptr<const ExactValues> exact)
      : counter(table, target, statistics_of(of_code), statistics_of(of_node), heavy_above, std::move(behind),
                std::move(exact)),
        of_code(of_code.size()),
        of_node(of_node.size()) {}

  PartCounter counter;
  std::size_t of_code, of_node;
};

BehindFigures behind_figures(const std::map<NamedStatistic, Vector<std::int64_t>>& given) {
  BehindFigures figures;
  for (const auto& [named, values] : given)
    figures[{figure_of(named.first), named.second}] = {values.data(), values.data() + values.size()};
  return figures;
}

// The caller must keep the arrays.
std::shared_ptr<const ExactValues> exact_values(const Table& table,
                                                const std::map<std::uint32_t, AnyArray>& given) {
  if (given.empty()) return nullptr;
  std::vector<ExactValues::Known> known;
  for (const auto& [column, values] : given) {
    if (column >= table.columns.size() || !table.columns[column].narrow || values.ndim() != 1 ||
        values.shape(0) != table.n_rows)
      throw BadInput("values must be those of a column of spans, one for each row");
    known.push_back({column, source_of(values, values.stride(0))});
  }
  return std::make_shared<ExactValues>(std::move(known), table.columns.size(), table.n_rows, std::nullopt);
}

// (how many entries each request has, key, low, high, sums)
nb::tuple opened(std::vector<PartCounter::OpenedPart> parts, std::size_t width) {
  std::vector<std::int64_t> sizes, sums;
  std::vector<double> key, low, high;
  for (const auto& part : parts) {
    sizes.push_back(static_cast<std::int64_t>(part.key.size()));
    key.insert(key.end(), part.key.begin(), part.key.end());
    low.insert(low.end(), part.code.low.begin(), part.code.low.end());
    high.insert(high.end(), part.code.high.begin(), part.code.high.end());
    sums.insert(sums.end(), part.code.sums.begin(), part.code.sums.end());
  }
  return nb::make_tuple(to_numpy(std::move(sizes)), to_numpy(std::move(key)), to_numpy(std::move(low)),
                        to_numpy(std::move(high)), in_few_bytes(sums, width));
}

using RequestState = std::tuple<int, std::uint32_t, std::uint32_t, double, double, int, std::vector<double>>;

}  // namespace

void register_parts(nb::module_& m) {
  nb::class_<OpenRequest>(m, "OpenRequest", "What is asked of the values behind a code at a node.")
      .def_ro("node", &OpenRequest::node)
      .def_ro("column", &OpenRequest::column)
      .def_ro("code", &OpenRequest::code)
      .def_prop_ro(
          "by_value", [](const OpenRequest& r) { return r.by == OpenRequest::By::value; },
          "Whether every value makes an entry, of which it is all that must be told.")
      .def("__getstate__",
           [](const OpenRequest& r) {
             return RequestState(r.node, r.column, r.code, r.above, r.up_to, static_cast<int>(r.by), r.edges);
           })
      .def("__setstate__", [](OpenRequest& self, const RequestState& state) {
        new (&self) OpenRequest{std::get<0>(state), std::get<1>(state),
                                std::get<2>(state), std::get<3>(state),
                                std::get<4>(state), static_cast<OpenRequest::By>(std::get<5>(state)),
                                std::get<6>(state)};
      });
  m.def("summarise_columns", &summarise_columns, "arrays"_a, "n_rows"_a, "limit"_a,
        "By column of numbers: its distinct values, ascending (None: more than `limit`), whether some are "
        "missing, the least and the largest.");
  m.def(
      "bin_edges",
      [](const Vector<double>& values, const Vector<double>& weights, double low, double high,
         std::uint32_t max_bins, const std::string& binning) {
        return to_numpy(edges_of(values, weights, low, high, max_bins, binning));
      },
      "values"_a, "weights"_a, "low"_a, "high"_a, "max_bins"_a, "binning"_a,
      "The edges of at most max_bins bins, from distinct values, ascending, with their weights, and the "
      "least and the largest of all rows.");
  m.def("rows_for_edges", &rows_for_edges, "n_rows"_a, "The rows that edges of bins are made from.");
  m.def("rows_for_a_look", &rows_for_a_look, "n_rows"_a,
        "The rows that first tell few-valued columns from others.");

  m.def("object_target", &object_target, "header"_a, "labels"_a, "growth"_a, "sample"_a, "multiplicity"_a,
        "moment"_a, "square"_a, "values"_a, "The target of objects, in fixed point, of which all is known.");
  m.def("row_hashes", &row_hashes, "table"_a, "128 bits of a hash of each row's codes.");

  nb::class_<BoundCounter>(m, "PartCounter", "Counts the rows of one part of a table.")
      .def(
          "__init__",
          [](BoundCounter* self, const Table& table, const Target& target,
             const std::vector<NamedStatistic>& of_code, const std::vector<NamedStatistic>& of_node,
             std::int64_t heavy_above, const std::map<NamedStatistic, Vector<std::int64_t>>& behind,
             const std::map<std::uint32_t, AnyArray>& values) {
            BehindFigures figures = behind_figures(behind);
            auto exact = exact_values(table, values);
            nb::gil_scoped_release unlocked;
            new (self) BoundCounter(table, target, of_code, of_node, heavy_above, std::move(figures),
                                    std::move(exact));
          },
          "table"_a, "target"_a, "of_code"_a, "of_node"_a, "heavy_above"_a,
          "behind"_a = std::map<NamedStatistic, Vector<std::int64_t>>(),
          "values"_a = std::map<std::uint32_t, AnyArray>(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 8>(),
          "Node 0 has all rows. `behind`: by statistic, what the rows behind each object sum up to. "
          "`values`: "
          "by column of spans, the number of each row.")
      .def(
          "divide",
          [](BoundCounter& self, int node, const Partition& partition, int first_child) {
            nb::gil_scoped_release unlocked;
            self.counter.divide(node, partition, first_child);
          },
          "node"_a, "partition"_a, "first_child"_a, "Rows move to their child.")
      .def(
          "close", [](BoundCounter& self, int node) { self.counter.close(node); }, "node"_a,
          "The node will not be asked for again.")
      .def(
          "count",
          [](BoundCounter& self, const std::vector<int>& nodes, const std::vector<std::uint32_t>& columns,
             const std::vector<std::int64_t>& weights) {
            Counts sums;
            {
              nb::gil_scoped_release unlocked;
              sums = self.counter.count(nodes, columns, weights);
            }
            nb::list by_node;
            const std::size_t n = nodes.empty() ? 0 : sums.size() / nodes.size();
            for (std::size_t i = 0; i < nodes.size(); ++i)
              by_node.append(in_few_bytes(std::span(sums).subspan(i * n, n), self.of_code));
            return by_node;
          },
          "nodes"_a, "columns"_a, "weights"_a,
          "For each node the sums by code of each column and by statistic, in as few bytes as they need.")
      .def(
          "totals",
          [](BoundCounter& self, const std::vector<int>& nodes, const std::vector<std::int64_t>& weights) {
            SummedNodes found;
            {
              nb::gil_scoped_release unlocked;
              found = self.counter.totals(nodes, weights);
            }
            return summed(std::move(found), self.of_node);
          },
          "nodes"_a, "weights"_a, "Sums by node and statistic, and the ranges of numbers or None.")
      .def(
          "peek",
          [](BoundCounter& self, int node, const Partition& partition,
             const std::vector<std::int64_t>& weights) {
            SummedNodes found;
            {
              nb::gil_scoped_release unlocked;
              found = self.counter.peek(node, partition, weights);
            }
            return summed(std::move(found), self.of_node);
          },
          "node"_a, "partition"_a, "weights"_a, "The totals of the children that a node would have.")
      .def(
          "open_codes",
          [](BoundCounter& self, const std::vector<OpenRequest>& requests) {
            std::vector<PartCounter::OpenedPart> found;
            {
              nb::gil_scoped_release unlocked;
              found = self.counter.open_codes(requests);
            }
            return opened(std::move(found), self.of_code);
          },
          "requests"_a,
          "How many entries each request has; of all entries, one after the other: what those of several "
          "parts are brought together by, the least and the largest value, and sums by statistic.")
      .def(
          "count_combinations",
          [](BoundCounter& self, int node, const std::vector<std::uint32_t>& columns, std::int64_t weight) {
            PartCounter::Combinations found;
            {
              nb::gil_scoped_release unlocked;
              found = self.counter.count_combinations(node, columns, weight);
            }
            const std::size_t n = found.sums.size() / self.of_code;
            return nb::make_tuple(to_numpy(std::move(found.codes), {n, columns.size()}),
                                  to_numpy(std::move(found.sums), {n, self.of_code}));
          },
          "node"_a, "columns"_a, "weight"_a, "The combinations of codes that a node has, and their sums.");
}

}  // namespace thriftree::bindings
