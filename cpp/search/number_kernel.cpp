#include "search/number_kernel.hpp"

#include <algorithm>
#include <bit>

#include "search/bit_packing.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kWorkBetweenPolls = 4'000'000;

std::vector<std::uint64_t> places_of_entries(const NodeBits& node) {
  std::vector<std::uint64_t> valid(node.n_words);
  for (const NodeSegment& segment : node.segments) {
    for (std::uint32_t i = 0; i < segment.n_entries; ++i)
      valid[segment.first_word + i / 64] |= std::uint64_t{1} << i % 64;
  }
  return valid;
}

void list_places(const std::uint64_t* words, std::size_t n_words, std::vector<std::uint32_t>& places) {
  places.clear();
  for (std::size_t w = 0; w < n_words; ++w) {
    for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
      places.push_back(static_cast<std::uint32_t>(64 * w) +
                       static_cast<std::uint32_t>(std::countr_zero(bits)));
  }
}

// Adds `value` where the answer is 1; both amounts are whole numbers, so the sums are exact.
void add_where(const std::uint8_t* answer, std::size_t width, double value, double* sums) {
  for (std::size_t c = 0; c < width; ++c) sums[c] += value * answer[c];
}

}  // namespace

// Sum and weight share a word where they fit, so that one addition adds both.
NumberKernel::NumberKernel(const NumberLeaves& leaves)
    : leaves_(leaves), rule_{leaves.unit, leaves.min_rows, leaves.min_weight} {
  const bool limited = leaves.min_rows > 0 || leaves.min_weight > 0;
  const bool rows_are_weights = leaves.rows == leaves.weight;
  const int weight_bits = std::bit_width(static_cast<std::uint64_t>(leaves.all_weight));
  const int sum_bits = std::bit_width(static_cast<std::uint64_t>(leaves.all_sums));
  const std::int64_t bias = std::int64_t{1} << sum_bits;
  const std::size_t n = leaves.sum.size();
  const auto write = [&](std::size_t word, const std::vector<double>& numbers, int shift) {
    amount_of_group_[word].resize(n);
    for (std::size_t i = 0; i < n; ++i)
      amount_of_group_[word][i] += static_cast<std::int64_t>(numbers[i]) * (std::int64_t{1} << shift);
  };
  if (weight_bits + sum_bits + 2 <= 63) {
    fields_ = {{0, weight_bits, ~std::uint64_t{0}, bias}, {0, 0, (std::uint64_t{1} << weight_bits) - 1, 0}};
    write(0, leaves.sum, weight_bits);
    write(0, leaves.weight, 0);
    n_amounts_ = 1;
  } else {
    fields_ = {{0, 0, ~std::uint64_t{0}, bias}, {1, 0, ~std::uint64_t{0}, 0}};
    write(0, leaves.sum, 0);
    write(1, leaves.weight, 0);
    n_amounts_ = 2;
  }
  if (!limited) return;
  if (rows_are_weights) {
    fields_.push_back(fields_[1]);
    return;
  }
  fields_.push_back({n_amounts_, 0, ~std::uint64_t{0}, 0});
  write(n_amounts_++, leaves.rows, 0);
}

// Columns in the order of their ones, which are the fewer answers of each.
void NumberKernel::arrange(const NodeBits& node) {
  p_ = node.n_columns();
  width_ = (p_ + kNumberLanes - 1) / kNumberLanes * kNumberLanes;
  n_words_ = node.n_words;
  valid_ = places_of_entries(node);
  list_places(valid_.data(), n_words_, rows_);
  columns_.resize(p_);
  for (std::size_t c = 0; c < p_; ++c) {
    std::size_t ones = 0;
    for (std::size_t w = 0; w < n_words_; ++w)
      ones += static_cast<std::size_t>(std::popcount(node.bits(c)[w]));
    const bool flipped = 2 * ones > rows_.size();
    columns_[c] = {c, flipped, flipped ? rows_.size() - ones : ones};
  }
  std::stable_sort(columns_.begin(), columns_.end(),
                   [](const Column& a, const Column& b) { return a.ones < b.ones; });
}

// The node's rows and columns as the sums take them.
void NumberKernel::spread(const NodeBits& node) {
  bits_.resize(p_ * n_words_);
  answers_.assign(64 * n_words_ * width_, 0);
  for (std::size_t c = 0; c < p_; ++c) {
    const std::uint64_t flip = columns_[c].flipped ? ~std::uint64_t{0} : 0;
    for (std::size_t w = 0; w < n_words_; ++w) {
      std::uint64_t word = (node.bits(columns_[c].index)[w] ^ flip) & valid_[w];
      bits_[c * n_words_ + w] = word;
      std::uint8_t* to = answers_.data() + 64 * w * width_ + c;
      for (; word != 0; word &= word - 1) to[static_cast<std::size_t>(std::countr_zero(word)) * width_] = 1;
    }
  }
  for (std::size_t k = 0; k < n_amounts_; ++k) amounts_[k].assign(64 * n_words_, 0);
  side_cost_.assign(width_, 0);
  side_top_.assign(width_, 0);
  all_cost_ = all_top_ = 0;
  std::int64_t total[kNumberWords] = {0, 0, 0};
  for (const std::uint32_t place : rows_) {
    const std::uint32_t group = node.entry[place];
    for (std::size_t k = 0; k < n_amounts_; ++k) {
      amounts_[k][place] = amount_of_group_[k][group];
      total[k] += amounts_[k][place];
    }
    add_where(answers_.data() + place * width_, width_, leaves_.cost[group], side_cost_.data());
    add_where(answers_.data() + place * width_, width_, leaves_.top[group], side_top_.data());
    all_cost_ += leaves_.cost[group];
    all_top_ += leaves_.top[group];
  }
  for (std::size_t k = 0; k < fields_.size(); ++k) total_[k] = fields_[k].read(total[fields_[k].word]);
}

// Sums over these rows, whose answers are the strings of `ones`, into `sums`: from column `first` on.
void NumberKernel::add_rows(const std::vector<std::uint32_t>& rows, const std::uint64_t* ones,
                            std::size_t n_words, std::size_t first, std::vector<std::int64_t>& sums) {
  sums.assign(n_amounts_ * p_ * width_, 0);
  block_.resize(n_amounts_ * kNumberRows * width_);
  const std::int64_t* amounts[kNumberWords] = {amounts_[0].data(), amounts_[1].data(), amounts_[2].data()};
  std::vector<std::uint64_t> of_block(p_);
  const NumberBlock block{width_, n_amounts_, block_.data(), of_block.data()};
  std::size_t work = 0;
  for (std::size_t begin = 0; begin < rows.size(); begin += kNumberRows) {
    const std::size_t n = std::min(kNumberRows, rows.size() - begin);
    fill_block(block, answers_.data(), amounts, rows.data() + begin, n, first / kNumberLanes * kNumberLanes);
    for (std::size_t c = first; c < p_; ++c) of_block[c] = ones[c * n_words + begin / kNumberRows];
    add_pairs(block, first, p_, sums.data());
    work += n * (width_ - first) * (width_ - first);
    if (work < kWorkBetweenPolls) continue;
    work = 0;
    (*poll_)();
  }
}

// The answers of column c among the rows that answer `mask`, one after the other.
void NumberKernel::sum_pairs() {
  std::vector<std::uint64_t> ones(p_ * n_words_);
  const std::size_t n_words = (rows_.size() + 63) / 64;
  for (std::size_t c = 0; c < p_; ++c) pack_bits(bits(c), valid_.data(), n_words_, ones.data() + c * n_words);
  add_rows(rows_, ones.data(), n_words, 0, words_);
  pairs_.assign(fields_.size() * p_ * width_, 0);
  singles_.assign(fields_.size() * width_, 0);
  for (std::size_t k = 0; k < fields_.size(); ++k) {
    const std::int64_t* words = words_.data() + fields_[k].word * p_ * width_;
    for (std::size_t f = 0; f < p_; ++f) {
      for (std::size_t h = f; h < p_; ++h)
        pair(k, f)[h] = pair(k, h)[f] = fields_[k].read(words[f * width_ + h]);
      singles_[k * width_ + f] = pair(k, f)[f];
    }
  }
}

void NumberKernel::sum_triples() {
  splits_.assign(4 * p_ * width_, kBadGain);
  std::vector<std::uint32_t> of_f;
  for (std::size_t f = 0; f < p_; ++f) {
    (*poll_)();
    list_places(bits(f), n_words_, of_f);
    const std::size_t n_words = (of_f.size() + 63) / 64;
    packed_.resize(p_ * n_words);
    for (std::size_t c = f + 1; c < p_; ++c)
      pack_bits(bits(c), bits(f), n_words_, packed_.data() + c * n_words);
    add_rows(of_f, packed_.data(), n_words, f + 1, words_);
    for (std::size_t g = f + 1; g < p_; ++g) divide_by_third(f, g);
  }
  for (std::size_t f = 0; f < p_; ++f) {
    for (std::size_t g = f + 1; g < p_; ++g) {
      for (std::size_t cell = 0; cell < 4; ++cell) {
        double &one = split(cell, f)[g], &other = split(cell >> 1 | (cell & 1) << 1, g)[f];
        one = other = std::max(one, other);
      }
    }
  }
}

// Lanes beyond the last column and those of h <= g count trees, too: repeated ones, or with an empty leaf,
// which are never better than without it.
void NumberKernel::divide_by_third(std::size_t f, std::size_t g) {
  CellSums sums[3];
  for (std::size_t k = 0; k < fields_.size(); ++k) {
    const double *of_f = pair(k, f), *of_g = pair(k, g);
    const std::int64_t* words = words_.data() + (fields_[k].word * p_ + g) * width_;
    sums[k] = {total_[k], of_f[f], of_g[g], of_f[g],   singles_.data() + k * width_,
               of_f,      of_g,    words,   fields_[k]};
  }
  NumberDivisions made;
  for (std::size_t cell = 0; cell < 4; ++cell) {
    made.of_f[cell] = split(cell, f);
    made.of_g[cell] = split(cell, g);
  }
  divide_cells(sums, g / kNumberLanes * kNumberLanes, width_, rule_, made);
  for (std::size_t cell = 0; cell < 4; ++cell) {
    double& known = split(cell, f)[g];
    known = std::max(known, made.best[cell]);
  }
}

void NumberKernel::combine(int levels) {
  const auto gain = [this](const double* numbers) {
    const bool too_small =
        numbers[1] < rule_.min_weight || (fields_.size() > 2 && numbers[2] < rule_.min_rows);
    return too_small ? kBadGain : number_gain(numbers[0], numbers[1], rule_.unit);
  };
  const std::size_t n = fields_.size();
  for (std::size_t f = 0; f < p_; ++f) {
    const std::size_t flipped = columns_[f].flipped ? 1 : 0, c = columns_[f].index;
    for (std::size_t side = 0; side < 2; ++side) {
      double here[3] = {0, 0, 0};
      for (std::size_t k = 0; k < n; ++k)
        here[k] = side == 1 ? singles_[k * width_ + f] : total_[k] - singles_[k * width_ + f];
      const double cost = side == 1 ? side_cost_[f] : all_cost_ - side_cost_[f];
      const double top = side == 1 ? side_top_[f] : all_top_ - side_top_[f];
      auto& costs = answer_->side[2 * c + (side ^ flipped)];
      answer_->base[2 * c + (side ^ flipped)] = static_cast<std::int64_t>(top);
      const double leaf = gain(here);
      if (leaf < 0) continue;
      costs[0] = static_cast<std::int64_t>(cost - leaf);
      if (levels < 2) continue;
      double best[3] = {kBadGain, kBadGain, kBadGain};
      for (std::size_t g = 0; g < p_; ++g) {
        double ones[3] = {0, 0, 0}, zeros[3] = {0, 0, 0};
        for (std::size_t k = 0; k < n; ++k) {
          const double both = pair(k, f)[g];
          ones[k] = side == 1 ? both : singles_[k * width_ + g] - both;
          zeros[k] = here[k] - ones[k];
        }
        const double w0 = gain(zeros), w1 = gain(ones);
        best[0] = std::max(best[0], w0 + w1);
        if (levels < 3) continue;
        const double s0 = split(2 * side, f)[g], s1 = split(2 * side + 1, f)[g];
        best[1] = std::max(best[1], std::max(w0 + s1, s0 + w1));
        best[2] = std::max(best[2], s0 + s1);
      }
      for (std::size_t k = 0; k < 3; ++k) {
        if (best[k] >= 0) costs[k + 1] = static_cast<std::int64_t>(cost - best[k]);
      }
    }
  }
}

void NumberKernel::run(const NodeBits& node, int levels, const std::function<void()>& poll,
                       KernelAnswer& answer) {
  poll_ = &poll;
  answer_ = &answer;
  arrange(node);
  answer.levels = levels;
  answer.node_cost = leaves_.leaf_cost(node);
  answer.side.assign(2 * p_, {kNoCost, kNoCost, kNoCost, kNoCost});
  answer.base.assign(2 * p_, 0);
  if (p_ == 0) return;
  spread(node);
  sum_pairs();
  if (levels >= 3) sum_triples();
  combine(levels);
}

std::int64_t number_kernel_work(const NodeBits& node, int levels) {
  std::int64_t rows = 0;
  for (const NodeSegment& segment : node.segments) rows += segment.n_entries;
  const auto p = static_cast<std::int64_t>(node.n_columns()) + 4;
  const std::int64_t pairs = 20'000 + rows * p * (p + 40) / 8;
  if (levels < 3) return pairs;
  return pairs + p * p * p / 6 * (24 + rows / 24);
}

}  // namespace thriftree
