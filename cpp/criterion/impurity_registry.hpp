// The named impurities. To add one: write its file, add one line to the table in impurity_registry.cpp, and
// test it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "criterion/impurity.hpp"

namespace thriftree {

// Throws BadInput for a name that is not in the table; the message lists the names.
std::unique_ptr<Impurity> make_impurity(const std::string& name);
std::vector<std::string> impurity_names();

}  // namespace thriftree
