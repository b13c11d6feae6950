// A program that measures kernels as Triton's do_bench does: it estimates how long a launch takes, and then measures as many launches as
// fit into a time, each after a memset of 256 MB, and takes the median. It prints what the results have in common with those on a GPU,
// and no times. Used by own_times.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

__global__ void add(float* to, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = a[i] + b[i];
}

float elapsed(cudaEvent_t from, cudaEvent_t to) {
  float ms = -1;
  cudaEventElapsedTime(&ms, from, to);
  return ms;
}

struct measured {
  double microseconds = 0;
  int runs = 0;
};
measured do_bench(const std::function<void()>& work, double warmup = 25, double rep = 100) {
  work();
  cudaDeviceSynchronize();
  const std::size_t cache_bytes = 256 << 20;
  void* cache;
  cudaMalloc(&cache, cache_bytes);
  const auto clear = [&] { cudaMemsetAsync(cache, 0, cache_bytes); };
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  cudaEventRecord(begin);
  for (int i = 0; i < 5; ++i) clear(), work();
  cudaEventRecord(end);
  cudaDeviceSynchronize();
  const double estimate = elapsed(begin, end) / 5;
  const int warmups = std::max(1, int(warmup / estimate)), runs = std::max(1, int(rep / estimate));
  std::vector<cudaEvent_t> begins(runs), ends(runs);
  for (int i = 0; i < runs; ++i) cudaEventCreate(&begins[i]), cudaEventCreate(&ends[i]);
  for (int i = 0; i < warmups; ++i) work();
  for (int i = 0; i < runs; ++i) {
    clear();
    cudaEventRecord(begins[i]);
    work();
    cudaEventRecord(ends[i]);
  }
  cudaDeviceSynchronize();
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) times.push_back(elapsed(begins[i], ends[i]) * 1000);
  std::sort(times.begin(), times.end());
  cudaFree(cache);
  return {times[times.size() / 2], runs};
}

void tell(const char* what, bool is_so, double x) {
  std::printf("%-60s %s\n", what, is_so ? "yes" : "no");
  if (std::getenv("SHOW_TIMES") != nullptr) std::printf("    %g\n", x);
}
bool between(double x, double least, double most) { return x >= least && x <= most; }

int main() {
  const int n = 1 << 20;
  float *a, *b, *c;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&c, n * 4);
  const auto work = [&] { add<<<n / 256, 256>>>(c, a, b, n); };
  // While it clears, the host calls the launches, so the device does not wait for it. The first launch finds nothing in L2, and the next ones all.
  void* other;
  cudaMalloc(&other, 256 << 20);
  std::vector<cudaEvent_t> events(6);
  for (cudaEvent_t& e : events) cudaEventCreate(&e);
  work();
  cudaMemsetAsync(other, 0, 256 << 20);
  cudaEventRecord(events[0]);
  for (int i = 1; i < 6; ++i) work(), cudaEventRecord(events[i]);
  cudaDeviceSynchronize();
  const double first = elapsed(events[0], events[1]) * 1000, last = elapsed(events[4], events[5]) * 1000;
  const measured cold = do_bench(work);
  const double ratio = cold.microseconds / last;
  tell("the clear is not counted: 12 MB take 5 to 15 us", between(cold.microseconds, 5, 15), cold.microseconds);
  tell("the first launch after a clear takes this time", between(cold.microseconds / first, 0.95, 1.05), first);
  tell("without the clear, a launch takes less time", between(ratio, 1.05, 3), ratio);
  tell("100 ms have room for 500 to 2000 launches and clears", between(cold.runs, 500, 2000), cold.runs);
}
