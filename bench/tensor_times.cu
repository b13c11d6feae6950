// Launches that differ in one thing at a time: tensor copies, bulk copies, wgmma, cp.async, local memory, the shared memory of a
// cluster, mbarriers, code that runs once. `tensor_times` runs all launches, `tensor_times NUMBER` or `WORD` some, `list` prints their names.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>
namespace cg = cooperative_groups;
typedef uint32_t u32;
typedef uint64_t u64;
static void require(cudaError_t e, const char* what) {
  if (e != cudaSuccess) {
    printf("%s: %s\n", what, cudaGetErrorString(e));
    exit(2);
  }
}
#define CHECK(x) require(x, #x)
__device__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }
__device__ void bar_init(u32 b, u32 n) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(n) : "memory");
}
__device__ void fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ void bar_expect(u32 b, u32 n) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(n) : "memory");
}
__device__ void bar_arrive(u32 b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory"); }
__device__ void bar_wait(u32 b, u32 phase) {
  asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }" ::"r"(b),
               "r"(phase)
               : "memory");
}

// ---- bulk copies: a block keeps `flight` copies of `bytes` in flight, `copies` in all
__global__ void bulk_loads(const char* data, u64 span, u32 bytes, int flight, int copies) {
  extern __shared__ __align__(1024) char buffer[];
  __shared__ __align__(8) u64 bars[32];
  if (threadIdx.x) return;
  for (int i = 0; i < flight; ++i) bar_init(shared_address(bars + i), 1);
  fence_init();
  u64 at = (u64)blockIdx.x * bytes;
  auto issue = [&](int i) {
    u32 b = shared_address(bars + i);
    bar_expect(b, bytes);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(buffer + i * bytes)),
                 "l"(data + at), "r"(bytes), "r"(b)
                 : "memory");
    at += (u64)gridDim.x * bytes;
    if (at >= span) at -= span;
  };
  int sent = 0;
  for (; sent < flight && sent < copies; ++sent) issue(sent);
  int slot = 0, phase = 0;
  for (int i = 0; i < copies; ++i) {
    bar_wait(shared_address(bars + slot), phase);
    if (sent < copies) {
      issue(slot);
      ++sent;
    }
    if (++slot == flight) slot = 0, phase ^= 1;
  }
}
__global__ void bulk_stores(char* data, u64 span, u32 bytes, int flight, int copies) {
  extern __shared__ __align__(1024) char buffer[];
  if (threadIdx.x) return;
  u64 at = (u64)blockIdx.x * bytes;
  for (int i = 0; i < copies; ++i) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(data + at),
        "r"(shared_address(buffer)), "r"(bytes)
        : "memory");
    if (flight == 1)
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    else
      asm volatile("cp.async.bulk.wait_group.read 3;" ::: "memory");
    at += (u64)gridDim.x * bytes;
    if (at >= span) at -= span;
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// ---- tensor copies of two dimensions; optionally each block of a cluster loads its part of the box for all
template <int Multicast>
__global__ void tensor_loads(const __grid_constant__ CUtensorMap map, int box_x, int box_y, int size_x, int size_y,
                             u32 bytes, int flight, int copies, int part) {
  extern __shared__ __align__(1024) char buffer[];
  __shared__ __align__(8) u64 bars[32];
  if (threadIdx.x == 0) {
    for (int i = 0; i < flight; ++i) bar_init(shared_address(bars + i), 1);
    fence_init();
  }
  u32 rank = 0, ranks = 1;
  if constexpr (Multicast > 0) {
    cg::this_cluster().sync();
    rank = cg::this_cluster().block_rank();
    ranks = cg::this_cluster().num_blocks();
  }
  if (threadIdx.x == 0) {
    int tiles_x = size_x / box_x, tiles = tiles_x * (size_y / box_y);
    int tile = blockIdx.x / ranks % tiles, step = gridDim.x / ranks;
    auto issue = [&](int i) {
      u32 b = shared_address(bars + i), to = shared_address(buffer + i * bytes);
      bar_expect(b, bytes);
      int x = tile % tiles_x * box_x, y = tile / tiles_x * box_y;
      if constexpr (Multicast > 0) {
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::
                "r"(to + rank * part),
            "l"(&map), "r"(b), "r"(x), "r"(y + (int)rank * (box_y / (int)ranks)),
            "h"((unsigned short)((1 << ranks) - 1))
            : "memory");
      } else {
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::
                "r"(to),
            "l"(&map), "r"(b), "r"(x), "r"(y)
            : "memory");
      }
      tile += step;
      while (tile >= tiles) tile -= tiles;
    };
    int sent = 0;
    for (; sent < flight && sent < copies; ++sent) issue(sent);
    int slot = 0, phase = 0;
    for (int i = 0; i < copies; ++i) {
      bar_wait(shared_address(bars + slot), phase);
      if constexpr (Multicast > 0) asm volatile("barrier.cluster.arrive.relaxed; barrier.cluster.wait;" ::: "memory");
      if (sent < copies) {
        issue(slot);
        ++sent;
      }
      if (++slot == flight) slot = 0, phase ^= 1;
    }
  }
  if constexpr (Multicast > 0)
    if (threadIdx.x < 32 && threadIdx.x) {
    }
}
__global__ void tensor_stores(const __grid_constant__ CUtensorMap map, int box_x, int box_y, int size_x, int size_y,
                              u32 bytes, int copies) {
  extern __shared__ __align__(1024) char buffer[];
  if (threadIdx.x) return;
  int tiles_x = size_x / box_x, tiles = tiles_x * (size_y / box_y), tile = blockIdx.x % tiles;
  for (int i = 0; i < copies; ++i) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1]; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 3;" ::
            "l"(&map),
        "r"(shared_address(buffer)), "r"(tile % tiles_x * box_x), "r"(tile / tiles_x * box_y)
        : "memory");
    tile = (tile + gridDim.x) % tiles;
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// ---- wgmma
enum kind { half16, byte8, tensor32, int8 };
__device__ u64 descriptor(const void* p) { return (shared_address(p) >> 4 & 0x3fff) | (u64)8 << 16 | (u64)16 << 32; }
#define R4(i) "%" #i
template <int Kind>
__device__ void mma64(float (&d)[32], u64 a, u64 b) {
#define MMA64(what, tail)                                                                                                                                \
  asm volatile(                                                                                                                                          \
      "wgmma.mma_async.sync.aligned." what                                                                                                               \
      " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1" tail \
      ";"                                                                                                                                                \
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),                                      \
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),                                           \
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),                                          \
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])                                                        \
      : "l"(a), "l"(b))
  if constexpr (Kind == half16)
    MMA64("m64n64k16.f32.f16.f16", ", 0, 0");
  else if constexpr (Kind == byte8)
    MMA64("m64n64k32.f32.e4m3.e4m3", "");
  else
    MMA64("m64n64k8.f32.tf32.tf32", "");
}
__device__ void mma64r(float (&d)[32], u32 (&a)[4], u64 b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%32,%33,%34,%35}, %36, 1, 1, 1, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
__device__ void mma8(float (&d)[4], u64 a, u64 b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(a), "l"(b));
}
#define TEN(t) "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6,%" #t "7,%" #t "8,%" #t "9"
#define F8(i)                                                                                                 \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
      "+f"(d[i + 7])
__device__ void mma256(float (&d)[128], u64 a, u64 b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9," TEN(1) "," TEN(2) "," TEN(
          3) "," TEN(4) "," TEN(5) "," TEN(6) "," TEN(7) "," TEN(8) "," TEN(9) "," TEN(10) "," TEN(11) ",%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, 1, 1, 1, 0, 0;"
      : F8(0), F8(8), F8(16), F8(24), F8(32), F8(40), F8(48), F8(56), F8(64), F8(72), F8(80), F8(88), F8(96), F8(104),
        F8(112), F8(120)
      : "l"(a), "l"(b));
}
// Width 8, 64 or 256; a warp group issues `Row` products, then waits until at most `Left` groups are unfinished.
template <int Kind, int Width, int Row, int Left, bool Registers>
__global__ void products(float* out, int rounds) {
  extern __shared__ __align__(1024) char tile[];
  for (int i = threadIdx.x; i < 20480; i += blockDim.x) tile[i] = 0;
  __syncthreads();
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  u64 a = descriptor(tile), b = descriptor(tile + 4096);
  float d[Width / 2] = {};
  u32 ra[4] = {0, 0, 0, 0};
  for (int r = 0; r < rounds; ++r) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int i = 0; i < Row; ++i) {
      if constexpr (Width == 8)
        mma8(d, a, b);
      else if constexpr (Width == 256)
        mma256(d, a, b);
      else if constexpr (Registers)
        mma64r(d, ra, b);
      else
        mma64<Kind>(d, a, b);
    }
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  float s = 0;
  for (float x : d) s += x;
  out[threadIdx.x] = s;
}

// ---- cp.async: lanes in rows of `row` bytes, 24 copies between two waits
template <int Bytes>
__global__ void copies(const char* x, char* out, int rounds, int row, int apart) {
  extern __shared__ __align__(16) char s[];
  u32 to = shared_address(s + threadIdx.x * Bytes);
  int in_row = row / Bytes;
  const char* from = x + (size_t)(threadIdx.x / in_row) * apart + threadIdx.x % in_row * Bytes;
  u32 step = blockDim.x / in_row * apart;
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < 24; ++i) {
      const char* at = from + (size_t)i * step + (r * row & 1023);
      if constexpr (Bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + i * blockDim.x * Bytes), "l"(at)
                     : "memory");
      else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to + i * blockDim.x * Bytes), "l"(at), "n"(Bytes)
                     : "memory");
    }
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
  }
  out[threadIdx.x] = s[threadIdx.x];
}
// The same bytes by ordinary loads into registers.
__global__ void row_loads(const char* x, char* out, int rounds, int row, int apart) {
  int in_row = row / 16;
  const char* from = x + (size_t)(threadIdx.x / in_row) * apart + threadIdx.x % in_row * 16;
  u32 step = blockDim.x / in_row * apart;
  uint4 sum = {};
  for (int r = 0; r < rounds; ++r) {
    uint4 v[24];
#pragma unroll
    for (int i = 0; i < 24; ++i) v[i] = __ldcg((const uint4*)(from + (size_t)i * step + (r * row & 1023)));
#pragma unroll
    for (int i = 0; i < 24; ++i) sum.x ^= v[i].x, sum.y ^= v[i].y, sum.z ^= v[i].z, sum.w ^= v[i].w;
    __syncthreads();
  }
  out[threadIdx.x] = sum.x ^ sum.y ^ sum.z ^ sum.w;
}

// ---- local memory: the lanes of an access use `lines` lines; each thread uses `words` elements
__global__ void stacks(float* out, int n, int lines, int words, int stores) {
  float a[2048];
  int lane = threadIdx.x & 31, own = (lane % lines) * 32;
  for (int i = 0; i < words; ++i) a[(own + i) & 2047] = 0;
  float s = 0;
  for (int r = 0; r < n; ++r)
    for (int k = 0; k < words; ++k) {
      float* p = &a[(own + k) & 2047];
      if (stores)
        *p = *p * 0.5f + (float)r;
      else
        s = s * 0.5f + *p;
    }
  out[threadIdx.x] = a[own] + s;
}
// Stores alone.
__global__ void stack_stores(float* out, int n, int lines, int words) {
  float a[2048];
  int lane = threadIdx.x & 31, own = (lane % lines) * 32;
  for (int r = 0; r < n; ++r)
    for (int k = 0; k < words; ++k) a[(own + k) & 2047] = (float)(r + k);
  out[threadIdx.x] = a[own + (n & 1)];
}

// ---- the shared memory of another block of the cluster
__global__ void cluster_chain(int* out, int n) {
  __shared__ int next[1024];
  auto c = cg::this_cluster();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) next[i] = (i + 33) & 1023;
  c.sync();
  int* there = c.map_shared_rank(next, (c.block_rank() + 1) % c.num_blocks());
  int at = threadIdx.x;
  for (int i = 0; i < n; ++i) at = there[at];
  c.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
__global__ void cluster_loads(float* out, int n, int wide) {
  extern __shared__ __align__(16) float own[];
  auto c = cg::this_cluster();
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) own[i] = i;
  c.sync();
  float* there = c.map_shared_rank(own, (c.block_rank() + 1) % c.num_blocks());
  float s[8] = {};
  if (wide)
    for (int i = 0; i < n; ++i)
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        float4 v = ((float4*)there)[(threadIdx.x + k * 256 + i) & 2047];
        s[k] += v.x + v.y + v.z + v.w;
      }
  else
    for (int i = 0; i < n; ++i)
#pragma unroll
      for (int k = 0; k < 8; ++k) s[k] += there[(threadIdx.x + k * 1024 + i * 32) & 8191];
  c.sync();
  float t = 0;
  for (float x : s) t += x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = t;
}
__global__ void cluster_stores(float* out, int n, int atomics) {
  extern __shared__ __align__(16) float own[];
  auto c = cg::this_cluster();
  c.sync();
  float* there = c.map_shared_rank(own, (c.block_rank() + 1) % c.num_blocks());
  if (atomics)
    for (int i = 0; i < n; ++i) atomicAdd((int*)there + ((threadIdx.x + i * 32) & 8191), 1);
  else
    for (int i = 0; i < n; ++i) there[(threadIdx.x + i * 32) & 8191] = i;
  c.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x];
}
// A token goes around the blocks of a cluster: a block waits at its mbarrier, and then signals the mbarrier of the next block.
__global__ void cluster_signals(int* out, int n) {
  __shared__ __align__(8) u64 bar;
  auto c = cg::this_cluster();
  u32 b = shared_address(&bar), remote;
  if (threadIdx.x == 0) {
    bar_init(b, 1);
    fence_init();
  }
  c.sync();
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(remote)
               : "r"(b), "r"((c.block_rank() + 1) % c.num_blocks()));
  if (threadIdx.x == 0) {
    auto signal = [&] {
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
    };
    if (c.block_rank() == 0) signal();
    for (int i = 0; i < n; ++i) {
      bar_wait(b, i & 1);
      if (i + 1 < n || c.block_rank() != 0) signal();
    }
  }
  c.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}
__global__ void cluster_barriers(int* out, int n) {
  for (int i = 0; i < n; ++i) asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}
// Two warps pass a token back and forth.
__global__ void signals(int* out, int n) {
  __shared__ __align__(8) u64 bars[2];
  if (threadIdx.x == 0) {
    bar_init(shared_address(bars), 1);
    bar_init(shared_address(bars + 1), 1);
  }
  __syncthreads();
  u32 mine = shared_address(bars + threadIdx.x / 32), other = shared_address(bars + (threadIdx.x / 32 ^ 1));
  if (threadIdx.x % 32 == 0) {
    if (threadIdx.x == 32) bar_arrive(other);
    for (int i = 0; i < n; ++i) {
      bar_wait(mine, i & 1);
      if (i + 1 < n || threadIdx.x == 0) bar_arrive(other);
    }
  }
  out[threadIdx.x] = 0;
}

// ---- code that runs once
template <int N>
__global__ void straight(float* out, float x, float y) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
#pragma unroll
  for (int i = 0; i < N / 4; ++i) {
    a = a * x + y;
    b = b * x + y;
    c = c * x + y;
    d = d * x + y;
  }
  out[threadIdx.x] = a + b + c + d;
}
template <int N>
__global__ void straight_dpx(int* out, int x, int y) {
  int a = threadIdx.x;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    a = __vimax3_s32(a, x, y + i);
  }
  out[threadIdx.x] = a;
}

static std::vector<std::pair<std::string, std::function<void()>>> cases;
static char *big, *result;
static const u64 many = (u64)512 << 20;
static char* memory() {
  if (!big) {
    CHECK(cudaMalloc(&big, many));
    CHECK(cudaMemset(big, 0, 1 << 20));
  }
  return big;
}
static char* outcome() {
  if (!result) CHECK(cudaMalloc(&result, 16 << 20));
  return result;
}
static std::string word(const char* f, int a = 0, int b = 0, int c = 0, int d = 0) {
  char t[200];
  snprintf(t, 200, f, a, b, c, d);
  return t;
}
template <typename... P, typename... A>
static void launch(void (*kernel)(P...), int grid, int block, int shared, int cluster, A... arguments) {
  if (shared > 40000) CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  cudaLaunchAttribute a{};
  a.id = cudaLaunchAttributeClusterDimension;
  a.val.clusterDim.x = cluster, a.val.clusterDim.y = a.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = block, config.dynamicSmemBytes = shared, config.attrs = &a,
  config.numAttrs = cluster > 1;
  CHECK(cudaLaunchKernelEx(&config, kernel, P(arguments)...));
}
static CUtensorMap tensor(void* at, int size_x, int size_y, int box_x, int box_y, int swizzle) {
  static decltype(&cuTensorMapEncodeTiled) encode = nullptr;
  cudaDriverEntryPointQueryResult found{};
  if (!encode)
    CHECK(
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void**)&encode, 12000, cudaEnableDefault, &found));
  CUtensorMap m{};
  const cuuint64_t sizes[] = {(cuuint64_t)size_x, (cuuint64_t)size_y}, strides[] = {(cuuint64_t)size_x * 2};
  const cuuint32_t box[] = {(cuuint32_t)box_x, (cuuint32_t)box_y}, steps[] = {1, 1};
  if (encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, at, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
             (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)) {
    printf("no map\n");
    exit(2);
  }
  return m;
}
template <int N>
static void add_straight() {
  for (int threads : {32, 128})
    for (int blocks : {1, 132})
      if (threads == 32 || blocks == 1)
        cases.push_back({word("straight %d threads=%d blocks=%d", N, threads, blocks),
                         [=] { launch(straight<N>, blocks, threads, 0, 1, (float*)outcome(), 1.5f, 2.5f); }});
}
template <int Kind, int Width, int Row, int Left, bool Registers = false>
static void add_products(const char* what, int rounds, int groups = 1, int blocks = 1) {
  cases.push_back({std::string("wgmma ") + what + word(" n=%d row=%d left=%d", Width, Row, Left) +
                       word(" groups=%d blocks=%d rounds=%d", groups, blocks, rounds),
                   [=] {
                     launch(products<Kind, Width, Row, Left, Registers>, blocks, 128 * groups, 20480, 1,
                            (float*)outcome(), rounds);
                   }});
}
static void fill() {
  // bulk loads: sizes with one in flight and one block, L2 (1 MB) and DRAM (512 MB)
  auto bulk = [](int kb, int bytes, int flight, int copies, int blocks) {
    cases.push_back(
        {word("bulk span=%dK bytes=%d flight=%d copies=%d", kb, bytes, flight, copies) + word(" blocks=%d", blocks),
         [=] { launch(bulk_loads, blocks, 32, bytes * flight, 1, memory(), (u64)kb << 10, bytes, flight, copies); }});
  };
  for (int bytes : {16, 128, 1024, 4096, 16384}) bulk(256, bytes, 1, 400, 1);
  for (int bytes : {1024, 4096, 16384, 32768}) bulk(524288, bytes, 1, 400, 1);
  for (int flight : {2, 4, 8, 16}) bulk(256, 1024, flight, 800, 1);
  for (int flight : {2, 4}) {
    bulk(256, 16384, flight, 400, 1);
    bulk(524288, 16384, flight, 400, 1);
  }
  for (int bytes : {1024, 4096, 16384}) {
    bulk(8192, bytes, 4, 400, 132);
    bulk(524288, bytes, 4, 240, 132);
  }
  for (int flight : {1, 2}) {
    bulk(8192, 16384, flight, 200, 132);
    bulk(524288, 16384, flight, 200, 132);
  }
  bulk(8192, 128, 16, 800, 132);
  bulk(8192, 16384, 2, 200, 264);
  for (int bytes : {1024, 16384})
    for (int blocks : {1, 132})
      cases.push_back({word("bulkstore bytes=%d blocks=%d", bytes, blocks),
                       [=] { launch(bulk_stores, blocks, 32, bytes, 1, memory(), (u64)8192 << 10, bytes, 4, 400); }});
  cases.push_back({"bulkstore dram bytes=16384 blocks=132",
                   [=] { launch(bulk_stores, 132, 32, 16384, 1, memory(), many, 16384, 4, 240); }});
  // tensor loads
  auto tma = [](int size_x, int size_y, int box_x, int box_y, int swizzle, int flight, int copies, int blocks,
                int cluster) {
    cases.push_back({word("tma %dx%d box=%dx%d", size_x, size_y, box_x, box_y) +
                         word(" swizzle=%d flight=%d copies=%d", swizzle, flight, copies) +
                         word(" blocks=%d multicast=%d", blocks, cluster),
                     [=] {
                       int rows = box_y / (cluster > 1 ? cluster : 1), bytes = box_x * box_y * 2;
                       CUtensorMap m = tensor(memory(), size_x, size_y, box_x, rows, swizzle);
                       if (cluster > 1)
                         launch(tensor_loads<1>, blocks, 1, bytes * flight, cluster, m, box_x, box_y, size_x, size_y,
                                bytes, flight, copies, bytes / cluster);
                       else
                         launch(tensor_loads<0>, blocks, 32, bytes * flight, 1, m, box_x, box_y, size_x, size_y, bytes,
                                flight, copies, 0);
                     }});
  };
  for (int swizzle : {0, 1, 2, 3}) tma(1024, 1024, 8 << (swizzle ? swizzle : 3), 64, swizzle, 1, 400, 1, 1);
  for (int box : {8, 16, 32, 64, 128, 256}) tma(1024, 1024, box, 64, 0, 1, 400, 1, 1);
  for (int rows : {1, 8, 32, 128, 256}) tma(1024, 1024, 64, rows, 3, 1, 400, 1, 1);
  for (int flight : {2, 4, 8}) tma(1024, 1024, 64, 64, 3, flight, 400, 1, 1);
  tma(16384, 8192, 64, 128, 3, 1, 400, 1, 1);
  tma(16384, 8192, 64, 128, 3, 4, 400, 1, 1);
  for (int flight : {1, 2, 4}) {
    tma(2048, 2048, 64, 128, 3, flight, 200, 132, 1);
    tma(16384, 8192, 64, 128, 3, flight, 200, 132, 1);
  }
  for (int box : {8, 16, 32}) tma(2048, 2048, box, 128, 0, 4, 200, 132, 1);
  for (int cluster : {2, 4}) {
    tma(1024, 1024, 64, 128, 3, 4, 200, cluster, cluster);
    tma(2048, 2048, 64, 128, 3, 4, 200, 132, cluster);
  }
  for (int box : {32, 64})
    for (int blocks : {1, 132})
      cases.push_back({word("tmastore box=%dx64 blocks=%d", box, blocks), [=] {
                         CUtensorMap m = tensor(memory(), 2048, 2048, box, 64, 0);
                         launch(tensor_stores, blocks, 32, box * 128, 1, m, box, 64, 2048, 2048, box * 128, 200);
                       }});
  // wgmma
  add_products<half16, 8, 1, 0>("f16", 500);
  add_products<half16, 8, 16, 0>("f16", 500);
  add_products<half16, 64, 1, 0>("f16", 500);
  add_products<half16, 64, 2, 0>("f16", 500);
  add_products<half16, 64, 4, 0>("f16", 500);
  add_products<half16, 64, 16, 0>("f16", 500);
  add_products<half16, 64, 4, 1>("f16", 500);
  add_products<half16, 64, 1, 1>("f16", 500);
  add_products<half16, 256, 1, 0>("f16", 500);
  add_products<half16, 256, 4, 0>("f16", 500);
  add_products<half16, 256, 4, 1>("f16", 500);
  add_products<byte8, 64, 4, 0>("e4m3", 500);
  add_products<tensor32, 64, 4, 0>("tf32", 500);
  add_products<half16, 64, 4, 0, true>("f16 registers", 500);
  add_products<half16, 64, 1, 0, true>("f16 registers", 500);
  for (int groups : {2, 3, 4}) {
    add_products<half16, 64, 4, 0>("f16", 500, groups);
  }
  for (int groups : {2}) {
    add_products<half16, 256, 4, 0>("f16", 500, groups);
  }
  add_products<half16, 8, 16, 0>("f16", 500, 4);
  add_products<half16, 64, 4, 0>("f16", 500, 1, 528);
  // cp.async
  auto async = [](int bytes, int row, int threads, int blocks, int rounds) {
    cases.push_back({word("cpasync bytes=%d row=%d threads=%d blocks=%d", bytes, row, threads, blocks), [=] {
                       int shared = threads * bytes * 24;
                       if (bytes == 16)
                         launch(copies<16>, blocks, threads, shared, 1, memory(), outcome(), rounds, row, 2048);
                       else if (bytes == 8)
                         launch(copies<8>, blocks, threads, shared, 1, memory(), outcome(), rounds, row, 2048);
                       else
                         launch(copies<4>, blocks, threads, shared, 1, memory(), outcome(), rounds, row, 2048);
                     }});
  };
  for (int row : {16, 32, 64, 128, 256, 512}) async(16, row, 128, 32, 64);
  for (int threads : {32, 64, 256}) async(16, 64, threads, 32, 64);
  for (int bytes : {4, 8})
    for (int row : {32, 128}) async(bytes, row, 128, 32, 64);
  async(16, 64, 128, 132, 64);
  async(16, 64, 128, 1, 64);
  async(16, 128, 128, 132, 64);
  async(16, 128, 256, 264, 32);
  for (int row : {64, 128, 512})
    cases.push_back(
        {word("rowloads row=%d", row), [=] { launch(row_loads, 32, 128, 0, 1, memory(), outcome(), 64, row, 2048); }});
  // local memory
  for (int lines : {1, 2, 4, 8, 16, 32})
    cases.push_back({word("stack lines=%d words=4 threads=512 loadstore", lines),
                     [=] { launch(stacks, 1, 512, 0, 1, (float*)outcome(), 100, lines, 4, 1); }});
  for (int lines : {1, 8, 32})
    cases.push_back({word("stack lines=%d words=4 threads=512 load", lines),
                     [=] { launch(stacks, 1, 512, 0, 1, (float*)outcome(), 100, lines, 4, 0); }});
  for (int lines : {1, 8, 32})
    cases.push_back({word("stack lines=%d words=4 threads=512 store", lines),
                     [=] { launch(stack_stores, 1, 512, 0, 1, (float*)outcome(), 100, lines, 4); }});
  for (int threads : {32, 128})
    for (int stores : {0, 1})
      cases.push_back({word("stack lines=32 words=4 threads=%d stores=%d", threads, stores),
                       [=] { launch(stacks, 1, threads, 0, 1, (float*)outcome(), 100, 32, 4, stores); }});
  for (int words : {1, 16, 64})
    cases.push_back({word("stack lines=32 words=%d threads=128 load", words),
                     [=] { launch(stacks, 1, 128, 0, 1, (float*)outcome(), 400 / words, 32, words, 0); }});
  for (int words : {16, 64})
    cases.push_back({word("stack lines=1 words=%d threads=512 load", words),
                     [=] { launch(stacks, 1, 512, 0, 1, (float*)outcome(), 400 / words, 1, words, 0); }});
  for (int lines : {1, 8, 32})
    cases.push_back({word("stack lines=%d words=4 threads=256 blocks=132", lines),
                     [=] { launch(stacks, 132, 256, 0, 1, (float*)outcome(), 50, lines, 4, 1); }});
  // clusters
  for (int cluster : {1, 2, 4, 8})
    cases.push_back({word("dsmem chain cluster=%d", cluster),
                     [=] { launch(cluster_chain, cluster, 32, 0, cluster, (int*)outcome(), 500); }});
  for (int threads : {32, 128, 256, 1024})
    cases.push_back({word("dsmem loads threads=%d", threads),
                     [=] { launch(cluster_loads, 2, threads, 32768, 2, (float*)outcome(), 50, 0); }});
  for (int threads : {32, 256, 1024})
    cases.push_back({word("dsmem wide threads=%d", threads),
                     [=] { launch(cluster_loads, 2, threads, 32768, 2, (float*)outcome(), 50, 1); }});
  for (int cluster : {1, 4, 8})
    cases.push_back({word("dsmem loads threads=256 cluster=%d", cluster),
                     [=] { launch(cluster_loads, cluster, 256, 32768, cluster, (float*)outcome(), 50, 0); }});
  for (int cluster : {2, 4})
    cases.push_back({word("dsmem loads threads=256 cluster=%d blocks=132", cluster),
                     [=] { launch(cluster_loads, 132, 256, 32768, cluster, (float*)outcome(), 50, 0); }});
  for (int atomics : {0, 1})
    for (int threads : {32, 256, 1024})
      cases.push_back({word("dsmem stores atomics=%d threads=%d", atomics, threads),
                       [=] { launch(cluster_stores, 2, threads, 32768, 2, (float*)outcome(), 200, atomics); }});
  for (int cluster : {1, 2, 4})
    cases.push_back({word("dsmem signals cluster=%d", cluster),
                     [=] { launch(cluster_signals, cluster, 32, 0, cluster, (int*)outcome(), 200); }});
  for (int threads : {32, 128, 512, 1024})
    cases.push_back({word("cluster barriers threads=%d", threads),
                     [=] { launch(cluster_barriers, 2, threads, 0, 2, (int*)outcome(), 100); }});
  cases.push_back({"mbarrier signals", [=] { launch(signals, 1, 64, 0, 1, (int*)outcome(), 500); }});
  // straight code
  add_straight<256>();
  add_straight<1024>();
  add_straight<2048>();
  add_straight<4096>();
  add_straight<8192>();
  cases.push_back({"straight dpx 1024", [=] { launch(straight_dpx<1024>, 1, 32, 0, 1, (int*)outcome(), 5, 7); }});
  cases.push_back({"straight dpx 2048", [=] { launch(straight_dpx<2048>, 1, 32, 0, 1, (int*)outcome(), 5, 7); }});
}
int main(int argc, char** argv) {
  fill();
  const char* only = argc > 1 ? argv[1] : "";
  bool numbered = *only >= '0' && *only <= '9';
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!strcmp(only, "list")) {
      printf("%zu,%s\n", i, cases[i].first.c_str());
      continue;
    }
    if (numbered ? (size_t)atoi(only) != i : cases[i].first.rfind(only, 0) != 0) continue;
    printf("%zu,%s\n", i, cases[i].first.c_str());
    fflush(stdout);
    for (int t = 0; t < (getenv("TWICE") ? 2 : 1); ++t) cases[i].second();
    CHECK(cudaDeviceSynchronize());
  }
}
