// Hinged pairs (paper 001, Eq. 10): classes of few objects do not count, so that a leaf may err on them.
#include <cmath>
#include <string>

#include "criterion/set_function.hpp"
#include "run/control.hpp"

namespace thriftree {

namespace {

class HingedPairs final : public SetFunction {
 public:
  HingedPairs(double alpha, bool offset) : alpha_(alpha), least_(offset ? alpha * alpha : 0) {}

  double value(std::span<const double> counts) const override {
    double sum = 0;
    if (least_ == 0) {
      double before = 0;
      for (const double count : counts) {
        const double above = count - alpha_;
        if (above <= 0) continue;
        sum += before * above;
        before += above;
      }
      return sum;
    }
    for (std::size_t i = 1; i < counts.size(); ++i) {
      const double above = counts[i] - alpha_;
      if (above <= 0) continue;
      for (std::size_t j = 0; j < i; ++j) {
        const double other = counts[j] - alpha_;
        if (other > 0 && above * other > least_) sum += above * other - least_;
      }
    }
    return sum;
  }

 private:
  double alpha_, least_;
};

}  // namespace

std::unique_ptr<SetFunction> make_hinged_pairs(double alpha, bool offset) {
  if (!(alpha >= 0) || !std::isfinite(alpha))
    throw BadInput("HingedPairs needs an alpha that is finite and not negative, not " +
                   std::to_string(alpha));
  return std::make_unique<HingedPairs>(alpha, offset);
}

}  // namespace thriftree
