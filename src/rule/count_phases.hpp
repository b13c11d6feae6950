// Counts the wavefronts of an access with vector instructions of the CPU. This works for machines and operations where
// each lane accesses one unit of memory, and a phase is a fixed number of neighbouring lanes.
#pragma once

#include "bankwise/wavefronts.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define BANKWISE_RULE_VECTORS
#endif

namespace bankwise {

// How the wavefronts of an operation are counted with vector instructions.
struct count_plan {
  bool possible = false;
  u8 unit_shift = 0;   // binary logarithm of a unit's size in bytes; a unit fills one column of banks
  u8 columns = 0;      // number of columns, at most 32
  u8 phase_lanes = 0;  // number of lanes in a phase before phases merge: 32, 16 or 8
  bool may_merge = false;
};

// These functions compute the number of wavefronts, whether phases merge, and the number of phases with an active lane.
// At least one lane must be active. `used`: mask of the lanes to count. A function returns false if it cannot count
// this access. `c` is then not valid.
bool count_by_avx2(const access& a, const count_plan& p, u32 used, cost& c);
bool count_by_avx512(const access& a, const count_plan& p, u32 used, cost& c);

}  // namespace bankwise
