// Parameters in CUDA 12's size, up to 32,764 bytes: a cubin describes those of a kernel with more than 4,096 in another form.
struct numbers {
  unsigned value[8000];
};

__global__ void sum(const numbers n, unsigned from, unsigned* total) {
  unsigned mine = 0;
  for (unsigned i = from + threadIdx.x; i < 8000; i += 32) mine += n.value[i];
  atomicAdd(total, mine);
}
