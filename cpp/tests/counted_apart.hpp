// Rows in several parts, each counted by itself, figure by figure: as slow as it is plain.
#pragma once

#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include "rows/sum_source.hpp"
#include "table/table.hpp"
#include "table/target.hpp"

namespace thriftree::testing {

class CountedApart final : public SumSource {
 public:
  CountedApart(const Table& table, const Target& target, std::size_t n_parts)
      : table_(table), target_(target), parts_(n_parts) {}

  void prepare(const NamedStatistics& statistics) override { statistics_ = &statistics; }
  SummedNodes open_root(std::int64_t weight) override {
    for (auto& part : parts_) part.clear();
    for (std::size_t row = 0; row < table_.n_rows; ++row) parts_[row % parts_.size()][0].push_back(row);
    SummedNodes answer;
    append(answer, {0}, weight);
    return answer;
  }
  std::vector<std::int64_t> count(std::span<const int> nodes, std::span<const std::uint32_t> columns,
                                  std::span<const std::int64_t> weights) override {
    ++n_counts;
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (std::uint32_t column : columns) {
        const std::size_t first = all.size(), width = statistics_->of_code.size();
        all.resize(first + table_.columns[column].n_codes * width, 0);
        for (auto& part : parts_) {
          for (std::size_t row : part[nodes[i]]) {
            std::int64_t* sums = all.data() + first + table_.code(row, column) * width;
            for (std::size_t s = 0; s < width; ++s)
              sums[s] += figure(statistics_->of_code[s], row, weights.empty() ? 0 : weights[i]);
          }
        }
      }
    }
    return all;
  }
  SummedNodes divide(std::span<const DivideRequest> requests,
                     std::span<const std::int64_t> weights) override {
    ++n_divides;
    SummedNodes answer;
    std::size_t at = 0;
    for (const auto& request : requests) {
      for (auto& part : parts_) {
        for (std::size_t row : part[request.node])
          part[request.first_child + branch_of(*request.partition, row)].push_back(row);
      }
      for (int v = 0; v < request.partition->n_branches; ++v, ++at)
        append(answer, {request.first_child + v}, weights.empty() ? 0 : weights[at]);
    }
    return answer;
  }
  SummedNodes peek(int node, const Partition& partition, std::span<const std::int64_t> weights) override {
    const auto parts = parts_;
    const int elsewhere = 1 << 20;
    SummedNodes answer = divide({{DivideRequest{node, &partition, elsewhere}}}, weights);
    parts_ = parts;
    --n_divides;
    return answer;
  }
  std::vector<std::int64_t> count_combinations(int node, std::span<const std::uint32_t> columns,
                                               std::int64_t weight) override {
    std::map<std::vector<std::uint32_t>, std::vector<std::int64_t>> sums;
    for (auto& part : parts_) {
      for (std::size_t row : part[node]) {
        std::vector<std::uint32_t> codes;
        for (std::uint32_t column : columns) codes.push_back(table_.code(row, column));
        auto& own = sums[codes];
        own.resize(statistics_->of_code.size(), 0);
        for (std::size_t s = 0; s < own.size(); ++s) own[s] += figure(statistics_->of_code[s], row, weight);
      }
    }
    std::vector<std::int64_t> all;
    for (const auto& [codes, own] : sums) all.insert(all.end(), own.begin(), own.end());
    return all;
  }
  std::vector<OpenedCode> open_codes(std::span<const OpenRequest>) override {
    throw std::runtime_error("no column here has spans");
  }
  void tell_cut(int, std::span<const std::int64_t>) override {
    throw std::runtime_error("no column here has spans");
  }

  int n_counts = 0, n_divides = 0;

 private:
  int branch_of(const Partition& partition, std::size_t row) const {
    const Column& column = table_.columns[partition.column];
    const std::uint32_t code = table_.code(row, partition.column);
    return column.has_missing && code + 1 == column.n_codes ? partition.missing : partition.branch_of(code);
  }
  void append(SummedNodes& answer, std::vector<int> nodes, std::int64_t weight) {
    for (int node : nodes) {
      double least = INFINITY, greatest = -INFINITY;
      const std::size_t first = answer.sums.size();
      answer.sums.resize(first + statistics_->of_node.size(), 0);
      for (auto& part : parts_) {
        for (std::size_t row : part[node]) {
          for (std::size_t s = 0; s < statistics_->of_node.size(); ++s)
            answer.sums[first + s] += figure(statistics_->of_node[s], row, weight);
          if (target_.n_classes > 0) continue;
          least = std::min(least, target_.values[row]);
          greatest = std::max(greatest, target_.values[row]);
        }
      }
      answer.least.push_back(least);
      answer.greatest.push_back(greatest);
    }
  }
  std::int64_t figure(const Statistic& statistic, std::size_t row, std::int64_t total) const {
    if (statistic.group >= 0 && !target_.labels.empty() &&
        target_.labels[row] != static_cast<std::uint32_t>(statistic.group))
      return 0;
    const std::int64_t w = target_.weighted() ? target_.growth[row] : 1;
    const bool heavy = w > statistics_->heavy_above;
    switch (statistic.figure) {
      case Figure::objects:
        return 1;
      case Figure::members:
        return target_.multiplicity.empty() ? 1 : target_.multiplicity[row];
      case Figure::weight:
        return w;
      case Figure::sample_weight:
        return target_.sample[row];
      case Figure::moment_high:
        return target_.moment[row] >> 32;
      case Figure::moment_low:
        return target_.moment[row] & 0xFFFFFFFF;
      case Figure::square_high:
        return target_.square[row] >> 32;
      case Figure::square_low:
        return target_.square[row] & 0xFFFFFFFF;
      case Figure::heavy_weight:
        return heavy ? w : 0;
      case Figure::heavy_term:
        if (!heavy || w > total - w) return 0;
        return std::llround(static_cast<double>(w) / static_cast<double>(total - w) * 0x1p56);
      case Figure::dominant_weight:
        return heavy && w > total - w ? w : 0;
      default:
        throw std::runtime_error("no rows behind these");
    }
  }

  const Table& table_;
  const Target& target_;
  const NamedStatistics* statistics_ = nullptr;
  std::vector<std::map<int, std::vector<std::size_t>>> parts_;  // rows by node
};

}  // namespace thriftree::testing
