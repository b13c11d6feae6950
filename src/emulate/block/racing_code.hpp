// Selects the instructions of a kernel that are watched for races of blocks on global memory (block_races.hpp).
//
//     __global__ void relax(int* d, int n)
//       int x = d[i];             watched: the lanes that store to shared memory depend on it
//       tile[t] = x;              ...
//       if (tile[a] < tile[b]) tile[b] = tile[a];
//       d[i] = tile[t];           watched: it changes what another block may load
//
// If no count of a kernel depends on its loads from global memory, no instruction is watched, and the kernel runs as
// usual.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sass/flow/pointers.hpp"
#include "sass/flow/slice.hpp"

namespace bankwise::emulate {

struct racing_code {
  // for each instruction: whether it is watched, because counts depend on its result, or because it changes global
  // memory
  std::vector<bool> watched;
  sass::pointer_sources loads, changes;
  std::uint32_t unit = 4;  // bytes of the narrowest watched access, at most 4
};

// Null if no count depends on a race. Also null if the kernel itself orders its blocks by strong accesses, or by fences
// and atomics.
std::shared_ptr<const racing_code> racing_code_of(const sass::code_flow& code, const sass::slice& needed);

}  // namespace bankwise::emulate
