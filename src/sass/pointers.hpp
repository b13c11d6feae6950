// Where the addresses come from that a kernel reads and writes in global memory: which of its parameters.
//
//     __global__ void add(float* out, const float* a, const int* index)
//
//     LDG.E R0, [R2.64]       R2 = index + 4 * thread        reads parameter word 2
//     LDG.E R4, [R6.64]       R6 = a + 4 * R0                reads parameter word 1; R0 is a number, and no pointer
//     STG.E [R8.64], R4       R8 = out + ...                 writes parameter word 0
//
// Words of 8 bytes of constant bank 0. Variables are not told: their addresses are numbers in the code. A number of 64 bits that comes from global memory may be a pointer: then anything may be
// accessed. Nothing is followed but what is added up: a kernel that makes a pointer of two halves that it loads is not known.
#pragma once

#include <cstdint>
#include <vector>

#include "sass/code_flow.hpp"

namespace bankwise::sass {

struct pointer_sources {
  std::vector<std::uint32_t> words;  // offsets in constant bank 0, multiples of 8
  bool anything = false;
};
struct global_pointers {
  pointer_sources reads, writes;
};

global_pointers pointers_of(const code_flow& code, byte_span bytes, isa set);

}  // namespace bankwise::sass
