// Kernels that wait for values from another stream, from another branch of a graph, or from the host, with loads of
// every kind. Some modes need --default-stream per-thread. Each mode prints the same as on a GPU.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <cuda/atomic>
#include <cuda_runtime.h>
#define CK(x) do { auto e_ = (x); if (e_ != 0) { printf("%s: %d\n", #x, (int)e_); } } while (0)
__global__ void waits_plain(int* f, int* o) { int v; while ((v = *f) == 0) __threadfence_system(); *o += v + 1; }
__global__ void waits_asleep(int* f, int* o) { int v; while ((v = *f) == 0) __nanosleep(100); *o += v + 1; }
__global__ void waits_at_barrier(int* f, int* o) { for (;;) { __syncthreads(); if (f[blockIdx.x] != 0) break; } if (threadIdx.x == 0) *o += f[blockIdx.x] + 1; }
__global__ void waits_acquire(int* f, int* o) { int v; do asm volatile("ld.acquire.sys.global.b32 %0, [%1];" : "=r"(v) : "l"(f) : "memory"); while (v == 0); *o += v + 1; }
__global__ void waits_relaxed(int* f, int* o) { int v; do asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(v) : "l"(f) : "memory"); while (v == 0); *o += v + 1; }
__global__ void waits_atomic_ref(int* f, int* o) { cuda::atomic_ref<int, cuda::thread_scope_system> a(*f); while (a.load(cuda::memory_order_acquire) == 0) {} *o += a.load() + 1; }
__global__ void waits_wait(int* f, int* o) { cuda::atomic_ref<int, cuda::thread_scope_system> a(*f); a.wait(0); *o += a.load() + 1; }
__global__ void waits_cg(int* f, int* o) { int v; while ((v = __ldcg(f)) == 0) __threadfence(); *o += v + 1; }
__global__ void sets(int* f, int v) { *f = v; __threadfence_system(); }
__global__ void add(int* o, int n) { atomicAdd(o, n); }
using kernel = void (*)(int*, int*);
static const kernel kinds[] = {waits_plain, waits_asleep, waits_at_barrier, waits_acquire, waits_relaxed, waits_atomic_ref, waits_wait, waits_cg};
static int read(int* o) { int r = 0; CK(cudaMemcpy(&r, o, 4, cudaMemcpyDefault)); return r; }
static cudaGraphNode_t node(cudaGraph_t g, std::initializer_list<cudaGraphNode_t> after, void* f, int* a, void* b) {
  void* arguments[] = {&a, b}; cudaKernelNodeParams p{}; p.func = f; p.gridDim = p.blockDim = dim3(1); p.kernelParams = arguments;
  cudaGraphNode_t n; CK(cudaGraphAddKernelNode(&n, g, after.begin(), after.size(), &p)); return n;
}
int main(int, char** argv) {
  const std::string m = argv[1];
  int *h, *d, *o; cudaHostAlloc(&h, 4096, cudaHostAllocMapped); memset(h, 0, 4096); cudaMalloc(&d, 4096); cudaMemset(d, 0, 4096); cudaMalloc(&o, 4096); cudaMemset(o, 0, 4096);
  CK(cudaDeviceSynchronize());
  if (m == "host") for (kernel k : kinds) { *h = 0; k<<<1, 1>>>(h, o); *(volatile int*)h = 1; CK(cudaDeviceSynchronize()); }
  if (m == "stream") {
    cudaStream_t a, b; cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    for (kernel k : kinds) { cudaMemsetAsync(d, 0, 4, b); cudaStreamSynchronize(b); k<<<1, 1, 0, a>>>(d, o); sets<<<1, 1, 0, b>>>(d, 1); CK(cudaDeviceSynchronize()); }
  }
  // Two threads have their own default streams. One of them waits for the other thread's kernel, then for its copy.
  if (m == "threads" || m == "handle") {
    const cudaStream_t own = m == "handle" ? cudaStreamPerThread : 0;
    std::atomic<bool> waits{false};
    std::thread t([&] { waits_plain<<<1, 1, 0, own>>>(d, o); waits_acquire<<<1, 1, 0, own>>>(d + 1, o); waits = true; CK(cudaStreamSynchronize(own)); });
    while (!waits) {}
    printf("query %d\n", (int)cudaStreamQuery(own));
    sets<<<1, 1, 0, own>>>(d, 1);
    static int one = 1; CK(cudaMemcpyAsync(d + 1, &one, 4, cudaMemcpyHostToDevice, own)); CK(cudaStreamSynchronize(own));
    t.join();
  }
  // A thread's default stream is ordered with the default stream of all threads.
  if (m == "legacy") { waits_plain<<<1, 1, 0, cudaStreamPerThread>>>(h, o); add<<<1, 1, 0, cudaStreamLegacy>>>(o, 10); printf("query %d\n", (int)cudaStreamQuery(cudaStreamLegacy)); *(volatile int*)h = 1; CK(cudaStreamSynchronize(cudaStreamLegacy)); }
  if (m == "branches" || m == "crosswise") {
    cudaGraph_t g; cudaGraphExec_t x; CK(cudaGraphCreate(&g, 0)); int one = 1, ten = 10;
    cudaGraphNode_t root = node(g, {}, (void*)add, o, &ten);
    int* out = o;
    cudaGraphNode_t a = node(g, {root}, (void*)waits_plain, d, &out), b = node(g, {root}, (void*)add, o, &ten), c = node(g, {b}, (void*)sets, d, &one);
    if (m == "crosswise") { c = node(g, {c}, (void*)waits_acquire, d + 1, &out); a = node(g, {a}, (void*)sets, d + 1, &one); }
    node(g, {a, c}, (void*)add, o, &ten);
    CK(cudaGraphInstantiate(&x, g, 0)); CK(cudaGraphLaunch(x, 0)); CK(cudaStreamSynchronize(0));
    printf("r %d\n", read(o));
    CK(cudaMemset(d, 0, 8)); CK(cudaGraphLaunch(x, 0)); CK(cudaDeviceSynchronize());
  }
  // A graph that was captured from two streams is a node of another graph. One branch waits for the word that the other
  // branch copies.
  if (m == "captured") {
    cudaStream_t a, b; cudaStreamCreate(&a); cudaStreamCreate(&b); cudaEvent_t fork, join; cudaEventCreate(&fork); cudaEventCreate(&join);
    cudaGraph_t inner, outer; cudaGraphExec_t x; cudaGraphNode_t n; static int one = 1;
    CK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed)); cudaEventRecord(fork, a); cudaStreamWaitEvent(b, fork, 0);
    waits_cg<<<1, 1, 0, a>>>(d, o); add<<<1, 1, 0, a>>>(o, 10); cudaMemcpyAsync(d, &one, 4, cudaMemcpyHostToDevice, b); cudaEventRecord(join, b); cudaStreamWaitEvent(a, join, 0);
    CK(cudaStreamEndCapture(a, &inner)); CK(cudaGraphCreate(&outer, 0)); CK(cudaGraphAddChildGraphNode(&n, outer, nullptr, 0, inner)); int ten = 10; node(outer, {n}, (void*)add, o, &ten);
    CK(cudaGraphInstantiate(&x, outer, 0)); CK(cudaGraphLaunch(x, a)); add<<<1, 1, 0, a>>>(o, 100); CK(cudaStreamSynchronize(a));
  }
  printf("%s %d\n", m.c_str(), read(o));
  return 0;
}
