// Instructions that are a part of an atomic operation, or that have the effect of a plain write. --check needs to know
// them:
//
//     LDS R4, [R11]                      a load that a compare-and-swap compares with: part of atomicAdd(float*)
//     FADD R6, R2, R4
//     ATOMS.CAST.SPIN R6, [R11], R4, R6
//
//     ATOMS.EXCH RZ, [R3], R0            an exchange whose old value is not used: a write
#pragma once

#include <cstdint>
#include <memory>
#include <set>

#include "cubin/program.hpp"

namespace bankwise {

// `loads`, `writes`: device addresses of the two kinds of instructions in the examples above.
struct atomic_parts {
  std::set<std::uint64_t> loads, writes;
  bool order_threads = false;  // whether the code has an atomic on shared memory whose old value is used
};
std::shared_ptr<const atomic_parts> find_atomic_parts(const cubin::program& p, const cubin::kernel& k);

}  // namespace bankwise
