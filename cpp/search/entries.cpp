#include "search/entries.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <string>

#include "run/control.hpp"

namespace thriftree {

namespace {

std::int64_t error_cost(const SearchProblem& problem, int truth, int predicted) {
  if (problem.error_costs.empty()) return truth == predicted ? 0 : 1;
  return problem.error_costs[static_cast<std::size_t>(truth * problem.n_classes + predicted)];
}

void check_classes(const SearchProblem& problem) {
  const auto k = static_cast<std::size_t>(problem.n_classes);
  if (problem.n_classes < 1) throw BadInput("n_classes must be 1 or more");
  if (problem.label.size() != problem.n_rows) throw BadInput("labels must have one entry per row");
  if (!problem.error_costs.empty() && problem.error_costs.size() != k * k)
    throw BadInput("error_costs must be a matrix with a row and a column per class");
  for (auto label : problem.label) {
    if (label < 0 || label >= problem.n_classes)
      throw BadInput("labels must be below n_classes and not negative");
  }
  for (auto cost : problem.error_costs) {
    if (cost < 0) throw BadInput("error_costs must not be negative");
  }
}

void check(const SearchProblem& problem, const SearchOptions& options) {
  const auto n = problem.n_rows;
  if (n == 0) throw BadInput("a search needs at least one row");
  if (problem.tests.size() != n * problem.n_tests || problem.feature.size() != problem.n_tests)
    throw BadInput("tests must have a row per test and a column per row, features an entry per test");
  if (!problem.weight.empty() && problem.weight.size() != n)
    throw BadInput("weights must have one entry per row");
  std::uint8_t any = 0;
  for (auto value : problem.tests) any |= value;
  if (any > 1) throw BadInput("tests must be 0 or 1");
  for (auto weight : problem.weight) {
    if (weight < 0) throw BadInput("weights must not be negative");
  }
  if (!problem.of_numbers()) check_classes(problem);
  if (!(options.leaf_penalty >= 0)) throw BadInput("leaf_penalty must be 0 or more");
  if (options.max_depth && *options.max_depth < 0) throw BadInput("max_depth must be 0 or more");
  if (options.max_leaves && *options.max_leaves < 1) throw BadInput("max_leaves must be 1 or more");
  if (options.min_leaf < 1) throw BadInput("min_leaf must be 1 or more rows");
  if (options.min_leaf_weight < 0) throw BadInput("min_leaf_weight must be 0 or more");
  if (options.lookahead && *options.lookahead < 0) throw BadInput("lookahead must be 0 or more");
  if (options.beam && *options.beam < 1) throw BadInput("beam must be 1 or more");
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

// Tests by (feature, test), without those that all rows answer alike, and the answers of each row.
struct RowAnswers {
  std::vector<std::int32_t> test;
  BitRows of_row;
};

RowAnswers row_answers(const SearchProblem& problem, const std::function<void()>& poll) {
  std::vector<std::int32_t> order(problem.n_tests);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return problem.feature[static_cast<std::size_t>(a)] < problem.feature[static_cast<std::size_t>(b)];
  });
  RowAnswers made;
  BitRows of_test;
  of_test.n_words = (problem.n_rows + 63) / 64;
  for (std::int32_t test : order) {
    poll();
    const std::uint8_t* answers = problem.tests.data() + static_cast<std::size_t>(test) * problem.n_rows;
    const std::size_t begin = of_test.words.size();
    std::size_t ones = 0;
    for (std::size_t row = 0; row < problem.n_rows; row += 64) {
      of_test.words.push_back(
          bits_of_answers(answers + row, std::min<std::size_t>(64, problem.n_rows - row)));
      ones += static_cast<std::size_t>(std::popcount(of_test.words.back()));
    }
    if (ones == 0 || ones == problem.n_rows) {
      of_test.words.resize(begin);
    } else {
      made.test.push_back(test);
    }
  }
  made.of_row = transposed(of_test, made.test.size(), problem.n_rows);
  return made;
}

// The group of each row: rows that answer every test alike, in the order of their first rows.
struct EqualRows {
  std::vector<std::uint32_t> of_row;
  std::vector<std::uint32_t> first_row;
};

EqualRows equal_rows(const BitRows& rows, std::size_t n_rows, bool together,
                     const std::function<void()>& poll) {
  EqualRows made;
  made.of_row.resize(n_rows);
  if (!together) {
    std::iota(made.of_row.begin(), made.of_row.end(), 0U);
    made.first_row = made.of_row;
    return made;
  }
  std::vector<std::uint32_t> table(std::bit_ceil(2 * n_rows), UINT32_MAX);  // groups, by open addresses
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (row % 4096 == 0) poll();
    const std::uint64_t *words = rows.row(row), *end = words + rows.n_words;
    std::uint64_t hash = 0;
    for (std::size_t w = 0; w < rows.n_words; ++w)
      hash = (hash ^ words[w]) * 0x9e3779b97f4a7c15U, hash ^= hash >> 32;
    std::size_t at = hash & (table.size() - 1);
    while (table[at] != UINT32_MAX && !std::equal(words, end, rows.row(made.first_row[table[at]])))
      at = (at + 1) & (table.size() - 1);
    if (table[at] == UINT32_MAX) {
      table[at] = static_cast<std::uint32_t>(made.first_row.size());
      made.first_row.push_back(static_cast<std::uint32_t>(row));
    }
    made.of_row[row] = table[at];
  }
  return made;
}

// A group with a whole number above 0.
struct GroupValue {
  std::uint32_t group;
  std::int64_t value;
};

// Adds the numbers as entries: of each group the binary digits of value / unit.
void write_entries(int channel, const std::vector<GroupValue>& values, std::int64_t sign,
                   std::vector<EntrySegment>& segments) {
  std::int64_t unit = 0, most = 0;
  for (const GroupValue& v : values) {
    unit = std::gcd(unit, v.value);
    most = std::max(most, v.value);
  }
  for (int digit = 0; unit > 0 && most / unit >> digit > 0; ++digit) {
    EntrySegment segment{channel, sign * (unit << digit), {}};
    for (const GroupValue& v : values) {
      if (v.value / unit >> digit & 1) segment.group.push_back(v.group);
    }
    if (!segment.group.empty()) segments.push_back(std::move(segment));
  }
}

// Of each group and label the cost of predicting it: [group * n_classes + label].
std::vector<std::int64_t> group_costs(const SearchProblem& problem, const EqualRows& groups) {
  const auto k = static_cast<std::size_t>(problem.n_classes);
  std::vector<std::int64_t> cost(groups.first_row.size() * k);
  for (std::size_t row = 0; row < problem.n_rows; ++row) {
    std::int64_t& sum = cost[groups.of_row[row] * k + static_cast<std::size_t>(problem.label[row])];
    sum = checked_sum(sum, problem.weight_of(row));
  }
  std::vector<std::int64_t> weight(k);
  for (std::size_t group = 0; group < groups.first_row.size(); ++group) {
    std::int64_t* of_group = cost.data() + group * k;
    std::copy(of_group, of_group + k, weight.begin());
    if (problem.error_costs.empty()) {
      std::int64_t all = 0;
      for (std::int64_t w : weight) all = checked_sum(all, w);
      for (std::size_t p = 0; p < k; ++p) of_group[p] = all - weight[p];
      continue;
    }
    for (std::size_t p = 0; p < k; ++p) {
      of_group[p] = 0;
      for (std::size_t truth = 0; truth < k; ++truth)
        of_group[p] =
            checked_sum(of_group[p], checked_product(weight[truth], problem.error_costs[truth * k + p]));
    }
  }
  return cost;
}

void write_values(SearchEntries& made, const std::vector<std::int64_t>& cost, int n_classes) {
  const std::size_t n = made.n_groups, k = static_cast<std::size_t>(n_classes);
  std::vector<std::vector<GroupValue>> gain(k);
  std::vector<GroupValue> top;
  bool several = false;  // whether a group has gains for several labels
  for (std::size_t group = 0; group < n; ++group) {
    const std::int64_t* of_group = cost.data() + group * k;
    const auto [least, most] = std::minmax_element(of_group, of_group + k);
    made.floor = checked_sum(made.floor, *least);
    made.most_cost = checked_sum(made.most_cost, *most);
    if (*most == *least) continue;
    const auto number = static_cast<std::uint32_t>(group);
    top.push_back({number, *most - *least});
    int labels = 0;
    for (std::size_t p = 0; p < k; ++p) {
      if (of_group[p] == *most) continue;
      gain[p].push_back({number, *most - of_group[p]});
      ++labels;
    }
    several |= labels > 1;
  }
  made.channels.signed_pair = k == 2;
  made.channels.n_labels = k == 2 ? 1 : n_classes;
  made.channels.n = made.channels.n_labels;
  for (std::size_t p = 0; p < k; ++p)
    write_entries(k == 2 ? 0 : static_cast<int>(p), gain[p], k == 2 && p == 1 ? -1 : 1, made.segments);
  if (several) {
    made.channels.base = made.channels.n++;
    write_entries(made.channels.base, top, 1, made.segments);
  }
}

// What min_leaf and min_leaf_weight count: rows and weights as given, cancelled or not.
void write_limits(SearchEntries& made, const SearchProblem& problem, const EqualRows& groups,
                  const SearchOptions& options) {
  made.min_leaf = options.min_leaf;
  made.min_leaf_weight = options.min_leaf_weight;
  const auto write = [&](int& channel, auto amount) {
    std::vector<std::int64_t> sum(made.n_groups);
    for (std::size_t row = 0; row < problem.n_rows; ++row) {
      std::int64_t& of_group = sum[groups.of_row[row]];
      of_group = checked_sum(of_group, amount(row));
    }
    std::vector<GroupValue> values;
    for (std::size_t group = 0; group < made.n_groups; ++group) {
      if (sum[group] > 0) values.push_back({static_cast<std::uint32_t>(group), sum[group]});
    }
    channel = made.channels.n++;
    write_entries(channel, values, 1, made.segments);
  };
  if (options.min_leaf > 1 || options.count_rows)
    write(made.channels.rows, [](std::size_t) { return std::int64_t{1}; });
  if (options.min_leaf_weight > 0)
    write(made.channels.weight, [&](std::size_t row) { return problem.weight_of(row); });
}

// One entry for each group; what it is worth stands beside the bits.
void write_numbers(SearchEntries& made, const SearchProblem& problem, const EqualRows& groups,
                   const SearchOptions& options) {
  made.numbers = std::make_shared<NumberLeaves>(problem, options, groups.of_row, made.n_groups);
  made.min_leaf = options.min_leaf;
  made.min_leaf_weight = options.min_leaf_weight;
  made.channels.numbers = made.numbers.get();
  made.channels.n = 3;
  made.channels.rows = options.min_leaf > 1 ? 1 : -1;
  made.channels.weight = options.min_leaf_weight > 0 ? 2 : -1;
  made.most_cost = made.numbers->all_costs;
  made.floor = -made.numbers->all_costs;
  EntrySegment segment{0, 1, std::vector<std::uint32_t>(made.n_groups)};
  std::iota(segment.group.begin(), segment.group.end(), 0U);
  made.segments.push_back(std::move(segment));
}

// What prices count: payers as given, cancelled or not, and what they pay in all where that differs.
void write_payers(SearchEntries& made, const EqualRows& groups, std::size_t n_rows) {
  const SearchPrices& prices = *made.prices;
  std::vector<std::int64_t> sum(made.n_groups);
  for (std::size_t row = 0; row < n_rows; ++row) sum[groups.of_row[row]] += prices.payers_of(row);
  const auto values_of = [&] {
    std::vector<GroupValue> values;
    for (std::size_t group = 0; group < made.n_groups; ++group) {
      if (sum[group] > 0) values.push_back({static_cast<std::uint32_t>(group), sum[group]});
    }
    return values;
  };
  made.channels.payers = made.channels.n++;
  write_entries(made.channels.payers, values_of(), 1, made.segments);
  if (prices.n_slots() == 0) return;
  made.channels.outcomes = made.channels.n;
  made.channels.n += static_cast<int>(prices.n_slots());
  for (std::size_t slot = 0; slot < prices.n_slots(); ++slot) {
    // Few prices differ: the payers of each, times the price.
    std::map<std::int64_t, std::vector<std::size_t>> rows_of_price;
    for (std::size_t row = 0; row < n_rows; ++row) rows_of_price[prices.outcome(slot, row)].push_back(row);
    for (const auto& [price, rows] : rows_of_price) {
      if (price == 0) continue;
      std::fill(sum.begin(), sum.end(), 0);
      for (std::size_t row : rows) sum[groups.of_row[row]] += prices.payers_of(row);
      write_entries(made.channels.outcomes + static_cast<int>(slot), values_of(), price, made.segments);
    }
  }
}

}  // namespace

std::int64_t most_leaves(const SearchProblem& problem, const SearchOptions& options) {
  auto most = static_cast<std::int64_t>(problem.n_rows);
  if (options.max_leaves) most = std::min<std::int64_t>(most, *options.max_leaves);
  if (options.max_depth && *options.max_depth < 40)
    most = std::min(most, std::int64_t{1} << *options.max_depth);
  return most;
}

std::vector<std::int64_t> label_costs(const SearchProblem& problem, const std::vector<std::uint32_t>& rows) {
  if (problem.of_numbers()) return {number_cost(problem, rows)};
  std::vector<std::int64_t> weight(static_cast<std::size_t>(problem.n_classes)), cost(weight.size());
  for (auto row : rows) weight[static_cast<std::size_t>(problem.label[row])] += problem.weight_of(row);
  for (int p = 0; p < problem.n_classes; ++p) {
    for (int truth = 0; truth < problem.n_classes; ++truth)
      cost[static_cast<std::size_t>(p)] +=
          weight[static_cast<std::size_t>(truth)] * error_cost(problem, truth, p);
  }
  return cost;
}

// Answers as bits three times over, of tests, rows and groups; groups, costs and entries of rows.
std::size_t bytes_of_entries(const SearchProblem& problem) {
  const std::size_t of_row =
      3 * (problem.n_tests / 8 + 8) + 8 * static_cast<std::size_t>(problem.n_classes) + 48;
  return problem.n_rows * of_row;
}

SearchEntries make_entries(const SearchProblem& problem, const SearchOptions& options,
                           const std::function<void()>& poll) {
  check(problem, options);
  RowAnswers rows = row_answers(problem, poll);
  const EqualRows groups = equal_rows(rows.of_row, problem.n_rows, options.switches.cancel, poll);
  poll();
  SearchEntries made;
  made.n_groups = groups.first_row.size();
  if (options.count_rows) made.group_of_row = groups.of_row;
  made.test = std::move(rows.test);
  made.answers.n_words = rows.of_row.n_words;
  made.answers.words.reserve(made.n_groups * made.answers.n_words);
  for (std::uint32_t row : groups.first_row) {
    const std::uint64_t* words = rows.of_row.row(row);
    made.answers.words.insert(made.answers.words.end(), words, words + rows.of_row.n_words);
  }
  for (std::int32_t test : made.test) made.feature.push_back(problem.feature[static_cast<std::size_t>(test)]);
  if (problem.of_numbers()) {
    write_numbers(made, problem, groups, options);
    return made;
  }
  std::vector<std::int64_t> costs = group_costs(problem, groups);
  if (problem.prices != nullptr) {
    std::int64_t most = 0;
    const auto k = static_cast<std::size_t>(problem.n_classes);
    for (std::size_t group = 0; group < made.n_groups; ++group)
      most = checked_sum(most, *std::max_element(costs.data() + group * k, costs.data() + (group + 1) * k));
    made.prices = std::make_shared<SearchPrices>(problem, options, most, most_leaves(problem, options));
    for (std::int64_t& cost : costs) cost <<= made.shift();
  }
  write_values(made, costs, problem.n_classes);
  write_limits(made, problem, groups, options);
  made.channels.n_in_triples = made.channels.n;
  if (made.prices) {
    made.most_cost = checked_sum(made.most_cost, made.prices->most());
    write_payers(made, groups, problem.n_rows);
  }
  return made;
}

}  // namespace thriftree
