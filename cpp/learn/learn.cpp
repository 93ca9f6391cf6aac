#include "learn/learn.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "choose/score_chooser.hpp"
#include "grow/grow.hpp"
#include "grow/stop_rule.hpp"
#include "learn/scoring.hpp"
#include "rows/local_store.hpp"
#include "rows/store_of_sums.hpp"
#include "table/objects.hpp"
#include "table/ranked.hpp"

namespace thriftree {

namespace {

// What is learnt from, without a row: the columns, what is counted (rows, or objects) and what trees tell of
// (rows).
struct LearningProblem {
  const std::vector<Column>& columns;
  TargetHeader counted;
  TargetHeader rows;
};

using MakeStore = std::function<std::unique_ptr<RowStore>(const Statistics& statistics, Team& team)>;

double total_weight(const TargetHeader& target) {
  return target.weighted ? static_cast<double>(target.total) * target.growth_unit
                         : static_cast<double>(target.n_rows);
}

SubsetRules subset_rules_of(const TestParameters& tests) {
  if (!(tests.subset_smoothing >= 0 && std::isfinite(tests.subset_smoothing)))
    throw BadInput("subset_smoothing must be a finite number of at least 0");
  if (!(tests.subset_correction >= 0 && std::isfinite(tests.subset_correction)))
    throw BadInput("subset_correction must be a finite number of at least 0");
  if (tests.subset_min_rows < 1) throw BadInput("subset_min_rows must be at least 1");
  if (tests.subset_max_categories < 1 && tests.subset_max_categories != -1)
    throw BadInput("subset_max_categories must be at least 1, or -1 for any number");
  SubsetRules rules;
  rules.smoothing = tests.subset_smoothing;
  rules.min_rows = tests.subset_min_rows;
  if (tests.subset_max_categories > 0)
    rules.max_categories = static_cast<std::size_t>(tests.subset_max_categories);
  rules.correction = tests.subset_correction;
  return rules;
}

ScoreRules rules_of(const LearnOptions& options, const LearningProblem& problem) {
  const TestParameters& tests = options.tests;
  ScoreRules rules;
  if (tests.candidates.size() != problem.columns.size())
    throw BadInput("candidates must have one mask per column");
  for (int mask : tests.candidates) {
    if (mask < 0 || mask > 15) throw BadInput("a candidate mask must be between 0 and 15");
    rules.kinds.push_back(static_cast<std::uint8_t>(mask));
  }
  for (std::size_t j = 0; j < problem.columns.size(); ++j) {
    if (problem.columns[j].kind == ColumnKind::category && (rules.kinds[j] & kThreshold)) {
      throw BadInput("column " + std::to_string(j) + " holds categories: it has no thresholds");
    }
  }
  BranchLimits& limits = rules.candidates.limits;
  limits.rows = tests.min_leaf_rows;
  limits.weight =
      tests.min_leaf_share / options.start.growth_share * total_weight(problem.counted) * (1 - 1e-12);
  if (!problem.counted.weighted &&
      tests.min_leaf_share > 0) {  // whole rows decide sooner than sums of weights
    limits.rows = std::max(limits.rows, static_cast<std::int64_t>(std::ceil(limits.weight)));
    limits.weight = 0;
  }
  rules.candidates.threshold_penalty = tests.threshold_penalty;
  rules.candidates.threshold_minimum = tests.threshold_minimum;
  rules.candidates.subsets = subset_rules_of(tests);
  rules.average_gain_guard = tests.average_gain_guard;
  rules.divide_by_price = options.pricing.cost_benefit;
  return rules;
}

std::unique_ptr<PriceModel> price_model_of(const LearnOptions& options, const std::vector<Column>& columns) {
  const PriceParameters& pricing = options.pricing;
  const auto flat = pricing.prices.value_or(std::vector<double>(columns.size(), 1.0));
  if (flat.size() != columns.size()) throw BadInput("prices must have one entry per column");
  check_prices(flat, pricing.cost_benefit);
  if (options.parts.price_model) return options.parts.price_model();
  if (!pricing.rules) return std::make_unique<FlatPrices>(flat);
  const PriceRules& rules = *pricing.rules;
  if (rules.own.size() != columns.size()) throw BadInput("price rules must have one entry per column");
  for (std::size_t j = 0; j < rules.by_code.size(); ++j) {
    if (!rules.by_code[j].empty() && rules.by_code[j].size() != columns[j].n_codes)
      throw BadInput("by_code[" + std::to_string(j) + "] must have a price for each of the column's codes");
  }
  if (pricing.cost_benefit && rules.some_may_be_free()) {
    throw BadInput(
        "a question may be free on a path, and scores are divided by prices: let asking be more than 0, or "
        "leave it out");
  }
  return std::make_unique<TestPrices>(rules, options.start.bought, options.start.paid);
}

std::unique_ptr<Grower> grower_of(const LearnOptions& options, const RowStore& store) {
  if (options.parts.grower) return options.parts.grower();
  if (options.stopping.max_leaves >= 0) return std::make_unique<BestFirst>(options.stopping.max_leaves);
  return std::make_unique<ByLevel>(store.preferred_batch_rows());
}

void check(const LearningProblem& problem, const LearnOptions& options) {
  if (problem.rows.n_rows == 0 || problem.columns.empty())
    throw BadInput("the table has no rows or no columns");
  const Start& start = options.start;
  if (start.depth < 0 || start.other_leaves < 0)
    throw BadInput("a start has a depth and a number of other leaves of at least 0");
  for (const double share : {start.sample_share, start.growth_share}) {
    if (!(share > 0 && share <= 1 + 1e-9)) throw BadInput("the shares of a start are above 0 and at most 1");
  }
  if (!(start.paid >= 0 && std::isfinite(start.paid)))
    throw BadInput("what the path to a start has paid is a price: finite and not negative");
  const auto n = static_cast<std::size_t>(problem.rows.n_classes);
  if (!options.error_costs.empty() && options.error_costs.size() != n * n)
    throw BadInput("error_costs must be a matrix with a row and a column per class");
}

// The options where class weights and priors are left to impurities: these are 1 on average over the rows of
// the whole tree, of which those counted may be a part, and all shares of the weight are of sample weight.
LearnOptions by_samples(const LearnOptions& options, TargetScale& counted) {
  LearnOptions own = options;
  for (double& factor : counted.class_factors) factor *= own.start.growth_share / own.start.sample_share;
  own.start.growth_share = own.start.sample_share;
  return own;
}

// One tree per trade-off, in the order given.
LearntPath grow_each(const LearningProblem& problem, const LearnOptions& options,
                     const std::vector<double>& trade_offs, const PriceModel& prices,
                     const MakeStore& make_store, Control& control, Team& team) {
  std::vector<std::unique_ptr<Score>> own_scores;
  std::vector<const Score*> scores;
  for (double trade_off : trade_offs) {
    own_scores.push_back(score_of(options, trade_off, problem.counted));
    own_scores.back()->prepare(problem.counted.n_rows, !problem.counted.weighted);
    scores.push_back(own_scores.back().get());
  }
  Statistics statistics = scores[0]->statistics();
  statistics.members = problem.counted.members;
  ScoreChooser score_chooser(problem.columns, scores, rules_of(options, problem), prices);
  const auto own_chooser = options.parts.chooser ? options.parts.chooser(problem.columns, control) : nullptr;
  const StopRules stop = make_stop_rules(options.stopping.rules, *scores[0]);
  const auto store = make_store(statistics, team);
  ChoiceMemory memory(score_chooser, static_cast<int>(trade_offs.size()));
  LearntPath path;
  for (std::size_t v = 0; v < trade_offs.size(); ++v) {
    const auto grower = grower_of(options, *store);
    Loop loop{problem.columns,
              *scores[v],
              stop,
              *store,
              own_chooser ? *own_chooser : static_cast<Chooser&>(score_chooser),
              *grower,
              options.start};
    if (trade_offs.size() > 1) {
      loop.memory = &memory;
      loop.variant = static_cast<int>(v);
    }
    GrowthResult grown = grow(loop, control, team);
    // What a tree kept of its time is for finishing it, not for the next.
    if (grown.stopped_by == "time_limit") control.time_limit_s = 0;
    keep_plain_totals(grown.growth, statistics, scores[v]->impurity());
    path.trees.push_back({make_tree(grown.growth, problem.columns, problem.rows, options.error_costs),
                          grown.stopped_by, grown.seconds, score_chooser.pairs()});
  }
  path.rows_counted = memory.rows_counted + memory.rows_of_unshared;
  path.rows_of_distinct_nodes = memory.rows_of_distinct_nodes() + memory.rows_of_unshared;
  return path;
}

// Prices of tests that only a look at every value can weigh: by outcome, or of reading a column.
bool prices_need_values(const std::vector<Column>& columns, const PriceParameters& pricing) {
  if (!pricing.rules) return false;
  const PriceRules& rules = *pricing.rules;
  const auto has_spans = [&](std::size_t j) { return j < columns.size() && columns[j].spans; };
  for (std::size_t j = 0; j < rules.by_code.size(); ++j) {
    if (has_spans(j) && !rules.by_code[j].empty()) return true;
  }
  if (!pricing.cost_benefit) return false;
  return rules.read || rules.free_first ||
         std::any_of(rules.outcomes.begin(), rules.outcomes.end(),
                     [&](const auto& one) { return has_spans(one.first); });
}

// Can this tree be grown from columns of spans, whose thresholds are bounded? What looks at values one by one
// cannot: parts of the caller's, C4.5's count of thresholds, some prices, and scores without a bound.
bool can_open_spans(const std::vector<Column>& columns, const TargetHeader& target,
                    const LearnOptions& options, const std::vector<double>& trade_offs) {
  const TestParameters& tests = options.tests;
  const OwnParts& parts = options.parts;
  if (parts.score || parts.chooser || parts.grower || parts.price_model || tests.threshold_penalty ||
      tests.threshold_minimum || tests.average_gain_guard || prices_need_values(columns, options.pricing))
    return false;
  for (std::size_t j = 0; j < columns.size() && j < tests.candidates.size(); ++j) {
    if (columns[j].spans && tests.candidates[j] != 0 && tests.candidates[j] != kThreshold) return false;
  }
  if (target.n_classes == 0 && options.scoring.objects) return false;
  return std::all_of(trade_offs.begin(), trade_offs.end(), [&](double trade_off) {
    return score_of(options, trade_off, target)->bound() != nullptr;
  });
}

// The table to grow on; null where the caller's time was over, or the caller wanted it to be, before every
// value had its code.
const Table* table_for(const Table& given, const Target& target, const LearnOptions& options,
                       const std::vector<double>& trade_offs, Control& control, Team& team) {
  if (!given.exact || can_open_spans(given.columns, target, options, trade_offs)) return &given;
  const Table* found = nullptr;
  control.watch_time();
  try {
    if (control.out_of_time()) throw OutOfTime();
    found = &ranked(given, control, team);
  } catch (const OutOfTime&) {
    control.time_limit_s = 0;
  } catch (...) {
    if (!control.keeps_after(std::current_exception())) throw;
  }
  control.leave_time();
  return found;
}

LearntPath learn_each(const Table& given, const Target& row_target, const LearnOptions& options,
                      const std::vector<double>& trade_offs, Control& control) {
  if (row_target.n_rows != given.n_rows)
    throw BadInput("the target must have one entry per row of the table");
  Team team(control);
  const Table* const known = table_for(given, row_target, options, trade_offs, control, team);
  const Table& rows = known ? *known : given;  // without time it stays one leaf, whatever its codes
  check({rows.columns, {}, row_target}, options);
  if (options.scoring.objects && row_target.labels.empty())
    throw BadInput("objects need classes, or a target with bins");
  const auto prices = price_model_of(options, rows.columns);
  std::optional<Objects> objects;
  if (options.scoring.objects && known) {
    objects = coalesce(rows, row_target, control, team, options.objects_weigh());
    if (!options.members_matter()) objects->target.multiplicity.clear();
  }
  const Table& table = objects && objects->table ? *objects->table : rows;
  const Target& target = objects ? objects->target : row_target;
  std::optional<LearnOptions> own;
  if (target.factors_apart) own = by_samples(options, objects->target);
  const MakeStore make_store = [&](const Statistics& statistics, Team& threads) {
    control.reserve(table.bytes(), "the table");
    const bool rows_matter = options.tests.min_leaf_rows > 1;
    auto store = std::make_unique<LocalStore>(table, target, statistics, control, threads, rows_matter);
    if (objects && !objects->rows.empty()) store->know_rows_behind(*objects, row_target);
    return store;
  };
  return grow_each({rows.columns, target, row_target}, own ? *own : options, trade_offs, *prices, make_store,
                   control, team);
}

LearntPath learn_each(const RowsElsewhere& rows, const LearnOptions& options,
                      const std::vector<double>& trade_offs, Control& control) {
  const TargetHeader& told = rows.rows ? *rows.rows : rows.counted;
  LearningProblem problem{rows.columns, rows.counted, told};
  check(problem, options);
  if (told.n_classes != rows.counted.n_classes)
    throw BadInput("the target of what is counted and that of the rows behind it must have the same classes");
  if (!told.priors.empty() && told.priors.size() != static_cast<std::size_t>(told.n_classes))
    throw BadInput("priors must have a factor for every class");
  const TargetHeader& counted = rows.counted;
  if (counted.factors_apart && counted.class_factors.size() != static_cast<std::size_t>(counted.n_classes))
    throw BadInput("class_factors must have a factor for every class");
  const bool spans =
      std::any_of(rows.columns.begin(), rows.columns.end(), [](const Column& c) { return c.spans; });
  if (spans && !opens_spans(rows.columns, rows.counted, options, trade_offs))
    throw BadInput(
        "this fit looks at values one by one, and some columns elsewhere have codes of ranges only");
  const auto prices = price_model_of(options, rows.columns);
  Team team(control);
  const MakeStore make_store = [&](const Statistics& statistics, Team&) {
    auto store = std::make_unique<StoreOfSums>(
        rows.source, rows.columns,
        NamedStatistics(statistics, rows.counted, rows.rows ? &told : nullptr, spans), rows.counted.total);
    if (spans) store->open_spans(statistics, rows.counted);
    return store;
  };
  std::optional<LearnOptions> own;
  if (problem.counted.factors_apart) own = by_samples(options, problem.counted);
  return grow_each(problem, own ? *own : options, trade_offs, *prices, make_store, control, team);
}

void check_path(const LearnOptions& options, const std::vector<double>& trade_offs) {
  if (trade_offs.empty()) throw BadInput("trade_offs is empty: name at least one");
  if (options.scoring.score != "enhanced") throw BadInput("a path of trade-offs needs score 'enhanced'");
  if (options.parts.chooser || options.parts.grower)
    throw BadInput("a path of trade-offs is grown by the built-in chooser and grower");
}

}  // namespace

bool opens_spans(const std::vector<Column>& columns, const TargetHeader& counted, const LearnOptions& options,
                 const std::vector<double>& trade_offs) {
  if (options.scoring.objects || !can_open_spans(columns, counted, options, trade_offs)) return false;
  return std::all_of(trade_offs.begin(), trade_offs.end(), [&](double trade_off) {
    const Statistics kept = score_of(options, trade_off, counted)->statistics();
    return kept.width() == kept.base;
  });
}

LearntTree learn(const Table& table, const Target& target, const LearnOptions& options, Control& control) {
  return std::move(learn_each(table, target, options, {options.scoring.trade_off}, control).trees[0]);
}

LearntTree learn(const RowsElsewhere& rows, const LearnOptions& options, Control& control) {
  return std::move(learn_each(rows, options, {options.scoring.trade_off}, control).trees[0]);
}

LearntPath learn_path(const Table& table, const Target& target, const LearnOptions& options,
                      const std::vector<double>& trade_offs, Control& control) {
  check_path(options, trade_offs);
  return learn_each(table, target, options, trade_offs, control);
}

LearntPath learn_path(const RowsElsewhere& rows, const LearnOptions& options,
                      const std::vector<double>& trade_offs, Control& control) {
  check_path(options, trade_offs);
  return learn_each(rows, options, trade_offs, control);
}

}  // namespace thriftree
