#include "search/near_cheapest.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "run/control.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kMostOrdered = 12;  // features of an order, all of whose sets are tried

void add(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& more) {
  std::vector<std::uint32_t> both;
  std::set_union(to.begin(), to.end(), more.begin(), more.end(), std::back_inserter(both));
  to = std::move(both);
}

}  // namespace

NearCheapest::NearCheapest(const NearRows& rows, const NearGraph& graph, const Prices& rules,
                           const NearPayers& payers, double most_price, std::function<void()> poll,
                           bool largest)
    : rows_(rows),
      graph_(graph),
      rules_(rules),
      most_price_(most_price),
      sign_(largest ? -1 : 1),
      poll_(std::move(poll)) {
  const std::vector<std::uint32_t>& group_of_row = rows.entries.group_of_row;
  const std::size_t n = group_of_row.size(), n_slots = rules.rules().outcomes.size();
  if (payers.weight.size() != n || payers.outcome_price.size() != n * n_slots)
    throw BadInput("weights and prices of outcomes must have one entry per row");
  weight_.resize(rows.entries.n_groups);
  by_slot_.assign(n_slots, std::vector<double>(rows.entries.n_groups));
  for (std::size_t row = 0; row < n; ++row) {
    weight_[group_of_row[row]] += payers.weight[row];
    for (std::size_t slot = 0; slot < n_slots; ++slot)
      by_slot_[slot][group_of_row[row]] += payers.weight[row] * payers.outcome_price[slot * n + row];
  }
  std::vector<bool> has_entry(rows.entries.n_groups);
  for (const EntrySegment& segment : rows.entries.segments) {
    for (std::uint32_t group : segment.group) {
      const bool first = segment.channel == rows.entries.channels.rows && !has_entry[group];
      if (first) has_entry[group] = true;
      group_.push_back(first ? static_cast<std::int32_t>(group) : -1);
    }
  }
  // A node comes before those below it by its entries, so from the fewest on all below are done.
  std::vector<std::uint32_t> order(graph.nodes.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return graph.nodes[a].n_entries < graph.nodes[b].n_entries; });
  paying_.resize(order.size());
  asked_.resize(order.size());
  for (std::uint32_t number : order) {
    const NearNode& node = graph.nodes[number];
    if (node.histogram.keys.empty()) continue;
    poll_();
    paying_[number] = paying(rows.rows_of(graph.nodes, number), nullptr, 1);
    for (const NearOption& option : node.options) {
      add(asked_[number], {feature(option.column)});
      add(asked_[number], asked_[option.first]);
      add(asked_[number], asked_[option.second]);
    }
    if (!node.is_last) continue;
    const Opened& last = opened(number);
    for (std::size_t i = 0; i < last.levels.options.size(); ++i) {
      add(asked_[number], {feature(last.levels.options[i].column)});
      add(asked_[number], last.below[i]);
    }
  }
}

NearCheapest::Paying NearCheapest::paying(const NodeBits& rows, const std::uint64_t* mask, int side) const {
  Paying made;
  made.by_slot.resize(by_slot_.size());
  const std::uint64_t flip = side == 1 ? 0 : ~std::uint64_t{0};
  for (const NodeSegment& segment : rows.segments) {
    if (segment.channel != rows_.entries.channels.rows) continue;
    for (std::uint32_t i = 0; i < segment.n_entries; ++i) {
      const std::size_t word = segment.first_word + i / 64;
      if (mask != nullptr && ((mask[word] ^ flip) >> (i % 64) & 1) == 0) continue;
      const std::int32_t group = group_[rows.entry[64 * word + i % 64]];
      if (group < 0) continue;
      made.weight += weight_[static_cast<std::size_t>(group)];
      for (std::size_t slot = 0; slot < by_slot_.size(); ++slot)
        made.by_slot[slot] += by_slot_[slot][static_cast<std::size_t>(group)];
    }
  }
  return made;
}

const NearCheapest::Opened& NearCheapest::opened(std::uint32_t number) {
  const auto known = opened_.find(number);
  if (known != opened_.end()) return known->second;
  const NearNode& node = graph_.nodes[number];
  const NodeBits rows = rows_.rows_of(graph_.nodes, number);
  Opened made;
  made.levels = rows_.last_levels.open(rows, graph_.levels_left(node), node.budget());
  std::size_t c = 0;
  for (const NearLastOption& option : made.levels.options) {
    while (rows.column[c] != option.column) ++c;
    Features below;
    for (const int side : {1, 0}) {
      made.sides.push_back(paying(rows, rows.bits(c), side));
      for (const NearSide::Split& split : (side == 1 ? option.first : option.second).splits)
        add(below, {feature(split.column)});
    }
    made.below.push_back(std::move(below));
  }
  return opened_.emplace(number, std::move(made)).first->second;
}

bool NearCheapest::is_forbidden(const PathState& path, std::uint32_t feature) const {
  return rules_.has_ordered(path) && rules_.is_ordered_with_others(feature) &&
         !rules_.is_bought(path, feature);
}

std::vector<NearCheapest::Features> NearCheapest::orders(const PathState& path, std::uint32_t feature,
                                                         const Features& below) const {
  if (!rules_.places_order(path, feature)) return {{}};
  Features others;
  for (std::uint32_t other : below) {
    if (other != feature && rules_.is_ordered_with_others(other)) others.push_back(other);
  }
  if (others.size() > kMostOrdered)
    throw BadInput("an order may hold more features than all of whose sets can be tried");
  std::vector<Features> made;
  for (std::uint32_t set = 0; set < std::uint32_t{1} << others.size(); ++set) {
    Features order{feature};
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (set >> i & 1) order.push_back(others[i]);
    }
    made.push_back(std::move(order));
  }
  return made;
}

double NearCheapest::ask(PathState& path, std::uint32_t feature, const Features& order,
                         const Paying& paying) const {
  double price = 0;
  rules_.ask(
      path, feature, [&] { return std::span<const std::uint32_t>(order); },
      [&](std::size_t column, const Prices::Due& due) {
        const std::int32_t slot = rules_.outcome_slot(column);
        price += slot < 0 ? rules_.rules().own[column] * paying.weight
                          : paying.by_slot[static_cast<std::size_t>(slot)];
        price += due.setup * paying.weight;
      });
  return sign_ * price;
}

void NearCheapest::keep_best(Points& points) const {
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return a.value != b.value   ? a.value < b.value
           : a.price != b.price ? a.price < b.price
                                : a.leaves < b.leaves;
  });
  const bool limited = rows_.options.max_leaves.has_value();
  Points kept;
  for (const Point& point : points) {
    // A leaf beats no tree where the highest price is wanted: a pair of leaves may be none of the set, and
    // the pair with the tree instead of the leaf be one.
    const bool aside = sign_ < 0 && point.option < 0;
    bool beaten = false;
    for (auto one = kept.rbegin(); one != kept.rend() && !beaten && !aside; ++one) {
      if (sign_ < 0 && one->option < 0) continue;
      beaten = one->price <= point.price && (!limited || one->leaves <= point.leaves);
      if (!limited) break;  // the last has the lowest price
    }
    if (!beaten) kept.push_back(point);
  }
  points = std::move(kept);
}

void NearCheapest::combine(const NearNode& node, const Points& first, const Points& second,
                           const Point& begun, bool same, Points& made) const {
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t j = 0; j < second.size(); ++j) {
      Point point = begun;
      point.value += first[i].value + second[j].value;
      if (point.value > node.most) break;
      if (same && first[i].option < 0 && second[j].option < 0) continue;
      point.leaves = first[i].leaves + second[j].leaves;
      point.price += first[i].price + second[j].price;
      if (point.leaves > node.shape.leaves || point.price > most_price_) continue;
      point.first = static_cast<std::int32_t>(i);
      point.second = static_cast<std::int32_t>(j);
      made.push_back(point);
    }
  }
}

const NearCheapest::Points& NearCheapest::points(std::uint32_t number, const PathState& given) {
  State state{number, rules_.restricted(given, asked_[number])};
  const auto known = known_.find(state);
  if (known != known_.end()) return known->second;
  poll_();
  const NearNode& node = graph_.nodes[number];
  Points made;
  if (node.is_last) {
    made = last_points(number, state.path);
  } else {
    if (node.leaf.allowed && node.budget().fits(rows_.units, node.leaf.key))
      made.push_back({rows_.units.value(node.leaf.key)});
    for (std::size_t i = 0; i < node.options.size(); ++i) {
      const NearOption& option = node.options[i];
      const std::uint32_t asked = feature(option.column);
      if (is_forbidden(state.path, asked)) continue;
      Features below = asked_[option.first];
      add(below, asked_[option.second]);
      const std::vector<Features> all = orders(state.path, asked, below);
      for (std::uint32_t order = 0; order < all.size(); ++order) {
        PathState path = state.path;
        Point begun;
        begun.value = rows_.units.value({option.pay, 0});
        begun.price = ask(path, asked, all[order], paying_[number]);
        if (begun.price > most_price_) continue;
        begun.option = static_cast<std::int32_t>(i);
        begun.order = order;
        combine(node, points(option.first, path), points(option.second, path), begun,
                graph_.pairs(option).without_leaves, made);
      }
      keep_best(made);
    }
  }
  keep_best(made);
  return known_.emplace(std::move(state), std::move(made)).first->second;
}

NearCheapest::Points NearCheapest::side_points(const NearSide& side, const Paying& paying,
                                               const PathState& path) const {
  Points made{{rows_.units.value(side.leaf.key)}};
  for (std::size_t i = 0; i < side.splits.size(); ++i) {
    const std::uint32_t asked = feature(side.splits[i].column);
    if (is_forbidden(path, asked)) continue;
    PathState after = path;
    Point point;
    point.value = rows_.units.value(side.splits[i].key);
    point.leaves = 2;
    point.price = ask(after, asked, {asked}, paying);
    point.option = static_cast<std::int32_t>(i);
    if (point.price <= most_price_) made.push_back(point);
  }
  keep_best(made);
  return made;
}

NearCheapest::Points NearCheapest::last_points(std::uint32_t number, const PathState& given) {
  const NearNode& node = graph_.nodes[number];
  const Opened& last = opened(number);
  Points made;
  if (node.leaf.allowed && node.budget().fits(rows_.units, node.leaf.key))
    made.push_back({rows_.units.value(node.leaf.key)});
  for (std::size_t i = 0; i < last.levels.options.size(); ++i) {
    const NearLastOption& option = last.levels.options[i];
    const std::uint32_t asked = feature(option.column);
    if (is_forbidden(given, asked)) continue;
    const std::vector<Features> all = orders(given, asked, last.below[i]);
    for (std::uint32_t order = 0; order < all.size(); ++order) {
      PathState path = given;
      Point begun;
      begun.value = rows_.units.value(option.pay);
      begun.price = ask(path, asked, all[order], paying_[number]);
      if (begun.price > most_price_) continue;
      begun.option = static_cast<std::int32_t>(i);
      begun.order = order;
      combine(node, side_points(option.first, last.sides[2 * i], path),
              side_points(option.second, last.sides[2 * i + 1], path), begun,
              option.first.leaf.label == option.second.leaf.label, made);
    }
    keep_best(made);
  }
  return made;
}

std::optional<PricedNearTree> NearCheapest::find() {
  const Points& all = points(0, {});
  if (all.empty()) return std::nullopt;
  const Point* best = &all[0];
  for (const Point& point : all) {
    if (point.price < best->price) best = &point;
  }
  PricedNearTree tree;
  tree.price = sign_ * best->price;
  write(0, {}, *best, tree);
  return tree;
}

void NearCheapest::write(std::uint32_t number, const PathState& given, const Point& point,
                         PricedNearTree& tree) {
  if (point.option < 0) return tree.test.push_back(-1);
  const NearNode& node = graph_.nodes[number];
  PathState path = rules_.restricted(given, asked_[number]);
  const auto at = static_cast<std::size_t>(point.option);
  const auto test_of = [this](std::int32_t column) {
    return rows_.entries.test[static_cast<std::size_t>(column)];
  };
  if (!node.is_last) {
    const NearOption& option = node.options[at];
    const std::uint32_t asked = feature(option.column);
    Features below = asked_[option.first];
    add(below, asked_[option.second]);
    ask(path, asked, orders(path, asked, below)[point.order], paying_[number]);
    tree.test.push_back(test_of(option.column));
    const Point first = points(option.first, path)[static_cast<std::size_t>(point.first)];
    const Point second = points(option.second, path)[static_cast<std::size_t>(point.second)];
    write(option.first, path, first, tree);
    write(option.second, path, second, tree);
    return;
  }
  const Opened& last = opened(number);
  const NearLastOption& option = last.levels.options[at];
  const std::uint32_t asked = feature(option.column);
  ask(path, asked, orders(path, asked, last.below[at])[point.order], paying_[number]);
  tree.test.push_back(test_of(option.column));
  write_side(option.first,
             side_points(option.first, last.sides[2 * at], path)[static_cast<std::size_t>(point.first)],
             tree);
  write_side(option.second,
             side_points(option.second, last.sides[2 * at + 1], path)[static_cast<std::size_t>(point.second)],
             tree);
}

void NearCheapest::write_side(const NearSide& side, const Point& point, PricedNearTree& tree) const {
  if (point.option < 0) return tree.test.push_back(-1);
  const std::int32_t column = side.splits[static_cast<std::size_t>(point.option)].column;
  for (const std::int32_t test : {rows_.entries.test[static_cast<std::size_t>(column)], -1, -1})
    tree.test.push_back(test);
}

}  // namespace thriftree
