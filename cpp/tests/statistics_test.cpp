// Sums that count objects: what the store gives at every node is what a slow sum over its rows gives.
#include "criterion/statistics.hpp"

#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "criterion/object_sums.hpp"
#include "followed_rows.hpp"
#include "object_targets.hpp"
#include "rows/local_store.hpp"
#include "rows/two_valued.hpp"
#include "testing.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

bool close_to(double a, double b, double scale) { return std::abs(a - b) <= 1e-12 * scale; }

// Some rows of a node, summed one by one in long double.
struct SlowSums {
  std::vector<long double> sums;  // in the layout of the statistics
  std::int64_t rows = 0;
  long double total = 0;
};

SlowSums sum_slowly(const Target& target, const Statistics& statistics, const std::vector<std::size_t>& rows,
                    const std::vector<std::size_t>& node) {
  long double node_weight = 0;
  for (std::size_t row : node) node_weight += weight_of(target, row);
  SlowSums slow;
  slow.sums.resize(statistics.width());
  for (std::size_t row : rows) {
    const long double w = weight_of(target, row);
    slow.total += w;
    slow.rows += statistics.members ? target.multiplicity[row] : 1;
    slow.sums[target.n_classes > 0 ? target.labels[row] : 0] += w;
    if (target.n_classes == 0)
      slow.sums[1] += static_cast<long double>(target.moment[row]) * target.moment_unit;
    if (statistics.counts) slow.sums[statistics.counts_at() + target.labels[row]] += 1;
    if (!statistics.heavy_terms || target.growth[row] <= statistics.heavy_above) continue;
    if (statistics.heavy_weight) slow.sums[statistics.heavy_weight_at()] += w;
    if (2 * w > node_weight) {
      slow.sums[statistics.dominant_at()] += w;
    } else {
      slow.sums[statistics.heavy_terms_at()] += w / (node_weight - w);
    }
  }
  return slow;
}

void check_sums(const double* found, const SlowSums& slow, double scale) {
  for (std::size_t k = 0; k < slow.sums.size(); ++k)
    CHECK(close_to(found[k], static_cast<double>(slow.sums[k]), std::max(scale, 4.0)));
}

void check_runs(const ColumnRuns& runs, const std::vector<std::vector<std::size_t>>& wanted,
                const Target& target, const Statistics& statistics, const std::vector<std::size_t>& node,
                double scale) {
  CHECK(runs.rows.size() == wanted.size() && runs.totals.size() == wanted.size());
  CHECK(runs.sums.size() == wanted.size() * statistics.width());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const SlowSums slow = sum_slowly(target, statistics, wanted[i], node);
    CHECK(runs.rows[i] == slow.rows);
    CHECK(close_to(runs.totals[i], static_cast<double>(slow.total), scale));
    check_sums(runs.sums.data() + i * statistics.width(), slow, scale);
  }
}

// One column, and a few columns together, in which combinations are numbered by their first row.
void check_node(LocalStore& store, const Table& table, const Target& target, const Statistics& statistics,
                const Followed& node, double scale, std::mt19937& random) {
  ColumnRuns runs;
  for (std::uint32_t j = 0; j < table.columns.size(); ++j) {
    std::map<std::uint32_t, std::vector<std::size_t>> by_code;
    for (std::size_t row : node.rows) by_code[table.code(row, j)].push_back(row);
    std::vector<std::vector<std::size_t>> wanted;
    std::vector<std::uint32_t> codes;
    for (const auto& [code, rows] : by_code) {
      codes.push_back(code);
      wanted.push_back(rows);
    }
    store.runs(node.node, j, 0, runs);
    CHECK(runs.codes == codes);
    check_runs(runs, wanted, target, statistics, node.rows, scale);
  }
  std::vector<std::uint32_t> columns;
  for (std::size_t i = 0; i < 1 + random() % 3; ++i)
    columns.push_back(static_cast<std::uint32_t>(random() % table.columns.size()));
  // The store may put combinations in any order: both sides are sorted by their sums.
  std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> by_codes;
  for (std::size_t row : node.rows) {
    std::vector<std::uint32_t> codes;
    for (std::uint32_t j : columns) codes.push_back(table.code(row, j));
    by_codes[codes].push_back(row);
  }
  CHECK(store.product_runs(node.node, columns, runs) == (by_codes.size() > 1));
  CHECK(runs.codes.size() == by_codes.size());
  std::vector<std::vector<double>> found, slow;
  for (std::size_t i = 0; i < runs.codes.size(); ++i) {
    const double* sums = runs.sums.data() + i * statistics.width();
    found.push_back({static_cast<double>(runs.rows[i]), runs.totals[i]});
    found.back().insert(found.back().end(), sums, sums + statistics.width());
  }
  for (const auto& [codes, rows] : by_codes) {
    const SlowSums wanted = sum_slowly(target, statistics, rows, node.rows);
    slow.push_back({static_cast<double>(wanted.rows), static_cast<double>(wanted.total)});
    slow.back().insert(slow.back().end(), wanted.sums.begin(), wanted.sums.end());
  }
  const auto rounded = [&](std::vector<double> sums) {  // so that what is nearly equal sorts as equal
    for (double& s : sums) s = std::round(s / std::max(scale, 4.0) * 1e9);
    return sums;
  };
  const auto before = [&](const auto& a, const auto& b) { return rounded(a) < rounded(b); };
  std::sort(found.begin(), found.end(), before);
  std::sort(slow.begin(), slow.end(), before);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t k = 0; k < found[i].size(); ++k)
      CHECK(std::abs(found[i][k] - slow[i][k]) <= 2e-9 * std::max(scale, 4.0));
  }
}

// Grows twice with one store: the second growth starts over.
void check_growths(unsigned seed, const Table& table, const Target& target, double theta, int n_threads) {
  Control control;
  control.n_threads = n_threads;
  Team team(control);
  Statistics statistics = object_sums(target, theta).statistics;
  statistics.members = !target.multiplicity.empty();
  LocalStore store(table, target, statistics, control, team);
  double scale = 0;
  for (std::size_t row = 0; row < target.n_rows; ++row) scale += weight_of(target, row);
  std::mt19937 random(seed);
  for (unsigned again = 0; again < 2; ++again) {
    grow_at_random(
        seed + again, table, store, team,
        [&](const NodeTotals& totals, const Followed& node) {
          const SlowSums slow = sum_slowly(target, statistics, node.rows, node.rows);
          CHECK(totals.rows == slow.rows);
          CHECK(totals.objects == static_cast<std::int64_t>(node.rows.size()));
          CHECK(close_to(totals.total, static_cast<double>(slow.total), scale));
          CHECK(totals.sums.size() == statistics.width() + (target.n_classes == 0 ? 1 : 0));
          check_sums(totals.sums.data(), slow, scale);
        },
        [&](const Followed& node) { check_node(store, table, target, statistics, node, scale, random); });
  }
}

// Blocks of two-valued columns have a way of their own; the last one is of stride 8.
Table two_valued_table(std::mt19937& random, std::size_t n) {
  std::vector<CodeColumn> columns;
  for (int i = 0; i < 22; ++i) columns.push_back(random_column(random, n, 2, i % 3 == 0));
  return make_table(columns);
}

}  // namespace

TEST(sums_of_objects_are_those_of_a_slow_sum_at_every_node) {
  std::mt19937 random(31);
  unsigned seed = 0;
  for (std::size_t n : {260, 40}) {  // nodes large enough for histograms, and too small for them
    for (const Table& table : {make_table(mixed_columns(random, n)), two_valued_table(random, n)}) {
      for (Weights weights : {Weights::unit, Weights::small_whole, Weights::any, Weights::one_giant}) {
        for (std::int32_t n_classes : {0, 2, 4}) {
          Target target = random_target(random, n, n_classes, weights);
          // No object heavy, some, all.
          const double theta = std::vector<double>{1, 1.5 / static_cast<double>(n), 0}[seed % 3];
          if (seed % 2 == 0) {
            for (std::size_t i = 0; i < n; ++i) target.multiplicity.push_back(1 + random() % 5);
          }
          check_growths(seed, table, target, theta, seed % 4 == 0 ? 4 : 1);
          ++seed;
        }
      }
    }
  }
}

TEST(a_large_node_of_objects_is_counted_by_many_threads_as_by_one) {
  std::mt19937 random(32);
  const std::size_t n = 66000;
  const Table table = make_table({random_column(random, n, 30, true), random_column(random, n, 300, false)});
  const Target target = random_target(random, n, 2, Weights::any);
  Statistics statistics = object_sums(target, 2e-5).statistics;
  CHECK(statistics.heavy_weight && statistics.heavy_terms);
  std::vector<ColumnRuns> runs;
  for (int n_threads : {1, 4}) {
    Control control;
    control.n_threads = n_threads;
    Team team(control);
    LocalStore store(table, target, statistics, control, team);
    store.open_root(team);
    const auto columns = std::make_shared<const std::vector<std::uint32_t>>(std::vector<std::uint32_t>{0, 1});
    const CountRequest root{0, columns};
    store.count({&root, 1}, team);
    for (std::uint32_t j : {0, 1}) store.runs(0, j, 0, runs.emplace_back());
  }
  for (std::size_t j : {0, 1}) CHECK(runs[j].sums == runs[j + 2].sums && runs[j].rows == runs[j + 2].rows);
}

TEST(rows_of_code_one_are_added_up_as_by_a_plain_loop) {
  std::mt19937 random(33);
  for (std::size_t n_columns : {1, 4, 5, 8, 9, 16}) {
    for (std::size_t n : {0, 1, 255, 256, 1000}) {
      std::vector<CodeColumn> columns;
      for (std::size_t j = 0; j < n_columns; ++j)
        columns.push_back(random_column(random, n + 7, j == 0 ? 1 : 2, false));
      for (std::size_t j = 1; j < n_columns; j += 2) columns[j].codes.assign(n + 7, 1);
      const Table table = make_table(columns);
      std::vector<std::uint32_t> rows;
      std::vector<std::int64_t> value;
      for (std::size_t i = 0; i < n + 7; ++i)
        value.push_back(static_cast<std::int64_t>(random()) - (1LL << 31));
      for (std::size_t i = 0; i < n; ++i) rows.push_back(static_cast<std::uint32_t>(random() % (n + 7)));
      const OnesSums ones = sum_ones(table.blocks[0], rows.data(), n, value.data());
      std::int64_t total = 0;
      for (std::uint32_t row : rows) total += value[row];
      CHECK(ones.total == total);
      for (std::size_t j = 0; j < n_columns; ++j) {
        std::int64_t sum = 0;
        std::uint32_t count = 0;
        for (std::uint32_t row : rows) {
          if (columns[j].codes[row] == 0) continue;
          sum += value[row];
          ++count;
        }
        CHECK(ones.values[j] == sum && ones.rows[j] == count);
      }
    }
  }
}

TEST(an_interrupt_ends_the_sums_of_combinations) {
  std::mt19937 random(34);
  const Table table = make_table({random_column(random, 50, 9, true), random_column(random, 50, 400, false)});
  const Target target = random_classes(random, 50, 2, true);
  Control control;
  Team team(control);
  LocalStore store(table, target, control, team);
  store.open_root(team);
  control.interrupted = [] { return true; };
  std::this_thread::sleep_for(std::chrono::milliseconds(25));  // the next look at it is due
  const std::vector<std::uint32_t> columns{0, 1};
  ColumnRuns runs;
  bool interrupted = false;
  try {
    store.product_runs(0, columns, runs);
  } catch (const Interrupted&) {
    interrupted = true;
  }
  CHECK(interrupted);
}
