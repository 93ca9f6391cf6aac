#include "soft/price_term.hpp"

#include <cmath>

#include "run/control.hpp"

namespace thriftree::soft {

namespace {

// From the derivative by 1 - Π (1 - a) to those by every a.
void add_by_degrees(const std::vector<std::uint32_t>& columns, double by_met, const double* degrees,
                    double* by_degree) {
  std::vector<double> after(columns.size() + 1, 1.0);  // the product over later columns
  for (std::size_t i = columns.size(); i-- > 0;) after[i] = after[i + 1] * (1 - degrees[columns[i]]);
  double before = by_met;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    by_degree[columns[i]] += before * after[i + 1];
    before *= 1 - degrees[columns[i]];
  }
}

}  // namespace

PriceTerm::PriceTerm(const SoftShape& shape, const Prices& prices, std::vector<std::int32_t> begins,
                     double tau)
    : shape_(shape), parts_(price_parts(prices)), begins_(std::move(begins)), tau2_(tau * tau) {
  if (!(tau > 0) || std::isinf(tau)) throw BadInput("the threshold of bought weights must be above 0");
  if (begins_.size() != prices.n_columns() + 1 || begins_.front() != 0 || begins_.back() != shape.n_columns)
    throw BadInput("the terms of a soft tree must be divided among the priced columns");
  for (std::uint32_t column = 0; column < n_columns(); ++column) {
    if (begins_[column] > begins_[column + 1]) throw BadInput("terms of columns must lie in their order");
    column_of_.resize(static_cast<std::size_t>(begins_[column + 1]), column);
  }
}

template <class Visit>
void PriceTerm::for_weights(std::size_t node, const Visit& visit) const {
  if (node < shape_.n_gates()) {
    std::size_t begin = node;  // an offset for each gate before it
    for (std::size_t g = 0; g < node; ++g) begin += static_cast<std::size_t>(shape_.count[g]);
    const std::size_t first = static_cast<std::size_t>(shape_.first[node]);
    for (std::size_t k = 0; k < static_cast<std::size_t>(shape_.count[node]); ++k)
      visit(column_of_[first + k], begin + k);
    return;
  }
  const std::size_t width = shape_.output_width(), n_outputs = static_cast<std::size_t>(shape_.n_outputs);
  const std::size_t leaf = (node - shape_.n_gates()) * n_outputs;
  for (std::size_t o = leaf; o < leaf + n_outputs; ++o)
    for (std::size_t k = 0; k < width; ++k) visit(column_of_[k], shape_.leaf_begin() + o * (width + 1) + k);
}

std::vector<double> PriceTerm::squares(std::span<const double> parameters) const {
  std::vector<double> sums(n_nodes() * n_columns());
  for (std::size_t node = 0; node < n_nodes(); ++node)
    for_weights(node, [&](std::size_t column, std::size_t place) {
      sums[node * n_columns() + column] += parameters[place] * parameters[place];
    });
  return sums;
}

std::vector<double> PriceTerm::degrees(const std::vector<double>& squares) const {
  std::vector<double> found(squares);
  for (double& s : found) s = s / (s + tau2_);
  return found;
}

std::vector<double> PriceTerm::met(const PricePart& part, const std::vector<double>& degrees) const {
  std::vector<double> found(n_nodes());
  for (std::size_t node = 0; node < n_nodes(); ++node) {
    double none = 1;
    for (const std::uint32_t column : part.columns) none *= 1 - degrees[node * n_columns() + column];
    found[node] = 1 - none;
  }
  return found;
}

std::vector<double> PriceTerm::unpaid(const std::vector<double>& met) const {
  std::vector<double> share(n_nodes(), 1.0);
  for (std::size_t g = 0; g < shape_.n_gates(); ++g)  // a child comes after its gate
    for (const std::int32_t child : {shape_.left[g], shape_.right[g]})
      share[shape_.node_of(child)] = share[g] * (1 - met[g]);
  return share;
}

std::vector<double> PriceTerm::costs(std::span<const double> parameters) const {
  const std::vector<double> bought = degrees(squares(parameters));
  std::vector<double> sums(n_nodes());
  for (const PricePart& part : parts_) {
    const std::vector<double> here = met(part, bought);
    const std::vector<double> share = part.once ? unpaid(here) : std::vector<double>(n_nodes(), 1.0);
    for (std::size_t node = 0; node < n_nodes(); ++node) sums[node] += part.price * share[node] * here[node];
  }
  return sums;
}

void PriceTerm::add_gradient(std::span<const double> parameters, std::span<const double> reached,
                             std::span<double> gradient) const {
  const std::vector<double> sums = squares(parameters);
  const std::vector<double> bought = degrees(sums);
  std::vector<double> by_degree(sums.size());  // of the price, by node and column
  for (const PricePart& part : parts_) {
    const std::vector<double> here = met(part, bought);
    std::vector<double> share(n_nodes(), 1.0), below(n_nodes());  // what is paid further down, if not here
    std::vector<double> due(n_nodes());  // what is paid from here on, if nothing was paid above
    if (part.once) share = unpaid(here);
    for (std::size_t node = n_nodes(); node-- > 0;) {
      if (part.once && node < shape_.n_gates())
        below[node] = due[shape_.node_of(shape_.left[node])] + due[shape_.node_of(shape_.right[node])];
      due[node] = reached[node] * here[node] + (1 - here[node]) * below[node];
    }
    for (std::size_t node = 0; node < n_nodes(); ++node) {
      const double by_met = part.price * share[node] * (reached[node] - below[node]);
      add_by_degrees(part.columns, by_met, bought.data() + node * n_columns(),
                     by_degree.data() + node * n_columns());
    }
  }
  for (std::size_t node = 0; node < n_nodes(); ++node)
    for_weights(node, [&](std::size_t column, std::size_t place) {
      const std::size_t at = node * n_columns() + column;
      const double whole = sums[at] + tau2_;
      gradient[place] += by_degree[at] * 2 * parameters[place] * tau2_ / (whole * whole);
    });
}

}  // namespace thriftree::soft
