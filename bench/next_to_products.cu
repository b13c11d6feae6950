// What other warps of a quarter of the multiprocessor pay while a wgmma runs in it.
//
//     nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a -o next_to_products bench/next_to_products.cu && ./next_to_products
//
// Prints a CSV row for each case: the work of the other warp, the products, and clocks for each of its instructions.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

enum class work { fma, mul, add, integers, maximum, special, moves };
enum class product { none, n64, n256, n64_registers };

__device__ std::uint64_t descriptor(const void* at) {
  const auto address = static_cast<std::uint64_t>(__cvta_generic_to_shared(at));
  return (address & 0x3ffff) >> 4 | std::uint64_t{8} << 16 | std::uint64_t{16} << 32;
}

template <int Count>
struct sums {
  float x[Count];
};

// 16 sums as operands
#define F16(s, i)                                                                                                   \
  "+f"(s.x[i]), "+f"(s.x[i + 1]), "+f"(s.x[i + 2]), "+f"(s.x[i + 3]), "+f"(s.x[i + 4]), "+f"(s.x[i + 5]),           \
      "+f"(s.x[i + 6]), "+f"(s.x[i + 7]), "+f"(s.x[i + 8]), "+f"(s.x[i + 9]), "+f"(s.x[i + 10]), "+f"(s.x[i + 11]), \
      "+f"(s.x[i + 12]), "+f"(s.x[i + 13]), "+f"(s.x[i + 14]), "+f"(s.x[i + 15])
__device__ void multiply(sums<32>& s, std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "{wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,"
      "%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;}"
      : F16(s, 0), F16(s, 16)
      : "l"(a), "l"(b));
}
__device__ void multiply_registers(sums<32>& s, const unsigned (&a)[4], std::uint64_t b) {
  asm volatile(
      "{wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,"
      "%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, {%32,%33,%34,%35}, %36, 1, 1, 1, 0;}"
      : F16(s, 0), F16(s, 16)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
__device__ void multiply(sums<128>& s, std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "{wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,"
      "%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,"
      "%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,"
      "%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,"
      "%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,"
      "%123,%124,%125,%126,%127}, %128, %129, 1, 1, 1, 0, 0;}"
      : F16(s, 0), F16(s, 16), F16(s, 32), F16(s, 48), F16(s, 64), F16(s, 80), F16(s, 96), F16(s, 112)
      : "l"(a), "l"(b));
}
__device__ void begin_group() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void end_group() {
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

constexpr int chains = 16, rounds = 64;

template <work Of>
__device__ float do_work(float seed) {
  float x[chains], y[chains], z[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) x[i] = seed + i, y[i] = seed * i, z[i] = seed - i;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int times = 0; times < 4; ++times)
#pragma unroll
      for (int i = 0; i < chains; ++i) {
        if constexpr (Of == work::fma) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i]) : "f"(y[i]), "f"(z[i]));
        if constexpr (Of == work::mul) asm volatile("mul.f32 %0, %0, %1;" : "+f"(x[i]) : "f"(y[i]));
        if constexpr (Of == work::add) asm volatile("add.f32 %0, %0, %1;" : "+f"(x[i]) : "f"(y[i]));
        if constexpr (Of == work::maximum) asm volatile("max.f32 %0, %0, %1;" : "+f"(x[i]) : "f"(y[i]));
        if constexpr (Of == work::integers)
          asm volatile("xor.b32 %0, %0, %1;"
                       : "+r"(*reinterpret_cast<int*>(&x[i]))
                       : "r"(*reinterpret_cast<int*>(&y[i])));
        if constexpr (Of == work::special) asm volatile("ex2.approx.f32 %0, %0;" : "+f"(x[i]));
        if constexpr (Of == work::moves) asm volatile("mul.f32 %0, %0, 0f3F800001;" : "+f"(x[i]));
      }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < chains; ++i) sum += x[i] + y[i] + z[i];
  return sum;
}

// Warps 0 to 3 multiply until warps 4 to 7, one in each quarter, have done their work.
template <work Of, product By>
__global__ void __launch_bounds__(256, 1) next_to(float* out, long long* clocks, float seed) {
  __shared__ alignas(1024) char tiles[65536 / 2];
  __shared__ volatile int ended;
  if (threadIdx.x == 0) ended = 0;
  for (int i = threadIdx.x; i < 8192; i += 256) reinterpret_cast<int*>(tiles)[i] = 0;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x < 128) {
    if constexpr (By != product::none) {
      sums<By == product::n256 ? 128 : 32> s{};
      const unsigned a[4]{};
      const std::uint64_t left = descriptor(tiles), right = descriptor(tiles + 8192);
      while (ended < 4) {
        begin_group();
#pragma unroll
        for (int i = 0; i < 16; ++i) {
          if constexpr (By == product::n64_registers)
            multiply_registers(s, a, right);
          else
            multiply(s, left, right);
        }
        end_group();
      }
      for (float x : s.x) out[threadIdx.x] += x;
    }
  } else {
    do_work<Of>(seed);
    const long long from = clock64();
    const float sum = do_work<Of>(seed + 1);
    const long long to = clock64();
    out[threadIdx.x] = sum;
    if (threadIdx.x % 32 == 0) {
      clocks[threadIdx.x / 32 - 4] = to - from;
      atomicAdd(const_cast<int*>(&ended), 1);
    }
  }
}

void require(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
  std::exit(1);
}

float* out;
long long* clocks;

template <work Of, product By>
void run_next_to(const char* name) {
  double least = 1e9;
  for (int i = 0; i < 5; ++i) {
    next_to<Of, By><<<1, 256>>>(out, clocks, 1.f);
    require(cudaDeviceSynchronize());
    for (int n = 0; n < 4; ++n) least = std::min(least, static_cast<double>(clocks[n]));
  }
  std::printf("%s,%.3f\n", name, least / (rounds * 4 * chains));
}
template <work Of>
void run_work(const std::string& name) {
  run_next_to<Of, product::none>((name + ",none").c_str());
  run_next_to<Of, product::n64>((name + ",n64").c_str());
  run_next_to<Of, product::n256>((name + ",n256").c_str());
  run_next_to<Of, product::n64_registers>((name + ",n64 with A in registers").c_str());
}

}  // namespace

int main() {
  require(cudaMallocManaged(&out, 4096));
  require(cudaMallocManaged(&clocks, 4096));
  std::printf("work,products,clocks\n");
  run_work<work::fma>("fma");
  run_work<work::mul>("mul");
  run_work<work::add>("add");
  run_work<work::maximum>("max");
  run_work<work::integers>("xor");
  run_work<work::special>("ex2");
  run_work<work::moves>("mul by a constant");
}
