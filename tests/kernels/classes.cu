// Kernels that use blockIdx in different ways. In some of them, all blocks behave alike; in others, they do not.
// tests/emulate/counting_test.cpp counts each kernel twice: with one block of each class, and with all blocks.

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ void copy_16(const void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}
__device__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// A block computes tiles one after another. A row has sixteen tiles.
__global__ void tiles(float* out, const float* in, unsigned rows, unsigned pitch) {
  __shared__ __align__(128) float tile[32][36];
  const unsigned lane = threadIdx.x % 8, row = threadIdx.x / 8;
  float sum = 0;
  for (unsigned at = blockIdx.x;; at += gridDim.x) {
    const unsigned y = at * 32 / 512 * 32, x = at * 32 % 512;
    if (y >= rows) break;
    copy_16(&tile[row][4 * lane], in + static_cast<size_t>(y + row) * pitch + x + 4 * lane);
    wait_for_copies();
    __syncthreads();
    for (int i = 0; i < 4; ++i) sum += tile[4 * lane + i][row];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Like `tiles`, but a row has any number of tiles and may end within a cache line.
__global__ void uneven_tiles(float* out, const float* in, unsigned rows, unsigned pitch) {
  __shared__ __align__(128) float tile[32][36];
  const unsigned lane = threadIdx.x % 8, row = threadIdx.x / 8;
  float sum = 0;
  for (unsigned at = blockIdx.x; at < rows; at += gridDim.x) {
    const unsigned y = at / 12, x = at % 12;
    copy_16(&tile[row][4 * lane], in + static_cast<size_t>(y + row) * pitch + 24 * x + 4 * lane);
    wait_for_copies();
    __syncthreads();
    sum += tile[row][y % 32];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Low and high bits of blockIdx select addresses in shared memory and decide conditions, also of single lanes.
__global__ void bits(float* out, const float* in) {
  __shared__ __align__(128) float tile[1024];
  const unsigned b = blockIdx.x, t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  float sum = tile[t * 4 + (b & 6)] + tile[(t + (b >> 3)) * ((b >> 5) + 1) % 1024];
  if ((b & 0x18) != 0) sum += tile[2 * t + (b << 3 & 0x40)];
  if ((b ^ t) & 0x20) sum += tile[t];
  copy_16(&tile[4 * t], in + 32 * ((b * 4 + t) >> 3));
  wait_for_copies();
  out[b * blockDim.x + t] = sum;
}

// nvcc does not know whether these pointers point to shared memory.
__global__ void generic(float* out, float* in, int is_shared, int pitch) {
  __shared__ float tile[1024];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float* p = is_shared ? tile : in + blockIdx.x / 3 * 64;
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += p[threadIdx.x * pitch + i];
  p[threadIdx.x] = sum;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = p[threadIdx.x * 2];
}

// The kernel has more addresses and sums than registers, so that some addresses and some sums are on the stack.
__global__ void __launch_bounds__(1024, 2) spills(float* out, const float* in, int rounds, int step) {
  __shared__ __align__(128) float tile[1024];
  const int t = threadIdx.x;
  unsigned at[24];
  float sum[24];
#pragma unroll
  for (int k = 0; k < 24; ++k) at[k] = (t * (2 * k + 1) + k * step) & 1023, sum[k] = in[t + k];
  const float* from = in + blockIdx.x / 8 * 512 + blockIdx.x % 8 * 32;
  for (int r = 0; r < rounds; ++r) {
    if (t < 8) copy_16(&tile[4 * t], from + 4 * t);
    wait_for_copies();
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 24; ++k) sum[k] = sum[k] * tile[at[k]] + static_cast<float>(at[(k + 7) % 24]);
    __syncthreads();
    from += 32 * step;
  }
#pragma unroll
  for (int k = 0; k < 24; ++k) out[(blockIdx.x * 24 + k) * blockDim.x + t] = sum[k];
}

// Adds in registers that held values of the previous block. The guard of the additions differs in each round.
__global__ void reduces(int* out, const int* in, unsigned n) {
  __shared__ int s[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    const unsigned index = 2 * stride * t;
    if (index < blockDim.x) s[index] += s[index + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
