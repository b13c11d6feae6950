// A warp group computes a 64 x 64 tile of C = A B in half precision. The threads store A and B in shared memory, where
// wgmma reads them. The result goes through shared memory, so that whole rows are stored.
//
//     bankwise run wgmma_tile.cubin -k wgmma_plain --grid 1 --block 128 --arg out:f32[64*64] --arg f16[64*64]=random:1 \
//         --arg f16[64*64]=random:2
#include <cuda_fp16.h>

#include <cstdint>

#include "../check.cuh"

constexpr int side = 64;  // number of rows and columns of A, B (which is stored by columns) and C

// The position, in halves, of the 16 bytes that are chunk c of row r, and the fields of the descriptor. Core matrices
// of 8 rows of 16 bytes are back to back, so the chunks of a row are 128 bytes apart.
struct core_matrices {
  static constexpr uint64_t layout = 0, leading = 128, stride = 1024, k_step = 256;  // in bytes; k_step: two chunks
  static __device__ int at(int row, int chunk) { return row / 8 * 512 + chunk * 64 + row % 8 * 8; }
};
// Rows of 128 bytes with a swizzle: chunk c of row r is at position c ^ (r % 8).
struct swizzled_rows {
  static constexpr uint64_t layout = 1, leading = 16, stride = 1024, k_step = 32;
  static __device__ int at(int row, int chunk) { return row * side + ((chunk ^ row % 8) * 8); }
};

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

template <class Tile>
__device__ void copy_in(half* to, const half* from) {
  for (int i = threadIdx.x; i < side * side / 8; i += blockDim.x)
    *reinterpret_cast<uint4*>(to + Tile::at(i / 8, i % 8)) = reinterpret_cast<const uint4*>(from)[i];
}

template <class Tile>
__device__ uint64_t descriptor(unsigned start) {
  return start / 16 | Tile::leading / 16 << 16 | Tile::stride / 16 << 32 | Tile::layout << 62;
}

__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,"
      "%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b));
}

// `Pitch` is the number of floats from one row of the result to the next row in shared memory.
template <class Tile, int Pitch>
__device__ void tile_product(float* c, const half* a, const half* b) {
  __shared__ __align__(1024) half a_tile[side * side], b_tile[side * side];
  __shared__ __align__(16) float c_tile[side * Pitch];
  copy_in<Tile>(a_tile, a);
  copy_in<Tile>(b_tile, b);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float sum[32] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (unsigned k = 0; k < side / 16; ++k)
    multiply(sum, descriptor<Tile>(shared_address(a_tile) + k * Tile::k_step),
             descriptor<Tile>(shared_address(b_tile) + k * Tile::k_step));
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 32; i += 2) {
    const int row = warp * 16 + lane / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2;
    *reinterpret_cast<float2*>(c_tile + row * Pitch + column) = make_float2(sum[i], sum[i + 1]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < side * side / 4; i += blockDim.x)
    reinterpret_cast<float4*>(c)[i] = *reinterpret_cast<const float4*>(c_tile + i / 16 * Pitch + i % 16 * 4);
}

// Every store has conflicts, but wgmma has no conflicts.
__global__ void wgmma_plain(float* c, const half* a, const half* b) { tile_product<core_matrices, side>(c, a, b); }

// Computes the same tile without conflicts.
__global__ void wgmma_swizzled(float* c, const half* a, const half* b) {
  tile_product<swizzled_rows, side + 8>(c, a, b);
}

int main() {
  const std::vector<float> a = small_numbers(side * side, 4), b = small_numbers(side * side, 5);
  std::vector<half> half_a(a.begin(), a.end()), half_b(b.begin(), b.end());
  std::vector<float> expected(side * side);
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j)
      for (int k = 0; k < side; ++k) expected[i * side + j] += a[i * side + k] * b[j * side + k];
  gpu_buffer<half> in_a(half_a), in_b(half_b);
  bool right = true;
  const auto check = [&](const char* name, void (*kernel)(float*, const half*, const half*)) {
    gpu_buffer<float> out(side * side);
    kernel<<<1, 128>>>(out.get(), in_a.get(), in_b.get());
    CUDA_CHECK(cudaDeviceSynchronize());
    right &= report_result(name, out.host() == expected);
  };
  check("wgmma_plain", wgmma_plain);
  check("wgmma_swizzled", wgmma_swizzled);
  return right ? 0 : 1;
}
