// A histogram of bytes: COPIES histograms in shared memory for each block, which each thread chooses by its lane. Each block adds their sums to
// the result.
#define BINS 256

extern "C" __global__ void __launch_bounds__(THREADS) histogram(unsigned* out, const unsigned* in, int n) {
  __shared__ unsigned counts[COPIES * (BINS + 1)];
  for (int i = threadIdx.x; i < COPIES * (BINS + 1); i += THREADS) counts[i] = 0;
  __syncthreads();
  unsigned* const own = counts + threadIdx.x % COPIES * (BINS + 1);
  const auto add = [&](unsigned word) {
#pragma unroll
    for (int i = 0; i < 4; ++i) atomicAdd(&own[word >> 8 * i & 255], 1U);
  };
  const int stride = gridDim.x * THREADS;
  for (int at = blockIdx.x * THREADS + threadIdx.x; at < n / VEC; at += stride) {
    if (VEC == 4) {
      const uint4 words = reinterpret_cast<const uint4*>(in)[at];
      add(words.x);
      add(words.y);
      add(words.z);
      add(words.w);
    } else {
      add(in[at]);
    }
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < BINS; bin += THREADS) {
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < COPIES; ++i) sum += counts[i * (BINS + 1) + bin];
    if (sum != 0) atomicAdd(&out[bin], sum);
  }
}
