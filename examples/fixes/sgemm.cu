// C = A B in single precision for square matrices, as in SGEMM_CUDA's kernels 4 to 9: tiles of A and B in shared
// memory, and 8 x 8 elements of C for each thread (8 x 1 in kernel 4). The accesses and the remaining conflicts are
// those of the original kernels. `n` is a multiple of the tile. From kernel 5 on, the loop over k is not unrolled, as
// in SGEMM_CUDA: otherwise, the compiler would join different loads in different layouts.
#include "fixes.cuh"

__device__ float4 four(const float* at) { return *reinterpret_cast<const float4*>(at); }
__device__ void put_four(float* at, float4 x) { *reinterpret_cast<float4*>(at) = x; }

// Kernel 4: each thread computes a column of 8 elements. A warp reads 32 adjacent words of B, and then single words of
// A that are the same in all lanes. Every access is at its lower bound, so there is nothing to fix.
__global__ void __launch_bounds__(512) sgemm4_before(float* c, const float* a, const float* b, int n) {
  constexpr int side = 64, depth = 8, height = 8;
  __shared__ __align__(16) float a_tile[side * depth], b_tile[depth * side];
  const int thread = threadIdx.x, column = thread % side, row = thread / side * height;
  a += blockIdx.y * side * n;
  b += blockIdx.x * side;
  c += blockIdx.y * side * n + blockIdx.x * side;
  float sum[height] = {};
  for (int k0 = 0; k0 < n; k0 += depth) {
    a_tile[thread] = a[thread / depth * n + k0 + thread % depth];
    b_tile[thread] = b[(k0 + thread / side) * n + thread % side];
    __syncthreads();
    for (int k = 0; k < depth; ++k) {
      const float y = b_tile[k * side + column];
      for (int i = 0; i < height; ++i) sum[i] += a_tile[(row + i) * depth + k] * y;
    }
    __syncthreads();
  }
  for (int i = 0; i < height; ++i) c[(row + i) * n + column] = sum[i];
}

// --- kernels 5 to 9: a tile of 128 x 128 elements, 256 threads ---

constexpr int side = 128, threads = 256;

// Eight lanes read 16 bytes of B each, 32 bytes apart, from four groups of four banks. So kernels 5, 6 and 9 take 8
// wavefronts instead of 4. Two layouts move the last four lanes to the other four groups: four free words after every
// 128 bytes, or swapped 16-byte halves in every second group of 128 bytes.
struct b_plain {
  static constexpr int pitch = side;
  static __device__ int at(int k, int column) { return k * pitch + column; }
};
struct b_padded {
  static constexpr int pitch = side + side / 32 * 4;
  static __device__ int at(int k, int column) { return k * pitch + column + column / 32 * 4; }
};
struct b_swizzled {
  static constexpr int pitch = side;
  static __device__ int at(int k, int column) { return k * pitch + (column ^ column / 32 % 2 * 4); }
};

// Kernel 7 puts every eighth column of B together and reads words instead of 16 bytes. Reads do not conflict, but lanes
// that store columns 0 to 3 of eight conflict with lanes that store columns 4 to 7, because they write rows of 16 words
// that are 64 words apart. They do not conflict if the rows are an odd multiple of 16 words apart.
struct b_eighths {
  static constexpr int pitch = side;
  static __device__ int at(int k, int column) { return k * pitch + column % 8 * 16 + column / 8; }
};
struct b_eighths_padded {
  static constexpr int pitch = side + 16;
  static __device__ int at(int k, int column) { return k * pitch + (column % 8 + column % 8 / 4) * 16 + column / 8; }
};
struct b_eighths_swizzled {
  static constexpr int pitch = side;
  static __device__ int at(int k, int column) { return k * pitch + (column % 8 ^ column % 8 / 4) * 16 + column / 8; }
};

// Kernel 8 pads the rows of B by five words and reads single words. A warp never accesses two rows at once, so this
// padding changes nothing: lanes store words that are 4 apart and load words that are 8 apart, so four lanes share a
// bank. The padding must be inside the row: a word after every 32 words, or an equivalent exclusive or.
struct b_extra_columns {
  static constexpr int pitch = side + 5;
  static __device__ int at(int k, int column) { return k * pitch + column; }
};
struct b_words_padded {
  static constexpr int pitch = side + side / 32;
  static __device__ int at(int k, int column) { return k * pitch + column + column / 32; }
};
struct b_words_swizzled {
  static constexpr int pitch = side;
  static __device__ int at(int k, int column) { return k * pitch + (column ^ column / 32); }
};

// Kernel 5 stores A as in global memory, in rows of 8 words. A thread reads a column of 8 words, and the two columns
// that a warp reads are 64 words apart.
struct a_plain {
  static constexpr int words = side * 8;
  static __device__ int at(int row, int k) { return row * 8 + k; }
};
struct a_padded {
  static constexpr int words = side * 8 + side;
  static __device__ int at(int row, int k) { return row * 8 + row / 8 * 8 + k; }
};
struct a_swizzled {
  static constexpr int words = side * 8;
  static __device__ int at(int row, int k) { return row * 8 + (k ^ row / 8 % 2); }
};

__device__ void multiply(float (&sum)[8][8], const float (&x)[8], const float (&y)[8]) {
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) sum[i][j] += x[i] * y[j];
}

__device__ void get_eight(float (&x)[8], const float* first, const float* second) {
  const float4 p = four(first), q = four(second);
  x[0] = p.x, x[1] = p.y, x[2] = p.z, x[3] = p.w, x[4] = q.x, x[5] = q.y, x[6] = q.z, x[7] = q.w;
}

template <class A, class B>
__device__ void sgemm5(float* c, const float* a, const float* b, int n) {
  constexpr int depth = 8;
  __shared__ __align__(16) float a_tile[A::words], b_tile[depth * B::pitch];
  const int thread = threadIdx.x, row = thread / 16 * 8, column = thread % 16 * 8;
  a += blockIdx.y * side * n;
  b += blockIdx.x * side;
  c += blockIdx.y * side * n + blockIdx.x * side;
  float sum[8][8] = {};
  for (int k0 = 0; k0 < n; k0 += depth) {
    for (int i = 0; i < side; i += threads / depth)
      a_tile[A::at(thread / depth + i, thread % depth)] = a[(thread / depth + i) * n + k0 + thread % depth];
    for (int i = 0; i < depth; i += threads / side)
      b_tile[B::at(thread / side + i, thread % side)] = b[(k0 + thread / side + i) * n + thread % side];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < depth; ++k) {
      float x[8], y[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) x[i] = a_tile[A::at(row + i, k)];
      get_eight(y, &b_tile[B::at(k, column)], &b_tile[B::at(k, column + 4)]);
      multiply(sum, x, y);
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) c[(row + i) * n + column + j] = sum[i][j];
}

// Kernels 6 to 9 transpose A when they store it, so that the 8 rows of a thread are two loads of 16 bytes. A warp
// stores 128 / Depth words in each of Depth / 4 rows of the transposed tile, four rows apart. These rows begin in one
// bank. Each row should begin 128 / Depth banks after the previous row.
template <int Depth>
struct turned_plain {
  static constexpr int words = Depth * side;
  static __device__ int at(int k, int row) { return k * side + row; }
};
template <int Depth>
struct turned_padded {
  static constexpr int words = Depth * side + Depth / 4 * (128 / Depth);
  static __device__ int at(int k, int row) { return k * side + k / 4 * (128 / Depth) + row; }
};
template <int Depth>
struct turned_swizzled {
  static constexpr int words = Depth * side;
  static __device__ int at(int k, int row) { return k * side + (row ^ k / 4 * (128 / Depth)); }
};

enum class reads_b { by_word, by_16_bytes };

template <class A, class B, int Depth, reads_b Reads>
__device__ void sgemm6(float* c, const float* a, const float* b, int n) {
  __shared__ __align__(16) float a_tile[A::words], b_tile[Depth * B::pitch];
  const int thread = threadIdx.x, row = thread / 16 * 8, column = thread % 16 * 8;
  a += blockIdx.y * side * n;
  b += blockIdx.x * side;
  c += blockIdx.y * side * n + blockIdx.x * side;
  float sum[8][8] = {};
  for (int k0 = 0; k0 < n; k0 += Depth) {
#pragma unroll
    for (int i = 0; i < side * Depth; i += threads * 4) {
      const int r = (thread * 4 + i) / Depth, k = thread * 4 % Depth;
      const float4 x = four(&a[r * n + k0 + k]);
      a_tile[A::at(k, r)] = x.x;
      a_tile[A::at(k + 1, r)] = x.y;
      a_tile[A::at(k + 2, r)] = x.z;
      a_tile[A::at(k + 3, r)] = x.w;
    }
#pragma unroll
    for (int i = 0; i < side * Depth; i += threads * 4) {
      const int k = (thread * 4 + i) / side, j = thread * 4 % side;
      const float4 y = four(&b[(k0 + k) * n + j]);
      if constexpr (Reads == reads_b::by_16_bytes) {
        put_four(&b_tile[B::at(k, j)], y);
      } else {
        b_tile[B::at(k, j)] = y.x;
        b_tile[B::at(k, j + 1)] = y.y;
        b_tile[B::at(k, j + 2)] = y.z;
        b_tile[B::at(k, j + 3)] = y.w;
      }
    }
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < Depth; ++k) {
      float x[8], y[8];
      get_eight(x, &a_tile[A::at(k, row)], &a_tile[A::at(k, row + 4)]);
      if constexpr (Reads == reads_b::by_16_bytes) {
        get_eight(y, &b_tile[B::at(k, column)], &b_tile[B::at(k, column + 4)]);
      } else {
#pragma unroll
        for (int j = 0; j < 8; ++j) y[j] = b_tile[B::at(k, column + j)];
      }
      multiply(sum, x, y);
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; j += 4)
      put_four(&c[(row + i) * n + column + j], {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]});
}

#define SGEMM(name, ...)                                                                             \
  __global__ void __launch_bounds__(threads) name(float* c, const float* a, const float* b, int n) { \
    __VA_ARGS__(c, a, b, n);                                                                         \
  }

SGEMM(sgemm5_before, sgemm5<a_plain, b_plain>)
SGEMM(sgemm5_padded, sgemm5<a_padded, b_padded>)
SGEMM(sgemm5_swizzled, sgemm5<a_swizzled, b_swizzled>)
SGEMM(sgemm6_before, sgemm6<turned_plain<8>, b_plain, 8, reads_b::by_16_bytes>)
SGEMM(sgemm6_padded, sgemm6<turned_padded<8>, b_padded, 8, reads_b::by_16_bytes>)
SGEMM(sgemm6_swizzled, sgemm6<turned_swizzled<8>, b_swizzled, 8, reads_b::by_16_bytes>)
SGEMM(sgemm7_before, sgemm6<turned_plain<8>, b_eighths, 8, reads_b::by_word>)
SGEMM(sgemm7_padded, sgemm6<turned_padded<8>, b_eighths_padded, 8, reads_b::by_word>)
SGEMM(sgemm7_swizzled, sgemm6<turned_swizzled<8>, b_eighths_swizzled, 8, reads_b::by_word>)
SGEMM(sgemm8_before, sgemm6<turned_plain<8>, b_extra_columns, 8, reads_b::by_word>)
SGEMM(sgemm8_padded, sgemm6<turned_padded<8>, b_words_padded, 8, reads_b::by_word>)
SGEMM(sgemm8_swizzled, sgemm6<turned_swizzled<8>, b_words_swizzled, 8, reads_b::by_word>)
SGEMM(sgemm9_before, sgemm6<turned_plain<16>, b_plain, 16, reads_b::by_16_bytes>)
SGEMM(sgemm9_padded, sgemm6<turned_padded<16>, b_padded, 16, reads_b::by_16_bytes>)
SGEMM(sgemm9_swizzled, sgemm6<turned_swizzled<16>, b_swizzled, 16, reads_b::by_16_bytes>)

int main(int argc, char** argv) {
  program p("sgemm", argc, argv);
  const int n = p.timed() ? 4096 : 128;
  const std::size_t count = static_cast<std::size_t>(n) * n;
  const std::vector<float> a = small_numbers(count, 1), b = small_numbers(count, 2);
  const gpu_buffer<float> ga(a), gb(b), gc(count);
  const auto run = [&](const char* name, void (*kernel)(float*, const float*, const float*, int), int tile = side,
                       int block = threads) {
    CUDA_CHECK(cudaMemset(gc.get(), 0, count * sizeof(float)));
    p.run(
        name, [&] { kernel<<<dim3(n / tile, n / tile), block>>>(gc.get(), ga.get(), gb.get(), n); },
        [&] {
          const std::vector<float> c = gc.host();
          bool right = true;
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
              float sum = 0;
              for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
              right &= c[i * n + j] == sum;
            }
          return right;
        });
  };
  run("sgemm4_before", sgemm4_before, 64, 512);
  run("sgemm5_before", sgemm5_before);
  run("sgemm5_padded", sgemm5_padded);
  run("sgemm5_swizzled", sgemm5_swizzled);
  run("sgemm6_before", sgemm6_before);
  run("sgemm6_padded", sgemm6_padded);
  run("sgemm6_swizzled", sgemm6_swizzled);
  run("sgemm7_before", sgemm7_before);
  run("sgemm7_padded", sgemm7_padded);
  run("sgemm7_swizzled", sgemm7_swizzled);
  run("sgemm8_before", sgemm8_before);
  run("sgemm8_padded", sgemm8_padded);
  run("sgemm8_swizzled", sgemm8_swizzled);
  run("sgemm9_before", sgemm9_before);
  run("sgemm9_padded", sgemm9_padded);
  run("sgemm9_swizzled", sgemm9_swizzled);
  return p.status();
}
