// Finds the position of a key in each column of a table.
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int columns = 16896, depth = 64;

namespace before {
__global__ void find_keys(const int* table, int* found, int key) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int k = 0;
  while (k < depth && table[k * columns + t] != key) ++k;
  found[t] = k;
}
}  // namespace before

namespace after {
__global__ void find_keys(const int* table, int* found, int key) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int k = 0;
  for (; k < depth; k += 4) {
    int four[4], first = 4;
    for (int j = 0; j < 4; ++j) four[j] = table[(k + j) * columns + t];
    for (int j = 3; j >= 0; --j) first = four[j] == key ? j : first;
    if (first < 4) {
      k += first;
      break;
    }
  }
  found[t] = k;
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
  int* table =
      filled<int>(columns * depth, [](int i) { return i / columns == 48 + i % columns / 64 % 13 ? 7 : i % 5; });
  int* found = filled<int>(columns, [](int) { return 0; });
  if (is_after)
    after::find_keys<<<columns / 64, 64>>>(table, found, 7);
  else
    before::find_keys<<<columns / 64, 64>>>(table, found, 7);
  printf("%.3e\n", checksum(found, columns));
  return cudaDeviceSynchronize() != cudaSuccess;
}
