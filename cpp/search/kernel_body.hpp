// The kernel of pairs and triples, compiled once for each kind of CPU. Whoever includes this defines
// THRIFTREE_KERNEL (the target attribute) and, in this namespace before it,
//     template <size_t n> void count_blocks(const uint16_t* block, size_t stride, const uint16_t* mask,
//                                           size_t n_chunks, uint16_t* counts),
// the number of set bits of block & mask in each lane of n blocks that are `stride` apart; kVectorBytes; and
// `larger`, `magnitude` and `largest` of vectors for which the CPU has instructions.
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

// A vector of lanes; how many depends on the CPU.
template <typename T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes), may_alias));
};

template <typename V>
THRIFTREE_KERNEL inline V larger(V a, V b) {
  return a > b ? a : b;
}
// The largest lane.
template <typename T, typename V>
THRIFTREE_KERNEL inline T largest(V lanes) {
  T best = lanes[0];
  for (std::size_t i = 1; i < kVectorBytes / sizeof(T); ++i) best = lanes[i] > best ? lanes[i] : best;
  return best;
}
template <typename V>
THRIFTREE_KERNEL inline V magnitude(V x) {
  return larger(x, V(-x));
}
template <typename V>
THRIFTREE_KERNEL inline V minus_product(V a, V b, V c) {
  return a - b * c;
}
template <typename T>
THRIFTREE_KERNEL inline T difference(T a, T b) {
  return static_cast<T>(a - b);
}

template <typename T>
class Kernel3 {
 protected:
  using V = typename VectorOf<T>::type;
  static constexpr std::size_t kLanes = kVectorBytes / sizeof(T);

 public:
  THRIFTREE_KERNEL explicit Kernel3(KernelTask& task)
      : task_(task),
        node_(task.node),
        segments_(task.node.segments),
        p_(task.node.n_columns()),
        n_blocks_((p_ + kBlockLanes - 1) / kBlockLanes),
        width_(n_blocks_ * kBlockLanes),
        n_chunks_(std::size_t{4} * task.node.n_words),
        n_channels_(static_cast<std::size_t>(task.channels.n)),
        n_cells_(static_cast<std::size_t>(task.channels.n_in_triples)),
        plain_(task.channels.signed_pair && task.channels.n_in_triples == 1) {
    for (const NodeSegment& segment : segments_) {
      if (segment.channel >= task.channels.n_in_triples) continue;
      n_triple_chunks_ = std::size_t{4} * segment.first_word + (segment.n_entries + 15) / 16;
    }
  }

  THRIFTREE_KERNEL void run() {
    interleave();
    carve();
    count_singles();
    count_pairs();
    if (task_.levels >= 3) count_triples();
    combine();
  }

 protected:
  // Columns block by block, so that a vector holds the same 16 entries of 16 columns.
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

  // All lane arrays in one buffer, and so many rows more.
  THRIFTREE_KERNEL void carve(std::size_t more = 0) {
    const std::size_t n_splits = task_.levels >= 3 ? 4 * p_ : 0;
    const std::size_t rows = n_channels_ * (p_ + 3) + n_splits + 16 + more;
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
    more_ = at + n_splits * width_;
  }

  THRIFTREE_KERNEL static inline V load(const T* at) { return *reinterpret_cast<const V*>(at); }
  THRIFTREE_KERNEL static inline void store(T* at, V value) { *reinterpret_cast<V*>(at) = value; }
  THRIFTREE_KERNEL static inline void raise(T* at, V value) { store(at, larger(load(at), value)); }
  THRIFTREE_KERNEL static inline V all_lanes(T value) { return V{} + value; }
  THRIFTREE_KERNEL T* pair(std::size_t channel, std::size_t f) const {
    return pair_ + (channel * p_ + f) * width_;
  }
  // Gains of the cell where f answers a and h answers b, divided by the best third test; [a * 2 + b][f][h].
  THRIFTREE_KERNEL T* split(std::size_t cell, std::size_t f) const {
    return split_ + (cell * p_ + f) * width_;
  }

  // Sums of the first channels over the entries of `mask`, for the columns from `first_block` on.
  THRIFTREE_KERNEL THRIFTREE_INLINE void count(const std::uint16_t* mask, std::size_t first_block, T* out,
                                               std::size_t n_channels) {
    const NodeSegment *segment = segments_.data(), *end = segment + segments_.size();
    for (std::size_t channel = 0; channel < n_channels; ++channel) {
      const NodeSegment* next = segment;
      while (next != end && static_cast<std::size_t>(next->channel) == channel) ++next;
      T* sums = out + channel * width_;
      std::size_t b = first_block;
      for (; b + 4 <= n_blocks_; b += 4) count_some<4>(segment, next, mask, b, sums);
      if (n_blocks_ - b == 3) {
        count_some<3>(segment, next, mask, b, sums);
      } else if (n_blocks_ - b == 2) {
        count_some<2>(segment, next, mask, b, sums);
      } else if (n_blocks_ - b == 1) {
        count_some<1>(segment, next, mask, b, sums);
      }
      segment = next;
    }
  }
  // The sums over some segments of one channel, in n blocks.
  template <std::size_t n>
  THRIFTREE_KERNEL THRIFTREE_INLINE void count_some(const NodeSegment* segment, const NodeSegment* end,
                                                    const std::uint16_t* mask, std::size_t block, T* sums) {
    alignas(64) T sum[n * kBlockLanes] = {};
    for (; segment != end; ++segment) {
      alignas(64) std::uint16_t counts[n * kBlockLanes];
      const std::size_t begin = std::size_t{4} * segment->first_word;
      count_blocks<n>(task_.scratch.blocks.data() + (block * n_chunks_ + begin) * kBlockLanes,
                      n_chunks_ * kBlockLanes, mask + begin, (segment->n_entries + 15) / 16, counts);
      const T multiplier = static_cast<T>(segment->multiplier);
      for (std::size_t i = 0; i < n * kBlockLanes; ++i)
        sum[i] = static_cast<T>(sum[i] + static_cast<T>(static_cast<T>(counts[i]) * multiplier));
    }
    T* to = sums + block * kBlockLanes;
    for (std::size_t i = 0; i < n * kBlockLanes; ++i) to[i] = sum[i];
  }

  THRIFTREE_KERNEL const std::uint16_t* chunks(std::size_t c) const {
    return task_.scratch.columns.data() + c * n_chunks_;
  }

  THRIFTREE_KERNEL void count_singles() {
    for (std::size_t i = 0; i < n_chunks_; ++i) task_.scratch.mask[i] = 0xffff;
    count(task_.scratch.mask.data(), 0, single_, n_channels_);
    for (const NodeSegment& segment : segments_) {
      const auto channel = static_cast<std::size_t>(segment.channel);
      if (total_.size() <= channel) total_.resize(n_channels_);
      total_[channel] =
          static_cast<T>(total_[channel] + static_cast<T>(segment.n_entries * segment.multiplier));
    }
    total_.resize(n_channels_);
  }

  THRIFTREE_KERNEL void count_pairs() {
    for (std::size_t f = 0; f < p_; ++f) {
      count(chunks(f), f / kBlockLanes, triple_, n_channels_);
      for (std::size_t channel = 0; channel < n_channels_; ++channel) {
        const T* counted = triple_ + channel * width_;
        T* row = pair(channel, f);
        for (std::size_t h = f; h < width_; ++h) row[h] = counted[h];
        for (std::size_t h = f + 1; h < p_; ++h) pair(channel, h)[f] = counted[h];
      }
    }
  }

  // What triples with f have in common.
  THRIFTREE_KERNEL void begin_triples(std::size_t f) {
    for (std::size_t channel = 0; channel < n_cells_; ++channel) {
      const T *all = single_ + channel * width_, *with_f = pair(channel, f);
      T* rest = rest_ + channel * width_;
      for (std::size_t h = 0; h < width_; ++h) rest[h] = difference(all[h], with_f[h]);
    }
  }

  THRIFTREE_KERNEL void count_triples() {
    for (std::size_t i = 0; i < 4 * p_ * width_; ++i) split_[i] = Bad<T>::gain;
    std::uint16_t* mask = task_.scratch.mask.data();
    for (std::size_t f = 0; f < p_; ++f) {
      task_.poll();
      begin_triples(f);
      const std::uint16_t* of_f = chunks(f);
      for (std::size_t g = f + 1; g < p_; ++g) {
        const std::uint16_t* of_g = chunks(g);
        for (std::size_t i = 0; i < n_triple_chunks_; ++i) mask[i] = of_f[i] & of_g[i];
        const std::size_t first = g / kBlockLanes;
        count(mask, first, triple_, n_cells_);
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
    V best11 = all_lanes(Bad<T>::gain), best10 = best11, best01 = best11, best00 = best11;
    for (std::size_t h = first; h < width_; h += kLanes) {
      const V t = load(t_of + h), u = load(fh + h) - t, v = load(gh + h) - t, q = load(rest + h) - v;
      const V a11 = magnitude(t), b11 = magnitude(both - t);
      const V a10 = magnitude(u), b10 = magnitude(only_f - u);
      const V a01 = magnitude(v), b01 = magnitude(only_g - v);
      const V a00 = magnitude(q), b00 = magnitude(none - q);
      best11 = larger(best11, V(a11 + b11));
      best10 = larger(best10, V(a10 + b10));
      best01 = larger(best01, V(a01 + b01));
      best00 = larger(best00, V(a00 + b00));
      raise(f11 + h, a11 + a10);
      raise(f10 + h, b11 + b10);
      raise(f01 + h, a01 + a00);
      raise(f00 + h, b01 + b00);
      raise(g11 + h, a11 + a01);
      raise(g10 + h, b11 + b01);
      raise(g01 + h, a10 + a00);
      raise(g00 + h, b10 + b00);
    }
    note(f, g, largest<T>(best11), largest<T>(best10), largest<T>(best01), largest<T>(best00));
  }

  THRIFTREE_KERNEL void note(std::size_t f, std::size_t g, T best11, T best10, T best01, T best00) {
    const T best[4] = {best00, best01, best10, best11};
    for (std::size_t cell = 0; cell < 4; ++cell) {
      T& known = split(cell, f)[g];
      known = known < best[cell] ? best[cell] : known;
    }
  }

  // The gains of the eight cells into cell_[0 .. 7]: f, g, h answer the digits of 0 .. 7.
  THRIFTREE_KERNEL void gains_of_eight(std::size_t f, std::size_t g, std::size_t first) {
    for (std::size_t channel = 0; channel < n_cells_; ++channel) {
      const T* single = single_ + channel * width_;
      const T both = pair(channel, f)[g];
      const T only_f = difference(single[f], both), only_g = difference(single[g], both);
      const T none = difference(difference(total_[channel], single[f]), only_g);
      const T* __restrict t_of = triple_ + channel * width_, * __restrict fh = pair(channel, f), * __restrict gh = pair(channel, g), * __restrict rest = rest_ + channel * width_;
      const Use use = use_of(channel);
      for (std::size_t h = first; h < width_; h += kLanes) {
        const V t = load(t_of + h), u = load(fh + h) - t, v = load(gh + h) - t, q = load(rest + h) - v;
        take(use, 7, h, t);
        take(use, 6, h, both - t);
        take(use, 5, h, u);
        take(use, 4, h, only_f - u);
        take(use, 3, h, v);
        take(use, 2, h, only_g - v);
        take(use, 1, h, q);
        take(use, 0, h, none - q);
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
  THRIFTREE_KERNEL inline void take(const Use& use, std::size_t cell, std::size_t h, V value) {
    T* gain = cell_ + cell * width_ + h;
    if (use.first) {
      store(gain, use.is_signed ? magnitude(value) : value);
    } else if (use.is_limit) {
      store(gain, value < all_lanes(use.least) ? all_lanes(Bad<T>::gain) : load(gain));
    } else if (!use.is_base) {
      raise(gain, value);
    }
  }

  THRIFTREE_KERNEL void divide_cells(std::size_t f, std::size_t g, std::size_t first) {
    T best[4];
    const T* c = cell_;
    const std::size_t w = width_;
    for (std::size_t cell = 0; cell < 4; ++cell) {
      // f answers cell >> 1, h answers cell & 1, and g divides; and so on.
      const std::size_t a = cell >> 1, b = cell & 1;
      T *of_f = split(cell, f), *of_g = split(cell, g);
      const T *h0 = c + 2 * cell * w, *h1 = h0 + w;
      const T *f0 = c + (4 * a + b) * w, *f1 = f0 + 2 * w;
      const T *g0 = c + (2 * a + b) * w, *g1 = g0 + 4 * w;
      V best_lanes = all_lanes(Bad<T>::gain);
      for (std::size_t h = first; h < w; h += kLanes) {
        best_lanes = larger(best_lanes, V(load(h0 + h) + load(h1 + h)));
        raise(of_f + h, load(f0 + h) + load(f1 + h));
        raise(of_g + h, load(g0 + h) + load(g1 + h));
      }
      best[cell] = largest<T>(best_lanes);
    }
    note(f, g, best[3], best[2], best[1], best[0]);
  }

  // The gains of the four cells of f and every g into cell_[2 * a + b].
  THRIFTREE_KERNEL void gains_of_four(std::size_t f) {
    for (std::size_t channel = 0; channel < n_cells_; ++channel) {
      const T *single = single_ + channel * width_, *fg = pair(channel, f);
      const T of_f = single[f], of_rest = difference(total_[channel], of_f);
      const Use use = use_of(channel);
      for (std::size_t g = 0; g < width_; g += kLanes) {
        const V both = load(fg + g), only_g = load(single + g) - both;
        take(use, 3, g, both);
        take(use, 2, g, of_f - both);
        take(use, 1, g, only_g);
        take(use, 0, g, of_rest - only_g);
      }
    }
  }

  // What was found for f and g in either order.
  THRIFTREE_KERNEL void join_splits() {
    for (std::size_t f = 0; f < p_; ++f) {
      for (std::size_t g = f + 1; g < p_; ++g) {
        for (std::size_t cell = 0; cell < 4; ++cell) {
          T &one = split(cell, f)[g], &other = split(cell >> 1 | (cell & 1) << 1, g)[f];
          one = other = one < other ? other : one;
        }
      }
    }
  }

  THRIFTREE_KERNEL void combine() {
    if (task_.levels >= 3) join_splits();
    for (std::size_t f = 0; f < p_; ++f) {
      gains_of_four(f);
      for (std::size_t side = 0; side < 2; ++side) combine_side(f, side);
    }
  }

  THRIFTREE_KERNEL void combine_side(std::size_t f, std::size_t side) {
    const T *whole0 = cell_ + 2 * side * width_, *whole1 = whole0 + width_;
    V best_lanes[3] = {all_lanes(Bad<T>::gain), all_lanes(Bad<T>::gain), all_lanes(Bad<T>::gain)};
    for (std::size_t g = 0; g < width_; g += kLanes) {
      const V w0 = load(whole0 + g), w1 = load(whole1 + g);
      best_lanes[0] = larger(best_lanes[0], V(w0 + w1));
      if (task_.levels < 3) continue;
      const V s0 = load(split(2 * side, f) + g), s1 = load(split(2 * side + 1, f) + g);
      best_lanes[1] = larger(best_lanes[1], larger(V(w0 + s1), V(s0 + w1)));
      best_lanes[2] = larger(best_lanes[2], V(s0 + s1));
    }
    const T best[3] = {largest<T>(best_lanes[0]), largest<T>(best_lanes[1]), largest<T>(best_lanes[2])};
    auto& costs = task_.answer.side[2 * f + side];
    const std::int64_t base = task_.answer.base[2 * f + side];
    if (costs[0] >= kNoCost) return;
    for (std::size_t k = 0; k < 3; ++k) {
      if (best[k] >= 0) costs[k + 1] = task_.channels.signed_pair ? (base - best[k]) / 2 : base - best[k];
    }
  }

  KernelTask& task_;
  const NodeBits& node_;
  std::span<const NodeSegment> segments_;  // the node's, or the same in other units
  std::size_t p_, n_blocks_, width_, n_chunks_, n_channels_;
  std::size_t n_cells_;              // channels that cells of three tests need
  std::size_t n_triple_chunks_ = 0;  // chunks that these have
  bool plain_;                       // one signed channel and no limits
  std::vector<T> total_;             // of each channel, over the node
  T* single_ = nullptr;              // [channel][h]: over the entries that answer h with 1
  T* pair_ = nullptr;                // [channel][f][h]: over those that answer f and h with 1
  T* triple_ = nullptr;              // [channel][h]: over those that answer the current f, g and h with 1
  T* rest_ = nullptr;                // [channel][h]: over those that answer h with 1 and the current f with 0
  T* cell_ = nullptr;                // [cell][h]: gains
  T* split_ = nullptr;
  T* more_ = nullptr;  // rows that were asked for
};

#endif
