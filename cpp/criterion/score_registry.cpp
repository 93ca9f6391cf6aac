#include "criterion/score_registry.hpp"

#include <algorithm>

#include "criterion/impurity_registry.hpp"
#include "run/control.hpp"

namespace thriftree {

#define THRIFTREE_SCORES(X)  \
  X(impurity_decrease_entry) \
  X(gain_ratio_entry)        \
  X(enhanced_entry)          \
  X(impure_pairs_entry)      \
  X(balance_entry)           \
  X(worst_case_entry)

#define DECLARE(entry) ScoreEntry entry();
THRIFTREE_SCORES(DECLARE)
#undef DECLARE

const std::vector<ScoreEntry>& score_entries() {
#define LIST(entry) entry(),
  static const std::vector<ScoreEntry> entries{THRIFTREE_SCORES(LIST)};
#undef LIST
  return entries;
}

namespace {

// The names of the scores for which `fits` holds, as a list to read.
template <class Fits>
std::string names_of(const Fits& fits) {
  std::string names;
  for (const ScoreEntry& entry : score_entries()) {
    if (fits(entry)) names += (names.empty() ? "" : ", ") + entry.name;
  }
  return names;
}

const ScoreEntry* find_score(const std::string& name) {
  for (const ScoreEntry& entry : score_entries()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

// Its own name, or that of the impurity below a score that is named in its place.
std::string name_of_impurity(const std::string& name) {
  const ScoreEntry* score = find_score(name);
  return score && !score->stands_on.empty() ? score->stands_on : name;
}

const ScoreEntry& entry_of(const ScoreRequest& request) {
  const ScoreEntry* named_as_impurity = find_score(request.impurity);
  const bool alone = named_as_impurity && !named_as_impurity->stands_on.empty();
  if (alone && request.score == "impurity") return *named_as_impurity;
  if (alone && request.score != request.impurity)
    throw BadInput("impurity '" + request.impurity + "' is a score of its own, and score '" + request.score +
                   "' needs an impurity: give '" + named_as_impurity->stands_on + "'");
  const ScoreEntry* entry = find_score(request.score);
  if (!entry)
    throw BadInput("unknown score '" + request.score +
                   "'; choose one of: " + names_of([](const ScoreEntry&) { return true; }));
  return *entry;
}

void check_target(const ScoreEntry& entry, const Impurity& impurity, const std::string& impurity_name,
                  const TargetHeader& target) {
  const bool numbers = target.n_classes == 0;
  const std::string kind = numbers ? "numbers" : "classes", other = numbers ? "classes" : "numbers";
  if (impurity.for_numbers() != numbers) {
    std::string fitting;
    for (const std::string& name : impurity_names()) {
      if (make_impurity(name)->for_numbers() == numbers) fitting += (fitting.empty() ? "" : ", ") + name;
    }
    throw BadInput("impurity '" + impurity_name + "' is for " + other + ", but the target is " + kind +
                   ": choose one of: " + fitting);
  }
  if (!(numbers ? entry.numbers : entry.classes))
    throw BadInput(
        "score '" + entry.name + "' is for " + other + ", but the target is " + kind +
        ": choose one of: " + names_of([&](const ScoreEntry& e) { return numbers ? e.numbers : e.classes; }));
  if (entry.statistics != ScoreStatistics::plain && numbers && target.n_bins == 0)
    throw BadInput("score '" + entry.name + "' needs a target with bins, to tell which rows agree");
}

// A parameter of another score that was set would be ignored: better to say so.
void check_no_foreign_value(const ScoreEntry& entry, const ParameterValues& given) {
  const auto declares = [](const ScoreEntry& one, const std::string& name) {
    return std::any_of(one.parameters.begin(), one.parameters.end(),
                       [&](const DeclaredParameter& parameter) { return parameter.name == name; });
  };
  for (const auto& [name, value] : given) {
    if (declares(entry, name)) continue;
    const std::string owners = names_of([&](const ScoreEntry& e) { return declares(e, name); });
    for (const ScoreEntry& owner : score_entries()) {
      for (const DeclaredParameter& parameter : owner.parameters) {
        if (parameter.name == name && value != parameter.default_value)
          throw BadInput("score '" + entry.name + "' has no parameter " + name +
                         ": leave it out, or choose score " + owners);
      }
    }
    if (owners.empty()) throw BadInput("no score has a parameter " + name + ": leave it out");
  }
}

}  // namespace

std::unique_ptr<Score> make_score(const ScoreRequest& request, const TargetHeader& target) {
  const ScoreEntry& entry = entry_of(request);
  ScoreParts parts;
  parts.impurity = make_reported_impurity(request.impurity);
  check_target(entry, *parts.impurity, request.impurity, target);
  check_no_foreign_value(entry, request.values);
  parts.values = checked_values(entry.parameters, request.values);
  parts.statistics = plain_statistics(target);
  if (entry.statistics != ScoreStatistics::plain) {
    const ObjectSums sums = object_sums(target, request.min_mass);
    parts.statistics = sums.statistics;
    parts.weights = sums.weights;
    if (entry.statistics == ScoreStatistics::objects)
      parts.statistics.heavy_terms = parts.statistics.heavy_weight = false;
  }
  if (entry.takes_set_function) {
    if (!request.set_function)
      throw BadInput("score '" + entry.name + "' is made from a set function: give set_function");
    parts.set_function = request.set_function();
  }
  return entry.make(std::move(parts));
}

std::unique_ptr<Impurity> make_reported_impurity(const std::string& name) {
  return make_impurity(name_of_impurity(name));
}

}  // namespace thriftree
