#include "rows/row_stream.hpp"

#include "run/cpu.hpp"

namespace thriftree {

namespace {

THRIFTREE_BY_CPU_OF(template <class Entry>, void, decode_labels,
                    (const Entry* entries, int m, Entry label_mask, std::uint16_t* label),
                    (entries, m, label_mask, label)) {
  for (int i = 0; i < m; ++i) label[i] = static_cast<std::uint16_t>((entries[i] >> 1) & label_mask);
}

THRIFTREE_BY_CPU_OF(template <class Entry>, void, decode_boundaries,
                    (const Entry* entries, int m, std::uint8_t* boundary), (entries, m, boundary)) {
  for (int i = 0; i < m; ++i) boundary[i] = static_cast<std::uint8_t>(entries[i + 1] & 1);
}

}  // namespace

RowStream::RowStream(const std::uint32_t* entries, std::size_t n, RowCodes codes, const Column& column,
                     const Target& target, EntryPacking packing)
    : short_(entries), n_(n), n_known_(n), codes_(codes), target_(&target), packing_(packing) {
  find_missing(column);
}

RowStream::RowStream(const std::uint64_t* entries, std::size_t n, RowCodes codes, const Column& column,
                     const Target& target, EntryPacking packing)
    : long_(entries), n_(n), n_known_(n), codes_(codes), target_(&target), packing_(packing) {
  find_missing(column);
}

void RowStream::find_missing(const Column& column) {
  if (!column.has_missing) return;
  std::size_t low = 0, high = n_;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (code_at(middle) == column.n_codes - 1) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  n_known_ = low;
}

void RowStream::read(std::size_t begin, int m, Rows& out) const {
  const bool at_end = begin + static_cast<std::size_t>(m) == n_;
  if (short_) {
    read_entries(short_ + begin, at_end, m, out);
  } else {
    read_entries(long_ + begin, at_end, m, out);
  }
}

void RowStream::read_rows(std::size_t begin, int m, std::uint32_t* rows, std::uint8_t* boundary) const {
  const bool at_end = begin + static_cast<std::size_t>(m) == n_;
  const auto read_from = [&](const auto* entries) {
    for (int i = 0; i < m; ++i) rows[i] = static_cast<std::uint32_t>(row(entries[i]));
    decode_boundaries(entries, at_end ? m - 1 : m, boundary);
    if (at_end) boundary[m - 1] = 0;
  };
  if (short_) {
    read_from(short_ + begin);
  } else {
    read_from(long_ + begin);
  }
}

template <class Entry>
void RowStream::read_entries(const Entry* entries, bool at_end, int m, Rows& out) const {
  decode_boundaries(entries, at_end ? m - 1 : m, out.boundary);
  if (at_end) out.boundary[m - 1] = 0;
  if (target_->n_classes > 0) decode_labels(entries, m, static_cast<Entry>(packing_.label_mask), out.label);
  if (target_->weighted()) {
    for (int i = 0; i < m; ++i) {
      out.exact_weight[i] = target_->growth[row(entries[i])];
      out.weight[i] = static_cast<double>(out.exact_weight[i]) * target_->growth_unit;
    }
  }
  if (target_->n_classes == 0) {
    for (int i = 0; i < m; ++i) {
      out.exact_moment[i] = target_->moment[row(entries[i])];
      out.moment[i] = static_cast<double>(out.exact_moment[i]) * target_->moment_unit;
    }
  }
}

}  // namespace thriftree
