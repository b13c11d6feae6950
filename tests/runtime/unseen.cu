// A program that would notice if bankwise executed blocks twice, or started a process or a thread to predict times.
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cuda.h>
#include <cuda_runtime.h>
__global__ void add(int* c) { atomicAdd(c, 1); }
__global__ void scale(float* p) { p[blockIdx.x * blockDim.x + threadIdx.x] *= 1.5f; }
__global__ void mean(float* p) { atomicAdd(p, 1.0f / (1 + blockIdx.x * 37 % 101 + threadIdx.x)); }
// Blocks take rows from a queue. The order in which they do is part of the result.
__global__ void queue(int* next, int* owner, int rows) {
  __shared__ int row;
  for (;;) {
    if (threadIdx.x == 0) row = atomicAdd(next, 1);
    __syncthreads();
    if (row >= rows) return;
    if (threadIdx.x == 0) owner[row] = blockIdx.x;
    __syncthreads();
  }
}
// Shared memory, loops and few blocks of much work: longer than what a prediction records of a block.
__global__ void work(float* p, int n) {
  __shared__ float s[256];
  float x = 0;
  for (int i = 0; i < n; ++i) {
    s[threadIdx.x] = x + i;
    __syncthreads();
    x += s[(threadIdx.x * 32 + i) & 255] * 0.001f;
    __syncthreads();
  }
  p[blockIdx.x * 256 + threadIdx.x] = x;
}
static int threads() {
  int n = 0;
  DIR* d = opendir("/proc/self/task");
  while (readdir(d)) ++n;
  closedir(d);
  return n - 2;
}
static volatile int ended, rang, forks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long hash_of(const void* p, size_t bytes) {
  unsigned long h = 1469598103934665603ul;
  for (size_t i = 0; i < bytes; ++i) h = (h ^ static_cast<const unsigned char*>(p)[i]) * 1099511628211ul;
  return h;
}
static void launch_all(const char* where, int* d) {
  int h = 0;
  cudaMemset(d, 0, 4);
  add<<<8, 256>>>(d);
  cudaDeviceSynchronize();
  cudaMemcpy(&h, d, 4, cudaMemcpyDefault);
  float all[1024], *f = (float*)d;
  for (int i = 0; i < 1024; ++i) all[i] = 1 + i % 7;
  cudaMemcpy(f, all, sizeof all, cudaMemcpyDefault);
  for (int i = 0; i < 3; ++i) scale<<<8, 128>>>(f);
  mean<<<300, 64>>>(f + 5);
  cudaDeviceSynchronize();
  cudaMemcpy(all, f, sizeof all, cudaMemcpyDefault);
  printf("%-10s %d, %.9g, %.9g, %lx\n", where, h, all[4], all[5], hash_of(all, sizeof all));
}
int main(int, char** v) {
  const auto is = [&](const char* m) { return !strcmp(v[1], m); };
  cudaFree(0);
  int* d;
  if (is("memory")) {
    cudaMalloc(&d, 4096);
    launch_all("plain", d);
    cudaIpcMemHandle_t g;
    cudaIpcGetMemHandle(&g, d);
    launch_all("exported", d);
    int* p = (int*)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cudaHostRegister(p, 4096, cudaHostRegisterMapped);
    cudaHostGetDevicePointer((void**)&d, p, 0);
    launch_all("registered", d);
    cudaMallocManaged(&d, 4096);
    launch_all("managed", d);
    CUmemAllocationProp q{};
    q.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    q.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUmemGenericAllocationHandle m;
    CUdeviceptr a;
    const size_t s = 2 << 20;
    cuMemCreate(&m, s, &q, 0);
    cuMemAddressReserve(&a, s, 0, 0, 0);
    cuMemMap(a, s, 0, m, 0);
    CUmemAccessDesc w{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    cuMemSetAccess(a, s, &w, 1);
    launch_all("mapped", (int*)a);
    return 0;
  }
  if (is("order")) {
    static int owner[3000];
    int* next;
    float *f, sum[2];
    cudaMalloc(&next, 4);
    cudaMalloc(&d, sizeof owner);
    cudaMalloc(&f, 512 * 256 * 4);
    cudaMemset(next, 0, 4);
    queue<<<200, 64>>>(next, d, 3000);
    cudaMemcpy(owner, d, sizeof owner, cudaMemcpyDeviceToHost);
    work<<<300, 256>>>(f, 200);
    work<<<2, 256>>>(f, 3000);
    cudaMemcpy(sum, f, 8, cudaMemcpyDeviceToHost);
    printf("owners %lx, work %.9g %.9g\n", hash_of(owner, sizeof owner), sum[0], sum[1]);
    return 0;
  }
  // The rest looks at the process.
  cudaMalloc(&d, 4096);
  struct sigaction heard {};
  heard.sa_handler = [](int) { ++ended; };
  sigaction(SIGCHLD, &heard, nullptr);
  pthread_atfork([] { ++forks, pthread_mutex_lock(&lock); }, [] { pthread_mutex_unlock(&lock); },
                 [] { pthread_mutex_unlock(&lock); });
  heard.sa_handler = [](int) { ++rang; };
  sigaction(SIGALRM, &heard, nullptr);
  itimerval every{{0, 2000}, {0, 2000}};
  setitimer(ITIMER_REAL, &every, nullptr);
  if (is("sandbox")) {  // ends the program if it starts a process
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    sock_filter f[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 2, 0),
                       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fork, 1, 0),
                       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    sock_fprog p{5, f};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p);
  }
  pthread_mutex_lock(&lock);  // as a library that holds a lock while it launches
  launch_all(v[1], d);
  pthread_mutex_unlock(&lock);
  const int before = threads();
  float* f;
  cudaMalloc(&f, 512 * 256 * 4);
  work<<<1, 256>>>(f, 2000);
  cudaDeviceSynchronize();
  const int waited = waitpid(-1, nullptr, WNOHANG);
  printf("SIGCHLD %d, children %d (%s), forks %d, threads left %d, the timer rang: %s\n", ended, waited,
         waited < 0 && errno == ECHILD ? "none" : "some", forks, threads() - before, rang > 0 ? "yes" : "no");
  return 0;
}
