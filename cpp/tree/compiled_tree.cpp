#include "tree/compiled_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tree/route.hpp"
#include "tree/shape.hpp"

namespace thriftree {
namespace {

// The largest T that is <= cut: x <= cut and x <= round_down(cut) are the same for every x of type T.
template <typename T>
T round_down(double cut) {
  if constexpr (std::is_same_v<T, double>) {
    return cut;
  } else {
    constexpr T largest = std::numeric_limits<T>::max(), infinity = std::numeric_limits<T>::infinity();
    if (cut >= largest) return largest;
    if (cut < -largest) return -infinity;
    const T nearest = static_cast<T>(cut);
    return nearest > cut ? std::nextafter(nearest, -infinity) : nearest;
  }
}

// A lookup goes as far as this key, or as far as so many times the number of keys: beyond, it would cost more
// memory than it is worth.
constexpr double kLargestLookup = 1024, kLookupPerKey = 4;
constexpr std::ptrdiff_t kLeastHashed = 16;  // fewer keys are searched as quickly

// Rows of at most so many bytes are looked through for missing values before they are walked, which is
// cheaper than to expect them at every step. Of wider rows a walk reads a part only.
constexpr std::size_t kMostScannedBytes = 512;

// Of all training rows so many may not have arrived when a walk begins to ask: where few leaves are deep,
// most steps of most rows would lead from a leaf to itself.
constexpr double kMostUnderWay = 0.02;
constexpr int kLeastSaved = 4;  // steps: to ask costs about as much

WalkLength walk_length(const Tree& tree) {
  const std::vector<std::int32_t> depth = depths(tree);
  const int deepest = *std::max_element(depth.begin(), depth.end());
  std::vector<double> arrive_at(static_cast<std::size_t>(deepest) + 1, 0.0);  // training rows, by depth
  for (std::size_t node = 0; node < depth.size(); ++node) {
    if (tree.kind[node] == TestKind::leaf) arrive_at[depth[node]] += static_cast<double>(tree.rows[node]);
  }
  double all = 0, under_way = 0;
  for (const double rows : arrive_at) all += rows;
  int steps = deepest;
  while (steps > 0 && under_way + arrive_at[steps] <= kMostUnderWay * all) under_way += arrive_at[steps--];
  if (deepest - steps < kLeastSaved) return {deepest, true};
  return {steps, false};
}

// Asks for the first lines of rows: a walk jumps about in its row, so the hardware cannot foresee it.
template <typename T>
void prefetch_rows(const T* first, std::ptrdiff_t stride, std::size_t n) {
  for (std::size_t row = 0; row < n; ++row) {
    const auto* start = reinterpret_cast<const char*>(first + static_cast<std::ptrdiff_t>(row) * stride);
    __builtin_prefetch(start);
    __builtin_prefetch(start + 64);
  }
}

// Whether a value is NaN or, as well, infinite: zero times any other is zero. Sums side by side are vector
// code without being asked.
template <typename T>
bool any_missing(const T* values, std::size_t n) {
  constexpr std::size_t side_by_side = 16;
  T sums[side_by_side] = {};
  std::size_t i = 0;
  for (; i + side_by_side <= n; i += side_by_side) {
    for (std::size_t j = 0; j < side_by_side; ++j) sums[j] += values[i + j] * 0;
  }
  for (; i < n; ++i) sums[0] += values[i] * 0;
  for (std::size_t j = 1; j < side_by_side; ++j) sums[0] += sums[j];
  return sums[0] != 0;
}

template <typename T>
bool any_missing(const T* rows, std::ptrdiff_t stride, std::size_t width, std::size_t n) {
  if (stride == static_cast<std::ptrdiff_t>(width)) return any_missing(rows, n * width);
  for (std::size_t row = 0; row < n; ++row) {
    if (any_missing(rows + static_cast<std::ptrdiff_t>(row) * stride, width)) return true;
  }
  return false;
}

// A test of one cut with two branches, whose answers "other" (if its column can give it: as -inf) go low.
bool is_single_cut(const Tree& tree, std::int32_t node, bool code) {
  if (tree.kind[node] != TestKind::ordered) return false;
  const std::int32_t to = tree.to_begin[node];
  return tree.to_begin[node + 1] - to == 2 && tree.child_begin[node + 1] - tree.child_begin[node] == 2 &&
         tree.to[to] != tree.to[to + 1] && (!code || tree.other[node] == tree.to[to]);
}

}  // namespace

template <typename T>
CompiledTree<T>::CompiledTree(const Tree& tree, std::span<const std::uint32_t> slot_of,
                              std::span<const char> code)
    : tree_(tree), code_(code.begin(), code.end()) {
  nodes_.reserve(tree.n_nodes());
  node_at_.reserve(tree.n_nodes());
  // Breadth first: the levels that every row passes lie together, and siblings side by side.
  node_at_.push_back(0);
  bool any_general = false;
  for (std::uint32_t place = 0; place < node_at_.size(); ++place) {
    const std::int32_t node = node_at_[place];
    const auto child = static_cast<std::uint32_t>(node_at_.size());
    nodes_.push_back(compile(node, place, child, slot_of, code));
    const auto first = tree.children.begin() + tree.child_begin[node];
    const auto last = tree.children.begin() + tree.child_begin[node + 1];
    node_at_.insert(node_at_.end(), first, last);
    if (first == last) continue;
    const bool general = (nodes_.back().where & CompiledNode<T>::kGeneral) != 0;
    any_general |= general;
    if (general) {
      lookup_at_.resize(tree.n_nodes());
      lookup_at_[place] = make_lookup(node);
    }
    if (!general && tree.to[tree.to_begin[node]] == 1) std::swap(node_at_[child], node_at_[child + 1]);
  }
  any_general ? make_bits() : make_cuts();
}

// A set of codes that has a lookup, or the question whether the value is missing.
template <typename T>
bool CompiledTree<T>::has_two_branches_by_bits(std::uint32_t place) const {
  const std::int32_t node = node_at_[place];
  if (tree_.child_begin[node + 1] - tree_.child_begin[node] != 2) return false;
  return lookup_at_[place].last > 0 ||
         (tree_.kind[node] == TestKind::ordered && tree_.key_begin[node] == tree_.key_begin[node + 1] &&
          !code_[tree_.column[node]]);
}

template <typename T>
void CompiledTree<T>::make_bits() {
  // The first words are those of cuts: missing values go low, or high.
  std::vector<std::uint32_t> words{0, 1};
  std::vector<BitNode<T>> nodes;
  nodes.reserve(nodes_.size());
  for (std::uint32_t place = 0; place < nodes_.size(); ++place) {
    const CompiledNode<T>& node = nodes_[place];
    const std::uint32_t slot = node.where & CompiledNode<T>::kSlot;
    if ((node.where & CompiledNode<T>::kGeneral) == 0) {
      nodes.push_back({node.cut, 0, slot, node.child, node.where >> 31});
      continue;
    }
    if (!has_two_branches_by_bits(place)) return;
    const Lookup& lookup = lookup_at_[place];
    const auto begin = static_cast<std::uint32_t>(words.size());
    const std::int32_t tested = node_at_[place];
    std::vector<std::uint32_t> branches;  // of missing, of x < 0, of the codes
    if (lookup.last > 0) {
      branches.assign(branches_.begin() + lookup.begin, branches_.begin() + lookup.begin + lookup.last + 1);
    } else {
      const auto known = static_cast<std::uint32_t>(tree_.to[tree_.to_begin[tested]]);
      branches = {static_cast<std::uint32_t>(tree_.missing[tested]), known, known};
    }
    words.resize(begin + branches.size() / 32 + 1, 0);
    for (std::size_t i = 0; i < branches.size(); ++i) words[begin + i / 32] |= branches[i] << (i % 32);
    nodes.push_back(
        {std::numeric_limits<T>::infinity(), static_cast<T>(branches.size() - 3), slot, node.child, begin});
  }
  fixed_ = BitWalk<T>(std::move(nodes), std::move(words), walk_length(tree_));
}

template <typename T>
void CompiledTree<T>::make_cuts() {
  const auto make = [&]<typename Index>(Index) {
    std::vector<CutNode<T, Index>> cuts(nodes_.size());
    std::vector<std::uint8_t> missing_right(nodes_.size());
    for (std::size_t place = 0; place < nodes_.size(); ++place) {
      const CompiledNode<T>& node = nodes_[place];
      cuts[place] = {node.cut, static_cast<Index>(node.where & CompiledNode<T>::kSlot),
                     static_cast<Index>(node.child)};
      missing_right[place] = (node.where & CompiledNode<T>::kMissingRight) != 0;
    }
    fixed_ = FixedWalk<T, Index>(std::move(cuts), std::move(missing_right), walk_length(tree_));
  };
  constexpr std::size_t reach = std::numeric_limits<std::uint16_t>::max();
  const bool narrow = sizeof(T) < 8 && nodes_.size() <= reach && code_.size() <= reach;
  narrow ? make(std::uint16_t{}) : make(std::uint32_t{});
}

template <typename T>
CompiledNode<T> CompiledTree<T>::compile(std::int32_t node, std::uint32_t place, std::uint32_t child,
                                         std::span<const std::uint32_t> slot_of,
                                         std::span<const char> code) const {
  if (tree_.kind[node] == TestKind::leaf) return {std::numeric_limits<T>::infinity(), 0, place};
  const std::int32_t column = tree_.column[node];
  if (!is_single_cut(tree_, node, code[column] != 0))
    return {0, slot_of[column] | CompiledNode<T>::kGeneral, child};
  const bool missing_right = tree_.missing[node] == tree_.to[tree_.to_begin[node] + 1];
  return {round_down<T>(tree_.keys[tree_.key_begin[node]]),
          slot_of[column] | (missing_right ? CompiledNode<T>::kMissingRight : 0U), child};
}

template <typename T>
typename CompiledTree<T>::Lookup CompiledTree<T>::make_lookup(std::int32_t node) {
  if (!code_[tree_.column[node]]) return {};
  const double* key = tree_.keys.data() + tree_.key_begin[node];
  const double* const end = tree_.keys.data() + tree_.key_begin[node + 1];
  const double largest = key == end ? 0.0 : std::max(0.0, end[-1]);
  if (largest > std::max(kLargestLookup, kLookupPerKey * static_cast<double>(end - key))) {
    if (tree_.kind[node] != TestKind::category || end - key < kLeastHashed) return {};
    return {
        0, 0,
        hashed_.add({key, end}, std::span(tree_.to).subspan(static_cast<std::size_t>(tree_.to_begin[node])))};
  }
  const Lookup lookup{
      static_cast<std::uint32_t>(branches_.size()), static_cast<std::uint32_t>(largest) + 3, {}};
  const auto add = [&](std::int32_t branch) { branches_.push_back(static_cast<std::uint32_t>(branch)); };
  add(tree_.missing[node]);
  add(tree_.other[node]);
  for (std::uint32_t code = 0; code + 2 <= lookup.last; ++code) {
    while (key != end && *key < code) ++key;
    add(branch_at(tree_, node, key, code));
  }
  return lookup;
}

template <typename T>
std::uint32_t CompiledTree<T>::general_branch(std::uint32_t at, T x) const {
  const Lookup& lookup = lookup_at_[at];
  if (lookup.hashed.bits > 0 && x >= 0) {
    const auto other = static_cast<std::uint32_t>(tree_.other[node_at_[at]]);
    return hashed_.branch(lookup.hashed, static_cast<std::uint32_t>(x), other);
  }
  if (lookup.last == 0) {
    const std::int32_t node = node_at_[at];
    return static_cast<std::uint32_t>(route(tree_, node, x, code_[tree_.column[node]] != 0));
  }
  const std::uint32_t known = x >= 0 ? std::min(static_cast<std::uint32_t>(x) + 2, lookup.last) : 0;
  return branches_[lookup.begin + known + static_cast<std::uint32_t>(x < 0)];
}

template <typename T>
std::uint32_t CompiledTree<T>::step(std::uint32_t at, const T* row) const {
  const CompiledNode<T>& node = nodes_.data()[at];
  const T x = row[node.where & CompiledNode<T>::kSlot];
  if (node.where & CompiledNode<T>::kGeneral) return node.child + general_branch(at, x);
  const auto high = static_cast<std::uint32_t>(x > node.cut);
  const auto not_low = static_cast<std::uint32_t>(!(x <= node.cut));
  return node.child + (high | (not_low & (node.where >> 31)));
}

template <typename T>
template <typename Out>
void CompiledTree<T>::walk_general(const T* rows, std::ptrdiff_t stride, std::size_t n, const Out* at_leaf,
                                   Out* out) const {
  constexpr std::size_t ahead = 4 * kLanes;
  std::size_t done = 0;
  for (; done + kLanes <= n; done += kLanes) {
    std::uint32_t at[kLanes] = {};
    const T* const first = rows + static_cast<std::ptrdiff_t>(done) * stride;
    if (done + kLanes + ahead <= n)
      prefetch_rows(first + static_cast<std::ptrdiff_t>(ahead) * stride, stride, kLanes);
    std::uint32_t moved = 1;
    while (moved != 0) {
      moved = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t next = step(at[lane], first + static_cast<std::ptrdiff_t>(lane) * stride);
        moved |= next ^ at[lane];
        at[lane] = next;
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) out[done + lane] = at_leaf[at[lane]];
  }
  for (; done < n; ++done) {
    const T* const row = rows + static_cast<std::ptrdiff_t>(done) * stride;
    std::uint32_t at = 0;
    for (std::uint32_t next = step(at, row); next != at; next = step(at, row)) at = next;
    out[done] = at_leaf[at];
  }
}

template <typename T>
template <typename Cuts, typename Out>
void CompiledTree<T>::walk_cuts(const Cuts& cuts, const T* rows, std::ptrdiff_t stride, std::size_t width,
                                std::size_t n, const Out* at_leaf, Out* out) {
  constexpr std::size_t lanes = Cuts::kLanes, ahead = 2 * lanes;
  const bool scan = Cuts::kKnownIsFaster && width * sizeof(T) <= kMostScannedBytes;
  std::size_t done = 0;
  for (; done + lanes <= n; done += lanes) {
    const T* const first = rows + static_cast<std::ptrdiff_t>(done) * stride;
    if (done + lanes + ahead <= n)
      prefetch_rows(first + static_cast<std::ptrdiff_t>(ahead) * stride, stride, lanes);
    const bool known = scan && !any_missing(first, stride, width, lanes);
    const auto at =
        known ? cuts.template leaves<false>(first, stride) : cuts.template leaves<true>(first, stride);
    for (std::size_t lane = 0; lane < lanes; ++lane) out[done + lane] = at_leaf[at[lane]];
  }
  for (; done < n; ++done)
    out[done] = at_leaf[cuts.leaf_below(0, rows + static_cast<std::ptrdiff_t>(done) * stride)];
}

template <typename T>
template <typename Out>
void CompiledTree<T>::walk(const T* rows, std::ptrdiff_t stride, std::size_t width, std::size_t n,
                           const Out* at_leaf, Out* out) const {
  const auto walk_by = [&]<typename Cuts>(const Cuts& cuts) {
    if constexpr (std::is_same_v<Cuts, std::monostate>) {
      walk_general(rows, stride, n, at_leaf, out);
    } else {
      walk_cuts(cuts, rows, stride, width, n, at_leaf, out);
    }
  };
  std::visit(walk_by, fixed_);
}

template class CompiledTree<float>;
template class CompiledTree<double>;
template void CompiledTree<float>::walk(const float*, std::ptrdiff_t, std::size_t, std::size_t,
                                        const std::int32_t*, std::int32_t*) const;
template void CompiledTree<float>::walk(const float*, std::ptrdiff_t, std::size_t, std::size_t,
                                        const std::int64_t*, std::int64_t*) const;
template void CompiledTree<float>::walk(const float*, std::ptrdiff_t, std::size_t, std::size_t, const double*,
                                        double*) const;
template void CompiledTree<double>::walk(const double*, std::ptrdiff_t, std::size_t, std::size_t,
                                         const std::int32_t*, std::int32_t*) const;
template void CompiledTree<double>::walk(const double*, std::ptrdiff_t, std::size_t, std::size_t,
                                         const std::int64_t*, std::int64_t*) const;
template void CompiledTree<double>::walk(const double*, std::ptrdiff_t, std::size_t, std::size_t,
                                         const double*, double*) const;

}  // namespace thriftree
