// Exclusive prefix sums of 1M integers: a launch for each distance 1, 2, 4, ... (Hillis and Steele) in global memory.
#include <utility>

#include "host.cuh"

__global__ void shift(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i > 0 ? in[i - 1] : 0;
}

__global__ void add_distant(const int* in, int* out, int n, int distance) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i >= distance ? in[i] + in[i - distance] : in[i];
}

int main() {
  const int n = 1 << 20;
  int* in = filled<int>(n, [](int i) { return int(mixed(i) % 1000); });
  int* out = filled<int>(n, [](int) { return 0; });
  int* scratch = filled<int>(n, [](int) { return 0; });
  int blocks = (n + 255) / 256;
  shift<<<blocks, 256>>>(in, out, n);
  for (int distance = 1; distance < n; distance *= 2) {
    add_distant<<<blocks, 256>>>(out, scratch, n, distance);
    std::swap(out, scratch);
  }
  return print_checksum(out, n);
}
