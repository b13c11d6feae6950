// Kernels that read textures and access surfaces, with guards.
extern "C" __global__ void fetches(float* out, cudaTextureObject_t from, unsigned lanes) {
  if (threadIdx.x % 32 < lanes) out[threadIdx.x] = tex1Dfetch<float>(from, static_cast<int>(threadIdx.x));
}

extern "C" __global__ void reads_a_row(float* out, cudaTextureObject_t from) {
  out[threadIdx.x] = tex2D<float>(from, threadIdx.x + 0.5f, 0.5f);
}

extern "C" __global__ void copies_a_column(cudaSurfaceObject_t to, cudaSurfaceObject_t from) {
  const int row = static_cast<int>(threadIdx.x);
  surf2Dwrite(surf2Dread<float>(from, 0, row), to, 4, row);
}
