// The kernel of pairs and triples, compiled once for each kind of CPU. Whoever includes this defines
// THRIFTREE_KERNEL (the target attribute) and, in this namespace before it,
//     void count_block(const uint16_t* block, const uint16_t* mask, size_t n_chunks, uint16_t* counts),
// the number of set bits of block & mask in each of 32 lanes.
//
// For f, g, h the counts of the eight cells follow from those of f&g&h, of pairs and of single tests. A
// cell's gain is what a leaf there saves; larger is better, and below 0 means that the cell may be no leaf.
// All loops are over h, lane by lane, so that the compiler makes vectors of them. Lanes beyond the last
// column and those of h <= g count trees, too: repeated ones, or with an empty leaf, which are never better
// than without it.
//
// No include guard: this is a body, not a header, and nothing where no CPU is named.

#ifdef THRIFTREE_KERNEL

template <typename T>
struct Bad;  // the gain of a cell that may be no leaf: with any gain added it is below 0, and twice it fits
template <>
struct Bad<std::int16_t> {
  static constexpr std::int16_t gain = -16384;
};
template <>
struct Bad<std::int32_t> {
  static constexpr std::int32_t gain = -(1 << 30);
};
template <>
struct Bad<std::int64_t> {
  static constexpr std::int64_t gain = -(std::int64_t{1} << 61);
};

template <typename T>
THRIFTREE_KERNEL inline T magnitude(T x) {
  return static_cast<T>(x < 0 ? -x : x);
}
template <typename T>
THRIFTREE_KERNEL inline T larger(T a, T b) {
  return a < b ? b : a;
}
template <typename T>
THRIFTREE_KERNEL inline T sum(T a, T b) {
  return static_cast<T>(a + b);
}
template <typename T>
THRIFTREE_KERNEL inline T difference(T a, T b) {
  return static_cast<T>(a - b);
}

template <typename T>
class Kernel3 {
 public:
  THRIFTREE_KERNEL explicit Kernel3(KernelTask& task)
      : task_(task),
        node_(task.node),
        p_(task.node.n_columns()),
        n_blocks_((p_ + kBlockLanes - 1) / kBlockLanes),
        width_(n_blocks_ * kBlockLanes),
        n_chunks_(std::size_t{4} * task.node.n_words),
        n_channels_(static_cast<std::size_t>(task.channels.n)),
        plain_(task.channels.signed_pair && task.channels.n == 1) {}

  THRIFTREE_KERNEL void run() {
    interleave();
    carve();
    count_singles();
    count_pairs();
    if (task_.levels >= 3) count_triples();
    combine();
  }

 private:
  // Columns block by block, so that a vector holds the same 16 entries of 32 columns.
  THRIFTREE_KERNEL void interleave() {
    auto& blocks = task_.scratch.blocks;
    auto& columns = task_.scratch.columns;
    blocks.assign(n_blocks_ * n_chunks_ * kBlockLanes, 0);
    columns.resize(p_ * n_chunks_);
    for (std::size_t c = 0; c < p_; ++c) {
      const std::uint64_t* words = node_.bits(c);
      std::uint16_t* out = blocks.data() + (c / kBlockLanes) * n_chunks_ * kBlockLanes + c % kBlockLanes;
      for (std::size_t w = 0; w < node_.n_words; ++w) {
        for (std::size_t i = 0; i < 4; ++i) {
          const auto chunk = static_cast<std::uint16_t>(words[w] >> (16 * i));
          columns[c * n_chunks_ + 4 * w + i] = chunk;
          out[(4 * w + i) * kBlockLanes] = chunk;
        }
      }
    }
    task_.scratch.mask.resize(n_chunks_);
  }

  // All lane arrays in one buffer.
  THRIFTREE_KERNEL void carve() {
    const std::size_t rows = n_channels_ * (p_ + 3) + (task_.levels >= 3 ? 4 * p_ : 0) + 16;
    task_.scratch.lanes.resize(rows * width_ * sizeof(T) + 64);
    const auto start = reinterpret_cast<std::uintptr_t>(task_.scratch.lanes.data());
    T* at = reinterpret_cast<T*>((start + 63) / 64 * 64);
    single_ = at;
    at += n_channels_ * width_;
    pair_ = at;
    at += n_channels_ * p_ * width_;
    triple_ = at;
    at += n_channels_ * width_;
    rest_ = at;
    at += n_channels_ * width_;
    cell_ = at;
    at += 8 * width_;
    split_ = at;
  }

  THRIFTREE_KERNEL T* pair(std::size_t channel, std::size_t f) const {
    return pair_ + (channel * p_ + f) * width_;
  }
  // Gains of the cell where f answers a and h answers b, divided by the best third test; [a * 2 + b][f][h].
  THRIFTREE_KERNEL T* split(std::size_t cell, std::size_t f) const {
    return split_ + (cell * p_ + f) * width_;
  }

  // Sums of each channel over the entries of `mask`, for the columns from `first_block` on.
  THRIFTREE_KERNEL void count(const std::uint16_t* mask, std::size_t first_block, T* out) {
    alignas(64) std::uint16_t counts[kBlockLanes];
    for (std::size_t channel = 0; channel < n_channels_; ++channel) {
      T* sums = out + channel * width_;
      for (std::size_t i = first_block * kBlockLanes; i < width_; ++i) sums[i] = 0;
    }
    for (const NodeSegment& segment : node_.segments) {
      const std::size_t begin = std::size_t{4} * segment.first_word, n = (segment.n_entries + 15) / 16;
      const T multiplier = static_cast<T>(segment.multiplier);
      T* sums = out + static_cast<std::size_t>(segment.channel) * width_;
      for (std::size_t b = first_block; b < n_blocks_; ++b) {
        count_block(task_.scratch.blocks.data() + (b * n_chunks_ + begin) * kBlockLanes, mask + begin, n,
                    counts);
        T* to = sums + b * kBlockLanes;
        for (std::size_t i = 0; i < kBlockLanes; ++i)
          to[i] = static_cast<T>(to[i] + static_cast<T>(static_cast<T>(counts[i]) * multiplier));
      }
    }
  }

  THRIFTREE_KERNEL const std::uint16_t* chunks(std::size_t c) const {
    return task_.scratch.columns.data() + c * n_chunks_;
  }

  THRIFTREE_KERNEL void count_singles() {
    for (std::size_t i = 0; i < n_chunks_; ++i) task_.scratch.mask[i] = 0xffff;
    count(task_.scratch.mask.data(), 0, single_);
    for (const NodeSegment& segment : node_.segments) {
      const auto channel = static_cast<std::size_t>(segment.channel);
      if (total_.size() <= channel) total_.resize(n_channels_);
      total_[channel] =
          static_cast<T>(total_[channel] + static_cast<T>(segment.n_entries * segment.multiplier));
    }
    total_.resize(n_channels_);
  }

  THRIFTREE_KERNEL void count_pairs() {
    for (std::size_t f = 0; f < p_; ++f) {
      count(chunks(f), f / kBlockLanes, triple_);
      for (std::size_t channel = 0; channel < n_channels_; ++channel) {
        const T* counted = triple_ + channel * width_;
        T* row = pair(channel, f);
        for (std::size_t h = f; h < width_; ++h) row[h] = counted[h];
        for (std::size_t h = f + 1; h < p_; ++h) pair(channel, h)[f] = counted[h];
      }
    }
  }

  THRIFTREE_KERNEL void count_triples() {
    for (std::size_t i = 0; i < 4 * p_ * width_; ++i) split_[i] = Bad<T>::gain;
    std::uint16_t* mask = task_.scratch.mask.data();
    for (std::size_t f = 0; f < p_; ++f) {
      task_.poll();
      for (std::size_t channel = 0; channel < n_channels_; ++channel) {
        const T *all = single_ + channel * width_, *with_f = pair(channel, f);
        T* rest = rest_ + channel * width_;
        for (std::size_t h = 0; h < width_; ++h) rest[h] = difference(all[h], with_f[h]);
      }
      const std::uint16_t* of_f = chunks(f);
      for (std::size_t g = f + 1; g < p_; ++g) {
        const std::uint16_t* of_g = chunks(g);
        for (std::size_t i = 0; i < n_chunks_; ++i) mask[i] = of_f[i] & of_g[i];
        const std::size_t first = g / kBlockLanes;
        count(mask, first, triple_);
        if (plain_) {
          divide_plainly(f, g, first * kBlockLanes);
        } else {
          gains_of_eight(f, g, first * kBlockLanes);
          divide_cells(f, g, first * kBlockLanes);
        }
      }
    }
  }

  // Two labels and no limits: cells and their sums in one pass.
  THRIFTREE_KERNEL void divide_plainly(std::size_t f, std::size_t g, std::size_t first) {
    const T both = pair(0, f)[g];
    const T only_f = difference(single_[f], both), only_g = difference(single_[g], both);
    const T none = difference(difference(total_[0], single_[f]), only_g);
    const T* __restrict t_of = triple_, * __restrict fh = pair(0, f), * __restrict gh = pair(0, g), * __restrict rest = rest_;
    T* __restrict f11 = split(3, f), * __restrict f10 = split(2, f), * __restrict f01 = split(1, f), * __restrict f00 = split(0, f);
    T* __restrict g11 = split(3, g), * __restrict g10 = split(2, g), * __restrict g01 = split(1, g), * __restrict g00 = split(0, g);
    T best11 = Bad<T>::gain, best10 = best11, best01 = best11, best00 = best11;
    for (std::size_t h = first; h < width_; ++h) {
      const T t = t_of[h], u = difference(fh[h], t), v = difference(gh[h], t), q = difference(rest[h], v);
      const T a11 = magnitude(t), b11 = magnitude(difference(both, t));
      const T a10 = magnitude(u), b10 = magnitude(difference(only_f, u));
      const T a01 = magnitude(v), b01 = magnitude(difference(only_g, v));
      const T a00 = magnitude(q), b00 = magnitude(difference(none, q));
      best11 = larger(best11, sum(a11, b11));
      best10 = larger(best10, sum(a10, b10));
      best01 = larger(best01, sum(a01, b01));
      best00 = larger(best00, sum(a00, b00));
      f11[h] = larger(f11[h], sum(a11, a10));
      f10[h] = larger(f10[h], sum(b11, b10));
      f01[h] = larger(f01[h], sum(a01, a00));
      f00[h] = larger(f00[h], sum(b01, b00));
      g11[h] = larger(g11[h], sum(a11, a01));
      g10[h] = larger(g10[h], sum(b11, b01));
      g01[h] = larger(g01[h], sum(a10, a00));
      g00[h] = larger(g00[h], sum(b10, b00));
    }
    note(f, g, best11, best10, best01, best00);
  }

  THRIFTREE_KERNEL void note(std::size_t f, std::size_t g, T best11, T best10, T best01, T best00) {
    split(3, f)[g] = larger(split(3, f)[g], best11);
    split(2, f)[g] = larger(split(2, f)[g], best10);
    split(1, f)[g] = larger(split(1, f)[g], best01);
    split(0, f)[g] = larger(split(0, f)[g], best00);
  }

  // The gains of the eight cells into cell_[0 .. 7]: f, g, h answer the digits of 0 .. 7.
  THRIFTREE_KERNEL void gains_of_eight(std::size_t f, std::size_t g, std::size_t first) {
    for (std::size_t channel = 0; channel < n_channels_; ++channel) {
      const T* single = single_ + channel * width_;
      const T both = pair(channel, f)[g];
      const T only_f = difference(single[f], both), only_g = difference(single[g], both);
      const T none = difference(difference(total_[channel], single[f]), only_g);
      const T* __restrict t_of = triple_ + channel * width_, * __restrict fh = pair(channel, f), * __restrict gh = pair(channel, g), * __restrict rest = rest_ + channel * width_;
      const Use use = use_of(channel);
      for (std::size_t h = first; h < width_; ++h) {
        const T t = t_of[h], u = difference(fh[h], t), v = difference(gh[h], t), q = difference(rest[h], v);
        take(use, 7, h, t);
        take(use, 6, h, difference(both, t));
        take(use, 5, h, u);
        take(use, 4, h, difference(only_f, u));
        take(use, 3, h, v);
        take(use, 2, h, difference(only_g, v));
        take(use, 1, h, q);
        take(use, 0, h, difference(none, q));
      }
    }
  }

  // How a channel's sum changes the gain of a cell.
  struct Use {
    bool first;      // the gain is this one, so far
    bool is_signed;  // its magnitude counts
    bool is_base;    // it counts for nothing here
    bool is_limit;   // below `least` the cell may be no leaf
    T least;
  };
  THRIFTREE_KERNEL Use use_of(std::size_t channel) const {
    const SearchChannels& channels = task_.channels;
    const auto is = [channel](int which) { return which >= 0 && channel == static_cast<std::size_t>(which); };
    const bool rows = is(channels.rows), weight = is(channels.weight);
    // A limit above the node's own sum cannot be met by any cell, whatever the lanes can hold.
    const std::int64_t least = rows ? task_.limits.min_leaf : task_.limits.min_leaf_weight;
    const std::int64_t most = -static_cast<std::int64_t>(Bad<T>::gain);
    return {channel == 0, channels.signed_pair, is(channels.base), rows || weight,
            static_cast<T>(least < most ? least : most)};
  }
  THRIFTREE_KERNEL inline void take(const Use& use, std::size_t cell, std::size_t h, T value) {
    T& gain = cell_[cell * width_ + h];
    if (use.first) {
      gain = use.is_signed ? magnitude(value) : value;
    } else if (use.is_limit) {
      gain = value < use.least ? Bad<T>::gain : gain;
    } else if (!use.is_base) {
      gain = larger(gain, value);
    }
  }

  THRIFTREE_KERNEL void divide_cells(std::size_t f, std::size_t g, std::size_t first) {
    T best[4] = {Bad<T>::gain, Bad<T>::gain, Bad<T>::gain, Bad<T>::gain};
    const T* c = cell_;
    const std::size_t w = width_;
    for (std::size_t cell = 0; cell < 4; ++cell) {
      for (std::size_t h = first; h < w; ++h)
        best[cell] = larger(best[cell], sum(c[(2 * cell + 1) * w + h], c[2 * cell * w + h]));
      // f answers cell >> 1, h answers cell & 1, and g divides.
      const std::size_t a = cell >> 1, b = cell & 1;
      T* __restrict of_f = split(cell, f), * __restrict of_g = split(cell, g);
      const T *f0 = c + (4 * a + b) * w, *f1 = c + (4 * a + 2 + b) * w;
      const T *g0 = c + (2 * a + b) * w, *g1 = c + (4 + 2 * a + b) * w;
      for (std::size_t h = first; h < w; ++h) of_f[h] = larger(of_f[h], sum(f0[h], f1[h]));
      for (std::size_t h = first; h < w; ++h) of_g[h] = larger(of_g[h], sum(g0[h], g1[h]));
    }
    note(f, g, best[3], best[2], best[1], best[0]);
  }

  // The gains of the four cells of f and every g into cell_[2 * a + b].
  THRIFTREE_KERNEL void gains_of_four(std::size_t f) {
    for (std::size_t channel = 0; channel < n_channels_; ++channel) {
      const T *single = single_ + channel * width_, *fg = pair(channel, f);
      const T of_f = single[f], of_rest = difference(total_[channel], of_f);
      const Use use = use_of(channel);
      for (std::size_t g = 0; g < width_; ++g) {
        const T only_g = difference(single[g], fg[g]);
        take(use, 3, g, fg[g]);
        take(use, 2, g, difference(of_f, fg[g]));
        take(use, 1, g, only_g);
        take(use, 0, g, difference(of_rest, only_g));
      }
    }
  }

  THRIFTREE_KERNEL void combine() {
    if (task_.levels >= 3) {
      for (std::size_t f = 0; f < p_; ++f) {
        for (std::size_t g = f + 1; g < p_; ++g) {
          for (std::size_t cell = 0; cell < 4; ++cell) {
            T &one = split(cell, f)[g], &other = split(cell >> 1 | (cell & 1) << 1, g)[f];
            one = other = larger(one, other);
          }
        }
      }
    }
    for (std::size_t f = 0; f < p_; ++f) {
      gains_of_four(f);
      for (std::size_t side = 0; side < 2; ++side) combine_side(f, side);
    }
  }

  THRIFTREE_KERNEL void combine_side(std::size_t f, std::size_t side) {
    const T *whole0 = cell_ + 2 * side * width_, *whole1 = whole0 + width_;
    T best[3] = {Bad<T>::gain, Bad<T>::gain, Bad<T>::gain};
    for (std::size_t g = 0; g < p_; ++g) best[0] = larger(best[0], sum(whole0[g], whole1[g]));
    if (task_.levels >= 3) {
      const T *split0 = split(2 * side, f), *split1 = split(2 * side + 1, f);
      for (std::size_t g = 0; g < p_; ++g) {
        best[1] = larger(best[1], larger(sum(whole0[g], split1[g]), sum(split0[g], whole1[g])));
        best[2] = larger(best[2], sum(split0[g], split1[g]));
      }
    }
    auto& costs = task_.answer.side[2 * f + side];
    const std::int64_t base = task_.answer.base[2 * f + side];
    if (costs[0] >= kNoCost) return;
    for (std::size_t k = 0; k < 3; ++k) {
      if (best[k] >= 0) costs[k + 1] = task_.channels.signed_pair ? (base - best[k]) / 2 : base - best[k];
    }
  }

  KernelTask& task_;
  const NodeBits& node_;
  std::size_t p_, n_blocks_, width_, n_chunks_, n_channels_;
  bool plain_;            // one signed channel and no limits
  std::vector<T> total_;  // of each channel, over the node
  T* single_ = nullptr;   // [channel][h]: over the entries that answer h with 1
  T* pair_ = nullptr;     // [channel][f][h]: over those that answer f and h with 1
  T* triple_ = nullptr;   // [channel][h]: over those that answer the current f, g and h with 1
  T* rest_ = nullptr;     // [channel][h]: over those that answer h with 1 and the current f with 0
  T* cell_ = nullptr;     // [cell][h]: gains
  T* split_ = nullptr;
};

THRIFTREE_KERNEL void run_kernel(KernelTask& task) {
  if (task.most <= 16383) {
    Kernel3<std::int16_t>(task).run();
  } else if (task.most < 1 << 30) {
    Kernel3<std::int32_t>(task).run();
  } else {
    Kernel3<std::int64_t>(task).run();
  }
}

#endif
