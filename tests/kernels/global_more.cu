// More kernels with unusual accesses to global and local memory: vectors with guards, generic atomics, other blocks'
// shared memory, copies of zeros, hints with policies, spills in loops. `global_more` launches each kernel once for
// Nsight Compute. data/sm_90/line_checks.csv.zst has the numbers of its source page.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>

using u8 = unsigned char;
using u32 = unsigned;
using u64 = unsigned long long;

#define LANE (threadIdx.x % 32)
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

// Vectors of all widths with a guard that is false in some lanes, in all lanes, or in all lanes except one.
extern "C" __global__ void guarded_vectors(const u8* in, u8* out) {
  const u32 t = THREAD, lane = LANE;
#define GUARDED(relation, limit, text, at)                                                                           \
  asm volatile("{ .reg .pred p; .reg .u64 x<2>; .reg .u32 y<4>; .reg .u16 z<4>; setp." relation ".u32 p, %1, " limit \
               "; @p " text "; }" ::"l"(at),                                                                         \
               "r"(lane))
  GUARDED("lt", "7", "ld.volatile.global.v4.u32 {y0, y1, y2, y3}, [%0]", in + t * 16);
  GUARDED("ge", "25", "ld.volatile.global.v4.u32 {y0, y1, y2, y3}, [%0]", in + 16 + t * 48);
  GUARDED("eq", "17", "ld.volatile.global.v2.u64 {x0, x1}, [%0]", in + t * 32);
  GUARDED("gt", "40", "ld.volatile.global.v2.u64 {x0, x1}, [%0]", in + t * 32);
  GUARDED("ne", "3", "ld.volatile.global.v2.u32 {y0, y1}, [%0]", in + 8 + t * 8);
  GUARDED("lt", "13", "ld.volatile.global.v4.u8 {z0, z1, z2, z3}, [%0]", in + 4 + t * 4);
  GUARDED("lt", "29", "ld.volatile.global.v2.u8 {z0, z1}, [%0]", in + 2 + t * 6);
  GUARDED("gt", "9", "ld.volatile.global.v4.u16 {z0, z1, z2, z3}, [%0]", in + t * 24);
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 11; @p st.volatile.global.v4.u32 [%0], {%1, %1, %1, %1}; }" ::"l"(
                   out + 16 + t * 64),
               "r"(lane));
  asm volatile(
      "{ .reg .pred p; setp.gt.u32 p, %1, 30; @p st.volatile.global.v2.u32 [%0], {%1, %1}; }" ::"l"(out + t * 8),
      "r"(lane));
  asm volatile(
      "{ .reg .pred p; .reg .u16 z; cvt.u16.u32 z, %1; setp.ne.u32 p, %1, 0; @p st.volatile.global.v2.u8 [%0], {z, z}; }" ::
          "l"(out + 30 + t * 2),
      "r"(lane));
  if (lane & 1) *reinterpret_cast<uint4*>(out + 65536 + t * 16) = make_uint4(t, 1, 2, 3);
  if (lane > 3 && t % 5) *reinterpret_cast<uchar4*>(out + 98304 + 4 + t * 12) = make_uchar4(t, 1, 2, 3);
}

// Atomics and reductions through generic pointers. The lanes are in global memory, in shared memory, or in both.
extern "C" __global__ void generic_atomics(const u8* in, u8* out) {
  __shared__ u64 here[128];
  const u32 t = THREAD, lane = LANE;
  for (u32 i = threadIdx.x; i < 128; i += blockDim.x) here[i] = i;
  __syncthreads();
  u64* both = lane % 3 ? reinterpret_cast<u64*>(out) + t : here + lane;
  u64* far = reinterpret_cast<u64*>(out + 8192) + lane / 2;
  u64 x, y, z;
  u32 a, b;
  asm volatile("atom.add.u64 %0, [%1], 3;" : "=l"(x) : "l"(both) : "memory");
  asm volatile("atom.cas.b64 %0, [%1], 3, 4;" : "=l"(y) : "l"(far) : "memory");
  asm volatile("atom.exch.b64 %0, [%1], 3;" : "=l"(z) : "l"(here + lane * 2) : "memory");
  asm volatile("atom.max.u32 %0, [%1], 3;"
               : "=r"(a)
               : "l"(lane < 9 ? reinterpret_cast<u32*>(out + 16384) + lane * 9 : reinterpret_cast<u32*>(here) + lane)
               : "memory");
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %2, 5; @p atom.cas.b32 %0, [%1], 0, 7; }"
               : "=r"(b)
               : "l"(out + 20480 + lane * 32), "r"(lane)
               : "memory");
  asm volatile("red.add.u32 [%0], 1;" ::"l"(out + 24576 + lane * 8) : "memory");
  asm volatile("red.add.u64 [%0], 1;" ::"l"(lane < 20 ? reinterpret_cast<u64*>(out + 28672) + lane * 3 : here + lane)
               : "memory");
  asm volatile("red.add.f32 [%0], 0f3f800000;" ::"l"(out + 32768 + lane / 4 * 4) : "memory");
  asm volatile("red.add.f64 [%0], 0d3ff0000000000000;" ::"l"(out + 36864 + lane * 16) : "memory");
  if (lane % 4 == 0) asm volatile("red.or.b64 [%0], 1;" ::"l"(out + 40960 + t * 8) : "memory");
  __syncthreads();
  reinterpret_cast<u64*>(out + 65536)[t] = x + y + z + a + (lane < 5 ? b : 0) + here[threadIdx.x] + in[t];
}

// Atomics of 16 bits, and atomics on pairs and vectors that return the old values, all with guards.
extern "C" __global__ void small_atomics(const u8* in, u8* out) {
  const u32 t = THREAD, lane = LANE;
  u32 p, q;
  unsigned short h, b, c;
  float f, g, k, l;
  double d;
  asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;" : "=r"(p) : "l"(out + lane * 4), "r"(0x3c003c00) : "memory");
  asm volatile("atom.global.add.noftz.bf16x2 %0, [%1], %2;"
               : "=r"(q)
               : "l"(out + 1024 + lane * 12), "r"(0x3f803f80)
               : "memory");
  asm volatile("atom.global.add.noftz.f16 %0, [%1], %2;"
               : "=h"(h)
               : "l"(out + 4096 + lane * 4), "h"(short{0x3c00})
               : "memory");
  asm volatile("atom.global.cas.b16 %0, [%1], %2, %3;"
               : "=h"(b)
               : "l"(out + 8192 + t * 4), "h"(short{0}), "h"(short{1})
               : "memory");
  asm volatile("atom.global.add.noftz.bf16 %0, [%1], %2;"
               : "=h"(c)
               : "l"(out + 12288 + lane * 4), "h"(short{0x3f80})
               : "memory");
  asm volatile("atom.global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %5, %5, %5};"
               : "=f"(f), "=f"(g), "=f"(k), "=f"(l)
               : "l"(out + 16384 + t * 16), "f"(1.f)
               : "memory");
  asm volatile("atom.global.add.f64 %0, [%1], %2;" : "=d"(d) : "l"(out + 32768 + lane * 24), "d"(1.) : "memory");
  if (lane < 14)
    asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(out + 40960 + lane * 48), "f"(1.f) : "memory");
  if (lane > 5) asm volatile("red.global.add.f64 [%0], %1;" ::"l"(out + 49152 + t * 8), "d"(1.) : "memory");
  if (lane == 9)
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(out + 57344 + lane * 4), "r"(0x3c003c00) : "memory");
  asm volatile(
      "{ .reg .s64 x; .reg .pred w; setp.lt.u32 w, %1, 21; @w atom.global.min.s64 x, [%0], -5; @w st.global.u64 [%0+4096], x; }" ::
          "l"(out + 61440 + lane * 8),
      "r"(lane)
      : "memory");
  reinterpret_cast<float*>(out + 131072)[t] = p + q + h + b + c + f + g + k + l + float(d) + in[t];
}

// Reads and writes shared memory of the other blocks of a cluster, through generic and shared pointers.
extern "C" __global__ void __cluster_dims__(3, 1, 1) other_blocks(const u8* in, u8* out) {
  __shared__ u32 here[256];
  __shared__ u64 barrier;
  const u32 t = THREAD, lane = LANE;
  for (u32 i = threadIdx.x; i < 256; i += blockDim.x) here[i] = i;
  const u32 bar = static_cast<u32>(__cvta_generic_to_shared(&barrier)),
            at = static_cast<u32>(__cvta_generic_to_shared(here));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
  asm volatile("fence.mbarrier_init.release.cluster;");
  if (threadIdx.x == 0) asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], 384; }" ::"r"(bar));
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  const u32 next = (blockIdx.x + 1) % 3;
  u64 pointer;
  u32 there, there_bar, x, y;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(pointer) : "l"(here + lane), "r"(next));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at + threadIdx.x * 4), "r"(next));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there_bar) : "r"(bar), "r"(next));
  asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(x) : "l"(lane % 2 ? pointer : reinterpret_cast<u64>(in + t * 4)));
  asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(y) : "r"(there));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(there), "r"(x),
               "r"(there_bar)
               : "memory");
  u32 done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bar)
                 : "memory");
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  reinterpret_cast<u32*>(out)[t] = x + y + here[threadIdx.x];
}

// cp.async that copies only zeros, a part of the bytes, or fewer bytes than it writes, also with guards.
extern "C" __global__ void partial_copies(const u8* in, u8* out) {
  __shared__ __align__(128) u8 to[8192];
  const u32 t = THREAD, lane = LANE;
  const u32 at = static_cast<u32>(__cvta_generic_to_shared(to)) + threadIdx.x * 16;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(in + t * 16), "r"(0));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(in + t * 16), "r"(lane % 17));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(in + t * 36), "r"(lane < 16 ? 4 : 0));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(in + t * 64), "r"(lane & 1 ? 8 : 16));
  if (lane > 10)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(in + 32 + t * 16), "r"(t % 3 ? 16 : 0));
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %2, 6; @p cp.async.ca.shared.global [%0], [%1], 8; }" ::"r"(at),
               "l"(in + t * 8), "r"(lane));
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %2, 6; cp.async.ca.shared.global [%0], [%1], 16, p; }" ::"r"(at),
               "l"(in + 16 + t * 16), "r"(lane));
  asm volatile("cp.async.ca.shared.global.L2::64B [%0], [%1], 8;" ::"r"(at), "l"(in + t / 4 * 8));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  out[t] = to[threadIdx.x * 16];
}

// Loads and stores with cache policies and hints.
extern "C" __global__ void policies(const u8* in, u8* out) {
  const u32 t = THREAD, lane = LANE;
  u64 policy;
  u32 byte;
  float a, b, c, d, e;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 0.5;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(a) : "l"(in + t * 12), "l"(policy));
  asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
               : "=f"(b), "=f"(c), "=f"(d), "=f"(e)
               : "l"(in + (t ^ 7) * 16), "l"(policy));
  asm volatile("st.global.L1::no_allocate.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(out + t * 8), "f"(a + b + c + d + e),
               "l"(policy)
               : "memory");
  asm volatile("st.global.L1::evict_first.v2.f32 [%0], {%1, %1};" ::"l"(out + 8192 + t * 8), "f"(a) : "memory");
  asm volatile("red.global.add.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(out + 16384 + lane * 4), "f"(a), "l"(policy)
               : "memory");
  asm volatile("ld.global.nc.L1::evict_first.u8 %0, [%1];" : "=r"(byte) : "l"(in + 5 + lane * 3));
  short s;
  asm volatile("ld.global.nc.s16 %0, [%1];" : "=h"(s) : "l"(in + 10 + t * 10));
  const double2 v = __ldg(reinterpret_cast<const double2*>(in) + lane / 8);
  const uchar4 w = __ldg(reinterpret_cast<const uchar4*>(in) + t * 5);
  const float uniform = __ldg(reinterpret_cast<const float*>(in) + 100);
  reinterpret_cast<float*>(out + 32768)[t] = s + byte + float(v.x + v.y) + w.x + w.z + uniform;
}

// A loop with a guard, which needs more values than there are registers.
extern "C" __global__ void __launch_bounds__(96, 21) spills(const u8* in, u8* out) {
  const u32 t = THREAD, lane = LANE;
  const float* f = reinterpret_cast<const float*>(in) + t;
  float x[48];
#pragma unroll
  for (int i = 0; i < 48; ++i) x[i] = f[i * 64];
  for (int n = 0; n < 3 + int(lane % 3); ++n) {
#pragma unroll
    for (int i = 0; i < 48; ++i) x[i] = x[i] * x[(i * 7 + 5) % 48] + n;
    if (lane < 20 && f[n] == 0) x[n % 3] += 1;
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 48; ++i) sum += x[i] * i;
  reinterpret_cast<float*>(out)[t] = sum;
}

struct large {
  double x[12];
};
__noinline__ __device__ double part(large v, int i) { return v.x[i % 12] + v.x[(i + 5) % 12]; }
// Structures that are passed by value, and an array parameter with a computed index.
extern "C" __global__ void values(const u8* in, u8* out) {
  const u32 t = THREAD, lane = LANE;
  large v;
  for (int i = 0; i < 12; ++i) v.x[i] = in[i + t];
  reinterpret_cast<double*>(out)[t] = part(v, lane) + (lane < 7 ? part(v, in[t]) : 0);
}

// Bulk copies between blocks, and bulk reductions of several types, executed by several lanes.
extern "C" __global__ void bulk_reductions(const u8* in, u8* out) {
  __shared__ __align__(128) u8 from[4096];
  for (u32 i = threadIdx.x; i < 4096; i += blockDim.x) from[i] = in[i];
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  const u32 at = static_cast<u32>(__cvta_generic_to_shared(from));
  if (threadIdx.x % 32 < 2) {
    u8* to = out + THREAD * 512;
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], 64;" ::"l"(to), "r"(at)
                 : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s64 [%0], [%1], 32;" ::"l"(to + 128),
                 "r"(at + 64)
                 : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [%0], [%1], 16;" ::"l"(to + 256 + 16),
                 "r"(at + 128)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

#ifndef ONLY_KERNELS
int main() {
  const int bytes = 1 << 18;
  u8 *in, *out;
  if (cudaMalloc(&in, bytes) != cudaSuccess || cudaMalloc(&out, bytes) != cudaSuccess) return 1;
  cudaMemset(in, 0, bytes);
  cudaMemset(out, 0, bytes);
  void (*const kernels[])(const u8*, u8*) = {guarded_vectors, generic_atomics, small_atomics,
                                             other_blocks,    partial_copies,  policies,
                                             spills,          values,          bulk_reductions};
  for (const auto kernel : kernels) {
    kernel<<<3, 96>>>(in, out);
    const cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
      std::printf("%s\n", cudaGetErrorString(e));
      return 1;
    }
  }
  std::printf("done\n");
}
#endif
