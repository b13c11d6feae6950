// Walsh-Hadamard transforms of 2048 numbers, one in each block: the accesses of the batch kernel of fastWalshTransform
// in NVIDIA's cuda-samples. The steps of radix 4 use elements 512, 128, 32, 8 and 2 apart. At distances 8 and 2, a warp
// leaves most banks unused, and four of its elements share a bank.
#include "fixes.cuh"

struct plain {
  static __device__ int at(int i) { return i; }
};
// At distance 8, the lanes differ in bits 0-2, 5 and 6 of the index; at distance 2, in bits 0 and 3-6. Bits 5 and 6
// select no bank. They are added to bits 3 and 4 for distance 8, and to bits 1 and 2 for distance 2. Pairs of words
// stay together. No padding works for both: after 32 words, distance 8 needs 8 words and distance 2 needs 2.
struct swizzled {
  static __device__ int at(int i) { return i ^ (i >> 5 & 3) * 0b1010; }
};

template <class Layout>
__device__ void walsh(float* out, const float* in, int log_n) {
  extern __shared__ float data[];
  const int n = 1 << log_n, thread = threadIdx.x;
  in += blockIdx.x << log_n;
  out += blockIdx.x << log_n;
  for (int i = thread; i < n; i += blockDim.x) data[Layout::at(i)] = in[i];

  for (int distance = n / 4; distance > 0; distance /= 4) {
    const int low = thread & (distance - 1);
    const int i = (thread - low) * 4 + low;
    float& p0 = data[Layout::at(i)];
    float& p1 = data[Layout::at(i + distance)];
    float& p2 = data[Layout::at(i + 2 * distance)];
    float& p3 = data[Layout::at(i + 3 * distance)];
    __syncthreads();
    const float x0 = p0, x1 = p1, x2 = p2, x3 = p3;
    const float even = x0 + x2, odd = x1 + x3, even_difference = x0 - x2, odd_difference = x1 - x3;
    p0 = even + odd;
    p1 = even - odd;
    p2 = even_difference + odd_difference;
    p3 = even_difference - odd_difference;
  }

  if (log_n % 2 == 1) {
    __syncthreads();
    for (int i = thread; i < n / 2; i += blockDim.x) {
      float2& pair = *reinterpret_cast<float2*>(&data[Layout::at(2 * i)]);
      const float2 x = pair;
      pair = {x.x + x.y, x.x - x.y};
    }
  }

  __syncthreads();
  for (int i = thread; i < n; i += blockDim.x) out[i] = data[Layout::at(i)];
}

__global__ void walsh_before(float* out, const float* in, int log_n) { walsh<plain>(out, in, log_n); }
__global__ void walsh_after(float* out, const float* in, int log_n) { walsh<swizzled>(out, in, log_n); }

int main(int argc, char** argv) {
  program p("walsh", argc, argv);
  const int log_n = 11, n = 1 << log_n, batch = p.timed() ? 32768 : 8;
  const std::size_t count = static_cast<std::size_t>(n) * batch;
  const std::vector<float> in = small_numbers(count, 1);
  const gpu_buffer<float> from(in), to(count);
  const auto run = [&](const char* name, void (*kernel)(float*, const float*, int)) {
    CUDA_CHECK(cudaMemset(to.get(), 0, count * sizeof(float)));
    p.run(
        name, [&] { kernel<<<batch, n / 4, n * sizeof(float)>>>(to.get(), from.get(), log_n); },
        [&] {
          std::vector<float> expected = in;
          for (int b = 0; b < batch; ++b)
            for (int distance = 1; distance < n; distance *= 2)
              for (int i = 0; i < n; ++i) {
                if (i & distance) continue;
                float &low = expected[b * n + i], &high = expected[b * n + i + distance];
                const float sum = low + high;
                high = low - high;
                low = sum;
              }
          return to.host() == expected;
        });
  };
  run("walsh_before", walsh_before);
  run("walsh_after", walsh_after);
  return p.status();
}
