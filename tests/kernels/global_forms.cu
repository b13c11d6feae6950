// Kernels with unusual accesses to global and local memory: guards, wide and misaligned accesses, generic pointers into
// several memories, atomics of all widths, asynchronous and bulk copies, hints. `global_forms` launches each kernel
// once for Nsight Compute. data/sm_90/line_checks.csv.zst has the numbers of its source page.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>

using u8 = unsigned char;
using u32 = unsigned;
using u64 = unsigned long long;

#define LANE (threadIdx.x % 32)
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

// Guards that disable some lanes, all lanes, or all lanes except one, as predicates and as branches.
extern "C" __global__ void guards(const u8* in, u8* out) {
  const u32 t = THREAD, lane = LANE;
  const u8* at = in + t * 4;
  asm volatile("{ .reg .pred p; .reg .u32 x; setp.lt.u32 p, %1, 20; @p ld.volatile.global.u32 x, [%0]; }" ::"l"(at),
               "r"(lane));
  asm volatile("{ .reg .pred p; .reg .u32 x; setp.gt.u32 p, %1, 99; @p ld.volatile.global.u32 x, [%0]; }" ::"l"(at),
               "r"(lane));
  asm volatile("{ .reg .pred p; .reg .u32 x; setp.eq.u32 p, %1, 31; @p ld.volatile.global.u32 x, [%0+12]; }" ::"l"(at),
               "r"(lane));
  if (lane % 3 == 1) {
    asm volatile("nanosleep.u32 0;");
    asm volatile(
        "{ .reg .pred p; .reg .u64 x; setp.lt.u32 p, %1, 16; @p ld.volatile.global.u64 x, [%0]; }" ::"l"(in + t * 8),
        "r"(lane));
    asm volatile("{ .reg .pred p; setp.ge.u32 p, %1, 8; @p st.volatile.global.u16 [%0], 7; }" ::"l"(out + t * 6),
                 "r"(lane));
  }
  __syncwarp();
  if (t < 50) asm volatile("st.volatile.global.u8 [%0], %1;" ::"l"(out + t * 3), "r"(lane));
}

// Accesses of 64 and 128 bits. The strides are such that lanes share sectors, cross sectors, or are far apart.
extern "C" __global__ void wide(const u8* in, u8* out) {
  const u32 t = THREAD, lane = LANE;
  double2 sum{};
  sum.x += *reinterpret_cast<const volatile double*>(in + t * 24);
  sum.x += *reinterpret_cast<const volatile double*>(in + t / 3 * 8);
  const float4 a = *reinterpret_cast<const float4*>(in + t * 48),
               b = *reinterpret_cast<const float4*>(in + (t ^ 5) * 16 + 16384);
  const float2 c = *reinterpret_cast<const float2*>(in + lane * 1000);
  const uint4 d = *reinterpret_cast<const uint4*>(in + (lane * 7 % 32) * 32 + 512);
  *reinterpret_cast<float4*>(out + t * 80) = make_float4(a.x + b.x, a.y + c.x, b.z + c.y, sum.x);
  *reinterpret_cast<uint2*>(out + 65536 + (t * 5 % 64) * 8) = make_uint2(d.x + d.w, d.y + d.z);
}

// The base address of each access is a multiple of the access's width (1 to 16 bytes), but not of twice the width.
extern "C" __global__ void misaligned(const u8* in, u8* out) {
  const u32 t = THREAD;
  const float a = *reinterpret_cast<const float*>(in + 4 + t * 4),
              b = *reinterpret_cast<const float*>(in + 116 + t * 4);
  const float2 c = *reinterpret_cast<const float2*>(in + 8 + t * 8),
               d = *reinterpret_cast<const float2*>(in + 24 + t * 8);
  const float4 e = *reinterpret_cast<const float4*>(in + 16 + t * 16),
               f = *reinterpret_cast<const float4*>(in + 48 + t * 16);
  const u8 g = in[13 + t];
  const short h = *reinterpret_cast<const short*>(in + 30 + t * 2);
  *reinterpret_cast<float4*>(out + 16 + t * 16) = make_float4(a + b, c.x + d.y, e.x + f.w, g);
  *reinterpret_cast<float2*>(out + 32776 + t * 8) = make_float2(e.y, f.z);
  *reinterpret_cast<float*>(out + 65556 + t * 4) = c.y + d.x;
  out[98305 + t] = g;
  *reinterpret_cast<short*>(out + 99002 + t * 2) = h;
}

// Generic pointers. The lanes of an instruction access global, shared and local memory, or all access the same memory.
extern "C" __global__ void generic(const u8* in, u8* out) {
  __shared__ u32 here[256];
  u32 own[24];
  const u32 t = THREAD, lane = LANE;
  for (u32 i = threadIdx.x; i < 256; i += blockDim.x) here[i] = i;
  for (u32 i = 0; i < 24; ++i) own[i] = i * t;
  __syncthreads();
  const u32* from = lane % 3 == 0   ? reinterpret_cast<const u32*>(in) + t
                    : lane % 3 == 1 ? here + lane * 3
                                    : own + lane % 24;
  u32 x;
  asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(x) : "l"(from));
  u32* to = lane < 10 ? reinterpret_cast<u32*>(out) + t * 3 : lane < 20 ? here + lane : own + lane % 5;
  asm volatile("st.volatile.u32 [%0], %1;" ::"l"(to), "r"(x));
  u32* add = lane % 2 ? reinterpret_cast<u32*>(out + 40000) + lane / 4 : here + lane / 2;
  asm volatile("{ .reg .u32 x; atom.add.u32 x, [%0], %1; st.volatile.u32 [%2], x; }" ::"l"(add), "r"(x),
               "l"(own + lane % 3));
  u64 y, z;
  asm volatile("ld.volatile.v2.u64 {%0, %1}, [%2];"
               : "=l"(y), "=l"(z)
               : "l"(lane < 16 ? in + lane * 32 : reinterpret_cast<const u8*>(here) + lane * 16));
  const u8* all_shared = reinterpret_cast<const u8*>(here) + lane * 4;
  asm volatile("{ .reg .pred p; .reg .u32 w; setp.lt.u32 p, %1, 9; @p ld.volatile.u32 w, [%0]; }" ::"l"(all_shared),
               "r"(lane));
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 0; @p st.volatile.u32 [%0], 1; }" ::"l"(to), "r"(lane));
  *reinterpret_cast<u64*>(out + 50000 + t * 8) = y + z + own[t % 24] + here[t % 256];
}

// Atomics and reductions of 32, 64 and 128 bits, in which several lanes access the same word.
extern "C" __global__ void atomics(const u8* in, u8* out) {
  const u32 t = THREAD, lane = LANE;
  u32* w = reinterpret_cast<u32*>(out);
  u64* d = reinterpret_cast<u64*>(out + 16384);
  u32 a = atomicAdd(w + lane * 2, 1u), b = atomicMax(w + 256 + lane / 4, t), c = atomicCAS(w + 512 + t, 0u, t),
      e = atomicExch(w + 4096 + lane * 9, t);
  u64 f = atomicAdd(d + lane, u64{1}), g = atomicCAS(d + 512 + lane / 2, u64{0}, u64{t}),
      h = atomicExch(d + 1024 + lane * 5, u64{t});
  u64 lo, hi;
  asm volatile("{ .reg .b128 x, y; mov.b128 x, {%3, %3}; atom.global.exch.b128 y, [%2], x; mov.b128 {%0, %1}, y; }"
               : "=l"(lo), "=l"(hi)
               : "l"(out + 65536 + t * 16), "l"(f)
               : "memory");
  asm volatile("{ .reg .b128 x, y; mov.b128 x, {%3, %3}; atom.global.cas.b128 y, [%2], x, x; mov.b128 {%0, %1}, y; }"
               : "+l"(lo), "+l"(hi)
               : "l"(out + 81920 + lane * 48), "l"(g)
               : "memory");
  atomicAdd(reinterpret_cast<double*>(out + 98304) + lane / 8, 1.0);
  atomicMin(reinterpret_cast<int*>(w + 2048) + (lane & 7) * 8, 3);
  atomicOr(reinterpret_cast<u64*>(out + 90112) + lane, u64{1});
  atomicInc(w + 3000 + lane % 5, 7u);
  if (lane < 13) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(w + 3500 + lane * 3));
  reinterpret_cast<u32*>(out + 131072)[t] = a + b + c + e + u32(f + g + h + lo + hi) + in[t];
}

// Reductions of floats, of halves, of pairs of halves, and of vectors.
extern "C" __global__ void reductions_of_vectors(const u8* in, u8* out) {
  const u32 t = THREAD, lane = LANE;
  float* f = reinterpret_cast<float*>(out);
  atomicAdd(f + lane, 1.f);
  atomicAdd(reinterpret_cast<float2*>(out + 4096) + lane / 2, make_float2(1, 2));
  atomicAdd(reinterpret_cast<float4*>(out + 8192) + lane, make_float4(1, 2, 3, 4));
  atomicAdd(reinterpret_cast<__half2*>(out + 16384) + lane * 3, __floats2half2_rn(1, 1));
  atomicAdd(reinterpret_cast<__half*>(out + 20480) + lane, __float2half(1));
  atomicAdd(reinterpret_cast<__nv_bfloat162*>(out + 24576) + t, __floats2bfloat162_rn(1, 1));
  asm volatile("red.global.add.v2.f32 [%0], {%1, %1};" ::"l"(out + 32768 + lane * 24), "f"(1.f));
  asm volatile("red.global.add.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(out + 40960 + lane * 16), "f"(1.f));
  asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %1, %1, %1};" ::"l"(out + 49152 + lane * 32), "r"(0x3c003c00));
  asm volatile(
      "red.global.add.noftz.v8.bf16 [%0], {%1, %1, %1, %1, %1, %1, %1, %1};" ::"l"(out + 57344 + (lane ^ 3) * 16),
      "h"(short{0x3f80}));
  float2 old = atomicAdd(reinterpret_cast<float2*>(out + 61440) + lane * 4, make_float2(3, 4));
  f[16384 + t] = old.x + old.y + in[t];
}

// Read-only loads, loads with cache hints, and loads with other scopes.
extern "C" __global__ void hints(const u8* __restrict__ in, u8* out) {
  const u32 t = THREAD, lane = LANE;
  const float* f = reinterpret_cast<const float*>(in);
  float s = __ldg(f + t * 2) + __ldg(f + lane * 33);
  const float4 v = __ldg(reinterpret_cast<const float4*>(in) + (t ^ 1)),
               c = __ldcs(reinterpret_cast<const float4*>(in) + t * 2);
  s += __ldcg(f + 4000 + t) + __ldca(f + 5000 + t * 3) + __ldlu(f + 6000 + lane) + __ldcv(f + 7000 + t);
  float x;
  asm volatile("ld.global.nc.L1::no_allocate.L2::256B.f32 %0, [%1];" : "=f"(x) : "l"(f + lane * 8));
  s += x;
  asm volatile("ld.global.L1::evict_last.L2::128B.f32 %0, [%1];" : "=f"(x) : "l"(f + 3 + t));
  s += x;
  asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(x) : "l"(f + 5 * t));
  s += x;
  asm volatile("ld.acquire.sys.global.f32 %0, [%1];" : "=f"(x) : "l"(f + t / 2));
  s += x;
  asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(x) : "l"(f + 9 * lane + 2));
  s += x;
  asm volatile("ld.mmio.relaxed.sys.global.f32 %0, [%1];" : "=f"(x) : "l"(f + 2 * lane));
  s += x;
  asm volatile("prefetch.global.L1 [%0];" ::"l"(in + t * 64));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in + t * 64 + 4096));
  asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(in + t * 128));
  asm volatile("prefetchu.L1 [%0];" ::"l"(in + t * 16));
  asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(in + t * 128));
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(out + 131072 + t * 128));
  asm volatile("st.release.gpu.global.f32 [%0], %1;" ::"l"(out + t * 20), "f"(s + v.x + c.y));
  asm volatile("st.volatile.global.f32 [%0], %1;" ::"l"(out + 8192 + lane * 4), "f"(s + v.w));
  __stcs(reinterpret_cast<float4*>(out + 16384) + t, v);
  __stwt(reinterpret_cast<float2*>(out + 32768) + t * 3, make_float2(s, c.x));
  __stcg(reinterpret_cast<short*>(out + 49152) + t, short(s));
}

// Arrays in local memory, because their indices are computed. Their elements have 1 to 16 bytes.
extern "C" __global__ void locals(const u8* in, u8* out) {
  const u32 t = THREAD, lane = LANE;
  u8 a[40];
  short b[40];
  double c[20];
  float4 d[10];
  for (u32 i = 0; i < 40; ++i) a[(i * 7 + lane) % 40] = in[i + t], b[(i * 3 + t) % 40] = i;
  for (u32 i = 0; i < 20; ++i) c[(i * 3 + lane) % 20] = i;
  for (u32 i = 0; i < 10; ++i) d[(i * 3 + t) % 10] = make_float4(i, 1, 2, 3);
  const u32 k = in[t];
  if (lane < 11) a[k % 40] += 3;
  const float4 e = d[(k + lane) % 10];
  out[t] = a[(k + lane) % 40] + b[(k + t) % 40] + int(c[(k + lane / 2) % 20]) + int(e.x + e.w);
}

// cp.async of 4, 8 and 16 bytes: with inactive lanes, with zeros, and with L1 bypassed.
extern "C" __global__ void copies(const u8* in, u8* out) {
  __shared__ __align__(128) u8 to[8192];
  const u32 t = THREAD, lane = LANE;
  const u32 at = static_cast<u32>(__cvta_generic_to_shared(to)) + threadIdx.x * 16;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(in + t * 4));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(in + 4 + t * 12));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at), "l"(in + t * 8));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + t * 16));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + t * 16));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + 16 + t * 48));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(in + t * 16), "r"(lane < 24 ? 16 : 0));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(in + t * 40), "r"(lane % 9));
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 4;" ::"r"(at), "l"(in + lane / 3 * 4));
  if (lane % 4 != 2)
    asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16;" ::"r"(at ^ 16), "l"(in + t * 32));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  out[t] = to[threadIdx.x * 16];
}

// Bulk copies to and from shared memory, bulk reductions, and a prefetch, executed by one lane or by several lanes.
extern "C" __global__ void bulk(const u8* in, u8* out) {
  __shared__ __align__(128) u8 to[4096];
  __shared__ u64 barrier;
  const u32 at = static_cast<u32>(__cvta_generic_to_shared(to)),
            bar = static_cast<u32>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 512;" ::"l"(in + blockIdx.x * 2048));
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], 1552; }" ::"r"(bar));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(at),
                 "l"(in + blockIdx.x * 1024), "r"(bar));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 528, [%2];" ::"r"(at + 2048),
        "l"(in + 16 + blockIdx.x * 4096), "r"(bar));
  }
  u32 done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bar)
                 : "memory");
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  if (threadIdx.x < 3) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 48;" ::"l"(out + blockIdx.x * 1024 + threadIdx.x * 64),
        "r"(at + threadIdx.x * 64));
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 32;" ::"l"(out + 16384 +
                                                                                                    threadIdx.x * 128),
                 "r"(at + threadIdx.x * 64));
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
  out[32768 + THREAD] = to[threadIdx.x];
}

__device__ int counter_of_all;
__device__ float table_of_all[1024];
__constant__ float fixed[256];
struct parameter {
  float x[16];
};
__noinline__ __device__ float through(const float* p, u32 i) {
  float x;
  asm volatile("ld.volatile.f32 %0, [%1];" : "=f"(x) : "l"(p + i));
  return x;
}
// Variables of the module, and generic pointers to constants, to parameters and to a function's local array.
extern "C" __global__ void variables(const u8* in, u8* out) {
  const u32 t = THREAD, lane = LANE;
  float own[8] = {1, 2, 3, 4, 5, 6, 7, float(t)};
  atomicAdd(&counter_of_all, 1);
  table_of_all[t * 3 % 1024] = t;
  const float a = through(table_of_all, t % 1024), b = through(own, lane % 8),
              c = through(lane < 16 ? own : table_of_all, lane % 8);
  const float d = through(reinterpret_cast<const float*>(in), lane % 2 ? t : 0);
  reinterpret_cast<float*>(out)[t] = a + b + c + d + fixed[lane];
}

// Lanes leave a loop one after another, and only some lanes execute a call.
extern "C" __global__ void diverging_lanes(const u8* in, u8* out) {
  const u32 t = THREAD, lane = LANE;
  u32 sum = 0;
  for (u32 i = 0; i <= lane % 7; ++i) sum += *reinterpret_cast<const volatile u32*>(in + (t * 7 + i * 32) * 4);
  switch (lane % 5) {
    case 0: sum += *reinterpret_cast<const volatile u8*>(in + t); break;
    case 1: sum += *reinterpret_cast<const volatile unsigned short*>(in + t * 2); break;
    case 2: sum += *reinterpret_cast<const volatile u32*>(in + t * 4); break;
    default: sum += *reinterpret_cast<const volatile u64*>(in + t * 8);
  }
  if (__any_sync(~0u, lane == blockIdx.x)) *reinterpret_cast<volatile u32*>(out + (lane * 32 + blockIdx.x) * 4) = sum;
}

#ifndef ONLY_KERNELS
int main() {
  const int bytes = 1 << 18;
  u8 *in, *out;
  if (cudaMalloc(&in, bytes) != cudaSuccess || cudaMalloc(&out, bytes) != cudaSuccess) return 1;
  cudaMemset(in, 0, bytes);
  cudaMemset(out, 0, bytes);
  void (*const kernels[])(const u8*, u8*) = {guards, wide,   misaligned, generic, atomics,   reductions_of_vectors,
                                             hints,  locals, copies,     bulk,    variables, diverging_lanes};
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
