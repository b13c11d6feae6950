// What an access to shared memory does to its words, and the lanes that pass an address.
#pragma once

#include <cstdint>

#include "bankwise/access.hpp"

namespace bankwise {

enum class access_way : std::uint8_t { read, write, update };

constexpr access_way way_of(op_kind k) {
  switch (k) {
    case op_kind::load:
    case op_kind::ldmatrix: return access_way::read;
    case op_kind::store:
    case op_kind::stmatrix:
    case op_kind::copy_async:
    case op_kind::copy_async_cg: return access_way::write;
    default: return access_way::update;
  }
}

// The active lanes whose addresses count: eight for each matrix of an ldmatrix or stmatrix.
constexpr std::uint32_t addressing_lanes(const access& a) {
  const unsigned matrices = a.op.matrices;
  return matrices != 0 && matrices < 4 ? a.mask & ((1U << 8 * matrices) - 1) : a.mask;
}

}  // namespace bankwise
