// Wavefronts of an access, counted with the vectors of a CPU, for machines and operations where each lane wants one
// unit of memory, and a phase is a fixed number of neighbouring lanes.
#pragma once

#include "bankwise/wavefronts.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define BANKWISE_RULE_VECTORS
#endif

namespace bankwise {

// How the lanes of an operation are counted.
struct count_plan {
  bool possible = false;
  u8 unit_shift = 0;   // a unit of this many bytes, as a power of two, fills a column of banks
  u8 columns = 0;      // number of columns, at most 32
  u8 phase_lanes = 0;  // 32, 16 or 8, before any merge
  bool may_merge = false;
};

// Computes wavefronts, merging and the number of phases with an active lane; at least one lane must be active. `used`
// has the lanes that count. Returns false, and no valid answer, if it cannot count this access.
bool count_by_avx2(const access& a, const count_plan& p, u32 used, cost& c);
bool count_by_avx512(const access& a, const count_plan& p, u32 used, cost& c);

}  // namespace bankwise
