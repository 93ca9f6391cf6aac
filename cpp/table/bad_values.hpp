// Values that cannot be coded: the errors name their column and row, and say what to do.
#pragma once

#include <cstddef>

#include "table/source.hpp"

namespace thriftree {

// The source holds a value that no tree may see; which one is found by reading it once more.
[[noreturn]] void throw_bad_value(const ColumnSource& source, std::size_t column, std::size_t n_rows);

// The source holds a number that the column's given code book lacks.
[[noreturn]] void throw_stranger(const ColumnSource& source, std::size_t column, std::size_t n_rows,
                                 double value);

}  // namespace thriftree
