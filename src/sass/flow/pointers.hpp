// The origin of an access's address: the words of constant memory that it is made of, including parameters.
//
//     __global__ void add(float* out, const float* a, const int* index)
//
//     ULDC.64 UR4, c[0x0][0x118]
//     LDG.E R0, [R2.64]                       R2 = index + 4 * thread: made of c[0x0][0x170] and c[0x0][0x174]
//     IMAD.WIDE R6, R0, 0x4, c[0x0][0x168]
//     LDG.E R4, [R6.64]                       R6 = a + 4 * R0: R0 is a number, not a pointer
//     STG.E desc[UR4][R8.64], R4              R8 = out + ...
//
// Any arithmetic counts, so there may be too many origins, including descriptors. Values are followed through shared
// and local memory. A 64-bit number from global memory may be a pointer, and so may values copied into shared memory.
// Kernels that make a pointer from two loaded halves are not supported.
#pragma once

#include <cstdint>
#include <set>

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

struct constant_word {
  unsigned bank = 0;
  std::uint64_t offset = 0;  // in bytes, a multiple of 4
  friend auto operator<=>(const constant_word&, const constant_word&) = default;
};

struct pointer_sources {
  std::set<constant_word> words;
  bool may_be_loaded = false;  // a pointer in global memory
  bool unknown = false;        // a constant that is found by an index, a tensor map, or code that is not known
};

// For the memory access at instruction n.
pointer_sources pointer_sources_of(const code_flow& code, std::uint32_t n);

// For all accesses to global memory.
struct global_pointers {
  pointer_sources reads, writes;
};
global_pointers global_pointers_of(const code_flow& code);

}  // namespace bankwise::sass
