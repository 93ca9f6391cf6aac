// Arrays of the caller as columns that the core reads.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>

#include "bindings/arrays.hpp"
#include "run/control.hpp"
#include "table/encode.hpp"
#include "table/source.hpp"

namespace thriftree::bindings {

using AnyArray = ArrayArgument<nanobind::ndarray<nanobind::ro, nanobind::device::cpu>>;

inline SourceType type_of(const nanobind::dlpack::dtype& dtype) {
  using Code = nanobind::dlpack::dtype_code;
  const auto is = [&](Code code, int bits) {
    return dtype.lanes == 1 && dtype.code == static_cast<std::uint8_t>(code) && dtype.bits == bits;
  };
  if (is(Code::Float, 32)) return SourceType::f32;
  if (is(Code::Float, 64)) return SourceType::f64;
  if (is(Code::Int, 8)) return SourceType::i8;
  if (is(Code::Int, 16)) return SourceType::i16;
  if (is(Code::Int, 32)) return SourceType::i32;
  if (is(Code::Int, 64)) return SourceType::i64;
  if (is(Code::UInt, 8) || is(Code::Bool, 8)) return SourceType::u8;
  if (is(Code::UInt, 16)) return SourceType::u16;
  if (is(Code::UInt, 32)) return SourceType::u32;
  if (is(Code::UInt, 64)) return SourceType::u64;
  throw nanobind::type_error("columns must be float32, float64, integers of at most 64 bits, or bool");
}

inline Binning binning_of(const std::string& name) {
  if (name == "quantile") return Binning::quantile;
  if (name == "uniform") return Binning::uniform;
  if (name == "kmeans") return Binning::kmeans;
  throw BadInput("binning must be 'quantile', 'uniform' or 'kmeans', not '" + name + "'");
}

inline ColumnSource source_of(const AnyArray& array, std::ptrdiff_t stride) {
  const SourceType type = type_of(array.dtype());
  ColumnSource source;
  source.type = type;
  source.data = static_cast<const std::byte*>(array.data());
  source.stride = stride * static_cast<std::ptrdiff_t>(array.itemsize());
  return source;
}

}  // namespace thriftree::bindings
