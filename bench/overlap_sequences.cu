// Sequences whose parts run one after another or side by side, to learn from: kernels on streams and in branches of graphs, copies next to
// kernels, priorities, kernels that begin before the one before them ends, data that L2 keeps from launch to launch, pinned memory, and solvers.
// A name that ends in "side by side" has a row with the same work "in turn". None of the sequences is in held_out_sequences.cu.
//
//   nvcc -O3 -arch=sm_90 -cudart shared -o overlap_sequences bench/overlap_sequences.cu -lcublas -lcusolver && ./overlap_sequences [repetitions [WORD]]
// WORD selects the sequences whose name contains it.
#include <cublas_v2.h>
#include <cusolverDn.h>

#include "measured_sequence.hpp"

namespace {

constexpr int mega = 1 << 20;

// Arithmetic without memory: issue-bound if there are enough warps.
__global__ void compute(float* to, int rounds) {
  float a = threadIdx.x, b = 1.5f, c = 0.5f, d = 2.5f;
  for (int i = 0; i < rounds; ++i) a = a * b + c, b = b * c + d, c = c * d + a, d = d * a + b;
  if (a + b + c + d == 12345.f) to[0] = a;
}
// The same with shared memory that leaves room for one block in a multiprocessor.
__global__ void compute_alone(float* to, int rounds) {
  extern __shared__ float s[];
  float a = threadIdx.x, b = 1.5f;
  for (int i = 0; i < rounds; ++i) a = a * b + 0.5f, b = b * 0.25f + 1;
  s[threadIdx.x] = a + b;
  if (a == 12345.f) to[0] = s[0];
}
// Reads two arrays and writes one.
__global__ void combine(float* to, const float* a, const float* b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = a[i] * 3 + b[i];
}
__global__ void read_all(float* to, const float4* from, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    const float4 v = from[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 12345.f) to[0] = sum;
}
__global__ void write_all(float4* to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) to[i] = {1, 2, 3, 4};
}
// Computes before and after it waits for the kernel before it.
__global__ void dependent(float* to, const float* from, int before, int after, int triggers) {
  if (triggers == 1) cudaTriggerProgrammaticLaunchCompletion();
  float a = threadIdx.x, b = 1.5f;
  for (int i = 0; i < before; ++i) a = a * b + 0.5f;
  cudaGridDependencySynchronize();
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  a += from[at];
  for (int i = 0; i < after / 2; ++i) a = a * b + 0.5f;
  if (triggers == 2) cudaTriggerProgrammaticLaunchCompletion();
  for (int i = 0; i < after - after / 2; ++i) a = a * b + 0.5f;
  to[at] = a;
}

// A kernel that only reads and writes, and permits the next kernel to begin at its beginning or end.
__global__ void pass_on(float* to, const float* from, int n, int triggers) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (triggers == 1) cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
  if (i < n) to[i] = from[i] + 1;
  if (triggers == 2) cudaTriggerProgrammaticLaunchCompletion();
}

void launch_dependent(cudaStream_t on, float* to, const float* from, int blocks, int before, int after, int how) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks, config.blockDim = 256, config.stream = on, config.attrs = &attribute,
  config.numAttrs = how != 0;
  CHECK(cudaLaunchKernelEx(&config, dependent, to, from, before, after, how - 1));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) repetitions = std::max(1, std::atoi(argv[1]));
  if (argc > 2) only = argv[2];
  constexpr std::size_t most = std::size_t{128} << 20;
  float *a, *b, *c, *d, *pinned;
  for (float** one : {&a, &b, &c, &d}) {
    CHECK(cudaMalloc(one, most));
    CHECK(cudaMemset(*one, 0, most));
  }
  CHECK(cudaMallocHost(&pinned, most));
  std::fill(pinned, pinned + most / 4, 1.0f);
  constexpr int alone_bytes = 120 << 10;
  CHECK(cudaFuncSetAttribute(compute_alone, cudaFuncAttributeMaxDynamicSharedMemorySize, alone_bytes));
  cudaStream_t s[4], urgent;
  for (cudaStream_t& one : s) CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  int least = 0, greatest = 0;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
  cudaEvent_t fork, join[4];
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  for (cudaEvent_t& e : join) CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  std::printf("sequence,events_us,calls_us,host_us\n");

  using part = std::function<void(cudaStream_t)>;
  const auto side_by_side = [&](const std::vector<part>& parts) {
    CHECK(cudaEventRecord(fork, s[0]));
    for (std::size_t i = 1; i < parts.size(); ++i) CHECK(cudaStreamWaitEvent(s[i], fork, 0));
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i](s[i]);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      CHECK(cudaEventRecord(join[i], s[i]));
      CHECK(cudaStreamWaitEvent(s[0], join[i], 0));
    }
  };
  const auto measure_both = [&](const std::string& name, const std::vector<part>& parts) {
    measure(name + " in turn", s[0], [&] {
      for (const part& p : parts) p(s[0]);
    });
    measure(name + " side by side", s[0], [&] { side_by_side(parts); });
  };
  const auto measure_graphs = [&](const std::string& name, const std::vector<part>& parts) {
    const cudaGraphExec_t in_turn = graph_of(s[0], [&] {
      for (const part& p : parts) p(s[0]);
    });
    measure("graph of " + name + " in turn", s[0], [&] { CHECK(cudaGraphLaunch(in_turn, s[0])); });
    const cudaGraphExec_t branches = graph_of(s[0], [&] { side_by_side(parts); });
    measure("graph of " + name + " side by side", s[0], [&] { CHECK(cudaGraphLaunch(branches, s[0])); });
  };

  // Kernels. `in` is the number of the part, so that parts use different data.
  const auto computes = [&](int blocks, int threads, int rounds) {
    return [=](cudaStream_t on) { compute<<<blocks, threads, 0, on>>>(d, rounds); };
  };
  const auto alone = [&](int blocks, int rounds) {
    return [=](cudaStream_t on) { compute_alone<<<blocks, 256, alone_bytes, on>>>(d, rounds); };
  };
  const auto combines = [&](int blocks, int n, int in) {
    return [=](cudaStream_t on) { combine<<<blocks, 256, 0, on>>>(c + in * n, a + in * n, b + in * n, n); };
  };
  for (const int blocks : {16, 50, 100, 132, 200, 400})
    measure_both("2 computes of " + std::to_string(blocks) + " blocks of 128",
                 {computes(blocks, 128, 4000), computes(blocks, 128, 4000)});
  for (const int blocks : {66, 132, 264})
    measure_both("2 computes of " + std::to_string(blocks) + " blocks of 1024",
                 {computes(blocks, 1024, 1000), computes(blocks, 1024, 1000)});
  measure_both("4 computes of 40 blocks of 256", std::vector<part>(4, computes(40, 256, 3000)));
  measure_both("4 computes of 132 blocks of 512", std::vector<part>(4, computes(132, 512, 1000)));
  measure_both("a long compute of 20 blocks with a wide one", {computes(20, 256, 20000), computes(500, 256, 2000)});
  for (const int blocks : {40, 66, 100, 132, 200})
    measure_both("2 computes alone of " + std::to_string(blocks) + " blocks",
                 {alone(blocks, 8000), alone(blocks, 8000)});
  measure_both("3 computes alone of 50 blocks", std::vector<part>(3, alone(50, 8000)));
  for (const int blocks : {33, 132, 1056})
    for (const int n : {mega, 8 * mega})
      measure_both("2 combines of " + std::to_string(n / mega) + " M of " + std::to_string(blocks) + " blocks",
                   {combines(blocks, n, 0), combines(blocks, n, 1)});
  for (const int blocks : {66, 528})
    measure_both("combine of 8 M of " + std::to_string(blocks) + " blocks with compute of 132 blocks",
                 {combines(blocks, 8 * mega, 0), computes(132, 256, 4000)});
  measure_both("read of 16 M with write of 16 M",
               {[&](cudaStream_t on) { read_all<<<264, 512, 0, on>>>(d, reinterpret_cast<float4*>(a), 16 * mega); },
                [&](cudaStream_t on) { write_all<<<264, 512, 0, on>>>(reinterpret_cast<float4*>(c), 16 * mega); }});

  // Copies with kernels.
  const auto to_device = [&](std::size_t bytes) {
    return [=](cudaStream_t on) { CHECK(cudaMemcpyAsync(b, pinned, bytes, cudaMemcpyHostToDevice, on)); };
  };
  const auto to_host = [&](std::size_t bytes) {
    return [=](cudaStream_t on) { CHECK(cudaMemcpyAsync(pinned + most / 8, c, bytes, cudaMemcpyDeviceToHost, on)); };
  };
  for (const int mb : {1, 4}) {
    const std::size_t bytes = static_cast<std::size_t>(mb) << 20;
    const std::string size = std::to_string(mb) + " MB";
    measure_both("copy of " + size + " to device with compute", {to_device(bytes), computes(264, 256, 4000)});
    measure_both("copy of " + size + " to host with compute", {to_host(bytes), computes(264, 256, 4000)});
    measure_both("copies of " + size + " in both directions with compute",
                 {to_device(bytes), to_host(bytes), computes(264, 256, 4000)});
    measure_both("copy of " + size + " to device with combine of 8 M", {to_device(bytes), combines(528, 8 * mega, 0)});
  }
  measure_both("copy of 32 MB on device with compute",
               {[&](cudaStream_t on) { CHECK(cudaMemcpyAsync(c, a, 32 << 20, cudaMemcpyDeviceToDevice, on)); },
                computes(132, 256, 2000)});
  measure_both("2 copies of 32 MB on device",
               {[&](cudaStream_t on) { CHECK(cudaMemcpyAsync(c, a, 32 << 20, cudaMemcpyDeviceToDevice, on)); },
                [&](cudaStream_t on) { CHECK(cudaMemcpyAsync(d, b, 32 << 20, cudaMemcpyDeviceToDevice, on)); }});
  measure_both("memset of 64 MB with compute",
               {[&](cudaStream_t on) { CHECK(cudaMemsetAsync(c, 0, 64 << 20, on)); }, computes(132, 256, 2000)});
  for (const int parts : {2, 4})
    for (const int kilobytes : {256, 1024, 4096}) {
      const std::size_t bytes = static_cast<std::size_t>(kilobytes) << 10;
      std::vector<part> all;
      for (int i = 0; i < parts; ++i)
        all.push_back([=](cudaStream_t on) {
          float *const here = pinned + i * bytes / 4, *const there = a + i * bytes / 4;
          CHECK(cudaMemcpyAsync(there, here, bytes, cudaMemcpyHostToDevice, on));
          compute<<<264, 256, 0, on>>>(d, 2000);
          CHECK(cudaMemcpyAsync(here, there, bytes, cudaMemcpyDeviceToHost, on));
        });
      measure_both(
          std::to_string(parts) + " parts of " + std::to_string(kilobytes) + " KB copied, computed and copied back",
          all);
    }

  // Graphs.
  for (const int blocks : {8, 66, 264})
    measure_graphs("4 computes of " + std::to_string(blocks) + " blocks",
                   std::vector<part>(4, computes(blocks, 256, 2000)));
  measure_graphs("2 combines of 1 M", {combines(264, mega, 0), combines(264, mega, 1)});
  measure_graphs("copy of 1 MB with compute", {to_device(1 << 20), computes(264, 256, 4000)});
  measure_graphs("4 small chains of 5", std::vector<part>(4, [&](cudaStream_t on) {
                   for (int i = 0; i < 5; ++i) compute<<<8, 128, 0, on>>>(d, 200);
                 }));

  // Priorities: the time of an urgent kernel after others.
  for (const int blocks : {264, 2640})
    for (const int rounds : {500, 4000})
      measure("urgent kernel after 3 computes of " + std::to_string(blocks) + " blocks of " + std::to_string(rounds),
              urgent, [&] {
                for (int i = 0; i < 3; ++i) compute<<<blocks, 1024, 0, s[1]>>>(d, rounds);
                compute<<<4, 128, 0, urgent>>>(d, 100);
              });
  measure("kernel of the same priority after 3 computes of 2640 blocks", s[0], [&] {
    for (int i = 0; i < 3; ++i) compute<<<2640, 1024, 0, s[1]>>>(d, 500);
    compute<<<4, 128, 0, s[0]>>>(d, 100);
  });

  // Programmatic dependent launch.
  for (const int blocks : {16, 132, 528, 2112})
    for (const auto& [before, after] :
         std::vector<std::pair<int, int>>{{0, 200}, {1000, 200}, {200, 2000}, {2000, 2000}, {4000, 400}})
      for (const int how : {0, 1, 2, 3}) {
        static const char* const words[] = {"", " that begin early", " that trigger first and begin early",
                                            " that trigger midway and begin early"};
        const std::string name = "8 dependent kernels of " + std::to_string(blocks) + " blocks with " +
                                 std::to_string(before) + " before and " + std::to_string(after) + " after" +
                                 words[how];
        measure(name, s[0], [&, before = before, after = after] {
          for (int i = 0; i < 8; ++i) launch_dependent(s[0], i % 2 ? a : b, i % 2 ? b : a, blocks, before, after, how);
        });
        if (before == 1000 || before == 2000) {
          const cudaGraphExec_t g = graph_of(s[0], [&, before = before, after = after] {
            for (int i = 0; i < 8; ++i)
              launch_dependent(s[0], i % 2 ? a : b, i % 2 ? b : a, blocks, before, after, how);
          });
          measure("graph of " + name, s[0], [&] { CHECK(cudaGraphLaunch(g, s[0])); });
        }
      }

  for (const int k : {16, 19, 21})
    for (const int triggers : {0, 1, 2})
      for (const int early : {0, 1})
        measure("8 kernels of 2^" + std::to_string(k) +
                    (triggers == 0   ? ""
                     : triggers == 1 ? " that trigger first"
                                     : " that trigger last") +
                    (early ? " and begin early" : ""),
                s[0], [&] {
                  cudaLaunchAttribute attribute;
                  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
                  attribute.val.programmaticStreamSerializationAllowed = 1;
                  cudaLaunchConfig_t config{};
                  config.gridDim = (1 << k) / 256, config.blockDim = 256, config.stream = s[0],
                  config.attrs = &attribute, config.numAttrs = early;
                  for (int i = 0; i < 8; ++i)
                    CHECK(cudaLaunchKernelEx(&config, pass_on, i % 2 ? a : b, i % 2 ? b : a, 1 << k, triggers));
                });

  // What L2 keeps. The host is ahead: a long kernel runs first, and its time is measured.
  const auto long_one = [&] { compute<<<264, 256, 0, s[0]>>>(d, 8000); };
  measure("long kernel", s[0], long_one);
  for (const int mb : {1, 2, 4, 8, 16, 24, 32, 40, 48, 64, 96}) {
    const int n = mb * mega / 4;
    const std::string size = " of " + std::to_string(mb) + " MB";
    const auto read = [&](const float* from) {
      read_all<<<528, 512, 0, s[0]>>>(d, reinterpret_cast<const float4*>(from), n);
    };
    const auto write = [&](float* to) { write_all<<<528, 512, 0, s[0]>>>(reinterpret_cast<float4*>(to), n); };
    measure("long kernel, then 4 reads" + size, s[0], [&] {
      long_one();
      for (int i = 0; i < 4; ++i) read(a);
    });
    measure("long kernel, then 4 writes" + size, s[0], [&] {
      long_one();
      for (int i = 0; i < 4; ++i) write(a);
    });
    measure("long kernel, then 4 times write and read" + size, s[0], [&] {
      long_one();
      for (int i = 0; i < 4; ++i) write(a), read(a);
    });
    measure("long kernel, then 4 reads in turns of two arrays" + size, s[0], [&] {
      long_one();
      for (int i = 0; i < 4; ++i) read(i % 2 ? a : b);
    });
    measure("long kernel, then memset of 128 MB and read" + size, s[0], [&] {
      long_one();
      CHECK(cudaMemsetAsync(c, 0, most, s[0]));
      read(a);
    });
    measure("long kernel, then 4 combines of arrays" + size, s[0], [&] {
      long_one();
      for (int i = 0; i < 4; ++i) combine<<<528, 512, 0, s[0]>>>(i % 2 ? a : c, i % 2 ? c : a, b, n);
    });
  }
  measure("long kernel, then memset of 128 MB", s[0], [&] {
    long_one();
    CHECK(cudaMemsetAsync(c, 0, most, s[0]));
  });

  // Pinned memory, and objects.
  const auto nothing = [] {};
  void* p = nullptr;
  char* const pageable = static_cast<char*>(std::aligned_alloc(1 << 12, most));
  std::fill(pageable, pageable + most, 1);
  for (const std::size_t bytes : {std::size_t{1} << 12, std::size_t{1} << 18, std::size_t{1} << 20,
                                  std::size_t{4} << 20, std::size_t{32} << 20, most}) {
    const std::string size = " of " + std::to_string(bytes);
    const auto take = [&] { CHECK(cudaMallocHost(&p, bytes)); };
    const auto give = [&] { CHECK(cudaFreeHost(p)); };
    measure_calls("cudaMallocHost" + size, nothing, take, give);
    measure_calls("cudaFreeHost" + size, take, give, nothing);
    std::vector<void*> all(5);
    measure_calls(
        "5 times cudaMallocHost" + size, nothing,
        [&] {
          for (void*& one : all) CHECK(cudaMallocHost(&one, bytes));
        },
        [&] {
          for (void* one : all) CHECK(cudaFreeHost(one));
        });
    const auto add = [&] { CHECK(cudaHostRegister(pageable, bytes, 0)); };
    const auto remove = [&] { CHECK(cudaHostUnregister(pageable)); };
    measure_calls("cudaHostRegister" + size, nothing, add, remove);
    measure_calls("cudaHostUnregister" + size, add, remove, nothing);
  }
  cudaStream_t stream;
  measure_calls(
      "cudaStreamCreate", nothing, [&] { CHECK(cudaStreamCreate(&stream)); },
      [&] { CHECK(cudaStreamDestroy(stream)); });
  measure_calls(
      "cudaStreamDestroy", [&] { CHECK(cudaStreamCreate(&stream)); }, [&] { CHECK(cudaStreamDestroy(stream)); },
      nothing);
  cudaEvent_t event;
  measure_calls(
      "cudaEventCreate", nothing, [&] { CHECK(cudaEventCreate(&event)); }, [&] { CHECK(cudaEventDestroy(event)); });
  measure_calls(
      "cudaDeviceSynchronize", nothing, [&] { CHECK(cudaDeviceSynchronize()); }, nothing);
  measure_calls(
      "cudaStreamSynchronize", nothing, [&] { CHECK(cudaStreamSynchronize(s[0])); }, nothing);
  for (const int nodes : {10, 100}) {
    cudaGraph_t graph;
    cudaGraphExec_t made = nullptr;
    CHECK(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal));
    for (int i = 0; i < nodes; ++i) compute<<<8, 128, 0, s[0]>>>(d, 10);
    CHECK(cudaStreamEndCapture(s[0], &graph));
    measure_calls(
        "cudaGraphInstantiate of " + std::to_string(nodes), nothing,
        [&] { CHECK(cudaGraphInstantiate(&made, graph, 0)); }, [&] { CHECK(cudaGraphExecDestroy(made)); });
  }

  // Solvers.
  cublasHandle_t blas;
  if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS || cublasSetStream(blas, s[0]) != CUBLAS_STATUS_SUCCESS) return 1;
  const float one = 1;
  const double one_d = 1;
  double *const ad = reinterpret_cast<double*>(a), *const bd = reinterpret_cast<double*>(b);
  for (const auto& [n, columns] : std::vector<std::pair<int, int>>{{64, 64},
                                                                   {256, 1},
                                                                   {256, 256},
                                                                   {512, 64},
                                                                   {512, 512},
                                                                   {1024, 1},
                                                                   {1024, 256},
                                                                   {2048, 64},
                                                                   {2048, 2048},
                                                                   {4096, 512}}) {
    const std::string size = " " + std::to_string(n) + " x " + std::to_string(columns);
    measure("cublasStrsm of" + size, s[0], [&, n = n, columns = columns] {
      cublasStrsm(blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, n, columns, &one, a, n,
                  b, n);
    });
    measure("cublasStrsm right of" + size, s[0], [&, n = n, columns = columns] {
      cublasStrsm(blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, columns, n, &one, a,
                  n, b, columns);
    });
    measure("cublasDtrsm of" + size, s[0], [&, n = n, columns = columns] {
      cublasDtrsm(blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, n, columns, &one_d, ad,
                  n, bd, n);
    });
  }
  for (const int n : {256, 1024, 4096}) {
    measure("cublasStrsv of " + std::to_string(n), s[0],
            [&] { cublasStrsv(blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, n, a, n, b, 1); });
    measure("cublasSsyrk of " + std::to_string(n), s[0],
            [&] { cublasSsyrk(blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n, &one, a, n, &one, c, n); });
    measure("cublasSgemv transposed of " + std::to_string(n), s[0],
            [&] { cublasSgemv(blas, CUBLAS_OP_T, n, n, &one, a, n, b, 1, &one, c, 1); });
  }
  for (const int n : {1 << 16, 1 << 22}) {
    float sum = 0;
    measure("cublasSdot of " + std::to_string(n), s[0], [&] { cublasSdot(blas, n, a, 1, b, 1, &sum); });
    measure("cublasSaxpy of " + std::to_string(n), s[0], [&] { cublasSaxpy(blas, n, &one, a, 1, c, 1); });
  }
  cusolverDnHandle_t solver;
  if (cusolverDnCreate(&solver) != CUSOLVER_STATUS_SUCCESS ||
      cusolverDnSetStream(solver, s[0]) != CUSOLVER_STATUS_SUCCESS)
    return 1;
  int *pivots, *info;
  CHECK(cudaMalloc(&pivots, 4096 * sizeof(int)));
  CHECK(cudaMalloc(&info, sizeof(int)));
  for (const int n : {64, 256, 1024, 2048}) {
    std::vector<float> matrix(static_cast<std::size_t>(n) * n, 0.001f);
    for (int i = 0; i < n; ++i) matrix[static_cast<std::size_t>(i) * n + i] = 4;
    CHECK(cudaMemcpy(b, matrix.data(), matrix.size() * 4, cudaMemcpyHostToDevice));
    const auto renew = [&] { CHECK(cudaMemcpyAsync(a, b, matrix.size() * 4, cudaMemcpyDeviceToDevice, s[0])); };
    int size = 0;
    cusolverDnSpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, n, a, n, &size);
    measure("copy and cusolverDnSpotrf of " + std::to_string(n), s[0],
            [&] { renew(), cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, n, a, n, c, size, info); });
    cusolverDnSgetrf_bufferSize(solver, n, n, a, n, &size);
    measure("copy and cusolverDnSgetrf of " + std::to_string(n), s[0],
            [&] { renew(), cusolverDnSgetrf(solver, n, n, a, n, c, pivots, info); });
  }
  return 0;
}
