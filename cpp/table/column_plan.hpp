// How one column becomes codes: settled step by step by the encoder, carried out by the code pass.
#pragma once

#include <cstdint>
#include <vector>

#include "table/ladder.hpp"
#include "table/source.hpp"
#include "table/spans.hpp"

namespace thriftree {

enum class Way : std::uint8_t {
  list,      // few distinct values, all in `entries`; a value that is not there must be reported
  bins,      // `entries` are edges
  sort,      // many distinct values: to be ranked
  ranked,    // ranked: the table has the codes, `entries` are the values
  spans,     // many distinct values: codes stand for ranges of them
  category,  // the source holds codes
};

struct ColumnPlan {
  ColumnSource source;
  Way way = Way::sort;
  bool wide = false;  // codes take 32 bits
  bool has_missing = false;
  std::vector<double> entries;  // ascending
  Ladder<float> floats;         // of entries, for list and bins: the one that the source's type calls for
  Ladder<double> doubles;
  SpanMap<float> float_spans;  // for spans: the one that the source's type calls for
  SpanMap<double> double_spans;

  bool coded_in_pass() const { return way != Way::sort && way != Way::ranked; }
  // Codes without the missing one.
  std::size_t n_known() const {
    if (way == Way::category) return source.n_categories;
    if (way == Way::spans) return source.fits_float() ? float_spans.n_codes : double_spans.n_codes;
    return way == Way::bins ? entries.size() + 1 : entries.size();
  }
  void set_entries(std::vector<double> sorted) {
    entries = std::move(sorted);
    if (source.fits_float()) {
      floats = Ladder<float>(entries);
    } else {
      doubles = Ladder<double>(entries);
    }
  }
};

}  // namespace thriftree
