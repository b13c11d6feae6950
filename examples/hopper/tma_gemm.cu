// A product of matrices as Hopper kernels compute it: one warp group copies tiles with TMA into a ring of stages, and CONSUMERS warp
// groups multiply them with wgmma. STAGES, CONSUMERS and IN_FLIGHT (groups of products that are in flight after a round) are macros,
// so that `bankwise tune` can try them.
//     nvcc -O3 -gencode arch=compute_90a,code=sm_90a -DSTAGES=4 -DCONSUMERS=2 tma_gemm.cu -o tma_gemm
//     ./tma_gemm [M N K]        prints the time of a product, and FAIL if the result is wrong
#include <cuda.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef STAGES
#define STAGES 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#ifndef IN_FLIGHT
#define IN_FLIGHT 0
#endif
static_assert(CONSUMERS <= 2, "a multiprocessor has no registers for more groups with 232 each");
static_assert(IN_FLIGHT == 0 || (IN_FLIGHT == 1 && STAGES > 1), "products in flight need a stage of their own");

// A block computes 64 rows for each consumer, and 128 columns. A stage has 64 elements of the inner dimension: a row of 128 bytes.
constexpr int rows = 64 * CONSUMERS, columns = 128, depth = 64;
constexpr int group = 128;  // threads of a warp group
constexpr std::uint32_t bytes_a = rows * depth * sizeof(half), bytes_b = columns * depth * sizeof(half);
constexpr std::uint32_t stage_bytes = bytes_a + bytes_b;
constexpr std::uint32_t shared_bytes = STAGES * stage_bytes + 1024;  // TMA's swizzle needs tiles that begin at multiples of 1,024

__device__ void init(std::uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"((std::uint32_t)__cvta_generic_to_shared(barrier)), "r"(arrivals));
}
__device__ void expect(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((std::uint32_t)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
__device__ void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((std::uint32_t)__cvta_generic_to_shared(barrier)) : "memory");
}
__device__ void wait(std::uint64_t* barrier, int parity) {
  std::uint32_t done = 0;
  while (!done)
    asm volatile(
        "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
        : "=r"(done)
        : "r"((std::uint32_t)__cvta_generic_to_shared(barrier)), "r"(parity)
        : "memory");
}
__device__ void copy_tile(const CUtensorMap& map, int x, int y, std::uint32_t to, std::uint64_t* barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
               "l"(&map), "r"(x), "r"(y), "r"((std::uint32_t)__cvta_generic_to_shared(barrier))
               : "memory");
}
// A tile of rows of 128 bytes with the swizzle of 128 bytes: 1,024 bytes from eight rows to the next eight.
__device__ std::uint64_t descriptor(std::uint32_t tile) {
  return (tile & 0x3ffff) >> 4 | std::uint64_t{1} << 16 | std::uint64_t{64} << 32 | std::uint64_t{1} << 62;
}
__device__ void multiply(float (&d)[64], std::uint64_t a, std::uint64_t b, int add) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
      "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63},"
      " %64, %65, p, 1, 1, 0, 0;}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]),
        "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]),
        "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),
        "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]),
        "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]),
        "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
      : "l"(a), "l"(b), "r"(add));
}

__global__ void __launch_bounds__(group*(CONSUMERS + 1), 1)
    gemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, float* c, int n, int k) {
  extern __shared__ unsigned char memory[];
  __shared__ std::uint64_t full[STAGES], empty[STAGES];
  const std::uint32_t tiles = ((std::uint32_t)__cvta_generic_to_shared(memory) + 1023) & ~1023u;
  const int row = blockIdx.y * rows, column = blockIdx.x * columns, steps = k / depth;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; ++s) {
      init(&full[s], 1);
      init(&empty[s], CONSUMERS);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();

  if (threadIdx.x < group) {  // the producer
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0)
      for (int step = 0; step < steps; ++step) {
        const int s = step % STAGES;
        wait(&empty[s], step / STAGES % 2 ^ 1);
        expect(&full[s], stage_bytes);
        copy_tile(map_a, step * depth, row, tiles + s * stage_bytes, &full[s]);
        copy_tile(map_b, step * depth, column, tiles + s * stage_bytes + bytes_a, &full[s]);
      }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  const int consumer = threadIdx.x / group - 1, thread = threadIdx.x % group;
  float sum[64];
  for (int step = 0; step < steps; ++step) {
    const int s = step % STAGES;
    wait(&full[s], step / STAGES % 2);
    const std::uint32_t a = tiles + s * stage_bytes + consumer * 64 * depth * sizeof(half), b = tiles + s * stage_bytes + bytes_a;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int part = 0; part < depth; part += 16)
      multiply(sum, descriptor(a + part * sizeof(half)), descriptor(b + part * sizeof(half)), step > 0 || part > 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(IN_FLIGHT) : "memory");
    if (thread == 0 && step >= IN_FLIGHT) arrive(&empty[(step - IN_FLIGHT) % STAGES]);
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  float* to = c + (row + consumer * 64 + thread / 32 * 16 + thread % 32 / 4) * (std::size_t)n + column + thread % 4 * 2;
#pragma unroll
  for (int i = 0; i < 64; i += 4) {
    *reinterpret_cast<float2*>(to + i * 2) = make_float2(sum[i], sum[i + 1]);
    *reinterpret_cast<float2*>(to + 8 * (std::size_t)n + i * 2) = make_float2(sum[i + 2], sum[i + 3]);
  }
}

#define CHECK(call)                                                             \
  do {                                                                          \
    if (const auto error = (call); error) {                                     \
      std::printf("%s:%d: error %d\nFAIL\n", __FILE__, __LINE__, (int)error); \
      std::exit(1);                                                             \
    }                                                                           \
  } while (0)

// cuTensorMapEncodeTiled of the driver, so that the program needs no -lcuda.
static auto encode() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
}

static CUtensorMap map_of(half* data, int height, int width, int box_height) {
  CUtensorMap map;
  const cuuint64_t size[] = {(cuuint64_t)width, (cuuint64_t)height}, pitch[] = {width * sizeof(half)};
  const cuuint32_t box[] = {depth, (cuuint32_t)box_height}, step[] = {1, 1};
  CHECK(encode()(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data, size, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return map;
}

int main(int argc, char** argv) {
  const int m = argc > 3 ? std::atoi(argv[1]) : 1024, n = argc > 3 ? std::atoi(argv[2]) : 1024, k = argc > 3 ? std::atoi(argv[3]) : 1024;
  if (m < 1 || n < 1 || k < 1 || m % rows || n % columns || k % depth) {
    std::printf("M must be a multiple of %d, N of %d, K of %d\n", rows, columns, depth);
    return 2;
  }
  std::vector<half> a(std::size_t{1} * m * k), b(std::size_t{1} * n * k);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = __float2half(int(i * 7 % 13) - 6);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = __float2half(int(i * 5 % 11) - 5);
  half *device_a, *device_b;
  float* c;
  CHECK(cudaMalloc(&device_a, a.size() * sizeof(half)));
  CHECK(cudaMalloc(&device_b, b.size() * sizeof(half)));
  CHECK(cudaMalloc(&c, sizeof(float) * m * n));
  CHECK(cudaMemcpy(device_a, a.data(), a.size() * sizeof(half), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_b, b.data(), b.size() * sizeof(half), cudaMemcpyHostToDevice));
  const CUtensorMap map_a = map_of(device_a, m, k, rows), map_b = map_of(device_b, n, k, columns);
  CHECK(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  float best = 1e9f;
  for (int round = 0; round < 5; ++round) {
    CHECK(cudaEventRecord(begin));
    gemm<<<dim3(n / columns, m / rows), group*(CONSUMERS + 1), shared_bytes>>>(map_a, map_b, c, n, k);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    best = std::fmin(best, milliseconds);
  }
  std::vector<float> result(std::size_t{1} * m * n);
  CHECK(cudaMemcpy(result.data(), c, result.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4096; ++i) {
    const std::size_t y = i * 37 % m, x = (std::size_t)i * 101 % n;
    float sum = 0;
    for (int j = 0; j < k; ++j) sum += __half2float(a[y * k + j]) * __half2float(b[x * k + j]);
    if (sum != result[y * n + x]) {
      std::printf("c[%zu][%zu] is %g instead of %g\nFAIL\n", y, x, result[y * n + x], sum);
      return 1;
    }
  }
  std::printf("%d x %d x %d: %.1f us, %.0f TFLOP/s\n", m, n, k, best * 1e3, 2e-9 * m * n * k / best);
}
