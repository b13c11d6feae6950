// A kernel that reads a texture. A test passes a handle that is not a texture object.
__global__ void reads_texture(float* out, cudaTextureObject_t from) {
  out[threadIdx.x] = tex1Dfetch<float>(from, static_cast<int>(threadIdx.x));
}
