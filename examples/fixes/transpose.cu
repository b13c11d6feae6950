// Transposes a matrix through a tile of 32 x 32 words, in blocks of 32 x 16 threads: the accesses of transposeCoalesced
// in NVIDIA's cuda-samples, whose column reads take 32 wavefronts each.
#include "fixes.cuh"

constexpr int side = 32, rows_a_step = 16;

struct plain {
  static constexpr int words = side * side;
  static __device__ int at(int row, int column) { return row * side + column; }
};
// With one additional word in each row, a column uses all banks.
struct padded {
  static constexpr int words = side * (side + 1);
  static __device__ int at(int row, int column) { return row * (side + 1) + column; }
};
// Removes the conflicts without more memory.
struct swizzled {
  static constexpr int words = side * side;
  static __device__ int at(int row, int column) { return row * side + (column ^ row); }
};

template <class Layout>
__device__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[Layout::words];
  const int x = blockIdx.x * side, y = blockIdx.y * side;
  for (int j = threadIdx.y; j < side; j += rows_a_step)
    tile[Layout::at(j, threadIdx.x)] = in[(y + j) * n + x + threadIdx.x];
  __syncthreads();
  for (int j = threadIdx.y; j < side; j += rows_a_step)
    out[(x + j) * n + y + threadIdx.x] = tile[Layout::at(threadIdx.x, j)];
}

__global__ void transpose_before(float* out, const float* in, int n) { transpose<plain>(out, in, n); }
__global__ void transpose_padded(float* out, const float* in, int n) { transpose<padded>(out, in, n); }
__global__ void transpose_swizzled(float* out, const float* in, int n) { transpose<swizzled>(out, in, n); }

int main(int argc, char** argv) {
  program p("transpose", argc, argv);
  const std::size_t n = p.timed() ? 8192 : 256;
  const std::vector<float> in = small_numbers(n * n, 1);
  const gpu_buffer<float> from(in), to(n * n);
  const auto run = [&](const char* name, void (*kernel)(float*, const float*, int)) {
    CUDA_CHECK(cudaMemset(to.get(), 0, n * n * sizeof(float)));
    const dim3 grid(n / side, n / side), block(side, rows_a_step);
    p.run(
        name, [&] { kernel<<<grid, block>>>(to.get(), from.get(), n); },
        [&] { return is_transposed(to.host(), in, n); });
  };
  run("transpose_before", transpose_before);
  run("transpose_padded", transpose_padded);
  run("transpose_swizzled", transpose_swizzled);
  return p.status();
}
