// Requests for registers. With 8 warps and 128 registers in the launch bounds, a block has 128 registers for a lane of
// each warp.
__global__ void __launch_bounds__(256, 2) asks(int* to, int releases) {
  if (threadIdx.x < 128) {
    if (releases != 0) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 208;");
  }
  to[threadIdx.x] = threadIdx.x;
}

// The first warp group ends without a release.
__global__ void __launch_bounds__(256, 2) ends_first(int* to) {
  if (threadIdx.x < 128) return;
  asm volatile("setmaxnreg.inc.sync.aligned.u32 208;");
  to[threadIdx.x] = threadIdx.x;
}

// The producer looks at an mbarrier at which the consumer arrives after its request.
__global__ void __launch_bounds__(256, 2) asks_too_much(int* to) {
  __shared__ __align__(8) unsigned long long full;
  const unsigned at = __cvta_generic_to_shared(&full);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(at));
  __syncthreads();
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
    asm volatile(
        "{\n .reg .pred p;\n"
        "again:\n mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
        "@!p bra again;\n}" ::"r"(at));
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 208;");
    asm volatile("{\n .reg .b64 s;\n mbarrier.arrive.shared::cta.b64 s, [%0];\n}" ::"r"(at));
  }
  to[threadIdx.x] = threadIdx.x;
}
