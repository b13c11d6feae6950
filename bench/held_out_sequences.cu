// Sequences that did not serve to fit the costs of the timeline: kernels that share the GPU, copies that overlap, priorities, programmatic
// dependent launch, graphs with several kinds of nodes, managed memory, stream-ordered allocation, cuBLAS, work of the host.
//
//   nvcc -O3 -arch=sm_90 -cudart shared -o held_out_sequences bench/held_out_sequences.cu -lcublas && ./held_out_sequences [repetitions]
#include <cublas_v2.h>

#include "measured_sequence.hpp"

namespace {

__global__ void nothing() {}
__global__ void fma_chain(float* to, int rounds) {
  float x = threadIdx.x, y = blockIdx.x;
  for (int i = 0; i < rounds; ++i) x = fmaf(x, 0.9999f, y), y = fmaf(y, 1.0001f, x);
  if (x == 12345.0f) *to = y;
}
__global__ void triad(float* to, const float* a, const float* b, float k, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = a[i] + k * b[i];
}
__global__ void transpose(float* to, const float* from, int n) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = from[(y + i) * n + x];
  __syncthreads();
  const int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) to[(v + i) * n + u] = tile[threadIdx.x][threadIdx.y + i];
}
__global__ void block_sum(float* to, const float* from, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += from[i];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(~0u, sum, o);
  if (threadIdx.x % 32 == 0) atomicAdd(to + blockIdx.x % 32, sum);
}
__global__ void dependent(float* to, const float* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaGridDependencySynchronize();
  if (i < n) to[i] = from[i] + 1;
  cudaTriggerProgrammaticLaunchCompletion();
}
// Writes the GPU's timer and the multiprocessor's clock at the beginning and the end of a chain.
__global__ void timed_chain(long long* times, float* to, int rounds) {
  long long begin, end;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  const long long clocks = clock64();
  float x = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) x = fmaf(x, 0.9999f, 0.5f);
  if (x == 12345.0f) *to = x;
  times[2] = clock64() - clocks;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
  times[0] = begin, times[1] = end;
}

// The host computes for about this time.
void compute(double microseconds) {
  const auto begin = clock_type::now();
  while (since(begin) < microseconds) {
  }
}

void launch_dependent(cudaStream_t on, float* to, const float* from, int n, bool early) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = early ? 1 : 0;
  cudaLaunchConfig_t how{};
  how.gridDim = (n + 255) / 256, how.blockDim = 256, how.stream = on, how.attrs = &attribute, how.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&how, dependent, to, from, n));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) repetitions = std::max(1, std::atoi(argv[1]));
  constexpr std::size_t most = std::size_t{96} << 20;
  constexpr int mega = 1 << 20;
  float *a, *b, *c, *d, *pinned, *managed;
  float* const pageable = static_cast<float*>(std::malloc(most));
  std::fill(pageable, pageable + most / 4, 1.0f);
  for (float** one : {&a, &b, &c, &d}) {
    CHECK(cudaMalloc(one, most));
    CHECK(cudaMemset(*one, 0, most));
  }
  CHECK(cudaMallocHost(&pinned, most));
  std::fill(pinned, pinned + most / 4, 1.0f);
  CHECK(cudaMallocManaged(&managed, most));
  int least = 0, greatest = 0;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t s[4], urgent;
  for (cudaStream_t& one : s) CHECK(cudaStreamCreateWithPriority(&one, cudaStreamNonBlocking, least));
  CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
  cudaEvent_t fork, join[4];
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  for (cudaEvent_t& e : join) CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  // Runs `what` on several streams, which begin after stream 0 and which stream 0 awaits.
  const auto spread = [&](const std::vector<cudaStream_t>& on, const std::function<void(int, cudaStream_t)>& what) {
    CHECK(cudaEventRecord(fork, s[0]));
    for (std::size_t i = 1; i < on.size(); ++i) CHECK(cudaStreamWaitEvent(on[i], fork, 0));
    for (std::size_t i = 0; i < on.size(); ++i) what(static_cast<int>(i), on[i]);
    for (std::size_t i = 1; i < on.size(); ++i) {
      CHECK(cudaEventRecord(join[i], on[i]));
      CHECK(cudaStreamWaitEvent(s[0], join[i], 0));
    }
  };
  const std::vector<cudaStream_t> two{s[0], s[1]}, four{s[0], s[1], s[2], s[3]};

  std::printf("sequence,events_us,calls_us,host_us\n");
  // Kernels that share the GPU.
  for (const int blocks : {33, 66, 132, 264})
    measure("fma chain of " + std::to_string(blocks) + " blocks on 2 streams", s[0],
            [&] { spread(two, [&](int, cudaStream_t on) { fma_chain<<<blocks, 256, 0, on>>>(a, 8000); }); });
  measure("fma chain of 66 blocks x2 on one stream", s[0], [&] {
    for (int i = 0; i < 2; ++i) fma_chain<<<66, 256, 0, s[0]>>>(a, 8000);
  });
  for (const int blocks : {24, 66, 132})
    measure("triad 16 M of " + std::to_string(blocks) + " blocks", s[0],
            [&] { triad<<<blocks, 512, 0, s[0]>>>(c, a, b, 2, 16 * mega); });
  for (const int blocks : {24, 66, 132})
    measure("triad 16 M of " + std::to_string(blocks) + " blocks on 2 streams", s[0], [&] {
      spread(two, [&](int i, cudaStream_t on) { triad<<<blocks, 512, 0, on>>>(i == 0 ? c : d, a, b, 2, 16 * mega); });
    });
  measure("triad 16 M of 66 blocks with fma chain of 66 blocks", s[0], [&] {
    spread(two, [&](int i, cudaStream_t on) {
      if (i == 0)
        triad<<<66, 512, 0, on>>>(c, a, b, 2, 16 * mega);
      else
        fma_chain<<<66, 256, 0, on>>>(d, 8000);
    });
  });
  measure("urgent small kernel after 4 large ones", urgent, [&] {
    for (int i = 0; i < 4; ++i) triad<<<2048, 512, 0, s[1]>>>(c, a, b, 2, 16 * mega);
    fma_chain<<<8, 128, 0, urgent>>>(d, 200);
  });
  measure("transpose 2048 and back x3", s[0], [&] {
    for (int i = 0; i < 3; ++i) {
      transpose<<<dim3(64, 64), dim3(32, 8), 0, s[0]>>>(b, a, 2048);
      transpose<<<dim3(64, 64), dim3(32, 8), 0, s[0]>>>(a, b, 2048);
    }
  });
  measure("triad 1 M then block sum x8", s[0], [&] {
    for (int i = 0; i < 8; ++i) {
      triad<<<1024, 256, 0, s[0]>>>(c, a, b, 2, mega);
      block_sum<<<264, 256, 0, s[0]>>>(d, c, mega);
    }
  });
  // Programmatic dependent launch.
  for (const bool early : {false, true})
    measure(std::string("8 dependent kernels") + (early ? " that begin early" : ""), s[0], [&] {
      for (int i = 0; i < 8; ++i) launch_dependent(s[0], i % 2 ? a : b, i % 2 ? b : a, mega, early);
    });
  // Copies.
  measure("copy 16 MB to device with triad 16 M", s[0], [&] {
    spread(two, [&](int i, cudaStream_t on) {
      if (i == 0)
        triad<<<2048, 256, 0, on>>>(c, a, b, 2, 16 * mega);
      else
        CHECK(cudaMemcpyAsync(d, pinned, 16 << 20, cudaMemcpyHostToDevice, on));
    });
  });
  measure("8 parts of 2 MB through 2 streams", s[0], [&] {
    spread(two, [&](int i, cudaStream_t on) {
      for (int part = i; part < 8; part += 2) {
        float *const at = pinned + part * mega / 2, *const there = a + part * mega / 2;
        CHECK(cudaMemcpyAsync(there, at, 2 << 20, cudaMemcpyHostToDevice, on));
        fma_chain<<<132, 256, 0, on>>>(there, 2000);
        CHECK(cudaMemcpyAsync(at, there, 2 << 20, cudaMemcpyDeviceToHost, on));
      }
    });
  });
  measure("2D copy to device, 1024 rows of 4 KB", s[0], [&] {
    CHECK(cudaMemcpy2DAsync(a, 8192, pinned, 4096, 4096, 1024, cudaMemcpyHostToDevice, s[0]));
  });
  measure("2D copy to device, 65536 rows of 64 bytes", s[0], [&] {
    CHECK(cudaMemcpy2DAsync(a, 128, pinned, 64, 64, 65536, cudaMemcpyHostToDevice, s[0]));
  });
  measure("2D copy on device, 4096 rows of 4 KB", s[0], [&] {
    CHECK(cudaMemcpy2DAsync(b, 8192, a, 4096, 4096, 4096, cudaMemcpyDeviceToDevice, s[0]));
  });
  measure("2D memset, 4096 rows of 4 KB", s[0], [&] { CHECK(cudaMemset2DAsync(b, 8192, 0, 4096, 4096, s[0])); });
  measure("20 copies of 16 KB from pageable memory", s[0], [&] {
    for (int i = 0; i < 20; ++i)
      CHECK(cudaMemcpyAsync(a + i * 4096, pageable + i * 4096, 16384, cudaMemcpyHostToDevice, s[0]));
  });
  measure("copy of 4 bytes to host after each of 10 kernels", s[0], [&] {
    for (int i = 0; i < 10; ++i) {
      block_sum<<<264, 256, 0, s[0]>>>(d, a, mega);
      CHECK(cudaMemcpyAsync(pinned, d, 4, cudaMemcpyDeviceToHost, s[0]));
      CHECK(cudaStreamSynchronize(s[0]));
    }
  });
  // Graphs.
  {
    const cudaGraphExec_t g = graph_of(s[0], [&] {
      spread(four, [&](int i, cudaStream_t on) {
        CHECK(cudaMemcpyAsync(a + i * mega, pinned + i * mega, 1 << 20, cudaMemcpyHostToDevice, on));
        triad<<<256, 256, 0, on>>>(c + i * mega, a + i * mega, b, 2, mega / 4);
        CHECK(cudaMemsetAsync(d + i * mega, 0, 1 << 20, on));
      });
      block_sum<<<132, 256, 0, s[0]>>>(d, c, 4 * mega);
    });
    measure("graph of copies, kernels and memsets in 4 branches", s[0], [&] { CHECK(cudaGraphLaunch(g, s[0])); });
    measure("the same graph x5", s[0], [&] {
      for (int i = 0; i < 5; ++i) CHECK(cudaGraphLaunch(g, s[0]));
    });
  }
  {
    const cudaGraphExec_t g = graph_of(s[0], [&] {
      for (int i = 0; i < 20; ++i) fma_chain<<<64, 128, 0, s[0]>>>(a, 500);
    });
    measure("graph of fma chain x20", s[0], [&] { CHECK(cudaGraphLaunch(g, s[0])); });
  }
  // Memory.
  measure("allocate, use and free 4 MB in stream order x5", s[0], [&] {
    for (int i = 0; i < 5; ++i) {
      float* p = nullptr;
      CHECK(cudaMallocAsync(&p, 4 << 20, s[0]));
      triad<<<1024, 256, 0, s[0]>>>(p, a, b, 2, mega);
      CHECK(cudaFreeAsync(p, s[0]));
    }
  });
  measure("cudaMalloc and cudaFree of 4 MB", s[0], [&] {
    float* p = nullptr;
    CHECK(cudaMalloc(&p, 4 << 20));
    CHECK(cudaFree(p));
  });
  measure("triad 4 M of managed memory that the host wrote", s[0], [&] {
    std::fill(managed, managed + 4 * mega, 1.0f);
    triad<<<1024, 256, 0, s[0]>>>(c, managed, b, 2, 4 * mega);
  });
  measure("triad 4 M of managed memory that stays", s[0],
          [&] { triad<<<1024, 256, 0, s[0]>>>(c, managed, b, 2, 4 * mega); });
  // Libraries, and the host.
  cublasHandle_t blas;
  if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS || cublasSetStream(blas, s[0]) != CUBLAS_STATUS_SUCCESS) return 1;
  const float one = 1, zero = 0;
  for (const int n : {256, 1024, 2048})
    measure("cublasSgemm " + std::to_string(n), s[0], [&] {
      cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
    });
  measure("cublasSaxpy 16 M", s[0], [&] { cublasSaxpy(blas, 16 * mega, &one, a, 1, c, 1); });
  measure("host computes 200 us with fma chain of 132 blocks", s[0], [&] {
    fma_chain<<<132, 256, 0, s[0]>>>(a, 8000);
    compute(200);
    fma_chain<<<132, 256, 0, s[0]>>>(a, 8000);
  });
  // The GPU's own clocks: as if the timer and the clock were events.
  long long* times;
  CHECK(cudaMallocHost(&times, 2 * 3 * sizeof *times));
  for (int i = 0; i < 2; ++i) timed_chain<<<1, 32, 0, s[0]>>>(times + 3 * i, a, 20000);
  CHECK(cudaStreamSynchronize(s[0]));
  std::printf("globaltimer in a chain,%.2f,0,0\n", static_cast<double>(times[1] - times[0]) / 1e3);
  std::printf("clock64 in a chain at 1980 MHz,%.2f,0,0\n", static_cast<double>(times[2]) / 1980);
  std::printf("globaltimer from one chain to the end of the next,%.2f,0,0\n", static_cast<double>(times[4] - times[0]) / 1e3);
  return 0;
}
