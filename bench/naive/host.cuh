// What the programs of this folder have in common: random inputs that are the same in each run, and a checksum of the
// result. A kernel may add its floats in another order, but a value at a wrong place changes the checksum.
#pragma once

#include <type_traits>

#include "../faults/host.cuh"

// A random number for i.
inline unsigned mixed(unsigned i) {
  i = (i ^ i >> 16) * 0x7feb352du;
  i = (i ^ i >> 15) * 0x846ca68bu;
  return i ^ i >> 16;
}

// A random value from -1 to 1 for i.
inline float noise(int i) { return int(mixed(i)) * (1 / 2147483648.0f); }

// Prints the sum of n elements on the device with random signs: exactly if they are integers, otherwise with a few
// digits. Returns the exit status of the program.
template <class T>
int print_checksum(const T* device, int n) {
  std::vector<T> host(n);
  cudaError_t failed = cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
  if (failed == cudaSuccess) failed = cudaGetLastError();
  if (failed != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(failed));
    return 1;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += mixed(~i) & 1 ? double(host[i]) : -double(host[i]);
  printf(std::is_integral_v<T> ? "%.0f\n" : "%.3e\n", sum);
  return 0;
}
