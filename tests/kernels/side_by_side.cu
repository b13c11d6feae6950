// A thread loads or stores adjacent words one by one. Other instructions could do the same (other_instructions_test).

// The start of the second array is only known at run time, so nvcc reads its eight words one by one.
__global__ void eight_words(float* out, const float* in, int begin) {
  extern __shared__ float words[];
  float* const b = words + begin;
  for (int i = threadIdx.x; i < 512; i += 64) b[i] = in[i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += b[k * 64 + threadIdx.x % 8 * 8 + i];
  }
  out[threadIdx.x] = sum;
}

// Loads an operand of mma, word by word, in the order of a thread's registers.
__global__ void fragments(unsigned* out, const unsigned* in, int tiles) {
  __shared__ __align__(16) unsigned a[16][8 + 4];
  const int row = threadIdx.x / 4, column = threadIdx.x % 4;
  for (int i = threadIdx.x; i < 128; i += 32) a[i / 8][i % 8] = in[i];
  __syncthreads();
  unsigned sum = 0;
  for (int k = 0; k < tiles; ++k) {
    sum += a[row][column] ^ a[row + 8][column] ^ a[row][column + 4] ^ a[row + 8][column + 4];
    __syncwarp();
    a[row][8 + column] = sum;
  }
  out[threadIdx.x] = sum;
}
