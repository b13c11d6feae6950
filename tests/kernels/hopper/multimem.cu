// Adds values of all GPUs of a multicast object. bankwise refuses this instruction with a message that names it.
extern "C" __global__ void sum_of_all_gpus(float* out, const float* in) {
  float sum;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];" : "=f"(sum) : "l"(in + threadIdx.x));
  out[threadIdx.x] = sum;
}
