#include "table/code_pass.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace thriftree {
namespace {

constexpr std::size_t tile_rows = 128;    // a tile of every column stays in the second-level cache
constexpr std::size_t chunk_rows = 4096;  // rows of a task: some milliseconds for a wide table

}  // namespace

CodePass::CodePass(const std::vector<ColumnPlan>& plans, std::size_t max_listed, Table& table)
    : plans_(plans), max_listed_(max_listed), table_(table) {
  for (const Block& block : table.blocks) row_wise_.push_back(row_wise(block));
  for (std::uint32_t c = 0; c < plans.size(); ++c) {
    if (plans[c].wide && plans[c].coded_in_pass()) wide_.push_back(c);
  }
}

bool CodePass::side_by_side(const Block& block) const {
  const ColumnSource& first = plans_[block.columns[0]].source;
  if (first.rows != nullptr || first.type == SourceType::category) return false;
  const auto size = static_cast<std::ptrdiff_t>(size_of(first.type));
  if (first.stride % size != 0 || reinterpret_cast<std::uintptr_t>(first.data) % size_of(first.type) != 0)
    return false;
  for (std::size_t i = 0; i < block.columns.size(); ++i) {
    const ColumnSource& s = plans_[block.columns[i]].source;
    if (s.type != first.type || s.stride != first.stride ||
        s.data != first.data + static_cast<std::ptrdiff_t>(i) * size) {
      return false;
    }
  }
  return true;
}

CodePass::RowWise CodePass::row_wise(const Block& block) const {
  RowWise result;
  if (!side_by_side(block)) return result;
  const auto all = [&](auto holds) {
    return std::all_of(block.columns.begin(), block.columns.end(), [&](auto c) { return holds(plans_[c]); });
  };
  const bool is_float = plans_[block.columns[0]].source.fits_float();
  const auto set_lanes = [&](auto& lanes, const auto& set) {
    lanes = std::make_unique<typename std::remove_reference_t<decltype(lanes)>::element_type>();
    for (std::size_t l = 0; l < block.columns.size(); ++l) set(*lanes, l, plans_[block.columns[l]]);
  };
  if (all([](const ColumnPlan& plan) { return plan.way == Way::spans; })) {
    if (is_float) {
      set_lanes(result.float_spans,
                [](auto& lanes, std::size_t l, const ColumnPlan& plan) { lanes.set(l, plan.float_spans); });
    } else {
      set_lanes(result.double_spans,
                [](auto& lanes, std::size_t l, const ColumnPlan& plan) { lanes.set(l, plan.double_spans); });
    }
  } else if (all([&](const ColumnPlan& plan) {
               return plan.way == Way::bins && !plan.wide &&
                      (is_float ? LaneBins<float>::fits(plan.floats) : LaneBins<double>::fits(plan.doubles));
             })) {
    const auto missing_code = [](const ColumnPlan& plan) {
      return static_cast<std::uint32_t>(plan.n_known());
    };
    if (is_float) {
      set_lanes(result.float_bins, [&](auto& lanes, std::size_t l, const ColumnPlan& plan) {
        lanes.set(l, plan.floats, missing_code(plan));
      });
    } else {
      set_lanes(result.double_bins, [&](auto& lanes, std::size_t l, const ColumnPlan& plan) {
        lanes.set(l, plan.doubles, missing_code(plan));
      });
    }
  } else if (all([](const ColumnPlan& plan) {
               return plan.way != Way::spans && plan.entries.size() <= LaneLadders<float>::max_rungs;
             })) {
    if (is_float) {
      result.floats = lane_ladders<float>(block);
    } else {
      result.doubles = lane_ladders<double>(block);
    }
  }
  return result;
}

template <typename T>
std::unique_ptr<LaneLadders<T>> CodePass::lane_ladders(const Block& block) const {
  auto ladders = std::make_unique<LaneLadders<T>>();
  for (std::size_t lane = 0; lane < LaneLadders<T>::lanes; ++lane) {
    for (auto& rung : ladders->rungs) rung[lane] = std::numeric_limits<T>::quiet_NaN();
    ladders->missing_code[lane] = 0;
    ladders->unchecked[lane] = 1;
    if (lane >= block.columns.size()) continue;
    const ColumnPlan& plan = plans_[block.columns[lane]];
    const auto& rungs = [&]() -> const std::vector<T>& {
      if constexpr (std::is_same_v<T, float>) {
        return plan.floats.rungs;
      } else {
        return plan.doubles.rungs;
      }
    }();
    const auto size = static_cast<std::uint32_t>(plan.entries.size());
    for (std::uint32_t k = 0; k < size; ++k) ladders->rungs[k][lane] = rungs[k];
    ladders->n_rungs = std::max(ladders->n_rungs, size);
    ladders->missing_code[lane] = static_cast<T>(plan.n_known());
    ladders->unchecked[lane] = plan.way == Way::bins ? T{1} : T{0};
  }
  return ladders;
}

void CodePass::run(Team& team, Finding* findings) {
  findings_ = findings;
  if (row_wise_.empty() && wide_.empty()) return;
  const std::size_t n_chunks = (table_.n_rows + chunk_rows - 1) / chunk_rows;
  team.run(n_chunks, [&](std::size_t chunk, int) {
    const std::size_t end = std::min(table_.n_rows, (chunk + 1) * chunk_rows);
    for (std::size_t first = chunk * chunk_rows; first < end; first += tile_rows) {
      code_tile(first, std::min(tile_rows, end - first));
    }
  });
}

void CodePass::code_tile(std::size_t first, std::size_t n) {
  std::uint32_t codes[tile_rows];
  for (std::size_t b = 0; b < row_wise_.size(); ++b) {
    Block& block = table_.blocks[b];
    if (code_tile_by_rows(row_wise_[b], block, first, n)) continue;
    for (std::size_t lane = 0; lane < block.columns.size(); ++lane) {
      code_column(block.columns[lane], first, n, codes);
      std::uint8_t* out = block.codes.data() + first * block.stride + lane;
      for (std::size_t i = 0; i < n; ++i, out += block.stride) *out = static_cast<std::uint8_t>(codes[i]);
    }
  }
  for (const std::uint32_t column : wide_) {
    code_column(column, first, n, table_.wide[table_.columns[column].wide].data() + first);
  }
}

// False if there is no such way, or if some value was not found: the caller then goes column by column, which
// finds out what it was.
bool CodePass::code_tile_by_rows(const RowWise& way, Block& block, std::size_t first, std::size_t n) {
  const auto by = [](const auto& lanes) {
    return [&](const auto* x, std::ptrdiff_t row_stride, std::size_t rows, std::uint32_t width,
               std::uint8_t* codes) { return code_rows(*lanes, x, row_stride, rows, width, codes); };
  };
  if (way.float_spans) return code_tile_by<float>(by(way.float_spans), block, first, n);
  if (way.double_spans) return code_tile_by<double>(by(way.double_spans), block, first, n);
  if (way.float_bins) return code_tile_by<float>(by(way.float_bins), block, first, n);
  if (way.double_bins) return code_tile_by<double>(by(way.double_bins), block, first, n);
  if (way.floats) return code_tile_by<float>(by(way.floats), block, first, n);
  return way.doubles && code_tile_by<double>(by(way.doubles), block, first, n);
}

template <typename T, typename CodeRows>
bool CodePass::code_tile_by(const CodeRows& code_by_rows, Block& block, std::size_t first, std::size_t n) {
  const ColumnSource& s = plans_[block.columns[0]].source;
  const std::byte* data = s.data + static_cast<std::ptrdiff_t>(first) * s.stride;
  std::uint8_t* codes = block.codes.data() + first * block.stride;
  const std::size_t n_columns = block.columns.size();
  RowsResult result;
  if (n_columns == block.stride && is_of<T>(s.type)) {
    const auto row_stride = s.stride / static_cast<std::ptrdiff_t>(sizeof(T));
    result = code_by_rows(reinterpret_cast<const T*>(data), row_stride, n, block.stride, codes);
  } else {  // integers, or a full read would pass the end of the row
    T rows[tile_rows * LaneLadders<T>::lanes] = {};
    read_side_by_side(s, first, n, n_columns, rows, block.stride);
    result = code_by_rows(rows, block.stride, n, block.stride, codes);
  }
  if (!result.all_found) return false;
  for (std::size_t lane = 0; result.lanes_missing != 0 && lane < n_columns; ++lane) {
    if (result.lanes_missing >> lane & 1) note_missing(block.columns[lane]);
  }
  return true;
}

void CodePass::code_column(std::size_t column, std::size_t first, std::size_t n, std::uint32_t* codes) {
  const ColumnPlan& plan = plans_[column];
  if (findings_[column].overflow.load(std::memory_order_relaxed)) {
    std::fill_n(codes, n, 0);
  } else if (plan.way == Way::category) {
    code_categories(column, first, n, codes);
  } else if (plan.way == Way::spans && plan.source.fits_float()) {
    code_by_spans(column, plan.float_spans, first, n, codes);
  } else if (plan.way == Way::spans) {
    code_by_spans(column, plan.double_spans, first, n, codes);
  } else if (plan.source.fits_float()) {
    code_numbers(column, plan.floats, first, n, codes);
  } else {
    code_numbers(column, plan.doubles, first, n, codes);
  }
}

template <typename T>
void CodePass::code_numbers(std::size_t column, const Ladder<T>& ladder, std::size_t first, std::size_t n,
                            std::uint32_t* codes) {
  const ColumnPlan& plan = plans_[column];
  T x[tile_rows];
  read_numbers(plan.source, first, n, x);
  bool all_finite = true;
  for (std::size_t i = 0; i < n; ++i) all_finite &= x[i] - x[i] == T{0};
  count_below(ladder, x, n, codes);
  bool all_found = true;
  if (plan.way == Way::list) {
    for (std::size_t i = 0; i < n; ++i) all_found &= ladder.rungs[codes[i]] == x[i];
  }
  if (all_finite && all_found) return;

  DistinctSet strangers(max_listed_);
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] != x[i]) {
      codes[i] = static_cast<std::uint32_t>(plan.n_known());
      note_missing(column);
    } else if (std::isinf(x[i])) {
      codes[i] = 0;
      findings_[column].bad.store(true, std::memory_order_relaxed);
    } else if (plan.way == Way::list && ladder.rungs[codes[i]] != x[i]) {
      strangers.insert(x[i]);
    }
  }
  if (!strangers.values().empty()) note_strangers(column, strangers);
}

template <typename T>
void CodePass::code_by_spans(std::size_t column, const SpanMap<T>& map, std::size_t first, std::size_t n,
                             std::uint32_t* codes) {
  T x[tile_rows];
  read_numbers(plans_[column].source, first, n, x);
  code_spans(map, x, n, codes);
  bool missing = false, bad = false;
  for (std::size_t i = 0; i < n; ++i) {
    missing |= x[i] != x[i];
    bad |= std::isinf(x[i]);
  }
  if (missing) note_missing(column);
  if (bad) findings_[column].bad.store(true, std::memory_order_relaxed);
}

void CodePass::code_categories(std::size_t column, std::size_t first, std::size_t n, std::uint32_t* codes) {
  const ColumnSource& s = plans_[column].source;
  const std::byte* p = s.data + static_cast<std::ptrdiff_t>(first) * s.stride;
  for (std::size_t i = 0; i < n; ++i, p += s.stride) {
    std::int32_t code;
    std::memcpy(&code, p, sizeof code);
    codes[i] = static_cast<std::uint32_t>(code);
    if (codes[i] < s.n_categories) continue;
    codes[i] = s.n_categories;
    if (code < 0) {
      note_missing(column);
    } else {
      findings_[column].bad.store(true, std::memory_order_relaxed);
    }
  }
}

void CodePass::note_missing(std::size_t column) {
  Finding& finding = findings_[column];
  finding.missing.store(true, std::memory_order_relaxed);
  if (!plans_[column].wide && plans_[column].n_known() == kByteCodes) {
    finding.overflow.store(true, std::memory_order_relaxed);
  }
}

void CodePass::note_strangers(std::size_t column, const DistinctSet& strangers) {
  Finding& finding = findings_[column];
  const std::lock_guard lock(finding.mutex);
  for (const double x : strangers.values()) {
    const auto at = std::lower_bound(finding.strangers.begin(), finding.strangers.end(), x);
    if (at == finding.strangers.end() || *at != x) finding.strangers.insert(at, x);
  }
  if (plans_[column].entries.size() + finding.strangers.size() > max_listed_) {
    finding.overflow.store(true, std::memory_order_relaxed);
  }
}

}  // namespace thriftree
