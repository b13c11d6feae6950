// Counts the classes of pixels with one set of counters per thread.
#include "host.cuh"

constexpr int blocks = 528, threads = 256, classes = 16, each = 32;

namespace before {
__global__ void count_classes(const unsigned char* pixel, int* counts) {
  constexpr int pitch = classes;
  __shared__ int counter[threads * pitch];
  const int t = threadIdx.x;
  for (int i = t; i < threads * pitch; i += threads) counter[i] = 0;
  __syncthreads();
  for (int k = 0; k < each; ++k) {
    const int c = pixel[(blockIdx.x * each + k) * threads + t];
    ++counter[t * pitch + c];
  }
  __syncthreads();
  int sum = 0;
  for (int k = t / classes; k < threads; k += threads / classes) sum += counter[k * pitch + t % classes];
  counts[blockIdx.x * threads + t] = sum;
}
}  // namespace before

namespace after {
__global__ void count_classes(const unsigned char* pixel, int* counts) {
  constexpr int pitch = classes + 1;
  __shared__ int counter[threads * pitch];
  const int t = threadIdx.x;
  for (int i = t; i < threads * pitch; i += threads) counter[i] = 0;
  __syncthreads();
  for (int k = 0; k < each; ++k) {
    const int c = pixel[(blockIdx.x * each + k) * threads + t];
    ++counter[t * pitch + c];
  }
  __syncthreads();
  int sum = 0;
  for (int k = t / classes; k < threads; k += threads / classes) sum += counter[k * pitch + t % classes];
  counts[blockIdx.x * threads + t] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  unsigned char* pixel = filled<unsigned char>(blocks * threads * each, [](int i) { return i / 64 * 5 % classes; });
  int* counts = filled<int>(blocks * threads, [](int) { return 0; });
  if (is_after)
    after::count_classes<<<blocks, threads>>>(pixel, counts);
  else
    before::count_classes<<<blocks, threads>>>(pixel, counts);
  return print_sum(counts, blocks * threads);
}
