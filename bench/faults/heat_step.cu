// One step of the heat equation on a square grid.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int side = 2048;

namespace before {
__global__ void heat_step(const float* old_heat, float* heat) {
  const int y = blockIdx.x * 32 + threadIdx.x, x = blockIdx.y * 8 + threadIdx.y;
  if (x == 0 || y == 0 || x == side - 1 || y == side - 1) return;
  const float* at = old_heat + y * side + x;
  heat[y * side + x] = at[0] + 0.125f * (at[-1] + at[1] + at[-side] + at[side] - 4 * at[0]);
}
}  // namespace before

namespace after {
__global__ void heat_step(const float* old_heat, float* heat) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x == 0 || y == 0 || x == side - 1 || y == side - 1) return;
  const float* at = old_heat + y * side + x;
  heat[y * side + x] = at[0] + 0.125f * (at[-1] + at[1] + at[-side] + at[side] - 4 * at[0]);
}
}  // namespace after

template <class T, class F>
T* filled(int n, F value) {
  std::vector<T> host(n);
  for (int i = 0; i < n; ++i) host[i] = value(i);
  T* device;
  cudaMalloc(&device, n * sizeof(T));
  cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

template <class T>
double checksum(const T* device, int n) {
  std::vector<T> host(n);
  cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += double(host[i]) * (1 + i % 7);
  return sum;
}

int main(int argc, char** argv) {
  const bool is_after = argc > 1 && !strcmp(argv[1], "after");
  float* old_heat = filled<float>(side * side, [](int i) { return i % 37 * 0.5f; });
  float* heat = filled<float>(side * side, [](int) { return 0; });
  if (is_after)
    after::heat_step<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(old_heat, heat);
  else
    before::heat_step<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(old_heat, heat);
  printf("%.3e\n", checksum(heat, side * side));
  return cudaDeviceSynchronize() != cudaSuccess;
}
