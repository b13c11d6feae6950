// Kernels that fail, each in a different way, for the golden tests of bankwise's messages.
#include <cstdio>

// Writes one element past the buffer in the last lane if n is one too many.
__global__ void past_the_end(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1.0f;
}

__global__ void misaligned(float* out) {
  const char* bytes = reinterpret_cast<const char*>(out);
  out[threadIdx.x] = *reinterpret_cast<const volatile float*>(bytes + threadIdx.x * 2);
}

__global__ void past_shared(float* out, int stride) {
  extern __shared__ float line[];
  line[threadIdx.x * stride] = 1.0f;
  __syncthreads();
  out[threadIdx.x] = line[threadIdx.x];
}

__global__ void null_pointer(float* out) { out[threadIdx.x] = *static_cast<volatile float*>(nullptr); }

// No thread sets the flag.
__global__ void spins(volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void loops_for_ever() {
  for (;;) {
  }
}

// Waits at a barrier for 64 threads in a block of 32.
__global__ void waits_alone() { asm volatile("barrier.sync 1, 64;"); }

// The first warp waits for the second warp, but the second warp waits at a different barrier.
__global__ void waits_crosswise() {
  if (threadIdx.x < 32)
    asm volatile("barrier.sync 1, 64;");
  else
    asm volatile("barrier.sync 2, 64;");
}

__global__ void prints(int n) {
  if (threadIdx.x == 0) printf("%d\n", n);
}

// Arrives at an mbarrier that expects one arrival.
__global__ void arrives(unsigned long long* out) {
  __shared__ unsigned long long barrier;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at));
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(*out) : "r"(at));
}

__global__ void by_value(float a, double b, short c, const int* d) {
  if (threadIdx.x == 0 && d != nullptr) *const_cast<int*>(d) = static_cast<int>(a + b) + c;
}

// The fault is inside two inlined calls.
struct view {
  float* data;
  int size;
  __device__ float& at(int i) const { return data[i]; }
};
__device__ __forceinline__ void put(const view& v, int i, float x) {
  v.at(i) = x;
}
__global__ void inlines(float* out, int n) {
  const view v{out, n};
  put(v, threadIdx.x + n, 1.0f);
}

// The fault is in a function that is not inlined. It contains an inlined call.
__device__ __noinline__ void put_elsewhere(const view& v, int i) { put(v, i, 2.0f); }
__global__ void calls(float* out, int n) {
  const view v{out, n};
  put_elsewhere(v, threadIdx.x + n);
}

// Each thread has an array. The index is past the array's end and past all local memory of the thread.
__global__ void past_local(int* out, int i) {
  volatile int own[64];
  own[i] = 1;
  out[threadIdx.x] = own[threadIdx.x];
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recurses(int* out, int n) { out[threadIdx.x] = fibonacci(n); }

// When half of a warp arrives, the whole warp counts as arrived. Only one of two expected warps reaches barrier 2.
__global__ void waits_for_half(int* out) {
  if (threadIdx.x % 32 < 16) __syncthreads();
  out[threadIdx.x] = 1;
  if (threadIdx.x < 32) asm volatile("barrier.sync 2, 64;");
}

__global__ void traps(int* out) {
  if (threadIdx.x == 5) __trap();
  *out = 1;
}
