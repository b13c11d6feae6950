// Lanes and warps that access one word, and the remedies: a sum, histograms of integers and of floats, a maximum, a
// lock. Each `_before` is the obvious kernel. In the other kernels, fewer lanes access the same word.
#include "fixes.cuh"

constexpr int threads = 256, warps = threads / 32, bins = 64;

__device__ float sum_of_warp(float x) {
  for (int distance = 16; distance > 0; distance /= 2) x += __shfl_down_sync(~0u, x, distance);
  return x;
}
__device__ float value_of(const float* in) { return in[blockIdx.x * threads + threadIdx.x]; }

// --- a sum with one word for the block, for each warp, or for each lane

template <int Cells, class Add>
__device__ void sum(float* out, Add add) {
  __shared__ float sums[Cells];
  if (threadIdx.x < Cells) sums[threadIdx.x] = 0;
  __syncthreads();
  add(sums);
  __syncthreads();
  if (threadIdx.x >= 32) return;
  const float all = sum_of_warp(threadIdx.x < Cells ? sums[threadIdx.x] : 0);
  if (threadIdx.x == 0) out[blockIdx.x] = all;
}

__global__ void sum_before(float* out, const float* in) {
  sum<1>(out, [&](float* sums) { atomicAdd(&sums[0], value_of(in)); });
}
__global__ void sum_combined(float* out, const float* in) {
  sum<1>(out, [&](float* sums) {
    const float x = sum_of_warp(value_of(in));
    if (threadIdx.x % 32 == 0) atomicAdd(&sums[0], x);
  });
}
__global__ void sum_warps(float* out, const float* in) {
  sum<warps>(out, [&](float* sums) { atomicAdd(&sums[threadIdx.x / 32], value_of(in)); });
}
__global__ void sum_combined_warps(float* out, const float* in) {
  sum<warps>(out, [&](float* sums) {
    const float x = sum_of_warp(value_of(in));
    if (threadIdx.x % 32 == 0) atomicAdd(&sums[threadIdx.x / 32], x);
  });
}
__global__ void sum_lanes(float* out, const float* in) {
  sum<32>(out, [&](float* sums) { atomicAdd(&sums[threadIdx.x % 32], value_of(in)); });
}

// --- histograms of weights; bins with small numbers get most of the values, as in most data

__device__ int bin_of(unsigned x) { return (x & 255) * (x >> 8 & 255) >> 10; }
__device__ unsigned weight_of(unsigned x) { return x >> 16 & 15; }

// Copies of a bin are next to each other, so that each lane has its own bank.
template <class Number, int Copies, class Add>
__device__ void histogram(Number* out, const unsigned* in, Add add) {
  __shared__ Number sums[bins * Copies];
  for (int i = threadIdx.x; i < bins * Copies; i += threads) sums[i] = 0;
  __syncthreads();
  const unsigned x = in[blockIdx.x * threads + threadIdx.x];
  add(&sums[bin_of(x) * Copies + threadIdx.x % Copies], static_cast<Number>(weight_of(x)));
  __syncthreads();
  if (threadIdx.x >= bins) return;
  Number all = 0;
  for (int copy = 0; copy < Copies; ++copy) all += sums[threadIdx.x * Copies + (threadIdx.x + copy) % Copies];
  out[blockIdx.x * bins + threadIdx.x] = all;
}

__global__ void bins_before(unsigned* out, const unsigned* in) {
  histogram<unsigned, 1>(out, in, [](unsigned* sum, unsigned x) { atomicAdd(sum, x); });
}
// The lowest lane that accesses a bin adds the values of all lanes that access it.
__global__ void bins_combined(unsigned* out, const unsigned* in) {
  histogram<unsigned, 1>(out, in, [](unsigned* sum, unsigned x) {
    const unsigned group = __match_any_sync(~0u, static_cast<unsigned>(__cvta_generic_to_shared(sum)));
    unsigned all = 0;
    for (int lane = 0; lane < 32; ++lane) {
      const unsigned other = __shfl_sync(~0u, x, lane);
      if ((group >> lane & 1) != 0) all += other;
    }
    if (static_cast<unsigned>(__ffs(group)) == threadIdx.x % 32 + 1) atomicAdd(sum, all);
  });
}
__global__ void bins_lanes(unsigned* out, const unsigned* in) {
  histogram<unsigned, 32>(out, in, [](unsigned* sum, unsigned x) { atomicAdd(sum, x); });
}
__global__ void weights_before(float* out, const unsigned* in) {
  histogram<float, 1>(out, in, [](float* sum, float x) { atomicAdd(sum, x); });
}
__global__ void weights_combined(float* out, const unsigned* in) {
  histogram<float, 1>(out, in, [](float* sum, float x) {
    const unsigned group = __match_any_sync(~0u, static_cast<unsigned>(__cvta_generic_to_shared(sum)));
    float all = 0;
    for (int lane = 0; lane < 32; ++lane) {
      const float other = __shfl_sync(~0u, x, lane);
      if ((group >> lane & 1) != 0) all += other;
    }
    if (static_cast<unsigned>(__ffs(group)) == threadIdx.x % 32 + 1) atomicAdd(sum, all);
  });
}
__global__ void weights_lanes(float* out, const unsigned* in) {
  histogram<float, 32>(out, in, [](float* sum, float x) { atomicAdd(sum, x); });
}

// --- a maximum of floats, for which there is no atomic

__device__ void raise(int* peak, float x) {
  int old = *static_cast<volatile int*>(peak);
  while (__int_as_float(old) < x) {
    const int now = atomicCAS(peak, old, __float_as_int(x));
    if (now == old) break;
    old = now;
  }
}

template <class Raise>
__device__ void maximum(float* out, Raise to) {
  __shared__ int peak;
  if (threadIdx.x == 0) peak = __float_as_int(-1);
  __syncthreads();
  to(&peak);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = __int_as_float(peak);
}

__global__ void peak_before(float* out, const float* in) {
  maximum(out, [&](int* peak) { raise(peak, value_of(in)); });
}
__global__ void peak_combined(float* out, const float* in) {
  maximum(out, [&](int* peak) {
    float x = value_of(in);
    for (int distance = 16; distance > 0; distance /= 2) x = fmaxf(x, __shfl_down_sync(~0u, x, distance));
    if (threadIdx.x % 32 == 0) raise(peak, x);
  });
}

// --- a lock around two words that change together

struct moments {
  float sum, squares;
};

__device__ void add_locked(int* lock, volatile moments* to, float x, float square) {
  bool done = false;
  while (!done)
    if (atomicCAS(lock, 0, 1) == 0) {
      to->sum = to->sum + x;
      to->squares = to->squares + square;
      __threadfence_block();
      atomicExch(lock, 0);
      done = true;
    }
}

template <class Add>
__device__ void add_moments(float* out, Add add) {
  __shared__ int lock;
  __shared__ moments all;
  if (threadIdx.x == 0) lock = 0, all = {0, 0};
  __syncthreads();
  add(&lock, &all);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = all.sum + all.squares;
}

__global__ void lock_before(float* out, const float* in) {
  add_moments(out, [&](int* lock, moments* all) {
    const float x = value_of(in);
    add_locked(lock, all, x, x * x);
  });
}
__global__ void lock_combined(float* out, const float* in) {
  add_moments(out, [&](int* lock, moments* all) {
    const float x = value_of(in), sum = sum_of_warp(x), squares = sum_of_warp(x * x);
    if (threadIdx.x % 32 == 0) add_locked(lock, all, sum, squares);
  });
}

int main(int argc, char** argv) {
  program p("contention", argc, argv);
  const unsigned blocks = p.timed() ? 132 * 64 : 8, n = blocks * threads;
  std::vector<unsigned> words = random_words(n, 1);
  std::vector<float> values(n);
  for (unsigned i = 0; i < n; ++i) values[i] = static_cast<float>(words[i] >> 8 & 7);
  const gpu_buffer<float> floats(values);
  const gpu_buffer<unsigned> data(words);

  const auto one = [&](const char* name, void (*kernel)(float*, const float*), auto step) {
    const gpu_buffer<float> to(blocks);
    p.run(name, [&] { kernel<<<blocks, threads>>>(to.get(), floats.get()); },
          [&] {
            const std::vector<float> found = to.host();
            for (unsigned b = 0; b < blocks; ++b) {
              float expected = 0;
              for (int t = 0; t < threads; ++t) expected = step(expected, values[b * threads + t]);
              if (found[b] != expected) return false;
            }
            return true;
          });
  };
  const auto add = [](float a, float b) { return a + b; };
  const auto larger = [](float a, float b) { return a < b ? b : a; };
  const auto add_both = [](float a, float b) { return a + b + b * b; };
  one("sum_before", sum_before, add);
  one("sum_combined", sum_combined, add);
  one("sum_warps", sum_warps, add);
  one("sum_combined_warps", sum_combined_warps, add);
  one("sum_lanes", sum_lanes, add);

  const auto many = [&](const char* name, auto kernel, auto zero) {
    using number = decltype(zero);
    const gpu_buffer<number> to(blocks * bins);
    p.run(name, [&] { kernel<<<blocks, threads>>>(to.get(), data.get()); },
          [&] {
            std::vector<number> expected(blocks * bins);
            for (unsigned i = 0; i < n; ++i)
              expected[i / threads * bins + ((words[i] & 255) * (words[i] >> 8 & 255) >> 10)] +=
                  static_cast<number>(words[i] >> 16 & 15);
            return to.host() == expected;
          });
  };
  many("bins_before", bins_before, 0u);
  many("bins_combined", bins_combined, 0u);
  many("bins_lanes", bins_lanes, 0u);
  many("weights_before", weights_before, 0.0f);
  many("weights_combined", weights_combined, 0.0f);
  many("weights_lanes", weights_lanes, 0.0f);

  one("peak_before", peak_before, larger);
  one("peak_combined", peak_combined, larger);
  one("lock_before", lock_before, add_both);
  one("lock_combined", lock_combined, add_both);
  return p.status();
}
