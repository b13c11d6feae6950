// Times of the parts of the timeline whose costs were guessed (runtime/clock/clock_costs.def): allocations, copies with pitches, managed
// memory, programmatic dependent launch, streams that wait for each other, copies through several streams, and libraries. None of the
// sequences is in held_out_sequences.cu.
//
//   nvcc -O3 -arch=sm_90 -cudart shared -o timeline_parts bench/timeline_parts.cu -lcublas -lcufft && ./timeline_parts [repetitions]
#include <cublas_v2.h>
#include <cufft.h>

#include "measured_sequence.hpp"

namespace {

__global__ void follow(float* to, const float* from, int n, bool triggers) {
  if (triggers) cudaTriggerProgrammaticLaunchCompletion();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaGridDependencySynchronize();
  if (i < n) to[i] = from[i] * 3;
}

// Measures two calls of which each undoes the other.
void measure_pair(const std::string& take_name, const std::function<void()>& take, const std::string& give_name,
                  const std::function<void()>& give) {
  const auto nothing = [] {};
  measure_calls(take_name, nothing, take, give);
  measure_calls(give_name, take, give, nothing);
}

void launch_with(cudaStream_t on, float* to, const float* from, int n, int early, bool triggers) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t how{};
  how.gridDim = (n + 255) / 256, how.blockDim = 256, how.stream = on, how.attrs = &attribute, how.numAttrs = early;
  CHECK(cudaLaunchKernelEx(&how, follow, to, from, n, triggers));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) repetitions = std::max(1, std::atoi(argv[1]));
  constexpr std::size_t most = std::size_t{128} << 20;
  float *a, *b, *c, *pinned;
  CHECK(cudaMalloc(&a, most));
  CHECK(cudaMalloc(&b, most));
  CHECK(cudaMalloc(&c, most));
  CHECK(cudaMallocHost(&pinned, most));
  std::fill(pinned, pinned + most / 4, 1.0f);
  for (float* one : {a, b, c}) CHECK(cudaMemset(one, 0, most));
  cudaStream_t s[4];
  for (cudaStream_t& one : s) CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  cudaEvent_t fork, join[4], turn[2];
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  for (cudaEvent_t& e : join) CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  for (cudaEvent_t& e : turn) CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  std::printf("sequence,events_us,calls_us,host_us\n");

  // Allocations.
  for (const std::size_t bytes : {std::size_t{256}, std::size_t{1} << 16, std::size_t{1} << 20, std::size_t{2} << 20,
                                  std::size_t{8} << 20, std::size_t{64} << 20, std::size_t{512} << 20}) {
    const std::string size = " of " + std::to_string(bytes);
    void* p = nullptr;
    const auto take = [&] { CHECK(cudaMalloc(&p, bytes)); };
    const auto give = [&] { CHECK(cudaFree(p)); };
    measure_pair("cudaMalloc" + size, take, "cudaFree" + size, give);
    std::vector<void*> all(10);
    const auto take_all = [&] {
      for (void*& one : all) CHECK(cudaMalloc(&one, bytes));
    };
    const auto give_all = [&] {
      for (void* one : all) CHECK(cudaFree(one));
    };
    measure_pair("10 times cudaMalloc" + size, take_all, "10 times cudaFree" + size, give_all);
  }
  for (const std::size_t bytes : {std::size_t{1} << 16, std::size_t{1} << 20, std::size_t{16} << 20}) {
    const std::string size = " of " + std::to_string(bytes);
    void* p = nullptr;
    const auto take = [&] { CHECK(cudaMallocHost(&p, bytes)); };
    const auto give = [&] { CHECK(cudaFreeHost(p)); };
    measure_pair("cudaMallocHost" + size, take, "cudaFreeHost" + size, give);
    const auto manage = [&] { CHECK(cudaMallocManaged(&p, bytes)); };
    const auto release = [&] { CHECK(cudaFree(p)); };
    measure_pair("cudaMallocManaged" + size, manage, "cudaFree of managed memory" + size, release);
  }
  for (const std::size_t bytes : {std::size_t{1} << 12, std::size_t{2} << 20, std::size_t{32} << 20})
    measure("cudaMallocAsync and cudaFreeAsync of " + std::to_string(bytes) + " x3", s[0], [&] {
      for (int i = 0; i < 3; ++i) {
        void* p = nullptr;
        CHECK(cudaMallocAsync(&p, bytes, s[0]));
        CHECK(cudaFreeAsync(p, s[0]));
      }
    });

  // Copies with pitches.
  for (const std::size_t all : {std::size_t{1} << 20, std::size_t{8} << 20, std::size_t{64} << 20})
    for (const std::size_t width : {std::size_t{256}, std::size_t{2048}, std::size_t{32768}}) {
      const std::size_t rows = all / width;
      const std::string size = " of " + std::to_string(rows) + " rows of " + std::to_string(width);
      measure("2D copy on device" + size + " with gaps in one", s[0], [&] {
        CHECK(cudaMemcpy2DAsync(b, width * 3 / 2, a, width, width, rows, cudaMemcpyDeviceToDevice, s[0]));
      });
      measure("2D copy on device" + size + " with gaps in both", s[0], [&] {
        CHECK(cudaMemcpy2DAsync(b, width * 3 / 2, a, width * 3 / 2, width, rows, cudaMemcpyDeviceToDevice, s[0]));
      });
      measure("2D copy on device" + size + " without gaps", s[0],
              [&] { CHECK(cudaMemcpy2DAsync(b, width, a, width, width, rows, cudaMemcpyDeviceToDevice, s[0])); });
    }
  for (const std::size_t width : {std::size_t{256}, std::size_t{2048}, std::size_t{32768}}) {
    const std::size_t rows = (std::size_t{2} << 20) / width;
    const std::string size = " of " + std::to_string(rows) + " rows of " + std::to_string(width);
    measure("2D copy to device" + size, s[0],
            [&] { CHECK(cudaMemcpy2DAsync(b, width * 2, pinned, width, width, rows, cudaMemcpyHostToDevice, s[0])); });
    measure("2D copy to host" + size, s[0],
            [&] { CHECK(cudaMemcpy2DAsync(pinned, width, a, width * 2, width, rows, cudaMemcpyDeviceToHost, s[0])); });
    measure("2D memset" + size, s[0], [&] { CHECK(cudaMemset2DAsync(b, width * 2, 0, width, rows, s[0])); });
  }

  // Managed memory.
  {
    float* managed;
    constexpr std::size_t bytes_of_managed = std::size_t{64} << 20;
    CHECK(cudaMallocManaged(&managed, bytes_of_managed));
    int device = 0;
    CHECK(cudaGetDevice(&device));
    for (const int mega : {1, 8, 64}) {
      const std::size_t bytes = static_cast<std::size_t>(mega) << 20;
      const int n = static_cast<int>(bytes / 4);
      const std::string size = " of " + std::to_string(mega) + " MB";
      const auto write = [&] { std::fill(managed, managed + n, 1.0f); };
      const auto read = [&] { scale<<<528, 256, 0, s[0]>>>(c, managed, n); };
      // The host's time until the kernel has ended, because the events would include the host's own writes.
      measure_calls(
          "kernel that reads managed memory" + size + " of the host", write,
          [&] { read(), CHECK(cudaStreamSynchronize(s[0])); }, [] {});
      measure_calls(
          "the same again", [] {}, [&] { read(), CHECK(cudaStreamSynchronize(s[0])); }, [] {});
      const auto fetch = [&](int where) {
#if CUDART_VERSION >= 13000
        const cudaMemLocation to{where >= 0 ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost,
                                 where >= 0 ? where : 0};
        CHECK(cudaMemPrefetchAsync(managed, bytes, to, 0, s[0]));
#else
        CHECK(cudaMemPrefetchAsync(managed, bytes, where, s[0]));
#endif
      };
      measure_calls(
          "prefetch to the device" + size, write, [&] { fetch(device), CHECK(cudaStreamSynchronize(s[0])); }, [] {});
      measure_calls(
          "prefetch to the host" + size, [&] { fetch(device); }, [&] { fetch(-1), CHECK(cudaStreamSynchronize(s[0])); },
          [] {});
      measure_calls(
          "host writes managed memory" + size + " of the device", [&] { fetch(device); }, write, [] {});
    }
    CHECK(cudaFree(managed));
  }

  // Launches.
  for (const int k : {12, 18, 22})
    for (const int how : {0, 1, 2})
      measure("6 kernels of 2^" + std::to_string(k) +
                  (how == 0   ? ""
                   : how == 1 ? " that begin early"
                              : " that trigger and begin early"),
              s[0], [&] {
                for (int i = 0; i < 6; ++i) launch_with(s[0], i % 2 ? a : b, i % 2 ? b : a, 1 << k, how != 0, how == 2);
              });
  for (const int how : {0, 1, 2}) {
    const cudaGraphExec_t g = graph_of(s[0], [&] {
      for (int i = 0; i < 12; ++i) launch_with(s[0], i % 2 ? a : b, i % 2 ? b : a, 1 << 16, how != 0, how == 2);
    });
    measure(std::string("graph of 12 kernels") + (how == 0   ? ""
                                                  : how == 1 ? " that begin early"
                                                             : " that trigger and begin early"),
            s[0], [&] { CHECK(cudaGraphLaunch(g, s[0])); });
  }
  for (const int rounds : {100, 5000, 30000})
    measure("chain " + std::to_string(rounds) + " in turns on 2 streams x8", s[0], [&] {
      for (int i = 0; i < 8; ++i) {
        chain<<<1, 32, 0, s[i % 2]>>>(a, rounds);
        CHECK(cudaEventRecord(turn[i % 2], s[i % 2]));
        CHECK(cudaStreamWaitEvent(s[1 - i % 2], turn[i % 2], 0));
      }
    });
  const auto spread = [&](int count, const std::function<void(int, cudaStream_t)>& what) {
    CHECK(cudaEventRecord(fork, s[0]));
    for (int i = 1; i < count; ++i) CHECK(cudaStreamWaitEvent(s[i], fork, 0));
    for (int i = 0; i < count; ++i) what(i, s[i]);
    for (int i = 1; i < count; ++i) {
      CHECK(cudaEventRecord(join[i], s[i]));
      CHECK(cudaStreamWaitEvent(s[0], join[i], 0));
    }
  };
  for (const int streams : {2, 3, 4})
    for (const int kilobytes : {512, 3072})
      measure("12 parts of " + std::to_string(kilobytes) + " KB through " + std::to_string(streams) + " streams", s[0],
              [&] {
                const std::size_t bytes = static_cast<std::size_t>(kilobytes) << 10;
                spread(streams, [&](int i, cudaStream_t on) {
                  for (int part = i; part < 12; part += streams) {
                    float *const at = pinned + part * bytes / 4, *const there = a + part * bytes / 4;
                    CHECK(cudaMemcpyAsync(there, at, bytes, cudaMemcpyHostToDevice, on));
                    chain<<<66, 256, 0, on>>>(there, 3000);
                    CHECK(cudaMemcpyAsync(at, there, bytes, cudaMemcpyDeviceToHost, on));
                  }
                });
              });

  // Libraries.
  cublasHandle_t blas;
  if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS || cublasSetStream(blas, s[0]) != CUBLAS_STATUS_SUCCESS) return 1;
  const float one = 1, zero = 0;
  const double one_d = 1, zero_d = 0;
  for (const int n : {128, 512, 1536, 4096}) {
    measure("cublasSgemm " + std::to_string(n), s[0],
            [&] { cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n); });
    measure("cublasDgemm " + std::to_string(n / 2), s[0], [&] {
      cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n / 2, n / 2, n / 2, &one_d, reinterpret_cast<double*>(a), n / 2,
                  reinterpret_cast<double*>(b), n / 2, &zero_d, reinterpret_cast<double*>(c), n / 2);
    });
    measure("cublasGemmEx of halves " + std::to_string(n), s[0], [&] {
      cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, CUDA_R_16F, n, b, CUDA_R_16F, n, &zero, c,
                   CUDA_R_16F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    });
    measure("cublasGemmEx in TF32 " + std::to_string(n), s[0], [&] {
      cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, CUDA_R_32F, n, b, CUDA_R_32F, n, &zero, c,
                   CUDA_R_32F, n, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT);
    });
  }
  for (const int k : {64, 2048, 16384})
    measure("cublasSgemm 64 x 64 x " + std::to_string(k), s[0],
            [&] { cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 64, 64, k, &one, a, 64, b, k, &zero, c, 64); });
  measure("cublasSgemmStridedBatched 128 x100", s[0], [&] {
    cublasSgemmStridedBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, 128, 128, 128, &one, a, 128, 16384, b, 128, 16384, &zero,
                              c, 128, 16384, 100);
  });
  measure("cublasSgemv 4096", s[0],
          [&] { cublasSgemv(blas, CUBLAS_OP_N, 4096, 4096, &one, a, 4096, b, 1, &zero, c, 1); });
  measure("cublasSscal 2^24", s[0], [&] { cublasSscal(blas, 1 << 24, &one, a, 1); });
  measure("cublasStrsm 1024", s[0], [&] {
    cublasStrsm(blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 1024, 1024, &one, a,
                1024, b, 1024);
  });
  for (const int k : {10, 16, 22}) {
    cufftHandle plan;
    if (cufftPlan1d(&plan, 1 << k, CUFFT_C2C, 1) != CUFFT_SUCCESS || cufftSetStream(plan, s[0]) != CUFFT_SUCCESS)
      return 1;
    measure("cufftExecC2C 2^" + std::to_string(k), s[0], [&] {
      cufftExecC2C(plan, reinterpret_cast<cufftComplex*>(a), reinterpret_cast<cufftComplex*>(b), CUFFT_FORWARD);
    });
  }
  cufftHandle plan;
  if (cufftPlan2d(&plan, 1024, 1024, CUFFT_R2C) != CUFFT_SUCCESS || cufftSetStream(plan, s[0]) != CUFFT_SUCCESS)
    return 1;
  measure("cufftExecR2C 1024 x 1024", s[0], [&] { cufftExecR2C(plan, a, reinterpret_cast<cufftComplex*>(b)); });
  return 0;
}
