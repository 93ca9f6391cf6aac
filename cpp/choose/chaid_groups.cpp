#include "choose/chaid_groups.hpp"

#include <algorithm>
#include <iterator>

namespace thriftree {

namespace {

constexpr double kNoPair = -std::numeric_limits<double>::infinity();
constexpr double kGroupsTie =
    1e-12;  // relative: log p-values nearer than this are equal, and the first is taken

// Where the first is that is as large as any; 0 where all are -inf.
std::size_t first_of_best(std::span<const double> log_p) {
  const double best = *std::max_element(log_p.begin(), log_p.end());
  if (best == kNoPair) return 0;
  const double enough = best + kGroupsTie * best;
  const auto found = std::find_if(log_p.begin(), log_p.end(), [&](double one) { return one >= enough; });
  return static_cast<std::size_t>(found - log_p.begin());
}

template <class T>
void erase_at(std::vector<T>& from, std::size_t first, std::size_t n = 1) {
  const auto at = from.begin() + static_cast<std::ptrdiff_t>(first);
  from.erase(at, at + static_cast<std::ptrdiff_t>(n));
}

// Groups of neighbours in a row of categories. A floating category, the last, has no place in the row: it
// stays alone, as the last group, or joins any other.
class Intervals final : public CategoryGroups {
 public:
  Intervals(const Categories& categories, const GroupMembers& members, ContingencyTests& tests,
            const std::function<void()>& poll)
      : CategoryGroups(categories, members, tests, poll) {
    const auto last = static_cast<std::uint32_t>(categories.size() - 1);
    alone_ = categories.floating && members_.back() == std::vector<std::uint32_t>{last};
    const std::size_t n = n_in_row();
    for (std::size_t i = 0; i + 1 < n; ++i) log_p_.push_back(log_p(i, i + 1));
    for (std::size_t i = 0; alone_ && i < n; ++i) log_p_.push_back(log_p(i, n));
  }

  std::span<const double> table() override { return tables_; }

  GroupPair closest(const GroupSize* below) override {
    if (log_p_.empty()) return {};
    if (!below) return pair_at(first_of_best(log_p_), log_p_);
    std::vector<double> allowed = log_p_;
    for (std::size_t i = 0; i < allowed.size(); ++i) {
      const GroupPair pair = pair_at(i, allowed);
      if (!sizes_[pair.a].below(*below) && !sizes_[pair.b].below(*below)) allowed[i] = kNoPair;
    }
    return pair_at(first_of_best(allowed), allowed);
  }

  void merge(const GroupPair& pair) override {
    const auto [unused, a, b] = pair;
    poll_();
    const std::size_t n = n_in_row();
    add_to_first(pair);
    if (b == n) {  // the floating category is in the row from now on
      alone_ = false;
      log_p_.resize(n - 1);
    } else {
      if (alone_) erase_at(log_p_, n - 1 + b);
      erase_at(log_p_, a);
    }
    erase_at(members_, b);
    erase_at(sizes_, b);
    erase_at(tables_, b * tests_.n_classes(), tests_.n_classes());
    const std::size_t left = n_in_row();
    if (a > 0) log_p_[a - 1] = log_p(a - 1, a);
    if (a + 1 < left) log_p_[a] = log_p(a, a + 1);
    if (alone_) log_p_[left - 1 + a] = log_p(a, left);
  }

  void bar(const GroupPair& pair) override {
    const std::size_t n = n_in_row();
    log_p_[pair.b < n ? pair.a : n - 1 + pair.a] = kNoPair;
  }

 private:
  std::size_t n_in_row() const { return members_.size() - (alone_ ? 1 : 0); }
  GroupPair pair_at(std::size_t i, const std::vector<double>& log_p) const {
    const std::size_t n = n_in_row();
    return i + 1 < n ? GroupPair{log_p[i], i, i + 1} : GroupPair{log_p[i], i - (n - 1), n};
  }

  bool alone_ = false;         // whether the floating category is a group of its own
  std::vector<double> log_p_;  // of groups i and i + 1 in the row, then of each with the floating category
};

// Groups of any categories.
class Sets final : public CategoryGroups {
 public:
  Sets(const Categories& categories, const GroupMembers& members, ContingencyTests& tests,
       const std::function<void()>& poll)
      : CategoryGroups(categories, members, tests, poll), n_(members.size()), all_(n_ * n_, kNoPair) {
    best_.assign(n_, kNoPair);
    for (std::size_t i = 0; i < n_; ++i) {
      poll_();
      for (std::size_t j = i + 1; j < n_; ++j) set(i, j, log_p(i, j));
    }
    for (std::size_t i = 0; i < n_; ++i) find_best(i);
  }

  std::span<const double> table() override {
    const std::size_t n_classes = tests_.n_classes();
    seen_.clear();
    for (std::size_t i = 0; i < n_; ++i) {
      if (!members_[i].empty()) seen_.insert(seen_.end(), row(i), row(i) + n_classes);
    }
    return seen_;
  }

  GroupPair closest(const GroupSize* below) override {
    std::size_t a = 0;
    if (below) {
      std::vector<double> allowed = best_;
      for (std::size_t i = 0; i < n_; ++i) {
        if (!sizes_[i].below(*below)) allowed[i] = kNoPair;
      }
      a = first_of_best(allowed);
      if (allowed[a] == kNoPair) return {};
    } else {
      a = first_of_best(best_);
    }
    const std::size_t b = first_of_best(with(a));
    return {all_[a * n_ + b], std::min(a, b), std::max(a, b)};
  }

  void merge(const GroupPair& pair) override {
    const auto [unused, a, b] = pair;
    poll_();
    // Rows whose best was a or b must be searched again; for the others the new group may be better.
    std::vector<bool> stale(n_);
    for (std::size_t i = 0; i < n_; ++i) stale[i] = std::max(all_[i * n_ + a], all_[i * n_ + b]) >= best_[i];
    add_to_first(pair);
    members_[b].clear();
    sizes_[b] = {};
    std::fill_n(row(b), tests_.n_classes(), 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      set(b, i, kNoPair);
      if (i == a || members_[i].empty()) continue;
      const double found = log_p(a, i);
      set(a, i, found);
      best_[i] = std::max(best_[i], found);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      if (stale[i] || i == a || i == b) find_best(i);
    }
  }

  void bar(const GroupPair& pair) override {
    set(pair.a, pair.b, kNoPair);
    find_best(pair.a);
    find_best(pair.b);
  }

 private:
  std::span<const double> with(std::size_t i) const { return {all_.data() + i * n_, n_}; }
  void set(std::size_t i, std::size_t j, double log_p) { all_[i * n_ + j] = all_[j * n_ + i] = log_p; }
  void find_best(std::size_t i) { best_[i] = *std::max_element(with(i).begin(), with(i).end()); }

  std::size_t n_;
  std::vector<double> all_;   // of groups i and j, symmetric; -inf at gaps and on the diagonal
  std::vector<double> best_;  // of each row of all_
  std::vector<double> seen_;
};

}  // namespace

CategoryGroups::CategoryGroups(const Categories& categories, const GroupMembers& members,
                               ContingencyTests& tests, const std::function<void()>& poll)
    : tests_(tests), poll_(poll), members_(members), sizes_(members.size()), n_groups_(members.size()) {
  const std::size_t n_classes = tests.n_classes();
  tables_.assign(members.size() * n_classes, 0.0);
  for (std::size_t place = 0; place < members.size(); ++place) {
    for (const std::uint32_t i : members[place]) {
      for (std::size_t k = 0; k < n_classes; ++k) row(place)[k] += categories.table[i * n_classes + k];
      sizes_[place].rows += categories.sizes[i].rows;
      sizes_[place].weight += categories.sizes[i].weight;
    }
  }
}

GroupMembers CategoryGroups::members() const {
  GroupMembers found;
  for (const auto& group : members_) {
    if (!group.empty()) found.push_back(group);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::uint32_t> CategoryGroups::joined(const GroupPair& pair) const {
  std::vector<std::uint32_t> both;
  std::merge(members_[pair.a].begin(), members_[pair.a].end(), members_[pair.b].begin(),
             members_[pair.b].end(), std::back_inserter(both));
  return both;
}

void CategoryGroups::add_to_first(const GroupPair& pair) {
  members_[pair.a] = joined(pair);
  for (std::size_t k = 0; k < tests_.n_classes(); ++k) row(pair.a)[k] += row(pair.b)[k];
  sizes_[pair.a].rows += sizes_[pair.b].rows;
  sizes_[pair.a].weight += sizes_[pair.b].weight;
  --n_groups_;
}

std::unique_ptr<CategoryGroups> groups_of(const Categories& categories, const GroupMembers& members,
                                          ContingencyTests& tests, const std::function<void()>& poll) {
  if (categories.ordered) return std::make_unique<Intervals>(categories, members, tests, poll);
  return std::make_unique<Sets>(categories, members, tests, poll);
}

}  // namespace thriftree
