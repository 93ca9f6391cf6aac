#include "rows/named_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "rows/rows_behind.hpp"
#include "run/control.hpp"

namespace thriftree {

namespace {

// Reads sums in the order in which they were listed.
class Reader {
 public:
  explicit Reader(std::span<const std::int64_t> sums) : sums_(sums) {}
  std::int64_t next() { return sums_[at_++]; }
  int128 next_of_two() {
    const int128 high = next();
    return high * (int128{1} << 32) + next();
  }

 private:
  std::span<const std::int64_t> sums_;
  std::size_t at_ = 0;
};

void add_groups(std::vector<Statistic>& list, Figure figure, std::int32_t n) {
  for (std::int32_t k = 0; k < n; ++k) list.push_back({figure, k});
}

void add_plain(std::vector<Statistic>& list, const TargetHeader& target) {
  if (target.n_classes > 0) {
    add_groups(list, Figure::weight, target.n_classes);
  } else {
    list.insert(list.end(), {{Figure::weight}, {Figure::moment_high}, {Figure::moment_low}});
  }
}

void add_heavy(std::vector<Statistic>& list, const Statistics& statistics) {
  if (statistics.heavy_weight) list.push_back({Figure::heavy_weight});
  if (statistics.heavy_terms) list.insert(list.end(), {{Figure::heavy_term}, {Figure::dominant_weight}});
}

constexpr const char* figure_names[] = {"objects",
                                        "members",
                                        "weight",
                                        "sample_weight",
                                        "moment_high",
                                        "moment_low",
                                        "square_high",
                                        "square_low",
                                        "heavy_weight",
                                        "heavy_term",
                                        "dominant_weight",
                                        "square_above",
                                        "rows_behind",
                                        "weight_behind",
                                        "sample_weight_behind",
                                        "moment_behind_high",
                                        "moment_behind_low",
                                        "square_behind_high",
                                        "square_behind_low"};

}  // namespace

const char* name_of(Figure figure) { return figure_names[static_cast<std::size_t>(figure)]; }

Figure figure_of(const std::string& name) {
  for (std::size_t i = 0; i < std::size(figure_names); ++i) {
    if (name == figure_names[i]) return static_cast<Figure>(i);
  }
  throw BadInput("there is no figure " + name);
}

NamedStatistics::NamedStatistics(const Statistics& statistics, const TargetHeader& counted,
                                 const TargetHeader* rows, bool spans)
    : heavy_above(statistics.heavy_above),
      terms(statistics.heavy_terms),
      ranges(counted.n_classes == 0),
      statistics_(statistics),
      counted_(counted),
      rows_(rows ? *rows : counted),
      behind_(rows != nullptr),
      grouped_(counted.n_classes > 0 || counted.n_bins > 0) {
  const auto n_groups = counted.n_groups();
  of_code = {{statistics.members ? Figure::members : Figure::objects}};
  add_plain(of_code, counted);
  if (statistics.counts) add_groups(of_code, Figure::objects, n_groups);
  add_heavy(of_code, statistics);
  if (ranges && spans) of_code.push_back({Figure::square_above});

  of_node = {{Figure::objects}};
  if (statistics.members) of_node.push_back({Figure::members});
  if (counted.samples) of_node.push_back({Figure::sample_weight});
  add_groups(of_node, Figure::objects, n_groups);
  add_plain(of_node, counted);
  if (ranges) of_node.insert(of_node.end(), {{Figure::square_high}, {Figure::square_low}});
  add_heavy(of_node, statistics);
  if (!behind_) return;
  of_node.push_back({Figure::rows_behind});
  if (rows_.samples) of_node.push_back({Figure::sample_weight_behind});
  if (rows_.n_classes > 0) {
    add_groups(of_node, Figure::weight_behind, rows_.n_classes);
  } else {
    of_node.insert(of_node.end(), {{Figure::weight_behind},
                                   {Figure::moment_behind_high},
                                   {Figure::moment_behind_low},
                                   {Figure::square_behind_high},
                                   {Figure::square_behind_low}});
  }
}

double moment_rounding(const TargetHeader& target, double largest) {
  if (!target.weighted) return target.moment_unit;
  return (target.moment_unit + largest * target.growth_unit) /
         (static_cast<double>(target.lightest) * target.growth_unit);
}

std::int64_t NamedStatistics::weight_of(std::span<const std::int64_t> code_sums) const {
  const auto n = static_cast<std::size_t>(counted_.n_classes > 0 ? counted_.n_classes : 1);
  std::int64_t weight = 0;
  for (std::size_t k = 1; k <= n; ++k) weight += code_sums[k];
  return weight;
}

void NamedStatistics::set_runs(std::span<const std::int64_t> sums, ColumnRuns& out) const {
  const std::size_t width = of_code.size(), n = sums.size() / width;
  out.clear();
  if (statistics_.width() != statistics_.base || ranges) {
    for (std::size_t i = 0; i < n; ++i) {
      if (sums[i * width] != 0)
        append_run(static_cast<std::uint32_t>(i), sums.subspan(i * width, width), out);
    }
    return;
  }
  // The common case, classes alone, without a call per code.
  const std::size_t n_classes = width - 1;
  out.codes.resize(n);
  out.rows.resize(n);
  out.totals.resize(n);
  out.sums.resize(n * n_classes);
  std::size_t m = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t* from = sums.data() + i * width;
    double* to = out.sums.data() + m * n_classes;
    double total = 0;
    for (std::size_t k = 0; k < n_classes; ++k)
      total += to[k] = static_cast<double>(from[k + 1]) * counted_.growth_unit;
    out.codes[m] = static_cast<std::uint32_t>(i);
    out.rows[m] = from[0];
    out.totals[m] = total;
    m += from[0] != 0;
  }
  out.codes.resize(m);
  out.rows.resize(m);
  out.totals.resize(m);
  out.sums.resize(m * n_classes);
}

void NamedStatistics::set_exact(std::span<const std::int64_t> sums, ColumnRuns& out) const {
  if (statistics_.width() != statistics_.base || (!ranges && !counted_.weighted)) return;
  const std::size_t width = of_code.size();
  out.exact_unit = counted_.growth_unit;
  out.exact_moment_unit = counted_.moment_unit;
  for (const std::uint32_t code : out.codes) {
    Reader from(sums.subspan(code * width, width));
    from.next();
    for (std::size_t k = 0; k < (ranges ? 1 : statistics_.base); ++k) out.exact.push_back(from.next());
    if (ranges) out.exact.push_back(from.next_of_two());
  }
}

void NamedStatistics::append_run(std::uint32_t code, std::span<const std::int64_t> sums,
                                 ColumnRuns& out) const {
  Reader from(sums);
  out.codes.push_back(code);
  out.rows.push_back(from.next());
  double total = 0;
  const auto n_weights = static_cast<std::size_t>(counted_.n_classes > 0 ? counted_.n_classes : 1);
  for (std::size_t k = 0; k < n_weights; ++k) {
    out.sums.push_back(static_cast<double>(from.next()) * counted_.growth_unit);
    total += out.sums.back();
  }
  if (ranges) out.sums.push_back(static_cast<double>(from.next_of_two()) * counted_.moment_unit);
  for (std::size_t k = 0; statistics_.counts && k < statistics_.n_groups; ++k)
    out.sums.push_back(static_cast<double>(from.next()));
  if (statistics_.heavy_weight) out.sums.push_back(static_cast<double>(from.next()) * counted_.growth_unit);
  if (statistics_.heavy_terms) {
    out.sums.push_back(static_cast<double>(from.next()) * kTermUnit);
    out.sums.push_back(static_cast<double>(from.next()) * counted_.growth_unit);
  }
  out.totals.push_back(total);
}

NodeTotals NamedStatistics::totals(std::span<const std::int64_t> sums, double least, double greatest) const {
  Reader from(sums);
  NodeTotals result;
  result.objects = from.next();
  result.rows = statistics_.members ? from.next() : result.objects;
  const std::int64_t sample = counted_.samples ? from.next() : 0;
  std::vector<std::int64_t> counts;
  std::int64_t before = 0;
  std::size_t present = 0;
  result.pairs = 0;
  for (std::int32_t k = 0; k < counted_.n_groups(); ++k) {
    counts.push_back(from.next());
    present += counts.back() > 0;
    result.pairs += static_cast<double>(before) * static_cast<double>(counts.back());
    before += counts.back();
  }
  result.pure = (grouped_ && present <= 1) || (ranges && least == greatest);
  if (ranges) {
    const double low = least - counted_.center, high = greatest - counted_.center;
    const double rounding = moment_rounding(counted_, std::max(std::abs(low), std::abs(high)));
    result.lowest = low - rounding;
    result.highest = high + rounding;
  }
  const std::int32_t n_weights = counted_.n_classes > 0 ? counted_.n_classes : 1;
  for (std::int32_t k = 0; k < n_weights; ++k) {
    result.sums.push_back(static_cast<double>(from.next()) * counted_.growth_unit);
    result.total += result.sums.back();
  }
  double square = 0;
  if (ranges) {
    result.sums.push_back(static_cast<double>(from.next_of_two()) * counted_.moment_unit);
    square = static_cast<double>(from.next_of_two()) * counted_.square_unit;
  }
  if (statistics_.counts) result.sums.insert(result.sums.end(), counts.begin(), counts.end());
  if (statistics_.heavy_weight)
    result.sums.push_back(static_cast<double>(from.next()) * counted_.growth_unit);
  if (statistics_.heavy_terms) {
    result.sums.push_back(static_cast<double>(from.next()) * kTermUnit);
    result.sums.push_back(static_cast<double>(from.next()) * counted_.growth_unit);
  }
  if (ranges) result.sums.push_back(square);
  result.weight = sample_weight_of(counted_, counted_.samples, result.objects, result.total, sample);
  if (!behind_) return result;
  RowTotals& rows = result.behind.emplace();
  rows.rows = from.next();
  const std::int64_t sample_behind = rows_.samples ? from.next() : 0;
  for (std::int32_t k = 0; k < n_weights; ++k) {
    rows.sums.push_back(static_cast<double>(from.next()) * rows_.growth_unit);
    rows.total += rows.sums.back();
  }
  if (ranges) {
    rows.sums.push_back(static_cast<double>(from.next_of_two()) * rows_.moment_unit);
    rows.sums.push_back(static_cast<double>(from.next_of_two()) * rows_.square_unit);
  }
  rows.weight = sample_weight_of(rows_, rows_.samples, rows.rows, rows.total, sample_behind);
  return result;
}

}  // namespace thriftree
