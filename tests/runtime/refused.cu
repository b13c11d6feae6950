// Makes a good launch, and then launches or calls that CUDA refuses. The first argument says which, and whether the
// program looks at the error.
#include <cstdio>
#include <cstring>

__global__ void good(int* out) { out[threadIdx.x] = 1; }
__global__ void big(int* out) {
  extern __shared__ int s[];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void __launch_bounds__(64) narrow(int* out) { out[threadIdx.x] = 1; }
__global__ void __cluster_dims__(2, 1, 1) pairs(int* out) { out[threadIdx.x] = 1; }

int main(int, char** v) {
  const auto is = [&](const char* mode) { return std::strcmp(v[1], mode) == 0; };
  int *out, host[4];
  cudaMalloc(&out, 4096);
  good<<<1, 32>>>(out);
  if (is("shared") || is("checked") || is("repaired")) big<<<1, 32, 100 << 10>>>(out);
  if (is("checked") && cudaGetLastError() != cudaSuccess) good<<<1, 32>>>(out);
  if (is("repaired")) {
    cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
    big<<<1, 32, 100 << 10>>>(out);
  }
  if (is("bounds")) narrow<<<1, 128>>>(out);
  if (is("threads")) good<<<1, 2048>>>(out);
  if (is("grid")) good<<<0, 32>>>(out);
  if (is("cluster")) pairs<<<3, 32>>>(out);
  if (is("ignored") || is("used")) {
    cudaLaunchConfig_t how{};
    how.gridDim = 1;
    how.blockDim = 32;
    how.dynamicSmemBytes = 100 << 10;
    if (is("ignored")) {
      cudaLaunchKernelEx(&how, big, out);
    } else if (cudaLaunchKernelEx(&how, big, out) != cudaSuccess) {
      good<<<1, 32>>>(out);
    }
  }
  if (is("calls")) {
    cudaMemcpy(host, out, 1 << 20, cudaMemcpyDeviceToHost);
    cudaFree(out + 1);
    cudaFree(out + 1);
    if (cudaFree(out + 2) != cudaSuccess) std::puts("looked");
  }
  cudaDeviceSynchronize();
  std::printf("done %d\n", static_cast<int>(cudaMemcpy(host, out, 16, cudaMemcpyDeviceToHost)));
}
