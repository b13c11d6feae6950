// Finds the atomics and reductions on integers that may be executed in any order.
#pragma once

#include "sass/fields/fields.hpp"

namespace bankwise::emulate {

using sass::atomic_op;

// Whether updates with these fields can be executed in any order with the same result.
inline bool is_commutative(const sass::memory_access& f) {
  if (f.is_float || f.is_swap || (f.bytes != 4 && f.bytes != 8)) return false;
  switch (f.operation) {
    case atomic_op::add:
    case atomic_op::minimum:
    case atomic_op::maximum:
    case atomic_op::conjunction:
    case atomic_op::disjunction:
    case atomic_op::exclusive: return true;
    default: return false;
  }
}

}  // namespace bankwise::emulate
