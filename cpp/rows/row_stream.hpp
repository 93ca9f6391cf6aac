// The rows of a node in order of one column's codes, read a batch at a time; rows where it is missing come
// last. For columns with many codes this is the cheaper walk over the same sums.
#pragma once

#include <cstdint>
#include <vector>

#include "criterion/statistics.hpp"
#include "criterion/threshold_batch.hpp"
#include "table/table.hpp"
#include "table/target.hpp"

namespace thriftree {

// An entry packs a row, its class and, in bit 0, whether its code differs from the entry before it: a scan
// needs no look-up.
struct EntryPacking {
  int row_shift = 1;             // the row is entry >> row_shift
  std::uint64_t label_mask = 0;  // the class is (entry >> 1) & label_mask
};

// The code of each row of the table: a number, or a byte of the row's chunk in a block.
struct RowCodes {
  const std::uint32_t* wide = nullptr;
  const std::uint8_t* bytes = nullptr;
  std::size_t stride = 0;
  std::uint32_t operator[](std::size_t row) const { return wide ? wide[row] : bytes[row * stride]; }
};

// What a stream knows of its rows beside the plain sums, where a score asks for that.
struct CarriedSums {
  const Statistics* statistics = nullptr;            // null: the plain sums are all
  const std::vector<std::int64_t>* terms = nullptr;  // by row, see Statistics
  std::int64_t dominant = -1;                        // the row that weighs more than half of the node, if any
};

class RowStream {
 public:
  struct Rows {
    std::uint16_t label[kBatch];
    double weight[kBatch];
    double moment[kBatch];
    std::int64_t exact_weight[kBatch];  // weight and moment in fixed point, see Target
    std::int64_t exact_moment[kBatch];
    std::uint8_t boundary[kBatch];  // 1 if the next row has another code
  };

  RowStream(const std::uint32_t* entries, std::size_t n, RowCodes codes, const Column& column,
            const Target& target, EntryPacking packing);
  RowStream(const std::uint64_t* entries, std::size_t n, RowCodes codes, const Column& column,
            const Target& target, EntryPacking packing);

  std::size_t n_known() const { return n_known_; }         // rows whose value is known
  std::size_t n_missing() const { return n_ - n_known_; }  // rows after them
  bool weighted() const { return target_->weighted(); }  // else every row weighs 1 and weights are not filled
  double weight_unit() const { return target_->growth_unit; }
  double moment_unit() const { return target_->moment_unit; }

  void carry(const CarriedSums& sums) { carried_ = sums; }
  bool carries() const { return carried_.statistics != nullptr; }
  const CarriedSums& carried() const { return carried_; }
  const Target& target() const { return *target_; }

  void read(std::size_t begin, int m, Rows& out) const;
  // The rows themselves, and where the next one has another code.
  void read_rows(std::size_t begin, int m, std::uint32_t* rows, std::uint8_t* boundary) const;
  std::size_t row_at(std::size_t position) const {
    return short_ ? row(short_[position]) : row(long_[position]);
  }
  std::uint32_t code_at(std::size_t position) const { return codes_[row_at(position)]; }

 private:
  template <class Entry>
  std::size_t row(Entry e) const {
    return static_cast<std::size_t>(e >> packing_.row_shift);
  }
  template <class Entry>
  void read_entries(const Entry* entries, bool at_end, int m, Rows& out) const;
  void find_missing(const Column& column);

  const std::uint32_t* short_ = nullptr;  // one of the two is set
  const std::uint64_t* long_ = nullptr;
  std::size_t n_, n_known_;
  RowCodes codes_;
  const Target* target_;
  EntryPacking packing_;
  CarriedSums carried_;
};

}  // namespace thriftree
