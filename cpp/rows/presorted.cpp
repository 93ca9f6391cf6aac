#include "rows/presorted.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "rows/divide_entries.hpp"
#include "rows/eight_lanes.hpp"

namespace thriftree {

namespace {

// Each of n counts, whole vectors of them, becomes the sum up to it; returns the largest count.
THRIFTREE_BY_CPU(std::uint32_t, sum_up, (std::uint32_t* counts, std::size_t n), (counts, n)) {
  EightCounts carry{}, most{};
  for (std::size_t i = 0; i < n; i += kCountLanes) {
    EightCounts own, sums;
    std::memcpy(&own, counts + i, sizeof own);
    most = own > most ? own : most;
    add_up(counts + i, carry, sums);
    std::memcpy(counts + i, &sums, sizeof sums);
  }
  std::int32_t largest = 0;
  for (std::size_t lane = 0; lane < kCountLanes; ++lane) largest = std::max(largest, most[lane]);
  return static_cast<std::uint32_t>(largest);
}

template <class Entry>
class PresortedEntries final : public Presorted {
 public:
  PresortedEntries(const Table& table, const Target& target, EntryPacking packing, Control& control,
                   Team& team)
      : table_(table), target_(target), packing_(packing), place_(table.columns.size()) {
    for (std::size_t j = 0; j < place_.size(); ++j) {
      const Column& column = table.columns[j];
      place_[j] = column.spans ? table.wide.size() + n_spans_++ : column.wide;
    }
    entries_.resize(table.wide.size() + n_spans_);
    scratch_.resize(static_cast<std::size_t>(team.size()));
    here_.resize(static_cast<std::size_t>(team.size()));
    if (target.n_classes > 0) labels_.assign(target.labels.begin(), target.labels.end());
    if (table.wide.empty()) return;
    control.reserve((table.wide.size() + scratch_.size()) * table.n_rows * sizeof(Entry),
                    "sorting the columns with many values");
    reset(team);
  }

  void make_room() override {
    for (std::size_t i = table_.wide.size(); i < entries_.size(); ++i) {
      if (!entries_[i]) entries_[i] = std::make_unique_for_overwrite<Entry[]>(table_.n_rows);
    }
  }
  std::size_t bytes_of_room() const override { return n_spans_ * table_.n_rows * sizeof(Entry); }

  void sort_here(std::uint32_t column, std::size_t begin, std::span<const std::uint32_t> rows,
                 const double* values, int worker) override {
    const Column& known = table_.columns[column];
    const Block& block = table_.blocks[known.block];
    const std::uint8_t* code = block.codes.data() + known.offset;
    auto& here = here_[static_cast<std::size_t>(worker)];
    here.resize(rows.size());
    std::array<std::uint32_t, 264> next{};  // of each code, one place on; whole vectors
    for (const std::uint32_t row : rows) ++next[code[std::size_t{row} * block.stride] + 2U];
    const std::uint32_t most = sum_up(next.data() + 2, 256);
    for (std::size_t i = 0; i < rows.size(); ++i)
      here[next[code[std::size_t{rows[i]} * block.stride] + 1U]++] = {values[i], rows[i]};
    // Now code c is at [next[c], next[c + 1]).
    Entry* to = entries_[place_[column]].get() + begin;
    const std::uint32_t n_known = known.n_known();
    for (std::size_t c = 0; c < n_known && most > kCrowded; ++c) {
      if (next[c + 1] - next[c] > kCrowded)
        std::sort(here.begin() + next[c], here.begin() + next[c + 1],
                  [](const Value& a, const Value& b) { return a.value < b.value; });
    }
    sort_within_codes(here.data(), here.data() + next[n_known]);
    for (std::size_t i = 0; i < here.size(); ++i) {
      const bool first =
          i == 0 || i == next[n_known] || (i < next[n_known] && here[i].value != here[i - 1].value);
      to[i] = entry(here[i].row, first);
    }
  }

  void reset(Team& team) override {
    team.run(table_.columns.size(), [&](std::size_t j, int) {
      if (!table_.columns[j].narrow) sort(table_.columns[j]);
    });
  }

  bool holds(std::uint32_t column) const override { return !table_.columns[column].narrow; }

  RowStream stream(std::uint32_t column, std::size_t begin, std::size_t end) const override {
    const Column& c = table_.columns[column];
    RowCodes codes;
    if (c.narrow) {
      codes.bytes = table_.blocks[c.block].codes.data() + c.offset;
      codes.stride = table_.blocks[c.block].stride;
    } else {
      codes.wide = table_.wide[c.wide].data();
    }
    fetch(column + 1U, begin, end);  // which is mostly asked for next
    return {entries_[place_[column]].get() + begin, end - begin, codes, c, target_, packing_};
  }

  void runs(std::uint32_t column, std::size_t begin, std::size_t end, const Counting& counting,
            const std::vector<std::int64_t>& terms, ColumnRuns& out) const override {
    out.clear();
    const auto& codes = table_.wide[table_.columns[column].wide];
    const Entry* entries = entries_[place_[column]].get();
    if (counting.plain_counts()) return plain_runs(codes, entries, begin, end, counting.row_groups, out);
    OneSlot slot(counting, terms);
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<std::size_t>(entries[i] >> packing_.row_shift);
      slot.add(row);
      if (i + 1 < end && !(entries[i + 1] & 1)) continue;
      slot.append_run(codes[row], out);
    }
  }

  void divide(std::uint32_t column, std::size_t begin, std::span<const std::size_t> ends,
              const RowMoves& moves, int worker) override {
    Entry* entries = entries_[place_[column]].get();
    auto& room = scratch_[static_cast<std::size_t>(worker)];
    if (room.size() < ends.back() - begin + 16) room.resize(ends.back() - begin + 16);
    Entry* scratch = room.data();
    fetch(column + 1U, begin, ends.back());
    if (ends.size() == 2) {
      divide_entries(entries + begin, ends[1] - begin, ends[0] - begin, packing_.row_shift,
                     moves.right.data(), scratch);
    } else {
      divide_in_many(entries + begin, begin, ends, moves.branch.data(), scratch);
    }
  }

 private:
  // Asks for the entries of a small node early: those of another column lie elsewhere.
  void fetch(std::size_t column, std::size_t begin, std::size_t end) const {
    constexpr std::size_t line = 64 / sizeof(Entry), most = 4 * line;
    if (column >= place_.size() || !entries_[place_[column]] || end - begin > most) return;
    const Entry* const entries = entries_[place_[column]].get();
    for (std::size_t i = begin; i < end; i += line) __builtin_prefetch(entries + i);
  }
  // Classes of unit weight: a row adds one to its class, which its entry names.
  void plain_runs(const std::vector<std::uint32_t>& codes, const Entry* entries, std::size_t begin,
                  std::size_t end, std::size_t n_classes, ColumnRuns& out) const {
    std::size_t n = begin < end ? 1 : 0;
    for (std::size_t i = begin + 1; i < end; ++i) n += static_cast<std::size_t>(entries[i] & 1);
    out.codes.resize(n);
    out.rows.assign(n, 0);
    out.sums.assign(n * n_classes, 0.0);
    out.totals.resize(n);
    const auto label_mask = static_cast<Entry>(packing_.label_mask);
    std::size_t run = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Entry e = entries[i];
      if (i > begin && (e & 1)) ++run;
      if (i == begin || (e & 1)) out.codes[run] = codes[static_cast<std::size_t>(e >> packing_.row_shift)];
      out.sums[run * n_classes + static_cast<std::size_t>((e >> 1) & label_mask)] += 1;
      ++out.rows[run];
    }
    for (run = 0; run < n; ++run) out.totals[run] = static_cast<double>(out.rows[run]);
  }

  Entry entry(std::size_t row, bool first_of_code) const {
    const Entry label = labels_.empty() ? 0 : labels_[row];
    return static_cast<Entry>((static_cast<Entry>(row) << packing_.row_shift) | (label << 1) |
                              (first_of_code ? 1U : 0U));
  }

  struct Value {
    double value;
    std::uint32_t row;
  };
  // Values of a code that are more than so many are sorted by themselves.
  static constexpr std::uint32_t kCrowded = 24;
  // Each is near its place: no further away than the values of its code are many.
  static void sort_within_codes(Value* begin, Value* end) {
    for (Value* at = begin + 1; at < end; ++at) {
      if (!(at->value < at[-1].value)) continue;
      const Value moved = *at;
      Value* to = at;
      for (; to > begin && moved.value < to[-1].value; --to) *to = to[-1];
      *to = moved;
    }
  }

  void sort(const Column& column) {
    auto& entries = entries_[column.wide];
    const auto& codes = table_.wide[column.wide];
    const auto& sorted = table_.sorted[column.wide];
    if (!entries) entries = std::make_unique_for_overwrite<Entry[]>(codes.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) entries[i] = entry(sorted[i] >> 1, sorted[i] & 1);
    if (!sorted.empty()) return;
    std::vector<std::uint32_t> start(column.n_codes + 1);
    for (std::uint32_t code : codes) ++start[code + 1];
    for (std::size_t c = 1; c < start.size(); ++c) start[c] += start[c - 1];
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    for (std::size_t row = 0; row < codes.size(); ++row) {
      const std::uint32_t code = codes[row], position = next[code]++;
      entries[position] = entry(row, position == start[code]);
    }
  }

  void divide_in_many(Entry* entries, std::size_t begin, std::span<const std::size_t> ends,
                      const std::uint32_t* branch, Entry* scratch) const {
    const std::size_t n = ends.back() - begin;
    std::vector<std::size_t> next(ends.size());
    for (std::size_t v = 1; v < ends.size(); ++v) next[v] = ends[v - 1] - begin;
    std::vector<Entry> pending(ends.size(), 1);
    Entry seen =
        0;  // has any entry had its bit set since branch v last took one? kept as a count of boundaries
    std::vector<Entry> taken_at(ends.size(), 0);
    for (std::size_t i = 0; i < n; ++i) {
      const Entry e = entries[i];
      seen += e & 1;
      const std::size_t v = branch[static_cast<std::size_t>(e >> packing_.row_shift)];
      const Entry differs = pending[v] || taken_at[v] != seen ? 1 : 0;
      scratch[next[v]++] = (e & ~Entry{1}) | differs;
      pending[v] = 0;
      taken_at[v] = seen;
    }
    std::copy(scratch, scratch + n, entries);
  }

  const Table& table_;
  const Target& target_;
  EntryPacking packing_;
  std::vector<std::size_t>
      place_;  // by column of the table: where its entries are, if it is wide or has spans
  std::size_t n_spans_ = 0;
  std::vector<std::uint16_t> labels_;  // the target's, in half the space: they are read in random order
  std::vector<std::unique_ptr<Entry[]>> entries_;  // n_rows each: of wide columns, then of those of spans
  std::vector<std::vector<Entry>> scratch_;        // per worker
  std::vector<std::vector<Value>> here_;           // per worker
};

}  // namespace

std::unique_ptr<Presorted> make_presorted(const Table& table, const Target& target, Control& control,
                                          Team& team) {
  if (table.wide.empty() && !table.exact) return nullptr;
  const auto bits = [](std::size_t count) { return std::bit_width(count > 0 ? count - 1 : 0); };
  const int label_bits = target.n_classes > 1 ? bits(static_cast<std::size_t>(target.n_classes)) : 0;
  const EntryPacking packing{label_bits + 1, (std::uint64_t{1} << label_bits) - 1};
  if (bits(table.n_rows) + packing.row_shift <= 32) {
    return std::make_unique<PresortedEntries<std::uint32_t>>(table, target, packing, control, team);
  }
  return std::make_unique<PresortedEntries<std::uint64_t>>(table, target, packing, control, team);
}

}  // namespace thriftree
