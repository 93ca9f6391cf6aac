// From the words of a fit to the criterion that scores its tests, and the sums that it needs.
#pragma once

#include <memory>

#include "criterion/channels.hpp"
#include "criterion/criterion.hpp"
#include "learn/options.hpp"
#include "table/target.hpp"

namespace thriftree {

// The impurity that trees report, and that scores stand on.
std::unique_ptr<Criterion> criterion_of(const LearnOptions& options, bool numbers);

// The score that candidates are chosen by, on top of an impurity, and the sums it needs.
struct Scoring {
  std::unique_ptr<Criterion> criterion;
  Channels channels;
};
Scoring scoring_of(const LearnOptions& options, double trade_off, const TargetHeader& target);

}  // namespace thriftree
