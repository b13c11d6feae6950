// The origins of an access's address: the words of constant memory from which the address is computed, including
// parameters.
//
//     __global__ void add(float* out, const float* a, const int* index)
//
//     ULDC.64 UR4, c[0x0][0x118]
//     LDG.E R0, [R2.64]                       R2 = index + 4 * thread: from c[0x0][0x170] and c[0x0][0x174]
//     IMAD.WIDE R6, R0, 0x4, c[0x0][0x168]
//     LDG.E R4, [R6.64]                       R6 = a + 4 * R0: R0 is a number, not a pointer
//     STG.E desc[UR4][R8.64], R4              R8 = out + ...
//
// There may be too many origins, because all operands of arithmetic count as origins, and so do descriptors. Values are
// followed through shared and local memory. A 64-bit number that is loaded from global memory, or that is copied to
// shared memory, may be a pointer. Kernels that load a pointer in two halves are not supported.
#pragma once

#include <cstdint>
#include <set>

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

struct constant_word {
  unsigned bank = 0;
  std::uint64_t offset = 0;  // offset in bytes, a multiple of 4
  friend auto operator<=>(const constant_word&, const constant_word&) = default;
};

struct pointer_sources {
  std::set<constant_word> words;
  bool may_be_loaded = false;  // the address may contain a pointer that was loaded from global memory
  // there is another kind of origin: a constant at a computed index, a tensor map, or unknown code
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
