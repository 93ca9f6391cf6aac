// The kernel with prices in lanes of 16 bits: gains in units of 2^down, and what payers pay rounded down to
// that unit, so that no tree costs less than it says. It takes little more than a kernel without prices, and
// most sides are in vain by far more than what was rounded. For two labels without limits or a budget.
//
// No include guard: this is a body, not a header, and nothing where no CPU is named.

#ifdef THRIFTREE_KERNEL

class RoughKernel3 : public Kernel3<std::int16_t> {
  using T = std::int16_t;

 public:
  THRIFTREE_KERNEL explicit RoughKernel3(KernelTask& task)
      : Kernel3<std::int16_t>(task),
        prices_(*task.prices),
        rough_(*task.rough),
        payers_(static_cast<std::size_t>(task.channels.payers)) {
    scaled_.assign(segments_.begin(), segments_.end());
    for (NodeSegment& segment : scaled_) {
      if (segment.channel == task.channels.payers) {
        segment.multiplier <<= rough_.payers_up;
      } else {
        segment.multiplier /= std::int64_t{1} << rough_.down;  // a multiple, of either sign
      }
    }
    segments_ = scaled_;
  }

  THRIFTREE_KERNEL void run() {
    interleave();
    carve(2 * p_ + 4);
    after_ = more_;
    before_ = after_ + p_ * width_;
    cells_ = before_ + p_ * width_;
    count_singles();
    count_pairs();
    tabulate();
    count_triples();
    combine();
  }

 private:
  THRIFTREE_KERNEL T* row(T* table, std::size_t f) const { return table + f * width_; }

  // Prices as shares of a payer in 16 bits without a sign. Lanes beyond the last column are free.
  THRIFTREE_KERNEL void tabulate() {
    for (std::size_t f = 0; f < p_; ++f) {
      const T alone = static_cast<T>(rough_.share(prices_.columns[f].alone));
      T* of_f = row(before_, f);
      for (std::size_t h = 0; h < width_; ++h) of_f[h] = alone;
    }
    for (std::size_t f = 0; f < p_; ++f) {
      T* of_f = row(after_, f);
      for (std::size_t h = 0; h < p_; ++h) of_f[h] = row(before_, h)[0];
      for (std::size_t h = p_; h < width_; ++h) of_f[h] = 0;
    }
    prices_.for_each_related([&](std::size_t f, std::size_t h) {
      row(after_, f)[h] = row(before_, h)[f] = static_cast<T>(rough_.share(prices_.after(f, h)));
    });
  }

  THRIFTREE_KERNEL void count_triples() {
    for (std::size_t i = 0; i < 4 * p_ * width_; ++i) split_[i] = Bad<T>::gain;
    std::uint16_t* mask = task_.scratch.mask.data();
    for (std::size_t f = 0; f < p_; ++f) {
      task_.poll();
      begin_triples(f);
      count_payers(f);
      const std::uint16_t* of_f = chunks(f);
      for (std::size_t g = f + 1; g < p_; ++g) {
        const std::uint16_t* of_g = chunks(g);
        for (std::size_t i = 0; i < n_triple_chunks_; ++i) mask[i] = of_f[i] & of_g[i];
        const std::size_t first = g / kBlockLanes;
        count(mask, first, triple_, n_cells_);
        divide(f, g, first * kBlockLanes);
      }
    }
  }

  // The payers of the cells of f and every h: [2 * a + b][h].
  THRIFTREE_KERNEL void count_payers(std::size_t f) {
    const T *single = single_ + payers_ * width_, *with_f = pair(payers_, f);
    const T of_f = single[f], of_rest = difference(total_[payers_], of_f);
    T *n11 = row(cells_, 3), *n10 = row(cells_, 2), *n01 = row(cells_, 1), *n00 = row(cells_, 0);
    for (std::size_t h = 0; h < width_; ++h) {
      n11[h] = with_f[h];
      n10[h] = difference(of_f, with_f[h]);
      n01[h] = difference(single[h], with_f[h]);
      n00[h] = difference(of_rest, n01[h]);
    }
  }

  THRIFTREE_KERNEL void divide(std::size_t f, std::size_t g, std::size_t first) {
    const T both = pair(0, f)[g];
    const T only_f = difference(single_[f], both), only_g = difference(single_[g], both);
    const T none = difference(difference(total_[0], single_[f]), only_g);
    const T* __restrict t_of = triple_, * __restrict fh = pair(0, f), * __restrict gh = pair(0, g), * __restrict rest = rest_;
    const T* __restrict n_f11 = row(cells_, 3), * __restrict n_f10 = row(cells_, 2), * __restrict n_f01 = row(cells_, 1), * __restrict n_f00 = row(cells_, 0);
    const T* __restrict n_single = single_ + payers_ * width_, * __restrict with_g = pair(payers_, g);
    const T n_g = n_single[g], n_rest = difference(total_[payers_], n_g);
    // Payers of the cells of f and g, where h is asked.
    const V n11 = all_lanes(n_f11[g]), n10 = all_lanes(n_f10[g]), n01 = all_lanes(n_f01[g]),
            n00 = all_lanes(n_f00[g]);
    const T* __restrict h_after_f = row(after_, f), * __restrict h_after_g = row(after_, g);
    const T* __restrict g_after_h = row(before_, g), * __restrict f_after_h = row(before_, f);
    const V g_after_f = all_lanes(h_after_f[g]), f_after_g = all_lanes(h_after_g[f]);
    T* __restrict f11 = split(3, f), * __restrict f10 = split(2, f), * __restrict f01 = split(1, f), * __restrict f00 = split(0, f);
    T* __restrict g11 = split(3, g), * __restrict g10 = split(2, g), * __restrict g01 = split(1, g), * __restrict g00 = split(0, g);
    V best11 = all_lanes(Bad<T>::gain), best10 = best11, best01 = best11, best00 = best11;
    for (std::size_t h = first; h < width_; h += kLanes) {
      const V t = load(t_of + h), u = load(fh + h) - t, v = load(gh + h) - t, q = load(rest + h) - v;
      const V a11 = magnitude(t), b11 = magnitude(V(both - t));
      const V a10 = magnitude(u), b10 = magnitude(V(only_f - u));
      const V a01 = magnitude(v), b01 = magnitude(V(only_g - v));
      const V a00 = magnitude(q), b00 = magnitude(V(none - q));
      const V ask_h = smaller_share(load(h_after_f + h), load(h_after_g + h));
      best11 = larger(best11, V(a11 + b11 - share_of(n11, ask_h)));
      best10 = larger(best10, V(a10 + b10 - share_of(n10, ask_h)));
      best01 = larger(best01, V(a01 + b01 - share_of(n01, ask_h)));
      best00 = larger(best00, V(a00 + b00 - share_of(n00, ask_h)));
      const V ask_g = smaller_share(g_after_f, load(g_after_h + h));
      raise(f11 + h, a11 + a10 - share_of(load(n_f11 + h), ask_g));
      raise(f10 + h, b11 + b10 - share_of(load(n_f10 + h), ask_g));
      raise(f01 + h, a01 + a00 - share_of(load(n_f01 + h), ask_g));
      raise(f00 + h, b01 + b00 - share_of(load(n_f00 + h), ask_g));
      const V ask_f = smaller_share(f_after_g, load(f_after_h + h));
      const V m11 = load(with_g + h), m01 = load(n_single + h) - m11;
      raise(g11 + h, a11 + a01 - share_of(m11, ask_f));
      raise(g10 + h, b11 + b01 - share_of(V(n_g - m11), ask_f));
      raise(g01 + h, a10 + a00 - share_of(m01, ask_f));
      raise(g00 + h, b10 + b00 - share_of(V(n_rest - m01), ask_f));
    }
    note(f, g, largest<T>(best11), largest<T>(best10), largest<T>(best01), largest<T>(best00));
  }

  THRIFTREE_KERNEL void combine() {
    join_splits();
    for (std::size_t f = 0; f < p_; ++f) {
      gains_of_four(f);
      for (std::size_t side = 0; side < 2; ++side) combine_rough(f, side);
    }
  }

  THRIFTREE_KERNEL void combine_rough(std::size_t f, std::size_t side) {
    const T ones = single_[payers_ * width_ + f];
    const std::int32_t payers = side == 1 ? ones : total_[payers_] - ones;
    const T *whole0 = cell_ + 2 * side * width_, *whole1 = whole0 + width_;
    const T *split0 = split(2 * side, f), *split1 = split(2 * side + 1, f), *ask = row(after_, f);
    std::int32_t two = Bad<std::int32_t>::gain, three = two, four = two;
    for (std::size_t g = 0; g < width_; ++g) {
      const std::int32_t paid = (payers * static_cast<std::uint16_t>(ask[g])) >> 16;
      const std::int32_t w0 = whole0[g] - paid, w1 = whole1[g], s0 = split0[g], s1 = split1[g];
      const std::int32_t one = w0 + s1, other = s0 + w1 - paid;
      two = two < w0 + w1 ? w0 + w1 : two;
      three = three < one ? one : three;
      three = three < other ? other : three;
      four = four < s0 + s1 - paid ? s0 + s1 - paid : four;
    }
    auto& costs = task_.answer.side[2 * f + side];
    const std::int64_t base = task_.answer.base[2 * f + side], best[3] = {two, three, four};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int64_t cost = (base - best[k] * (std::int64_t{1} << rough_.down)) / 2;
      costs[k + 1] = cost > 0 ? cost : 0;
    }
  }

  const PricesAtNode& prices_;
  const RoughScale& rough_;
  std::size_t payers_;  // their channel
  std::vector<NodeSegment> scaled_;
  T* after_ = nullptr;   // [f][h]: the share that h costs a payer after f
  T* before_ = nullptr;  // [g][h]: the share that g costs a payer after h
  T* cells_ = nullptr;   // [cell][h]: payers where the current f and h answer the cell's digits
};

#endif
