// Kernels that become cheaper by a change other than a layout. Each kernel exists without and with the change.

// A thread loads one word of each of 8 rows, all in one column. In the transposed array, these words are adjacent.
constexpr int height = 64, width = 8;
extern "C" __global__ void columns(float* out, const float* in) {
  __shared__ float tile[height][width];
  const int t = threadIdx.x;
  for (int i = 0; i < height * width; i += 64) tile[(i + t) / width][t % width] = in[i + t];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += tile[t / 8 * 8 + i][t % 8] * static_cast<float>(i + 1);
  out[t] = sum;
}
extern "C" __global__ void columns_turned(float* out, const float* in) {
  __shared__ __align__(16) float tile[width][height + 4];
  const int t = threadIdx.x;
  for (int i = 0; i < height * width; i += 64) tile[t % width][(i + t) / width] = in[i + t];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += tile[t % 8][t / 8 * 8 + i] * static_cast<float>(i + 1);
  out[t] = sum;
}

// The array has one dimension. The code computes the rows from one index.
extern "C" __global__ void columns_of_a_flat_array(float* out, const float* in) {
  __shared__ float tile[height * width];
  const int t = threadIdx.x;
  for (int i = 0; i < height * width; i += 64) tile[i + t] = in[i + t];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += tile[(t / 8 * 8 + i) * width + t % 8] * static_cast<float>(i + 1);
  out[t] = sum;
}

// Each warp transposes its own 4 x 8 words.
constexpr int threads = 128;
extern "C" __global__ void within_warps(float* out, const float* in) {
  __shared__ float small[threads / 32][32];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  small[warp][lane] = in[t];
  __syncthreads();
  out[t] = small[warp][lane % 4 * 8 + lane / 4];
}
extern "C" __global__ void within_warps_shuffled(float* out, const float* in) {
  const int t = threadIdx.x, lane = t % 32;
  out[t] = __shfl_sync(~0u, in[t], lane % 4 * 8 + lane / 4);
}
// Each lane stores two words. A load reads words of several lanes. Two shuffles for a load would save nothing.
extern "C" __global__ void two_words_of_warps(float* out, const float2* in) {
  __shared__ float2 pairs[threads];
  const int t = threadIdx.x, first = t / 32 * 64, lane = t % 32;
  pairs[t] = in[t];
  __syncthreads();
  const float* const words = reinterpret_cast<const float*>(pairs);
  out[first + lane] = words[first + lane];
  out[first + lane + 32] = words[first + lane + 32];
}
// Warps load words that other warps stored.
extern "C" __global__ void across_warps(float* out, const float* in) {
  __shared__ float all[threads];
  all[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = all[threads - 1 - threadIdx.x];
}
