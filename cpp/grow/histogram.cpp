#include "grow/histogram.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "grow/bit_columns.hpp"

namespace thriftree {

namespace {

template <class T>
void add_all(std::vector<T>& to, const std::vector<T>& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

template <class T>
void subtract_all(std::vector<T>& to, const std::vector<T>& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] -= from[i];
}

template <int Stride>
void count_unit(const std::uint8_t* codes, const std::uint32_t* rows, std::size_t n,
                const std::uint32_t* offset, std::uint32_t* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t* chunk = codes + static_cast<std::size_t>(rows[i]) * Stride;
    for (int j = 0; j < Stride; ++j) ++out[offset[j] + chunk[j]];
  }
}

template <int Stride>
void count_weights(const std::uint8_t* codes, const std::uint32_t* rows, std::size_t n,
                   const std::uint32_t* offset, const std::int64_t* weight, std::uint32_t* out_rows,
                   std::int64_t* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = rows[i];
    const std::uint8_t* chunk = codes + row * Stride;
    const std::int64_t w = weight[row];
    for (int j = 0; j < Stride; ++j) {
      ++out_rows[offset[j] + chunk[j]];
      out[offset[j] + chunk[j]] += w;
    }
  }
}

template <int Stride>
void count_numbers(const std::uint8_t* codes, const std::uint32_t* rows, std::size_t n,
                   const std::uint32_t* offset, const std::int64_t* moment, std::uint32_t* out_rows,
                   int128* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = rows[i];
    const std::uint8_t* chunk = codes + row * Stride;
    const std::int64_t y = moment[row];
    for (int j = 0; j < Stride; ++j) {
      ++out_rows[offset[j] + chunk[j]];
      out[offset[j] + chunk[j]] += y;
    }
  }
}

template <int Stride>
void count_stride(const Block& block, const Target& target, const std::array<std::uint32_t, 16>& offset,
                  std::size_t n_slots, const NodeRows& node, std::size_t from, std::size_t to,
                  Histogram& out) {
  const std::uint8_t* codes = block.codes.data();
  for (std::size_t k = 0; k + 1 < node.class_begin.size(); ++k) {
    const std::size_t begin = std::max<std::size_t>(node.class_begin[k], from);
    const std::size_t end = std::min<std::size_t>(node.class_begin[k + 1], to);
    if (begin >= end) continue;
    const std::uint32_t* rows = node.rows + begin;
    if (target.n_classes == 0) {
      count_numbers<Stride>(codes, rows, end - begin, offset.data(), target.moment.data(), out.rows.data(),
                            out.moments.data());
      if (!target.weighted()) continue;
      for (std::size_t i = 0; i < end - begin; ++i) {
        const std::uint8_t* chunk = codes + static_cast<std::size_t>(rows[i]) * Stride;
        for (int j = 0; j < Stride; ++j) {
          out.weights[offset[static_cast<std::size_t>(j)] + chunk[j]] += target.growth[rows[i]];
        }
      }
    } else if (target.weighted()) {
      count_weights<Stride>(codes, rows, end - begin, offset.data(), target.growth.data(), out.rows.data(),
                            out.weights.data() + k * n_slots);
    } else {
      count_unit<Stride>(codes, rows, end - begin, offset.data(), out.rows.data() + k * n_slots);
    }
  }
}

// Appends one run, reading class k's sums at index k * stride + slot.
void append_run(const Target& target, std::uint32_t code, std::size_t slot, std::size_t stride,
                const std::uint32_t* rows, const std::int64_t* weights, const int128* moments,
                ColumnRuns& out) {
  out.codes.push_back(code);
  if (target.n_classes == 0) {
    const double w = target.weighted() ? static_cast<double>(weights[slot]) * target.growth_unit : rows[slot];
    out.rows.push_back(rows[slot]);
    out.sums.push_back(w);
    out.sums.push_back(static_cast<double>(moments[slot]) * target.moment_unit);
    out.totals.push_back(w);
    return;
  }
  const auto n_classes = static_cast<std::size_t>(target.n_classes);
  std::int64_t count = 0;
  double total = 0;
  for (std::size_t k = 0; k < n_classes; ++k) {
    double w;
    if (target.weighted()) {
      w = static_cast<double>(weights[k * stride + slot]) * target.growth_unit;
    } else {
      count += rows[k * stride + slot];
      w = rows[k * stride + slot];
    }
    out.sums.push_back(w);
    total += w;
  }
  out.rows.push_back(target.weighted() ? rows[slot] : count);
  out.totals.push_back(total);
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

Slots::Slots(const Table& table, const Target& target) : offset(table.columns.size()) {
  std::vector<bool> counted(table.columns.size());
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    counted[j] = table.columns[j].narrow && !kept_as_bits(table.columns[j], target);
    if (!counted[j]) continue;
    offset[j] = n;
    n += table.columns[j].n_codes;
    ++n_columns;
  }
  dummy = n;
  n += 2;  // padding is code 0, a column kept as bits has codes 0 and 1
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    if (!counted[j]) offset[j] = dummy;
  }
  for (std::uint32_t b = 0; b < table.blocks.size(); ++b) {
    const auto& columns = table.blocks[b].columns;
    if (std::any_of(columns.begin(), columns.end(), [&](auto c) { return counted[c]; })) blocks.push_back(b);
  }
}

void Histogram::allocate(const Target& target, std::uint32_t n_slots) {
  const std::size_t n = n_slots, classes = static_cast<std::size_t>(std::max(target.n_classes, 1));
  const bool by_class = target.n_classes > 0;
  rows.assign(by_class && !target.weighted() ? classes * n : n, 0);
  weights.assign(target.weighted() ? classes * n : 0, 0);
  moments.assign(by_class ? 0 : n, 0);
}

std::size_t Histogram::bytes_for(const Target& target, std::uint32_t n_slots) {
  const std::size_t n = n_slots, classes = static_cast<std::size_t>(std::max(target.n_classes, 1));
  const bool unit_classes = target.n_classes > 0 && !target.weighted();
  return n * ((unit_classes ? classes : 1) * sizeof(std::uint32_t) +
              (target.weighted() ? classes : 0) * sizeof(std::int64_t) +
              (target.n_classes > 0 ? 0 : sizeof(int128)));
}

void Histogram::add(const Histogram& other) {
  add_all(rows, other.rows);
  add_all(weights, other.weights);
  add_all(moments, other.moments);
}

void Histogram::subtract(const Histogram& other) {
  subtract_all(rows, other.rows);
  subtract_all(weights, other.weights);
  subtract_all(moments, other.moments);
}

void count_block(const Table& table, const Target& target, const Slots& slots, std::uint32_t block_index,
                 const NodeRows& node, std::size_t from, std::size_t to, Histogram& out) {
  const Block& block = table.blocks[block_index];
  std::array<std::uint32_t, 16> offset;
  offset.fill(slots.dummy);
  for (std::size_t i = 0; i < block.columns.size(); ++i) offset[i] = slots.offset[block.columns[i]];
  if (block.stride == 16) {
    count_stride<16>(block, target, offset, slots.n, node, from, to, out);
  } else if (block.stride == 8) {
    count_stride<8>(block, target, offset, slots.n, node, from, to, out);
  } else {
    count_stride<4>(block, target, offset, slots.n, node, from, to, out);
  }
}

void runs_from_histogram(const Histogram& histogram, const Target& target, const Slots& slots,
                         const Table& table, std::uint32_t column, ColumnRuns& out) {
  out.clear();
  const bool rows_by_class = target.n_classes > 0 && !target.weighted();
  const auto n_classes = static_cast<std::size_t>(target.n_classes);
  if (rows_by_class) {
    unit_class_runs(histogram.rows.data() + slots.offset[column], slots.n, table.columns[column].n_codes,
                    n_classes, out);
    return;
  }
  for (std::uint32_t code = 0; code < table.columns[column].n_codes; ++code) {
    const std::size_t slot = slots.offset[column] + code;
    if (histogram.rows[slot] == 0) continue;
    append_run(target, code, slot, slots.n, histogram.rows.data(), histogram.weights.data(),
               histogram.moments.data(), out);
  }
}

SmallCounter::SmallCounter(const Target& target) {
  const bool by_class = target.n_classes > 0;
  const std::size_t classes = static_cast<std::size_t>(std::max(target.n_classes, 1));
  rows_.resize(by_class && !target.weighted() ? classes * 256 : 256);
  weights_.resize(target.weighted() ? classes * 256 : 0);
  moments_.resize(by_class ? 0 : 256);
}

void SmallCounter::runs(const Table& table, const Target& target, std::uint32_t column, const NodeRows& node,
                        ColumnRuns& out) {
  out.clear();
  const Block& block = table.blocks[table.columns[column].block];
  const std::uint8_t* codes = block.codes.data() + table.columns[column].offset;
  std::array<std::uint64_t, 4> seen{};
  for (std::size_t k = 0; k + 1 < node.class_begin.size(); ++k) {
    for (std::size_t i = node.class_begin[k]; i < node.class_begin[k + 1]; ++i) {
      const std::size_t row = node.rows[i];
      const std::size_t code = codes[row * block.stride];
      seen[code >> 6] |= std::uint64_t{1} << (code & 63);
      if (target.n_classes > 0 && !target.weighted()) {
        ++rows_[k * 256 + code];
        continue;
      }
      ++rows_[code];
      if (target.weighted()) weights_[k * 256 + code] += target.growth[row];
      if (target.n_classes == 0) moments_[code] += target.moment[row];
    }
  }
  const auto classes = static_cast<std::size_t>(std::max(target.n_classes, 1));
  for (std::size_t word = 0; word < 4; ++word) {
    for (std::uint64_t bits = seen[word]; bits != 0; bits &= bits - 1) {
      const std::size_t code = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      append_run(target, static_cast<std::uint32_t>(code), code, 256, rows_.data(), weights_.data(),
                 moments_.data(), out);
      for (std::size_t i = code; i < rows_.size(); i += 256) rows_[i] = 0;
      for (std::size_t k = 0; k < classes && !weights_.empty(); ++k) weights_[k * 256 + code] = 0;
      if (!moments_.empty()) moments_[code] = 0;
    }
  }
}

}  // namespace thriftree
