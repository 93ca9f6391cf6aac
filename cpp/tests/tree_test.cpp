#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "run/team.hpp"
#include "testing.hpp"
#include "tree/builder.hpp"
#include "tree/code_table.hpp"
#include "tree/predict.hpp"
#include "tree/shape.hpp"
#include "tree/validate.hpp"

#ifdef __SANITIZE_ADDRESS__
// Of sanitizer/allocator_interface.h, which not every compiler comes with.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                         void (*)(const volatile void*));
#endif

using namespace thriftree;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

NodeStats seen(const std::vector<double>& value, std::int32_t label = 0) {
  return {.rows = 4, .objects = 3, .weight = 4.0, .impurity = 0.5, .label = label, .value = value};
}

Test cut_at(std::int32_t column, double cut, std::int32_t missing = 0) {
  return {TestKind::ordered, column, {cut}, {0, 1}, missing, 0};
}

// Root: column 0 <= 1.5, missing right. Left: category column 1 in three branches. Right: column 0 missing or
// known. The nodes are added level by level, branches out of order, so that finish has to renumber them.
Tree mixed_tree(std::vector<std::int32_t>* number_of = nullptr) {
  const std::vector<double> value{1.0, 3.0};
  TreeBuilder builder(2, 2);
  const int root = builder.add_node(-1, 0, seen(value));
  const int right = builder.add_node(root, 1, seen(value, 1));
  const int left = builder.add_node(root, 0, seen(value));
  builder.set_test(root, cut_at(0, 1.5, 1), 0.25);
  builder.set_test(left, {TestKind::category, 1, {0, 4, 7}, {0, 2, 0}, 1, 1});
  builder.set_test(right, {TestKind::ordered, 0, {}, {1}, 0, 1});
  for (const int branch : {2, 0, 1}) builder.add_node(left, branch, seen(value, branch == 2));
  for (const int branch : {1, 0}) builder.add_node(right, branch, seen(value, branch));
  std::vector<std::int32_t> numbers;
  Tree tree = builder.finish(numbers);
  if (number_of) *number_of = numbers;
  return tree;
}

// A chain of `depth` tests on one column: x <= k leaves at level k.
Tree chain(int depth) {
  const std::vector<double> value{0.0, 0.0};
  TreeBuilder builder(1, 0);
  int node = builder.add_node(-1, 0, seen(value));
  for (int k = 0; k < depth; ++k) {
    builder.set_test(node, cut_at(0, k));
    builder.add_node(node, 0, seen(value));
    node = builder.add_node(node, 1, seen(value));
  }
  return builder.finish();
}

#ifdef __SANITIZE_ADDRESS__
std::size_t n_allocations = 0;
void count_allocation(const volatile void*, std::size_t) { ++n_allocations; }
void ignore_free(const volatile void*) {}
#endif

bool refused(const std::function<void()>& action, const std::string& word = "") {
  try {
    action();
  } catch (const BadInput& error) {
    return std::string(error.what()).find(word) != std::string::npos;
  }
  return false;
}

bool refused_after(const std::function<void(Tree&)>& damage, const std::string& word = "") {
  Tree tree = mixed_tree();
  damage(tree);
  return refused([&] { validate(tree); }, word);
}

std::vector<std::int32_t> apply_columns(const Tree& tree, const std::vector<double>& numbers,
                                        const std::vector<std::int32_t>& codes, int n_threads) {
  Control control;
  control.n_threads = n_threads;
  Team team(control);
  Inputs inputs;
  inputs.n_rows = numbers.size();
  inputs.columns.push_back(
      {reinterpret_cast<const std::byte*>(numbers.data()), sizeof(double), InputType::float64});
  inputs.columns.push_back(
      {reinterpret_cast<const std::byte*>(codes.data()), sizeof(std::int32_t), InputType::code});
  std::vector<std::int32_t> leaves(numbers.size());
  apply(tree, inputs, team, leaves);
  return leaves;
}

}  // namespace

#ifdef __SANITIZE_ADDRESS__
// Whoever pressed Ctrl-C waits for it.
TEST(a_tree_of_many_nodes_is_finished_without_memory_for_each_of_them) {
  CHECK(__sanitizer_install_malloc_and_free_hooks(count_allocation, ignore_free) > 0);
  const std::vector<double> value{0.0, 0.0};
  const Test test = cut_at(0, 1);
  TreeBuilder builder(1, 0);
  n_allocations = 0;
  builder.add_node(-1, 0, seen(value));
  for (int node = 0; node < 5000; ++node) {
    builder.set_test(node, test);
    for (const int branch : {0, 1}) builder.add_node(node, branch, seen(value));
  }
  const Tree tree = builder.finish();
  CHECK(tree.n_nodes() == 10001);
  CHECK(n_allocations > 10 && n_allocations < 200);  // some for each list, as it doubles
}
#endif

TEST(the_builder_numbers_nodes_in_preorder) {
  std::vector<std::int32_t> number_of;
  const Tree tree = mixed_tree(&number_of);
  CHECK((number_of == std::vector<std::int32_t>{0, 5, 1, 4, 2, 3, 7, 6}));
  CHECK((tree.parent == std::vector<std::int32_t>{-1, 0, 1, 1, 1, 0, 5, 5}));
  CHECK((tree.children == std::vector<std::int32_t>{1, 5, 2, 3, 4, 6, 7}));
  CHECK((tree.label == std::vector<std::int32_t>{0, 0, 0, 0, 1, 1, 0, 1}));
  CHECK(tree.score[0] == 0.25 && std::isnan(tree.score[1]) && std::isnan(tree.score[7]));
  CHECK(n_leaves(tree) == 5);
  CHECK((depths(tree) == std::vector<std::int32_t>{0, 1, 2, 2, 2, 1, 2, 2}));
  CHECK(equal(tree, mixed_tree()) && !equal(tree, chain(3)));
}

TEST(the_builder_refuses_nodes_that_do_not_fit) {
  const std::vector<double> value{1.0, 1.0}, wide{1.0, 1.0, 1.0};
  TreeBuilder builder(1, 2);
  CHECK(refused([&] { builder.finish(); }, "at least one node"));
  CHECK(refused([&] { builder.add_node(0, 0, seen(value)); }, "parent 0"));
  CHECK(refused([&] { builder.add_node(-1, 0, seen(wide)); }, "instead of 2"));
  builder.add_node(-1, 0, seen(value));
  CHECK(refused([&] { builder.add_node(-1, 0, seen(value)); }, "parent -1"));
  CHECK(refused([&] { builder.set_test(1, cut_at(0, 1)); }, "node 1"));
  builder.set_test(0, cut_at(0, 1));
  CHECK(refused([&] { builder.finish(); }, "two branches"));
  builder.add_node(0, 0, seen(value));
  builder.add_node(0, 0, seen(value));
  CHECK(refused([&] { builder.finish(); }, "branch 0"));
}

TEST(validate_names_the_node_of_each_broken_rule) {
  validate(mixed_tree());
  CHECK(refused_after([](Tree& t) { t.keys[0] = kNaN; }, "node 0"));
  CHECK(refused_after([](Tree& t) { t.keys[2] = 0; }, "node 1: keys must rise"));
  CHECK(refused_after([](Tree& t) { t.keys[2] = 4.5; }, "node 1"));
  CHECK(refused_after([](Tree& t) { t.keys[1] = -1; }, "node 1"));
  CHECK(refused_after([](Tree& t) { t.to[0] = 2; }, "node 0"));
  CHECK(refused_after([](Tree& t) { t.to[3] = 0; }, "node 1: no answer leads to branch 2"));
  CHECK(refused_after([](Tree& t) { t.missing[5] = -1; }, "node 5"));
  CHECK(refused_after([](Tree& t) { t.other[1] = 3; }, "node 1"));
  CHECK(refused_after([](Tree& t) { t.column[0] = 2; }, "node 0"));
  CHECK(refused_after([](Tree& t) { t.column[2] = 0; }, "node 2: a leaf"));
  CHECK(refused_after([](Tree& t) { t.kind[2] = TestKind::ordered; }, "node 2"));
  CHECK(refused_after([](Tree& t) { t.kind[0] = static_cast<TestKind>(9); }, "node 0: kind"));
  CHECK(refused_after([](Tree& t) { t.children[0] = 0; }, "node 0"));
  CHECK(refused_after([](Tree& t) { t.children[1] = 100; }, "node 0"));
  CHECK(refused_after([](Tree& t) { std::swap(t.children[0], t.children[1]); }, "preorder"));
  CHECK(refused_after([](Tree& t) { t.parent[3] = 0; }, "node 3"));
  CHECK(refused_after([](Tree& t) { t.parent[0] = 0; }, "node 0"));
  CHECK(refused_after([](Tree& t) { t.child_begin[1] = 100; }, "child_begin"));
  CHECK(refused_after([](Tree& t) { t.key_begin[0] = -1; }, "key_begin"));
  CHECK(refused_after([](Tree& t) { t.rows.pop_back(); }, "rows"));
  CHECK(refused_after([](Tree& t) { t.rows[4] = -1; }, "node 4"));
  CHECK(refused_after([](Tree& t) { t.weight[4] = kInf; }, "node 4"));
  CHECK(refused_after([](Tree& t) { t.value[9] = -1; }, "node 4"));
  CHECK(refused_after([](Tree& t) { t.impurity[4] = kNaN; }, "node 4"));
  CHECK(refused_after([](Tree& t) { t.score[4] = 1; }, "node 4"));
  CHECK(refused_after([](Tree& t) { t.score[1] = kInf; }, "node 1"));
  CHECK(refused_after([](Tree& t) { t.label[4] = 2; }, "node 4"));
}

TEST(every_kind_of_test_sends_values_where_the_tree_says) {
  const Tree tree = mixed_tree();
  const std::vector<double> numbers{1.5, -kInf, 0, 1, 1, 1, std::nextafter(1.5, 2), kInf, kNaN};
  const std::vector<std::int32_t> codes{0, 4, 7, 5, -1, -2, 0, 0, 0};
  const std::vector<std::int32_t> leaves{2, 4, 2, 3, 3, 3, 7, 7, 6};
  CHECK(apply_columns(tree, numbers, codes, 1) == leaves);
  std::vector<double> many_numbers;  // enough rows to be compiled, and a rest that fills no lanes
  std::vector<std::int32_t> many_codes, many_leaves;
  for (int i = 0; i < 20001; ++i) {
    many_numbers.push_back(numbers[i % 9]);
    many_codes.push_back(codes[i % 9]);
    many_leaves.push_back(leaves[i % 9]);
  }
  CHECK(apply_columns(tree, many_numbers, many_codes, 1) == many_leaves);
  CHECK(apply_columns(tree, many_numbers, many_codes, 4) == many_leaves);
}

TEST(float_rows_at_any_address_and_stride_are_compared_as_double) {
  const double cut = 0.1;  // between two floats
  const std::vector<double> value{0.0, 0.0};
  for (const double t :
       {cut, 1e300, -1e300, 1e-320, static_cast<double>(std::numeric_limits<float>::max())}) {
    TreeBuilder builder(1, 0);
    builder.add_node(-1, 0, seen(value));
    builder.set_test(0, cut_at(0, t, 1));
    builder.add_node(0, 0, seen(value));
    builder.add_node(0, 1, seen(value));
    const Tree tree = builder.finish();
    const float near = t > 3e38 ? 3e38F : t < -3e38 ? -3e38F : static_cast<float>(t);
    const float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> some{
        near,      std::nextafter(near, infinity),         std::nextafter(near, -infinity), infinity,
        -infinity, std::numeric_limits<float>::quiet_NaN()};
    for (const std::size_t stride : {4U, 8U, 7U}) {
      constexpr std::size_t kRows = 100;
      std::vector<std::byte> memory(kRows * stride + 16);
      std::byte* const first = memory.data() + (stride == 7 ? 1 : 0);
      for (std::size_t i = 0; i < kRows; ++i)
        std::memcpy(first + i * stride, &some[i % some.size()], sizeof(float));
      Control control;
      Team team(control);
      const Inputs inputs{kRows, {{first, static_cast<std::ptrdiff_t>(stride), InputType::float32}}};
      std::vector<std::int32_t> leaves(kRows);
      apply(tree, inputs, team, leaves);
      for (std::size_t i = 0; i < kRows; ++i)
        CHECK(leaves[i] == (static_cast<double>(some[i % some.size()]) <= t ? 1 : 2));
    }
  }
}

TEST(a_path_of_a_deep_chain_lists_every_node) {
  const Tree tree = chain(300);
  Control control;
  control.n_threads = 2;
  Team team(control);
  std::vector<double> x;
  for (int i = 0; i < 1000; ++i) x.push_back(i % 310);
  const Inputs inputs{x.size(),
                      {{reinterpret_cast<const std::byte*>(x.data()), sizeof(double), InputType::float64}}};
  const Paths paths = decision_path(tree, inputs, team);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int64_t length = paths.indptr[i + 1] - paths.indptr[i];
    CHECK(length == std::min<std::int64_t>(static_cast<std::int64_t>(x[i]) + 2, 301));
    CHECK(paths.indices[paths.indptr[i]] == 0);
    for (std::int64_t k = paths.indptr[i] + 1; k < paths.indptr[i + 1]; ++k)
      CHECK(tree.parent[paths.indices[k]] == paths.indices[k - 1]);
  }
}

TEST(a_prediction_can_be_interrupted_and_checks_its_columns) {
  const Tree tree = chain(5);
  Control control;
  control.interrupted = [] { return true; };
  Team team(control);
  const std::vector<double> x(100000, 1.0);
  Inputs inputs{x.size(),
                {{reinterpret_cast<const std::byte*>(x.data()), sizeof(double), InputType::float64}}};
  std::vector<double> means(x.size());
  bool interrupted = false;
  try {
    predict_means(tree, inputs, team, means);
  } catch (const Interrupted&) {
    interrupted = true;
  }
  CHECK(interrupted);
  inputs.columns.push_back(inputs.columns[0]);
  CHECK(refused([&] { predict_means(tree, inputs, team, means); }, "1 columns"));
}

TEST(small_and_large_codes_take_the_same_branches_in_few_rows_and_in_many) {
  const std::vector<double> value{0.0, 0.0};
  for (const double largest : {7.0, 1024.0, 1025.0, 2147483647.0}) {
    TreeBuilder builder(1, 0);
    builder.add_node(-1, 0, seen(value));
    builder.set_test(0, {TestKind::category, 0, {2, 5, largest}, {1, 2, 1}, 3, 0});
    for (int branch = 0; branch < 4; ++branch) builder.add_node(0, branch, seen(value));
    const Tree tree = builder.finish();
    const auto key = static_cast<std::int32_t>(largest);
    const std::vector<std::int32_t> codes{0,          2,  5,  key - 1, key, key == 2147483647 ? 6 : key + 1,
                                          2147483646, -1, -2, -9};
    const std::vector<std::int32_t> leaves{1, 2, 3, 1, 2, 1, 1, 4, 1, 1};
    std::vector<std::int32_t> many;
    for (int i = 0; i < 500; ++i) many.push_back(codes[i % 10]);
    Control control;
    Team team(control);
    for (const std::size_t n : {std::size_t{10}, many.size()}) {
      const Inputs inputs{
          n, {{reinterpret_cast<const std::byte*>(many.data()), sizeof(std::int32_t), InputType::code}}};
      std::vector<std::int32_t> found(n);
      apply(tree, inputs, team, found);
      for (std::size_t i = 0; i < n; ++i) CHECK(found[i] == leaves[i % 10]);
    }
  }
}

TEST(codes_that_crowd_together_get_no_table_and_others_are_found_in_theirs) {
  std::vector<double> apart, crowded;
  std::vector<std::int32_t> branches(100);
  for (std::uint32_t code = 7; apart.size() < 100; code += 977) apart.push_back(code);
  for (std::uint64_t code = 0; crowded.size() < 100; ++code) {  // all begin their search at one slot
    if ((code * 0x9E3779B97F4A7C15U) >> 56 == 0) crowded.push_back(static_cast<double>(code));
  }
  for (std::size_t i = 0; i < branches.size(); ++i) branches[i] = static_cast<std::int32_t>(i % 3);
  CodeTable table;
  CHECK(table.add(crowded, branches).bits == 0);
  const CodeTable::Place place = table.add(apart, branches);
  CHECK(place.bits > 0);
  for (std::size_t i = 0; i < apart.size(); ++i) {
    const auto code = static_cast<std::uint32_t>(apart[i]);
    CHECK(table.branch(place, code, 9) == i % 3);
    CHECK(table.branch(place, code + 1, 9) == 9);
  }
}

namespace {

// Two branches a test: cuts of column 0, whether it is missing, and sets of column 1's codes.
Tree random_two_branches(std::mt19937& random, int n_tests, bool categories) {
  const std::vector<double> value{0.0, 0.0};
  TreeBuilder builder(2, 0);
  std::vector<int> leaves{builder.add_node(-1, 0, seen(value))};
  for (int i = 0; i < n_tests; ++i) {
    const std::size_t at = random() % 3 == 0 ? random() % leaves.size() : leaves.size() - 1;
    const int node = leaves[at];
    leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(at));
    const auto missing = static_cast<std::int32_t>(random() % 2),
               other = static_cast<std::int32_t>(random() % 2);
    const auto kind = categories ? random() % 3 : 0;
    if (kind == 0) builder.set_test(node, cut_at(0, static_cast<double>(random() % 7) - 3, missing));
    if (kind == 1) builder.set_test(node, {TestKind::ordered, 0, {}, {1 - missing}, missing, other});
    if (kind == 2) builder.set_test(node, {TestKind::category, 1, {1, 4, 40}, {0, 1, other}, missing, other});
    for (const int branch : {0, 1}) leaves.push_back(builder.add_node(node, branch, seen(value)));
  }
  return builder.finish();
}

}  // namespace

TEST(many_rows_reach_the_leaves_that_few_rows_reach) {
  std::mt19937 random(7);
  const double special[] = {-5, -3, -1, 0, 0.5, 1, 2, 3, 1e30, kNaN, kInf, -kInf};
  for (int round = 0; round < 60; ++round) {
    const Tree tree = random_two_branches(random, 1 + static_cast<int>(random() % 40), round % 2 == 1);
    std::vector<double> numbers(317);
    std::vector<std::int32_t> codes(numbers.size());
    for (double& x : numbers) x = special[random() % (round % 3 == 0 ? 9 : 12)];
    for (std::int32_t& code : codes) code = static_cast<std::int32_t>(random() % 46) - 2;
    const std::vector<std::int32_t> together = apply_columns(tree, numbers, codes, 1 + round % 2);
    // So few rows go straight over the tree's arrays, by the definition of a test.
    for (std::size_t begin = 0; begin < numbers.size(); begin += 20) {
      const std::size_t end = std::min(numbers.size(), begin + 20);
      const auto part = [&](const auto& v) { return std::vector(v.begin() + begin, v.begin() + end); };
      CHECK((apply_columns(tree, part(numbers), part(codes), 1) == part(together)));
    }
  }
}
