// One step of a 7-point stencil on 256 x 256 x 256 floats: each thread computes some points grid[i][j][k].
#include "../host.cuh"

constexpr int planes = 16;  // points of a thread, one after another in the direction of i

__global__ void stencil(const float* in, float* out, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int first = blockIdx.z * planes;
  if (j >= n || k >= n) return;
  bool edge = j == 0 || k == 0 || j == n - 1 || k == n - 1;
  int at = (first * n + j) * n + k;
  float before = first > 0 ? in[at - n * n] : 0, here = in[at];
  for (int i = first; i < first + planes && i < n; i++, at += n * n) {
    float after = i < n - 1 ? in[at + n * n] : 0;
    if (edge || i == 0 || i == n - 1) {
      out[at] = here;
    } else {
      out[at] = 0.4f * here + 0.1f * (before + after + in[at - n] + in[at + n] + in[at - 1] + in[at + 1]);
    }
    before = here;
    here = after;
  }
}

int main() {
  const int n = 256;
  float* in = filled<float>(n * n * n, noise);
  float* out = filled<float>(n * n * n, [](int) { return 0.0f; });
  dim3 threads(64, 8);
  dim3 blocks(n / 64, n / 8, n / planes);
  stencil<<<blocks, threads>>>(in, out, n);
  return print_checksum(out, n * n * n);
}
