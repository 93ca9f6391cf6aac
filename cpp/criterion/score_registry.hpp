// The named scores, with what each takes: its parameters, its target, its sums. To add one: write its file,
// add one line to the table in score_registry.cpp, and test it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "criterion/declared_parameter.hpp"
#include "criterion/object_sums.hpp"
#include "criterion/score.hpp"
#include "criterion/set_function.hpp"

namespace thriftree {

// The sums a score sees of nodes and branches.
enum class ScoreStatistics {
  plain,         // the weight of each class, or {weight, weight * y}
  objects,       // and objects per class or bin
  object_terms,  // and what objects heavier than theta add
};

// What a score is made of, all of it checked.
struct ScoreParts {
  std::unique_ptr<Impurity> impurity;
  std::unique_ptr<SetFunction> set_function;  // where the score is made from one
  ParameterValues values;                     // of all parameters that the score declares
  Statistics statistics;
  ObjectWeights weights;

  double value(const std::string& parameter) const { return values.at(parameter); }
};

struct ScoreEntry {
  std::string name, summary;
  bool classes = true, numbers = true;  // the targets it is for
  // The impurity it stands on where its own name is given in place of an impurity; empty: it cannot be.
  std::string stands_on;
  bool takes_set_function = false;
  ScoreStatistics statistics = ScoreStatistics::plain;
  std::vector<DeclaredParameter> parameters;
  std::unique_ptr<Score> (*make)(ScoreParts) = nullptr;
};

// How a score is made that takes nothing but its impurity and its sums.
template <class One>
std::unique_ptr<Score> make_plainly(ScoreParts parts) {
  return std::make_unique<One>(std::move(parts.impurity), parts.statistics);
}

const std::vector<ScoreEntry>& score_entries();

// What a user asks for.
struct ScoreRequest {
  std::string score = "impurity", impurity = "gini";
  ParameterValues values;  // may name parameters of other scores, as long as they have their defaults
  double min_mass = 0;     // a node of this share of the weight may stay as it is
  std::function<std::unique_ptr<SetFunction>()> set_function;  // called where the score is made from one
};

// Throws BadInput, which names the parameter and the remedy, for an unknown score or impurity, one of another
// target, a parameter that the score does not have, and a value that is not valid.
std::unique_ptr<Score> make_score(const ScoreRequest& request, const TargetHeader& target);

// The impurity that a tree reports and is pruned by: the one of this name, or the one that the score of this
// name stands on.
std::unique_ptr<Impurity> make_reported_impurity(const std::string& name);

}  // namespace thriftree
