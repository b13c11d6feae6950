// Blocks that race on global memory, and blocks that only seem to race.

// All blocks update the same words: on a GPU, each block finds their initial values.
__global__ void every_block_updates(int* d) {
  __shared__ int s[64];
  const int t = threadIdx.x, x = d[t];
  if (x < 10) s[t] = x;
  __syncthreads();
  d[t] = x < 10 ? 10 + s[63 - t] : 0;
}

// A block loads the value that the next block changes.
__global__ void takes_from_next(int* d) {
  __shared__ int s[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  const int x = d[i + 64];
  if (x > 0) s[t] = x;
  __syncthreads();
  d[i] = s[63 - t];
}

// Each block changes its own words.
__global__ void updates_own(int* d) {
  __shared__ int s[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t, x = d[i];
  if (x % 2 == 0) s[t] = x;
  __syncthreads();
  d[i] = x % 2 == 0 ? s[t] + 1 : 0;
}

// All blocks store the old value.
__global__ void stores_the_same(int* d, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x, x = d[t];
  if (x > 5) s[t] = x;
  __syncthreads();
  d[t] = x;
  out[blockIdx.x * 64 + t] = x > 5 ? s[t] : 0;
}

// Copies from one buffer to another.
__global__ void copies(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x, x = in[t];
  if (x > 5) s[t] = x;
  __syncthreads();
  out[t] = x > 5 ? s[t] + blockIdx.x : 0;
}

// Each block updates its own bytes, but bytes of several blocks share a word.
__global__ void updates_bytes(unsigned char* d) {
  __shared__ int s[64];
  const unsigned char x = d[blockIdx.x];
  if (x < 10) s[threadIdx.x] = x;
  __syncthreads();
  if (threadIdx.x == 0) d[blockIdx.x] = static_cast<unsigned char>(x + 1 + (x < 10 ? s[31] : 0));
}

// The last block to end adds up the sums of the other blocks. Fences and an atomic order their stores before its loads.
__global__ void last_adds(int* parts, unsigned* done, int* out) {
  __shared__ int s[64];
  __shared__ bool last;
  const int t = threadIdx.x;
  if (t == 0) {
    parts[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  for (int b = t; b < gridDim.x; b += 64)
    if (parts[b] > 0) s[t] = parts[b];
  __syncthreads();
  if (t == 0) *out = s[0];
}

// No barrier separates the rounds. bankwise lets all blocks load d in round k before one of them stores k + 1 into d.
__global__ void rounds(int* d, int n) {
  __shared__ int s[32];
  for (int k = 0; k < n; ++k) {
    const int x = d[threadIdx.x];
    if (x == k) s[threadIdx.x] = x;
    d[threadIdx.x] = k + 1;
    asm volatile("" ::: "memory");
  }
  if (s[31 - threadIdx.x] == n) d[threadIdx.x] = -1;
}
