// Kernels of the book "Programming Massively Parallel Processors", rebuilt from the benchmarks of
// R100001/Programming-Massively-Parallel-Processors, which were measured with NVBench on six GPUs. All inputs were zero,
// so all atomics of a histogram are for one word. data/published/times.csv has the published times.
//
// scripts/build-cubins compiles it for sm_75 sm_86.

extern "C" __global__ void add_by_columns(const float* a, const float* b, float* c, int m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, at = i * m + j;
  if (i < n && j < m) c[at] = a[at] + b[at];
}
extern "C" __global__ void add_by_rows(const float* a, const float* b, float* c, int m, int n) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x, at = i * m + j;
  if (i < n && j < m) c[at] = a[at] + b[at];
}

extern "C" __global__ void product_plain(const unsigned* a, const unsigned* b, unsigned* c, int rows, int inner,
                                         int columns) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || column >= columns) return;
  unsigned sum = 0;
  for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
  c[row * columns + column] = sum;
}
extern __shared__ unsigned shared_words[];
extern "C" __global__ void product_tiled(const unsigned* a, const unsigned* b, unsigned* c, int rows, int inner,
                                         int columns) {
  const int width = blockDim.x, tx = threadIdx.x, ty = threadIdx.y;
  unsigned* const as = shared_words;
  unsigned* const bs = shared_words + width * width;
  const int row = blockIdx.y * width + ty, column = blockIdx.x * width + tx;
  unsigned sum = 0;
  for (int tile = 0; tile < (inner + width - 1) / width; ++tile) {
    as[ty * width + tx] = row < rows && tile * width + tx < inner ? a[row * inner + tile * width + tx] : 0;
    bs[ty * width + tx] = tile * width + ty < inner && column < columns ? b[(tile * width + ty) * columns + column] : 0;
    __syncthreads();
    for (int k = 0; k < width; ++k) sum += as[ty * width + k] * bs[k * width + tx];
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}

extern "C" __global__ void vector_plain(unsigned* out, const unsigned* matrix, const unsigned* vector, int m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned sum = 0;
  for (int k = 0; k < n; ++k) sum += matrix[i * n + k] * vector[k];
  out[i] = sum;
}

extern "C" __global__ void bins_global(const unsigned* input, unsigned* bins, unsigned n, unsigned count) {
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
  for (unsigned i = first; i < count; i += step) bins[i] = 0;
  __syncthreads();
  for (unsigned i = first; i < n; i += step) atomicAdd(&bins[input[i]], 1);
}
extern "C" __global__ void bins_shared(const unsigned* input, unsigned* bins, unsigned n, unsigned count) {
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) shared_words[i] = 0;
  __syncthreads();
  for (unsigned i = first; i < n; i += step) atomicAdd(&shared_words[input[i]], 1);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) atomicAdd(&bins[i], shared_words[i]);
}
