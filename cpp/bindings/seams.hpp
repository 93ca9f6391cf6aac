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
#include "rows/row_store.hpp"
#include "table/table.hpp"
#include "table/target.hpp"

namespace thriftree::bindings {

std::unique_ptr<Score> python_score(nanobind::callable function, const Target& target);
std::unique_ptr<Chooser> python_chooser(nanobind::object chooser, const Table& table);
std::unique_ptr<Grower> python_grower(nanobind::object grower);
std::unique_ptr<PriceModel> python_prices(nanobind::object model, bool divide);
std::unique_ptr<RowStore> python_store(nanobind::object store, const Table& table, const Target& target);

// Throws BadInput for a price that is negative or not finite; where scores are divided by prices, also for 0.
void check_prices(std::span<const double> prices, bool divide);

}  // namespace thriftree::bindings
