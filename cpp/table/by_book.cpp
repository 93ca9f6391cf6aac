#include "table/by_book.hpp"

#include <algorithm>
#include <string>

#include "run/control.hpp"

namespace thriftree {

namespace {

// Whether a list of these values can be searched in the type that the source is read as.
bool can_list(const SharedNumbers& values, const ColumnSource& source) {
  return !source.fits_float() || std::all_of(values.begin(), values.end(), [](double x) {
    return static_cast<double>(static_cast<float>(x)) == x;
  });
}

}  // namespace

void check_book(std::span<const Column> book, const std::vector<ColumnSource>& sources) {
  if (book.size() != sources.size()) throw BadInput("a code book has one entry for each column");
  for (std::size_t c = 0; c < sources.size(); ++c) {
    const bool category = sources[c].type == SourceType::category;
    const bool fits = category ? book[c].kind == ColumnKind::category &&
                                     book[c].n_known() == sources[c].n_categories && !sources[c].ranked
                               : book[c].kind == ColumnKind::ordered && !book[c].ranked_category;
    if (!fits)
      throw BadInput("column " + std::to_string(c) + " is not of the kind that its code book describes");
  }
}

void follow(const Column& book, ColumnPlan& plan) {
  const bool fits_bytes = book.n_codes <= kByteCodes;
  if (plan.way == Way::category) {
    plan.wide = !fits_bytes;
  } else if (book.values.empty()) {
    plan.way = Way::bins;
    plan.wide = !fits_bytes;
    plan.set_entries({book.edges.begin(), book.edges.end()});
  } else if (fits_bytes && can_list(book.values, plan.source)) {
    plan.way = Way::list;
    plan.set_entries({book.values.begin(), book.values.end()});
  }
}

void keep_to(const Column& book, Ranks& ranks, std::vector<std::uint32_t>& codes,
             const std::function<void(double)>& stranger) {
  const SharedNumbers& known = book.values;
  std::vector<std::uint32_t> code_of(ranks.values.size() + 1, static_cast<std::uint32_t>(known.size()));
  const double* at = known.begin();
  for (std::size_t rank = 0; rank < ranks.values.size(); ++rank) {
    at = std::lower_bound(at, known.end(), ranks.values[rank]);
    if (at == known.end() || *at != ranks.values[rank]) stranger(ranks.values[rank]);
    code_of[rank] = static_cast<std::uint32_t>(at - known.begin());
  }
  for (std::uint32_t& code : codes) code = code_of[code];
  ranks.values.assign(known.begin(), known.end());
}

}  // namespace thriftree
