// Vectors and numpy arrays, both ways.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bindings/array_argument.hpp"

namespace thriftree::bindings {

// Arguments: arrays that are read where they lie.
template <typename T>
using Vector =
    ArrayArgument<nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>>;
using Matrix = ArrayArgument<
    nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>>;

template <typename T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.size()};
}

// Answers: a numpy array that owns what the vector held.
template <typename T>
using Array = nanobind::ndarray<nanobind::numpy, T>;

template <typename T>
Array<T> to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* data = kept->data();
  nanobind::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T>(data, shape, owner);
}

template <typename T>
Array<T> to_numpy(std::vector<T> values) {
  const std::size_t n = values.size();
  return to_numpy(std::move(values), {n});
}

template <typename T>
Array<T> to_numpy(std::span<const T> values) {
  return to_numpy(std::vector<T>(values.begin(), values.end()));
}

// Whatever numpy.asarray makes of the object as a contiguous array of T.
template <typename T>
std::vector<T> to_vector(nanobind::handle object, const char* dtype) {
  const nanobind::object array =
      nanobind::module_::import_("numpy").attr("ascontiguousarray")(object, dtype).attr("reshape")(-1);
  const auto view = nanobind::cast<nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig>>(array);
  return {view.data(), view.data() + view.size()};
}

}  // namespace thriftree::bindings
