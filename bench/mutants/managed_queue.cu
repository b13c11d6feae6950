// A work list in managed memory: the host writes jobs, kernels add results, and the host reads them after a wait.
#include "../naive/host.cuh"

struct job {
  int begin, end;
};

__global__ void work(const job* jobs, const int* in, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const job own = jobs[blockIdx.x];
  for (int i = own.begin + threadIdx.x; i < own.end; i += blockDim.x) atomicAdd(&sum, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

int main() {
  const int count = 12, n = 900;
  job* jobs;
  int* out;
  cudaMallocManaged(&jobs, count * sizeof(job));
  cudaMallocManaged(&out, count * sizeof(int));
  int* in = filled<int>(n, [](int i) { return i % 3; });
  for (int j = 0; j < count; ++j) jobs[j] = {j * n / count, (j + 1) * n / count};
  work<<<count, 64>>>(jobs, in, out);
  cudaDeviceSynchronize();
  int sum = 0;
  for (int j = 0; j < count; ++j) sum += out[j] * (j + 1);
  printf("%d\n", sum);
  cudaFree(in);
  cudaFree(out);
  cudaFree(jobs);
  return cudaGetLastError() != cudaSuccess;
}
