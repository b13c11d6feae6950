// What the programs of this folder have in common: arrays on the device, and a result that tells whether two kernels
// compute the same.
#pragma once

#include <cstdio>
#include <cstring>
#include <vector>

// Makes an array of n elements on the device, with value(i) at i.
template <class T, class F>
T* filled(int n, F value) {
  std::vector<T> host(n);
  for (int i = 0; i < n; ++i) host[i] = value(i);
  T* device;
  cudaMalloc(&device, n * sizeof(T));
  cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

// Prints a sum of n elements on the device, rounded. Returns the exit status of the program.
template <class T>
int print_sum(const T* device, int n) {
  std::vector<T> host(n);
  cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += double(host[i]) * (1 + i % 7);
  printf("%.3e\n", sum);
  return cudaDeviceSynchronize() != cudaSuccess;
}

// Whether the program was asked for the kernel with the remedy: `./program after` instead of `./program before`.
inline bool asks_for_remedy(int argc, char** argv) { return argc > 1 && !strcmp(argv[1], "after"); }
