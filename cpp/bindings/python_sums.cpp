// A row store in Python: rows are counted there, and sums cross as whole arrays, once a batch.
#include <nanobind/stl/vector.h>

#include <cmath>

#include "bindings/arrays.hpp"
#include "bindings/seams.hpp"
#include "run/control.hpp"

namespace nb = nanobind;

namespace thriftree::bindings {

namespace {

template <class T>
nb::list list_of(std::span<const T> values) {
  nb::list list;
  for (const T& value : values) list.append(value);
  return list;
}

nb::list named(const std::vector<Statistic>& statistics) {
  nb::list list;
  for (const Statistic& one : statistics) list.append(nb::make_tuple(name_of(one.figure), one.group));
  return list;
}

class PythonSums final : public SumSource {
 public:
  explicit PythonSums(nb::object store) : store_(std::move(store)) {
    if (!nb::hasattr(store_, "preferred_batch_rows")) return;
    const auto rows = answer_as<double>(store_.attr("preferred_batch_rows"),
                                        "preferred_batch_rows must be a number of rows");
    if (!(rows >= 1)) throw BadInput("preferred_batch_rows must be at least 1 row");
    if (rows < 0x1p62) preferred_batch_rows_ = static_cast<std::int64_t>(rows);
  }
  ~PythonSums() override {
    nb::gil_scoped_acquire gil;
    store_.reset();
  }

  std::int64_t preferred_batch_rows() const override { return preferred_batch_rows_; }

  void prepare(const NamedStatistics& statistics) override {
    nb::gil_scoped_acquire gil;
    ranges_ = statistics.ranges;
    store_.attr("prepare")(named(statistics.of_code), named(statistics.of_node), statistics.heavy_above);
  }
  SummedNodes open_root(std::int64_t weight) override {
    nb::gil_scoped_acquire gil;
    return nodes_from(store_.attr("open_root")(weight));
  }
  std::vector<std::int64_t> count(std::span<const int> nodes, std::span<const std::uint32_t> columns,
                                  std::span<const std::int64_t> weights) override {
    nb::gil_scoped_acquire gil;
    return integers(store_.attr("count")(list_of(nodes), list_of(columns), list_of(weights)));
  }
  SummedNodes divide(std::span<const DivideRequest> requests,
                     std::span<const std::int64_t> weights) override {
    nb::gil_scoped_acquire gil;
    nb::list nodes, partitions, first_children;
    for (const auto& request : requests) {
      nodes.append(request.node);
      partitions.append(*request.partition);
      first_children.append(request.first_child);
    }
    return nodes_from(store_.attr("divide")(nodes, partitions, first_children, list_of(weights)));
  }
  SummedNodes peek(int node, const Partition& partition, std::span<const std::int64_t> weights) override {
    nb::gil_scoped_acquire gil;
    return nodes_from(store_.attr("peek")(node, partition, list_of(weights)));
  }
  std::vector<std::int64_t> count_combinations(int node, std::span<const std::uint32_t> columns,
                                               std::int64_t weight) override {
    nb::gil_scoped_acquire gil;
    return integers(store_.attr("count_combinations")(node, list_of(columns), weight));
  }
  std::vector<OpenedCode> open_codes(std::span<const OpenRequest> requests) override {
    nb::gil_scoped_acquire gil;
    nb::list asked;
    for (const OpenRequest& request : requests) asked.append(request);
    std::vector<OpenedCode> opened;
    const nb::object answers = store_.attr("open_codes")(asked);
    for (nb::handle answer : answers) {
      if (!nb::isinstance<nb::sequence>(answer) || nb::len(answer) != 3)
        throw nb::type_error("open_codes must answer (low, high, sums) for each request");
      opened.push_back({to_vector<double>(answer[0], "float64"), to_vector<double>(answer[1], "float64"),
                        integers(answer[2])});
    }
    return opened;
  }
  void tell_cut(int node, std::span<const std::int64_t> sums) override {
    nb::gil_scoped_acquire gil;
    store_.attr("tell_cut")(node, list_of(sums));
  }
  void close(std::span<const int> nodes) override {
    nb::gil_scoped_acquire gil;
    if (nb::hasattr(store_, "close")) store_.attr("close")(list_of(nodes));
  }

 private:
  static std::pair<nb::object, nb::object> pair_of(nb::handle answer, const char* wanted) {
    if (!nb::isinstance<nb::sequence>(answer) || nb::len(answer) != 2) throw nb::type_error(wanted);
    return {answer[0], answer[1]};
  }

  // Sums are exact: an array of floats is refused.
  static std::vector<std::int64_t> integers(nb::handle answer) {
    const nb::object array = nb::module_::import_("numpy").attr("asarray")(answer);
    const auto kind = nb::cast<std::string>(nb::str(array.attr("dtype").attr("kind")));
    if (kind != "i" && kind != "u") throw nb::type_error("a row store must answer with arrays of integers");
    return to_vector<std::int64_t>(array, "int64");
  }

  SummedNodes nodes_from(nb::handle answer) const {
    if (!ranges_) return {integers(answer), {}, {}};
    const auto [sums, ranges] = pair_of(answer, "totals of numbers are (sums, ranges[nodes, 2])");
    SummedNodes nodes{integers(sums), {}, {}};
    const auto ends = to_vector<double>(ranges, "float64");
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
      nodes.least.push_back(ends[i]);
      nodes.greatest.push_back(ends[i + 1]);
    }
    return nodes;
  }

  nb::object store_;
  std::int64_t preferred_batch_rows_ = kWholeLevel;
  bool ranges_ = false;
};

}  // namespace

std::unique_ptr<SumSource> python_sums(nb::object store) {
  return std::make_unique<PythonSums>(std::move(store));
}

}  // namespace thriftree::bindings
