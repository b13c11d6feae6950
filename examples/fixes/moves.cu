// Kernels that become cheaper by a change other than a layout: other threads in each warp, an array that is stored
// transposed, or shuffles. Each `_before` is the obvious kernel; the other kernel differs from it only by the change.
#include "fixes.cuh"

// --- other threads in a warp: a transpose that writes rows of 32 and reads columns of 32, then one with warps of 8 x 4

constexpr int side = 32, rows_a_step = 16;

struct indices {
  int x, y;
};
struct rows_of_32 {
  static __device__ indices get() { return {static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y)}; }
};
struct rectangles {  // the source lines that `bankwise run --try-warps` prints
  static __device__ indices get() {
    const unsigned thread = threadIdx.y * 32 + threadIdx.x, warp = thread / 32, lane = thread % 32;
    const unsigned tx = warp % 4 * 8 + lane % 8, ty = warp / 4 * 4 + lane / 8;
    return {static_cast<int>(tx), static_cast<int>(ty)};
  }
};

template <class Threads>
__device__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[side][side];
  const indices t = Threads::get();
  const int x = blockIdx.x * side, y = blockIdx.y * side;
  for (int j = t.y; j < side; j += rows_a_step) tile[j][t.x] = in[(y + j) * n + x + t.x];
  __syncthreads();
  for (int j = t.y; j < side; j += rows_a_step) out[(x + j) * n + y + t.x] = tile[t.x][j];
}

__global__ void warps_before(float* out, const float* in, int n) { transpose<rows_of_32>(out, in, n); }
__global__ void warps_rectangles(float* out, const float* in, int n) { transpose<rectangles>(out, in, n); }

// --- a transposed array: 16 columns of C = A B. A thread computes 8 rows of a column, and reads down a column of A

constexpr int height = 128, depth = 8, width = 16, threads = 256;

struct as_stored {
  float words[height][depth];
  __device__ float& at(int row, int k) { return words[row][k]; }
};
struct turned {
  __align__(16) float words[depth][height + 4];
  __device__ float& at(int row, int k) { return words[k][row]; }
};

template <class Tile>
__device__ void product(float* c, const float* a, const float* b, int n) {
  __shared__ Tile tile;
  const int t = threadIdx.x, row = t / width * 8, column = t % width;
  a += blockIdx.x * height * n;
  float sum[8] = {};
  for (int k0 = 0; k0 < n; k0 += depth) {
    for (int i = t; i < height * depth; i += threads) tile.at(i / depth, i % depth) = a[i / depth * n + k0 + i % depth];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < depth; ++k) {
      const float y = b[(k0 + k) * width + column];
#pragma unroll
      for (int i = 0; i < 8; ++i) sum[i] += tile.at(row + i, k) * y;
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) c[(blockIdx.x * height + row + i) * width + column] = sum[i];
}

__global__ void column_before(float* c, const float* a, const float* b, int n) { product<as_stored>(c, a, b, n); }
__global__ void column_turned(float* c, const float* a, const float* b, int n) { product<turned>(c, a, b, n); }

// --- shuffles: prefix sums of the 32 values of a warp, in five steps

__global__ void prefix_before(float* out, const float* in, int n) {
  __shared__ float values[threads];
  const int t = threadIdx.x, lane = t % 32;
  for (int i = blockIdx.x * threads + t; i < n; i += gridDim.x * threads) {
    float sum = in[i];
    for (int step = 1; step < 32; step *= 2) {
      values[t] = sum;
      __syncthreads();
      if (lane >= step) sum += values[t - step];
      __syncthreads();
    }
    out[i] = sum;
  }
}
__global__ void prefix_shuffled(float* out, const float* in, int n) {
  const int lane = threadIdx.x % 32;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) {
    float sum = in[i];
    for (int step = 1; step < 32; step *= 2) {
      const float left = __shfl_up_sync(~0u, sum, step);
      if (lane >= step) sum += left;
    }
    out[i] = sum;
  }
}

int main(int argc, char** argv) {
  program p("moves", argc, argv);
  const std::size_t n = p.timed() ? 8192 : 256;
  const std::vector<float> in = small_numbers(n * n, 1);
  const gpu_buffer<float> from(in), to(n * n);
  const auto transpose_by = [&](const char* name, auto kernel) {
    CUDA_CHECK(cudaMemset(to.get(), 0, n * n * sizeof(float)));
    const dim3 grid(n / side, n / side), block(side, rows_a_step);
    p.run(name, [&] { kernel<<<grid, block>>>(to.get(), from.get(), n); },
          [&] { return is_transposed(to.host(), in, n); });
  };
  transpose_by("warps_before", warps_before);
  transpose_by("warps_rectangles", warps_rectangles);

  const std::size_t rows = p.timed() ? 132 * 8 * height : 4 * height, inner = p.timed() ? 1024 : 32;
  const std::vector<float> a = small_numbers(rows * inner, 1), b = small_numbers(inner * width, 2);
  const gpu_buffer<float> ga(a), gb(b), gc(rows * width);
  const auto multiply_by = [&](const char* name, auto kernel) {
    p.run(name, [&] { kernel<<<rows / height, threads>>>(gc.get(), ga.get(), gb.get(), inner); },
          [&] {
            const std::vector<float> c = gc.host();
            bool right = true;
            for (std::size_t r = 0; r < rows; ++r)
              for (std::size_t j = 0; j < width; ++j) {
                float sum = 0;
                for (std::size_t k = 0; k < inner; ++k) sum += a[r * inner + k] * b[k * width + j];
                right &= c[r * width + j] == sum;
              }
            return right;
          });
  };
  multiply_by("column_before", column_before);
  multiply_by("column_turned", column_turned);

  const std::size_t count = n * n;
  const auto add_by = [&](const char* name, auto kernel) {
    const int grid = p.timed() ? 132 * 8 : 8;
    p.run(name, [&] { kernel<<<grid, threads>>>(to.get(), from.get(), count); },
          [&] {
            const std::vector<float> out = to.host();
            bool right = true;
            float sum = 0;
            for (std::size_t i = 0; i < count; ++i) right &= out[i] == (sum = i % 32 == 0 ? in[i] : sum + in[i]);
            return right;
          });
  };
  add_by("prefix_before", prefix_before);
  add_by("prefix_shuffled", prefix_shuffled);
  return p.status();
}
