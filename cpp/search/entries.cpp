#include "search/entries.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>

#include "run/control.hpp"
#include "search/hashing.hpp"

namespace thriftree {

namespace {

std::int64_t weight_of(const SearchProblem& problem, std::size_t row) {
  return problem.weight.empty() ? 1 : problem.weight[row];
}

std::int64_t error_cost(const SearchProblem& problem, int truth, int predicted) {
  if (problem.error_costs.empty()) return truth == predicted ? 0 : 1;
  return problem.error_costs[static_cast<std::size_t>(truth * problem.n_classes + predicted)];
}

void check(const SearchProblem& problem, const SearchOptions& options) {
  const auto n = problem.n_rows;
  const auto k = static_cast<std::size_t>(problem.n_classes);
  if (n == 0) throw BadInput("a search needs at least one row");
  if (problem.n_classes < 1) throw BadInput("n_classes must be 1 or more");
  if (problem.tests.size() != n * problem.n_tests || problem.feature.size() != problem.n_tests)
    throw BadInput("tests must have a row per test and a column per row, features an entry per test");
  if (problem.label.size() != n) throw BadInput("labels must have one entry per row");
  if (!problem.weight.empty() && problem.weight.size() != n)
    throw BadInput("weights must have one entry per row");
  if (!problem.error_costs.empty() && problem.error_costs.size() != k * k)
    throw BadInput("error_costs must be a matrix with a row and a column per class");
  for (auto value : problem.tests) {
    if (value > 1) throw BadInput("tests must be 0 or 1");
  }
  for (auto label : problem.label) {
    if (label < 0 || label >= problem.n_classes)
      throw BadInput("labels must be below n_classes and not negative");
  }
  for (auto weight : problem.weight) {
    if (weight < 0) throw BadInput("weights must not be negative");
  }
  for (auto cost : problem.error_costs) {
    if (cost < 0) throw BadInput("error_costs must not be negative");
  }
  if (!(options.leaf_penalty >= 0)) throw BadInput("leaf_penalty must be 0 or more");
  if (options.max_depth && *options.max_depth < 0) throw BadInput("max_depth must be 0 or more");
  if (options.max_leaves && *options.max_leaves < 1) throw BadInput("max_leaves must be 1 or more");
  if (options.min_leaf < 1) throw BadInput("min_leaf must be 1 or more rows");
  if (options.min_leaf_weight < 0) throw BadInput("min_leaf_weight must be 0 or more");
  if (options.lookahead && *options.lookahead < 0) throw BadInput("lookahead must be 0 or more");
  if (options.beam < 1) throw BadInput("beam must be 1 or more");
}

// The product, or BadInput: sums of such products must stay far from the ends of 64 bits.
std::int64_t checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > (std::int64_t{1} << 58))
    throw BadInput("weights times error costs are too large: give them in coarser units");
  return product;
}

std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
  if (a > (std::int64_t{1} << 58) - b)
    throw BadInput("weights times error costs are too large: give them in coarser units");
  return a + b;
}

// Tests as bits over rows, by (feature, test), without those that all rows answer alike.
struct RowBits {
  std::vector<std::int32_t> test;
  std::vector<std::vector<std::uint64_t>> bits;
};

RowBits row_bits(const SearchProblem& problem) {
  std::vector<std::int32_t> order(problem.n_tests);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return problem.feature[static_cast<std::size_t>(a)] < problem.feature[static_cast<std::size_t>(b)];
  });
  RowBits made;
  for (std::int32_t test : order) {
    const std::uint8_t* answers = problem.tests.data() + static_cast<std::size_t>(test) * problem.n_rows;
    std::vector<std::uint64_t> bits((problem.n_rows + 63) / 64);
    std::size_t ones = 0;
    for (std::size_t row = 0; row < problem.n_rows; ++row) {
      bits[row / 64] |= static_cast<std::uint64_t>(answers[row]) << (row % 64);
      ones += answers[row];
    }
    if (ones == 0 || ones == problem.n_rows) continue;
    made.test.push_back(test);
    made.bits.push_back(std::move(bits));
  }
  return made;
}

// The group of each row: rows that answer every test alike, in the order of their first rows.
struct EqualRows {
  std::vector<std::uint32_t> of_row;
  std::vector<std::uint32_t> first_row;
};

EqualRows row_groups(const RowBits& rows, std::size_t n_rows, bool together) {
  EqualRows made;
  made.of_row.resize(n_rows);
  if (!together) {
    std::iota(made.of_row.begin(), made.of_row.end(), 0U);
    made.first_row = made.of_row;
    return made;
  }
  std::vector<Hash128> hash(n_rows);
  for (std::size_t c = 0; c < rows.bits.size(); ++c) {
    const Hash128 key = hash_of(c);
    for (std::size_t row = 0; row < n_rows; ++row) {
      const std::uint64_t mask = -(rows.bits[c][row / 64] >> (row % 64) & 1);
      hash[row].low ^= key.low & mask;
      hash[row].high ^= key.high & mask;
    }
  }
  std::unordered_map<Hash128, std::uint32_t, HashOfHash> known;
  known.reserve(n_rows);
  for (std::size_t row = 0; row < n_rows; ++row) {
    const auto [at, is_new] = known.try_emplace(hash[row], static_cast<std::uint32_t>(made.first_row.size()));
    if (is_new) made.first_row.push_back(static_cast<std::uint32_t>(row));
    made.of_row[row] = at->second;
  }
  return made;
}

// Adds whole numbers of groups as entries: of each group the binary digits of value / unit.
class EntryWriter {
 public:
  explicit EntryWriter(std::vector<EntrySegment>& segments) : segments_(segments) {}

  // Groups with value 0 have no entry.
  void write(int channel, const std::vector<std::int64_t>& value, std::int64_t sign) {
    std::int64_t unit = 0;
    for (std::int64_t v : value) unit = std::gcd(unit, v);
    if (unit == 0) return;
    for (int digit = 0;; ++digit) {
      EntrySegment segment{channel, sign * (unit << digit), {}};
      bool any_above = false;
      for (std::size_t group = 0; group < value.size(); ++group) {
        const std::int64_t in_units = value[group] / unit;
        if (in_units >> digit & 1) segment.group.push_back(static_cast<std::uint32_t>(group));
        any_above |= in_units >> digit > 1;
      }
      if (!segment.group.empty()) segments_.push_back(std::move(segment));
      if (!any_above) return;
    }
  }

 private:
  std::vector<EntrySegment>& segments_;
};

// Of each group and label the cost of predicting it: [group * n_classes + label].
std::vector<std::int64_t> group_costs(const SearchProblem& problem, const EqualRows& groups) {
  const int k = problem.n_classes;
  std::vector<std::int64_t> cost(groups.first_row.size() * static_cast<std::size_t>(k));
  for (std::size_t row = 0; row < problem.n_rows; ++row) {
    std::int64_t* of_group = cost.data() + groups.of_row[row] * static_cast<std::size_t>(k);
    for (int p = 0; p < k; ++p) {
      const std::int64_t product =
          checked_product(weight_of(problem, row), error_cost(problem, problem.label[row], p));
      of_group[p] = checked_sum(of_group[p], product);
    }
  }
  return cost;
}

void write_values(SearchEntries& made, const std::vector<std::int64_t>& cost, int n_classes) {
  const std::size_t n = made.n_groups, k = static_cast<std::size_t>(n_classes);
  std::vector<std::vector<std::int64_t>> gain(k, std::vector<std::int64_t>(n));
  std::vector<std::int64_t> top(n);
  bool several = false;  // whether a group has gains for several labels
  for (std::size_t group = 0; group < n; ++group) {
    const auto [least, most] =
        std::minmax_element(cost.begin() + static_cast<std::ptrdiff_t>(group * k),
                            cost.begin() + static_cast<std::ptrdiff_t>((group + 1) * k));
    made.floor = checked_sum(made.floor, *least);
    made.most_cost = checked_sum(made.most_cost, *most);
    top[group] = *most - *least;
    int labels = 0;
    for (std::size_t p = 0; p < k; ++p) {
      gain[p][group] = *most - cost[group * k + p];
      labels += gain[p][group] > 0;
    }
    several |= labels > 1;
  }
  made.channels.signed_pair = k == 2;
  made.channels.n_labels = k == 2 ? 1 : n_classes;
  made.channels.n = made.channels.n_labels;
  EntryWriter writer(made.segments);
  for (std::size_t p = 0; p < k; ++p) {
    writer.write(k == 2 ? 0 : static_cast<int>(p), gain[p], k == 2 && p == 1 ? -1 : 1);
  }
  if (several) {
    made.channels.base = made.channels.n++;
    writer.write(made.channels.base, top, 1);
  }
}

void write_limits(SearchEntries& made, const SearchProblem& problem, const EqualRows& groups,
                  const SearchOptions& options) {
  EntryWriter writer(made.segments);
  made.min_leaf = options.min_leaf;
  made.min_leaf_weight = options.min_leaf_weight;
  if (options.min_leaf > 1) {
    std::vector<std::int64_t> rows(made.n_groups);
    for (auto group : groups.of_row) ++rows[group];
    made.channels.rows = made.channels.n++;
    writer.write(made.channels.rows, rows, 1);
  }
  if (options.min_leaf_weight > 0) {
    std::vector<std::int64_t> weight(made.n_groups);
    for (std::size_t row = 0; row < problem.n_rows; ++row) {
      std::int64_t& sum = weight[groups.of_row[row]];
      sum = checked_sum(sum, weight_of(problem, row));
    }
    made.channels.weight = made.channels.n++;
    writer.write(made.channels.weight, weight, 1);
  }
}

}  // namespace

std::vector<std::int64_t> label_costs(const SearchProblem& problem, const std::vector<std::uint32_t>& rows) {
  std::vector<std::int64_t> weight(static_cast<std::size_t>(problem.n_classes)), cost(weight.size());
  for (auto row : rows) weight[static_cast<std::size_t>(problem.label[row])] += weight_of(problem, row);
  for (int p = 0; p < problem.n_classes; ++p) {
    for (int truth = 0; truth < problem.n_classes; ++truth)
      cost[static_cast<std::size_t>(p)] +=
          weight[static_cast<std::size_t>(truth)] * error_cost(problem, truth, p);
  }
  return cost;
}

SearchEntries make_entries(const SearchProblem& problem, const SearchOptions& options) {
  check(problem, options);
  RowBits rows = row_bits(problem);
  const EqualRows groups = row_groups(rows, problem.n_rows, options.switches.cancel);
  SearchEntries made;
  made.n_groups = groups.first_row.size();
  made.test = std::move(rows.test);
  for (const auto& bits : rows.bits) {
    std::vector<std::uint64_t> column((made.n_groups + 63) / 64);
    for (std::size_t group = 0; group < made.n_groups; ++group) {
      const std::uint32_t row = groups.first_row[group];
      column[group / 64] |= (bits[row / 64] >> (row % 64) & 1) << (group % 64);
    }
    made.column.push_back(std::move(column));
  }
  write_values(made, group_costs(problem, groups), problem.n_classes);
  write_limits(made, problem, groups, options);
  return made;
}

}  // namespace thriftree
