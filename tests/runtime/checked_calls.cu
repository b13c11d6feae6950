// A program whose first argument chooses one fault of its calls or kernels, for checked_calls.py.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void doubles(int* to, const int* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] * 2;
}
__global__ void fills(int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = i;
}
__global__ void adds(int* bins) { atomicAdd(&bins[threadIdx.x & 7], 1); }
// Three of four words are written, and the fourth is loaded but not used.
__global__ void fills_three(float4* to) {
  float* one = reinterpret_cast<float*>(&to[threadIdx.x]);
  one[0] = one[1] = one[2] = 1;
}
__global__ void sums_three(float* to, const float4* from) {
  const float4 v = from[threadIdx.x];
  to[threadIdx.x] = v.x + v.y + v.z;
}
__global__ void sums_four(float* to, const float4* from) {
  const float4 v = from[threadIdx.x];
  to[threadIdx.x] = v.x + v.y + v.z + v.w;
}
struct padded {
  double large;
  int small;
};
__global__ void fills_padded(padded* to) {
  to[threadIdx.x].large = 1;
  to[threadIdx.x].small = 2;
}
__global__ void copies_padded(padded* to, const padded* from) { to[threadIdx.x] = from[threadIdx.x ^ 1]; }
__global__ void looks_at_stack(int* to, int step) {
  int own[16];
  for (int i = 0; i < 8; ++i) own[(i * step) & 15] = i;
  to[threadIdx.x] = own[(threadIdx.x + step) & 15] + 1;
}
__global__ void fills_stack(int* to, int step) {
  int own[16];
  for (int i = 0; i < 16; ++i) own[(i * step) & 15] = i;
  to[threadIdx.x] = own[(threadIdx.x + step) & 15] + 1;
}
__global__ void past_heap(int* to, int last) {
  int* own = static_cast<int*>(malloc(40));
  for (int i = 0; i <= last; ++i) own[i] = i;
  to[threadIdx.x] = own[3];
  free(own);
}
__global__ void after_free(int* to) {
  int* own = static_cast<int*>(malloc(40));
  own[3] = 1;
  free(own);
  to[threadIdx.x] = own[3];
}
__device__ int table[64];
__global__ void reads_table(int* to) { to[threadIdx.x] = table[threadIdx.x]; }

struct at_exit {  // frees memory after main
  int* memory = nullptr;
  ~at_exit() { cudaFree(memory); }
} global;

int main(int, char** words) {
  const auto is = [&](const char* way) { return std::strcmp(words[1], way) == 0; };
  constexpr int n = 64, bytes = 4096;
  int *a = nullptr, *b = nullptr, here[1024] = {};
  float4* quads = nullptr;
  padded *these = nullptr, *those = nullptr;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&quads, bytes);
  cudaMalloc(&these, bytes);
  cudaMalloc(&those, bytes);
  bool frees = true;
  if (is("unwritten")) doubles<<<1, n>>>(b, a, n);
  if (is("partly")) cudaMemset(a, 0, 100), doubles<<<1, n>>>(b, a, n);
  if (is("last byte")) cudaMemset(a, 0, 4 * n - 1), doubles<<<1, n>>>(b, a, n);
  if (is("copied")) cudaMemcpy(a, here, 4 * n, cudaMemcpyHostToDevice), doubles<<<1, n>>>(b, a, n);
  if (is("by kernel")) fills<<<1, n>>>(a, n), doubles<<<1, n>>>(b, a, n);
  if (is("through a copy")) cudaMemcpy(b, a, 4 * n, cudaMemcpyDeviceToDevice), doubles<<<1, n>>>(a, b, n);
  if (is("atomic")) adds<<<1, 32>>>(a);
  if (is("three words")) fills_three<<<1, 32>>>(quads), sums_three<<<1, 32>>>(reinterpret_cast<float*>(a), quads);
  if (is("four words")) fills_three<<<1, 32>>>(quads), sums_four<<<1, 32>>>(reinterpret_cast<float*>(a), quads);
  if (is("padding")) fills_padded<<<1, 32>>>(these), copies_padded<<<1, 32>>>(those, these);
  if (is("stack")) looks_at_stack<<<1, 32>>>(a, 1);
  if (is("whole stack")) fills_stack<<<1, 32>>>(a, 1);
  if (is("variable")) reads_table<<<1, 32>>>(a);
  if (is("past heap")) past_heap<<<1, 32>>>(a, 10);
  if (is("inside heap")) past_heap<<<1, 32>>>(a, 9);
  if (is("heap after free")) after_free<<<1, 32>>>(a);
  if (is("host copy")) fills<<<1, n>>>(a, n), cudaMemcpy(here, a, 8 * n, cudaMemcpyDeviceToHost);
  if (is("host copy of all")) fills<<<1, n>>>(a, n), cudaMemcpy(here, a, 4 * n, cudaMemcpyDeviceToHost);
  if (is("host copy of padding")) {
    padded one[32];
    fills_padded<<<1, 32>>>(these);
    cudaMemcpy(one, these, sizeof one, cudaMemcpyDeviceToHost);
  }
  if (is("managed")) {
    int* shared = nullptr;
    cudaMallocManaged(&shared, bytes);
    for (int i = 0; i < n; ++i) shared[i] = i;
    doubles<<<1, n>>>(b, shared, n);
    cudaDeviceSynchronize();
    cudaFree(shared);
  }
  if (is("twice")) cudaFree(a);
  if (is("inside")) std::printf("%d\n", cudaFree(a + 4));
  if (is("host")) std::printf("%d\n", cudaFree(here));
  if (is("leak")) fills<<<1, n>>>(a, n), frees = false;
  if (is("at exit")) fills<<<1, n>>>(a, n), cudaMalloc(&global.memory, 100);
  if (is("ignored")) fills<<<1, n>>>(a, n), cudaMemcpy(here, a, 1 << 20, cudaMemcpyDeviceToHost);
  if (is("past pinned")) {
    int* pinned = nullptr;
    cudaMallocHost(&pinned, bytes / 2);
    std::printf("%d\n", cudaMemcpy(a, pinned, bytes, cudaMemcpyHostToDevice));
    cudaFreeHost(pinned);
  }
  if (is("after free")) {
    int* gone = nullptr;
    cudaMalloc(&gone, bytes);
    cudaFree(gone);
    std::printf("%d\n", cudaMemcpy(here, gone, 4, cudaMemcpyDeviceToHost));
  }
  if (is("past the end")) fills<<<2, 1024>>>(a, bytes / 4 + 1);
  if (is("freed")) {
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    int* ordered = nullptr;
    cudaMallocAsync(&ordered, 4 << 20, first);
    fills<<<1, n, 0, first>>>(ordered, n);
    cudaFreeAsync(ordered, first);
    doubles<<<1, n, 0, second>>>(b, ordered, n);
  }
  const cudaError_t e = cudaDeviceSynchronize();
  if (frees) {
    cudaFree(a);
    cudaFree(b);
    cudaFree(quads);
    cudaFree(these);
    cudaFree(those);
  }
  return e == cudaSuccess ? 0 : 3;
}
