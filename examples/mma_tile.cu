// A 64 x 64 tile of C = A B in half precision on the tensor cores: cp.async copies to shared memory, ldmatrix loads
// from it, and mma.sync multiplies.
//
//     bankwise run mma_tile.cu -k mma_plain --grid 1 --block 128 --arg out:f32[64*64] --arg f16[64*64]=random:1 \
//         --arg f16[64*64]=random:2
#include <cuda_fp16.h>

#include "check.cuh"

constexpr int side = 64;  // number of rows and columns of A, B (which is stored by columns) and C

// Rows have 128 bytes, so the eight rows that ldmatrix reads together begin in one bank.
struct plain_rows {
  static __device__ int at(int row, int chunk) { return row * side + chunk * 8; }
};
// Chunk c of row r is at position c ^ (r % 8).
struct swizzled_rows {
  static __device__ int at(int row, int chunk) { return row * side + ((chunk ^ row % 8) * 8); }
};

template <class Rows>
__device__ void copy_in(half* to, const half* from) {
  for (int i = threadIdx.x; i < side * side / 8; i += blockDim.x) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to + Rows::at(i / 8, i % 8)));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from + i * 8));
  }
}

__device__ void load_fragments(unsigned (&r)[4], const half* at) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}

__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Each of four warps computes 16 rows of C.
template <class Rows>
__device__ void tile_product(float* c, const half* a, const half* b) {
  __shared__ __align__(128) half a_tile[side * side], b_tile[side * side];
  copy_in<Rows>(a_tile, a);
  copy_in<Rows>(b_tile, b);
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  const int lane = threadIdx.x % 32, first_row = threadIdx.x / 32 * 16;
  float sum[8][4] = {};
#pragma unroll
  for (int k = 0; k < side; k += 16) {
    unsigned fa[4];
    load_fragments(fa, a_tile + Rows::at(first_row + lane % 16, k / 8 + lane / 16));
#pragma unroll
    for (int j = 0; j < 8; j += 2) {
      unsigned fb[4];
      load_fragments(fb, b_tile + Rows::at(j * 8 + lane / 16 * 8 + lane % 8, k / 8 + lane / 8 % 2));
      multiply(sum[j], fa, fb[0], fb[1]);
      multiply(sum[j + 1], fa, fb[2], fb[3]);
    }
  }
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 4; ++i) c[(first_row + lane / 4 + i / 2 * 8) * side + j * 8 + lane % 4 * 2 + i % 2] = sum[j][i];
}

__global__ void mma_plain(float* c, const half* a, const half* b) { tile_product<plain_rows>(c, a, b); }
__global__ void mma_swizzled(float* c, const half* a, const half* b) { tile_product<swizzled_rows>(c, a, b); }

int main() {
  const std::vector<float> a = small_numbers(side * side, 4), b = small_numbers(side * side, 5);
  std::vector<half> ha(a.size()), hb(b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ha[i] = __float2half(a[i]), hb[i] = __float2half(b[i]);
  const gpu_buffer<half> ga(ha), gb(hb);
  bool right = true;
  const auto run = [&](const char* name, void (*kernel)(float*, const half*, const half*)) {
    const gpu_buffer<float> to(side * side);
    kernel<<<1, 128>>>(to.get(), ga.get(), gb.get());
    CUDA_CHECK(cudaGetLastError());
    const std::vector<float> c = to.host();
    bool same = true;
    for (int i = 0; i < side; ++i)
      for (int j = 0; j < side; ++j) {
        float sum = 0;
        for (int k = 0; k < side; ++k) sum += a[i * side + k] * b[j * side + k];
        same &= c[i * side + j] == sum;
      }
    right &= report_result(name, same);
  };
  run("mma_plain", mma_plain);
  run("mma_swizzled", mma_swizzled);
  return right ? 0 : 1;
}
