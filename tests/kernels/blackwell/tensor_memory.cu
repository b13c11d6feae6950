// A kernel that uses tensor memory, which is not executed.
__global__ void load_tensor_memory(unsigned* out) {
  unsigned r;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(r) : "r"(0));
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  out[threadIdx.x] = r;
}
