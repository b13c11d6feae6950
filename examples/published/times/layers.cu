// Layers of a language model, rebuilt from the development kernels of karpathy/llm.c and its pull requests 274 (encoder),
// 284 (residual) and 600 (layer norm), and sums of arrays of sylvia-ymlin/cuda-kernels-from-scratch. The model has 8
// batches of 1,024 tokens with 768 channels. data/published/times.csv has the published times.
//
// scripts/build-cubins compiles it for sm_75 sm_86 sm_100.

// encoder kernel 2: a channel for each thread; kernel 3: four channels
extern "C" __global__ void encoder_plain(float* out, const int* tokens, const float* wte, const float* wpe, int batches,
                                         int length, int channels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batches * length * channels) return;
  const int place = i / channels, batch = place / length, at = place % length, channel = i % channels;
  const int token = tokens[batch * length + at];
  out[place * channels + channel] = wte[token * channels + channel] + wpe[at * channels + channel];
}
extern "C" __global__ void encoder_wide(float4* out, const int* tokens, const float4* wte, const float4* wpe,
                                        int batches, int length, int channels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, fours = channels / 4;
  if (i >= batches * length * fours) return;
  const int place = i / fours, batch = place / length, at = place % length, channel = i % fours;
  const int token = tokens[batch * length + at];
  const float4 a = wte[token * fours + channel], b = wpe[at * fours + channel];
  out[place * fours + channel] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

extern "C" __global__ void residual(float* out, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

__device__ float sum_of_warp(float x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffff, x, step);
  return x;
}
// layer norm kernel 3: a warp for each row reads the row three times
extern "C" __global__ void norm_by_warp(float* out, float* mean, float* rstd, const float* in, const float* weight,
                                        const float* bias, int rows, int channels) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  const float* const x = in + row * channels;
  float sum = 0;
  for (int i = lane; i < channels; i += 32) sum += x[i];
  const float m = sum_of_warp(sum) / channels;
  if (lane == 0) __stcs(mean + row, m);
  sum = 0;
  for (int i = lane; i < channels; i += 32) {
    const float d = x[i] - m;
    sum += d * d;
  }
  const float s = rsqrtf(sum_of_warp(sum) / channels + 1e-5f);
  if (lane == 0) __stcs(rstd + row, s);
  float* const to = out + row * channels;
  for (int i = lane; i < channels; i += 32) __stcs(to + i, s * (__ldcs(x + i) - m) * weight[i] + bias[i]);
}
// layer norm kernel 5: a block for each row
extern "C" __global__ void norm_by_block(float* out, float* mean, float* rstd, const float* in, const float* weight,
                                         const float* bias, int rows, int channels) {
  __shared__ float sums[32], squares[32];
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x;
  const float* const x = in + row * channels;
  float sum = 0, square = 0;
  for (int i = threadIdx.x; i < channels; i += blockDim.x) {
    sum += x[i];
    square += x[i] * x[i];
  }
  sum = sum_of_warp(sum);
  square = sum_of_warp(square);
  if (lane == 0) {
    sums[warp] = sum;
    squares[warp] = square;
  }
  __syncthreads();
  const float m = sum_of_warp(lane < warps ? sums[lane] : 0) / channels;
  const float v = sum_of_warp(lane < warps ? squares[lane] : 0) / channels - m * m, s = rsqrtf(v + 1e-5f);
  if (threadIdx.x == 0) {
    __stcs(mean + row, m);
    __stcs(rstd + row, s);
  }
  float* const to = out + row * channels;
  for (int i = threadIdx.x; i < channels; i += blockDim.x)
    __stcs(to + i, s * (__ldcs(x + i) - m) * weight[i] + bias[i]);
}

extern "C" __global__ void add_wide(const float4* a, const float4* b, float4* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 x = a[i], y = b[i];
  c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}
