// Kernels that measure memory, rebuilt from te42kyfo/gpu-benches: its programs gpu-stream, gpu-small-kernels, gpu-cache,
// gpu-l2-cache and gpu-strides. data/published/times.csv has the published numbers.
//
// scripts/build-cubins compiles it for sm_80 sm_86 sm_89 sm_90 sm_120.

// gpu-stream: one element for each thread
extern "C" __global__ void stream_init(double* a, const double*, const double*, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 0.23;
}
extern "C" __global__ void stream_read(double* a, const double* __restrict__ b, const double*, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double x = b[i];
  if (x == 123) a[i] = x;
}
extern "C" __global__ void stream_scale(double* a, const double* __restrict__ b, const double*, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = b[i] * 1.2;
}
extern "C" __global__ void stream_triad(double* a, const double* __restrict__ b, const double* __restrict__ c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = b[i] * 1.2 + c[i];
}
extern "C" __global__ void stream_stencil(double* a, const double* __restrict__ b, const double*, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i >= n - 1) return;
  a[i] = 0.5 * b[i - 1] - b[i] + 0.5 * b[i + 1];
}

// gpu-cache: every block of 256 threads reads the same N elements again and again
template <typename T, int N>
__device__ void read_again(T* a, const T* b, int rounds, int zero) {
  constexpr int loads = N / 256;
  T sum = 0;
  b += threadIdx.x;
#pragma unroll loads> 32 ? 1 : 32 / loads
  for (int round = 0; round < rounds; ++round) {
    b += zero;
#pragma unroll loads >= 64 ? 32 : loads
    for (int i = 0; i < N; i += 256) sum += b[i];
    sum *= T(1.3);
  }
  if (sum == T(1233)) a[threadIdx.x] += sum;
}
extern "C" __global__ void double_in_l1(double* a, const double* __restrict__ b, int rounds, int zero) {
  read_again<double, 16 * 128>(a, b, rounds, zero);
}
extern "C" __global__ void double_in_l2(double* a, const double* __restrict__ b, int rounds, int zero) {
  read_again<double, 1152 * 128>(a, b, rounds, zero);
}
extern "C" __global__ void float_in_l1(float* a, const float* __restrict__ b, int rounds, int zero) {
  read_again<float, 16 * 256>(a, b, rounds, zero);
}
extern "C" __global__ void float_in_l2(float* a, const float* __restrict__ b, int rounds, int zero) {
  read_again<float, 1080 * 256>(a, b, rounds, zero);
}

// gpu-l2-cache: groups of `run` blocks read the same data, a block 64 rows of 1,024 doubles
extern "C" __global__ void __launch_bounds__(1024) l2_sum(double* a, const double* __restrict__ b, int run) {
  double sum = 0;
#pragma unroll 8
  for (int i = 0; i < 32; ++i) {
    const int at = (1024 * run * i + blockIdx.x % run * 1024) * 2 + threadIdx.x;
    sum += b[at] * b[at + 1024];
  }
  sum *= 1.3;
  if (sum == 23.12) a[threadIdx.x] += sum;
}

// gpu-strides: one block reads words at a distance, which stay in L1
template <typename T>
__device__ void read_strided(T* b, const T* a, int zero, int stride, int n) {
  T sum = 0;
  a += threadIdx.x % 64 * stride;
#pragma unroll 1
  for (int i = 0; i < n; i += 8) {
    a += zero;
    sum += a[0] * a[4];
    sum += a[8] * a[12];
    sum += a[20] * a[16];
    sum += a[24] * a[28];
  }
  if (sum == T(123123.23)) b[threadIdx.x] = sum;
}
extern "C" __global__ void __launch_bounds__(1024)
    strides_float(float* b, const float* a, int zero, int stride, int n) {
  read_strided(b, a, zero, stride, n);
}
extern "C" __global__ void __launch_bounds__(1024)
    strides_double(double* b, const double* a, int zero, int stride, int n) {
  read_strided(b, a, zero, stride, n);
}
