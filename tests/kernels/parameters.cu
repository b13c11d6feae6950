// More than 4 KiB of parameters: nvcc describes them in another way.
struct many {
  int values[2000];
};

__global__ void sum_parameters(const __grid_constant__ many m, int from, int* sum) {
  int s = 0;
  for (int i = from + threadIdx.x; i < 2000; i += 32) s += m.values[i];
  atomicAdd(sum, s);
}
