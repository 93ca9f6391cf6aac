// The counter of a part: the sums that are found by looking at one row after the other.
#include "rows/part_counter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "counted_apart.hpp"
#include "grow_table.hpp"
#include "table/summary.hpp"
#include "testing.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

constexpr std::size_t kRows = 300;

Table table_of(std::mt19937& random) {
  return make_table({random_column(random, kRows, 7, true), random_column(random, kRows, 300, false),
                     random_column(random, kRows, 6, true, ColumnKind::category),
                     random_column(random, kRows, 2, false), random_column(random, kRows, 200, false)});
}

Partition cut_of_first_column() {
  Partition partition;
  partition.column = 0;
  partition.ordered = true;
  partition.last = {2};
  partition.next = {3};
  partition.to = {0, 1};
  partition.missing = 1;
  return partition;
}

// Counts nodes of a table both ways.
void compare(const Table& table, const Target& target, const Statistics& statistics) {
  const TargetHeader header(target);
  const NamedStatistics named(statistics, header, nullptr);
  CountedApart slow(table, target, 3);
  slow.prepare(named);
  PartCounter counter(table, target, named.of_code, named.of_node, named.heavy_above, {});
  const std::vector<int> root{0};
  const std::vector<std::uint32_t> columns{0, 1, 2, 3, 4};
  const auto weights_for = [&](std::size_t n) {
    return named.terms ? std::vector<std::int64_t>(n, header.total) : std::vector<std::int64_t>();
  };
  // Only nodes of numbers tell the range of their targets.
  const auto same = [&](const SummedNodes& a, const SummedNodes& b) {
    return a.sums == b.sums && (!named.ranges || (a.least == b.least && a.greatest == b.greatest));
  };
  CHECK(same(slow.open_root(header.total), counter.totals(root, weights_for(1))));
  CHECK(slow.count(root, columns, weights_for(1)) == counter.count(root, columns, weights_for(1)));
  const Partition partition = cut_of_first_column();
  CHECK(same(slow.peek(0, partition, weights_for(2)), counter.peek(0, partition, weights_for(2))));
  const std::vector<DivideRequest> requests{{0, &partition, 1}};
  const SummedNodes children = slow.divide(requests, weights_for(2));
  counter.divide(0, partition, 1);
  const std::vector<int> both{1, 2};
  CHECK(same(children, counter.totals(both, weights_for(2))));
  const std::vector<std::uint32_t> some{1, 3, 4};
  CHECK(slow.count(both, some, weights_for(2)) == counter.count(both, some, weights_for(2)));
  counter.open_root();
  CHECK(slow.open_root(header.total).sums == counter.totals(root, weights_for(1)).sums);
}

}  // namespace

TEST(a_part_counts_what_its_rows_add_up_to) {
  std::mt19937 random(41);
  const Table table = table_of(random);
  for (const bool weighted : {false, true}) {
    for (const bool numbers : {false, true}) {
      const Target target =
          numbers ? random_numbers(random, kRows, weighted) : random_classes(random, kRows, 3, weighted);
      compare(table, target, plain_statistics(target));
    }
  }
}

TEST(a_part_counts_heavy_objects_by_the_weight_of_the_whole_node) {
  std::mt19937 random(42);
  const Table table = table_of(random);
  const Target target = random_classes(random, kRows, 3, true);
  Statistics statistics = plain_statistics(target);
  statistics.counts = statistics.heavy_weight = statistics.heavy_terms = true;
  statistics.heavy_above = TargetHeader(target).heaviest / 2;
  compare(table, target, statistics);
}

TEST(weights_add_up_alike_in_any_order) {
  std::mt19937 random(43);
  std::vector<double> weights;
  for (int i = 0; i < 1000; ++i)
    weights.push_back(
        std::ldexp(1.0 + static_cast<double>(random() % 997) / 997, static_cast<int>(random() % 60) - 30));
  const double most = *std::max_element(weights.begin(), weights.end());
  const double total = order_free_total(weights, most);
  for (int turn = 0; turn < 20; ++turn) {
    std::shuffle(weights.begin(), weights.end(), random);
    CHECK(order_free_total(weights, most) == total);
  }
  CHECK(order_free_total(std::vector<double>(7, 0.125), 0.125) == 0.875);
}

TEST(weights_add_up_in_units_of_the_80th_bit_of_the_largest) {
  std::mt19937 random(44);
  for (const int magnitude : {0, 300, -300, -1000}) {
    std::vector<double> weights;
    int128 wanted = 0;
    const double most = std::ldexp(0.75, magnitude);
    for (int i = 0; i < 500; ++i) {
      weights.push_back(std::ldexp(static_cast<double>(random() % 768 + 1) / 1024 + 0x1p-50,
                                   magnitude - static_cast<int>(random() % 90)));
      wanted += static_cast<int128>(std::ldexp(weights.back(), 80 - magnitude));
    }
    const double total = order_free_total(weights, most);
    if (magnitude > -900) CHECK(total == std::ldexp(static_cast<double>(wanted), magnitude - 80));
    CHECK(std::isfinite(total) && total > 0);
  }
}

TEST(a_summary_lists_few_values_and_says_of_many_that_they_are_many) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> numbers{3, nan, -1, 3, 2, -0.0, 0.0};
  const ColumnSource source{SourceType::f64, reinterpret_cast<const std::byte*>(numbers.data()),
                            sizeof(double)};
  const auto few = summarise({source}, numbers.size(), 4);
  CHECK(!few[0].too_many && few[0].missing && few[0].low == -1 && few[0].high == 3);
  CHECK(few[0].values == (std::vector<double>{-1, 0, 2, 3}));
  const auto many = summarise({source}, numbers.size(), 3);
  CHECK(many[0].too_many && many[0].values.empty() && many[0].missing);
}
