// Forms of shared-memory accesses that real kernels rarely combine. main launches the kernels for Nsight Compute, whose
// counts are in data/sm_90/forms.csv. tests/profile/forms_test.cpp launches the same kernels.
#include <cstdio>

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// Matrix loads and stores of one, two and four matrices, with rows `pitch` bytes apart.
__global__ void matrices(unsigned* out, int pitch) {
  __shared__ __align__(16) unsigned tile[4096];
  for (int i = threadIdx.x; i < 4096; i += 32) tile[i] = i;
  __syncthreads();
  const unsigned at = shared_address(tile) + threadIdx.x * pitch;
  unsigned a, b, c, d, sum;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(at));
  sum = a;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
  sum += a ^ b;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(at));
  sum += a ^ b ^ c ^ d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
  sum += a ^ b;
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(a));
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(at), "r"(a), "r"(b));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(a), "r"(b),
               "r"(c), "r"(d));
  out[threadIdx.x] = sum;
}

// Uses generic pointers. The first lanes point to shared memory, the other lanes to global memory.
__global__ void generic(unsigned* out, unsigned* elsewhere, int sharers, int stride) {
  __shared__ unsigned line[2048];
  for (int i = threadIdx.x; i < 2048; i += 32) line[i] = i;
  __syncthreads();
  unsigned* from = static_cast<int>(threadIdx.x) < sharers ? line : elsewhere;
  volatile unsigned* at = from + threadIdx.x * stride;
  unsigned x = *at;
  *at = x + 1;
  atomicAdd(const_cast<unsigned*>(at), x);
  x += atomicExch(const_cast<unsigned*>(at), x);
  out[threadIdx.x] = x;
}

// Uses guards that disable some or all lanes.
__global__ void guarded(unsigned* out, int readers, int stride) {
  __shared__ unsigned line[2048];
  for (int i = threadIdx.x; i < 2048; i += 32) line[i] = i;
  __syncthreads();
  volatile unsigned* at = line + threadIdx.x * stride;
  unsigned x = 0;
  if (static_cast<int>(threadIdx.x) < readers) x = *at;
  if (static_cast<int>(threadIdx.x) >= readers) *at = x;
  if (threadIdx.x == 40) x += line[threadIdx.x];
  __syncwarp();
  out[threadIdx.x] = x;
}

// Loads and stores of every width at a stride of `stride` elements, and all kinds of atomics.
__global__ void widths(unsigned* out, int stride) {
  __shared__ __align__(16) unsigned char bytes[32 * 16 * 4];
  for (int i = threadIdx.x; i < 2048; i += 32) bytes[i] = static_cast<unsigned char>(i);
  __syncthreads();
  const int t = threadIdx.x * stride;
  volatile unsigned char* b1 = bytes;
  volatile unsigned short* b2 = reinterpret_cast<unsigned short*>(bytes);
  volatile unsigned* b4 = reinterpret_cast<unsigned*>(bytes);
  uint2* b8 = reinterpret_cast<uint2*>(bytes);
  uint4* b16 = reinterpret_cast<uint4*>(bytes);
  unsigned sum = b1[t] + b2[t] + b4[t];
  const uint2 two = b8[t];
  const uint4 four = b16[t];
  sum += two.x ^ two.y ^ four.x ^ four.y ^ four.z ^ four.w;
  __syncwarp();
  b1[t] = static_cast<unsigned char>(sum);
  b2[t] = static_cast<unsigned short>(sum);
  b4[t] = sum;
  __syncwarp();
  b8[t] = make_uint2(sum, sum);
  __syncwarp();
  b16[t] = make_uint4(sum, 0, sum, 0);
  __syncwarp();
  unsigned* word = reinterpret_cast<unsigned*>(bytes) + t;
  unsigned long long* pair = reinterpret_cast<unsigned long long*>(bytes) + t;
  sum += atomicAdd(word, sum) + atomicMax(word, sum) + atomicCAS(word, sum, 1u);
  atomicAdd(pair, 1ull);
  sum += static_cast<unsigned>(atomicExch(pair, 3ull) + atomicCAS(pair, 3ull, 4ull));
  out[threadIdx.x] = sum;
}

// The compiler turns these atomics into loops around ATOMS.CAST.SPIN, which stores only if no other lane accesses the
// word. Each lane uses element t * step % size. The elements of `doubles` have twice as many bytes.
__global__ void spinning_floats(unsigned* out, int step, int size) {
  __shared__ float line[2048];
  for (int i = threadIdx.x; i < 2048; i += 32) line[i] = i;
  __syncthreads();
  atomicAdd(line + threadIdx.x * step % size, 1.0f);
  __syncthreads();
  out[threadIdx.x] = line[threadIdx.x];
}
__global__ void spinning_doubles(unsigned* out, int step, int size) {
  __shared__ double line[2048];
  for (int i = threadIdx.x; i < 2048; i += 32) line[i] = i;
  __syncthreads();
  atomicAdd(line + threadIdx.x * step % size, 1.0);
  __syncthreads();
  out[threadIdx.x] = line[threadIdx.x];
}

int main() {
  unsigned *out = nullptr, *elsewhere = nullptr;
  cudaMalloc(&out, 4096);
  cudaMalloc(&elsewhere, 65536);
  cudaMemset(elsewhere, 0, 65536);
  for (const int pitch : {16, 32, 128, 144}) matrices<<<1, 32>>>(out, pitch);
  for (const int sharers : {32, 20, 1})
    for (const int stride : {1, 2, 32}) generic<<<1, 32>>>(out, elsewhere, sharers, stride);
  for (const int readers : {32, 17, 0})
    for (const int stride : {1, 2, 32}) guarded<<<1, 32>>>(out, readers, stride);
  for (const int stride : {0, 1, 2, 4}) widths<<<1, 32>>>(out, stride);
  const int steps[] = {1, 2, 4, 32, 33, 1, 0, 5, 16, 31, 96, 3},
            sizes[] = {32, 64, 128, 1024, 1056, 4, 1, 7, 64, 97, 128, 48};
  for (int i = 0; i < 12; ++i) spinning_floats<<<1, 32>>>(out, steps[i], sizes[i]);
  for (int i = 0; i < 12; ++i) spinning_doubles<<<1, 32>>>(out, steps[i], sizes[i]);
  const cudaError_t status = cudaDeviceSynchronize();
  std::printf("forms %s\n", cudaGetErrorString(status));
  return status == cudaSuccess ? 0 : 1;
}
