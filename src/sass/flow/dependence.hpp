// Finds what each instruction of a kernel depends on: the inputs of its operands, and the inputs that decide whether it
// is executed.
//
//     __global__ void count(int* bins, const int* keys, int n)     address      execution
//       i = blockIdx.x * blockDim.x + threadIdx.x
//       if (i >= n) return                                          -            blockIdx, arguments
//       atomicAdd(&s[keys[i]], 1)                                   data         blockIdx, arguments
//       bins[threadIdx.x] = s[threadIdx.x]                          -            blockIdx, arguments
//
// The analysis follows values from their origins through registers, predicates, shared memory and local memory
// (code_flow.hpp). If a branch selects the lanes that execute some code, this code and the values that it writes depend
// on the condition of the branch. After a branch, lanes are assumed to be apart until a BSYNC or WARPSYNC. The analysis
// may report too many inputs, but never too few. If "data" is not among the inputs, a value is the same for all data.
#pragma once

#include <cstdint>
#include <vector>

#include "sass/flow/code_flow.hpp"
#include "sass/flow/inputs.hpp"

namespace bankwise::sass {

// Returns the inputs of each instruction of the section. The kernel's parameters are `bytes` bytes of constant bank 0,
// starting at `first`.
struct parameter_space {
  std::uint64_t first = 0, bytes = 0;
};
std::vector<dependence> dependences_of(const code_flow& code, parameter_space parameters);

}  // namespace bankwise::sass
