// Columns of few codes from afar: all of a node in one call.
#include <algorithm>
#include <cstring>
#include <limits>

#include "rows/eight_lanes.hpp"
#include "rows/reach.hpp"
#include "run/cpu.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kMostVectors = EndCounts::most_codes / kCountLanes;

struct ClassOfNode {
  const std::uint32_t* counts;
  float share, factor;
};

// Sums are of counts up to each code, with it: those of the last code are no end. `error` is what single
// precision may lose of d, see SquareBound.
THRIFTREE_BY_CPU(void, ends_of_columns,
                 (const EndColumn* columns, std::size_t n_columns, const ClassOfNode* classes,
                  std::size_t n_classes, float all, float least, float error, float* before, EndReach* out),
                 (columns, n_columns, classes, n_classes, all, least, error, before, out)) {
  const EightCounts zero = {}, lanes = {0, 1, 2, 3, 4, 5, 6, 7};
  for (std::size_t j = 0; j < n_columns; ++j) {
    const std::size_t n_vectors = (columns[j].n_codes + kCountLanes - 1) / kCountLanes;
    EightNumbers total[kMostVectors] = {}, squares[kMostVectors] = {};
    for (std::size_t k = 0; k < n_classes; ++k) {
      EightCounts carry = zero;
      for (std::size_t v = 0; v < n_vectors; ++v) {
        EightCounts sums;
        add_up(classes[k].counts + columns[j].slot + v * kCountLanes, carry, sums);
        const EightNumbers numbers = __builtin_convertvector(sums, EightNumbers);
        std::memcpy(before + (k * kMostVectors + v) * kCountLanes, &numbers, sizeof numbers);
        total[v] += numbers;
      }
    }
    for (std::size_t k = 0; k < n_classes; ++k) {
      for (std::size_t v = 0; v < n_vectors; ++v) {
        EightNumbers d;
        std::memcpy(&d, before + (k * kMostVectors + v) * kCountLanes, sizeof d);
        d -= classes[k].share * total[v];
        d = (d < 0 ? -d : d) + error;
        squares[v] += classes[k].factor * d * d;
      }
    }
    const auto last = static_cast<std::int32_t>(columns[j].n_codes) - 1;
    EightNumbers largest = kNotAllowed - EightNumbers{};
    EightCounts varies = zero;
    for (std::size_t v = 0; v < n_vectors; ++v) {
      const EightNumbers left = total[v], right = all - left;
      const EightCounts is_end = lanes + static_cast<std::int32_t>(v * kCountLanes) < last;
      const EightNumbers gain = squares[v] / left + squares[v] / right;
      const EightNumbers allowed =
          (is_end & (left >= least) & (right >= least)) != 0 ? gain : kNotAllowed - EightNumbers{};
      largest = allowed > largest ? allowed : largest;
      varies |= is_end & (left > 0) & (right > 0);
    }
    out[j].reach = kNotAllowed;
    out[j].constant = true;
    for (std::size_t lane = 0; lane < kCountLanes; ++lane) {
      out[j].reach = std::max<double>(out[j].reach, largest[lane]);
      out[j].constant = out[j].constant && varies[lane] == 0;
    }
  }
}

}  // namespace

bool reach_of_ends(const EndCounts& counts, const AfarNode& node, ReachScratch& scratch,
                   std::vector<EndReach>& out) {
  constexpr double exact_in_single = 0x1p24;
  constexpr std::size_t many_classes = 64;
  const std::size_t n_classes = node.bound.share.size();
  if (n_classes == 0 || n_classes > many_classes || node.total >= exact_in_single) return false;
  ClassOfNode classes[many_classes];
  std::size_t n_present = 0;
  for (std::size_t k = 0; k < n_classes; ++k) {
    if (node.bound.share[k] > 0)
      classes[n_present++] = {counts.counts + k * counts.stride, static_cast<float>(node.bound.share[k]),
                              static_cast<float>(node.bound.factor[k])};
  }
  scratch.before.resize(n_present * EndCounts::most_codes);
  out.resize(counts.columns.size());
  const auto all = static_cast<float>(node.total);
  // The share, its product and the difference are rounded, each by at most 2^-24 of the whole.
  ends_of_columns(counts.columns.data(), counts.columns.size(), classes, n_present, all,
                  std::max(static_cast<float>(node.least * (1 - 1e-6)), 1.0F), all * 0x1p-22F,
                  scratch.before.data(), out.data());
  for (EndReach& one : out)
    one.reach = one.reach < 0 ? -std::numeric_limits<double>::infinity() : one.reach * (1 + 2e-5);
  return true;
}

}  // namespace thriftree
