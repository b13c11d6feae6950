// Pairs of kernels that compute the same. The first of each pair has a delay (src/model/time/delays.def), and the second
// has not.
#include <cuda_fp16.h>
__device__ int at() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void columns(float* to, const float* from, int pitch) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 64; ++k) sum += from[k * pitch + at()];
  to[at()] = sum;
}
extern "C" __global__ void columns_in_fours(float* to, const float* from, int pitch) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 64; k += 4) {
    const float a = from[k * pitch + at()], b = from[(k + 1) * pitch + at()], c = from[(k + 2) * pitch + at()],
                d = from[(k + 3) * pitch + at()];
    sum += a;
    sum += b;
    sum += c;
    sum += d;
  }
  to[at()] = sum;
}

// The address of each load is the value of the load before, so no load can come earlier.
extern "C" __global__ void chain(int* to, const int* next) {
  int i = at() % 1024;
#pragma unroll 1
  for (int k = 0; k < 64; ++k) i = next[i] % 1024;
  to[at()] = i;
}

extern "C" __global__ void damped(float* to, const float* from) {
  float x = from[at()];
#pragma unroll 4
  for (int k = 0; k < 64; ++k) x = x * 0.7 + 1.5;
  to[at()] = x;
}
extern "C" __global__ void damped_floats(float* to, const float* from) {
  float x = from[at()];
#pragma unroll 4
  for (int k = 0; k < 64; ++k) x = x * 0.7f + 1.5f;
  to[at()] = x;
}

extern "C" __global__ void remainders(int* to, const int* from, int divisor) {
  int x = from[at()], sum = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) sum += (x + 5 * k) % divisor;
  to[at()] = sum;
}
extern "C" __global__ void remainders_of_eight(int* to, const int* from) {
  int x = from[at()], sum = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) sum += (x + 5 * k) % 8;
  to[at()] = sum;
}

__device__ float waves(float x) {
#pragma unroll 4
  for (int k = 0; k < 128; ++k) x = __sinf(x) + 0.5f;
  return x;
}
__device__ float cosines(float x) {
#pragma unroll 4
  for (int k = 0; k < 128; ++k) x = __cosf(x) - 0.5f;
  return x;
}
extern "C" __global__ void by_lane(float* to, const float* from) {
  const float x = from[at()];
  to[at()] = threadIdx.x % 2 != 0 ? waves(x) : cosines(x);
}
extern "C" __global__ void by_warp(float* to, const float* from) {
  const float x = from[at()];
  to[at()] = threadIdx.x / 32 % 2 != 0 ? waves(x) : cosines(x);
}

template <bool of_block>
__device__ void turn(float* to, const float* from) {
  __shared__ float ring[32];
  float x = from[at()];
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    ring[threadIdx.x] = x;
    if (of_block) __syncthreads(); else __syncwarp();
    x += ring[(threadIdx.x + 1) % 32];
    if (of_block) __syncthreads(); else __syncwarp();
  }
  to[at()] = x;
}
extern "C" __global__ void turned(float* to, const float* from) { turn<true>(to, from); }
extern "C" __global__ void turned_by_warp(float* to, const float* from) { turn<false>(to, from); }

extern "C" __global__ void added(float* to, const float* from) { atomicAdd(to, from[at()]); }
extern "C" __global__ void added_by_block(float* to, const float* from) {
  __shared__ float parts[8];
  float x = from[at()];
  for (int d = 16; d != 0; d /= 2) x += __shfl_xor_sync(~0u, x, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < 8; ++i) x += parts[i];
  atomicAdd(to, x);
}

template <int bytes>
__device__ void scale(float* to, const float* from, int pitch) {
  __shared__ float factors[bytes / 4];
  factors[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  float x = from[at()];
#pragma unroll 1
  for (int k = 1; k < 8; ++k) {
    const int i = static_cast<int>(x) & 1023;
    x = from[k * pitch + at() + i] * factors[threadIdx.x ^ 1];
  }
  to[at()] = x;
}
extern "C" __global__ void scaled(float* to, const float* from, int pitch) { scale<48 * 1024>(to, from, pitch); }
extern "C" __global__ void scaled_by_less(float* to, const float* from, int pitch) { scale<1024>(to, from, pitch); }

extern "C" __global__ void clamped(float* to, const float* from) { to[at()] = fminf(from[at()], 1000.f); }

extern "C" __global__ void read_one_by_one(float* to, const float* from) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 64; ++k) {
    const float* const own = from + 4 * ((at() + k) & 1023);
    sum += own[0] * own[1] + own[2] * own[3];
  }
  to[at()] = sum;
}
extern "C" __global__ void read_at_once(float* to, const float4* from) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 64; ++k) {
    const float4 own = from[(at() + k) & 1023];
    sum += own.x * own.y + own.z * own.w;
  }
  to[at()] = sum;
}

extern "C" __global__ void divided(float* to, const float* from) {
  const float divisor = from[at()] + 1.f;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) sum += (sum + k) / divisor;
  to[at()] = sum;
}
extern "C" __global__ void divided_fast(float* to, const float* from) {
  const float divisor = from[at()] + 1.f;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) sum += __fdividef(sum + k, divisor);
  to[at()] = sum;
}

extern "C" __global__ void powers(float* to, const float* from) {
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 32; ++k) sum += powf(from[at()] + k, 1.5f);
  to[at()] = sum;
}
extern "C" __global__ void powers_fast(float* to, const float* from) {
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 32; ++k) sum += __powf(from[at()] + k, 1.5f);
  to[at()] = sum;
}

// Each thread exchanges values only with threads of its own warp. With `is_of_block`, it also reads those of the others.
template <bool is_of_block>
__device__ void rotate(float* to, const float* from) {
  __shared__ float ring[256];
  float x = from[at()];
#pragma unroll 4
  for (int k = 1; k <= 32; ++k) {
    ring[threadIdx.x] = x;
    __syncthreads();
    x += ring[is_of_block ? (threadIdx.x + k) % 256 : threadIdx.x / 32 * 32 + (threadIdx.x + k) % 32];
    __syncthreads();
  }
  to[at()] = x;
}
extern "C" __global__ void rotated_in_warps(float* to, const float* from) { rotate<false>(to, from); }
extern "C" __global__ void rotated_in_blocks(float* to, const float* from) { rotate<true>(to, from); }

// With `rounds`, all terms are written one after another.
template <int rounds>
__device__ void evaluate(float* to, const float* from) {
  float x[8], y[8] = {}, term = 1;
  for (int j = 0; j < 8; ++j) x[j] = from[j * 16384 + at()];
#pragma unroll rounds
  for (int k = 0; k < 192; ++k) {
    for (int j = 0; j < 8; ++j) y[j] = fmaf(y[j], x[j], term);
    term += 0.125f;
  }
  float sum = 0;
  for (int j = 0; j < 8; ++j) sum += y[j];
  to[at()] = sum;
}
extern "C" __global__ void series_in_line(float* to, const float* from) { evaluate<192>(to, from); }
extern "C" __global__ void series_in_loop(float* to, const float* from) { evaluate<4>(to, from); }

// One warp adds up what all warps then read, or each warp adds up its part.
template <int warps>
__device__ void share_sums(float* to, const float* from) {
  __shared__ float sums[8];
  float all = 0;
  for (int k = 0; k < 8; ++k) {
    float x = 0;
    if (threadIdx.x / 32 < warps)
#pragma unroll 1
      for (int i = 0; i < 128 / warps; ++i) x += from[(k * 128 + i) % 1024 + threadIdx.x] * 0.5f;
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = x;
    __syncthreads();
    for (int w = 0; w < warps; ++w) all += sums[w];
    __syncthreads();
  }
  to[at()] = all;
}
extern "C" __global__ void summed_by_one(float* to, const float* from) { share_sums<1>(to, from); }
extern "C" __global__ void summed_by_all(float* to, const float* from) { share_sums<8>(to, from); }

extern "C" __global__ void looked_up(float* to, const float* from) { to[at()] = from[(at() * 37) % 16384]; }

extern "C" __global__ void rounded_twice(float* to, const float* from) {
  float x = from[at()], y = 0;
#pragma unroll 1
  for (int k = 0; k < 256; ++k) y = __fadd_rn(__fmul_rn(y, x), 0.5f);
  to[at()] = y;
}
extern "C" __global__ void rounded_once(float* to, const float* from) {
  float x = from[at()], y = 0;
#pragma unroll 1
  for (int k = 0; k < 256; ++k) y = fmaf(y, x, 0.5f);
  to[at()] = y;
}
// The product is used twice, so the sum cannot be fused.
extern "C" __global__ void used_twice(float* to, const float* from) {
  float x = from[at()], y = 0;
#pragma unroll 1
  for (int k = 0; k < 256; ++k) {
    const float product = __fmul_rn(y, x);
    y = __fadd_rn(product, 0.5f) + fabsf(product);
  }
  to[at()] = y;
}

template <class T>
__device__ void multiply_tile(float* to, const T* from) {
  __shared__ T a[16][64], b[16][64];
  const int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
  float sum[4][4] = {};
#pragma unroll 1
  for (int k = 0; k < 8; ++k) {
    for (int i = threadIdx.x; i < 16 * 64; i += 256) {
      a[i / 64][i % 64] = from[k * 1024 + i];
      b[i / 64][i % 64] = from[8192 + k * 1024 + i];
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < 16; ++d)
      for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x) sum[y][x] += float(a[d][ty * 4 + y]) * float(b[d][tx * 4 + x]);
    __syncthreads();
  }
  float all = 0;
  for (int i = 0; i < 16; ++i) all += sum[i / 4][i % 4] * i;
  to[at()] = all;
}
extern "C" __global__ void tile_of_halves(float* to, const __half* from) { multiply_tile(to, from); }
extern "C" __global__ void tile_of_floats(float* to, const float* from) { multiply_tile(to, from); }

// With `at_once`, four bytes are multiplied at a time.
template <bool at_once>
__device__ void multiply_bytes(int* to, const signed char* from) {
  int sum = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    const int own = (k * 4096 + at()) % 1048576 * 4, other = k * 4;
    if (at_once)
      sum = __dp4a(reinterpret_cast<const int*>(from)[own / 4], reinterpret_cast<const int*>(from)[other / 4], sum);
    else
      for (int j = 0; j < 4; ++j) sum += from[own + j] * from[other + j];
  }
  to[at()] = sum;
}
extern "C" __global__ void bytes_one_by_one(int* to, const signed char* from) { multiply_bytes<false>(to, from); }
extern "C" __global__ void bytes_at_once(int* to, const signed char* from) { multiply_bytes<true>(to, from); }

extern "C" __global__ void cubed(float* to, const float* from, float exponent) {
  float x = from[at()];
#pragma unroll 1
  for (int k = 0; k < 8; ++k)
    x = pow(double(x), double(exponent)) + 0.5f;
  to[at()] = x;
}

extern "C" __global__ void chosen(float* to, const float* from) {
  float x = from[at()];
#pragma unroll 1
  for (int k = 0; k < 64; ++k)
    switch ((at() * 5 + k) % 6) {
      case 0: x = __sinf(x) + 0.5f; break;
      case 1: x = __cosf(x) * 1.5f; break;
      case 2: x = sqrtf(x + 1.f); break;
      case 3: x = __expf(-x); break;
      case 4: x = x * x - 0.3f; break;
      default: x = __fdividef(1.f, x + 2.f);
    }
  to[at()] = x;
}

__device__ void add_products(float* to, const float* from) {
  float sum[48] = {};
#pragma unroll 1
  for (int k = 0; k < 64; ++k) {
    const float x = from[k * 4096 + at()], y = from[k * 128 + at()];
    for (int i = 0; i < 48; ++i)
      sum[i] = sum[i] * y
               + (x + i)
               * (i % 2 ? x : y);
  }
  float all = 0;
  for (int i = 0; i < 48; ++i) all += sum[i] * (i + 1);
  to[at()] = all;
}
extern "C" __global__ void __launch_bounds__(256, 8) products_spilled(float* to, const float* from) {
  add_products(to, from);
}
extern "C" __global__ void products_kept(float* to, const float* from) { add_products(to, from); }

// With an index that is not a constant, the array is in local memory.
template <int unrolled>
__device__ void count_values(float* to, const float* from) {
  int bins[16];
  for (int i = 0; i < 16; ++i) bins[i] = i;
#pragma unroll unrolled
  for (int k = 0; k < 64; ++k) {
    const int i = unrolled == 1 ? (k * 5 + blockIdx.x) % 16 : k * 5 % 16;
    bins[i] += static_cast<int>(from[k * 4096 + at()]);
  }
  int all = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i) all ^= bins[i] << i;
  to[at()] = all;
}
extern "C" __global__ void bins_in_memory(float* to, const float* from) { count_values<1>(to, from); }
extern "C" __global__ void bins_in_registers(float* to, const float* from) { count_values<64>(to, from); }

// Each thread adds up a row of 1024 values.
extern "C" __global__ void row_sums(float* to, const float* from) {
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 1024; ++k) sum += from[at() * 1024 + k];
  to[at()] = sum;
}

// Each thread multiplies a row of a tile by a column of another, and loads both from shared memory.
extern "C" __global__ void tile_products(float* to, const float* from) {
  __shared__ float a[32][33], b[32][33];
  const int x = threadIdx.x % 32, y = threadIdx.x / 32;
  for (int r = y; r < 32; r += blockDim.x / 32) a[r][x] = b[r][x] = from[r * 32 + x];
  __syncthreads();
  float sum = 0;
  for (int round = 0; round < 8; ++round)
#pragma unroll 8
    for (int k = 0; k < 32; ++k) sum += a[(y + round) % 32][k] * b[k][x];
  to[at()] = sum;
}

// Counts values above each of four limits, in one pass over all values for each limit, or over one part after another.
__device__ int count_above(const float* from, int first, int last, float limit) {
  int above = 0;
#pragma unroll 4
  for (int i = first + at(); i < last; i += gridDim.x * blockDim.x) above += from[i] > limit;
  return above;
}
extern "C" __global__ void counted_in_passes(int* to, const float* from, int values, int part) {
#pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    int above = 0;
#pragma unroll 1
    for (int first = 0; first < values; first += part) above += count_above(from, first, first + part, k * 1e6f);
    to[k * 65536 + at() % 65536] = above;
  }
}
extern "C" __global__ void counted_in_parts(int* to, const float* from, int values, int part) {
  int above[4] = {};
#pragma unroll 1
  for (int first = 0; first < values; first += part)
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      asm volatile("" ::: "memory");  // each limit loads the values again
      above[k] += count_above(from, first, first + part, k * 1e6f);
    }
#pragma unroll
  for (int k = 0; k < 4; ++k) to[k * 65536 + at() % 65536] = above[k];
}

// 64 threads exchange values with each other, and one of the four groups has more work in each round. With `apart`, each
// group has its own barrier.
template <bool apart>
__device__ void relay(float* to, const float* from) {
  __shared__ float ring[256];
  const int first = threadIdx.x / 64 * 64;
  const auto meet = [&] {
    if (apart)
      asm volatile("bar.sync %0, 64;" ::"r"(first / 64 + 1) : "memory");
    else
      __syncthreads();
  };
  float x = from[at()];
#pragma unroll 1
  for (int k = 1; k <= 32; ++k) {
    ring[threadIdx.x] = x;
    meet();
    x += ring[first + (threadIdx.x + k) % 64];
    if (first / 64 == k % 4)
      for (int j = 0; j < 8; ++j) x = sqrtf(x + j);
    meet();
  }
  to[at()] = x;
}
extern "C" __global__ void relayed(float* to, const float* from) { relay<false>(to, from); }
extern "C" __global__ void relayed_apart(float* to, const float* from) { relay<true>(to, from); }

// Each thread adds up 512 differences from shared memory.
template <int sums>
__device__ void add_differences(float* to, const float* from) {
  __shared__ float values[512];
  for (int i = threadIdx.x; i < 512; i += blockDim.x) values[i] = from[i];
  __syncthreads();
  const float x = from[at()];
  float sum[sums] = {};
#pragma unroll 4
  for (int k = 0; k < 512; k += sums)
#pragma unroll
    for (int n = 0; n < sums; ++n) sum[n] += (x - values[k + n]) * (x - values[k + n]);
  float all = 0;
  for (int n = 0; n < sums; ++n) all += sum[n];
  to[at()] = all;
}
extern "C" __global__ void one_sum(float* to, const float* from) { add_differences<1>(to, from); }
extern "C" __global__ void four_sums(float* to, const float* from) { add_differences<4>(to, from); }

// As summed_by_one, but the values may change while the warp reads them, as those of other blocks.
extern "C" __global__ void awaited_by_one(float* to, const volatile float* from) {
  __shared__ float sum;
  float all = 0;
  for (int k = 0; k < 8; ++k) {
    float x = 0;
    if (threadIdx.x < 32)
#pragma unroll 1
      for (int i = 0; i < 128; ++i) x += from[(k * 128 + i) % 1024 + threadIdx.x] * 0.5f;
    if (threadIdx.x == 0) sum = x;
    __syncthreads();
    all += sum;
    __syncthreads();
  }
  to[at()] = all;
}

// Each thread adds up neighbouring values: those of its neighbours, too, or 11 of its own.
extern "C" __global__ void smoothed(float* to, const float* from) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 16; ++k) {
    const float* const own = from + at() + k * 262144;
    sum += own[0] + own[1] + own[2] + own[3];
  }
  to[at()] = sum;
}
extern "C" __global__ void eleven_sums(float* to, const float* from) {
  __shared__ float values[256 * 11];
  float sum = 0;
  for (int k = 0; k < 16; ++k) {
    for (int n = 0; n < 11; ++n) values[n * 256 + threadIdx.x] = from[at()] + k;
    __syncthreads();
    for (int n = 0; n < 11; ++n) sum += values[threadIdx.x * 11 + n];
    __syncthreads();
  }
  to[at()] = sum;
}

// Each thread searches its own sorted row of 64 values, in the first 1 to 32 values. The search ends after 1 to 6 rounds.
extern "C" __global__ void searched(float* to, const float* from) {
  const float* const row = from + at() * 64;
  int found = 0;
  for (int k = 0; k < 8; ++k) {
    int begin = 0, end = 1 + threadIdx.x % 32;
    while (begin < end) {
      const int middle = (begin + end) / 2;
      if (row[middle] < at() * 64.f + 3 * k)
        begin = middle + 1;
      else
        end = middle;
    }
    found += begin;
  }
  to[at()] = found;
}
// Each thread searches one value in all of its row.
extern "C" __global__ void ranked(float* to, const float* from) {
  const float* const row = from + at() * 64;
  const float value = (at() * 64) + at() * 37 % 64;
  int begin = 0, end = 64;
  while (begin < end) {
    const int middle = (begin + end) / 2;
    if (row[middle] < value)
      begin = middle + 1;
    else
      end = middle;
  }
  to[at()] = begin;
}
