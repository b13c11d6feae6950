// A program whose kernels read clocks: clock64(), clock(), %globaltimer, __nanosleep(). It prints what the clocks have in common with those
// of an H100, and no times. Used by own_clocks.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using number = unsigned long long;

__device__ number nanoseconds() {
  number t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)::"memory");
  return t;
}
// Follows a chain of loads, and measures its last round.
__global__ void chase(const unsigned* next, int loads, int rounds, unsigned* end, long long* clocks) {
  for (int round = 0; round < rounds; ++round) {
    unsigned at = 0;
    const long long from = clock64();
    for (int i = 0; i < loads; ++i) at = next[at];
    *end = at;
    if (at == 0xffffffff) return;
    *clocks = clock64() - from;
  }
}
__global__ void chase_shared(int loads, unsigned* end, long long* clocks) {
  __shared__ unsigned next[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) next[i] = (i + 33) % 1024;
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned at = 0;
  const unsigned from = clock();
  for (int i = 0; i < loads; ++i) at = next[at];
  *end = at;
  if (at == 0xffffffff) return;
  *clocks = (unsigned)clock() - from;
}
// Multiplies and adds in four chains, from all warps of a block.
__global__ void multiply(int rounds, float* end, long long* clocks) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  __syncthreads();
  const long long from = clock64();
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) a = a * 1.5f + 1, b = b * 1.5f + 1, c = c * 1.5f + 1, d = d * 1.5f + 1;
  if (a + b + c + d == 12345) *end = a;
  const long long took = clock64() - from;
  __syncthreads();
  if (threadIdx.x == 0) *clocks = took;
}
__global__ void wait_clocks(long long clocks) {
  const long long from = clock64();
  while (clock64() - from < clocks) {
  }
}
__global__ void wait_time(number time, number* seen) {
  const number from = nanoseconds();
  while (nanoseconds() - from < time) {
  }
  if (threadIdx.x == 0) seen[0] = from, seen[1] = nanoseconds();
}
__global__ void sleep(unsigned time, int times) {
  for (int i = 0; i < times; ++i) __nanosleep(time);
}
__global__ void now(number* to) { *to = nanoseconds(); }
// A use of the clock as a seed.
__global__ void seed(unsigned* to) { to[threadIdx.x] = (unsigned)clock64() * 2654435761u + threadIdx.x; }

cudaEvent_t from, to;
template <class Work>
double microseconds(Work work) {
  cudaEventRecord(from);
  work();
  cudaEventRecord(to);
  cudaEventSynchronize(to);
  float ms = -1;
  cudaEventElapsedTime(&ms, from, to);
  return ms * 1000;
}
void tell(const char* what, bool is_so, double x = 0) {
  std::printf("%-60s %s\n", what, is_so ? "yes" : "no");
  if (std::getenv("SHOW_TIMES") != nullptr) std::printf("    %g\n", x);
}
bool between(double x, double least, double most) { return x >= least && x <= most; }

double clocks_of_load(unsigned* next, std::size_t bytes, int loads, int rounds) {
  const std::size_t n = bytes / 4, step = 32 * 101;  // a prime number of lines
  std::vector<unsigned> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = (i + step) % n;
  cudaMemcpy(next, order.data(), bytes, cudaMemcpyHostToDevice);
  static long long* clocks = nullptr;
  static unsigned* end = nullptr;
  if (clocks == nullptr) cudaMalloc(&clocks, 8), cudaMalloc(&end, 4);
  chase<<<1, 1>>>(next, loads, rounds, end, clocks);
  long long all = 0;
  cudaMemcpy(&all, clocks, 8, cudaMemcpyDeviceToHost);
  return double(all) / loads;
}

int main() {
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  unsigned* next;
  number* seen;
  long long* clocks;
  float* end;
  cudaMalloc(&next, 128 << 20);
  cudaMalloc(&seen, 64);
  cudaMalloc(&clocks, 8);
  cudaMalloc(&end, 4);
  const auto value = [](const auto* at) {
    std::decay_t<decltype(*at)> v;
    cudaMemcpy(&v, at, sizeof v, cudaMemcpyDeviceToHost);
    return v;
  };

  const double l1 = clocks_of_load(next, 64 << 10, 512, 2), l2 = clocks_of_load(next, 4 << 20, 10000, 2),
               dram = clocks_of_load(next, 128 << 20, 10000, 1);
  tell("a load from L1 takes 33 to 45 clocks", between(l1, 33, 45), l1);
  tell("a load from L2 takes 260 to 320 clocks", between(l2, 260, 320), l2);
  tell("a load from DRAM takes 600 to 900 clocks", between(dram, 600, 900), dram);
  chase_shared<<<1, 256>>>(1000, next, clocks);
  const double shared = value(clocks) / 1000.0;
  tell("a load from shared memory takes 23 to 35 clocks", between(shared, 23, 35), shared);
  multiply<<<1, 32>>>(4096, end, clocks);
  const double alone = 4 * 4096 * 32.0 / value(clocks);
  multiply<<<1, 1024>>>(4096, end, clocks);
  const double together = 4 * 4096 * 1024.0 / value(clocks);
  tell("a warp multiplies and adds 15 to 32 floats per clock", between(alone, 15, 32), alone);
  tell("32 warps multiply and add 100 to 128 floats per clock", between(together, 100, 128), together);

  const double clock_rate = 1980;
  wait_clocks<<<1, 1>>>(1);  // the first launch of a kernel loads its code
  wait_time<<<1, 1>>>(1, seen);
  for (const double million : {0.1, 10.0, 1000.0}) {
    const double us = microseconds([&] { wait_clocks<<<1, 1>>>(static_cast<long long>(million * 1e6)); });
    const double wanted = million * 1e6 / clock_rate;
    tell("a wait for some clocks takes this time, and not much more", between(us, wanted, wanted * 1.01 + 7), us / wanted);
  }
  cudaStream_t streams[4];
  for (cudaStream_t& s : streams) cudaStreamCreate(&s);
  const double one = microseconds([] { wait_clocks<<<1, 32>>>(2000000); }), four = microseconds([&] {
                 for (const cudaStream_t s : streams) wait_clocks<<<1, 32, 0, s>>>(2000000);
               });
  tell("four waiting kernels overlap on four streams", between(four / one, 0.99, 1.1), four / one);
  const int most_shared = 200 << 10;  // a multiprocessor has room for one block
  cudaFuncSetAttribute(wait_clocks, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared);
  const double waves = microseconds([&] { wait_clocks<<<3 * 132, 32, most_shared>>>(100000); }) * clock_rate / 100000;
  tell("blocks that do not fit wait for others", between(waves, 3, 3.5), waves);
  const double slept = microseconds([] { sleep<<<1, 32>>>(2000, 50); }), longer = microseconds([] {
                 sleep<<<1, 32>>>(20000, 50);
               });
  tell("50 sleeps of 2 us take 100 to 120 us", between(slept, 100, 120), slept);
  tell("50 sleeps of 20 us take 1,000 to 1,020 us", between(longer, 1000, 1020), longer);

  now<<<1, 1>>>(seen + 2);
  const double waited = microseconds([&] { wait_time<<<1, 64>>>(500000, seen); });
  now<<<1, 1>>>(seen + 3);
  const number before = value(seen + 2), begin = value(seen), ended = value(seen + 1), after = value(seen + 3);
  tell("a wait for 500 us takes 500 to 510 us", between(waited, 500, 510), waited);
  tell("the timer continues from launch to launch", before < begin && begin + 500000 <= ended && ended <= after);
  tell("the timer shows the time between launches", between(double(after - before) / 1000, 500, 560), double(after - before));

  seed<<<1, 64>>>(next);
  const unsigned first = value(next), second = value(next + 1);
  seed<<<1, 64>>>(next);
  tell("threads and launches have different seeds", first != second && first != value(next));
}
