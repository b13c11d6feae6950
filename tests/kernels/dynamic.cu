// Kernels that divide their dynamic shared memory into arrays themselves.

// There are two stages. Each stage has a tile of A, which is read by columns, followed by a tile of B.
extern "C" __global__ void staged(float* out, const float* a, const float* b, int rounds) {
  extern __shared__ float smem[];
  constexpr int stage_floats = 32 * 32 + 32 * 32;
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int k = 0, stage = 0; k < rounds; ++k, stage ^= 1) {
    float* As = smem + stage * stage_floats;
    float* Bs = smem + stage * stage_floats + 32 * 32;
    for (int i = y; i < 32; i += 8) {
      As[i * 32 + x] = a[(k * 32 + i) * 32 + x];
      Bs[i * 32 + x] = b[(k * 32 + i) * 32 + x];
    }
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += As[x * 32 + i] * Bs[i * 32 + x];
  }
  out[y * 32 + x] = sum;
}

// An argument gives the length of the rows. Later, a sum uses the same bytes.
extern "C" __global__ void reused(float* out, const float* in, int d) {
  extern __shared__ float sram[];
  float* rows = sram;
  float* weights = &sram[32 * d];
  const int x = threadIdx.x;
  for (int i = 0; i < d; ++i) rows[x * d + i] = in[x * d + i];
  weights[x] = in[x];
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < d; ++i) sum += rows[(x ^ 1) * d + i] * weights[i];
  __syncthreads();
  double* sums = reinterpret_cast<double*>(sram);
  sums[x] = sum;
  __syncthreads();
  out[x] = static_cast<float>(sums[31 - x] / sums[x ^ 1]);
}
