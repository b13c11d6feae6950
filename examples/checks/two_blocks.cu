// Each block reads an element that its neighbour changes in the same launch.
__global__ void smooth(float* line, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float next = i + 1 < n ? line[i + 1] : 0;
  __syncthreads();
  line[i] = 0.5f * (line[i] + next) + 1;
}

int main() {
  float* line = nullptr;
  cudaMalloc(&line, 512 * sizeof(float));
  cudaMemset(line, 0, 512 * sizeof(float));
  smooth<<<4, 128>>>(line, 512);
  cudaDeviceSynchronize();
  cudaFree(line);
}
