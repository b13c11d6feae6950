// Kernels whose blocks have different costs, for tests of the intervals of samples. The cost depends on the data, on
// the position in the grid, or on both. scripts/build-cubins compiles this file.

// Each block gathers a row through shared memory. The length of the row is computed from a number in `lengths`.
__global__ void sparse_rows(float* out, const unsigned* lengths, const unsigned* columns) {
  __shared__ float cache[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) cache[i] = float(i);
  __syncthreads();
  // Only a few rows are long: the lengths follow a power law.
  const unsigned r = lengths[blockIdx.x] % 4096;
  const unsigned n = 8192 / (r + 2);
  float sum = 0;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum += cache[columns[(blockIdx.x * 64 + i) % 65536] % 1024];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Sorts by odd-even transposition until no element moves.
__global__ void sorts(unsigned* out, const unsigned* in, unsigned mask) {
  __shared__ unsigned keys[256];
  const unsigned t = threadIdx.x;
  // In some blocks, the input is nearly sorted.
  const unsigned v = in[blockIdx.x * 256 + t];
  keys[t] = (in[blockIdx.x * 256] & mask) == 0 ? v : t * 16777216u + v % 33554432u;
  __syncthreads();
  bool moved = true;
  while (__syncthreads_or(moved)) {
    moved = false;
    for (unsigned phase = 0; phase < 2; ++phase) {
      const unsigned i = 2 * t + phase;
      if (t < 128 && i + 1 < 256 && keys[i] > keys[i + 1]) {
        const unsigned k = keys[i];
        keys[i] = keys[i + 1];
        keys[i + 1] = k;
        moved = true;
      }
      __syncthreads();
    }
  }
  out[blockIdx.x * 256 + t] = keys[t];
}

// Counts skewed numbers. In some blocks, nearly all numbers are in one cell.
__global__ void counts_cells(unsigned* out, const unsigned* in, unsigned n) {
  __shared__ unsigned cells[64];
  if (threadIdx.x < 64) cells[threadIdx.x] = 0;
  __syncthreads();
  const unsigned spread = in[blockIdx.x * n] % 64 + 1;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&cells[in[blockIdx.x * n + i] % spread], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], cells[threadIdx.x]);
}

// The number of rounds grows with the row in the grid, as in causal attention.
__global__ void causal(float* out, unsigned stride) {
  __shared__ float tile[1024];
  float sum = 0;
  for (unsigned k = 0; k <= blockIdx.y; ++k) {
    tile[threadIdx.x] = float(k);
    __syncthreads();
    sum += tile[threadIdx.x * stride % 1024];
    __syncthreads();
  }
  out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}

// Blocks in the first row or column of the grid do additional work for the border. The last blocks are incomplete.
__global__ void borders(float* out, unsigned width, unsigned height) {
  __shared__ float tile[1024];
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  tile[threadIdx.x] = float(x);
  __syncthreads();
  float sum = 0;
  if (x < width && y < height) sum = tile[threadIdx.x * 4 % 1024];
  if (blockIdx.x == 0 || blockIdx.y == 0)
    for (unsigned i = 0; i < 32; ++i) sum += tile[(threadIdx.x * 32 + i) % 1024];
  out[y * gridDim.x * blockDim.x + x] = sum;
}

// One random block in `period` does a hundred times as much work.
__global__ void rarely(float* out, const unsigned* in, unsigned period) {
  __shared__ float tile[1024];
  tile[threadIdx.x] = float(threadIdx.x);
  __syncthreads();
  float sum = tile[threadIdx.x ^ 1];
  if (in[blockIdx.x] % period == 0)
    for (unsigned i = 0; i < 100; ++i) sum += tile[(threadIdx.x * 2 + i) % 1024];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Every second column of the grid costs twice as much. A sample must not consist of only these columns.
__global__ void stripes(float* out) {
  __shared__ float tile[1024];
  tile[threadIdx.x] = float(threadIdx.x);
  __syncthreads();
  float sum = 0;
  for (unsigned i = 0; i < (blockIdx.x % 2 + 1) * 16; ++i) sum += tile[(threadIdx.x * 8 + i) % 1024];
  out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}

// Executes rounds of the 3n + 1 sequence, each with a gather from memory.
__global__ void wanders(unsigned* out, const unsigned* in) {
  __shared__ unsigned table[512];
  for (unsigned i = threadIdx.x; i < 512; i += blockDim.x) table[i] = i;
  __syncthreads();
  unsigned n = in[blockIdx.x] % 2048 + 1, rounds = 0;
  while (n != 1) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    rounds += table[(n + threadIdx.x * (n % 5)) % 512];
    out[blockIdx.x * blockDim.x + threadIdx.x] = rounds;
  }
}

// A block takes little time, so a run can have many blocks. Only the block in the middle of the grid writes.
__global__ void repeats(unsigned* out, unsigned rounds) {
  __shared__ unsigned tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  unsigned sum = 0;
  for (unsigned i = 0; i < rounds; ++i) sum += tile[(threadIdx.x * 2 + i) % 64];
  if (blockIdx.x == gridDim.x / 2) out[threadIdx.x] = sum;
}

// Fails if `repeats` has not written its output.
__global__ void relies(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const unsigned n = tile[threadIdx.x ^ 1];
  out[n == 0 ? 1ull << 40 : 0] = n;
}
