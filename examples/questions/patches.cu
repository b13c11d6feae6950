// Kernels with the accesses of public projects, before and after a change of their shared memory: tests/cli/more_questions.test.
//
//     ssm_gap, ssm_xor                      llama.cpp, ssm-scan.cu: rows of 17 floats, a gap or an exclusive or
//     dq_scalars, dq_pairs                  cudnn-frontend 948: fragments of C before their atomics
//     utccp_scalars, utccp_vectors          DeepGEMM 313: 4 x 32 words become 32 x 4
//     transpose_vectors, transpose_swizzled IREE 10209: a tile of 32 x 32 by vectors of 4
//     rows_of_64, rows_of_68                cudnn-frontend 941: each lane reads its row of floats
//     keys_of_128, keys_of_144              kekzl/imp 484: four lanes read a row of halves
//     chunks_of_64, chunks_of_60            TileOPs 1995: each lane reads its chunk, with a padding of 8 or 4
//     degree_plain, degree_xor              neko 549: arrays of 8 x 8 doubles
//
//     nvcc -std=c++17 -arch=sm_90 -lineinfo -O3 patches.cu -o patches
#include <cstdio>
#include <vector>

#include "../check.cuh"

// --- each thread adds up a row of 16 floats. Its warp loaded the rows two at a time

__global__ void ssm_gap(float* out, const float* in) {
  __shared__ float a[128 * 17];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 32; i += 2) a[(warp * 32 + i) * 17 + lane + (lane / 16 > 0)] = in[(warp * 32 + i) * 16 + lane];
  __syncthreads();
  float sum = 0;
  for (int n = 0; n < 16; ++n) sum += a[threadIdx.x * 17 + n];
  out[threadIdx.x] = sum;
}

__global__ void ssm_xor(float* out, const float* in) {
  __shared__ float a[128][16];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 32; i += 2) {
    const int row = warp * 32 + i + lane / 16;
    a[row][lane % 16 ^ row >> 1 & 15] = in[row * 16 + lane % 16];
  }
  __syncthreads();
  float sum = 0;
  for (int n = 0; n < 16; ++n) sum += a[threadIdx.x][n ^ threadIdx.x >> 1 & 15];
  out[threadIdx.x] = sum;
}

// --- the fragments of a warp's 16 x 128 matrix, written to shared memory so that rows can be read

__device__ float fragment(int row, int column) { return static_cast<float>(row * 128 + column); }

__global__ void dq_scalars(float4* out) {
  __shared__ __align__(16) volatile float dq[64][128];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int half = 0; half < 2; ++half)
    for (int j = 0; j < 16; ++j) {
      const int row = warp * 16 + half * 8 + lane / 4, column = j * 8 + lane % 4 * 2;
      dq[row][column] = fragment(row, column);
      dq[row][column + 1] = fragment(row, column + 1);
    }
  __syncthreads();
  for (int row = warp; row < 64; row += 4) {
    const volatile float* from = &dq[row][lane * 4];
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(const_cast<float*>(from)))));
    out[row * 32 + lane] = v;
  }
}

__global__ void dq_pairs(float4* out) {
  __shared__ __align__(16) float dq[64][128 + 8];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int half = 0; half < 2; ++half)
    for (int j = 0; j < 16; ++j) {
      const int row = warp * 16 + half * 8 + lane / 4, column = j * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(&dq[row][column]) = {fragment(row, column), fragment(row, column + 1)};
    }
  __syncthreads();
  for (int row = warp; row < 64; row += 4) out[row * 32 + lane] = *reinterpret_cast<const float4*>(&dq[row][lane * 4]);
}

// --- a warp transposes 4 x 32 words in place

__global__ void utccp_scalars(unsigned* out, const unsigned* in) {
  __shared__ unsigned words[128];
  const int lane = threadIdx.x;
  for (int i = 0; i < 4; ++i) words[i * 32 + lane] = in[i * 32 + lane];
  __syncwarp();
  unsigned mine[4];
  for (int i = 0; i < 4; ++i) mine[i] = words[(i ^ lane >> 3) * 32 + lane];
  __syncwarp();
  for (int i = 0; i < 4; ++i) words[lane * 4 + (i ^ lane >> 3)] = mine[i];
  __syncwarp();
  for (int i = 0; i < 4; ++i) out[i * 32 + lane] = words[i * 32 + lane];
}

__global__ void utccp_vectors(unsigned* out, const unsigned* in) {
  __shared__ __align__(16) unsigned words[128];
  const int lane = threadIdx.x;
  for (int i = 0; i < 4; ++i) words[i * 32 + lane] = in[i * 32 + lane];
  __syncwarp();
  uint4 mine = {words[lane], words[32 + lane], words[64 + lane], words[96 + lane]};
  __syncwarp();
  *reinterpret_cast<uint4*>(&words[lane * 4]) = mine;
  __syncwarp();
  for (int i = 0; i < 4; ++i) out[i * 32 + lane] = words[i * 32 + lane];
}

// --- a block of 8 x 32 threads transposes a tile of 32 x 32, four floats for each thread

__global__ void transpose_vectors(float4* out, const float4* in) {
  __shared__ __align__(16) float tile[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  *reinterpret_cast<float4*>(&tile[y][x * 4]) = in[y * 8 + x];
  __syncthreads();
  out[y * 8 + x] = {tile[x * 4][y], tile[x * 4 + 1][y], tile[x * 4 + 2][y], tile[x * 4 + 3][y]};
}

__global__ void transpose_swizzled(float4* out, const float4* in) {
  __shared__ __align__(16) float tile[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  *reinterpret_cast<float4*>(&tile[y][(x ^ y >> 2) * 4]) = in[y * 8 + x];
  __syncthreads();
  const int column = y ^ x * 4;  // rows x * 4 to x * 4 + 3 share one xor mask
  out[y * 8 + x] = {tile[x * 4][column], tile[x * 4 + 1][column], tile[x * 4 + 2][column], tile[x * 4 + 3][column]};
}

// --- each lane adds up its own row of 64 floats, four floats at a time

template <int Row>
__device__ void sum_rows(float* out, const float* in) {
  __shared__ __align__(16) float rows[32][Row];
  const int lane = threadIdx.x;
  for (int i = 0; i < 16; ++i)
    *reinterpret_cast<float4*>(&rows[i * 2 + lane / 16][lane % 16 * 4]) =
        *reinterpret_cast<const float4*>(in + (i * 32 + lane) * 4);
  __syncwarp();
  float sum = 0;
  for (int i = 0; i < 16; ++i) {
    const float4 v = *reinterpret_cast<const float4*>(&rows[lane][i * 4]);
    sum += v.x + v.y + v.z + v.w;
  }
  out[lane] = sum;
}

__global__ void rows_of_64(float* out, const float* in) { sum_rows<64>(out, in); }
__global__ void rows_of_68(float* out, const float* in) { sum_rows<68>(out, in); }

// --- four lanes read a row of 128 halves, four at a time

template <int Row>
__device__ void sum_keys(unsigned* out, const unsigned* in) {
  __shared__ __align__(8) unsigned short keys[8][Row];
  const int lane = threadIdx.x;
  for (int i = 0; i < 16; ++i) *reinterpret_cast<unsigned*>(&keys[i / 2][i % 2 * 64 + lane * 2]) = in[i * 32 + lane];
  __syncwarp();
  unsigned sum = 0;
  for (int i = 0; i < 8; ++i) {
    const uint2 v = *reinterpret_cast<const uint2*>(&keys[lane >> 2][i * 16 + (lane & 3) * 4]);
    sum += v.x ^ v.y;
  }
  out[lane] = sum;
}

__global__ void keys_of_128(unsigned* out, const unsigned* in) { sum_keys<128>(out, in); }
__global__ void keys_of_144(unsigned* out, const unsigned* in) { sum_keys<144>(out, in); }

// --- each lane reads its chunk of 56 elements of 16 bits, four at a time

template <int Row>
__device__ void sum_chunks(unsigned* out, const unsigned* in) {
  __shared__ __align__(8) unsigned short chunks[32][Row];
  const int lane = threadIdx.x;
  for (int row = 0; row < 32; ++row)
    if (lane < 28) *reinterpret_cast<unsigned*>(&chunks[row][lane * 2]) = in[row * 28 + lane];
  __syncwarp();
  unsigned sum = 0;
  for (int i = 0; i < 14; ++i) {
    const uint2 v = *reinterpret_cast<const uint2*>(&chunks[lane][i * 4]);
    sum += v.x ^ v.y;
  }
  out[lane] = sum;
}

__global__ void chunks_of_64(unsigned* out, const unsigned* in) { sum_chunks<64>(out, in); }
__global__ void chunks_of_60(unsigned* out, const unsigned* in) { sum_chunks<60>(out, in); }

// --- 8 x 8 threads multiply 8 x 8 doubles, the values of a finite element of degree 7, along rows and columns

template <bool Swizzled>
__device__ void degree_7(double* out, const double* in) {
  __shared__ double u[8][8];
  const int x = threadIdx.x, y = threadIdx.y;
  const auto place = [](int row, int column) { return Swizzled ? column ^ row : column; };
  u[y][place(y, x)] = in[y * 8 + x];
  __syncthreads();
  double sum = 0;
  for (int k = 0; k < 8; ++k) sum += u[x][place(x, k)] * u[k][place(k, y)];
  out[y * 8 + x] = sum;
}

__global__ void degree_plain(double* out, const double* in) { degree_7<false>(out, in); }
__global__ void degree_xor(double* out, const double* in) { degree_7<true>(out, in); }

template <class Before, class After = Before>
static bool same(const char* name, std::size_t floats, Before before, After after) {
  std::vector<float> in(4096), a(floats), b(floats);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  float *from = nullptr, *to = nullptr;
  CUDA_CHECK(cudaMalloc(&from, in.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&to, floats * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(from, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
  before(to, from);
  CUDA_CHECK(cudaMemcpy(a.data(), to, floats * sizeof(float), cudaMemcpyDeviceToHost));
  after(to, from);
  CUDA_CHECK(cudaMemcpy(b.data(), to, floats * sizeof(float), cudaMemcpyDeviceToHost));
  const bool equal = a == b;
  std::printf("%-20s %s\n", name, equal ? "PASS" : "FAIL");
  return equal;
}

int main() {
  using launch = void (*)(float*, const float*);
  bool right = same<launch>(
      "ssm", 128, [](float* to, const float* from) { ssm_gap<<<1, 128>>>(to, from); },
      [](float* to, const float* from) { ssm_xor<<<1, 128>>>(to, from); });
  right &= same<launch>(
      "dq", 64 * 128, [](float* to, const float*) { dq_scalars<<<1, 128>>>(reinterpret_cast<float4*>(to)); },
      [](float* to, const float*) { dq_pairs<<<1, 128>>>(reinterpret_cast<float4*>(to)); });
  right &= same<launch>(
      "utccp", 128,
      [](float* to, const float* from) {
        utccp_scalars<<<1, 32>>>(reinterpret_cast<unsigned*>(to), reinterpret_cast<const unsigned*>(from));
      },
      [](float* to, const float* from) {
        utccp_vectors<<<1, 32>>>(reinterpret_cast<unsigned*>(to), reinterpret_cast<const unsigned*>(from));
      });
  right &= same<launch>(
      "transpose", 1024,
      [](float* to, const float* from) {
        transpose_vectors<<<1, dim3(8, 32)>>>(reinterpret_cast<float4*>(to), reinterpret_cast<const float4*>(from));
      },
      [](float* to, const float* from) {
        transpose_swizzled<<<1, dim3(8, 32)>>>(reinterpret_cast<float4*>(to), reinterpret_cast<const float4*>(from));
      });
  const auto words = [](float* p) { return reinterpret_cast<unsigned*>(p); };
  const auto read = [](const float* p) { return reinterpret_cast<const unsigned*>(p); };
  right &= same<launch>(
      "rows", 32, [](float* to, const float* from) { rows_of_64<<<1, 32>>>(to, from); },
      [](float* to, const float* from) { rows_of_68<<<1, 32>>>(to, from); });
  right &= same(
      "keys", 32, [&](float* to, const float* from) { keys_of_128<<<1, 32>>>(words(to), read(from)); },
      [&](float* to, const float* from) { keys_of_144<<<1, 32>>>(words(to), read(from)); });
  right &= same(
      "chunks", 32, [&](float* to, const float* from) { chunks_of_64<<<1, 32>>>(words(to), read(from)); },
      [&](float* to, const float* from) { chunks_of_60<<<1, 32>>>(words(to), read(from)); });
  right &= same<launch>(
      "degree", 128,
      [](float* to, const float* from) {
        degree_plain<<<1, dim3(8, 8)>>>(reinterpret_cast<double*>(to), reinterpret_cast<const double*>(from));
      },
      [](float* to, const float* from) {
        degree_xor<<<1, dim3(8, 8)>>>(reinterpret_cast<double*>(to), reinterpret_cast<const double*>(from));
      });
  return right ? 0 : 1;
}
