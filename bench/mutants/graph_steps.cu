// A graph from a capture: two branches of kernels that an event forks and another event joins, launched three times.
#include "../naive/host.cuh"

__global__ void add(const int* from, int* to, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + value;
}
__global__ void join(const int* a, const int* b, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = a[i] * b[i] % 1000;
}

int main() {
  const int n = 2000, blocks = 8;
  int* x = filled<int>(n, [](int i) { return i % 29; });
  int *a, *b;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaEvent_t fork, joined;
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, one);
  cudaStreamWaitEvent(two, fork, 0);
  add<<<blocks, 256, 0, one>>>(x, a, n, 1);
  add<<<blocks, 256, 0, two>>>(x, b, n, 2);
  cudaEventRecord(joined, two);
  cudaStreamWaitEvent(one, joined, 0);
  join<<<blocks, 256, 0, one>>>(a, b, x, n);
  cudaStreamEndCapture(one, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(exec, one);
  cudaStreamSynchronize(one);
  const int status = print_checksum(x, n);
  cudaFree(x);
  cudaFree(a);
  cudaFree(b);
  return status;
}
