// Arrays that use the same static memory at different times: members of a union, and pointers into an array of bytes.
namespace {

constexpr int side = 32, rows_a_step = 8;

union phases {
  float tile[side][side];
  float strip[side / 2][side];
};

}  // namespace

// First, the bytes hold a tile that is read by columns. Then they hold pairs in another shape.
extern "C" __global__ void members(const float* in, float* out, const float2* pairs_in, float2* pairs_out) {
  __shared__ union {
    float tile[side][side];
    float2 pairs[side * side / 2];
  } u;
  const int x = threadIdx.x, y = threadIdx.y, t = y * side + x;
  for (int r = y; r < side; r += rows_a_step) u.tile[r][x] = in[r * side + x];
  __syncthreads();
  for (int r = y; r < side; r += rows_a_step) out[r * side + x] = u.tile[x][r];
  __syncthreads();
  for (int i = t; i < 512; i += 256) u.pairs[i] = pairs_in[i];
  __syncthreads();
  for (int i = t; i < 512; i += 256) pairs_out[i] = u.pairs[(i * 16 + i / 32) % 512];
}

// The shorter member has the conflicts, and there is free space after it.
extern "C" __global__ void named(const float* in, float* out) {
  __shared__ phases mem;
  const int x = threadIdx.x, y = threadIdx.y;
  for (int r = y; r < side; r += rows_a_step) mem.tile[r][x] = in[r * side + x];
  __syncthreads();
  for (int r = y; r < side; r += rows_a_step) out[r * side + x] = mem.tile[r][side - 1 - x];
  __syncthreads();
  for (int r = y; r < side / 2; r += rows_a_step) mem.strip[r][x] = in[r * side + x];
  __syncthreads();
  for (int r = y; r < side / 2; r += rows_a_step) out[r * side + x] += mem.strip[x % 16][r + x / 16];
}

// Two pointers into the bytes have different names. Each of the two arrays has its own conflicts.
extern "C" __global__ void bytes(const float* in, float* out) {
  __shared__ alignas(16) unsigned char memory[side * side * sizeof(float)];
  float(*tile)[side] = reinterpret_cast<float(*)[side]>(memory);
  float* row = reinterpret_cast<float*>(memory);
  const int x = threadIdx.x, y = threadIdx.y;
  for (int r = y; r < side; r += rows_a_step) tile[r][x] = in[r * side + x];
  __syncthreads();
  for (int r = y; r < side; r += rows_a_step) out[r * side + x] = tile[x][r];
  __syncthreads();
  for (int r = y; r < side; r += rows_a_step) row[r + x * side] = in[r * side + x];
  __syncthreads();
  for (int r = y; r < side; r += rows_a_step) out[r * side + x] += row[r * side + x];
}

// An array that is accessed through two types. It is not split, because one type loads what the other type stores.
extern "C" __global__ void one_array(const float4* in, float* out) {
  __shared__ union {
    float4 quads[side * side / 4];
    float words[side][side];
  } u;
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += 256) u.quads[i] = in[i];
  __syncthreads();
  for (int i = t; i < 1024; i += 256) out[i] = u.words[i % side][i / side];
}
