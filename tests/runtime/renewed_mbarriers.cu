// All warps of a block wait at an mbarrier. The first warp that finds the phase complete initialises the mbarrier again
// for the next round, before the other warps have found it complete. On a GPU, they all wake when the phase completes.
#include <cstdio>
constexpr int threads = 192, rounds = 3;
enum class wait { plain, sleeps, reads_clock };

__device__ bool is_complete(unsigned mbarrier) {
  unsigned done;
  asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
               : "=r"(done)
               : "r"(mbarrier)
               : "memory");
  return done != 0;
}

template <wait how>
__global__ void meets_in_rounds(int* out, unsigned long long* clocks) {
  __shared__ alignas(8) unsigned long long word;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&word));
  int passed = 0;
  for (int round = 1; round <= rounds; ++round) {
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(round * threads) : "memory");
    __syncthreads();
    asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0], %1;}" ::"r"(at), "r"(round) : "memory");
    if (how == wait::reads_clock) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(clocks[threadIdx.x])::"memory");
    for (int looks = 1; !is_complete(at); ++looks)
      if (how == wait::sleeps && looks > 1) __nanosleep(20);
    ++passed;
  }
  out[threadIdx.x] = passed;
}

template <wait how>
void run(const char* name) {
  int *out, passed[threads] = {}, right = 0;
  unsigned long long* clocks;
  cudaMalloc(&out, sizeof passed);
  cudaMalloc(&clocks, threads * sizeof *clocks);
  meets_in_rounds<how><<<1, threads>>>(out, clocks);
  const cudaError_t error = cudaMemcpy(passed, out, sizeof passed, cudaMemcpyDeviceToHost);
  for (const int p : passed) right += p == rounds;
  printf("%s: %s, %d threads passed all rounds\n", name, cudaGetErrorName(error), right);
}

int main(int argc, char** argv) {
  switch (argc > 1 ? argv[1][0] : 'p') {
    case 's': return run<wait::sleeps>("sleeps"), 0;
    case 'c': return run<wait::reads_clock>("reads the clock"), 0;
    default: return run<wait::plain>("plain"), 0;
  }
}
