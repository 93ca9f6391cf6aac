// Parts of the loop written in Python: any object with the right methods can be the criterion, the chooser,
// the grower, the price model or the row store of a fit. CONTRIBUTING.md lists the methods; tests/seams has a
// small example of each.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>

#include "criterion/criterion.hpp"
#include "grow/growth.hpp"
#include "price/price.hpp"
#include "rows/row_store.hpp"
#include "table/table.hpp"
#include "table/target.hpp"

namespace thriftree::bindings {

std::unique_ptr<Criterion> python_criterion(nanobind::callable function, bool numbers);
std::unique_ptr<Chooser> python_chooser(nanobind::object chooser, std::span<const Column> columns);
std::unique_ptr<Grower> python_grower(nanobind::object grower);
std::unique_ptr<PriceModel> python_prices(nanobind::object model, bool divide);
std::unique_ptr<RowStore> python_store(nanobind::object store, const Table& table, const Target& target);

}  // namespace thriftree::bindings
