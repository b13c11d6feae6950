// The steps of a product of float matrices, C = alpha A B + beta C, rebuilt from the article "How to Optimize a CUDA
// Matmul Kernel for cuBLAS-like Performance". Several people published the throughput of these steps on their GPU
// (data/published/times.csv). All matrices have n rows and columns.
//
// scripts/build-cubins compiles it for sm_80 sm_86 sm_89.

// Step 1: the threads of a warp compute different rows.
extern "C" __global__ void step_naive(int n, float alpha, const float* a, const float* b, float beta, float* c) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

// Step 2: the threads of a warp compute neighbouring columns.
extern "C" __global__ void step_coalesced(int n, float alpha, const float* a, const float* b, float beta, float* c) {
  const unsigned row = blockIdx.x * 32 + threadIdx.x / 32, column = blockIdx.y * 32 + threadIdx.x % 32;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

// The same with two dimensions of threads, as wangzyon/NVIDIA_SGEMM_PRACTICE begins.
extern "C" __global__ void __launch_bounds__(1024)
    step_rows(int n, float alpha, const float* a, const float* b, float beta, float* c) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

// Step 3: tiles of 32 x 32 in shared memory.
extern "C" __global__ void step_shared(int n, float alpha, const float* a, const float* b, float beta, float* c) {
  __shared__ float as[32 * 32], bs[32 * 32];
  const unsigned column = threadIdx.x % 32, row = threadIdx.x / 32;
  a += blockIdx.x * 32 * n;
  b += blockIdx.y * 32;
  c += blockIdx.x * 32 * n + blockIdx.y * 32;
  float sum = 0;
  for (int at = 0; at < n; at += 32) {
    as[row * 32 + column] = a[row * n + column];
    bs[row * 32 + column] = b[row * n + column];
    __syncthreads();
    a += 32;
    b += 32 * n;
    for (int k = 0; k < 32; ++k) sum += as[row * 32 + k] * bs[k * 32 + column];
    __syncthreads();
  }
  c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

// Step 4: a thread computes 8 results of a column of a tile of 64 x 64.
extern "C" __global__ void step_column(int n, float alpha, const float* a, const float* b, float beta, float* c) {
  __shared__ float as[64 * 8], bs[8 * 64];
  const unsigned column = threadIdx.x % 64, rows = threadIdx.x / 64;
  a += blockIdx.y * 64 * n;
  b += blockIdx.x * 64;
  c += blockIdx.y * 64 * n + blockIdx.x * 64;
  const unsigned a_column = threadIdx.x % 8, a_row = threadIdx.x / 8;
  const unsigned b_column = threadIdx.x % 64, b_row = threadIdx.x / 64;
  float sum[8] = {};
  for (unsigned at = 0; at < n; at += 8) {
    as[a_row * 8 + a_column] = a[a_row * n + a_column];
    bs[b_row * 64 + b_column] = b[b_row * n + b_column];
    __syncthreads();
    a += 8;
    b += 8 * n;
    for (unsigned k = 0; k < 8; ++k) {
      const float right = bs[k * 64 + column];
      for (unsigned i = 0; i < 8; ++i) sum[i] += as[(rows * 8 + i) * 8 + k] * right;
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < 8; ++i) {
    float& to = c[(rows * 8 + i) * n + column];
    to = alpha * sum[i] + beta * to;
  }
}

// Step 5: a thread computes 8 x 8 results of a tile of 128 x 128.
extern "C" __global__ void __launch_bounds__(256, 1)
    step_square(int n, float alpha, const float* a, const float* b, float beta, float* c) {
  __shared__ float as[128 * 8], bs[8 * 128];
  const unsigned columns = threadIdx.x % 16, rows = threadIdx.x / 16;
  a += blockIdx.y * 128 * n;
  b += blockIdx.x * 128;
  c += blockIdx.y * 128 * n + blockIdx.x * 128;
  const unsigned a_row = threadIdx.x / 8, a_column = threadIdx.x % 8;
  const unsigned b_row = threadIdx.x / 128, b_column = threadIdx.x % 128;
  float sum[8 * 8] = {}, left[8], right[8];
  for (unsigned at = 0; at < n; at += 8) {
    for (unsigned i = 0; i < 128; i += 32) as[(a_row + i) * 8 + a_column] = a[(a_row + i) * n + a_column];
    for (unsigned i = 0; i < 8; i += 2) bs[(b_row + i) * 128 + b_column] = b[(b_row + i) * n + b_column];
    __syncthreads();
    a += 8;
    b += 8 * n;
    for (unsigned k = 0; k < 8; ++k) {
      for (unsigned i = 0; i < 8; ++i) left[i] = as[(rows * 8 + i) * 8 + k];
      for (unsigned i = 0; i < 8; ++i) right[i] = bs[k * 128 + columns * 8 + i];
      for (unsigned i = 0; i < 8; ++i)
        for (unsigned j = 0; j < 8; ++j) sum[i * 8 + j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned j = 0; j < 8; ++j) {
      float& to = c[(rows * 8 + i) * n + columns * 8 + j];
      to = alpha * sum[i * 8 + j] + beta * to;
    }
}

// Step 6: loads and stores of 16 bytes, and A is transposed in shared memory.
extern "C" __global__ void __launch_bounds__(256)
    step_wide(int n, float alpha, float* a, float* b, float beta, float* c) {
  __shared__ float as[128 * 8], bs[8 * 128];
  const unsigned columns = threadIdx.x % 16, rows = threadIdx.x / 16;
  a += blockIdx.y * 128 * n;
  b += blockIdx.x * 128;
  c += blockIdx.y * 128 * n + blockIdx.x * 128;
  const unsigned a_row = threadIdx.x / 2, a_column = threadIdx.x % 2;
  const unsigned b_row = threadIdx.x / 32, b_column = threadIdx.x % 32;
  float sum[8 * 8] = {}, left[8], right[8];
  for (unsigned at = 0; at < n; at += 8) {
    const float4 of_a = *reinterpret_cast<float4*>(&a[a_row * n + a_column * 4]);
    as[(a_column * 4 + 0) * 128 + a_row] = of_a.x;
    as[(a_column * 4 + 1) * 128 + a_row] = of_a.y;
    as[(a_column * 4 + 2) * 128 + a_row] = of_a.z;
    as[(a_column * 4 + 3) * 128 + a_row] = of_a.w;
    *reinterpret_cast<float4*>(&bs[b_row * 128 + b_column * 4]) =
        *reinterpret_cast<float4*>(&b[b_row * n + b_column * 4]);
    __syncthreads();
    a += 8;
    b += 8 * n;
    for (unsigned k = 0; k < 8; ++k) {
      for (unsigned i = 0; i < 8; ++i) left[i] = as[k * 128 + rows * 8 + i];
      for (unsigned i = 0; i < 8; ++i) right[i] = bs[k * 128 + columns * 8 + i];
      for (unsigned i = 0; i < 8; ++i)
        for (unsigned j = 0; j < 8; ++j) sum[i * 8 + j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < 8; ++i)
    for (unsigned j = 0; j < 8; j += 4) {
      float4* const to = reinterpret_cast<float4*>(&c[(rows * 8 + i) * n + columns * 8 + j]);
      float4 x = *to;
      x.x = alpha * sum[i * 8 + j] + beta * x.x;
      x.y = alpha * sum[i * 8 + j + 1] + beta * x.y;
      x.z = alpha * sum[i * 8 + j + 2] + beta * x.z;
      x.w = alpha * sum[i * 8 + j + 3] + beta * x.w;
      *to = x;
    }
}

// Step 10: each of 4 warps computes a part of the tile, 64 x 64 in steps of 64 x 16 (Ampere's GeForce GPUs), or 32 x 64
// in steps of 32 x 64 (A100). A thread computes Tm x 4 results in each step.
template <int Bm, int Wm, int Steps, int Tm>
__device__ void multiply_by_warps(int n, float alpha, float* a, float* b, float beta, float* c) {
  constexpr int bn = 128, bk = 16, wn = 64, tn = 4;
  constexpr int row_steps = Wm * wn / (32 * Tm * tn * Steps), sub_m = Wm / row_steps, sub_n = wn / Steps;
  __shared__ float as[Bm * bk], bs[bk * bn];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned warp_column = warp % (bn / wn), warp_row = warp / (bn / wn);
  const unsigned column = lane % (sub_n / tn), row = lane / (sub_n / tn);
  a += blockIdx.y * Bm * n;
  b += blockIdx.x * bn;
  c += (blockIdx.y * Bm + warp_row * Wm) * n + blockIdx.x * bn + warp_column * wn;
  const unsigned a_row = threadIdx.x / (bk / 4), a_column = threadIdx.x % (bk / 4);
  const unsigned b_row = threadIdx.x / (bn / 4), b_column = threadIdx.x % (bn / 4);
  float sum[row_steps * Tm * Steps * tn] = {}, left[row_steps * Tm], right[Steps * tn];
  for (unsigned at = 0; at < n; at += bk) {
    for (unsigned i = 0; i < Bm; i += 32) {
      const float4 x = *reinterpret_cast<const float4*>(&a[(a_row + i) * n + a_column * 4]);
      as[(a_column * 4 + 0) * Bm + a_row + i] = x.x;
      as[(a_column * 4 + 1) * Bm + a_row + i] = x.y;
      as[(a_column * 4 + 2) * Bm + a_row + i] = x.z;
      as[(a_column * 4 + 3) * Bm + a_row + i] = x.w;
    }
    for (unsigned i = 0; i < bk; i += 4)
      *reinterpret_cast<float4*>(&bs[(b_row + i) * bn + b_column * 4]) =
          *reinterpret_cast<const float4*>(&b[(b_row + i) * n + b_column * 4]);
    __syncthreads();
    for (unsigned k = 0; k < bk; ++k) {
      for (unsigned s = 0; s < row_steps; ++s)
        for (unsigned i = 0; i < Tm; ++i) left[s * Tm + i] = as[k * Bm + warp_row * Wm + s * sub_m + row * Tm + i];
      for (unsigned s = 0; s < Steps; ++s)
        for (unsigned j = 0; j < tn; ++j)
          right[s * tn + j] = bs[k * bn + warp_column * wn + s * sub_n + column * tn + j];
      for (unsigned r = 0; r < row_steps; ++r)
        for (unsigned s = 0; s < Steps; ++s)
          for (unsigned i = 0; i < Tm; ++i)
            for (unsigned j = 0; j < tn; ++j)
              sum[(r * Tm + i) * (Steps * tn) + s * tn + j] += left[r * Tm + i] * right[s * tn + j];
    }
    a += bk;
    b += bk * n;
    __syncthreads();
  }
  for (unsigned r = 0; r < row_steps; ++r)
    for (unsigned s = 0; s < Steps; ++s) {
      float* const to_all = c + r * sub_m * n + s * sub_n;
      for (unsigned i = 0; i < Tm; ++i) {
        float4* const to = reinterpret_cast<float4*>(&to_all[(row * Tm + i) * n + column * tn]);
        const float* const from = &sum[(r * Tm + i) * (Steps * tn) + s * tn];
        float4 x = *to;
        x.x = alpha * from[0] + beta * x.x;
        x.y = alpha * from[1] + beta * x.y;
        x.z = alpha * from[2] + beta * x.z;
        x.w = alpha * from[3] + beta * x.w;
        *to = x;
      }
    }
}
extern "C" __global__ void __launch_bounds__(128)
    step_warps(int n, float alpha, float* a, float* b, float beta, float* c) {
  multiply_by_warps<128, 64, 4, 8>(n, alpha, a, b, beta, c);
}
extern "C" __global__ void __launch_bounds__(128)
    step_warps_of_a100(int n, float alpha, float* a, float* b, float beta, float* c) {
  multiply_by_warps<64, 32, 1, 4>(n, alpha, a, b, beta, c);
}
