// Columns of spans in this process.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "rows/divide_rows.hpp"
#include "rows/local_store.hpp"
#include "table/exact_values.hpp"

namespace thriftree {

namespace {

constexpr std::uint32_t kFewCodes = EndCounts::most_codes;  // runs of few codes are added up as quickly

// The counts of one column's codes in a histogram, or counted on the spot: code c of group k at k * stride +
// c.
struct CodeCounts {
  const std::uint32_t* rows = nullptr;    // by class where these are the weights; null where packed
  const std::int64_t* weights = nullptr;  // null where rows weigh 1
  const NumberSums* numbers = nullptr;
  std::size_t stride = 0;
  // By code, where a score asks for them.
  const std::int64_t *heavy = nullptr, *terms = nullptr;
  const std::uint32_t* members = nullptr;
};

CodeCounts counts_of(const Histogram& histogram, std::size_t at, std::size_t stride) {
  const auto from = [&](const auto& sums) { return sums.empty() ? nullptr : sums.data() + at; };
  return {from(histogram.rows),  from(histogram.weights), from(histogram.numbers), stride,
          from(histogram.heavy), from(histogram.terms),   from(histogram.members)};
}

// Where the object is that weighs more than half of the node.
struct DominantObject {
  std::uint32_t code = UINT32_MAX;
  std::int64_t weight = 0;
};

// Running sums over the codes that have rows.
class SpanSummer {
 public:
  SpanSummer(const Counting& counting, const Column& column, const DominantObject& dominant, SpanSums& out)
      : counting_(counting),
        out_(out),
        n_groups_(counting.target.n_classes > 0 ? static_cast<std::size_t>(counting.target.n_classes) : 1),
        n_channels_(counting.target.n_classes > 0 ? counting.statistics.width() : 1),
        dominant_(dominant),
        n_known_(column.n_known()),
        missing_code_(column.has_missing ? column.n_known() : UINT32_MAX) {}

  // Codes in ascending order.
  void sum_all(const CodeCounts& counts) {
    begin(n_known_);
    if (counting_.plain_counts() && n_groups_ == 2) {
      add_two_classes(counts);
    } else if (counting_.plain_counts()) {
      add_classes(counts);
    } else if (counting_.moments) {
      add_numbers(counts);
    } else {
      for (std::uint32_t code = 0; code < n_known_; ++code) add_or_list(counts, code);
      if (!counting_.moments) add_channels(counts);
    }
    finish(counts);
  }
  void sum_seen(const CodeCounts& counts, const std::array<std::uint64_t, 4>& seen) {
    std::size_t n_seen = 0;
    for (const std::uint64_t word : seen) n_seen += static_cast<std::size_t>(std::popcount(word));
    begin(n_seen);
    for (std::size_t word = 0; word < 4; ++word) {
      for (std::uint64_t bits = seen[word]; bits != 0; bits &= bits - 1) {
        const auto code =
            static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        if (code < n_known_) add_or_list(counts, code);
      }
    }
    if (!counting_.moments) add_channels(counts);
    finish(counts);
  }

 private:
  void begin(std::size_t most_spans) {
    out_.stride = most_spans + 1;
    out_.rows_known = counting_.rows_counted();
    out_.codes.resize(most_spans + 1);
    out_.rows.resize(out_.stride);
    out_.weights.resize(n_channels_ * out_.stride);
    out_.moments.resize(counting_.moments ? out_.stride : 0);
    out_.squares.resize(counting_.moments ? out_.stride : 0);
    out_.rows[0] = 0;
    for (std::size_t k = 0; k < n_channels_; ++k) out_.weights[k * out_.stride] = 0;
    if (counting_.moments) out_.moments[0] = 0;
    n_ = 0;
  }
  // Counts of rows, which are the weights: sums stay in registers, and where a code has no row its end is
  // written over by the next.
  void add_two_classes(const CodeCounts& counts) {
    const std::uint32_t *first = counts.rows, *second = counts.rows + counts.stride;
    std::int64_t *rows = out_.rows.data() + 1, *left0 = out_.weights.data() + 1, *left1 = left0 + out_.stride;
    std::uint32_t* codes = out_.codes.data();
    std::int64_t sum0 = 0, sum1 = 0;
    std::size_t n = 0;
    for (std::uint32_t code = 0; code < n_known_; ++code) {
      const std::int64_t a = first[code], b = second[code];
      sum0 += a;
      sum1 += b;
      codes[n] = code;
      rows[n] = sum0 + sum1;
      left0[n] = sum0;
      left1[n] = sum1;
      n += a + b > 0;
    }
    n_ = n;
  }
  void add_classes(const CodeCounts& counts) {
    std::array<std::uint32_t, 256> in_code{};
    for (std::size_t k = 0; k < n_groups_; ++k) {
      const std::uint32_t* rows = counts.rows + k * counts.stride;
      for (std::uint32_t code = 0; code < n_known_; ++code) in_code[code] += rows[code];
    }
    std::uint32_t* codes = out_.codes.data();
    std::int64_t* ends = out_.rows.data() + 1;
    std::int64_t sum = 0;
    std::size_t n = 0;
    for (std::uint32_t code = 0; code < n_known_; ++code) {
      codes[n] = code;
      ends[n] = sum += in_code[code];
      n += in_code[code] > 0;
    }
    n_ = n;
    for (std::size_t k = 0; k < n_groups_; ++k) {
      const std::uint32_t* rows = counts.rows + k * counts.stride;
      std::int64_t* left = out_.weights.data() + k * out_.stride + 1;
      sum = 0;
      if (n == n_known_) {
        for (std::size_t i = 0; i < n; ++i) left[i] = sum += rows[i];
      } else {
        for (std::size_t i = 0; i < n; ++i) left[i] = sum += rows[codes[i]];
      }
    }
  }
  // Numbers.
  void add_numbers(const CodeCounts& counts) {
    std::int64_t *rows = out_.rows.data() + 1, *weights = out_.weights.data() + 1;
    int128* moments = out_.moments.data() + 1;
    const bool weighted = counting_.target.weighted();
    std::int64_t sum = 0, weight = 0;
    int128 moment = 0;
    std::size_t n = 0;
    for (std::uint32_t code = 0; code < n_known_; ++code) {
      const NumberSums& of_code = counts.numbers[code];
      const std::uint32_t in_code = of_code.rows();
      out_.codes[n] = code;
      rows[n] = sum += in_code;
      weight += of_code.weight;
      weights[n] = weighted ? weight : sum;
      moments[n] = moment += of_code.moment();
      out_.squares[n] = static_cast<double>(of_code.steps()) * counting_.square_step;
      n += in_code > 0;
    }
    n_ = n;
  }
  std::int64_t rows_of(const CodeCounts& counts, std::uint32_t code) const {
    if (counting_.moments) return counts.numbers[code].rows();
    if (counts.members) return counts.members[code];
    std::int64_t rows = 0;
    for (std::size_t k = 0; k < counting_.row_groups; ++k) rows += counts.rows[k * counts.stride + code];
    for (std::size_t k = 0; k < n_groups_ && counting_.row_groups == 0; ++k) {
      const std::int64_t weight = counts.weights[k * counts.stride + code];
      rows += counting_.packed.empty() ? weight : static_cast<std::uint32_t>(weight);
    }
    return counting_.rows_counted() ? rows : rows > 0;
  }
  std::int64_t weight_of(const CodeCounts& counts, std::uint32_t code) const {
    const NumberSums& of_code = counts.numbers[code];
    return counting_.target.weighted() ? of_code.weight : of_code.rows();
  }
  // Calls sum(value) with what a code adds to a channel, see SpanChannels.
  template <class Sum>
  void in_channel(const CodeCounts& counts, std::size_t channel, const Sum& sum) const {
    const Statistics& kept = counting_.statistics;
    const bool counted = channel >= n_groups_ && kept.counts && channel < kept.counts_at() + kept.n_groups;
    if (channel < n_groups_ || counted) {
      const std::size_t at = (counted ? channel - kept.counts_at() : channel) * counts.stride;
      if (counted && !counting_.packed.empty())
        return sum([&](std::uint32_t code) { return static_cast<std::uint32_t>(counts.weights[at + code]); });
      if (counted || counting_.weight_groups == 0)
        return sum([&](std::uint32_t code) { return std::int64_t{counts.rows[at + code]}; });
      if (counting_.packed.empty()) return sum([&](std::uint32_t code) { return counts.weights[at + code]; });
      const int zeros = counting_.packed_zeros;
      return sum([&](std::uint32_t code) { return (counts.weights[at + code] >> 32) << zeros; });
    }
    if (kept.heavy_weight && channel == kept.heavy_weight_at())
      return sum([&](std::uint32_t code) { return counts.heavy[code]; });
    if (channel == kept.heavy_terms_at()) return sum([&](std::uint32_t code) { return counts.terms[code]; });
    sum([&](std::uint32_t code) { return code == dominant_.code ? dominant_.weight : 0; });
  }
  // Lists a code of classes, if it has rows.
  void list(const CodeCounts& counts, std::uint32_t code) {
    const std::int64_t rows = rows_of(counts, code);
    out_.codes[n_] = code;
    out_.rows[n_ + 1] = out_.rows[n_] + rows;
    n_ += rows > 0;
  }
  // Of the codes listed.
  void add_channels(const CodeCounts& counts) {
    for (std::size_t k = 0; k < n_channels_; ++k) {
      in_channel(counts, k, [&](const auto& value) {
        std::int64_t* ends = out_.weights.data() + k * out_.stride + 1;
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < n_; ++i) ends[i] = sum += value(out_.codes[i]);
      });
    }
  }
  // Numbers: writes the next end whether or not the code has rows; it stays if it has.
  void add(const CodeCounts& counts, std::uint32_t code) {
    const std::int64_t rows = rows_of(counts, code);
    out_.codes[n_] = code;
    out_.rows[n_ + 1] = out_.rows[n_] + rows;
    out_.weights[n_ + 1] = out_.weights[n_] + weight_of(counts, code);
    out_.moments[n_ + 1] = out_.moments[n_] + counts.numbers[code].moment();
    out_.squares[n_] = static_cast<double>(counts.numbers[code].steps()) * counting_.square_step;
    n_ += rows > 0;
  }
  void add_or_list(const CodeCounts& counts, std::uint32_t code) {
    if (counting_.moments) {
      add(counts, code);
    } else {
      list(counts, code);
    }
  }
  void finish(const CodeCounts& counts) {
    out_.codes.resize(n_);
    out_.missing_rows = 0;
    out_.missing_weights.assign(n_channels_, 0);
    out_.missing_moment = 0;
    if (missing_code_ == UINT32_MAX) return;
    out_.missing_rows = rows_of(counts, missing_code_);
    if (counting_.moments) {
      out_.missing_weights[0] = weight_of(counts, missing_code_);
      out_.missing_moment = counts.numbers[missing_code_].moment();
      return;
    }
    for (std::size_t k = 0; k < n_channels_; ++k)
      in_channel(counts, k, [&](const auto& value) { out_.missing_weights[k] = value(missing_code_); });
  }

  const Counting& counting_;
  SpanSums& out_;
  std::size_t n_groups_;
  std::size_t n_channels_;  // n_groups_ of weights, and what a score asks for beside them
  DominantObject dominant_;
  std::uint32_t n_known_, missing_code_;
  std::size_t n_ = 0;  // spans with rows so far
};

}  // namespace

bool LocalStore::holds(int id, std::uint32_t column) const {
  const Column& known = table_.columns[column];
  if (known.spans) return !node(id).sorted;
  // Whole counts by class: the sums of runs would be the same, and take longer to add up.
  return known.narrow && known.kind == ColumnKind::ordered && known.n_codes > kFewCodes &&
         counting_.plain_counts() && !kept_as_bits(known, target_);
}

SpanChannels LocalStore::channels(int id) const {
  return {target_, &target_, {&statistics_, &terms_, node(id).dominant}};
}

// Makes room for the sorted rows of all nodes, once, as pages of memory are shared by neighbours.
bool LocalStore::room_to_sort() {
  if (has_room_to_sort_) return true;
  const std::size_t bytes = presorted_->bytes_of_room();
  if (control_.used_bytes() + bytes > control_.memory_limit_bytes) return false;
  control_.reserve(bytes, "sorting the rows of small nodes");
  presorted_->make_room();
  return has_room_to_sort_ = true;
}

// Where there is no memory for that, a node is counted as others are.
void LocalStore::sort_small_nodes(std::span<const CountRequest> requests, Team& team) {
  constexpr std::size_t cells_per_task = 8192;
  struct Part {
    const CountRequest* request;
    std::size_t from, to;  // of its columns
  };
  std::vector<Part> parts;
  for (const auto& request : requests) {
    Node& n = node(request.node);
    if (request.follow_only || n.sorted || n.size() > sort_up_to_) continue;
    if (!room_to_sort()) return;
    const std::size_t n_columns = request.columns->size();
    n.sorted = true;
    const std::size_t step = std::max<std::size_t>(1, cells_per_task / (n.size() + 1));
    for (std::size_t from = 0; from < n_columns; from += step)
      parts.push_back({&request, from, std::min(from + step, n_columns)});
  }
  if (parts.empty()) return;
  team.run(parts.size(), [&](std::size_t i, int worker) {
    const Node& n = node(parts[i].request->node);
    const std::span<const std::uint32_t> rows(rows_.data() + n.begin, n.size());
    std::vector<double> value(n.size());
    for (std::size_t j = parts[i].from; j < parts[i].to; ++j) {
      const std::uint32_t column = (*parts[i].request->columns)[j];
      if (!table_.columns[column].spans) continue;
      values(column, rows, value.data());
      presorted_->sort_here(column, n.begin, rows, value.data(), worker);
    }
  });
}

void LocalStore::sums(int id, std::uint32_t column, int worker, SpanSums& out) {
  const Node& n = node(id);
  DominantObject dominant;
  if (n.dominant >= 0) {
    const auto row = static_cast<std::size_t>(n.dominant);
    dominant = {table_.code(row, column), target_.growth[row]};
  }
  SpanSummer summer(counting_, table_.columns[column], dominant, out);
  if (!n.histogram.empty()) {
    return summer.sum_all(counts_of(n.histogram, slots_.offset[column], slots_.n));
  }
  SmallCounter& small = small_[static_cast<std::size_t>(worker)];
  const auto seen = small.count(table_, counting_, column, rows_of(n), terms_);
  const Histogram& histogram = small.counted();
  summer.sum_seen(counts_of(histogram, 0, 256), seen);
  small.clear(seen);
}

double LocalStore::reach(int id, std::uint32_t column, const AfarNode& afar, ReachScratch& scratch) const {
  constexpr std::size_t many_classes = 64;
  const Node& n = node(id);
  const std::size_t n_classes = afar.bound.share.size();
  if (n.histogram.empty() || n_classes != static_cast<std::size_t>(target_.n_classes) ||
      n_classes > many_classes)
    return std::numeric_limits<double>::infinity();
  const Column& known = table_.columns[column];
  const std::size_t at = slots_.offset[column];
  if (n_classes == 0) {
    return reach_of(
        NumberCounts{n.histogram.numbers.data() + at, known.n_known(), known.has_missing, target_.weighted(),
                     target_.moment_unit, target_.growth_unit, counting_.square_step},
        afar, scratch);
  }
  if (counting_.weight_groups == 0) {
    return reach_of(ClassCounts<std::uint32_t>{n.histogram.rows.data() + at, slots_.n, known.n_known(),
                                               known.has_missing, 0, 1},
                    afar, scratch);
  }
  ClassCounts<std::int64_t> counts{
      n.histogram.weights.data() + at, slots_.n, known.n_known(), known.has_missing, 0, 1};
  if (counting_.packed.empty()) {
    const double whole = afar.total / target_.growth_unit;
    while (std::ldexp(whole, -counts.shift) >= 0x1p30) ++counts.shift;
    counts.unit = std::ldexp(target_.growth_unit, counts.shift);
  } else {
    counts.shift = 32;
    counts.unit = counting_.packed_unit;
  }
  return reach_of(counts, afar, scratch);
}

bool LocalStore::tells_ends(int id, std::uint32_t column) const {
  const Column& known = table_.columns[column];
  return !node(id).histogram.empty() && !known.spans && known.narrow && known.kind == ColumnKind::ordered &&
         known.n_codes <= kFewCodes && !known.has_missing && counting_.plain_counts() &&
         !kept_as_bits(known, target_);
}

EndCounts LocalStore::ends(int id, std::span<const std::uint32_t> columns) const {
  EndCounts counts{node(id).histogram.rows.data(), slots_.n, {}};
  for (const std::uint32_t column : columns)
    counts.columns.push_back({slots_.offset[column], table_.columns[column].n_codes});
  return counts;
}

void LocalStore::gather(int id, std::uint32_t column, std::span<const std::uint32_t> codes,
                        GatheredRows& out) {
  const Node& n = node(id);
  const Column& known = table_.columns[column];
  const Block& block = table_.blocks[known.block];
  const std::uint8_t* at = block.codes.data() + known.offset;
  std::array<std::uint8_t, 256> span{};  // by code: 1 + its place in `codes`
  for (std::size_t i = 0; i < codes.size(); ++i) span[codes[i]] = static_cast<std::uint8_t>(i + 1);
  const std::size_t n_rows = n.size();
  const std::uint32_t* rows = rows_.data() + n.begin;
  const bool labelled = target_.n_classes > 0;
  out.loose_rows.resize(n_rows + 1);
  out.loose_span.resize(n_rows + 1);
  std::vector<std::size_t> class_end;  // of what is found
  std::size_t found = 0;
  for (std::size_t k = 0; k + 1 < n.class_begin.size(); ++k) {
    for (std::size_t i = n.class_begin[k]; i < n.class_begin[k + 1]; ++i) {
      if (i + kRowsAhead < n_rows) __builtin_prefetch(at + std::size_t{rows[i + kRowsAhead]} * block.stride);
      const std::uint8_t place = span[at[std::size_t{rows[i]} * block.stride]];
      out.loose_rows[found] = rows[i];
      out.loose_span[found] = place;
      found += place != 0;
    }
    class_end.push_back(found);
  }
  out.begin.assign(codes.size() + 1, 0);
  for (std::size_t i = 0; i < found; ++i) ++out.begin[out.loose_span[i]];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.rows.resize(found);
  out.labels.resize(labelled ? found : 0);
  std::vector<std::size_t> next(out.begin.begin(), out.begin.end());
  for (std::size_t k = 0, i = 0; k < class_end.size(); ++k) {
    for (; i < class_end[k]; ++i) {
      const std::size_t to = next[out.loose_span[i] - 1U]++;
      out.rows[to] = out.loose_rows[i];
      if (labelled) out.labels[to] = static_cast<std::uint32_t>(k);
    }
  }
}

void LocalStore::values(std::uint32_t column, std::span<const std::uint32_t> rows, double* out) const {
  const ColumnSource& source = table_.exact->source(column);
  if (!table_.exact_rows) return read_numbers_at(source, rows.data(), rows.size(), out);
  constexpr std::size_t batch = 256;
  std::uint32_t there[batch];
  for (std::size_t first = 0; first < rows.size(); first += batch) {
    const std::size_t m = std::min(batch, rows.size() - first);
    for (std::size_t i = 0; i < m; ++i) there[i] = (*table_.exact_rows)[rows[first + i]];
    read_numbers_at(source, there, m, out + first);
  }
}

}  // namespace thriftree
