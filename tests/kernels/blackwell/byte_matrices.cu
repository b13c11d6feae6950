// Tests ldmatrix and stmatrix of 8-bit elements on sm_100a and sm_120a (tests/emulate/byte_matrices_test.cpp).

__device__ unsigned sh(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__shared__ __align__(128) uint4 rows[32];

#define LOAD2(text, at) asm volatile(text " {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at))
#define LOAD4(text, at) \
  asm volatile(text " {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at))

// Stores registers of a 16 x 8 accumulator, and loads them again. The lanes pass the rows of the load in another order.
extern "C" __global__ void there_and_back(const uint2* in, uint2* out) {
  const unsigned lane = threadIdx.x;
  const uint2 v = in[lane];
  asm volatile("stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%0], {%1, %2};" ::"r"(sh(&rows[lane])), "r"(v.x), "r"(v.y)
               : "memory");
  __syncwarp();
  unsigned r[2];
  LOAD2("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8", sh(&rows[(lane & 1) + 4 * (lane & 2) + (lane >> 1 & 6)]));
  out[lane] = make_uint2(r[0], r[1]);
}

// Loads two matrices of 16 x 16 (8, 6 and 4 bits), and four matrices of 8 x 16 (6 and 4 bits).
extern "C" __global__ void loads(const uint4* in, uint4* out) {
  const unsigned lane = threadIdx.x, at = sh(&rows[lane]);
  rows[lane] = in[lane];
  __syncwarp();
  unsigned r[4];
  LOAD4("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", at);
  out[lane] = make_uint4(r[0], r[1], r[2], r[3]);
  LOAD4("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b6x16_p32", at);
  out[32 + lane] = make_uint4(r[0], r[1], r[2], r[3]);
  LOAD4("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b4x16_p64", at);
  out[64 + lane] = make_uint4(r[0], r[1], r[2], r[3]);
  LOAD4("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32", at);
  out[96 + lane] = make_uint4(r[0], r[1], r[2], r[3]);
  LOAD4("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64", at);
  out[128 + lane] = make_uint4(r[0], r[1], r[2], r[3]);
}
