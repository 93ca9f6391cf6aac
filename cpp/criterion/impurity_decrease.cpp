#include "criterion/impurity_decrease.hpp"

#include "criterion/score_registry.hpp"

namespace thriftree {

ScoreEntry impurity_decrease_entry() {
  ScoreEntry entry;
  entry.name = "impurity";
  entry.summary = "decrease of the impurity";
  entry.make = [](ScoreParts parts) -> std::unique_ptr<Score> {
    return std::make_unique<ImpurityDecrease>(std::move(parts.impurity), parts.channels);
  };
  return entry;
}

}  // namespace thriftree
