// One ldmatrix.x4 from a tile of 32 x 64 halves (docs/book/ldmatrix.md). The instruction loads the upper left 16 x 16
// elements, whose values are their numbers. Lane 0 prints its values.
//
//     bankwise run examples/tutorial/ldmatrix.cubin -k rows_plain --grid 1 --block 32 --arg out:u32[128]
#include <cuda_fp16.h>

#include "../check.cuh"

constexpr int columns = 64;

struct plain {
  static __device__ int at(int row, int column) { return row * columns + column; }
};
// Chunk c of eight columns is at position c ^ (row % 8).
struct swizzled {
  static __device__ int at(int row, int column) { return row * columns + (column ^ row % 8 * 8); }
};

template <class Rows>
__device__ void load(unsigned* out) {
  __shared__ __align__(128) half tile[32 * columns];
  const int t = threadIdx.x;
  for (int i = t; i < 32 * columns; i += 32) tile[Rows::at(i / columns, i % columns)] = __int2half_rn(i);
  __syncwarp();
  unsigned r[4];
  const auto row = static_cast<unsigned>(__cvta_generic_to_shared(&tile[Rows::at(t % 16, t / 16 * 8)]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row));
  for (int i = 0; i < 4; ++i) out[t * 4 + i] = r[i];
  if (t != 0) return;
  const half2* got = reinterpret_cast<const half2*>(r);
  for (int i = 0; i < 4; ++i) printf("%s(%.0f, %.0f)", i == 0 ? "" : " ", __low2float(got[i]), __high2float(got[i]));
  printf("\n");
}

__global__ void rows_plain(unsigned* out) { load<plain>(out); }
__global__ void rows_swizzled(unsigned* out) { load<swizzled>(out); }

int main() {
  const gpu_buffer<unsigned> first(128), second(128);
  rows_plain<<<1, 32>>>(first.get());
  rows_swizzled<<<1, 32>>>(second.get());
  CUDA_CHECK(cudaGetLastError());
  return report_result("the same fragments", first.host() == second.host()) ? 0 : 1;
}
