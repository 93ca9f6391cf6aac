#include "table/bad_values.hpp"

#include <cmath>
#include <iomanip>
#include <sstream>
#include <string>

#include "run/control.hpp"

namespace thriftree {

void throw_bad_value(const ColumnSource& source, std::size_t column, std::size_t n_rows) {
  const std::string place = "column " + std::to_string(column) + ", row ";
  for (std::size_t row = 0; row < n_rows; ++row) {
    const double x = read_number(source, row);
    if (source.type == SourceType::category) {
      if (x < source.n_categories) continue;
      throw BadInput(place + std::to_string(row) +
                     " holds a code that is not in the column's list of categories");
    }
    if (!std::isinf(x)) continue;
    if (source.type == SourceType::i64 || source.type == SourceType::u64) {
      throw BadInput(
          place + std::to_string(row) +
          " holds an integer beyond 2^53, which a float64 threshold cannot tell from its neighbours: "
          "make the column a category (strings) or rescale it");
    }
    throw BadInput(place + std::to_string(row) +
                   " holds infinity: replace infinite values by NaN (missing) or by a large number");
  }
  throw BadInput("column " + std::to_string(column) + " changed while it was read");
}

void throw_stranger(const ColumnSource& source, std::size_t column, std::size_t n_rows, double value) {
  std::size_t row = 0;
  while (row + 1 < n_rows && read_number(source, row) != value) ++row;
  std::ostringstream message;
  message << "column " << column << ", row " << row << " holds " << std::setprecision(17) << value
          << ", which the code book does not know: make the code book of all rows, or with max_bins";
  throw BadInput(message.str());
}

}  // namespace thriftree
