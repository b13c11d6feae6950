// Instructions that bankwise disassembles but does not execute.
__global__ void reads_texture(float* out, cudaTextureObject_t from) {
  out[threadIdx.x] = tex1Dfetch<float>(from, static_cast<int>(threadIdx.x));
}
