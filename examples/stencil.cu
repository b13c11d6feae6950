// A stencil along a line: every output is a weighted sum of 2 R + 1 inputs, which a block keeps in dynamic shared
// memory.
//
//     bankwise run stencil.cu -k stencil --grid 16 --block 128 --shared 544 --arg out:f32[2000] --arg f32[2000]=iota \
//         --arg i32=2000 --arg i32=4
#include "check.cuh"

__global__ void stencil(float* out, const float* in, int n, int radius) {
  extern __shared__ float line[];  // blockDim.x + 2 radius
  const int first = blockIdx.x * blockDim.x - radius;
  for (int i = threadIdx.x; i < blockDim.x + 2 * radius; i += blockDim.x) {
    const int at = first + i;
    line[i] = at >= 0 && at < n ? in[at] : 0.0f;
  }
  __syncthreads();
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  float sum = 0;
  for (int i = 0; i <= 2 * radius; ++i) sum += line[threadIdx.x + i] * static_cast<float>(radius + 1 - abs(i - radius));
  out[at] = sum;
}

int main() {
  const int n = 2000, radius = 4, threads = 128;
  const std::vector<float> in = small_numbers(n, 6);
  const gpu_buffer<float> from(in), to(n);
  stencil<<<(n + threads - 1) / threads, threads, (threads + 2 * radius) * sizeof(float)>>>(to.get(), from.get(), n,
                                                                                            radius);
  CUDA_CHECK(cudaGetLastError());
  const std::vector<float> out = to.host();
  bool right = true;
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = -radius; j <= radius; ++j)
      if (i + j >= 0 && i + j < n) sum += in[i + j] * static_cast<float>(radius + 1 - abs(j));
    right &= out[i] == sum;
  }
  return report_result("stencil", right) ? 0 : 1;
}
