// Python buffers as the core sees them: any strides, any alignment, read-only or not; a bad one is a
// ValueError with its name.
#pragma once

#include <Python.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "run/control.hpp"

namespace thriftree::bindings {

// A buffer held for the length of a call. Needs the GIL to be made and destroyed.
class Buffer {
 public:
  // `name` completes "… must be an array". Throws BadInput if the object has no buffer.
  Buffer(PyObject* object, const std::string& name) : view_(std::make_unique<Py_buffer>()) {
    if (PyObject_GetBuffer(object, view_.get(), PyBUF_RECORDS_RO) != 0) {
      PyErr_Clear();
      throw BadInput(name + " must be a numpy array of numbers, not " + Py_TYPE(object)->tp_name);
    }
  }
  Buffer(Buffer&&) = default;
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() {
    if (view_) PyBuffer_Release(view_.get());
  }

  int ndim() const { return view_->ndim; }
  std::size_t size(int axis) const { return static_cast<std::size_t>(view_->shape[axis]); }
  std::ptrdiff_t stride(int axis) const { return view_->strides[axis]; }  // bytes
  const std::byte* data() const { return static_cast<const std::byte*>(view_->buf); }

  // The element type as 'f' (float), 'u' or 'i' (integers) and its bytes, e.g. "f8"; "" for anything else,
  // swapped bytes included.
  std::string type() const {
    const char* format = view_->format == nullptr ? "B" : view_->format;
    if (*format == '@' || *format == '=' || *format == '<') ++format;
    if (*format == '\0' || format[1] != '\0') return "";
    const std::string bytes = std::to_string(view_->itemsize);
    if (std::strchr("fd", *format)) return "f" + bytes;
    if (std::strchr("bhilqn", *format)) return "i" + bytes;
    if (std::strchr("BHILQN", *format)) return "u" + bytes;
    return "";
  }

 private:
  std::unique_ptr<Py_buffer> view_;
};

template <typename T>
inline const char* type_name();
template <>
inline const char* type_name<double>() {
  return "f8";
}
template <>
inline const char* type_name<std::int32_t>() {
  return "i4";
}
template <>
inline const char* type_name<std::int64_t>() {
  return "i8";
}
template <>
inline const char* type_name<std::uint8_t>() {
  return "u1";
}

// A copy of a one-dimensional array whose elements are exactly T.
template <typename T>
std::vector<T> read_vector(PyObject* object, const std::string& name) {
  const Buffer buffer(object, name);
  if (buffer.ndim() != 1 || buffer.type() != type_name<T>())
    throw BadInput(name + " must be a one-dimensional array of dtype " + type_name<T>());
  std::vector<T> copy(buffer.size(0));
  for (std::size_t i = 0; i < copy.size(); ++i)
    std::memcpy(&copy[i], buffer.data() + static_cast<std::ptrdiff_t>(i) * buffer.stride(0), sizeof(T));
  return copy;
}

// A copy, row by row, of a two-dimensional array of exactly T with `width` columns, or of one that is already
// flat.
template <typename T>
std::vector<T> read_rows(PyObject* object, const std::string& name, std::size_t width) {
  const Buffer buffer(object, name);
  if (buffer.ndim() == 1) return read_vector<T>(object, name);
  if (buffer.ndim() != 2 || buffer.size(1) != width || buffer.type() != type_name<T>())
    throw BadInput(name + " must be a two-dimensional array of dtype " + type_name<T>() + " with " +
                   std::to_string(width) + " columns");
  std::vector<T> copy;
  copy.reserve(buffer.size(0) * width);
  for (std::size_t row = 0; row < buffer.size(0); ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      T value;
      std::memcpy(&value,
                  buffer.data() + static_cast<std::ptrdiff_t>(row) * buffer.stride(0) +
                      static_cast<std::ptrdiff_t>(column) * buffer.stride(1),
                  sizeof(T));
      copy.push_back(value);
    }
  }
  return copy;
}

}  // namespace thriftree::bindings
