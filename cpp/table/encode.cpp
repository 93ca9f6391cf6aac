#include "table/encode.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <string>

#include "table/bad_values.hpp"
#include "table/binner.hpp"
#include "table/blocks.hpp"
#include "table/by_book.hpp"
#include "table/code_pass.hpp"
#include "table/column_plan.hpp"
#include "table/distinct.hpp"
#include "table/exact_values.hpp"
#include "table/rank.hpp"
#include "table/ranked.hpp"

namespace thriftree {
namespace {

constexpr std::size_t column_read_rows = 4096;  // rows read at a time where a whole column is read

class Encoder {
 public:
  Encoder(const std::vector<ColumnSource>& sources, std::size_t n_rows, const EncodeOptions& options,
          Control& control, Team& team)
      : options_(options), control_(control), team_(team), binner_(options, n_rows), plans_(sources.size()) {
    table_.n_rows = n_rows;
    table_.columns.resize(sources.size());
    for (std::size_t c = 0; c < sources.size(); ++c) plans_[c].source = sources[c];
  }

  Table run() {
    probe();
    if (options_.max_bins > 0) binner_.bin_by_sample(plans_, columns_to_sort(), control_, team_);
    code_many_values();
    do {
      place();
    } while (code());
    describe();
    return std::move(table_);
  }

 private:
  std::size_t max_listed() const {
    return options_.max_bins == 0 ? options_.spans.above_values
                                  : std::min<std::size_t>(options_.max_bins, kByteCodes);
  }
  std::vector<std::uint32_t> columns_to_sort() const {
    std::vector<std::uint32_t> columns;
    for (std::uint32_t c = 0; c < plans_.size(); ++c) {
      if (plans_[c].way == Way::sort) columns.push_back(c);
    }
    return columns;
  }

  void probe();
  bool has_spans() const {
    return options_.max_bins == 0 && options_.book.empty() && table_.n_rows >= options_.spans.from_rows;
  }
  // What is to be sorted is, or gets spans.
  void code_many_values() { has_spans() ? map_spans() : rank_sorted_columns(); }
  void map_spans();
  template <typename T>
  void map_spans_of(const std::vector<std::uint32_t>& rows, ColumnPlan& plan, SpanMap<T>& map) const;
  void rank_sorted_columns();
  void make_sort_keys(const std::vector<std::uint32_t>& columns);
  Ranks rank_column(const ColumnPlan& plan, std::uint32_t* codes, std::uint32_t* sorted, RankScratch& scratch,
                    int worker);
  void place();
  bool code();
  void describe();
  [[noreturn]] void refuse(std::size_t column) const {
    throw_bad_value(plans_[column].source, column, table_.n_rows);
  }
  const Column* book_of(std::size_t column) const {
    return options_.book.empty() ? nullptr : &options_.book[column];
  }

  const EncodeOptions& options_;
  Control& control_;
  Team& team_;
  Binner binner_;
  std::vector<ColumnPlan> plans_;
  Table table_;
};

// Lists the values of columns that look few-valued; the code pass checks that they are.
void Encoder::probe() {
  const auto rows = sampled_rows(std::min(table_.n_rows, probe_rows), table_.n_rows);
  team_.run(plans_.size(), [&](std::size_t c, int) {
    constexpr std::size_t batch = 256;
    ColumnPlan& plan = plans_[c];
    if (plan.source.type == SourceType::category) {
      plan.way = Way::category;
      plan.wide = plan.source.n_categories > kByteCodes;
    }
    if (const Column* book = book_of(c)) return follow(*book, plan);
    if (plan.way == Way::category) return;
    DistinctSet seen(max_listed());
    double x[batch];
    for (std::size_t first = 0; first < rows.size() && !seen.overflowed(); first += batch) {
      const std::size_t n = std::min(batch, rows.size() - first);
      read_numbers_at(plan.source, rows.data() + first, n, x);
      for (std::size_t i = 0; i < n; ++i) {
        if (std::isfinite(x[i])) seen.insert(x[i]);
      }
    }
    if (seen.overflowed()) return;
    plan.way = Way::list;
    plan.set_entries(seen.sorted());
  });
}

void Encoder::map_spans() {
  const auto columns = columns_to_sort();
  const auto rows = sampled_rows(std::min(table_.n_rows, probe_rows), table_.n_rows);
  team_.run(columns.size(), [&](std::size_t i, int) {
    ColumnPlan& plan = plans_[columns[i]];
    plan.way = Way::spans;
    if (plan.source.fits_float()) {
      map_spans_of(rows, plan, plan.float_spans);
    } else {
      map_spans_of(rows, plan, plan.double_spans);
    }
  });
}

template <typename T>
void Encoder::map_spans_of(const std::vector<std::uint32_t>& rows, ColumnPlan& plan, SpanMap<T>& map) const {
  std::vector<T> sample(rows.size());
  read_numbers_at(plan.source, rows.data(), rows.size(), sample.data());
  std::erase_if(sample, [](T x) { return !std::isfinite(x); });
  map = SpanMap<T>(sample, options_.spans.codes);
}

void Encoder::rank_sorted_columns() {
  const auto columns = columns_to_sort();
  if (columns.empty()) return;
  const std::size_t n = table_.n_rows;
  const std::size_t n_workers = std::min<std::size_t>(static_cast<std::size_t>(team_.size()), columns.size());
  const bool any_double =
      std::any_of(columns.begin(), columns.end(), [&](auto c) { return !plans_[c].source.fits_float(); });
  const std::size_t scratch_bytes = n_workers * RankScratch::bytes(n, any_double);
  const std::size_t value_bytes = columns.size() * n * sizeof(double);  // if no two values are equal
  control_.reserve(columns.size() * n * 2 * sizeof(std::uint32_t),
                   "coding the distinct values of every column");
  control_.reserve(scratch_bytes + value_bytes, "sorting the distinct values of every column");

  for (const auto c : columns) {
    table_.columns[c].wide = static_cast<std::uint32_t>(table_.wide.size());
    table_.wide.emplace_back();
    table_.sorted.emplace_back();
  }
  make_sort_keys(columns);
  std::vector<RankScratch> scratch(static_cast<std::size_t>(team_.size()));
  team_.run(columns.size(), [&](std::size_t i, int worker) {
    ColumnPlan& plan = plans_[columns[i]];
    auto& codes = table_.wide[table_.columns[columns[i]].wide];
    auto& sorted = table_.sorted[table_.columns[columns[i]].wide];
    sorted.resize(n);
    Ranks ranks =
        rank_column(plan, codes.data(), sorted.data(), scratch[static_cast<std::size_t>(worker)], worker);
    if (!ranks.finite()) refuse(columns[i]);
    if (options_.max_bins > 0 && ranks.values.size() > options_.max_bins) {
      binner_.bin(plan, ranks, codes.data(), nullptr, n);
      codes = sorted = {};
      return;
    }
    if (const Column* book = book_of(columns[i]))
      keep_to(*book, ranks, codes, [&](double value) { throw_stranger(plan.source, columns[i], n, value); });
    plan.way = Way::ranked;
    plan.wide = true;
    plan.has_missing = ranks.has_missing;
    plan.entries = std::move(ranks.values);
  });
  control_.release(scratch_bytes + value_bytes);
  for (const auto c : columns)
    control_.reserve(plans_[c].entries.size() * sizeof(double), "keeping the distinct values");
}

// Fills the code vectors: for float columns with their sort keys, read tile by tile since rows of a matrix
// lie together.
void Encoder::make_sort_keys(const std::vector<std::uint32_t>& columns) {
  constexpr std::size_t tile = 256, chunk = 4096;
  const std::size_t n_rows = table_.n_rows;
  team_.run(columns.size(),
            [&](std::size_t i, int) { table_.wide[table_.columns[columns[i]].wide].resize(n_rows); });
  team_.run((n_rows + chunk - 1) / chunk, [&](std::size_t k, int) {
    float x[tile];
    const std::size_t end = std::min(n_rows, (k + 1) * chunk);
    for (std::size_t first = k * chunk; first < end; first += tile) {
      const std::size_t n = std::min(tile, end - first);
      for (const auto c : columns) {
        if (!plans_[c].source.fits_float()) continue;
        read_numbers(plans_[c].source, first, n, x);
        std::uint32_t* keys = table_.wide[table_.columns[c].wide].data() + first;
        for (std::size_t i = 0; i < n; ++i) keys[i] = sort_key(x[i]);
      }
    }
  });
}

Ranks Encoder::rank_column(const ColumnPlan& plan, std::uint32_t* codes, std::uint32_t* sorted,
                           RankScratch& scratch, int worker) {
  const std::size_t n_rows = table_.n_rows;
  const auto poll = control_.poll_on(worker);
  if (plan.source.fits_float()) return rank_floats(codes, sorted, n_rows, scratch, poll);
  scratch.keys.resize(n_rows);
  std::vector<double> x(column_read_rows);
  for (std::size_t first = 0; first < n_rows; first += column_read_rows) {
    const std::size_t n = std::min(column_read_rows, n_rows - first);
    read_numbers(plan.source, first, n, x.data());
    for (std::size_t i = 0; i < n; ++i) scratch.keys[first + i] = sort_key(x[i]);
  }
  return rank_doubles(codes, sorted, n_rows, scratch, poll);
}

// Gives every column that the code pass will write its place; what an earlier pass wrote is dropped.
void Encoder::place() {
  for (const auto& block : table_.blocks) control_.release(block.codes.size());
  table_.blocks.clear();
  std::vector<std::vector<std::uint32_t>> wide, sorted;
  std::vector<std::uint32_t> narrow;
  for (std::uint32_t c = 0; c < plans_.size(); ++c) {
    Column& column = table_.columns[c];
    column.narrow = !plans_[c].wide;
    if (column.narrow) {
      narrow.push_back(c);
      column.wide = 0;
      continue;
    }
    const auto at = static_cast<std::uint32_t>(wide.size());
    if (plans_[c].way == Way::ranked) {
      wide.push_back(std::move(table_.wide[column.wide]));
      sorted.push_back(std::move(table_.sorted[column.wide]));
    } else {
      control_.reserve(table_.n_rows * sizeof(std::uint32_t), "coding a column of more than 256 codes");
      wide.emplace_back(table_.n_rows);
      sorted.emplace_back();
    }
    column.wide = at;
  }
  table_.wide = std::move(wide);
  table_.sorted = std::move(sorted);

  place_in_blocks(table_, narrow, control_);
}

// Runs the code pass. True if it found a plan wanting: the plan is mended, and the codes must be made anew.
bool Encoder::code() {
  const auto findings = std::make_unique<Finding[]>(plans_.size());
  CodePass(plans_, max_listed(), table_).run(team_, findings.get());
  for (std::size_t c = 0; c < plans_.size(); ++c) {
    if (findings[c].bad) refuse(c);
  }
  bool mended = false;
  for (std::size_t c = 0; c < plans_.size(); ++c) {
    ColumnPlan& plan = plans_[c];
    Finding& found = findings[c];
    if (plan.coded_in_pass()) plan.has_missing = found.missing;
    if (found.overflow) {
      mended = true;
      if (plan.way == Way::list) {
        plan.way = Way::sort;
      } else {
        plan.wide = true;
      }
    } else if (!found.strangers.empty()) {
      if (book_of(c) != nullptr) throw_stranger(plan.source, c, table_.n_rows, found.strangers.front());
      mended = true;
      std::vector<double> all = plan.entries;
      all.insert(all.end(), found.strangers.begin(), found.strangers.end());
      std::sort(all.begin(), all.end());
      plan.set_entries(std::move(all));
    }
  }
  if (mended) code_many_values();
  return mended;
}

void Encoder::describe() {
  std::vector<ExactValues::Known> known;
  for (std::size_t c = 0; c < plans_.size(); ++c) {
    ColumnPlan& plan = plans_[c];
    Column& column = table_.columns[c];
    column.ranked_category = plan.source.ranked;
    column.spans = plan.way == Way::spans;
    if (column.spans) known.push_back({static_cast<std::uint32_t>(c), plan.source});
    const bool unordered = plan.way == Way::category && !plan.source.ranked;
    column.kind = unordered ? ColumnKind::category : ColumnKind::ordered;
    const Column* book = book_of(c);
    column.has_missing = plan.has_missing || (book != nullptr && book->has_missing);
    column.n_codes = static_cast<std::uint32_t>(plan.n_known() + (column.has_missing ? 1 : 0));
    if (book != nullptr) {
      column.values = book->values;
      column.edges = book->edges;
    } else {
      (plan.way == Way::bins ? column.edges : column.values) = std::move(plan.entries);
    }
  }
  if (known.empty()) return;
  table_.exact = std::make_shared<ExactValues>(std::move(known), plans_.size(), table_.n_rows,
                                               options_.spans.sorted_rows);
  table_.ranked_form = std::make_shared<RankedForm>();
}

}  // namespace

Table encode(const std::vector<ColumnSource>& sources, std::size_t n_rows, const EncodeOptions& options,
             Control& control, Team& team) {
  if (n_rows == 0) throw BadInput("a table needs at least one row");
  if (sources.empty()) throw BadInput("a table needs at least one column");
  if (n_rows > std::numeric_limits<std::int32_t>::max())
    throw BadInput("a table holds at most 2^31 - 1 rows");
  if (options.max_bins == 1 || options.max_bins > 65'535) throw BadInput("max_bins must be from 2 to 65535");
  const SpanOptions& spans = options.spans;
  if (spans.codes < 1 || spans.codes > SpanMap<float>::most_codes || spans.above_values > kByteCodes)
    throw BadInput("columns above at most 256 values have from 1 to 255 codes");
  if (!options.book.empty()) {
    if (options.max_bins > 0) throw BadInput("columns are coded by a code book or into max_bins, not both");
    check_book(options.book, sources);
  }
  return Encoder(sources, n_rows, options, control, team).run();
}

}  // namespace thriftree
