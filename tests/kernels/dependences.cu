// Accesses to shared memory. Comments at the end of lines say what the address and the execution depend on.
#include <cstdio>

__constant__ int order[64];

extern "C" __global__ void transposes(float* out, const float* in, int width) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];  // address: - execution: -
  __syncthreads();
  out[x * width + y] = tile[threadIdx.x][threadIdx.y];  // address: - execution: -
}

extern "C" __global__ void counts(unsigned* bins, const int* keys, int n) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;  // address: - execution: -
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&s[keys[i] & 255], 1u);  // address: data execution: blockIdx, arguments
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);  // address: - execution: -
}

extern "C" __global__ void returns_early(float* out, const float* in, int n) {
  __shared__ float s[256];
  if (blockIdx.x * blockDim.x + threadIdx.x >= n) return;
  s[threadIdx.x] = in[threadIdx.x];  // address: - execution: blockIdx, arguments
  __syncwarp();
  out[threadIdx.x] = s[threadIdx.x ^ 1];  // address: - execution: blockIdx, arguments
}

extern "C" __global__ void strides(float* out, int n, int stride) {
  extern __shared__ float dynamic[];
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += dynamic[threadIdx.x * stride + k];  // address: arguments execution: arguments
  out[threadIdx.x] = sum;
}

// The number of rounds depends on n. Addresses in the loop do not depend on n, but addresses after the loop do.
extern "C" __global__ void goes_round(float* out, int n) {
  __shared__ float s[4096];
  float sum = 0;
  int k = 0;
#pragma unroll 1
  for (; k < n; ++k) {
    sum += s[threadIdx.x + k * 33];  // address: - execution: arguments
    asm volatile("" : "+r"(k));
  }
  out[threadIdx.x] = sum + s[threadIdx.x + k];  // address: arguments execution: -
}

extern "C" __global__ void walks(float* out, const int* in) {
  __shared__ float s[1024];
  int at = in[threadIdx.x];
  float sum = 0;
#pragma unroll 1
  while (at != 0) {
    sum += s[at & 1023];  // address: data execution: data
    at >>= 3;
  }
  out[threadIdx.x] = sum + s[threadIdx.x];  // address: - execution: -
}

extern "C" __global__ void permutes(float* out, const float* in) {
  __shared__ float s[64];
  s[threadIdx.x] = in[threadIdx.x];  // address: - execution: -
  __syncthreads();
  out[threadIdx.x] = s[order[threadIdx.x]];  // address: data execution: -
}

// The values that are exchanged through shared memory do not come from the input data.
extern "C" __global__ void neighbours(int* out) {
  __shared__ int next[64];
  next[threadIdx.x] = (threadIdx.x * 7 + 3) & 63;  // address: - execution: -
  __syncthreads();
  out[threadIdx.x] = next[next[threadIdx.x] & 63];  // address: - execution: -
}
// The values that are exchanged through shared memory come from the input data.
extern "C" __global__ void indirect(float* out, const int* in) {
  __shared__ int index[64];
  __shared__ float s[64];
  index[threadIdx.x] = in[threadIdx.x];  // address: - execution: -
  s[threadIdx.x] = threadIdx.x;          // address: - execution: -
  __syncthreads();
  const int at = *(volatile int*)&index[threadIdx.x ^ 1];  // address: - execution: -
  out[threadIdx.x] = s[at & 63];                           // address: data execution: -
}

extern "C" __global__ void by_block(float* out) {
  __shared__ float s[64];
  s[(blockIdx.x * 5 + threadIdx.x) & 63] = threadIdx.x;  // address: blockIdx execution: -
  __syncthreads();
  if (blockIdx.y == 3) out[threadIdx.x] = s[threadIdx.x];  // address: - execution: blockIdx
}

// The slot of a lane depends on the order in which warps execute the atomic. The comment calls this order "time".
extern "C" __global__ void appends(int* out) {
  __shared__ int count, s[64];
  if (threadIdx.x == 0) count = 0;  // address: - execution: -
  __syncthreads();
  const int slot = atomicAdd(&count, 1 + (threadIdx.x & 1));  // address: - execution: -
  s[slot & 63] = 1;                                           // address: time execution: -
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];  // address: - execution: -
}

extern "C" __global__ void locks(int* out) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;  // address: - execution: -
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&lock, 0, 1) == 0) {  // address: time execution: time
      *(volatile int*)&sum += 1;        // address: - execution: time
      atomicExch(&lock, 0);             // address: - execution: time
      done = true;
    }
  }
  __syncthreads();
  out[threadIdx.x] = sum;  // address: - execution: -
}

// The value of a variable depends on the path that led to it.
extern "C" __global__ void branches(float* out, const int* in, int n) {
  __shared__ float s[96];
  int at = 0;
  if (in[threadIdx.x] > 3) {
    asm volatile("nanosleep.u32 1;");
    at = 32;
  }
  if (n > 3) {
    asm volatile("nanosleep.u32 2;");
    s[threadIdx.x] = 1;  // address: - execution: arguments
  }
  __syncthreads();
  out[threadIdx.x] = s[at + threadIdx.x];  // address: data execution: -
}

// A called function returns only to the code after its call. The slow path of a division is such a function.
extern "C" __global__ void divides(float* out, const float* in) {
  __shared__ float s[64];
  const float first = in[threadIdx.x] / in[threadIdx.x + 64];
  s[threadIdx.x] = first;  // address: - execution: -
  __syncthreads();
  const float second = in[threadIdx.x] / s[threadIdx.x ^ 1];  // address: - execution: -
  __syncthreads();
  s[threadIdx.x ^ 2] = second;  // address: - execution: -
  __syncthreads();
  out[threadIdx.x] = in[64] / s[threadIdx.x ^ 3];  // address: - execution: -
}

extern "C" __global__ void prints(float* out) {
  __shared__ float s[64];
  s[threadIdx.x] = 1;  // address: ? execution: ?
  __syncthreads();
  if (out == nullptr) printf("nothing\n");
  if (out != nullptr) out[threadIdx.x] = s[threadIdx.x ^ 1];  // address: ? execution: ?
}

// Each round guards its addresses again. The addresses contain no value that an earlier round loaded into registers.
extern "C" __global__ void reduces(int* out, const int* in) {
  __shared__ int s[256];
  s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];  // address: - execution: -
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    const unsigned index = 2 * stride * threadIdx.x;
    if (index < blockDim.x) s[index] += s[index + stride];  // address: - execution: -
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];  // address: - execution: -
}

// Some of the lanes that keep the loaded value also use it as an address.
extern "C" __global__ void guards_by_another(float* out, const int* in) {
  __shared__ float s[64];
  s[threadIdx.x] = 1;  // address: - execution: -
  __syncthreads();
  int at = in[threadIdx.x] & 31;
  if ((threadIdx.x & 1) != 0) at = threadIdx.x ^ 1;
  if ((threadIdx.x & 2) != 0) out[threadIdx.x] = s[at];  // address: data execution: -
}

// The input data select one of two values.
extern "C" __global__ void guards_by_data(float* out, const int* in) {
  __shared__ float s[64];
  s[threadIdx.x] = 1;  // address: - execution: -
  __syncthreads();
  int at = threadIdx.x ^ 2;
  if (in[threadIdx.x] > 3) at = threadIdx.x ^ 1;
  out[threadIdx.x] = s[at];  // address: data execution: -
}
