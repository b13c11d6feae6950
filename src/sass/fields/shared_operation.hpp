// Finds the operation on shared memory that an instruction performs, and the rule's name for this operation.
//
//     LDS.128 R4, [R2]           ld 16 bytes
//     ATOMS.ADD R3, [R2], R5     atom 4 bytes; if the result is RZ: red
#pragma once

#include <cstdint>
#include <vector>

#include "bankwise/access.hpp"
#include "base/bytes.hpp"
#include "sass/fields/fields.hpp"

namespace bankwise::sass {

inline operation load_operation(const memory_access& a) { return a.never_merges ? ld_generic(a.bytes) : ld(a.bytes); }
inline operation atomic_operation(const memory_access& a) {
  if (a.is_swap) return a.spins ? cas_spin(a.bytes) : cas(a.bytes);
  return a.reduces || a.result == register_zero ? red(a.bytes) : atom(a.bytes);
}
// Returns the operation of cp.async, which may bypass L1.
inline operation copy_operation(const copy_access& c) {
  return c.bytes == 16 && !c.through_l1 ? cp_async_cg() : cp_async(c.bytes);
}

// Returns the operation. A generic access counts as an access to shared memory. The width is 0 if the instruction's
// lanes have no addresses in shared memory.
operation shared_operation_of(const instruction& i);
// The operation of each instruction in a section of code.
std::vector<operation> shared_operations(byte_span code, isa set);

// Whether the instruction can access shared memory at addresses from its lanes.
inline bool may_access_by_lanes(const instruction& i) {
  return i.info() != nullptr && may_touch_shared(i.info()->op) && traits_of(i.info()->op).unit == unit::memory;
}

}  // namespace bankwise::sass
