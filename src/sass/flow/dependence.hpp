// What each instruction of a kernel depends on: its operands, and whether it is executed.
//
//     __global__ void count(int* bins, const int* keys, int n)     address      execution
//       i = blockIdx.x * blockDim.x + threadIdx.x
//       if (i >= n) return                                          -            blockIdx, arguments
//       atomicAdd(&s[keys[i]], 1)                                   data         blockIdx, arguments
//       bins[threadIdx.x] = s[threadIdx.x]                          -            blockIdx, arguments
//
// The analysis follows values from their origins, through registers, predicates, shared memory and local memory
// (code_flow.hpp). Code that only some lanes execute after a branch depends on the condition of the branch. After the
// paths of a branch join, the values that were written on these paths also depend on the condition. In a loop of `n`
// rounds, an address that counts the rounds does not depend on n, but the number of accesses depends on n. Diverged
// lanes are assumed to be separate until a BSYNC or WARPSYNC, so that a warp may execute an instruction once for each
// path. The analysis reports too many dependences rather than too few. A value without the dependence "data" is the
// same for all data, with these arguments and this launch shape.
#pragma once

#include <cstdint>
#include <vector>

#include "sass/flow/code_flow.hpp"
#include "sass/flow/inputs.hpp"

namespace bankwise::sass {

// The dependences of each instruction of the section. The kernel's parameters are `bytes` bytes of constant bank 0,
// starting at `first`.
struct parameter_space {
  std::uint64_t first = 0, bytes = 0;
};
std::vector<dependence> dependences_of(const code_flow& code, parameter_space parameters);

}  // namespace bankwise::sass
