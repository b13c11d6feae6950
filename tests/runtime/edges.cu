// Undefined behaviour that works on a GPU. The program accesses a little memory after the end of memory that the host
// shares, or the word around it. It also runs a kernel whose stack size nvlink cannot know.
#include <cstdio>

struct shape {
  __device__ virtual int area(int n) const = 0;
};
struct square : shape {
  __device__ int area(int n) const override { return n * n; }
};
struct strip : shape {
  __device__ int area(int n) const override { return n == 0 ? 0 : 1 + area(n - 1); }
};

// The kernel calls functions through pointers, and recurses.
__global__ void areas(int* out, int n) {
  const square a;
  const strip b;
  const shape* const all[2] = {&a, &b};
  for (int i = 0; i < 2; ++i) out[i] = all[(n + i) % 2]->area(n);
}

__global__ void next(int* out, const int* in, int n) { out[threadIdx.x] = in[threadIdx.x] + (in[threadIdx.x + n] & 0); }

// An atomic on a byte accesses the word around it. The memory ends within this word.
__global__ void add_in_word(signed char* to) { atomicAdd(reinterpret_cast<int*>(to), 5); }

int main() {
  constexpr int n = 1024;  // a page
  int *in, *out, *pinned[2];
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i;
  next<<<1, 32>>>(out, in, n);  // accesses the words after the end of the memory
  std::printf("past managed memory on the device: %s, %d\n", cudaGetErrorString(cudaDeviceSynchronize()), out[31]);
  for (int*& p : pinned) cudaMallocHost(&p, n * sizeof(int));
  int sum = 0;
  for (int i = 0; i < n + 256; ++i) pinned[0][i] = 1, in[i] = 2, sum += pinned[0][i] + in[i];
  std::printf("past pinned and managed memory on the host: %d\n", sum);
  for (int* p : pinned) cudaFreeHost(p);
  areas<<<1, 1>>>(out, 5);
  std::printf("a stack that nobody knows: %s, %d and %d\n", cudaGetErrorString(cudaDeviceSynchronize()), out[0], out[1]);
  signed char* byte;
  cudaMallocManaged(&byte, 1);
  *byte = 2;
  add_in_word<<<1, 1>>>(byte);
  cudaDeviceSynchronize();
  std::printf("a word that ends after managed memory: %d\n", *byte);
  cudaFree(byte);
  cudaFree(in);
  cudaFree(out);
}
