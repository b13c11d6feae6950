// One warp executes one instruction on shared memory for each row of a table: atomics that are loops or single
// instructions, and loads, stores and atomics through generic pointers (some lanes may point to other memory).
// data/sm_90/instructions.csv.zst has the hardware's counts. tests/profile/instructions_test.cpp launches the same.
//
//     instructions < rows          rows of: kernel mask elsewhere a0 ... a31, the masks hexadecimal
#include <cstdint>
#include <cstdio>
#include <cstring>

struct row {
  std::uint32_t mask;       // lanes that execute the instruction
  std::uint32_t elsewhere;  // executing lanes whose generic pointer is to global memory
  std::uint32_t address[32];
};
constexpr unsigned shared_bytes = 48 * 1024;

// Shared memory contains zeros, so that the work of a loop does not depend on earlier contents.
extern __shared__ __align__(1024) unsigned char shared[];
__device__ void clear() {
  for (unsigned i = threadIdx.x * 16; i < shared_bytes; i += 512) *reinterpret_cast<uint4*>(shared + i) = uint4{};
  __syncwarp();
}

#pragma nv_diag_suppress 177, 550  // some instructions do not use every variable
#define KERNEL(name, ...)                                                                           \
  extern "C" __global__ void name(const row* r, unsigned* out, unsigned char* global, unsigned v) { \
    clear();                                                                                        \
    const unsigned t = threadIdx.x;                                                                 \
    const unsigned a = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + r->address[t];     \
    unsigned char* p = (r->elsewhere >> t & 1) != 0 ? global + 16 * t : shared + r->address[t];     \
    if ((r->mask >> t & 1) != 0) {                                                                  \
      unsigned x = 0, y = 0, z = 0, w = 0;                                                          \
      unsigned short h = 0;                                                                         \
      unsigned long long d = v;                                                                     \
      float f = 0;                                                                                  \
      double e = 0;                                                                                 \
      asm volatile(__VA_ARGS__);                                                                    \
      out[t] = x ^ y ^ z ^ w ^ h ^ static_cast<unsigned>(d) ^ __float_as_uint(f) ^                  \
               static_cast<unsigned>(__double_as_longlong(e));                                      \
    }                                                                                               \
  }
#define LIST(X)                                                                                                       \
  X(atom_add_u32, "atom.shared.add.u32 %0, [%1], %2;" : "=r"(x) : "r"(a), "r"(v))                                     \
  X(red_add_u32, "red.shared.add.u32 [%0], %1;" ::"r"(a), "r"(v))                                                     \
  X(atom_exch_b32, "atom.shared.exch.b32 %0, [%1], %2;" : "=r"(x) : "r"(a), "r"(v))                                   \
  X(atom_cas_b32, "atom.shared.cas.b32 %0, [%1], %2, %2;" : "=r"(x) : "r"(a), "r"(v))                                 \
  X(popc_inc, "red.shared.add.u32 [%0], 1;" ::"r"(a))                                                                 \
  X(atom_inc_u32, "atom.shared.inc.u32 %0, [%1], %2;" : "=r"(x) : "r"(a), "r"(v))                                     \
  X(atom_max_s32, "atom.shared.max.s32 %0, [%1], %2;" : "=r"(x) : "r"(a), "r"(v))                                     \
  X(atom_add_f32, "atom.shared.add.f32 %0, [%1], %2;" : "=f"(f) : "r"(a), "f"(1.0f))                                  \
  X(red_add_f32, "red.shared.add.f32 [%0], %1;" ::"r"(a), "f"(1.0f))                                                  \
  X(atom_add_f16x2, "atom.shared.add.noftz.f16x2 %0, [%1], %2;" : "=r"(x) : "r"(a), "r"(0x3c003c00u))                 \
  X(red_add_bf16x2, "red.shared.add.noftz.bf16x2 [%0], %1;" ::"r"(a), "r"(0x3f803f80u))                               \
  X(atom_add_f16, "atom.shared.add.noftz.f16 %0, [%1], %2;"                                                           \
    : "=h"(h)                                                                                                         \
    : "r"(a), "h"(static_cast<unsigned short>(0x3c00)))                                                               \
  X(atom_add_f64, "atom.shared.add.f64 %0, [%1], %2;" : "=d"(e) : "r"(a), "d"(1.0))                                   \
  X(red_add_f64, "red.shared.add.f64 [%0], %1;" ::"r"(a), "d"(1.0))                                                   \
  X(atom_add_u64, "atom.shared.add.u64 %0, [%1], %0;" : "+l"(d) : "r"(a))                                             \
  X(red_add_u64, "red.shared.add.u64 [%0], %1;" ::"r"(a), "l"(d))                                                     \
  X(atom_max_u64, "atom.shared.max.u64 %0, [%1], %0;" : "+l"(d) : "r"(a))                                             \
  X(atom_and_b64, "atom.shared.and.b64 %0, [%1], %0;" : "+l"(d) : "r"(a))                                             \
  X(atom_exch_b64, "atom.shared.exch.b64 %0, [%1], %0;" : "+l"(d) : "r"(a))                                           \
  X(atom_cas_b64, "atom.shared.cas.b64 %0, [%1], %0, %0;" : "+l"(d) : "r"(a))                                         \
  X(atom_cas_b16, "atom.shared.cas.b16 %0, [%1], %0, %0;" : "+h"(h) : "r"(a))                                         \
  X(atom_exch_b128, "{ .reg .b128 q; mov.b128 q, {%0, %0}; atom.shared.exch.b128 q, [%1], q; mov.b128 {%0, _}, q; }"  \
    : "+l"(d)                                                                                                         \
    : "r"(a))                                                                                                         \
  X(atom_cas_b128, "{ .reg .b128 q; mov.b128 q, {%0, %0}; atom.shared.cas.b128 q, [%1], q, q; mov.b128 {%0, _}, q; }" \
    : "+l"(d)                                                                                                         \
    : "r"(a))                                                                                                         \
  X(generic_ld_b8, "ld.volatile.u8 %0, [%1];" : "=r"(x) : "l"(p))                                                     \
  X(generic_ld_b32, "ld.volatile.u32 %0, [%1];" : "=r"(x) : "l"(p))                                                   \
  X(generic_ld_b64, "ld.volatile.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p))                                 \
  X(generic_ld_b128, "ld.volatile.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p))      \
  X(generic_st_b8, "st.volatile.u8 [%0], %1;" ::"l"(p), "r"(v))                                                       \
  X(generic_st_b32, "st.volatile.u32 [%0], %1;" ::"l"(p), "r"(v))                                                     \
  X(generic_st_b64, "st.volatile.v2.u32 [%0], {%1, %1};" ::"l"(p), "r"(v))                                            \
  X(generic_st_b128, "st.volatile.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(v))                                   \
  X(generic_atom_add_u32, "atom.add.u32 %0, [%1], %2;" : "=r"(x) : "l"(p), "r"(v))                                    \
  X(generic_red_add_u32, "red.add.u32 [%0], %1;" ::"l"(p), "r"(v))                                                    \
  X(generic_atom_cas_b32, "atom.cas.b32 %0, [%1], %2, %2;" : "=r"(x) : "l"(p), "r"(v))                                \
  X(generic_atom_add_f32, "atom.add.f32 %0, [%1], %2;" : "=f"(f) : "l"(p), "f"(1.0f))
LIST(KERNEL)

#ifndef BANKWISE_NO_MAIN
int main() {
  row* r = nullptr;
  unsigned* out = nullptr;
  unsigned char* global = nullptr;
  cudaMalloc(&r, sizeof(row));
  cudaMalloc(&out, 4096);
  cudaMalloc(&global, 4096);
  cudaMemset(global, 0, 4096);
  char name[64];
  row h{};
  while (std::scanf("%63s %x %x", name, &h.mask, &h.elsewhere) == 3) {
    for (std::uint32_t& address : h.address)
      if (std::scanf("%u", &address) != 1) return 2;
    cudaMemcpy(r, &h, sizeof h, cudaMemcpyHostToDevice);
#define LAUNCH(kernel, ...) \
  if (std::strcmp(name, #kernel) == 0) kernel<<<1, 32, shared_bytes>>>(r, out, global, 1u);
    LIST(LAUNCH)
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  }
  return 0;
}
#endif
