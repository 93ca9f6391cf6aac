#include "table/objects.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "table/exact_values.hpp"
#include "table/take.hpp"

namespace thriftree {

namespace {

constexpr std::size_t kRowsPerTask = 4096;
constexpr std::uint32_t kEmpty = UINT32_MAX;

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 29);
}

std::uint64_t hash_of(const Table& table, std::size_t row) {
  std::uint64_t hash = 0x2545F4914F6CDD1DULL;
  for (const Block& block : table.blocks) {
    for (std::uint32_t at = 0; at < block.stride; at += 4) {
      std::uint32_t word;
      std::memcpy(&word, block.codes.data() + row * block.stride + at, 4);
      hash = mix(hash, word);
    }
  }
  for (const auto& codes : table.wide) hash = mix(hash, codes[row]);
  return hash;
}

// Columns of spans: codes stand for ranges, so their exact values tell which rows are equal. Values are taken
// by their bits: -0.0 is 0.0 by then, and what is missing has a code of its own.
class SpanValues {
 public:
  explicit SpanValues(const Table& table) : table_(table) {
    for (std::size_t j = 0; table.exact && j < table.columns.size(); ++j) {
      if (table.columns[j].spans) sources_.push_back(&table.exact->source(j));
    }
  }

  void mix_into(std::size_t first, std::size_t n, std::uint64_t* hash) const {
    std::array<double, kBatch> values;
    for (std::size_t begin = first; begin < first + n; begin += kBatch) {
      const std::size_t m = std::min(kBatch, first + n - begin);
      for (const ColumnSource* source : sources_) {
        read(*source, begin, m, values.data());
        for (std::size_t i = 0; i < m; ++i) hash[begin + i] = mix(hash[begin + i], sort_key(values[i]));
      }
    }
  }
  bool same(std::size_t a, std::size_t b) const {
    double x, y;
    return std::all_of(sources_.begin(), sources_.end(), [&](const ColumnSource* source) {
      read(*source, a, 1, &x);
      read(*source, b, 1, &y);
      return sort_key(x) == sort_key(y);
    });
  }

 private:
  static constexpr std::size_t kBatch = 256;
  void read(const ColumnSource& source, std::size_t first, std::size_t n, double* out) const {
    if (!table_.exact_rows) return read_numbers(source, first, n, out);
    read_numbers_at(source, table_.exact_rows->data() + first, n, out);
  }

  const Table& table_;
  std::vector<const ColumnSource*> sources_;
};

bool same_codes(const Table& table, std::size_t a, std::size_t b) {
  for (const Block& block : table.blocks) {
    const std::uint8_t* codes = block.codes.data();
    if (std::memcmp(codes + a * block.stride, codes + b * block.stride, block.stride) != 0) return false;
  }
  for (const auto& codes : table.wide) {
    if (codes[a] != codes[b]) return false;
  }
  return true;
}

// Sums of a row's figure over each object's rows.
template <class Sum, class Figure>
std::vector<Sum> sum_by_object(const std::vector<std::uint32_t>& object_of_row, std::size_t n_objects,
                               const Figure& figure) {
  std::vector<Sum> sums(n_objects, Sum{0});
  for (std::size_t row = 0; row < object_of_row.size(); ++row) sums[object_of_row[row]] += figure(row);
  return sums;
}

// Weights of the same ratio can differ in their last digits: 1e-12 relative is a tie, as between scores.
bool clearly_heavier(std::int64_t weight, std::int64_t incumbent) {
  return static_cast<double>(weight - incumbent) > 1e-12 * static_cast<double>(incumbent);
}

// The heaviest label of each object, the first of equals.
std::vector<std::uint32_t> heaviest_labels(const Target& target,
                                           const std::vector<std::uint32_t>& object_of_row,
                                           const std::vector<std::uint32_t>& first_row, Control& control) {
  std::vector<std::uint32_t> labels(first_row.size());
  for (std::size_t i = 0; i < first_row.size(); ++i) labels[i] = target.labels[first_row[i]];
  // Only objects whose rows disagree need their weights by label: (object, label, weight), sorted.
  std::vector<bool> mixed(first_row.size(), false);
  for (std::size_t row = 0; row < object_of_row.size(); ++row) {
    if (target.labels[row] != labels[object_of_row[row]]) mixed[object_of_row[row]] = true;
  }
  struct Vote {
    std::uint32_t object, label;
    std::int64_t weight;
  };
  std::vector<Vote> votes;
  for (std::uint32_t row = 0; row < object_of_row.size(); ++row) {
    if (mixed[object_of_row[row]])
      votes.push_back({object_of_row[row], target.labels[row], target.weighted() ? target.growth[row] : 1});
  }
  control.poll_or_throw();
  std::sort(votes.begin(), votes.end(), [](const Vote& a, const Vote& b) {
    return a.object != b.object ? a.object < b.object : a.label < b.label;
  });
  std::int64_t heaviest = 0;
  for (std::size_t i = 0; i < votes.size();) {
    const Vote first = votes[i];
    if (i == 0 || votes[i - 1].object != first.object) heaviest = 0;
    std::int64_t weight = 0;
    for (; i < votes.size() && votes[i].object == first.object && votes[i].label == first.label; ++i)
      weight += votes[i].weight;
    if (clearly_heavier(weight, heaviest)) {
      heaviest = weight;
      labels[first.object] = first.label;
    }
  }
  return labels;
}

// Sums that need more than 64 bits are rounded to a coarser unit.
std::vector<std::int64_t> narrowed(const std::vector<int128>& sums, double& unit) {
  int128 largest = 0;
  for (int128 s : sums) largest = std::max(largest, s < 0 ? -s : s);
  int shift = 0;
  while (largest >> shift >= (int128{1} << 62)) ++shift;
  unit *= static_cast<double>(std::uint64_t{1} << shift);
  const int128 half = shift > 0 ? int128{1} << (shift - 1) : 0;
  std::vector<std::int64_t> result(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i)
    result[i] = static_cast<std::int64_t>((sums[i] + half) >> shift);
  return result;
}

Target target_of(const Target& target, const std::vector<std::uint32_t>& first_row,
                 const std::vector<std::uint32_t>& object_of_row, Control& control) {
  const std::size_t n = first_row.size();
  Target result;
  result.n_rows = n;
  result.n_classes = target.n_classes;
  result.n_bins = target.n_bins;
  result.priors = target.priors;
  result.class_factors = target.class_factors;
  result.labels = heaviest_labels(target, object_of_row, first_row, control);
  control.poll_or_throw();
  result.multiplicity = sum_by_object<std::uint32_t>(object_of_row, n, [](std::size_t) { return 1U; });
  if (target.weighted()) {
    result.growth =
        sum_by_object<std::int64_t>(object_of_row, n, [&](std::size_t row) { return target.growth[row]; });
    result.growth_unit = target.growth_unit;
  } else {
    result.growth.assign(result.multiplicity.begin(), result.multiplicity.end());
  }
  result.unit_samples = false;
  if (!target.sample.empty()) {
    result.sample =
        sum_by_object<std::int64_t>(object_of_row, n, [&](std::size_t row) { return target.sample[row]; });
    result.sample_unit = target.sample_unit;
  } else if (target.weighted() && target.unit_samples) {
    result.sample.assign(result.multiplicity.begin(), result.multiplicity.end());
  }
  control.poll_or_throw();
  if (target.n_classes == 0) {
    result.center = target.center;
    result.moment_unit = target.moment_unit;
    result.square_unit = target.square_unit;
    result.moment =
        narrowed(sum_by_object<int128>(object_of_row, n, [&](std::size_t row) { return target.moment[row]; }),
                 result.moment_unit);
    result.square =
        narrowed(sum_by_object<int128>(object_of_row, n, [&](std::size_t row) { return target.square[row]; }),
                 result.square_unit);
    for (std::size_t i = 0; i < n; ++i) result.values.push_back(target.values[first_row[i]]);
  }
  return result;
}

// Of sample weights, and of growth weights.
double mean_factor(const Target& rows) {
  double samples = static_cast<double>(rows.n_rows);
  const auto total = [](const std::vector<std::int64_t>& weights, double unit) {
    return static_cast<double>(std::accumulate(weights.begin(), weights.end(), std::int64_t{0})) * unit;
  };
  if (!rows.sample.empty()) samples = total(rows.sample, rows.sample_unit);
  return total(rows.growth, rows.growth_unit) / samples;
}

// Objects weigh as their rows do without class weights and priors, which are left to impurities. Says whether
// they did not before.
bool set_factors_apart(Target& objects, const Target& rows) {
  if (objects.class_factors.empty()) return false;
  const double mean = mean_factor(rows);
  for (double& factor : objects.class_factors) factor /= mean;
  objects.factors_apart = true;
  objects.growth = std::move(objects.sample);
  objects.growth_unit = objects.growth.empty() ? 1 : objects.sample_unit;
  objects.sample.clear();
  objects.sample_unit = 1;
  return true;
}

bool all_equal(const std::vector<std::int64_t>& weights) {
  return std::all_of(weights.begin(), weights.end(), [&](std::int64_t w) { return w == weights[0]; });
}

// Objects that weigh the same weigh 1: only ratios matter to growing, and whole counts are exact and quick.
// Says whether they did not before.
bool take_equal_weights_for_one(Target& target) {
  if (!target.weighted() || !all_equal(target.growth)) return false;
  const double weight = static_cast<double>(target.growth[0]) * target.growth_unit;
  target.moment_unit /= weight;
  target.square_unit /= weight;
  if (!target.sample.empty() && all_equal(target.sample)) target.sample.clear();
  target.unit_samples = target.sample.empty();
  target.growth.clear();
  target.growth_unit = 1;
  return true;
}

// The same for objects that do not: how much they differ is left to the sample weights.
bool weigh_all_alike(Target& target) {
  if (!target.weighted()) return false;
  if (target.sample.empty() && !target.unit_samples) {
    target.sample = std::move(target.growth);
    target.sample_unit = target.growth_unit;
  }
  target.growth.clear();
  target.growth_unit = 1;
  return true;
}

// Which rows an object has, and what they weigh together.
void list_rows(const std::vector<std::uint32_t>& object_of_row, std::size_t n_objects, const Target& rows,
               Objects& objects) {
  objects.begin.assign(n_objects + 1, 0);
  for (std::uint32_t object : object_of_row) ++objects.begin[object + 1];
  for (std::size_t i = 1; i <= n_objects; ++i) objects.begin[i] += objects.begin[i - 1];
  std::vector<std::uint32_t> next(objects.begin.begin(), objects.begin.end() - 1);
  objects.rows.resize(object_of_row.size());
  for (std::uint32_t row = 0; row < object_of_row.size(); ++row)
    objects.rows[next[object_of_row[row]]++] = row;
  objects.weights = sum_by_object<std::int64_t>(
      object_of_row, n_objects, [&](std::size_t row) { return rows.weighted() ? rows.growth[row] : 1; });
  objects.mixed.assign(n_objects, 0);
  for (std::uint32_t row = 0; row < object_of_row.size(); ++row) {
    const std::uint32_t object = object_of_row[row];
    if (rows.labels[row] != objects.target.labels[object]) objects.mixed[object] = 1;
  }
}

}  // namespace

const char* name_of(ObjectsWeigh weigh) {
  return weigh == ObjectsWeigh::growth ? "growth" : weigh == ObjectsWeigh::samples ? "samples" : "alike";
}

ObjectsWeigh objects_weigh_of(const std::string& name) {
  for (const ObjectsWeigh one : {ObjectsWeigh::growth, ObjectsWeigh::samples, ObjectsWeigh::alike}) {
    if (name == name_of(one)) return one;
  }
  throw BadInput("objects weigh '" + name + "': write growth, samples or alike");
}

std::vector<std::uint32_t> find_objects(const Table& table, std::vector<std::uint32_t>& object_of_row,
                                        Control& control, Team& team) {
  const std::size_t n = table.n_rows;
  std::size_t n_slots = 16;
  while (n_slots < 2 * n) n_slots *= 2;
  control.reserve(n * 12 + n_slots * 4, "finding equal rows");
  std::vector<std::uint64_t> hash(n);
  const SpanValues values(table);
  team.run((n + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task, int) {
    const std::size_t begin = task * kRowsPerTask, end = std::min(n, begin + kRowsPerTask);
    for (std::size_t row = begin; row < end; ++row) hash[row] = hash_of(table, row);
    values.mix_into(begin, end - begin, hash.data());
  });
  std::vector<std::uint32_t> slots(n_slots, kEmpty), first_row;
  object_of_row.resize(n);
  for (std::size_t row = 0; row < n; ++row) {
    if (row % kRowsPerTask == 0) control.poll_or_throw();
    std::size_t slot = hash[row] & (n_slots - 1);
    while (slots[slot] != kEmpty &&
           (hash[first_row[slots[slot]]] != hash[row] || !same_codes(table, first_row[slots[slot]], row) ||
            !values.same(first_row[slots[slot]], row))) {
      slot = (slot + 1) & (n_slots - 1);
    }
    if (slots[slot] == kEmpty) {
      slots[slot] = static_cast<std::uint32_t>(first_row.size());
      first_row.push_back(static_cast<std::uint32_t>(row));
    }
    object_of_row[row] = slots[slot];
  }
  return first_row;
}

Objects coalesce(const Table& table, const Target& target, Control& control, Team& team, ObjectsWeigh weigh) {
  Objects objects;
  std::vector<std::uint32_t> object_of_row;
  const auto first_row = find_objects(table, object_of_row, control, team);
  const bool all_differ = first_row.size() == table.n_rows;
  if (all_differ) {
    objects.target = target;
  } else {
    objects.table = take_rows(table, first_row, control);
    objects.target = target_of(target, first_row, object_of_row, control);
  }
  control.poll_or_throw();
  bool weights_changed = weigh == ObjectsWeigh::samples && set_factors_apart(objects.target, target);
  weights_changed = take_equal_weights_for_one(objects.target) || weights_changed;
  if (weigh == ObjectsWeigh::alike) weights_changed = weigh_all_alike(objects.target) || weights_changed;
  if (!all_differ || weights_changed) list_rows(object_of_row, first_row.size(), target, objects);
  return objects;
}

}  // namespace thriftree
