// What each instruction of a kernel depends on: its operands, and whether it is executed.
//
//     __global__ void count(int* bins, const int* keys, int n)     address      execution
//       i = blockIdx.x * blockDim.x + threadIdx.x
//       if (i >= n) return                                          -            blockIdx, arguments
//       atomicAdd(&s[keys[i]], 1)                                   data         blockIdx, arguments
//       bins[threadIdx.x] = s[threadIdx.x]                          -            blockIdx, arguments
//
// Follows values forwards from their origins, through registers, predicates and shared and local memory
// (code_flow.hpp). Code that only some lanes execute after a branch depends on its condition. The values written on its
// paths depend on it after the paths join. In a loop of `n` rounds, an address that counts the rounds does not depend
// on n, but the number of accesses does. Diverged lanes are assumed to be separate until a BSYNC or WARPSYNC: a warp
// may execute an instruction once for each part. The analysis reports too many dependences rather than too few: a value
// without the dependence "data" is the same for all data, with these arguments and this launch shape.
#pragma once

#include <cstdint>
#include <vector>

#include "sass/flow/code_flow.hpp"
#include "sass/flow/inputs.hpp"

namespace bankwise::sass {

// For each instruction of the section. The parameters are the `bytes` bytes from `first` on in constant bank 0.
struct parameter_space {
  std::uint64_t first = 0, bytes = 0;
};
std::vector<dependence> dependences_of(const code_flow& code, parameter_space parameters);

}  // namespace bankwise::sass
