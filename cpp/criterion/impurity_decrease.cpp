#include "criterion/impurity_decrease.hpp"

#include "criterion/score_registry.hpp"

namespace thriftree {

ScoreEntry impurity_decrease_entry() {
  ScoreEntry entry;
  entry.name = "impurity";
  entry.summary = "decrease of the impurity";
  entry.make = make_plainly<ImpurityDecrease>;
  return entry;
}

}  // namespace thriftree
