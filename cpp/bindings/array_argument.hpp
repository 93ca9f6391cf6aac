// An array argument that refuses what only looks like an array.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>

namespace thriftree::bindings {

// A is an nb::ndarray. A numpy datetime scalar has a buffer without strides, on which A's own conversion
// crashes; so only objects that can hand out an array (numpy's can) are converted.
template <typename A>
struct ArrayArgument : A {};

}  // namespace thriftree::bindings

template <typename A>
struct nanobind::detail::type_caster<thriftree::bindings::ArrayArgument<A>> {
  NB_TYPE_CASTER(thriftree::bindings::ArrayArgument<A>, make_caster<A>::Name)

  bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
    if (!hasattr(source, "__dlpack__")) return false;
    make_caster<A> array;
    if (!array.from_python(source, flags, cleanup)) return false;
    static_cast<A&>(value) = std::move(array.value);
    return true;
  }

  static handle from_cpp(const thriftree::bindings::ArrayArgument<A>& array, rv_policy policy,
                         cleanup_list* cleanup) noexcept {
    return make_caster<A>::from_cpp(static_cast<const A&>(array), policy, cleanup);
  }
};
