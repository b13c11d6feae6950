// Reads an array of structs one member at a time.
struct body {
  float x, y, z, m;
};

__global__ void near_bodies(float* out, const float* in, int n) {
  __shared__ body b[256];
  const int t = threadIdx.x;
  b[t].x = in[t];
  b[t].y = in[t + 256];
  b[t].z = in[t + 512];
  b[t].m = 1;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += b[(t + i) % 256].x;
  out[t] = sum;
}

// Reads the same members from separate arrays.
__global__ void members_apart(float* out, const float* in, int n) {
  __shared__ float x[256], y[256], z[256], m[256];
  const int t = threadIdx.x;
  x[t] = in[t];
  y[t] = in[t + 256];
  z[t] = in[t + 512];
  m[t] = 1;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += x[(t + i) % 256];
  out[t] = sum + 0 * (y[t] + z[t] + m[t]);
}
