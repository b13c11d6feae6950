// Programs whose kernels wait for the host, another stream or a callback. Each mode prints the same as on a GPU.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <chrono>
#include <atomic>
#include <unistd.h>
#include <cuda_runtime.h>
#define CK(x) do { auto e_ = (x); if (e_ != 0) { printf("%s: %d\n", #x, (int)e_); } } while (0)
__global__ void waits(volatile int* f, int* o) { while (*f == 0) {} *o = *f + 1; }
__global__ void sets(int* f, int v) { *(volatile int*)f = v; __threadfence_system(); }
__global__ void add(int* p, int n) { atomicAdd(p, n); }
__global__ void mailbox(volatile int* box, volatile int* answer) {
  for (int i = 1;; ++i) { while (*box != i && *box != -1) {} if (*box == -1) return; *answer = i * i; __threadfence_system(); answer[1] = i; }
}
// Delays as JAX's autotuner does: the kernel stops waiting after a number of clocks.
__global__ void delay(volatile int* semaphore, int target) {
  long long start = clock64(); bool missing;
  while ((missing = *semaphore != target) && clock64() - start < 200000000) { long long t0 = clock64(); while (clock64() - t0 < 1024) {} }
  if (missing) *semaphore = -7;
}
__global__ void many(volatile int* f, int* o) { if (threadIdx.x == 0) { while (*f == 0) __nanosleep(100); } __syncthreads(); atomicAdd(o, 1); }
__global__ void casts(int* lock, int* o) { while (atomicCAS(lock, 1, 2) != 1) {} *o = 5; }
static void CUDART_CB set_flag(void* p) { *(volatile int*)p = 9; }
int main(int argc, char** argv) {
  std::string m = argv[1]; int *h, *d, *o, r = 0; cudaHostAlloc(&h, 4096, cudaHostAllocMapped); memset(h, 0, 4096); cudaMalloc(&o, 4096); cudaMemset(o, 0, 4096); cudaMalloc(&d, 4096); cudaMemset(d, 0, 4096);
  cudaStream_t a, b; cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  if (m == "mailbox") { mailbox<<<1, 1, 0, a>>>(h, h + 16); volatile int* v = h; long sum = 0; for (int i = 1; i <= 200; ++i) { v[0] = i; while (v[17] != i) {} sum += v[16]; } v[0] = -1; CK(cudaStreamSynchronize(a)); printf("sum %ld\n", sum); }
  if (m == "jax") { cudaEvent_t e, f; cudaEventCreate(&e); cudaEventCreate(&f); for (int k = 1; k <= 20; ++k) { delay<<<1, 1, 0, a>>>(h, k); cudaEventRecord(e, a); add<<<4, 32, 0, a>>>(o, 1); cudaEventRecord(f, a); printf(k == 1 ? "query %d\n" : "", (int)cudaEventQuery(f)); *(volatile int*)h = k; CK(cudaEventSynchronize(f)); float ms; CK(cudaEventElapsedTime(&ms, e, f)); } cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost); printf("r %d semaphore %d\n", r, *h); }
  if (m == "streams") { waits<<<1, 1, 0, a>>>(d, o); add<<<1, 32, 0, a>>>(o, 1); sets<<<1, 1, 0, b>>>(d, 5); CK(cudaDeviceSynchronize()); cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost); printf("r %d\n", r); }
  if (m == "callback") { waits<<<1, 1, 0, a>>>(h, o); cudaLaunchHostFunc(b, set_flag, h); CK(cudaStreamSynchronize(a)); cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost); printf("r %d\n", r); }
  if (m == "between") { waits<<<1, 1, 0, a>>>(h, o); cudaLaunchHostFunc(a, [](void* p) { ((volatile int*)p)[1] = 3; }, h); waits<<<1, 1, 0, a>>>(h + 1, o + 1); *(volatile int*)h = 1; CK(cudaStreamSynchronize(a)); int q[2]; cudaMemcpy(q, o, 8, cudaMemcpyDeviceToHost); printf("r %d %d\n", q[0], q[1]); }
  if (m == "events") { cudaEvent_t e; cudaEventCreate(&e); waits<<<1, 1, 0, a>>>(h, o); cudaEventRecord(e, a); cudaStreamWaitEvent(b, e, 0); add<<<1, 32, 0, b>>>(o, 100); printf("%d %d %d\n", (int)cudaStreamQuery(a), (int)cudaStreamQuery(b), (int)cudaEventQuery(e)); cudaGetLastError(); std::thread t([&] { usleep(100000); *(volatile int*)h = 7; }); CK(cudaStreamSynchronize(b)); t.join(); cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost); printf("r %d\n", r); }
  if (m == "many") { many<<<300, 64>>>(h, o); std::thread t([&] { usleep(50000); *(volatile int*)h = 7; }); CK(cudaDeviceSynchronize()); t.join(); cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost); printf("r %d\n", r); }
  if (m == "graph") { cudaGraph_t g; cudaGraphExec_t x; cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed); waits<<<1, 1, 0, a>>>(h, o); add<<<1, 32, 0, a>>>(o, 1); cudaStreamEndCapture(a, &g); CK(cudaGraphInstantiate(&x, g, 0)); CK(cudaGraphLaunch(x, a)); *(volatile int*)h = 7; CK(cudaStreamSynchronize(a)); cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost); printf("r %d\n", r); }
  if (m == "managed") { int* p; cudaMallocManaged(&p, 8); p[0] = p[1] = 0; waits<<<1, 1>>>(p, p + 1); *(volatile int*)p = 1; CK(cudaDeviceSynchronize()); printf("r %d\n", p[1]); }
  if (m == "cas") { casts<<<1, 1>>>(h, o); *(volatile int*)h = 1; CK(cudaDeviceSynchronize()); cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost); printf("r %d\n", r); }
  if (m == "copies") { int *x, *y; cudaHostAlloc(&x, 4096, 0); cudaHostAlloc(&y, 4096, 0); int z = 77; *x = 0; waits<<<1, 1, 0, a>>>(h, o); cudaMemcpyAsync(o + 1, &z, 4, cudaMemcpyHostToDevice, a); z = 0; cudaMemcpyAsync(x, o, 8, cudaMemcpyDeviceToHost, a); printf("%d\n", *x); *(volatile int*)h = 2; CK(cudaStreamSynchronize(a)); printf("%d %d\n", x[0], x[1]); }
  if (m == "default") { waits<<<1, 1>>>(h, o); int* x; cudaHostAlloc(&x, 4096, 0); *x = 0; cudaMemcpyAsync(x, o, 4, cudaMemcpyDeviceToHost, 0); printf("%d\n", *x); *(volatile int*)h = 2; CK(cudaDeviceSynchronize()); printf("%d\n", *x); }
  if (m == "exit") { waits<<<1, 1>>>(h, o); printf("leaving\n"); return 0; }
  if (m == "reset") { waits<<<1, 1>>>(h, o); CK(cudaDeviceReset()); printf("reset\n"); }
  if (m == "computes") { waits<<<1, 1>>>(h, o); usleep(300000); *(volatile int*)h = 1; usleep(100000); printf("%d\n", (int)cudaStreamQuery(0)); cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost); printf("r %d\n", r); }
  return 0;
}
