#include "learn/scoring.hpp"

#include "criterion/object_scores.hpp"
#include "criterion/registry.hpp"
#include "criterion/worst_case.hpp"
#include "run/control.hpp"

namespace thriftree {

std::unique_ptr<Criterion> criterion_of(const LearnOptions& options, bool numbers) {
  if (options.parts.criterion) return options.parts.criterion(numbers);
  const std::string& name = options.scoring.criterion;
  auto criterion = make_criterion(name);
  if (criterion->for_numbers() != numbers) {
    throw BadInput("criterion '" + name + "' is for " +
                   (numbers ? "classes, but the target is numbers" : "numbers, but the target is classes"));
  }
  return criterion;
}

Scoring scoring_of(const LearnOptions& options, double trade_off, const TargetHeader& target) {
  const ScoringWords& words = options.scoring;
  auto impurity = criterion_of(options, target.n_classes == 0);
  if (words.score == "impurity") return {std::move(impurity), plain_channels(target)};
  if (impurity->scores_in_batches())
    throw BadInput("score '" + words.score + "' stands on an impurity by name, not on a function");
  if (target.n_classes == 0 && target.n_bins == 0)
    throw BadInput("score '" + words.score + "' needs a target with bins, to tell which rows agree");
  ObjectSums sums = object_sums(target, options.least_mass());
  if (words.score == "enhanced") {
    if (!(trade_off >= 0)) throw BadInput("trade_off must be a number of at least 0, or infinity");
    return {std::make_unique<Enhanced>(std::move(impurity), trade_off, words.discrimination_scale,
                                       sums.channels, sums.weights),
            sums.channels};
  }
  sums.channels.heavy_terms = sums.channels.heavy_weight = false;
  if (target.n_classes > 0 && words.score == "worst_case") {
    if (!(words.tolerance >= 0)) throw BadInput("tolerance must be a number of at least 0");
    if (!options.parts.set_function) throw BadInput("score 'worst_case' needs a set function");
    return {std::make_unique<WorstCase>(options.parts.set_function(), std::move(impurity), sums.channels,
                                        words.tolerance),
            sums.channels};
  }
  if (target.n_classes > 0 && words.score == "impure_pairs")
    return {make_impure_pairs(std::move(impurity), sums.channels, words.weighted_pairs), sums.channels};
  if (target.n_classes > 0 && words.score == "balance")
    return {make_balance(std::move(impurity), sums.channels), sums.channels};
  throw BadInput(
      "score must be 'impurity', 'enhanced' or, for classes, 'impure_pairs', 'balance' or 'worst_case', not "
      "'" +
      words.score + "'");
}

}  // namespace thriftree
