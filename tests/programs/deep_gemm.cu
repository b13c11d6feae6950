// Runs DeepGEMM's product of 8-bit floats with a scale for each 128 elements (deep_gemm/include of
// deepseek-ai/DeepGEMM), with the arguments that its run-time compiler passes to the kernel. The kernel uses TMA,
// shares B between pairs of blocks, uses wgmma, multiplies sums by scales, and its blocks process several tiles. The
// number of rows is not a multiple of the tile's.
#include <cuda.h>
#include <cuda_fp8.h>
#include <deep_gemm/impls/sm90_fp8_gemm_1d2d.cuh>

#include "attention.hpp"

namespace {

constexpr std::uint32_t block_m = 128, block_n = 128, block_k = 128, stages = 4, cluster = 2, blocks = 4,
                        math_threads = 256, tma_threads = 128;

decltype(&cuTensorMapEncodeTiled) encode() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  require(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result));
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
}

CUtensorMap map(CUtensorMapDataType type, void* at, std::uint64_t columns, std::uint64_t rows, std::uint64_t row_bytes,
                std::uint32_t box_columns, std::uint32_t box_rows, CUtensorMapSwizzle swizzle) {
  CUtensorMap out{};
  const cuuint64_t sizes[] = {columns, rows}, strides[] = {row_bytes};
  const cuuint32_t box[] = {box_columns, box_rows}, steps[] = {1, 1};
  if (encode()(&out, type, 2, at, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
               CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
    std::fprintf(stderr, "no tensor map\n");
    std::exit(2);
  }
  return out;
}

bool run(std::uint32_t m, std::uint32_t n, std::uint32_t k) {
  using namespace deep_gemm;
  const std::uint32_t k_blocks = k / block_k, m_aligned = (m + 3) / 4 * 4;
  const std::vector<float> a = numbers(std::size_t(m) * k, 1), b = numbers(std::size_t(n) * k, 2);
  std::vector<float> a_scale = numbers(std::size_t(k_blocks) * m_aligned, 3),
                     b_scale = numbers(std::size_t(n / block_k) * k_blocks, 4);
  for (float& s : a_scale) s = 1 + s / 2;
  for (float& s : b_scale) s = 1 + s / 2;
  auto* on_a = on_device<__nv_fp8_e4m3>(a);
  auto* on_b = on_device<__nv_fp8_e4m3>(b);
  auto* on_a_scale = on_device<float>(a_scale);
  auto* d = zeros_on_device<__nv_bfloat16>(std::size_t(m) * n);
  const CUtensorMap maps[] = {
      map(CU_TENSOR_MAP_DATA_TYPE_UINT8, on_a, k, m, k, block_k, block_m, CU_TENSOR_MAP_SWIZZLE_128B),
      map(CU_TENSOR_MAP_DATA_TYPE_UINT8, on_b, k, n, k, block_k, block_n, CU_TENSOR_MAP_SWIZZLE_128B),
      map(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, d, n, m, n * 2, 64, block_m, CU_TENSOR_MAP_SWIZZLE_128B),
      map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, on_a_scale, m_aligned, k_blocks, m_aligned * 4, block_m, 1,
          CU_TENSOR_MAP_SWIZZLE_NONE)};
  auto* kernel = &sm90_fp8_gemm_1d2d_impl<cute::UMMA::Major::K, 0, 0, 0, 1, block_m, block_n, block_k, 128, 128, 128,
                                          stages, tma_threads, math_threads, cluster, false, blocks, GemmType::Normal,
                                          cutlass::bfloat16_t, epilogue::transform::EpilogueIdentity>;
  const std::size_t shared = block_m * block_n * 2 + stages * (block_m * block_k + block_n * block_k + block_m * 4) +
                             (k_blocks + 1) / 2 * 2 * 4 + 2 * stages * 8;
  require(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                               int(shared)));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks, config.blockDim = tma_threads + math_threads, config.dynamicSmemBytes = shared;
  config.attrs = &attribute, config.numAttrs = 1;
  require(cudaLaunchKernelEx(&config, kernel, on_device<float>(b_scale), static_cast<int*>(nullptr), m, n, k, maps[0],
                             maps[1], maps[2], maps[3]));
  std::vector<double> expected(std::size_t(m) * n);
  double greatest = 0;
  for (std::uint32_t i = 0; i < m; ++i)
    for (std::uint32_t j = 0; j < n; ++j) {
      double& sum = expected[std::size_t(i) * n + j];
      for (std::uint32_t l = 0; l < k; ++l)
        sum += double(a[std::size_t(i) * k + l]) * b[std::size_t(j) * k + l] * a_scale[l / block_k * m_aligned + i] *
               b_scale[j / block_k * k_blocks + l / block_k];
      greatest = std::fmax(greatest, std::fabs(sum));
    }
  return check("D", expected, from_device(d, expected.size()), greatest / 256);  // allows the rounding of D to bfloat16
}

}  // namespace

int main() { return run(500, 384, 640) ? 0 : 1; }
