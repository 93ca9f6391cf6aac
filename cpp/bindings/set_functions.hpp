// The functions of paper 001, as Python names them or writes its own.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "criterion/set_function.hpp"

namespace thriftree::bindings {

// A SetFunctionName, or a function of counts[sets, classes] that returns a value for each set.
std::unique_ptr<SetFunction> set_function_of(nanobind::handle function);

}  // namespace thriftree::bindings
