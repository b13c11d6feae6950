// Kernels that set the conditions of conditional graph nodes.

// Counts down. The loop node continues until the count is zero.
extern "C" __global__ void count_down(int* left, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, --*left > 0);
}
extern "C" __global__ void choose(const int* which, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, *which);
}
extern "C" __global__ void add(int* to, int n) { *to += n; }
