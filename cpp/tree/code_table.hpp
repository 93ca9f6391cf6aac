// The branches of many codes at many nodes, each found in a step or two.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace thriftree {

class CodeTable {
 public:
  // Where the codes of one node are: 2^bits slots from `begin`, at least half of them empty. No bits: none.
  struct Place {
    std::size_t begin = 0;
    unsigned bits = 0;
  };

  // The codes of a node, no two equal, and the branch of each. No place where codes crowd together, as those
  // of a file made to harm may: no search takes more than kMostSteps.
  Place add(std::span<const double> codes, std::span<const std::int32_t> branches) {
    const Place place{slots_.size(), static_cast<unsigned>(std::bit_width(2 * codes.size()))};
    slots_.resize(place.begin + (std::size_t{1} << place.bits));
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const auto code = static_cast<std::uint32_t>(codes[i]);
      const std::size_t at = slot_of(place, code);
      if (slots_[at].code != kNone) {
        slots_.resize(place.begin);
        return {};
      }
      slots_[at] = {code, static_cast<std::uint32_t>(branches[i])};
    }
    return place;
  }

  std::uint32_t branch(const Place& place, std::uint32_t code, std::uint32_t otherwise) const {
    const Slot& slot = slots_[slot_of(place, code)];
    return slot.code == code ? slot.branch : otherwise;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();  // no code is as large
  static constexpr int kMostSteps = 64;

  struct Slot {
    std::uint32_t code = kNone, branch = 0;
  };

  // Where the code is, or else the slot that ends the search for it: an empty one, or the last step.
  std::size_t slot_of(const Place& place, std::uint32_t code) const {
    const std::size_t mask = (std::size_t{1} << place.bits) - 1;
    std::size_t at = (code * 0x9E3779B97F4A7C15U) >> (64 - place.bits);
    for (int step = 1; step < kMostSteps; ++step) {
      const std::uint32_t here = slots_[place.begin + at].code;
      if (here == code || here == kNone) break;
      at = (at + 1) & mask;
    }
    return place.begin + at;
  }

  std::vector<Slot> slots_;
};

}  // namespace thriftree
