#include "search/search.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include "search/bit_matrix.hpp"
#include "search/bit_packing.hpp"
#include "search/cache.hpp"
#include "search/kept_answers.hpp"
#include "search/kernel_task.hpp"
#include "solved_search.hpp"
#include "testing.hpp"

using namespace thriftree;

namespace {

// A random problem that owns its arrays.
struct Made {
  std::vector<std::uint8_t> tests;
  std::vector<std::int32_t> feature, label;
  std::vector<std::int64_t> weight, error_costs;
  SearchProblem problem;
};

void fill(Made& made, std::mt19937& random, std::size_t n_rows, std::size_t n_tests, int n_classes,
          int weights, bool error_costs) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (std::size_t i = 0; i < n_rows * n_tests; ++i)
    made.tests.push_back(static_cast<std::uint8_t>(below(2)));
  for (std::size_t i = 0; i < n_tests; ++i) made.feature.push_back(static_cast<std::int32_t>(i));
  for (std::size_t i = 0; i < n_rows; ++i) {
    const int learnt = made.tests[i] ^ made.tests[n_rows + i];
    made.label.push_back(below(3) == 0 ? below(n_classes) : learnt * (n_classes - 1));
    if (weights > 1) made.weight.push_back(below(weights));
  }
  for (int i = 0; error_costs && i < n_classes * n_classes; ++i)
    made.error_costs.push_back(i % (n_classes + 1) == 0 ? 0 : 1 + below(4));
  made.problem = {n_rows,     n_tests,   made.tests,  made.feature,
                  made.label, n_classes, made.weight, made.error_costs};
}

bool same(const SearchTree& a, const SearchTree& b) {
  return a.test == b.test && a.left == b.left && a.right == b.right && a.label == b.label;
}

}  // namespace

TEST(answers_of_kernels_are_kept_until_others_were_used_since) {
  const auto made = [](std::uint64_t id, std::size_t columns) {
    NodeBits node;
    node.hash = hash_of(id);
    node.column.resize(columns);
    return node;
  };
  const auto answer_of = [](std::int64_t cost, std::size_t columns) {
    KernelAnswer answer;
    answer.node_cost = cost;
    answer.side.assign(2 * columns, {cost, cost, cost, cost});
    answer.base.assign(2 * columns, cost);
    return answer;
  };
  KeptAnswers kept;
  for (std::uint64_t id = 0; id < KeptAnswers::kMost; ++id)
    kept.keep(made(id, 3), 3, answer_of(static_cast<std::int64_t>(id), 3));
  CHECK(kept.size() == KeptAnswers::kMost);
  CHECK(kept.find(made(0, 3), 3)->node_cost == 0);  // so that 1 is the one not used for longest
  CHECK(kept.find(made(0, 3), 2) == nullptr);
  CHECK(kept.find(made(0, 4), 3) == nullptr);
  kept.keep(made(99, 3), 3, answer_of(99, 3));
  CHECK(kept.size() == KeptAnswers::kMost);
  CHECK(kept.find(made(1, 3), 3) == nullptr);
  CHECK(kept.find(made(0, 3), 3)->side == answer_of(0, 3).side);
  CHECK(kept.find(made(99, 3), 3)->base == answer_of(99, 3).base);
  kept.keep(made(100, 1000), 3, answer_of(100, 1000));
  kept.keep(made(101, 1000), 3, answer_of(101, 1000));
  kept.keep(made(102, 1000), 3, answer_of(102, 1000));
  CHECK(kept.bytes() <= KeptAnswers::kMostBytes);
  CHECK(kept.find(made(102, 1000), 3)->node_cost == 102);
  CHECK(kept.find(made(100, 1000), 3)->node_cost == 100);
  kept.keep(made(103, 10000), 3, answer_of(103, 10000));  // more than all may take
  CHECK(kept.find(made(103, 10000), 3) == nullptr);
  CHECK(kept.find(made(102, 1000), 3)->node_cost == 102);
}

TEST(a_bit_matrix_is_turned_bit_by_bit) {
  std::mt19937_64 random(1);
  for (std::size_t n_rows : {1U, 63U, 64U, 65U, 200U}) {
    for (std::size_t n_bits : {1U, 64U, 70U, 129U}) {
      BitRows from;
      from.n_words = (n_bits + 63) / 64;
      for (std::size_t i = 0; i < n_rows * from.n_words; ++i) from.words.push_back(random());
      const BitRows made = transposed(from, n_rows, n_bits);
      for (std::size_t row = 0; row < n_rows; ++row) {
        for (std::size_t bit = 0; bit < n_bits; ++bit)
          CHECK((from.row(row)[bit / 64] >> (bit % 64) & 1) == (made.row(bit)[row / 64] >> (row % 64) & 1));
      }
    }
  }
}

TEST(answers_become_bits_and_chosen_bits_are_packed) {
  std::mt19937_64 random(2);
  for (std::size_t n = 0; n <= 64; ++n) {
    std::vector<std::uint8_t> answers;
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      answers.push_back(random() & 1);
      expected |= static_cast<std::uint64_t>(answers.back()) << i;
    }
    CHECK(bits_of_answers(answers.data(), n) == expected);
  }
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> words, mask, expected, packed;
    std::size_t at = 0;
    for (int w = 0; w < 5; ++w) {
      words.push_back(random());
      mask.push_back(round % 3 == 0 ? ~std::uint64_t{0} : random() & random());
      for (std::size_t i = 0; i < 64; ++i) {
        if (!(mask.back() >> i & 1)) continue;
        if (at % 64 == 0) expected.push_back(0);
        expected.back() |= (words.back() >> i & 1) << (at % 64);
        ++at;
      }
    }
    packed.resize(expected.size());
    pack_bits(words.data(), mask.data(), words.size(), packed.data());
    CHECK(packed == expected);
  }
}

TEST(every_kernel_of_this_cpu_counts_the_same) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    Made made;
    const int n_classes = 2 + round % 3, weights = round % 4 == 0 ? 1 << (round / 2 % 20) : 1;
    fill(made, random, 1 + random() % 300, 2 + random() % 39, n_classes, weights, round % 5 == 0);
    SearchOptions options;
    options.min_leaf = round % 2 == 0 ? 1 : 4;
    options.min_leaf_weight = round % 7 == 0 ? 3 : 0;
    const SearchEntries entries = make_entries(made.problem, options, [] {});
    const NodeMaker nodes(entries, true, 0);
    const NodeBits root = nodes.root();
    const KernelLimits limits{options.min_leaf, options.min_leaf_weight};
    KernelAnswer expected;
    Kernel(nodes, limits).run(root, 1, [] {}, expected);
    for (auto& side : expected.side) side[1] = side[2] = side[3] = kNoCost;
    const KernelAnswer start = expected;
    bool first = true;
    for (KernelFunction run : kernels_of_this_cpu()) {
      // Wider lanes than needed must give the same.
      for (std::int64_t most : {std::int64_t{1} << 20, std::int64_t{1} << 40}) {
        KernelAnswer answer = start;
        KernelScratch scratch;
        const std::function<void()> poll = [] {};
        KernelTask task{root, entries.channels, limits, 3, poll, scratch, most, answer};
        if (root.n_columns() > 0) run(task);
        if (first) expected = answer;
        first = false;
        CHECK(answer.side == expected.side);
      }
    }
    KernelAnswer answer;
    Kernel(nodes, limits).run(root, 3, [] {}, answer);
    CHECK(answer.side == expected.side);
  }
}

TEST(a_tree_is_the_same_for_any_threads_cache_and_switches) {
  std::mt19937 random(4);
  for (int round = 0; round < 12; ++round) {
    Made made;
    fill(made, random, 60 + random() % 200, 6 + random() % 8, 2 + round % 2, 1, false);
    SearchOptions options;
    options.max_depth = 4 + round % 2;
    options.leaf_penalty = round % 3;
    const SearchResult expected = solved(made.problem, options);
    CHECK(expected.status == "optimal");
    CHECK(same(solved(made.problem, options, 4).tree, expected.tree));
    options.cache_bytes = 0;
    const SearchResult tiny = solved(made.problem, options, 2);
    CHECK(same(tiny.tree, expected.tree));
    options.switches.cache = options.switches.similarity = options.switches.triples = false;
    CHECK(same(solved(made.problem, options).tree, expected.tree));
  }
}

TEST(a_cache_at_its_cap_forgets_and_never_lies) {
  SearchCache cache(64 * 32 * 8);
  for (std::uint64_t i = 0; i < 20000; ++i) cache.keep(hash_of(i), {static_cast<SearchValue>(i), i % 2 == 0});
  CHECK(cache.evictions() > 0);
  CHECK(cache.bytes() <= 64 * 32 * 8);
  std::int64_t found = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    KnownValue known;
    if (!cache.find(hash_of(i), known)) continue;
    ++found;
    CHECK(known.value == static_cast<SearchValue>(i) && known.exact == (i % 2 == 0));
  }
  CHECK(found == cache.entries());
}

TEST(a_lower_bound_never_replaces_a_value) {
  SearchCache cache(1 << 16);
  KnownValue known;
  cache.keep(hash_of(1), {10, false});
  cache.keep(hash_of(1), {7, false});
  CHECK(cache.find(hash_of(1), known) && known.value == 10 && !known.exact);
  cache.keep(hash_of(1), {12, true});
  cache.keep(hash_of(1), {11, false});
  CHECK(cache.find(hash_of(1), known) && known.value == 12 && known.exact);
  // Budgets are part of the key.
  CHECK(!(SearchCache::key(hash_of(1), TreeBudget::of(3, 5)) ==
          SearchCache::key(hash_of(1), TreeBudget::of(3, 6))));
  CHECK(!(SearchCache::key(hash_of(1), TreeBudget::of(3, 5)) ==
          SearchCache::key(hash_of(1), TreeBudget::of(4, 5))));
}

TEST(counts_beyond_16_bits_are_right) {
  for (std::size_t n : {32766U, 32769U, 65535U, 65600U, 140000U}) {
    Made made;
    // Test 0 decides the label but for every seventh row; test 1 is noise.
    for (std::size_t t = 0; t < 3; ++t) {
      for (std::size_t i = 0; i < n; ++i)
        made.tests.push_back(static_cast<std::uint8_t>(t == 0 ? i % 2 : t == 1 ? i / 2 % 2 : i % 7 == 0));
    }
    made.feature = {0, 1, 2};
    std::int64_t odd = 0;
    for (std::size_t i = 0; i < n; ++i) {
      made.label.push_back(static_cast<std::int32_t>(i % 7 == 0 ? i % 5 == 0 : i % 2));
      odd += i % 7 == 0 && i % 5 == 0;
    }
    made.problem = {n, 3, made.tests, made.feature, made.label, 2, {}, {}};
    SearchOptions options;
    options.max_depth = 3;
    for (bool cancel : {false, true}) {
      options.switches.cancel = cancel;
      const SearchResult found = solved(made.problem, options);
      CHECK(found.status == "optimal");
      CHECK(found.cost == odd);
      CHECK(found.leaves == 3);
    }
  }
}

TEST(a_search_that_is_stopped_keeps_its_bounds) {
  std::mt19937 random(5);
  Made made;
  fill(made, random, 400, 18, 2, 1, false);
  SearchOptions options;
  options.max_depth = 5;
  const SearchResult best = solved(made.problem, options);
  CHECK(best.status == "optimal");
  for (int stop = 0; stop < 12; ++stop) {
    Control control;
    control.n_threads = 1 + stop % 2;
    control.time_limit_s = 0.0005 * stop * stop;
    const SearchResult found = search_tree(made.problem, options, {}, control, {});
    CHECK(found.status == "optimal" || found.status == "time_limit");
    CHECK(found.lower_bound <= best.objective && best.objective <= found.objective);
    for (const SearchMoment& moment : found.history)
      CHECK(moment.lower_bound <= best.objective && best.objective <= moment.objective);
  }
}
