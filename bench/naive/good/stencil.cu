// One step of a 7-point stencil on 256 x 256 x 256 floats: 4 points a thread and plane, and 8 planes in registers.
#include "../host.cuh"

constexpr int kSide = 256, kPlanes = 8;

__device__ float point(float centre, float a, float b, float c, float d, float e, float f) {
  return 0.4f * centre + 0.1f * (a + b + c + d + e + f);
}

__global__ void __launch_bounds__(256) stencil(const float* in, float* out) {
  const int k = threadIdx.x * 4, j = blockIdx.x * blockDim.y + threadIdx.y, i0 = blockIdx.y * kPlanes;
  const int row = kSide, plane = kSide * kSide;
  const int first = i0 * plane + j * row + k;
  auto wide = [&](int at) { return *reinterpret_cast<const float4*>(in + at); };
  float4 above = i0 > 0 ? wide(first - plane) : float4{}, centre = wide(first);
#pragma unroll
  for (int p = 0; p < kPlanes; ++p) {
    const int i = i0 + p, at = first + p * plane;
    float4 below = i < kSide - 1 ? wide(at + plane) : float4{};
    float4 result = centre;
    if (i > 0 && i < kSide - 1 && j > 0 && j < kSide - 1) {
      float4 north = wide(at - row), south = wide(at + row);
      if (k > 0) result.x = point(centre.x, above.x, below.x, north.x, south.x, in[at - 1], centre.y);
      result.y = point(centre.y, above.y, below.y, north.y, south.y, centre.x, centre.z);
      result.z = point(centre.z, above.z, below.z, north.z, south.z, centre.y, centre.w);
      if (k < kSide - 4) result.w = point(centre.w, above.w, below.w, north.w, south.w, centre.z, in[at + 4]);
    }
    *reinterpret_cast<float4*>(out + at) = result;
    above = centre;
    centre = below;
  }
}

int main() {
  const int n = kSide;
  float* in = filled<float>(n * n * n, noise);
  float* out = filled<float>(n * n * n, [](int) { return 0.0f; });
  stencil<<<dim3(n / 4, n / kPlanes), dim3(n / 4, 4)>>>(in, out);
  return print_checksum(out, n * n * n);
}
