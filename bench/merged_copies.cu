// Copies the same data to the shared memory of several multiprocessors, and prints a row for each launch: which blocks copy the same
// tiles, and how many tiles or clocks later each of them copies. The sectors that L2 gets show which requests are merged.
//     nvcc -O3 -arch=sm_90a merged_copies.cu -o merged_copies
//     ncu --cache-control none --metrics gpc__cycles_elapsed.max,lts__t_sectors_srcunit_tex.sum ./merged_copies
// Each row is launched twice, and only the second launch counts: its data are in L2.
#include <cstdint>
#include <cstdio>

constexpr int blocks = 132, flight = 4, bytes = 16384, tiles = 8, copies = 256;

__device__ std::uint32_t shared(const void* p) { return static_cast<std::uint32_t>(__cvta_generic_to_shared(p)); }
__device__ void copy(std::uint32_t to, const char* from, std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(barrier)), "n"(bytes) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "n"(bytes), "r"(shared(barrier))
               : "memory");
}
__device__ void wait(std::uint64_t* barrier, int parity) {
  std::uint32_t done = 0;
  while (!done)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(shared(barrier)), "r"(parity)
                 : "memory");
}

// Blocks `together` next to each other copy the same tiles, or each `apart`th block does. The one with rank r among them begins
// r * `later` clocks later, and r * `skipped` tiles ahead.
__global__ void copied(const char* data, int together, int apart, int skipped, int later) {
  extern __shared__ __align__(1024) char buffer[];
  __shared__ std::uint64_t full[flight];
  const int number = blockIdx.x, set = apart ? number % apart : number / together, rank = apart ? number / apart : number % together;
  for (int i = 0; i < flight; ++i) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(full + i)));
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  constexpr int all_have_begun = 3000;
  for (const long long start = clock64(); clock64() - start < all_have_begun + later * rank;) {
  }
  const auto next = [&](int n) {
    copy(shared(buffer + n % flight * bytes), data + (std::size_t{bytes} * tiles) * set + (n + skipped * rank) % tiles * bytes,
         full + n % flight);
  };
  for (int n = 0; n < flight; ++n) next(n);
  for (int n = 0; n < copies; ++n) {
    wait(full + n % flight, n / flight % 2);
    if (n + flight < copies) next(n + flight);
  }
}

int main() {
  char* data = nullptr;
  if (cudaMalloc(&data, std::size_t{blocks} * tiles * bytes) != cudaSuccess) return std::puts("no memory"), 1;
  cudaMemset(data, 0, std::size_t{blocks} * tiles * bytes);
  constexpr int shared_bytes = 200'000;  // so that each multiprocessor has one block
  cudaFuncSetAttribute(copied, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  constexpr int rows[][4] = {{1, 0, 0, 0},   {2, 0, 0, 0},  {3, 0, 0, 0},  {4, 0, 0, 0},  {6, 0, 0, 0},   {8, 0, 0, 0},
                             {16, 0, 0, 0},  {32, 0, 0, 0}, {66, 0, 0, 0}, {132, 0, 0, 0}, {0, 66, 0, 0}, {0, 33, 0, 0},
                             {0, 16, 0, 0},  {0, 8, 0, 0},  {0, 4, 0, 0},  {0, 2, 0, 0},  {2, 0, 1, 0},   {8, 0, 1, 0},
                             {132, 0, 1, 0}, {2, 0, 0, 50}, {2, 0, 0, 100}, {2, 0, 0, 200}, {2, 0, 0, 400}, {2, 0, 0, 800}};
  for (const auto& [together, apart, skipped, later] : rows) {
    for (int n = 0; n < 2; ++n) copied<<<blocks, 1, shared_bytes>>>(data, together, apart, skipped, later);
    if (cudaDeviceSynchronize() != cudaSuccess) return std::puts("a launch failed"), 1;
    std::printf("%d,%d,%d,%d\n", together, apart, skipped, later);
  }
}
