// A part of a program or a library. Its kernels are templates, and it has variables that are registered with the
// runtime before main(). PART is the name of its function, which returns the number of errors.
#include <cstdio>

template <int stride>
static __global__ void scale(float* p) {
  __shared__ float tile[32 * stride];
  tile[threadIdx.x * stride] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = tile[threadIdx.x * stride] * stride;
}

static __managed__ int managed = 3;
static __device__ int counter = 5;

extern "C" int PART() {
  float host[32], *device = nullptr;
  for (int i = 0; i < 32; ++i) host[i] = static_cast<float>(i);
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  scale<2><<<1, 32>>>(device);
  scale<4><<<1, 32>>>(device);
  const cudaError_t e = cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  if (e != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorName(e));
    return 1;
  }
  int copied = 0;
  cudaMemcpyFromSymbol(&copied, counter, sizeof copied);
  std::printf("%s: %g, %d, %d\n", cudaGetErrorName(e), host[31], managed, copied);
  return host[31] != 31 * 8;
}
