// A load of four floats starts at the fifth of seven floats. The load may read past the end, but must not start there.
__global__ void behind_the_end(float* out, int i, int writes) {
  extern __shared__ float seven[];
  if (threadIdx.x < 7) seven[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(seven)) + 16 * i;
  float a, b, c, d;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "r"(at));
  if (writes) asm volatile("st.shared.v4.f32 [%0], {%1, %1, %1, %1};" ::"r"(at), "f"(d) : "memory");
  out[threadIdx.x] = a + b + c;
}
