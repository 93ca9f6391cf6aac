// What a soft tree's gates and linear leaves cost, as a smooth function of their weights.
//
// A node buys a column to the degree a = s / (s + τ²), where s is the sum of the squares of its weights of
// the column's terms. A part of the price with the columns C is met to the degree d = 1 - Π (1 - a) over C.
// Where it is paid once a path, the node pays d × Π (1 - d above it) of it: the expected price if every node
// bought every column with probability a, by itself. With steep gates and a small τ it is the price of the
// tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "price/price_parts.hpp"
#include "soft/soft_shape.hpp"

namespace thriftree::soft {

class PriceTerm {
 public:
  // Column j of the prices is weighed by the terms [begins[j], begins[j + 1]) of the shape; `begins` has one
  // entry more than there are columns. Throws BadInput where they do not fit each other or τ is not above 0.
  PriceTerm(const SoftShape& shape, const Prices& prices, std::vector<std::int32_t> begins, double tau);

  // Per gate, then per leaf: what arriving there costs beyond what was paid above.
  std::vector<double> costs(std::span<const double> parameters) const;
  // Adds the gradient of Σ reached × costs by the parameters; `reached` is as the costs are.
  void add_gradient(std::span<const double> parameters, std::span<const double> reached,
                    std::span<double> gradient) const;

 private:
  std::size_t n_columns() const { return begins_.size() - 1; }
  std::size_t n_nodes() const { return shape_.n_gates() + shape_.n_leaves(); }
  // Calls visit(column, place of the parameter) for every weight of a node.
  template <class Visit>
  void for_weights(std::size_t node, const Visit& visit) const;
  std::vector<double> squares(std::span<const double> parameters) const;
  std::vector<double> degrees(const std::vector<double>& squares) const;
  std::vector<double> met(const PricePart& part, const std::vector<double>& degrees) const;
  // Per node: the share of a part that has not been paid above.
  std::vector<double> unpaid(const std::vector<double>& met) const;

  const SoftShape& shape_;
  std::vector<PricePart> parts_;
  std::vector<std::int32_t> begins_;
  std::vector<std::uint32_t> column_of_;  // per term
  double tau2_;                           // τ²
};

}  // namespace thriftree::soft
