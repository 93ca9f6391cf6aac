// The kernel with prices. The price of asking h where f and g have answered is what the payers of that cell
// of two tests pay, so triples are counted as without prices, and payers by pairs only. A gain is then a
// leaf's gain less the prices paid below: it may be below 0 without being bad.
//
// No include guard: this is a body, not a header, and nothing where no CPU is named.

#ifdef THRIFTREE_KERNEL

// Sums stay below 2^51 (SearchPrices), so doubles are exact, and they have multiplications in every CPU.
template <>
struct Bad<double> {
  static constexpr double gain = -1152921504606846976.0;  // -2^60
};

class PricedKernel3 : public Kernel3<double> {
  using T = double;

 public:
  THRIFTREE_KERNEL explicit PricedKernel3(KernelTask& task)
      : Kernel3<double>(task),
        prices_(*task.prices),
        payers_(static_cast<std::size_t>(task.channels.payers)),
        unit_(task.channels.signed_pair ? 2 : 1),
        binds_(task.prices->left != kAnyPrice) {}

  THRIFTREE_KERNEL void run() {
    interleave();
    carve(3 * p_ + 5);
    after_ = more_;
    before_ = after_ + p_ * width_;
    limit_ = before_ + p_ * width_;
    cells_ = limit_ + p_ * width_;
    ask_ = cells_ + 4 * width_;
    count_singles();
    count_pairs();
    tabulate();
    if (task_.levels >= 3) count_triples();
    combine();
  }

 private:
  THRIFTREE_KERNEL T* row(T* table, std::size_t f) const { return table + f * width_; }

  // Prices in units of gains. Lanes beyond the last column are free, and change no price.
  THRIFTREE_KERNEL void tabulate() {
    for (std::size_t i = 0; i < (3 * p_ + 5) * width_; ++i) more_[i] = 0;
    for (std::size_t f = 0; f < p_; ++f) {
      const Charge& alone = prices_.columns[f].alone;
      const T price = unit_ * static_cast<T>(alone.fixed), of_budget = static_cast<T>(alone.of_budget);
      for (std::size_t h = 0; h < width_; ++h) row(before_, f)[h] = price;
      for (std::size_t h = 0; h < p_; ++h) row(after_, h)[f] = price;
      for (std::size_t h = 0; binds_ && h < p_; ++h) row(limit_, h)[f] = of_budget;
    }
    prices_.for_each_related([&](std::size_t f, std::size_t h) {
      const Charge& charge = prices_.after(f, h);
      row(after_, f)[h] = row(before_, h)[f] = unit_ * static_cast<T>(charge.fixed);
      if (binds_) row(limit_, f)[h] = static_cast<T>(charge.of_budget);
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
        if (plain_ && !binds_) {
          divide_priced<true>(f, g, first * kBlockLanes);
          continue;
        }
        gains_of_eight(f, g, first * kBlockLanes);
        if (binds_) forbid(f, g, first * kBlockLanes);
        divide_priced<false>(f, g, first * kBlockLanes);
      }
    }
  }

  // The payers of the cells of f and every h: [2 * a + b][h].
  THRIFTREE_KERNEL void count_payers(std::size_t f) {
    const T *single = single_ + payers_ * width_, *with_f = pair(payers_, f);
    const T of_f = single[f], of_rest = total_[payers_] - of_f;
    T *n11 = row(cells_, 3), *n10 = row(cells_, 2), *n01 = row(cells_, 1), *n00 = row(cells_, 0);
    for (std::size_t h = 0; h < width_; ++h) {
      n11[h] = with_f[h];
      n10[h] = of_f - with_f[h];
      n01[h] = single[h] - with_f[h];
      n00[h] = of_rest - n01[h];
    }
  }

  THRIFTREE_KERNEL T* cell(std::size_t i) const { return cell_ + i * width_; }

  // Three tests that the budget does not allow together: in every order they cost the same.
  THRIFTREE_KERNEL void forbid(std::size_t f, std::size_t g, std::size_t first) {
    const T left = static_cast<T>(prices_.left) -
                   static_cast<T>(prices_.columns[f].alone.of_budget + prices_.after(f, g).of_budget);
    const T *of_f = row(limit_, f), *of_g = row(limit_, g);
    for (std::size_t h = first; h < width_; ++h) {
      const T more = of_f[h] < of_g[h] ? of_f[h] : of_g[h];
      if (more <= left) continue;
      for (std::size_t i = 0; i < 8; ++i) cell(i)[h] = Bad<T>::gain;
    }
  }

  THRIFTREE_KERNEL static inline V smaller(V a, V b) { return a < b ? a : b; }
  // A gain less what payers pay.
  THRIFTREE_KERNEL static inline V less(V gain, V payers, V price) {
    return minus_product(gain, payers, price);
  }

  // `plainly`: two labels and no limits, cells and their sums in one pass; else the cells are in cell_.
  template <bool plainly>
  THRIFTREE_KERNEL void divide_priced(std::size_t f, std::size_t g, std::size_t first) {
    const T both = pair(0, f)[g], only_f = single_[f] - both, only_g = single_[g] - both;
    const T none = total_[0] - single_[f] - only_g;
    const T *t_of = triple_, *fh = pair(0, f), *gh = pair(0, g), *rest = rest_;
    const T *n_f11 = row(cells_, 3), *n_f10 = row(cells_, 2), *n_f01 = row(cells_, 1),
            *n_f00 = row(cells_, 0);
    const T *n_single = single_ + payers_ * width_, *with_g = pair(payers_, g);
    const T n_g = n_single[g], n_rest = total_[payers_] - n_g;
    // Payers of the cells of f and g, where h is asked.
    const T n11 = n_f11[g], n10 = n_f10[g], n01 = n_f01[g], n00 = n_f00[g];
    const T *h_after_f = row(after_, f), *h_after_g = row(after_, g);
    const T *g_after_h = row(before_, g), *f_after_h = row(before_, f);
    const V g_after_f = all_lanes(h_after_f[g]), f_after_g = all_lanes(h_after_g[f]);
    T *f11 = split(3, f), *f10 = split(2, f), *f01 = split(1, f), *f00 = split(0, f);
    T *g11 = split(3, g), *g10 = split(2, g), *g01 = split(1, g), *g00 = split(0, g);
    V best11 = all_lanes(Bad<T>::gain), best10 = best11, best01 = best11, best00 = best11;
    for (std::size_t h = first; h < width_; h += kLanes) {
      V c7, c6, c5, c4, c3, c2, c1, c0;
      if constexpr (plainly) {
        const V t = load(t_of + h), u = load(fh + h) - t, v = load(gh + h) - t, q = load(rest + h) - v;
        c7 = magnitude(t), c6 = magnitude(V(both - t));
        c5 = magnitude(u), c4 = magnitude(V(only_f - u));
        c3 = magnitude(v), c2 = magnitude(V(only_g - v));
        c1 = magnitude(q), c0 = magnitude(V(none - q));
      } else {
        c7 = load(cell(7) + h), c6 = load(cell(6) + h), c5 = load(cell(5) + h), c4 = load(cell(4) + h);
        c3 = load(cell(3) + h), c2 = load(cell(2) + h), c1 = load(cell(1) + h), c0 = load(cell(0) + h);
      }
      const V ask_h = smaller(load(h_after_f + h), load(h_after_g + h));
      best11 = larger(best11, less(c7 + c6, all_lanes(n11), ask_h));
      best10 = larger(best10, less(c5 + c4, all_lanes(n10), ask_h));
      best01 = larger(best01, less(c3 + c2, all_lanes(n01), ask_h));
      best00 = larger(best00, less(c1 + c0, all_lanes(n00), ask_h));
      const V ask_g = smaller(g_after_f, load(g_after_h + h));
      raise(f11 + h, less(c7 + c5, load(n_f11 + h), ask_g));
      raise(f10 + h, less(c6 + c4, load(n_f10 + h), ask_g));
      raise(f01 + h, less(c3 + c1, load(n_f01 + h), ask_g));
      raise(f00 + h, less(c2 + c0, load(n_f00 + h), ask_g));
      const V ask_f = smaller(f_after_g, load(f_after_h + h));
      const V m11 = load(with_g + h), m01 = load(n_single + h) - m11;
      raise(g11 + h, less(c7 + c3, m11, ask_f));
      raise(g10 + h, less(c6 + c2, n_g - m11, ask_f));
      raise(g01 + h, less(c5 + c1, m01, ask_f));
      raise(g00 + h, less(c4 + c0, n_rest - m01, ask_f));
    }
    note(f, g, largest<T>(best11), largest<T>(best10), largest<T>(best01), largest<T>(best00));
  }

  THRIFTREE_KERNEL void combine() {
    if (task_.levels >= 3) join_splits();
    for (std::size_t f = 0; f < p_; ++f) {
      gains_of_four(f);
      for (std::size_t side = 0; side < 2; ++side) {
        price_side(f, side);
        combine_priced(f, side);
      }
    }
  }

  // What asking for each g costs on a side of f; Bad where the budget forbids it.
  THRIFTREE_KERNEL void price_side(std::size_t f, std::size_t side) {
    const auto sum = [&](std::size_t channel) {
      const T ones = single_[channel * width_ + f];
      return side == 1 ? ones : total_[channel] - ones;
    };
    const T payers = sum(payers_);
    for (std::size_t g = 0; g < p_; ++g) {
      const Charge& charge = prices_.after(f, g);
      ask_[g] = -payers * static_cast<T>(charge.fixed);
      if (charge.slot >= 0) ask_[g] -= sum(static_cast<std::size_t>(task_.channels.outcomes + charge.slot));
      ask_[g] *= unit_;
      if (binds_ && prices_.columns[f].alone.of_budget + charge.of_budget > prices_.left)
        ask_[g] = Bad<T>::gain;
    }
  }

  THRIFTREE_KERNEL void combine_priced(std::size_t f, std::size_t side) {
    const T *whole0 = cell_ + 2 * side * width_, *whole1 = whole0 + width_;
    V best_lanes[3] = {all_lanes(Bad<T>::gain), all_lanes(Bad<T>::gain), all_lanes(Bad<T>::gain)};
    for (std::size_t g = 0; g < width_; g += kLanes) {
      const V w0 = load(whole0 + g), w1 = load(whole1 + g), ask = load(ask_ + g);
      best_lanes[0] = larger(best_lanes[0], V(w0 + w1 + ask));
      if (task_.levels < 3) continue;
      const V s0 = load(split(2 * side, f) + g), s1 = load(split(2 * side + 1, f) + g);
      best_lanes[1] = larger(best_lanes[1], V(larger(V(w0 + s1), V(s0 + w1)) + ask));
      best_lanes[2] = larger(best_lanes[2], V(s0 + s1 + ask));
    }
    auto& costs = task_.answer.side[2 * f + side];
    const std::int64_t base = task_.answer.base[2 * f + side];
    if (costs[0] >= kNoCost) return;
    for (std::size_t k = 0; k < 3; ++k) {
      const T best = largest<T>(best_lanes[k]);
      if (best < Bad<T>::gain / 16) continue;  // a cell that may be no leaf
      const auto gain = static_cast<std::int64_t>(best);
      costs[k + 1] = task_.channels.signed_pair ? (base - gain) / 2 : base - gain;
    }
  }

  const PricesAtNode& prices_;
  std::size_t payers_;   // their channel
  T unit_;               // of gains in a unit of cost
  bool binds_;           // whether the budget may forbid something
  T* after_ = nullptr;   // [f][h]: what h costs a payer after f
  T* before_ = nullptr;  // [g][h]: what g costs a payer after h
  T* limit_ = nullptr;   // [f][h]: what h takes of the budget after f
  T* cells_ = nullptr;   // [cell][h]: payers where the current f and h answer the cell's digits
  T* ask_ = nullptr;     // [g]: less than 0, on the current side
};

#endif
