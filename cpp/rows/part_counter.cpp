#include "rows/part_counter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "rows/divide_rows.hpp"
#include "run/control.hpp"

namespace thriftree {

namespace {

bool any_of_figure(const std::vector<Statistic>& list, Figure figure, bool grouped = false) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Statistic& s) { return s.figure == figure && (!grouped || s.group >= 0); });
}

Statistics statistics_for(const Target& target, const std::vector<Statistic>& of_code,
                          std::int64_t heavy_above) {
  Statistics statistics = plain_statistics(target);
  statistics.counts = any_of_figure(of_code, Figure::objects, true);
  statistics.heavy_weight = any_of_figure(of_code, Figure::heavy_weight);
  statistics.heavy_terms = any_of_figure(of_code, Figure::heavy_term);
  statistics.members = any_of_figure(of_code, Figure::members);
  statistics.heavy_above = heavy_above;
  return statistics;
}

constexpr std::int64_t high_half(std::int64_t x) { return x >> 32; }
constexpr std::int64_t low_half(std::int64_t x) { return x & 0xFFFFFFFF; }

}  // namespace

PartCounter::PartCounter(const Table& table, Target target, std::vector<Statistic> of_code,
                         std::vector<Statistic> of_node, std::int64_t heavy_above, BehindFigures behind,
                         std::shared_ptr<const ExactValues> exact)
    : table_(table),
      target_(std::move(target)),
      of_code_(std::move(of_code)),
      of_node_(std::move(of_node)),
      behind_(std::move(behind)),
      exact_(std::move(exact)),
      statistics_(statistics_for(target_, of_code_, heavy_above)),
      counting_(target_, statistics_),
      slots_(table, target_, true),
      rows_(table.n_rows) {
  if (target_.n_rows != table.n_rows) throw BadInput("the target must have one entry per row of the table");
  if (statistics_.heavy_terms) terms_.resize(table.n_rows);
  if (any_of_figure(of_code_, Figure::square_above)) {
    counting_.count_squares();
    squares_a_step_ = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(counting_.square_step / target_.square_unit * 0x1p-32)));
  }
  open_root();
}

void PartCounter::open_root() {
  Node root;
  root.end = rows_.size();
  root.class_begin.assign(static_cast<std::size_t>(target_.n_groups()) + 1, 0);
  if (target_.labels.empty()) {
    std::iota(rows_.begin(), rows_.end(), 0U);
    root.class_begin.back() = static_cast<std::uint32_t>(rows_.size());
  } else {
    for (std::uint32_t label : target_.labels) ++root.class_begin[label + 1];
    std::partial_sum(root.class_begin.begin(), root.class_begin.end(), root.class_begin.begin());
    std::vector<std::uint32_t> next(root.class_begin.begin(), root.class_begin.end() - 1);
    for (std::size_t row = 0; row < rows_.size(); ++row)
      rows_[next[target_.labels[row]]++] = static_cast<std::uint32_t>(row);
  }
  nodes_.clear();
  nodes_[0] = std::move(root);
}

const PartCounter::Node& PartCounter::node(int id) const {
  const auto at = nodes_.find(id);
  if (at == nodes_.end()) throw BadInput("node " + std::to_string(id) + " is not known to this part");
  return at->second;
}

void PartCounter::divide(int id, const Partition& partition, int first_child) {
  const Node parent = node(id);
  RowDivision division;
  division.rows = rows_.data() + parent.begin;
  division.class_begin = &parent.class_begin;
  divide_rows(table_, partition, nullptr, false, scratch_, division, exact_.get());
  std::size_t position = parent.begin;
  for (std::size_t v = 0; v < division.branch_class_begin.size(); ++v) {
    Node child;
    child.class_begin = std::move(division.branch_class_begin[v]);
    child.begin = position;
    child.end = position += child.class_begin.back();
    nodes_[first_child + static_cast<int>(v)] = std::move(child);
  }
}

std::int64_t PartCounter::figure(const Statistic& statistic, std::size_t row) const {
  const std::int64_t weight = target_.weighted() ? target_.growth[row] : 1;
  switch (statistic.figure) {
    case Figure::objects:
      return 1;
    case Figure::members:
      return target_.multiplicity.empty() ? 1 : target_.multiplicity[row];
    case Figure::weight:
      return weight;
    case Figure::sample_weight:
      return target_.sample.empty() ? weight : target_.sample[row];
    case Figure::moment_high:
      return high_half(target_.moment[row]);
    case Figure::moment_low:
      return low_half(target_.moment[row]);
    case Figure::square_high:
      return high_half(target_.square[row]);
    case Figure::square_low:
      return low_half(target_.square[row]);
    case Figure::square_above:
      return high_half(target_.square[row]) + 1;
    case Figure::heavy_weight:
      return weight > statistics_.heavy_above ? weight : 0;
    case Figure::heavy_term:
      return terms_[row];
    case Figure::dominant_weight:
      return dominant_ == static_cast<std::int64_t>(row) ? weight : 0;
    default:
      return behind_.at({statistic.figure, statistic.group})[row];
  }
}

void PartCounter::add_row(std::span<const Statistic> statistics, std::size_t row, std::int64_t* sums) const {
  const auto label = target_.labels.empty() ? 0 : static_cast<std::int32_t>(target_.labels[row]);
  for (std::size_t s = 0; s < statistics.size(); ++s) {
    const bool of_group = statistics[s].group < 0 || statistics[s].group == label ||
                          statistics[s].figure == Figure::weight_behind;
    if (of_group) sums[s] += figure(statistics[s], row);
  }
}

void PartCounter::prepare_terms(std::span<const std::uint32_t> rows, std::int64_t weight) {
  dominant_ = -1;
  heavy_rows_.clear();
  if (!statistics_.heavy_terms && !statistics_.heavy_weight) return;
  for (const std::uint32_t row : rows) {
    const std::int64_t w = target_.weighted() ? target_.growth[row] : 1;
    if (statistics_.heavy_terms) terms_[row] = 0;
    if (w <= statistics_.heavy_above) continue;
    heavy_rows_.push_back(row);
    if (!statistics_.heavy_terms) continue;
    if (w > weight - w) {
      dominant_ = row;
    } else {
      terms_[row] = std::llround(static_cast<double>(w) / static_cast<double>(weight - w) / kTermUnit);
    }
  }
}

void PartCounter::add_totals(std::span<const std::uint32_t> rows, std::int64_t weight, SummedNodes& out) {
  prepare_terms(rows, weight);
  const std::size_t first = out.sums.size();
  out.sums.resize(first + of_node_.size(), 0);
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  for (const std::uint32_t row : rows) {
    add_row(of_node_, row, out.sums.data() + first);
    if (target_.n_classes > 0) continue;
    least = std::min(least, target_.values[row]);
    greatest = std::max(greatest, target_.values[row]);
  }
  if (target_.n_classes > 0) return;
  out.least.push_back(least);
  out.greatest.push_back(greatest);
}

SummedNodes PartCounter::totals(std::span<const int> nodes, std::span<const std::int64_t> weights) {
  SummedNodes out;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    add_totals(rows_of(node(nodes[i])), weights.empty() ? 0 : weights[i], out);
  return out;
}

SummedNodes PartCounter::peek(int id, const Partition& partition, std::span<const std::int64_t> weights) {
  const Node& parent = node(id);
  std::vector<std::uint32_t> rows(rows_of(parent).begin(), rows_of(parent).end());
  RowDivision division;
  division.rows = rows.data();
  division.class_begin = &parent.class_begin;
  divide_rows(table_, partition, nullptr, false, scratch_, division, exact_.get());
  SummedNodes out;
  std::size_t position = 0;
  for (std::size_t v = 0; v < division.branch_class_begin.size(); ++v) {
    const std::size_t n = division.branch_class_begin[v].back();
    add_totals(std::span(rows).subspan(position, n), weights.empty() ? 0 : weights[v], out);
    position += n;
  }
  return out;
}

template <class Take>
void PartCounter::with_reader(const Statistic& statistic, const Take& take) const {
  const std::size_t n = slots_.n, group = static_cast<std::size_t>(std::max(statistic.group, 0));
  const Histogram& sums = histogram_;
  const NumberSums* const numbers = sums.numbers.data();
  const std::int64_t* const weights = sums.weights.data();
  const std::uint32_t* const rows = sums.rows.data();
  const bool packed = !counting_.packed.empty();
  const auto rows_of_group = [&] {
    if (packed) {
      take([=](std::size_t slot) -> std::int64_t {
        return static_cast<std::uint32_t>(weights[group * n + slot]);
      });
    } else {
      take([=](std::size_t slot) -> std::int64_t { return rows[group * n + slot]; });
    }
  };
  switch (statistic.figure) {
    case Figure::members:
      return take([&](std::size_t slot) -> std::int64_t { return sums.members[slot]; });
    case Figure::weight:
      if (counting_.moments && target_.weighted())
        return take([=](std::size_t slot) { return numbers[slot].weight; });
      if (counting_.moments) break;
      if (packed) {
        const int zeros = counting_.packed_zeros;
        return take([=](std::size_t slot) { return weights[group * n + slot] >> 32 << zeros; });
      }
      if (target_.weighted()) return take([=](std::size_t slot) { return weights[group * n + slot]; });
      return rows_of_group();
    case Figure::moment_high:
      return take([=](std::size_t slot) { return static_cast<std::int64_t>(numbers[slot].high); });
    case Figure::moment_low:
      return take([=](std::size_t slot) { return static_cast<std::int64_t>(numbers[slot].low); });
    case Figure::square_above:
      return take([=, a_step = squares_a_step_](std::size_t slot) { return numbers[slot].steps() * a_step; });
    case Figure::heavy_weight:
      return take([&](std::size_t slot) { return sums.heavy[slot]; });
    case Figure::heavy_term:
      return take([&](std::size_t slot) { return sums.terms[slot]; });
    case Figure::dominant_weight:
      return;  // whoever knows its row adds it
    default:
      if (statistic.group >= 0) return rows_of_group();  // objects of a class or bin
  }
  if (counting_.moments) return take([=](std::size_t slot) -> std::int64_t { return numbers[slot].rows(); });
  const std::size_t groups = packed ? counting_.weight_groups : counting_.row_groups;
  take([=](std::size_t slot) {
    std::int64_t all = 0;
    for (std::size_t k = 0; k < groups; ++k)
      all += packed ? static_cast<std::uint32_t>(weights[k * n + slot]) : rows[k * n + slot];
    return all;
  });
}

// `out` is that of the first of these columns; wide ones among them are left alone.
void PartCounter::count_narrow(const Node& n, std::span<const std::uint32_t> columns, std::int64_t* out) {
  histogram_.allocate(counting_, slots_.n);
  histogram_.clear_recounted(counting_, slots_.n);
  const NodeRows node_rows{rows_.data() + n.begin, n.class_begin};
  const auto rows = rows_of(n);
  for (const std::uint32_t block : slots_.blocks) {
    const auto& held = table_.blocks[block].columns;
    const bool wanted = std::any_of(columns.begin(), columns.end(), [&](std::uint32_t c) {
      return std::find(held.begin(), held.end(), c) != held.end();
    });
    if (!wanted) continue;
    count_block(table_, counting_, slots_, block, node_rows, 0, rows.size(), histogram_);
    if (statistics_.recounted())
      recount_block(table_, counting_, slots_, block, rows,
                    statistics_.heavy_weight ? std::span<const std::uint32_t>(heavy_rows_) : rows, terms_,
                    histogram_);
  }
  const std::size_t width = of_code_.size();
  for (std::size_t s = 0; s < width; ++s) {
    with_reader(of_code_[s], [&](const auto& sum_in) {
      std::int64_t* at = out + s;
      for (const std::uint32_t c : columns) {
        const std::size_t n_codes = table_.columns[c].n_codes, first = slots_.offset[c];
        for (std::size_t code = 0; table_.columns[c].narrow && code < n_codes; ++code)
          at[code * width] = sum_in(first + code);
        at += n_codes * width;
      }
    });
  }
}

void PartCounter::count_wide(const Node& n, std::uint32_t column, std::int64_t* out) const {
  const auto& codes = table_.wide[table_.columns[column].wide];
  const std::size_t width = of_code_.size();
  for (const std::uint32_t row : rows_of(n)) add_row(of_code_, row, out + codes[row] * width);
}

std::vector<std::int64_t> PartCounter::count(std::span<const int> nodes,
                                             std::span<const std::uint32_t> columns,
                                             std::span<const std::int64_t> weights) {
  const std::size_t width = of_code_.size();
  std::size_t n_slots = 0;
  for (const std::uint32_t c : columns) n_slots += table_.columns[c].n_codes;
  std::vector<std::int64_t> sums(nodes.size() * n_slots * width, 0);
  std::int64_t* out = sums.data();
  std::size_t at_dominant = 0;
  while (at_dominant < width && of_code_[at_dominant].figure != Figure::dominant_weight) ++at_dominant;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& n = node(nodes[i]);
    prepare_terms(rows_of(n), weights.empty() ? 0 : weights[i]);
    if (slots_.n_columns > 0 && n.end > n.begin) count_narrow(n, columns, out);
    for (const std::uint32_t c : columns) {
      const Column& column = table_.columns[c];
      if (!column.narrow) {
        count_wide(n, c, out);
      } else if (dominant_ >= 0 && at_dominant < width) {
        const auto row = static_cast<std::size_t>(dominant_);
        out[table_.code(row, c) * width + at_dominant] = target_.weighted() ? target_.growth[row] : 1;
      }
      out += column.n_codes * width;
    }
  }
  return sums;
}

PartCounter::Combinations PartCounter::count_combinations(int id, std::span<const std::uint32_t> columns,
                                                          std::int64_t weight) {
  const auto rows = rows_of(node(id));
  prepare_terms(rows, weight);
  Combinations found;
  std::map<std::vector<std::uint32_t>, std::size_t> numbers;
  std::vector<std::uint32_t> codes(columns.size());
  const std::size_t width = of_code_.size();
  for (const std::uint32_t row : rows) {
    for (std::size_t j = 0; j < columns.size(); ++j) codes[j] = table_.code(row, columns[j]);
    const auto [at, is_new] = numbers.try_emplace(codes, numbers.size());
    if (is_new) {
      found.codes.insert(found.codes.end(), codes.begin(), codes.end());
      found.sums.resize(found.sums.size() + width, 0);
    }
    add_row(of_code_, row, found.sums.data() + at->second * width);
  }
  return found;
}

}  // namespace thriftree
