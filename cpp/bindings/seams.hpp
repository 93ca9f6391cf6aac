// Parts of the loop written in Python: any object with the right methods can be the score, the chooser,
// the grower, the price model or the row store of a fit. CONTRIBUTING.md lists the methods; tests/seams has a
// small example of each.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>

#include "criterion/score.hpp"
#include "grow/growth.hpp"
#include "price/price.hpp"
#include "rows/sum_source.hpp"
#include "table/table.hpp"

namespace thriftree::bindings {

std::unique_ptr<Score> python_score(nanobind::callable function, const TargetHeader& target);
std::unique_ptr<Chooser> python_chooser(nanobind::object chooser, std::span<const Column> columns);
std::unique_ptr<Grower> python_grower(nanobind::object grower);
std::unique_ptr<PriceModel> python_prices(nanobind::object model, bool divide);
std::unique_ptr<SumSource> python_sums(nanobind::object store);

// What a part written in Python answered, as a T; `wanted` completes the error for anything else.
template <class T>
T answer_as(nanobind::handle answer, const char* wanted) {
  T value;
  if (!nanobind::try_cast<T>(answer, value)) throw nanobind::type_error(wanted);
  return value;
}

}  // namespace thriftree::bindings
