// Replaces PyTorch's header: defines the two macros with which FlashAttention launches its kernels.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define C10_CUDA_CHECK(call)                                                \
  do {                                                                      \
    const cudaError_t error_ = (call);                                      \
    if (error_ != cudaSuccess) {                                            \
      std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(error_)); \
      std::exit(2);                                                         \
    }                                                                       \
  } while (0)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
