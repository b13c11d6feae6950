// The stores of TiledTensor/TiledCUDA 145, rewritten: a warp moves a matrix of floats through shared memory. It stores
// tiles of 16 x 16 as fragments, which are pairs of floats, and loads four floats at a time. An A100 counted no
// conflicts for 16 x 48 floats, 32 conflicts for 16 x 32 floats, and 256 conflicts for 64 x 64 floats.
//
//     nvcc -arch=sm_80 -lineinfo -cubin store_tiles.cu

template <int Rows, int Columns>
__device__ void store_tiles(float* out, const float* in) {
  __shared__ __align__(16) float s[Rows * Columns];
  // A tile has two pieces of 16 rows of 8 floats. Returns the position of a float of a piece in the tile of 16 x 16.
  const auto place = [](int tile, int at) {
    const int swapped = at ^ at / 32 % 4 * 4, row = tile / (Columns / 16) * 16 + swapped / 16;
    return row * Columns + tile % (Columns / 16) * 16 + swapped % 16;
  };
  for (int tile = 0; tile < Rows * Columns / 256; ++tile)
    for (int part = 0; part < 4; ++part) {
      const int at = part * 64 + threadIdx.x * 2;
      *reinterpret_cast<float2*>(&s[place(tile, at)]) = *reinterpret_cast<const float2*>(in + tile * 256 + at);
    }
  __syncthreads();
  for (int tile = 0; tile < Rows * Columns / 256; ++tile)
    for (int part = 0; part < 2; ++part) {
      const int at = part * 128 + threadIdx.x * 4;
      *reinterpret_cast<float4*>(out + tile * 256 + at) = *reinterpret_cast<const float4*>(&s[place(tile, at)]);
    }
}

__global__ void store_16_48(float* out, const float* in) { store_tiles<16, 48>(out, in); }
__global__ void store_16_32(float* out, const float* in) { store_tiles<16, 32>(out, in); }
__global__ void store_64_64(float* out, const float* in) { store_tiles<64, 64>(out, in); }
