// Finds the origins of an access's address. Origins are the words of constant memory, including parameters, from which
// the address is computed.
//
//     __global__ void add(float* out, const float* a, const int* index)
//
//     ULDC.64 UR4, c[0x0][0x118]
//     LDG.E R0, [R2.64]                       R2 = index + 4 * thread: from c[0x0][0x170] and c[0x0][0x174]
//     IMAD.WIDE R6, R0, 0x4, c[0x0][0x168]
//     LDG.E R4, [R6.64]                       R6 = a + 4 * R0: R0 is a number, not a pointer
//     STG.E desc[UR4][R8.64], R4              R8 = out + ...
//
// The analysis may find too many origins, because descriptors and all operands of arithmetic count as origins. Values
// are followed through shared and local memory. A 64-bit number may be a pointer if it is loaded from global memory, or
// copied to shared memory. Kernels that load a pointer in two halves are not supported.
#pragma once

#include <cstdint>
#include <set>

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

struct constant_word {
  unsigned bank = 0;
  std::uint64_t offset = 0;  // in bytes; a multiple of 4
  friend auto operator<=>(const constant_word&, const constant_word&) = default;
};

struct pointer_sources {
  std::set<constant_word> words;
  bool may_be_loaded = false;  // whether the address may contain a pointer that was loaded from global memory
  // whether there are other origins: a constant at a computed index, a tensor map, or unknown code
  bool unknown = false;
};

// Returns the origins of the address in instruction n, which must access memory.
pointer_sources pointer_sources_of(const code_flow& code, std::uint32_t n);

// Returns the origins of all addresses in global memory that the code reads or writes.
struct global_pointers {
  pointer_sources reads, writes;
};
global_pointers global_pointers_of(const code_flow& code);

}  // namespace bankwise::sass
