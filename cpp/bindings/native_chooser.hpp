// A chooser of the core as Python gives it to a fit: what it is made of, before there are columns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "choose/chooser.hpp"
#include "choose/narrowed_chooser.hpp"
#include "run/control.hpp"
#include "table/table.hpp"

namespace thriftree::bindings {

// What Python gives as counts, weights, statistics or degrees of freedom.
inline void check_amounts(std::span<const double> amounts) {
  constexpr double most = 1e15;
  for (const double one : amounts) {
    if (!(one >= 0 && one <= most)) throw BadInput("give numbers from 0 to 1e15");
  }
}

struct NativeChooser {
  using Make = std::function<std::unique_ptr<Chooser>(std::span<const Column> columns, Control& control)>;

  Make make;                                // owns what its choosers refer to
  std::optional<std::uint32_t> one_column;  // of which alone tests are allowed; none: of all

  std::unique_ptr<Chooser> made(std::span<const Column> columns, Control& control) const {
    auto chooser = make(columns, control);
    if (one_column) return std::make_unique<NarrowedChooser>(std::move(chooser), *one_column);
    return chooser;
  }
};

}  // namespace thriftree::bindings
