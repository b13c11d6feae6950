// The sum of an array: each block stores one number. The two kernels add in different orders.
//
//     bankwise run reduction.cu -k reduce_interleaved --grid 8 --block 256 --arg out:f32[8] --arg f32[2000]=1 \
//         --arg i32=2000
#include "check.cuh"

constexpr int threads = 256;

// Neighbouring threads add elements that are 2, 4, 8, ... apart. As the stride grows, more lanes share a bank.
__global__ void reduce_interleaved(float* sums, const float* in, int n) {
  __shared__ float part[threads];
  const int i = blockIdx.x * threads + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int stride = 1; stride < threads; stride *= 2) {
    const int at = 2 * stride * threadIdx.x;
    if (at < threads) part[at] += part[at + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// Neighbouring threads add neighbouring elements. The last steps are shuffles in one warp.
__global__ void reduce_sequential(float* sums, const float* in, int n) {
  __shared__ float part[threads];
  const int i = blockIdx.x * threads + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int stride = threads / 2; stride >= 32; stride /= 2) {
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    float sum = part[threadIdx.x];
    for (int offset = 16; offset != 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  }
}

int main() {
  const int n = 2000, blocks = (n + threads - 1) / threads;
  const std::vector<float> in = small_numbers(n, 3);
  const gpu_buffer<float> from(in);
  bool right = true;
  const auto run = [&](const char* name, void (*kernel)(float*, const float*, int)) {
    const gpu_buffer<float> to(blocks);
    kernel<<<blocks, threads>>>(to.get(), from.get(), n);
    CUDA_CHECK(cudaGetLastError());
    const std::vector<float> sums = to.host();
    bool same = true;
    for (int b = 0; b < blocks; ++b) {
      float sum = 0;
      for (int i = b * threads; i < n && i < (b + 1) * threads; ++i) sum += in[i];
      same &= sums[b] == sum;
    }
    right &= report_result(name, same);
  };
  run("reduce_interleaved", reduce_interleaved);
  run("reduce_sequential", reduce_sequential);
  return right ? 0 : 1;
}
