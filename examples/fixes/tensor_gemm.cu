// D = A B + C in half precision with wmma, in tiles of 128 x 128 elements in shared memory: the accesses of
// cudaTensorCoreGemm in NVIDIA's cuda-samples. Each of eight warps computes 32 x 64 elements. 64 columns of A and B are
// loaded at a time. The only layout that wmma supports is a pitch, so there is no swizzle here.
#include <mma.h>

#include "fixes.cuh"

using namespace nvcuda;

constexpr int side = 128, depth = 64, threads = 256;

// Rows of 128 and 512 bytes all begin in one bank, so an 8-row matrix of ldmatrix takes 8 wavefronts.
struct plain {
  static constexpr int half_pitch = depth, float_pitch = side;
};
// The sample pads rows of A and B by 32 bytes. Rows r and r + 4 still conflict.
struct skewed {
  static constexpr int half_pitch = depth + 16, float_pitch = side;
};
// 16 bytes are enough. wmma needs 32-byte alignment only at the start of a tile, and tiles begin 16 rows apart. The
// rows of C are 32 bytes longer, so that the four rows of a half-warp use all banks.
struct padded {
  static constexpr int half_pitch = depth + 8, float_pitch = side + 8;
};
template <class Layout>
constexpr int shared_bytes = std::max(side * Layout::float_pitch * 4, 2 * side * Layout::half_pitch * 2);

template <class Layout>
__device__ void tensor_gemm(float* d, const half* a, const half* b, const float* c, int n) {
  extern __shared__ __align__(128) unsigned char shared[];
  half* const halves = reinterpret_cast<half*>(shared);  // 128 rows of A, then 128 columns of B
  float* const floats = reinterpret_cast<float*>(shared);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float* const my_tiles = floats + warp / 2 * 32 * Layout::float_pitch + warp % 2 * 64;

  for (int tile = blockIdx.x; tile < n / side * (n / side); tile += gridDim.x) {
    const int row = tile / (n / side) * side, column = tile % (n / side) * side;
#pragma unroll
    for (int i = 0; i < 16; ++i)
      *reinterpret_cast<int4*>(&floats[(warp * 16 + i) * Layout::float_pitch + lane * 4]) =
          *reinterpret_cast<const int4*>(&c[(row + warp * 16 + i) * n + column + lane * 4]);
    __syncthreads();

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        wmma::load_matrix_sync(sum[i][j], my_tiles + i * 16 * Layout::float_pitch + j * 16, Layout::float_pitch,
                               wmma::mem_row_major);
    __syncthreads();

    // Four warps copy A and four warps copy B, each four rows of 128 bytes at a time.
    const half* from = warp < 4 ? a + (row + warp * 32) * n : b + (column + (warp - 4) * 32) * n;
    from += lane / 8 * n + lane % 8 * 8;
    half* const to = halves + (warp * 32 + lane / 8) * Layout::half_pitch + lane % 8 * 8;
    for (int k0 = 0; k0 < n; k0 += depth) {
#pragma unroll
      for (int i = 0; i < 32; i += 4)
        *reinterpret_cast<int4*>(to + i * Layout::half_pitch) = *reinterpret_cast<const int4*>(from + i * n + k0);
      __syncthreads();
#pragma unroll
      for (int k = 0; k < depth; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb[4];
#pragma unroll
        for (int i = 0; i < 2; ++i)
          wmma::load_matrix_sync(fa[i], halves + (warp / 2 * 32 + i * 16) * Layout::half_pitch + k, Layout::half_pitch);
#pragma unroll
        for (int j = 0; j < 4; ++j)
          wmma::load_matrix_sync(fb[j], halves + (side + warp % 2 * 64 + j * 16) * Layout::half_pitch + k,
                                 Layout::half_pitch);
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j) wmma::mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
      }
      __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        wmma::store_matrix_sync(my_tiles + i * 16 * Layout::float_pitch + j * 16, sum[i][j], Layout::float_pitch,
                                wmma::mem_row_major);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i)
      *reinterpret_cast<int4*>(&d[(row + warp * 16 + i) * n + column + lane * 4]) =
          *reinterpret_cast<const int4*>(&floats[(warp * 16 + i) * Layout::float_pitch + lane * 4]);
    __syncthreads();
  }
}

__global__ void tensor_gemm_before(float* d, const half* a, const half* b, const float* c, int n) {
  tensor_gemm<plain>(d, a, b, c, n);
}
__global__ void tensor_gemm_skewed(float* d, const half* a, const half* b, const float* c, int n) {
  tensor_gemm<skewed>(d, a, b, c, n);
}
__global__ void tensor_gemm_after(float* d, const half* a, const half* b, const float* c, int n) {
  tensor_gemm<padded>(d, a, b, c, n);
}

int main(int argc, char** argv) {
  program p("tensor_gemm", argc, argv);
  const int n = p.timed() ? 4096 : 256;
  const std::size_t count = static_cast<std::size_t>(n) * n;
  const std::vector<float> a = small_numbers(count, 1), b = small_numbers(count, 2), c = small_numbers(count, 3);
  std::vector<half> ha(count), hb(count);
  for (std::size_t i = 0; i < count; ++i) ha[i] = __float2half(a[i]), hb[i] = __float2half(b[i]);
  const gpu_buffer<half> ga(ha), gb(hb);
  const gpu_buffer<float> gc(c), gd(count);
  int blocks = 4;
  if (p.timed()) CUDA_CHECK(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0));
  const auto run = [&](const char* name, void (*kernel)(float*, const half*, const half*, const float*, int),
                       int bytes) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    CUDA_CHECK(cudaMemset(gd.get(), 0, count * sizeof(float)));
    p.run(
        name, [&] { kernel<<<blocks, threads, bytes>>>(gd.get(), ga.get(), gb.get(), gc.get(), n); },
        [&] {
          const std::vector<float> d = gd.host();
          bool right = true;
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
              float sum = c[i * n + j];
              for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[j * n + k];
              right &= d[i * n + j] == sum;
            }
          return right;
        });
  };
  run("tensor_gemm_before", tensor_gemm_before, shared_bytes<plain>);
  run("tensor_gemm_skewed", tensor_gemm_skewed, shared_bytes<skewed>);
  run("tensor_gemm_after", tensor_gemm_after, shared_bytes<padded>);
  return p.status();
}
