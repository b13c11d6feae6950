// Kernels that take work from a queue, and kernels whose atomics look similar.

// Each thread takes rows until no row is left. done_by[row] becomes the number of the block.
__global__ void threads_take_rows(unsigned* next, unsigned* done_by, const float* values, float* sums, unsigned rows) {
  for (unsigned row = atomicAdd(next, 1); row < rows; row = atomicAdd(next, 1)) {
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum += values[(row * 64 + i) % 4096];
    sums[row] = sum;
    done_by[row] = blockIdx.x;
  }
}

// One thread takes a tile for its block, and passes the number through shared memory.
__global__ void blocks_take_tiles(unsigned* next, unsigned* done_by, const float* values, float* sums, unsigned tiles) {
  __shared__ unsigned taken;
  for (;;) {
    if (threadIdx.x == 0) taken = atomicAdd(next, 1);
    __syncthreads();
    const unsigned tile = taken;
    __syncthreads();
    if (tile >= tiles) return;
    sums[tile * blockDim.x + threadIdx.x] = values[(tile * 37 + threadIdx.x) % 4096] * 2;
    if (threadIdx.x == 0) done_by[tile] = blockIdx.x;
  }
}

// The old value is only an index.
__global__ void appends(unsigned* next, unsigned* list, const float* values, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (values[i % 4096] > 0) list[atomicAdd(next, 1)] = i;
}

// Repeats an update until it succeeds.
__global__ void multiplies(unsigned* product, unsigned factor) {
  unsigned old = *product, assumed;
  do {
    assumed = old;
    old = atomicCAS(product, assumed, assumed * factor);
  } while (old != assumed);
}

// The atomic comes before the loop.
__global__ void takes_once(unsigned* next, const float* values, float* sums, unsigned rows) {
  const unsigned row = atomicAdd(next, 1);
  if (row >= rows) return;
  float sum = 0;
  for (unsigned i = 0; i < rows; ++i) sum += values[(row + i) % 4096];
  sums[row] = sum;
}
