// Where the address of an access comes from: which words of constant memory it is made of, the parameters among them.
//
//     __global__ void add(float* out, const float* a, const int* index)
//
//     ULDC.64 UR4, c[0x0][0x118]
//     LDG.E R0, [R2.64]                       R2 = index + 4 * thread: made of c[0x0][0x170] and c[0x0][0x174]
//     IMAD.WIDE R6, R0, 0x4, c[0x0][0x168]
//     LDG.E R4, [R6.64]                       R6 = a + 4 * R0: R0 is a number, and no pointer
//     STG.E desc[UR4][R8.64], R4              R8 = out + ...
//
// By whatever arithmetic: too many rather than too few, descriptors among them. What goes through shared or local
// memory is followed. A number of 64 bits that comes from global memory may be a pointer, and so may what is copied
// into shared memory: a kernel that makes a pointer of two halves that it loads is not known.
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
