#include "rows/spans_of_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "run/control.hpp"
#include "table/source.hpp"

namespace thriftree {

namespace {

constexpr double kMessageBytes = 3.5 * 0x1p20;  // of an answer, about
constexpr std::int64_t kFewRows = 512;          // finer codes of fewer would take more than their values
constexpr std::size_t kFinerCodes = 255;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<double> finer_edges(double low, double high) {
  constexpr std::size_t steps = (kFinerCodes - 1) / 2 + 1;
  low = std::max(low, std::numeric_limits<double>::lowest());
  high = std::min(high, std::numeric_limits<double>::max());
  std::vector<double> edges;
  const std::uint64_t first = sort_key(low), last = sort_key(high);
  for (std::size_t i = 1; i < steps && first < last; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(steps);
    edges.push_back(low * (1 - share) + high * share);
    edges.push_back(number_of(first + (last - first) / steps * i));
  }
  std::sort(edges.begin(), edges.end());
  std::erase_if(edges, [&](double edge) { return !(edge > low && edge < high); });
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

SpansOfSums::SpansOfSums(SumSource& source, const std::vector<Column>& columns,
                         const NamedStatistics& statistics, const Statistics& kept,
                         const TargetHeader& target)
    : source_(source), columns_(columns), statistics_(statistics), kept_(kept), target_(target) {
  if (kept_.width() != kept_.base)
    throw BadInput("columns of spans that are counted elsewhere have plain sums only");
}

void SpansOfSums::set_counted(int node, std::uint32_t column, std::span<const std::int64_t> sums) {
  const Column& known = columns_[column];
  const std::size_t width = statistics_.of_code.size();
  Spans& spans = known_[{node, column}];
  spans = {};
  for (std::uint32_t code = 0; code < known.n_known(); ++code) {
    if (sums[code * width] == 0) continue;
    const double above = code > 0 ? known.edges[code - 1] : -kInfinity;
    const double up_to = code < known.edges.size() ? known.edges[code] : kInfinity;
    spans.spans.push_back({code, above, up_to, kUnknown, kUnknown});
    const auto own = sums.subspan(code * width, width);
    spans.sums.insert(spans.sums.end(), own.begin(), own.end());
  }
  if (!known.has_missing) return;
  const auto missing = sums.subspan(known.n_known() * width, width);
  spans.missing.assign(missing.begin(), missing.end());
}

void SpansOfSums::close(int node) {
  known_.erase(known_.lower_bound({node, 0}), known_.lower_bound({node + 1, 0}));
}

bool SpansOfSums::holds(int node, std::uint32_t column) const { return known_.contains({node, column}); }

const SpansOfSums::Spans& SpansOfSums::at(int node, std::uint32_t column) const {
  const auto found = known_.find({node, column});
  if (found == known_.end())
    throw BadInput("column " + std::to_string(column) + " was not counted at node " + std::to_string(node));
  return found->second;
}

std::vector<std::int64_t> SpansOfSums::sums_up_to(int node, std::uint32_t column, std::uint32_t code,
                                                  double low) const {
  const Spans& known = at(node, column);
  const std::size_t width = statistics_.of_code.size();
  std::vector<std::int64_t> sums(width, 0);
  for (std::size_t i = 0; i < known.spans.size(); ++i) {
    if (known.spans[i].code != code || !(known.spans[i].high <= low)) continue;
    for (std::size_t s = 0; s < width; ++s) sums[s] += known.sums[i * width + s];
  }
  return sums;
}

void SpansOfSums::sums(int node, std::uint32_t column, int, SpanSums& out) {
  const Spans& known = at(node, column);
  const bool numbers = target_.n_classes == 0;
  const std::size_t n = known.spans.size(), width = statistics_.of_code.size();
  const std::size_t n_channels = numbers ? 1 : static_cast<std::size_t>(target_.n_classes);
  const auto moment_of = [](const std::int64_t* sums_of_span) {
    return (int128{sums_of_span[2]} << 32) + sums_of_span[3];
  };
  out.stride = n + 1;
  out.rows_known = true;
  out.codes.resize(n);
  out.low.resize(n);
  out.high.resize(n);
  out.rows.assign(n + 1, 0);
  out.weights.assign(n_channels * (n + 1), 0);
  out.moments.assign(numbers ? n + 1 : 0, 0);
  out.squares.assign(numbers ? n + 1 : 0, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t* from = known.sums.data() + i * width;
    out.codes[i] = known.spans[i].code;
    out.low[i] = known.spans[i].low;
    out.high[i] = known.spans[i].high;
    out.rows[i + 1] = out.rows[i] + from[0];
    for (std::size_t k = 0; k < n_channels; ++k)
      out.weights[k * out.stride + i + 1] = out.weights[k * out.stride + i] + from[k + 1];
    if (!numbers) continue;
    out.moments[i + 1] = out.moments[i] + moment_of(from);
    out.squares[i] = static_cast<double>(from[4]) * 0x1p32 * target_.square_unit;
  }
  const bool some_missing = !known.missing.empty() && known.missing[0] > 0;
  out.missing_rows = some_missing ? known.missing[0] : 0;
  out.missing_weights.assign(n_channels, 0);
  out.missing_moment = some_missing && numbers ? moment_of(known.missing.data()) : 0;
  for (std::size_t k = 0; some_missing && k < n_channels; ++k) out.missing_weights[k] = known.missing[k + 1];
}

double SpansOfSums::reach(int, std::uint32_t, const AfarNode&, ReachScratch&) const { return kInfinity; }

EndCounts SpansOfSums::ends(int, std::span<const std::uint32_t>) const {
  throw std::logic_error("sums from elsewhere are not looked at from afar");
}

void SpansOfSums::gather(int, std::uint32_t, std::span<const std::uint32_t>, GatheredRows&) {
  throw std::logic_error("rows that are elsewhere cannot be gathered");
}

void SpansOfSums::values(std::uint32_t, std::span<const std::uint32_t>, double*) const {
  throw std::logic_error("rows that are elsewhere cannot be read");
}

SpanChannels SpansOfSums::channels(int) const { return {target_, nullptr, {&kept_, nullptr, -1}}; }

double SpansOfSums::bytes_of(const SpanWish& wish, OpenRequest::By by) const {
  const bool counts = target_.n_classes > 0 && !target_.weighted;
  const double width = static_cast<double>(statistics_.of_code.size());
  const double of_sums = counts ? width - 1 : 8 * width;
  if (by == OpenRequest::By::value) return static_cast<double>(wish.rows) * (8 + of_sums);
  const double entries = by == OpenRequest::By::extent ? 1 : static_cast<double>(kFinerCodes);
  return entries * (16 + of_sums);
}

std::vector<std::pair<SpanWish, OpenRequest::By>> SpansOfSums::chosen(
    std::span<const SpanWish> wishes) const {
  using By = OpenRequest::By;
  std::vector<std::pair<SpanWish, By>> all;
  double bytes = 0;
  for (const SpanWish& wish : wishes) {
    all.emplace_back(wish, wish.open ? By::value : By::extent);
    bytes += bytes_of(wish, all.back().second);
  }
  // The largest are opened to finer codes first, if all is too much for a message.
  std::vector<std::size_t> by_rows(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) by_rows[i] = i;
  std::stable_sort(by_rows.begin(), by_rows.end(),
                   [&](std::size_t a, std::size_t b) { return all[a].first.rows > all[b].first.rows; });
  for (const std::size_t i : by_rows) {
    if (bytes <= kMessageBytes || all[i].first.rows <= kFewRows) break;
    bytes += bytes_of(all[i].first, By::finer_code) - bytes_of(all[i].first, By::value);
    all[i].second = By::finer_code;
  }
  if (bytes <= kMessageBytes) return all;
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first.promise > b.first.promise; });
  bytes = 0;
  std::size_t n = 0;
  while (n < all.size() && (n == 0 || bytes <= kMessageBytes)) {
    bytes += bytes_of(all[n].first, all[n].second);
    ++n;
  }
  all.resize(n);
  return all;
}

OpenRequest SpansOfSums::request_of(const SpanWish& wish, OpenRequest::By by) const {
  const Span& span = at(wish.node, wish.column).spans[wish.span];
  OpenRequest request{wish.node, wish.column, span.code, span.above, span.up_to, by};
  if (by != OpenRequest::By::finer_code) return request;
  const bool known = span.low == span.low;
  request.edges = finer_edges(known ? span.low : span.above, known ? span.high : span.up_to);
  if (request.edges.empty()) request.by = OpenRequest::By::value;  // next to each other, so few values
  return request;
}

void SpansOfSums::grant(std::span<const SpanWish> wishes) {
  auto granted = chosen(wishes);
  // Column by column, spans from the last to the first: the places of those before stay as they are.
  std::sort(granted.begin(), granted.end(), [](const auto& a, const auto& b) {
    const SpanWish &x = a.first, &y = b.first;
    if (x.node != y.node || x.column != y.column) return Place{x.node, x.column} < Place{y.node, y.column};
    return x.span > y.span;
  });
  std::vector<OpenRequest> requests;
  for (const auto& [wish, by] : granted) requests.push_back(request_of(wish, by));
  const auto answers = source_.open_codes(requests);
  if (answers.size() != requests.size()) throw BadInput("open_codes must answer every request");
  const std::size_t width = statistics_.of_code.size();
  for (std::size_t r = 0; r < requests.size(); ++r) {
    const OpenRequest& request = requests[r];
    const OpenedCode& answer = answers[r];
    const std::size_t place = granted[r].first.span, n = answer.low.size();
    Spans& known = known_.at({request.node, request.column});
    if (n == 0 || answer.high.size() != n || answer.sums.size() != n * width)
      throw BadInput("open_codes must answer with a low and a high value and all statistics of each entry");
    Span& span = known.spans[place];
    if (request.by == OpenRequest::By::extent) {
      span.low = answer.low[0];
      span.high = answer.high[0];
      continue;
    }
    std::vector<Span> finer;
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double before = i == 0 ? span.above : answer.high[i - 1];
      finer.push_back({span.code, before, answer.high[i], answer.low[i], answer.high[i]});
      rows += answer.sums[i * width];
    }
    const auto first = known.sums.begin() + static_cast<std::ptrdiff_t>(place * width);
    if (rows != *first) {
      throw BadInput("open_codes found " + std::to_string(rows) + " of " + std::to_string(*first) +
                     " rows in code " + std::to_string(span.code) + " of column " +
                     std::to_string(request.column) + " at node " + std::to_string(request.node));
    }
    const auto at_sums = known.sums.erase(first, first + static_cast<std::ptrdiff_t>(width));
    known.sums.insert(at_sums, answer.sums.begin(), answer.sums.end());
    const auto at_span = known.spans.erase(known.spans.begin() + static_cast<std::ptrdiff_t>(place));
    known.spans.insert(at_span, finer.begin(), finer.end());
  }
}

}  // namespace thriftree
