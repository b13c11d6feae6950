// What atomics and reductions of integers do, in the order of atom_op (sass/words.hpp).
#pragma once

#include "sass/fields.hpp"

namespace bankwise::emulate {

enum : unsigned { op_add, op_min, op_max, op_inc, op_dec, op_and, op_or, op_xor, op_exch, op_safe_add };

// Done in any order, such updates of a place come to the same.
inline bool is_commutative(const sass::memory_access& f) {
  constexpr unsigned all = 1u << op_add | 1u << op_min | 1u << op_max | 1u << op_and | 1u << op_or | 1u << op_xor;
  return !f.is_float && !f.is_swap && (f.bytes == 4 || f.bytes == 8) && (all >> f.operation & 1) != 0;
}

}  // namespace bankwise::emulate
