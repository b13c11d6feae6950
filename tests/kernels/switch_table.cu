// A jump through a table of addresses (BRX), as the compiler makes for a switch with many long cases.
#include <cstdint>
using u32 = std::uint32_t;

// In each round, the lanes of a warp take `apart` of the cases.
extern "C" __global__ void switch_table(u32* out, u32 rounds, u32 apart) {
  u32 x = threadIdx.x + 1;
#pragma unroll 1
  for (u32 i = 0; i < rounds; ++i)
    asm volatile(
        "{\n"
        "cases: .branchtargets add, multiply, invert, reverse;\n"
        "brx.idx %1, cases;\n"
        "add: add.u32 %0, %0, 12345; bra done;\n"
        "multiply: mul.lo.u32 %0, %0, 77; bra done;\n"
        "invert: not.b32 %0, %0; bra done;\n"
        "reverse: brev.b32 %0, %0;\n"
        "done:\n"
        "}"
        : "+r"(x)
        : "r"((i + threadIdx.x % apart) % 4));
  out[threadIdx.x] = x;
}
