// Accesses to global memory that touch more sectors than their bytes fill. Each kernel has a different reason for this.
struct particle {
  float x, y, z, w;
};
struct __align__(4) triple {
  float x, y, z;
};

// Reads one member of a struct of 16 bytes with one instruction. The stride is 16 bytes.
__global__ void one_member(float* out, const particle* in) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = in[t].x;
}

// Reads all members one by one. The members are volatile, so that the compiler does not combine the loads.
__global__ void all_members(float* out, const particle* in) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const volatile particle& p = in[t];
  out[t] = p.x + p.y + p.z + p.w;
}

// Reads a struct of 12 bytes. No load has this width.
__global__ void three_members(float* out, const triple* in) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = in[t].x + in[t].y + in[t].z;
}

__global__ void every_second(float* out, const float* in) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = in[2 * t];
}

__global__ void column(float* out, const float* in, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = in[t * n];
}

__global__ void misaligned(float* out, const float* in) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = in[t + 1];
}

// All lanes load the same row, element by element.
__global__ void same_sector(float* out, const float* in) {
  const volatile float* row = in + 8 * blockIdx.x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = row[0] + row[1] + row[2] + row[3];
}

__global__ void aligned(float* out, const float* in) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = in[t];
}

// A loop accesses an array with an index that the compiler does not know.
__global__ void array_in_loop(float* out, const int* order, int n) {
  float values[32];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 32; ++i) values[i] = t * i;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum += values[order[i] & 31];
  out[t] = sum;
}

// Each round of a loop needs more values than 32 registers hold.
__global__ void __launch_bounds__(1024, 2) spills_in_loop(float* out, const float* in, int n) {
  float kept[48];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 48; ++i) kept[i] = in[i * 1024 + t];
#pragma unroll 1
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 48; ++i) kept[i] = kept[i] * kept[(i + 7) % 48] + kept[(i + 13) % 48];
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 48; ++i) sum += kept[i];
  out[t] = sum;
}
