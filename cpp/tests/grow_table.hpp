// Small tables made from codes, for tests of the row store and of the loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "table/table.hpp"
#include "table/target.hpp"

namespace thriftree::testing {

// One column as a test gives it. A wide column has more than 256 codes; the last code is missing where
// `missing`.
struct CodeColumn {
  ColumnKind kind = ColumnKind::ordered;
  std::uint32_t n_codes = 0;
  bool missing = false;
  std::vector<std::uint32_t> codes;
};

// Rows in order of their codes, as Table::sorted has them.
inline std::vector<std::uint32_t> sorted_rows(const std::vector<std::uint32_t>& codes) {
  std::vector<std::uint32_t> rows(codes.size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return codes[a] < codes[b]; });
  std::vector<std::uint32_t> entries;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    entries.push_back(rows[i] * 2 + (i == 0 || codes[rows[i]] != codes[rows[i - 1]]));
  }
  return entries;
}

inline Table make_table(const std::vector<CodeColumn>& columns) {
  Table table;
  table.n_rows = columns.front().codes.size();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const CodeColumn& given = columns[j];
    Column column;
    column.kind = given.kind;
    column.n_codes = given.n_codes;
    column.has_missing = given.missing;
    column.narrow = given.n_codes <= 256;
    std::vector<double> values;
    for (std::uint32_t c = 0; given.kind == ColumnKind::ordered && c < column.n_known(); ++c)
      values.push_back(c);
    column.values = std::move(values);
    if (column.narrow) {
      if (table.blocks.empty() || table.blocks.back().columns.size() == 16) table.blocks.emplace_back();
      Block& block = table.blocks.back();
      column.block = static_cast<std::uint32_t>(table.blocks.size() - 1);
      column.offset = static_cast<std::uint32_t>(block.columns.size());
      block.columns.push_back(static_cast<std::uint32_t>(j));
    } else {
      column.wide = static_cast<std::uint32_t>(table.wide.size());
      table.wide.push_back(given.codes);
      // As the encoder does: numbers come sorted, categories do not.
      table.sorted.push_back(given.kind == ColumnKind::ordered ? sorted_rows(given.codes)
                                                               : std::vector<std::uint32_t>{});
    }
    table.columns.push_back(column);
  }
  for (Block& block : table.blocks) {
    const std::size_t n = block.columns.size();
    block.stride = n > 8 ? 16 : n > 4 ? 8 : 4;
    block.codes.resize(table.n_rows * block.stride);
    for (std::size_t i = 0; i < table.n_rows; ++i) {
      for (std::size_t at = 0; at < n; ++at)
        block.codes[i * block.stride + at] = static_cast<std::uint8_t>(columns[block.columns[at]].codes[i]);
    }
  }
  return table;
}

// Every code below n_codes is possible; ties are many where it is small beside n.
inline CodeColumn random_column(std::mt19937& random, std::size_t n, std::uint32_t n_codes, bool missing,
                                ColumnKind kind = ColumnKind::ordered) {
  CodeColumn column{kind, n_codes, missing, {}};
  for (std::size_t i = 0; i < n; ++i) column.codes.push_back(static_cast<std::uint32_t>(random() % n_codes));
  return column;
}

inline Target random_classes(std::mt19937& random, std::size_t n, std::int32_t n_classes, bool weighted) {
  std::vector<std::int32_t> labels;
  std::vector<double> weight;
  for (std::size_t i = 0; i < n; ++i) {
    labels.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(n_classes)));
    if (weighted) weight.push_back(static_cast<double>(1 + random() % 1000) / 64);
  }
  return make_class_target(labels.data(), n, n_classes, weight, {}, {});
}

inline Target random_numbers(std::mt19937& random, std::size_t n, bool weighted) {
  std::normal_distribution<double> normal(1, 2);
  std::vector<double> y, weight;
  for (std::size_t i = 0; i < n; ++i) {
    y.push_back(normal(random));
    if (weighted) weight.push_back(static_cast<double>(1 + random() % 1000) / 64);
  }
  return make_number_target(y.data(), n, weight);
}

}  // namespace thriftree::testing
