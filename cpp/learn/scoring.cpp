#include "learn/scoring.hpp"

#include "criterion/score_registry.hpp"
#include "run/control.hpp"

namespace thriftree {

std::unique_ptr<Score> score_of(const LearnOptions& options, double trade_off, const TargetHeader& target) {
  const ScoringParameters& scoring = options.scoring;
  if (options.parts.score) {
    if (scoring.score != "impurity")
      throw BadInput("score '" + scoring.score + "' stands on an impurity by name, not on a function");
    return options.parts.score(target);
  }
  ScoreRequest request;
  request.score = scoring.score;
  request.impurity = scoring.criterion;
  request.values = {{"trade_off", trade_off},
                    {"discrimination_scale", scoring.discrimination_scale},
                    {"weighted_pairs", scoring.weighted_pairs},
                    {"tolerance", scoring.tolerance}};
  request.min_mass = options.least_mass();
  request.set_function = options.parts.set_function;
  return make_score(request, target);
}

}  // namespace thriftree
