#include "rows/histogram.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "rows/bit_columns.hpp"
#include "rows/reach.hpp"

namespace thriftree {

namespace {

void operator+=(NumberSums& to, const NumberSums& from) {
  to.low += from.low;
  to.high += from.high;
  to.squares += from.squares;
  to.weight += from.weight;
}
void operator-=(NumberSums& to, const NumberSums& from) {
  to.low -= from.low;
  to.high -= from.high;
  to.squares -= from.squares;
  to.weight -= from.weight;
}

template <class T>
void add_all(std::vector<T>& to, const std::vector<T>& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

template <class T>
void subtract_all(std::vector<T>& to, const std::vector<T>& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] -= from[i];
}

// Appends one slot's sums as one run. The dominant object's weight is for the store to fill in.
void append_run(const Counting& counting, const Histogram& from, std::uint32_t code, std::size_t slot,
                std::size_t stride, ColumnRuns& out) {
  const Target& target = counting.target;
  const Statistics& statistics = counting.statistics;
  const std::size_t at = out.sums.size();
  out.sums.resize(at + statistics.width());
  double* sums = out.sums.data() + at;
  std::int64_t count = 0;
  double* counts = statistics.counts ? sums + statistics.counts_at() : nullptr;
  for (std::size_t k = 0; k < counting.row_groups; ++k) {
    const std::uint32_t n = from.rows[k * stride + slot];
    count += n;
    if (counts) counts[k] = n;
  }
  if (counting.moments) count = from.numbers[slot].rows();
  double total = static_cast<double>(count);
  if (counting.moments) {
    if (target.weighted()) total = static_cast<double>(from.numbers[slot].weight) * target.growth_unit;
    sums[0] = total;
    sums[1] = static_cast<double>(from.numbers[slot].moment()) * target.moment_unit;
  } else if (!counting.packed.empty()) {
    total = 0;
    for (std::size_t k = 0; k < counting.weight_groups; ++k) {
      const std::int64_t both = from.weights[k * stride + slot];
      const auto n = static_cast<std::uint32_t>(both);
      total += sums[k] = static_cast<double>(both >> 32) * counting.packed_unit;
      count += n;
      if (counts) counts[k] = n;
    }
  } else if (target.weighted()) {
    total = 0;
    for (std::size_t k = 0; k < counting.weight_groups; ++k)
      total += sums[k] = static_cast<double>(from.weights[k * stride + slot]) * target.growth_unit;
  } else {
    for (std::size_t k = 0; k < counting.row_groups; ++k) sums[k] = from.rows[k * stride + slot];
  }
  if (statistics.heavy_weight)
    sums[statistics.heavy_weight_at()] = static_cast<double>(from.heavy[slot]) * target.growth_unit;
  if (statistics.heavy_terms) {
    sums[statistics.heavy_terms_at()] = static_cast<double>(from.terms[slot]) * kTermUnit;
    sums[statistics.dominant_at()] = 0;
  }
  out.codes.push_back(code);
  out.rows.push_back(statistics.members ? from.members[slot] : count);
  out.totals.push_back(total);
}

bool is_seen(const Counting& counting, const Histogram& sums, std::size_t slot, std::size_t stride) {
  if (counting.moments) return sums.numbers[slot].rows() > 0;
  for (std::size_t k = 0; k < counting.row_groups; ++k) {
    if (sums.rows[k * stride + slot] > 0) return true;
  }
  for (std::size_t k = 0; k < counting.weight_groups && counting.row_groups == 0; ++k) {
    if (sums.weights[k * stride + slot] > 0) return true;
  }
  return false;
}

// The common case, classes of unit weight, without a call per code. rows[k * stride + code] are the counts.
void unit_class_runs(const std::uint32_t* rows, std::size_t stride, std::uint32_t n_codes,
                     std::size_t n_classes, ColumnRuns& out) {
  out.codes.resize(n_codes);
  out.rows.resize(n_codes);
  out.totals.resize(n_codes);
  out.sums.resize(n_codes * n_classes);
  std::size_t m = 0;
  double* sums = out.sums.data();
  for (std::uint32_t code = 0; code < n_codes; ++code) {
    std::uint32_t total = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
      const std::uint32_t count = rows[k * stride + code];
      total += count;
      sums[m * n_classes + k] = count;
    }
    out.codes[m] = code;
    out.rows[m] = total;
    out.totals[m] = total;
    m += total > 0;
  }
  out.codes.resize(m);
  out.rows.resize(m);
  out.totals.resize(m);
  out.sums.resize(m * n_classes);
}

}  // namespace

Slots::Slots(const Table& table, const Target& target, bool with_bits) : offset(table.columns.size()) {
  std::vector<bool> counted(table.columns.size());
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    counted[j] = table.columns[j].narrow && (with_bits || !kept_as_bits(table.columns[j], target));
    n_columns += counted[j] ? 1 : 0;
  }
  for (const Block& block : table.blocks) {
    even.push_back(std::all_of(block.columns.begin(), block.columns.end(),
                               [&](auto c) { return table.columns[c].n_codes > even_slots / 2; }));
    for (const std::uint32_t c : block.columns) {
      if (!counted[c]) continue;
      offset[c] = n;
      n += even.back() ? even_slots : table.columns[c].n_codes;
    }
    if (even.back()) n += even_slots * (block.stride - static_cast<std::uint32_t>(block.columns.size()));
  }
  dummy = n;
  n += 2;  // padding is code 0, a column kept as bits has codes 0 and 1
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    if (!counted[j]) offset[j] = dummy;
  }
  for (std::uint32_t b = 0; b < table.blocks.size(); ++b) {
    const auto& columns = table.blocks[b].columns;
    // A column kept as bits has two codes, too, and two slots of the dummy.
    two_valued.push_back(
        std::all_of(columns.begin(), columns.end(), [&](auto c) { return table.columns[c].n_codes == 2; }));
    if (std::any_of(columns.begin(), columns.end(), [&](auto c) { return counted[c]; })) blocks.push_back(b);
  }
}

Counting::Counting(const Target& counted, const Statistics& kept, bool rows_matter)
    : target(counted),
      statistics(kept),
      row_groups((counted.n_classes > 0 && !counted.weighted()) || kept.counts
                     ? static_cast<std::size_t>(counted.n_groups())
                 : counted.n_classes > 0 ? 1
                                         : 0),
      weight_groups(counted.weighted() ? static_cast<std::size_t>(counted.n_classes) : 0),
      moments(counted.n_classes == 0) {
  if (target.n_classes > 0 && target.weighted()) {
    pack();
    if (!rows_matter && !kept.counts && !kept.members) row_groups = 0;
  }
  numbers.reserve(target.moment.size());
  for (std::size_t i = 0; i < target.moment.size(); ++i)
    numbers.push_back({target.moment[i], 1, target.square[i], target.values[i]});
}

void Counting::pack() {
  int zeros = 62;  // that all weights end with
  std::int64_t total = 0;
  for (std::int64_t w : target.growth) {
    zeros = std::min(zeros, std::countr_zero(static_cast<std::uint64_t>(w)));
    total += w;
  }
  // Sixteen times the sum must fit: see weights_in_fixed_point.
  if ((total >> zeros) >= (std::int64_t{1} << 27) || target.n_rows >= (std::size_t{1} << 27)) return;
  packed.reserve(target.growth.size());
  for (std::int64_t w : target.growth) packed.push_back((w >> zeros << 32) + 1);
  packed_unit = std::ldexp(target.growth_unit, zeros);
  packed_zeros = zeros;
  row_groups = 0;
}

void Counting::count_squares() {
  if (!moments) return;
  double total = 0;
  for (const std::int64_t square : target.square) total += static_cast<double>(square);
  const double step = total > 0 ? total / 0x1p31 : 1;
  square_step = step * target.square_unit;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto steps = static_cast<std::uint64_t>(static_cast<double>(target.square[i]) / step) + 1;
    numbers[i].steps = (steps << 32) + 1;
  }
}

void Histogram::allocate(const Counting& counting, std::uint32_t n_slots) {
  const std::size_t n = n_slots;
  rows.assign(counting.row_groups * n + (counting.row_groups > 0 ? EndCounts::padding : 0), 0);
  weights.assign(counting.weight_groups * n, 0);
  numbers.assign(counting.moments ? n : 0, {});
}

void Histogram::clear_recounted(const Counting& counting, std::uint32_t n_slots) {
  heavy.assign(counting.statistics.heavy_weight ? n_slots : 0, 0);
  terms.assign(counting.statistics.heavy_terms ? n_slots : 0, 0);
  members.assign(counting.statistics.members ? n_slots : 0, 0);
}

std::size_t Histogram::bytes_for(const Counting& counting, std::uint32_t n_slots) {
  const Statistics& statistics = counting.statistics;
  return n_slots *
         ((counting.row_groups + (statistics.members ? 1 : 0)) * sizeof(std::uint32_t) +
          (counting.weight_groups + (statistics.heavy_weight ? 1 : 0) + (statistics.heavy_terms ? 1 : 0)) *
              sizeof(std::int64_t) +
          (counting.moments ? sizeof(NumberSums) : 0));
}

void Histogram::add(const Histogram& other) {
  add_all(rows, other.rows);
  add_all(weights, other.weights);
  add_all(numbers, other.numbers);
}

void Histogram::subtract(const Histogram& other) {
  subtract_all(rows, other.rows);
  subtract_all(weights, other.weights);
  subtract_all(numbers, other.numbers);
}

void runs_from_histogram(const Histogram& histogram, const Counting& counting, const Slots& slots,
                         const Table& table, std::uint32_t column, ColumnRuns& out) {
  out.clear();
  if (counting.plain_counts()) {
    unit_class_runs(histogram.rows.data() + slots.offset[column], slots.n, table.columns[column].n_codes,
                    counting.row_groups, out);
    return;
  }
  for (std::uint32_t code = 0; code < table.columns[column].n_codes; ++code) {
    const std::size_t slot = slots.offset[column] + code;
    if (is_seen(counting, histogram, slot, slots.n))
      append_run(counting, histogram, code, slot, slots.n, out);
  }
}

namespace {

// Adds one row to slot `slot` of sums with `stride` slots.
inline void add_row(const Counting& counting, const std::vector<std::int64_t>& terms, std::size_t row,
                    std::size_t group, std::size_t slot, std::size_t stride, Histogram& sums) {
  const Target& target = counting.target;
  const Statistics& statistics = counting.statistics;
  if (counting.row_groups > 0) ++sums.rows[(counting.row_groups > 1 ? group * stride : 0) + slot];
  if (!counting.packed.empty()) {
    sums.weights[group * stride + slot] += counting.packed[row];
  } else if (counting.weight_groups > 0)
    sums.weights[(counting.weight_groups > 1 ? group * stride : 0) + slot] += target.growth[row];
  if (counting.moments) sums.numbers[slot] += sums_of(counting, row);
  if (statistics.heavy_terms) sums.terms[slot] += terms[row];
  if (statistics.heavy_weight && target.growth[row] > statistics.heavy_above)
    sums.heavy[slot] += target.growth[row];
  if (statistics.members) sums.members[slot] += target.multiplicity[row];
}

void wipe_slot(Histogram& sums, std::size_t slot, std::size_t stride) {
  const auto wipe = [&](auto& values) {
    for (std::size_t i = slot; i < values.size(); i += stride) values[i] = {};
  };
  wipe(sums.rows);
  wipe(sums.weights);
  wipe(sums.numbers);
  wipe(sums.heavy);
  wipe(sums.terms);
  wipe(sums.members);
}

}  // namespace

OneSlot::OneSlot(const Counting& counting, const std::vector<std::int64_t>& terms)
    : counting_(counting), terms_(terms) {
  sums_.allocate(counting, 1);
  sums_.clear_recounted(counting, 1);
}

void OneSlot::add(std::size_t row) {
  const auto& labels = counting_.target.labels;
  add_row(counting_, terms_, row, labels.empty() ? 0 : labels[row], 0, 1, sums_);
}

void OneSlot::append_run(std::uint32_t code, ColumnRuns& out) {
  thriftree::append_run(counting_, sums_, code, 0, 1, out);
  wipe_slot(sums_, 0, 1);
}

SmallCounter::SmallCounter(const Counting& counting) {
  sums_.allocate(counting, 256);
  sums_.clear_recounted(counting, 256);
}

std::array<std::uint64_t, 4> SmallCounter::count(const Table& table, const Counting& counting,
                                                 std::uint32_t column, const NodeRows& node,
                                                 const std::vector<std::int64_t>& terms) {
  const Block& block = table.blocks[table.columns[column].block];
  const std::uint8_t* codes = block.codes.data() + table.columns[column].offset;
  std::array<std::uint64_t, 4> seen{};
  const bool plain = counting.plain_counts();
  for (std::size_t k = 0; k + 1 < node.class_begin.size(); ++k) {
    for (std::size_t i = node.class_begin[k]; i < node.class_begin[k + 1]; ++i) {
      const std::size_t row = node.rows[i];
      const std::size_t code = codes[row * block.stride];
      seen[code >> 6] |= std::uint64_t{1} << (code & 63);
      if (plain) {
        ++sums_.rows[k * 256 + code];
      } else {
        add_row(counting, terms, row, k, code, 256, sums_);
      }
    }
  }
  return seen;
}

void SmallCounter::clear(const std::array<std::uint64_t, 4>& seen) {
  for (std::size_t word = 0; word < 4; ++word) {
    for (std::uint64_t bits = seen[word]; bits != 0; bits &= bits - 1)
      wipe_slot(sums_, word * 64 + static_cast<std::size_t>(std::countr_zero(bits)), 256);
  }
}

void SmallCounter::move_plain_runs(const std::array<std::uint64_t, 4>& seen, std::size_t n_classes,
                                   ColumnRuns& out) {
  std::size_t n = 0;
  for (const std::uint64_t word : seen) n += static_cast<std::size_t>(std::popcount(word));
  out.codes.resize(n);
  out.rows.resize(n);
  out.totals.resize(n);
  out.sums.resize(n * n_classes);
  std::size_t run = 0;
  for (std::size_t word = 0; word < 4; ++word) {
    for (std::uint64_t bits = seen[word]; bits != 0; bits &= bits - 1, ++run) {
      const std::size_t code = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      double* sums = out.sums.data() + run * n_classes;
      std::uint32_t total = 0;
      for (std::size_t k = 0; k < n_classes; ++k) {
        const std::uint32_t n_rows = std::exchange(sums_.rows[k * 256 + code], 0U);
        total += n_rows;
        sums[k] = n_rows;
      }
      out.codes[run] = static_cast<std::uint32_t>(code);
      out.rows[run] = total;
      out.totals[run] = total;
    }
  }
}

void SmallCounter::runs(const Table& table, const Counting& counting, std::uint32_t column,
                        const NodeRows& node, const std::vector<std::int64_t>& terms, ColumnRuns& out) {
  out.clear();
  const auto seen = count(table, counting, column, node, terms);
  if (counting.plain_counts()) return move_plain_runs(seen, counting.row_groups, out);
  for (std::size_t word = 0; word < 4; ++word) {
    for (std::uint64_t bits = seen[word]; bits != 0; bits &= bits - 1) {
      const std::size_t code = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      append_run(counting, sums_, static_cast<std::uint32_t>(code), code, 256, out);
    }
  }
  clear(seen);
}

}  // namespace thriftree
