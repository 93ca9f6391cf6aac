// The local row store: after any divisions its sums are those of a recount, whichever way it got them.
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "followed_rows.hpp"
#include "grow_table.hpp"
#include "rows/histogram.hpp"
#include "rows/local_store.hpp"
#include "testing.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

struct CodeSums {
  std::int64_t rows = 0;
  std::vector<std::int64_t> weights;
  int128 moment = 0;
};

void add(CodeSums& sums, const Target& target, std::size_t row) {
  sums.weights.resize(target.n_classes > 0 ? static_cast<std::size_t>(target.n_classes) : 1);
  ++sums.rows;
  sums.weights[target.n_classes > 0 ? target.labels[row] : 0] += target.weighted() ? target.growth[row] : 1;
  if (target.n_classes == 0) sums.moment += target.moment[row];
}

std::map<std::uint32_t, CodeSums> recount(const Table& table, const Target& target,
                                          const std::vector<std::size_t>& rows, std::uint32_t column) {
  std::map<std::uint32_t, CodeSums> by_code;
  for (std::size_t row : rows) add(by_code[table.code(row, column)], target, row);
  return by_code;
}

void check_runs(const ColumnRuns& runs, const std::map<std::uint32_t, CodeSums>& wanted,
                const Target& target) {
  CHECK(runs.codes.size() == wanted.size());
  const auto width = static_cast<std::size_t>(target.width());
  CHECK(runs.sums.size() == wanted.size() * width);
  std::size_t i = 0;
  for (const auto& [code, sums] : wanted) {
    CHECK(runs.codes[i] == code);
    CHECK(runs.rows[i] == sums.rows);
    for (std::size_t k = 0; k < sums.weights.size(); ++k) {
      CHECK(runs.sums[i * width + k] == static_cast<double>(sums.weights[k]) * target.growth_unit);
    }
    if (target.n_classes == 0) {
      CHECK(runs.sums[i * width + 1] == static_cast<double>(sums.moment) * target.moment_unit);
    }
    ++i;
  }
}

// A stream has the node's rows in code order, missing last, and a boundary exactly where the code changes.
void check_stream(const RowStream& stream, const Table& table, const Target& target,
                  const std::vector<std::size_t>& rows, std::uint32_t column) {
  const Column& description = table.columns[column];
  std::size_t n_missing = 0;
  for (std::size_t row : rows)
    n_missing += description.has_missing && table.code(row, column) == description.n_codes - 1;
  CHECK(stream.n_missing() == n_missing);
  CHECK(stream.n_known() + n_missing == rows.size());
  std::map<std::uint32_t, CodeSums> by_code;
  RowStream::Rows batch;
  for (std::size_t begin = 0; begin < rows.size(); begin += kBatch) {
    const int m = static_cast<int>(std::min<std::size_t>(kBatch, rows.size() - begin));
    stream.read(begin, m, batch);
    for (int i = 0; i < m; ++i) {
      const std::size_t at = begin + static_cast<std::size_t>(i);
      const std::uint32_t code = stream.code_at(at);
      const bool last = at + 1 == rows.size();
      CHECK(batch.boundary[i] == (!last && stream.code_at(at + 1) != code));
      CHECK(last || stream.code_at(at + 1) >= code);
      CodeSums& sums = by_code[code];
      sums.weights.resize(target.n_classes > 0 ? static_cast<std::size_t>(target.n_classes) : 1);
      ++sums.rows;
      sums.weights[target.n_classes > 0 ? batch.label[i] : 0] +=
          target.weighted() ? batch.exact_weight[i] : 1;
      if (target.n_classes == 0) sums.moment += batch.exact_moment[i];
    }
  }
  for (const auto& [code, wanted] : recount(table, target, rows, column)) {
    CHECK(by_code[code].rows == wanted.rows);
    CHECK(by_code[code].weights == wanted.weights);
    CHECK(by_code[code].moment == wanted.moment);
  }
}

void check_totals(const NodeTotals& found, const Target& target, const Followed& child) {
  CHECK(found.rows == static_cast<std::int64_t>(child.rows.size()));
  CodeSums wanted;
  for (std::size_t row : child.rows) add(wanted, target, row);
  for (std::size_t k = 0; k < wanted.weights.size(); ++k) {
    CHECK(found.sums[k] == static_cast<double>(wanted.weights[k]) * target.growth_unit);
  }
  if (target.n_classes > 0 || child.rows.empty()) return;
  CHECK(found.sums[1] == static_cast<double>(wanted.moment) * target.moment_unit);
  int128 squares = 0;
  std::set<double> values;
  for (const std::size_t row : child.rows) {
    squares += target.square[row];
    values.insert(target.values[row]);
  }
  CHECK(found.sums.back() == static_cast<double>(squares) * target.square_unit);
  CHECK(found.pure == (values.size() == 1));
  CHECK(found.lowest <= *values.begin() - target.center && *values.rbegin() - target.center <= found.highest);
}

// Grows at random and recounts everything.
void check_random_growth(unsigned seed, const Table& table, const Target& target, int n_threads) {
  Control control;
  control.n_threads = n_threads;
  Team team(control);
  LocalStore store(table, target, control, team);
  ColumnRuns runs;
  grow_at_random(
      seed, table, store, team,
      [&](const NodeTotals& totals, const Followed& node) { check_totals(totals, target, node); },
      [&](const Followed& node) {
        for (std::uint32_t j = 0; j < table.columns.size(); ++j) {
          store.runs(node.node, j, 0, runs);
          check_runs(runs, recount(table, target, node.rows, j), target);
          if (const auto stream = store.stream(node.node, j))
            check_stream(*stream, table, target, node.rows, j);
        }
      });
}

}  // namespace

TEST(after_any_divisions_the_stores_sums_are_those_of_a_recount) {
  std::mt19937 random(11);
  for (unsigned seed = 0; seed < 6; ++seed) {
    const std::size_t n = seed < 3 ? 900 : 60;  // nodes large enough for histograms, and too small for them
    const Table table = make_table(mixed_columns(random, n));
    for (bool weighted : {false, true}) {
      check_random_growth(seed, table, random_classes(random, n, 2, weighted), 1);
      check_random_growth(seed, table, random_classes(random, n, 5, weighted), 3);
      check_random_growth(seed, table, random_numbers(random, n, weighted), 2);
    }
  }
}

TEST(wide_columns_alone_need_no_histogram) {
  std::mt19937 random(12);
  const Table table =
      make_table({random_column(random, 500, 300, true), random_column(random, 500, 1000, false)});
  check_random_growth(1, table, random_classes(random, 500, 3, false), 2);
}

TEST(a_large_node_counted_in_parts_has_the_same_sums) {
  std::mt19937 random(13);
  const Table table =
      make_table({random_column(random, 70000, 30, true), random_column(random, 70000, 3, false)});
  const Target target = random_classes(random, 70000, 2, true);
  check_random_growth(2, table, target, 1);
  check_random_growth(2, table, target, 4);
}

TEST(histograms_add_and_subtract_exactly) {
  std::mt19937 random(14);
  const std::size_t n = 400;
  const Table table = make_table(mixed_columns(random, n));
  for (const Target& target : {random_classes(random, n, 4, true), random_classes(random, n, 3, false),
                               random_numbers(random, n, true), random_numbers(random, n, false)}) {
    const Slots slots(table, target);
    const Statistics statistics = plain_statistics(target);
    const Counting counting(target, statistics);
    std::vector<std::uint32_t> rows, begin{0};
    for (std::int32_t k = 0; k < std::max(target.n_classes, 1); ++k) {
      for (std::uint32_t row = 0; row < n; ++row) {
        if (target.n_classes == 0 || target.labels[row] == static_cast<std::uint32_t>(k)) rows.push_back(row);
      }
      begin.push_back(static_cast<std::uint32_t>(rows.size()));
    }
    const auto count = [&](std::size_t from, std::size_t to) {
      Histogram histogram;
      histogram.allocate(counting, slots.n);
      for (std::uint32_t b : slots.blocks) {
        count_block(table, counting, slots, b, {rows.data(), begin}, from, to, histogram);
      }
      return histogram;
    };
    const Histogram whole = count(0, n), part = count(0, 137), rest = count(137, n);
    Histogram sum = part, difference = whole;
    sum.add(rest);
    difference.subtract(part);
    CHECK(sum.rows == whole.rows && sum.weights == whole.weights && sum.numbers == whole.numbers);
    CHECK(difference.rows == rest.rows && difference.weights == rest.weights &&
          difference.numbers == rest.numbers);
  }
}

TEST(a_store_that_would_pass_the_memory_limit_says_so) {
  std::mt19937 random(15);
  const Table table = make_table(mixed_columns(random, 500));
  const Target target = random_classes(random, 500, 2, false);
  Control control;
  control.memory_limit_bytes = 1000;
  Team team(control);
  bool refused = false;
  try {
    LocalStore store(table, target, control, team);
  } catch (const MemoryLimitReached&) {
    refused = true;
  }
  CHECK(refused);
}
