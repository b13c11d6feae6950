// Kernels that go wrong, each in one way, for the goldens of what bankwise says.
#include <cstdio>

// Writes one element behind the buffer in the last lane when n is one too many.
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

// Nobody writes the flag.
__global__ void spins(volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void loops_for_ever() {
  for (;;) {
  }
}

// A barrier for 64 threads in a block of 32.
__global__ void waits_alone() { asm volatile("barrier.sync 1, 64;"); }

// The first half waits for lanes that wait at another barrier.
__global__ void waits_crosswise() {
  if (threadIdx.x < 32)
    asm volatile("barrier.sync 1, 64;");
  else
    asm volatile("barrier.sync 2, 64;");
}

__global__ void prints(int n) {
  if (threadIdx.x == 0) printf("%d\n", n);
}

// An mbarrier that one thread arrives at.
__global__ void arrives(unsigned long long* out) {
  __shared__ unsigned long long barrier;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at));
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(*out) : "r"(at));
}

__global__ void by_value(float a, double b, short c, const int* d) {
  if (threadIdx.x == 0 && d != nullptr) *const_cast<int*>(d) = static_cast<int>(a + b) + c;
}
