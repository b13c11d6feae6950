// Runs DeepGEMM's kernels of sm_100 (deep_gemm/include of deepseek-ai/DeepGEMM): operands, TMA descriptors, one launch,
// and a comparison with the host. -DVARIANT=N selects the kernel: 0 to 3 bf16 (one block, pairs, A and B swapped, MN
// major), 10 to 12 8-bit floats with scales (of 128 elements; 4-bit B in pairs; swapped), 20 bmk_bnk_mn, 30 the tf32
// product before a norm. Needs -std=c++20 -gencode arch=compute_100a,code=sm_100a, and CUTLASS's include folder.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>
#ifndef VARIANT
#define VARIANT 0
#endif
#if VARIANT < 10
#include <deep_gemm/impls/sm100_bf16_gemm.cuh>
#elif VARIANT < 20
#include <deep_gemm/impls/sm100_fp8_fp4_gemm_1d1d.cuh>
#elif VARIANT < 30
#include <deep_gemm/impls/sm100_bmk_bnk_mn.cuh>
#else
#include <deep_gemm/impls/sm100_tf32_hc_prenorm_gemm.cuh>
#endif
using namespace deep_gemm;
#define CK(x)                                                     \
  do {                                                            \
    auto e_ = (x);                                                \
    if (int(e_) != 0) {                                           \
      printf("%s: error %d at line %d\n", #x, int(e_), __LINE__); \
      exit(3);                                                    \
    }                                                             \
  } while (0)

static CUtensorMap map2d(void* p, CUtensorMapDataType t, int elem, long inner, long outer, int box_in, int box_out,
                         long stride_bytes, int swizzle) {
  CUtensorMap m;
  cuuint64_t d[2] = {cuuint64_t(inner), cuuint64_t(outer)};
  cuuint64_t s[1] = {cuuint64_t(stride_bytes)};
  cuuint32_t b[2] = {cuuint32_t(box_in), cuuint32_t(box_out)}, e[2] = {1, 1};
  (void)elem;
  auto sw = swizzle == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
            : swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
            : swizzle == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                            : CU_TENSOR_MAP_SWIZZLE_NONE;
  CK(cuTensorMapEncodeTiled(&m, t, 2, p, d, s, b, e, CU_TENSOR_MAP_INTERLEAVE_NONE, sw,
                            CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return m;
}
template <class T>
T* dev(const std::vector<T>& v) {
  T* p;
  CK(cudaMalloc(&p, v.size() * sizeof(T)));
  CK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
template <class K, class... A>
void launch(K k, int grid, int threads, int smem, int cluster, A... a) {
  CK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, smem));
  cudaLaunchConfig_t c{};
  c.gridDim = grid;
  c.blockDim = threads;
  c.dynamicSmemBytes = smem;
  cudaLaunchAttribute at[2];
  at[0].id = cudaLaunchAttributeClusterDimension;
  at[0].val.clusterDim = {unsigned(cluster), 1, 1};
  at[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  at[1].val.programmaticStreamSerializationAllowed = 1;
  c.attrs = at;
  c.numAttrs = 2;
  CK(cudaLaunchKernelEx(&c, k, a...));
  CK(cudaDeviceSynchronize());
}
static int judge(const std::vector<float>& got, const std::vector<float>& want, double tol) {
  double worst = 0;
  long bad = 0, first = -1;
  for (size_t i = 0; i < got.size(); ++i) {
    double e = std::fabs(got[i] - want[i]) / (1 + std::fabs(want[i]));
    if (!(e <= tol)) {
      if (first < 0) first = i;
      ++bad;
    }
    if (e > worst) worst = e;
  }
  if (bad)
    printf("FAILED: %ld of %zu differ, first at %ld: %g, expected %g\n", bad, got.size(), first, got[first],
           want[first]);
  else
    printf("PASSED: %zu elements, largest relative error %.3g\n", got.size(), worst);
  return bad != 0;
}
static std::mt19937 rng(7);
static float uni() { return std::uniform_real_distribution<float>(-1, 1)(rng); }
int main() {
  CK(cuInit(0));
  CK(cudaFree(0));
#if VARIANT < 10
  // 0: one CTA, K-major. 1: pairs of CTAs, multicast. 2: A and B swapped, float output. 3: A and B MN-major, pairs.
  constexpr int M = 512 - 64, N = 384, K = 320, BK = 64, STAGES = 4;
  constexpr bool swap = VARIANT == 2, pair = VARIANT == 1 || VARIANT == 3;
  constexpr int BM = VARIANT == 2 ? 64 : 128, BN = 128, MC = pair ? 2 : 1, SMS = 4;
  constexpr auto MJ = VARIANT == 3 ? cute::UMMA::Major::MN : cute::UMMA::Major::K;
  using cd_t = std::conditional_t<VARIANT == 2, float, cutlass::bfloat16_t>;
  constexpr int ES = sizeof(cd_t), LBM = BM, LBN = BN / MC, STM = swap ? 16 : 128, STN = swap ? BN : 128 / ES;
  std::vector<__nv_bfloat16> a(M * K), b(N * K);
  for (auto& x : a) x = uni();
  for (auto& x : b) x = uni();
  std::vector<float> want(size_t(M) * N);
  auto A = [&](int m, int k) { return __bfloat162float(MJ == cute::UMMA::Major::K ? a[m * K + k] : a[k * M + m]); };
  auto B = [&](int n, int k) { return __bfloat162float(MJ == cute::UMMA::Major::K ? b[n * K + k] : b[k * N + n]); };
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      float s = 0;
      for (int k = 0; k < K; ++k) s += A(m, k) * B(n, k);
      want[m * N + n] = s;
    }
  auto* da = dev(a);
  auto* db = dev(b);
  cd_t* dd;
  CK(cudaMalloc(&dd, M * N * ES));
  CK(cudaMemset(dd, 255, M * N * ES));
  auto ta = MJ == cute::UMMA::Major::K ? map2d(da, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, K, M, 64, LBM, K * 2, 128)
                                       : map2d(da, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, M, K, 64, BK, M * 2, 128);
  auto tb = MJ == cute::UMMA::Major::K ? map2d(db, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, K, N, 64, LBN, K * 2, 128)
                                       : map2d(db, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, N, K, 64, BK, N * 2, 128);
  auto td = map2d(dd, ES == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, ES, N, M, 128 / ES,
                  STM, N * ES, 128);
  int smem =
      STM * STN * ES * 2 + STAGES * (LBM * BK * 2 + LBN * BK * 2) + (STAGES * 3 + 5) * 8 + 16 + 1024 + (swap ? 0 : 0);
  auto* k = sm100_bf16_gemm_impl<MJ, MJ, 0, 0, 0, BM, BN, BK, 1, 128, 128, 128, STAGES, 128, 128, MC, false, SMS, 128,
                                 swap, false, GemmType::Normal, false, cd_t, 100>;
  launch(k, SMS, 256, smem, MC, (int*)nullptr, uint32_t(M), uint32_t(N), uint32_t(K), ta, tb, td);
  std::vector<cd_t> d(size_t(M) * N);
  CK(cudaMemcpy(d.data(), dd, M * N * ES, cudaMemcpyDeviceToHost));
  std::vector<float> got(d.size());
  for (size_t i = 0; i < d.size(); ++i) got[i] = float(d[i]);
  return judge(got, want, ES == 4 ? 1e-4 : 0.01);
#elif VARIANT < 20
  // 10: fp8 x fp8, scales of 128. 11: fp8 x fp4, scales of 32, pairs. 12: fp8 x fp8, scales of 32, swapped.
  constexpr int M = 512 - 64, N = 384, K = 640, BK = 128, STAGES = 3;
  constexpr bool swap = VARIANT == 12, pair = VARIANT == 11, fp4 = VARIANT == 11;
  constexpr int GA = VARIANT == 10 ? 128 : 32, GB = GA, BM = swap ? 64 : 128, BN = 128, MC = pair ? 2 : 1, SMS = 4;
  using cd_t = cutlass::bfloat16_t;
  constexpr int ES = 2, LBM = BM, LBN = BN / MC, STM = swap ? 16 : 128, STN = swap ? BN : 128 / ES;
  using b_t = std::conditional_t<fp4, cutlass::detail::float_e2m1_unpacksmem_t, cutlass::float_e4m3_t>;
  std::vector<__nv_fp8_e4m3> a(M * K);
  std::vector<float> fa(M * K), fb(N * K);
  std::vector<unsigned char> b(N * K / (fp4 ? 2 : 1));
  for (int i = 0; i < M * K; ++i) {
    a[i] = __nv_fp8_e4m3(uni());
    fa[i] = float(a[i]);
  }
  for (int i = 0; i < N * K; ++i) {
    if (fp4) {
      auto q = __nv_cvt_float_to_fp4(uni() * 6, __NV_E2M1, cudaRoundNearest);
      __nv_fp4_e2m1 x;
      x.__x = q;
      fb[i] = float(x);
      b[i / 2] |= (q & 15) << (i % 2 * 4);
    } else {
      __nv_fp8_e4m3 x(uni());
      fb[i] = float(x);
      b[i] = x.__x;
    }
  }
  auto scales = [&](int mn, int gran, std::vector<int>& packed, std::vector<float>& s) {
    int granules = (K + gran - 1) / gran, words = (granules + 3) / 4, al = (mn + 3) / 4 * 4;
    packed.assign(words * al, 0);
    s.assign(mn * granules, 0);
    for (int m = 0; m < mn; ++m)
      for (int g = 0; g < granules; ++g) {
        int e = 127 + int(rng() % 5) - 2;
        s[m * granules + g] = std::ldexp(1.f, e - 127);
        packed[g / 4 * al + m] |= e << (g % 4 * 8);
      }
  };
  std::vector<int> pa, pb;
  std::vector<float> sa, sb;
  scales(M, GA, pa, sa);
  scales(N, GB, pb, sb);
  int na = (K + GA - 1) / GA, nb = (K + GB - 1) / GB;
  std::vector<float> want(size_t(M) * N);
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      float s = 0;
      for (int k = 0; k < K; ++k) s += fa[m * K + k] * sa[m * na + k / GA] * fb[n * K + k] * sb[n * nb + k / GB];
      want[m * N + n] = s;
    }
  auto* da = dev(a);
  auto* db = dev(b);
  auto* dsa = dev(pa);
  auto* dsb = dev(pb);
  cd_t* dd;
  CK(cudaMalloc(&dd, M * N * ES));
  CK(cudaMemset(dd, 255, M * N * ES));
  auto ta = map2d(da, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, K, M, 128, LBM, K, 128);
  auto tb = map2d(db, fp4 ? CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B : CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, K, N, 128, LBN,
                  fp4 ? K / 2 : K, 128);
  auto tsa = map2d(dsa, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, M, (na + 3) / 4, BM, 1, M * 4, 0);
  auto tsb = map2d(dsb, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, N, (nb + 3) / 4, BN, 1, N * 4, 0);
  auto td = map2d(dd, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, ES, N, M, 128 / ES, STM, N * ES, 128);
  int smem = STM * STN * ES * 2 + STAGES * (LBM * BK + LBN * BK + 512 + 512) + (STAGES * 3 + 5) * 8 + 16 + 4096;
  auto* k =
      sm100_fp8_fp4_gemm_1d1d_impl<cute::UMMA::Major::K, cute::UMMA::Major::K, GA, GB, GA, 0, 0, 0, BM, BN, BK, 1, 128,
                                   128, 128, STAGES, 128, 128, MC, false, SMS, swap, false, GemmType::Normal, false,
                                   cutlass::float_e4m3_t, b_t, cd_t, epilogue::transform::EpilogueIdentity>;
  launch(k, SMS, 256, smem, MC, (int*)nullptr, uint32_t(M), uint32_t(N), uint32_t(K), ta, tb, tsa, tsb, td);
  std::vector<cd_t> d(size_t(M) * N);
  CK(cudaMemcpy(d.data(), dd, M * N * ES, cudaMemcpyDeviceToHost));
  std::vector<float> got(d.size());
  for (size_t i = 0; i < d.size(); ++i) got[i] = float(d[i]);
  return judge(got, want, 0.01);
#elif VARIANT < 30
  constexpr int S = 3, M = 128, N = 256, K = 128, STAGES = 4, SPLIT = 2;
  std::vector<__nv_bfloat16> a(S * M * K), b(S * N * K);
  for (auto& x : a) x = uni();
  for (auto& x : b) x = uni();
  std::vector<float> want(M * N, 0);
  for (int s = 0; s < S; ++s)
    for (int m = 0; m < M; ++m)
      for (int n = 0; n < N; ++n) {
        float t = 0;
        for (int k = 0; k < K; ++k)
          t += __bfloat162float(a[(s * M + m) * K + k]) * __bfloat162float(b[(s * N + n) * K + k]);
        want[m * N + n] += t;
      }
  auto* da = dev(a);
  auto* db = dev(b);
  std::vector<float> got(M * N, 0);
  auto* dd = dev(got);
  auto ta = map2d(da, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, K, S * M, 64, 128, K * 2, 128),
       tb = map2d(db, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, K, S * N, 64, 128, K * 2, 128);
  auto td = map2d(dd, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, N, M, 32, 128, N * 4, 128);
  int smem = 128 * 128 * 2 + STAGES * 32768 + STAGES * 24 + 64 + 1024;
  launch(sm100_bmn_bnk_mn_gemm_impl<M, N, K, 128, 128, 64, SPLIT, 128, 128, STAGES, 128>,
         2 * ((S * 2 + SPLIT - 1) / SPLIT), 128, smem, 1, uint32_t(S), ta, tb, td);
  CK(cudaMemcpy(got.data(), dd, M * N * 4, cudaMemcpyDeviceToHost));
  return judge(got, want, 1e-4);
#else
  constexpr int M = 150, N = 24, K = 512, BN = 32, STAGES = 4, SPLITS = 1;
  std::vector<__nv_bfloat16> a(M * K);
  std::vector<float> b(N * K);
  for (auto& x : a) x = uni();
  for (auto& x : b) x = float(__nv_bfloat16(uni()));
  std::vector<float> want(M * N), sq(M, 0);
  for (int m = 0; m < M; ++m) {
    for (int k = 0; k < K; ++k) sq[m] += __bfloat162float(a[m * K + k]) * __bfloat162float(a[m * K + k]);
    for (int n = 0; n < N; ++n) {
      float t = 0;
      for (int k = 0; k < K; ++k) t += __bfloat162float(a[m * K + k]) * b[n * K + k];
      want[m * N + n] = t;
    }
  }
  auto* da = dev(a);
  auto* db = dev(b);
  std::vector<float> got(M * N, 0), gsq(M, 0);
  auto* dd = dev(got);
  auto* ds = dev(gsq);
  auto ta = map2d(da, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, K, M, 64, 64, K * 2, 128),
       tb = map2d(db, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4, K, N, 32, BN, K * 4, 128),
       td = map2d(dd, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, N, M, 32, 64, N * 4, 128);
  int smem = 64 * 128 + STAGES * (64 * 64 * 2 + BN * 64 * 4) + (STAGES * 4 + 1) * 8 + 16 + 1024;
  launch(sm100_tf32_hc_prenorm_gemm_impl<N, K, 64, BN, 64, SPLITS, 128, STAGES, 128, 128>, SPLITS * ((M + 63) / 64),
         256, smem, 1, uint32_t(M), ta, tb, td, ds);
  CK(cudaMemcpy(got.data(), dd, M * N * 4, cudaMemcpyDeviceToHost));
  CK(cudaMemcpy(gsq.data(), ds, M * 4, cudaMemcpyDeviceToHost));
  int bad = judge(got, want, 1e-3);
  return judge(gsq, sq, 1e-3) | bad;
#endif
}
