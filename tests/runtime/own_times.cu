// A program that measures time itself, with events and with the host's clock. It prints what its times have in common with those on a GPU,
// and no times. Used by own_times.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void add(float* to, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = a[i] + b[i];
}
__global__ void chain(float* to, int rounds) {
  float x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * 1.0001f + 0.5f;
  if (x == 12345.0f) *to = x;
}

cudaEvent_t from, to;
template <class Work>
double microseconds(cudaStream_t on, Work work) {
  cudaEventRecord(from, on);
  work();
  cudaEventRecord(to, on);
  cudaEventSynchronize(to);
  float ms = -1;
  cudaEventElapsedTime(&ms, from, to);
  return ms * 1000;
}
void tell(const char* what, bool is_so) { std::printf("%-60s %s\n", what, is_so ? "yes" : "no"); }
bool between(double x, double least, double most) { return x >= least && x <= most; }

int main(int count, char** words) {
  const bool by_host = count > 1 && std::strcmp(words[1], "host") == 0;
  const int n = 1 << 20;
  float *a, *b, *c;
  char* pinned;
  cudaMalloc(&a, 8 << 20);
  cudaMalloc(&b, 8 << 20);
  cudaMalloc(&c, 8 << 20);
  cudaMallocHost(&pinned, 16 << 20);
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  cudaStream_t one, other;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  const auto launch = [&](cudaStream_t on) { chain<<<1, 32, 0, on>>>(c, 20000); };
  const double loading = microseconds(one, [&] { launch(one); }), alone = microseconds(one, [&] { launch(one); });
  const double twice = microseconds(one, [&] { launch(one), launch(one); });
  const double both = microseconds(one, [&] {
    cudaEvent_t begun, done;
    cudaEventCreate(&begun), cudaEventCreate(&done);
    cudaEventRecord(begun, one);
    cudaStreamWaitEvent(other, begun, 0);
    launch(other);
    cudaEventRecord(done, other);
    launch(one);
    cudaStreamWaitEvent(one, done, 0);
  });
  tell("the first launch of a module takes over 100 us longer", loading > alone + 100);
  tell("20,000 dependent instructions take 40 to 60 us", between(alone, 40, 60));
  tell("two such kernels in a stream take twice as long", between(twice / alone, 1.8, 2.1));
  tell("on two streams they overlap", between(both / alone, 0.99, 1.3));
  const double copied = microseconds(one, [&] { cudaMemcpyAsync(a, pinned, 8 << 20, cudaMemcpyHostToDevice, one); });
  tell("8 MB of pinned memory are copied at 45 to 60 GB/s", between((8 << 20) / copied / 1000, 45, 60));
  const double ways = microseconds(one, [&] {
    cudaEvent_t begun, done;
    cudaEventCreate(&begun), cudaEventCreate(&done);
    cudaEventRecord(begun, one);
    cudaStreamWaitEvent(other, begun, 0);
    cudaMemcpyAsync(pinned + (8 << 20), b, 8 << 20, cudaMemcpyDeviceToHost, other);
    cudaEventRecord(done, other);
    cudaMemcpyAsync(a, pinned, 8 << 20, cudaMemcpyHostToDevice, one);
    cudaStreamWaitEvent(one, done, 0);
  });
  tell("copies in both directions overlap", between(ways / copied, 0.99, 1.2));
  const double cold = microseconds(one, [&] { add<<<n / 256, 256, 0, one>>>(c, a, b, n); });
  const double warm = microseconds(one, [&] { add<<<n / 256, 256, 0, one>>>(c, a, b, n); });
  tell("the second launch finds its data in L2", warm <= cold);
  cudaGraph_t graph;
  cudaGraphExec_t made;
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < 20; ++i) chain<<<1, 32, 0, one>>>(c, 1);
  cudaStreamEndCapture(one, &graph);
  cudaGraphInstantiate(&made, graph, 0);
  const double in_graph = microseconds(one, [&] { cudaGraphLaunch(made, one); });
  const double in_stream = microseconds(one, [&] {
    for (int i = 0; i < 20; ++i) chain<<<1, 32, 0, one>>>(c, 1);
  });
  tell("20 small kernels are faster as a graph", in_graph < in_stream / 2);
  const double allocating = microseconds(one, [&] {
    float* p = nullptr;
    cudaMalloc(&p, 4 << 20);
    cudaFree(p);
  });
  tell("cudaMalloc and cudaFree of 4 MB take 50 to 100 us", between(allocating, 50, 100));
  const double rows =
      microseconds(one, [&] { cudaMemcpy2DAsync(b, 2048, a, 1024, 1024, 4096, cudaMemcpyDeviceToDevice, one); });
  const double plain = microseconds(one, [&] { cudaMemcpyAsync(b, a, 4 << 20, cudaMemcpyDeviceToDevice, one); });
  tell("a copy with a pitch takes longer than one without", between(rows / plain, 1.1, 4));
  float* managed;
  cudaMallocManaged(&managed, 4 << 20);
  const auto use = [&] { return microseconds(one, [&] { add<<<n / 256, 256, 0, one>>>(c, managed, b, n); }); };
  const double migrating = use(), there = use();
  tell("pages of managed memory migrate to the first kernel", migrating - there > 200);
  cudaFree(managed);
  cudaMallocManaged(&managed, 4 << 20);
  const auto prefetch = [&](int where) {
    return microseconds(one, [&] {
#if CUDART_VERSION >= 13000
      cudaMemLocation to{where >= 0 ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost, where >= 0 ? where : 0};
      cudaMemPrefetchAsync(managed, 4 << 20, to, 0, one);
#else
      cudaMemPrefetchAsync(managed, 4 << 20, where, one);
#endif
    });
  };
  const double fetched = prefetch(0), again = prefetch(0), after = use(), back = prefetch(-1);
  tell("a prefetch takes the time of a copy, once",
       between((4 << 20) / fetched / 1000, 40, 60) && again < 10 && after < 20);
  tell("a prefetch to the host brings them back", between((4 << 20) / back / 1000, 40, 60) && use() > 200);
  cudaFree(managed);
  if (!by_host) return 0;
  const auto begin = std::chrono::steady_clock::now();
  const double shown = microseconds(one, [&] {
    for (int i = 0; i < 20; ++i) launch(one);
  });
  const double host = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  tell("the host waits as long as the events say", between(host / shown, 1, 1.5));
  volatile double x = 1;
  const std::clock_t busy = std::clock();
  const auto since = std::chrono::steady_clock::now();
  while (std::clock() - busy < CLOCKS_PER_SEC / 20) x = x * 1.0000001;
  const double own = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count();
  tell("the program's own 50 ms pass", own >= 49);
  const auto with_work = [&](double ms) {
    const auto start = std::chrono::steady_clock::now();
    const auto passed = [&] {
      return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    };
    chain<<<1, 32, 0, one>>>(c, 20000000);
    while (passed() < ms) {
    }
    cudaStreamSynchronize(one);
    return passed();
  };
  const auto work = [](double ms) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() < ms) {
    }
  };
  const double apart = microseconds(one, [&] {
    launch(one);
    work(20);
    launch(one);
  });
  tell("20 ms of the program between two launches count", apart >= 20000);
  const double slow = microseconds(one, [&] { chain<<<1, 32, 0, one>>>(c, 20000001); });
  tell("the time in which bankwise executes a kernel does not", between(slow, 35000, 60000));
  const double idle = with_work(0), busily = with_work(30);
  tell("its next 30 ms pass while the device computes for 40 ms", between(idle, 35, 60) && busily < idle + 15);
}
