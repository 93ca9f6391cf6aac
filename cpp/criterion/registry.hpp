// The named criteria. To add one: write its file, add one line to the table in registry.cpp, and test it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "criterion/criterion.hpp"

namespace thriftree {

// Throws BadInput for a name that is not in the table; the message lists the names.
std::unique_ptr<Criterion> make_criterion(const std::string& name);
std::vector<std::string> criterion_names();

}  // namespace thriftree
