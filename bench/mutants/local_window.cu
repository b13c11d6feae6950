// The median of five neighbours, sorted in an array of the thread.
#include "../naive/host.cuh"

__global__ void local_window(const int* in, int* out, int n, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int window[8];
  for (int k = 0; k < width; ++k) window[k] = in[min(max(i + k - width / 2, 0), n - 1)];
  for (int a = 1; a < width; ++a)
    for (int b = a; b > 0 && window[b] < window[b - 1]; --b) {
      const int other = window[b];
      window[b] = window[b - 1];
      window[b - 1] = other;
    }
  out[i] = window[width / 2];
}

int main() {
  const int n = 700;
  int* in = filled<int>(n, [](int i) { return int(mixed(i) % 500); });
  int* out;
  cudaMalloc(&out, n * sizeof(int));
  local_window<<<(n + 127) / 128, 128>>>(in, out, n, 5);
  const int status = print_checksum(out, n);
  cudaFree(in);
  cudaFree(out);
  return status;
}
