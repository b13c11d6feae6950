// Moves particles with eight fields each: position, velocity, mass, charge.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int particles = 270336, fields = 8;

namespace before {
__global__ void move_particles(const float* state, float* x, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = state[i * fields] + dt * state[i * fields + 3];
}
}  // namespace before

namespace after {
__global__ void move_particles(const float* state, float* x, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = state[i] + dt * state[3 * particles + i];
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
  const auto field = [](int i, int k) { return i % 13 * 0.5f + k; };
  float* state = filled<float>(particles * fields, [&](int j) {
    return is_after ? field(j % particles, j / particles) : field(j / fields, j % fields);
  });
  float* x = filled<float>(particles, [](int) { return 0; });
  if (is_after)
    after::move_particles<<<particles / 256, 256>>>(state, x, 0.25f);
  else
    before::move_particles<<<particles / 256, 256>>>(state, x, 0.25f);
  printf("%.3e\n", checksum(x, particles));
  return cudaDeviceSynchronize() != cudaSuccess;
}
