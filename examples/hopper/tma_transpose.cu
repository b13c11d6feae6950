// Transposes a matrix through shared memory that TMA fills. In a swizzled tile, columns have fewer conflicts.
//
//     bankwise run tma_transpose.cu
#include <cuda.h>
#include <cuda/barrier>

#include "../check.cuh"

#pragma nv_diag_suppress static_var_with_dynamic_init  // the barrier has no initialiser, because init() makes it

constexpr int side = 32, width = 128, height = 64;

// A tile of 32 x 32 floats has rows of 128 bytes, so the 32 rows of a column are in one bank. The 128-byte swizzle
// exchanges the eight pieces of 16 bytes in a row, depending on the row's number. Then a column is in eight banks.
template <bool swizzled>
__device__ int place(int row, int column) {
  return row * side + (swizzled ? column ^ (row % 8 * 4) : column);
}

template <bool swizzled>
__device__ void transpose(float* out, const CUtensorMap& in) {
  __shared__ alignas(1024) float tile[side * side];
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  const int x = blockIdx.x * side, y = blockIdx.y * side;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    init(&arrived, 1);
    cuda::device::experimental::fence_proxy_async_shared_cta();
    cuda::device::experimental::cp_async_bulk_tensor_2d_global_to_shared(tile, &in, x, y, arrived);
    (void)cuda::device::barrier_arrive_tx(arrived, 1, sizeof tile);
  }
  __syncthreads();
  arrived.wait_parity(0);
  for (int row = threadIdx.y; row < side; row += blockDim.y)
    out[(x + row) * height + y + threadIdx.x] = tile[place<swizzled>(threadIdx.x, row)];
}

__global__ void tma_plain(float* out, const __grid_constant__ CUtensorMap in) { transpose<false>(out, in); }
__global__ void tma_swizzled(float* out, const __grid_constant__ CUtensorMap in) { transpose<true>(out, in); }

static CUtensorMap map_of(float* data, CUtensorMapSwizzle swizzle) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found{};
  CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &address, 12000, cudaEnableDefault, &found));
  const cuuint64_t size[] = {width, height}, pitch[] = {width * sizeof(float)};
  const cuuint32_t box[] = {side, side}, step[] = {1, 1};
  CUtensorMap map{};
  if (address == nullptr ||
      reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(address)(
          &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, size, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
          CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    std::exit(2);
  return map;
}

int main() {
  const std::vector<float> in = small_numbers(width * height, 1);
  std::vector<float> expected(in.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) expected[x * height + y] = in[y * width + x];
  const gpu_buffer<float> from(in);
  bool right = true;
  const auto run = [&](const char* name, void (*kernel)(float*, const CUtensorMap), CUtensorMapSwizzle swizzle) {
    const gpu_buffer<float> to(in.size());
    kernel<<<dim3(width / side, height / side), dim3(side, 8)>>>(to.get(), map_of(from.get(), swizzle));
    CUDA_CHECK(cudaGetLastError());
    right &= report_result(name, to.host() == expected);
  };
  run("tma_plain", tma_plain, CU_TENSOR_MAP_SWIZZLE_NONE);
  run("tma_swizzled", tma_swizzled, CU_TENSOR_MAP_SWIZZLE_128B);
  return right ? 0 : 1;
}
