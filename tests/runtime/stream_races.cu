// A program whose first argument chooses how its streams use the same memory, for stream_races.py.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void fills(int* to, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = value;
}
__global__ void adds(int* to, const int* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}
__global__ void counts(int* to) { atomicAdd(to, 1); }

constexpr int n = 4096, bytes = 4 * n;

int main(int, char** words) {
  const auto is = [&](const char* way) { return std::strcmp(words[1], way) == 0; };

  int *x = nullptr, *y = nullptr, *pinned = nullptr, *managed = nullptr;
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMallocHost(&pinned, bytes);
  cudaMallocManaged(&managed, bytes);
  std::memset(pinned, 0, bytes);
  std::memset(managed, 0, bytes);
  cudaMemset(x, 0, bytes);
  cudaMemset(y, 0, bytes);
  cudaStream_t a, b, free_running;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaStreamCreateWithFlags(&free_running, cudaStreamNonBlocking);
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  fills<<<n / 256, 256>>>(y, n, 0);
  cudaDeviceSynchronize();
  const auto fill = [&](int* to, cudaStream_t on, int count = n, int value = 1) {
    fills<<<(count + 255) / 256, 256, 0, on>>>(to, count, value);
  };
  const auto add = [&](int* to, const int* from, cudaStream_t on) { adds<<<n / 256, 256, 0, on>>>(to, from, n); };
  const auto copy = [&](void* to, const void* from, cudaStream_t on) {
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, on);
  };

  if (is("no event")) fill(x, a), add(y, x, b);
  if (is("event")) fill(x, a), cudaEventRecord(done, a), cudaStreamWaitEvent(b, done, 0), add(y, x, b);
  if (is("event too early")) cudaEventRecord(done, a), fill(x, a), cudaStreamWaitEvent(b, done, 0), add(y, x, b);
  if (is("event of before"))
    fill(x, a), cudaEventRecord(done, a), cudaStreamWaitEvent(b, done, 0), fill(x, a), add(y, x, b);
  if (is("same stream")) fill(x, a), add(y, x, a);
  if (is("synchronize")) fill(x, a), cudaStreamSynchronize(a), add(y, x, b);
  if (is("event synchronize")) fill(x, a), cudaEventRecord(done, a), cudaEventSynchronize(done), add(y, x, b);
  if (is("wrong stream")) fill(x, a), cudaStreamSynchronize(b), add(y, x, b);
  if (is("both read")) add(y, x, a), copy(pinned, x, b);
  if (is("halves")) fill(x, a, n / 2), fill(x + n / 2, b, n / 2);
  if (is("halves and one")) fill(x, a, n / 2 + 1), fill(x + n / 2, b, n / 2);
  if (is("copy over")) add(y, x, a), copy(x, pinned, b);
  if (is("memset")) add(y, x, a), cudaMemsetAsync(x, 0, bytes, b);
  if (is("default stream")) fill(x, a), add(y, x, nullptr), fill(x, b);
  if (is("not blocking")) fill(x, nullptr), add(y, x, free_running);
  if (is("atomics")) counts<<<4, 32, 0, a>>>(x), counts<<<4, 32, 0, b>>>(x);
  if (is("atomics and memset")) counts<<<4, 32, 0, a>>>(x), cudaMemsetAsync(x, 0, 4, b);
  if (is("to pinned")) copy(pinned, x, a), copy(y, pinned, b);
  if (is("to pageable")) {
    static int here[n];
    fill(x, a), copy(here, x, a), fill(x, b);
  }
  if (is("through two")) {
    cudaEvent_t next;
    cudaEventCreate(&next);
    fill(x, a), cudaEventRecord(done, a), cudaStreamWaitEvent(free_running, done, 0);
    cudaEventRecord(next, free_running), cudaStreamWaitEvent(b, next, 0), add(y, x, b);
  }
  if (is("query")) {
    fill(x, a);
    while (cudaStreamQuery(a) != cudaSuccess) {
    }
    add(y, x, b);
  }
  if (is("freed")) {
    int* own = nullptr;
    cudaMallocAsync(&own, bytes, a);
    fill(own, a), cudaFreeAsync(own, b);
  }
  if (is("freed in order")) {
    int* own = nullptr;
    cudaMallocAsync(&own, bytes, a);
    fill(own, a), cudaFreeAsync(own, a);
    cudaMallocAsync(&own, bytes, b);
    fill(own, b), cudaFreeAsync(own, b);
  }
  if (is("rounds"))
    for (int i = 0; i < 20; ++i) {
      fill(x, a, n, 1), cudaEventRecord(done, a), cudaStreamWaitEvent(b, done, 0), fill(y, b, n, 2);
      cudaEventRecord(done, b), cudaStreamWaitEvent(a, done, 0);
    }
  if (is("rounds without order"))
    for (int i = 0; i < 20; ++i) fill(x, a, n, 1), fill(x, b, n, 1);
  if (is("host writes early")) copy(x, pinned, a), pinned[5] = 7;
  if (is("host writes late")) copy(x, pinned, a), cudaStreamSynchronize(a), pinned[5] = 7;
  if (is("host writes managed")) add(x, managed, a), managed[9] = 3;
  if (is("host writes other managed")) fills<<<1, 32, 0, a>>>(managed, 32, 1), managed[99] = 3;
  if (is("kernel writes pinned")) copy(x, pinned, a), fill(pinned, a, n, 5);
  if (is("memset pinned")) cudaMemset(pinned, 1, bytes), cudaMemset(managed, 1, bytes), pinned[5] = managed[5] = 7;
  if (is("memset pinned without waiting")) cudaMemsetAsync(pinned, 1, bytes, a), pinned[5] = 7;
  if (is("frees early") || is("frees after a wait")) {
    int* own = nullptr;
    cudaMallocHost(&own, bytes);
    copy(own, x, a);
    if (is("frees after a wait")) cudaStreamSynchronize(a);
    cudaFreeHost(own);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(pinned, y, bytes, cudaMemcpyDefault);
  std::printf("%d\n", pinned[1]);
  cudaFree(x);
  cudaFree(y);
  cudaFreeHost(pinned);
  cudaFree(managed);
}
