// Launches that each use mainly one unit: textures, fences, atomics, gathers, rows, doubles, printf, streams. Nsight
// Compute measures the launches in the order of the printed lines: data/sm_90/unit_times.csv.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -o unit_times bench/unit_times.cu
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <random>
using u32 = unsigned; using u64 = unsigned long long;
__device__ u32 sink; __device__ double dsink;
__device__ __forceinline__ u32 mix(u32 x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
int number = 0;
#define SAY(...) do { printf("%d,", number++); printf(__VA_ARGS__); printf("\n"); } while (0)
// --- textures
__global__ void tex_line(cudaTextureObject_t t, float* out, int n, int stride) {  // tex1Dfetch
  int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
  for (int k = 0; k < n; ++k) s += tex1Dfetch<float>(t, (i * stride + k * 4096) & 0xffffff);
  out[i] = s;
}
__global__ void tex_chain(cudaTextureObject_t t, float* out, int n) {
  int i = threadIdx.x; for (int k = 0; k < n; ++k) i = (int)tex1Dfetch<float>(t, i) + threadIdx.x; out[threadIdx.x] = i;
}
__global__ void tex_plane(cudaTextureObject_t t, float* out, int n, float dx, float off) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; float s = 0;
#pragma unroll 4
  for (int k = 0; k < n; ++k) s += tex2D<float>(t, x * dx + k + off, y + off);
  out[y * gridDim.x * blockDim.x + x] = s;
}
__global__ void tex_column(cudaTextureObject_t t, float* out, int n, float off) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; float s = 0;
#pragma unroll 4
  for (int k = 0; k < n; ++k) s += tex2D<float>(t, x + off, y + k + off);
  out[y * gridDim.x * blockDim.x + x] = s;
}
__global__ void tex_plane4(cudaTextureObject_t t, float* out, int n, float off) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; float s = 0;
#pragma unroll 4
  for (int k = 0; k < n; ++k) { float4 v = tex2D<float4>(t, x + k + off, y + off); s += v.x + v.y + v.z + v.w; }
  out[y * gridDim.x * blockDim.x + x] = s;
}
__global__ void tex_volume(cudaTextureObject_t t, float* out, int n, float off) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; float s = 0;
#pragma unroll 4
  for (int k = 0; k < n; ++k) s += tex3D<float>(t, x + off, y + off, k + off);
  out[y * gridDim.x * blockDim.x + x] = s;
}
// --- fences
__global__ void fence(u32* p, int n, int stores) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (int k = 0; k < n; ++k) { for (int s = 0; s < stores; ++s) p[(size_t)(k * stores + s) * all + i] = k; __threadfence(); }
}
__global__ void fence_block(u32* p, int n) { u32 i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < n; ++k) { p[i] = k; __threadfence_block(); } }
__global__ void fence_system(u32* p, int n) { u32 i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < n; ++k) { p[i] = k; __threadfence_system(); } }
__global__ void last_block(const u32* in, u32* sums, u32* count, int n) {  // as in cuda-samples' threadFenceReduction
  u32 s = 0; for (int k = 0; k < n; ++k) s += in[(blockIdx.x * n + k) * blockDim.x + threadIdx.x];
  for (int o = 16; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
  __shared__ u32 last; if (threadIdx.x == 0) { sums[blockIdx.x] = s; __threadfence(); last = atomicInc(count, gridDim.x); } __syncthreads();
  if (last == gridDim.x - 1) { u32 v = 0; for (u32 i = threadIdx.x; i < gridDim.x; i += blockDim.x) v += ((volatile u32*)sums)[i]; in ? (void)(sums[0] = v) : (void)0; }
}
// --- atomics with different scopes, with and without a result
__global__ void atom_scope(u32* p, u32 count, int n, int what) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x, r = 0;
  for (int k = 0; k < n; ++k) {
    u32* a = p + (t + k) % count;
    if (what == 0) atomicAdd_system(a, 1); else if (what == 1) r += atomicAdd_system(a, 1); else if (what == 2) r += atomicCAS_system(a, t, k); else if (what == 3) atomicMax_system((int*)a, (int)t);
    else if (what == 4) r += atomicExch_system(a, t); else if (what == 5) atomicAdd(a, 1); else if (what == 6) r += atomicAdd(a, 1); else if (what == 7) atomicAnd_system(a, t); else r += atomicCAS(a, t, k);
  }
  if (r == 0x12345) sink = r;
}
__global__ void cas_double(double* p, u32 count, int n) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) { u64* a = (u64*)(p + mix(t * n + k) % count); u64 old = *a, as; do { as = old; old = atomicCAS(a, as, __double_as_longlong(1.0 + __longlong_as_double(as))); } while (as != old); }
}
__global__ void cas_min(float* p, u32 count, int n) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) { float v = (float)(mix(t * n + k + 77) >> 8); int* a = (int*)(p + (t * 7 + k) % count); int old = *a, as; do { as = old; if (__int_as_float(as) <= v) break; old = atomicCAS(a, as, __float_as_int(v)); } while (as != old); }
}
__global__ void lock_block(int* lock, volatile float* v, int n) {  // one lane of each block takes the lock
  for (int k = 0; k < n; ++k) { if (threadIdx.x == 0) { while (atomicCAS(lock, 0, 1) != 0) { } *v += 1; __threadfence(); atomicExch(lock, 0); } __syncthreads(); }
}
__global__ void lock_lanes(int* locks, volatile float* v, u32 count) {  // each lane takes a lock, as usual in programs
  u32 t = blockIdx.x * blockDim.x + threadIdx.x, i = mix(t) % count; bool done = false;
  while (!done) { if (atomicCAS(locks + i, 0, 1) == 0) { v[i] += 1; __threadfence(); atomicExch(locks + i, 0); done = true; } }
}
// --- gathers
__global__ void gather(const u32* p, u32* out, u32 words, int n) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x, s = 0; for (int k = 0; k < n; ++k) s += p[mix(t + k * 77777777u) % words]; out[t] = s;
}
__global__ void gather_wide(const uint4* p, u32* out, u32 words, int n) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x, s = 0; for (int k = 0; k < n; ++k) s += p[mix(t + k * 77777777u) % words].x; out[t] = s;
}
__global__ void scatter(u32* p, u32 words, int n) { u32 t = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < n; ++k) p[mix(t + k * 77777777u) % words] = t; }
__global__ void strided(const float* p, float* out, u32 stride, int n, u32 words) {  // each thread reads its own row
  u32 t = blockIdx.x * blockDim.x + threadIdx.x; float s = 0; for (int k = 0; k < n; ++k) s += p[((size_t)t * stride + k) % words]; out[t] = s;
}
// --- products of doubles
__global__ void dmma(int n) {
  double a = threadIdx.x, b = 1, c[4][2] = {};
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int j = 0; j < 4; ++j) asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c[j][0]), "+d"(c[j][1]) : "d"(a), "d"(b));
  double s = 0; for (auto& x : c) s += x[0] + x[1]; if (s == 12345) dsink = s;
}
// --- long blocks that run one after another
__global__ void blocks_of(float* out, int work) { float x = threadIdx.x; for (int k = 0; k < work; ++k) x = x * 1.0001f + 0.5f; if (x > 1e30f) out[0] = x; }
__global__ void __launch_bounds__(1024) wait_all(float* out, int n) { __shared__ float s[1024]; float x = threadIdx.x; for (int k = 0; k < n; ++k) { s[threadIdx.x] = x; __syncthreads(); x += s[threadIdx.x ^ 33]; __syncthreads(); } if (x == 12345) out[0] = x; }
// --- what the CUDA runtime does for a kernel
__global__ void print_text(int n) { for (int k = 0; k < n; ++k) printf("%d %d\n", blockIdx.x, k); }
__global__ void print_lane(int n) { if (threadIdx.x % 32 == 0) for (int k = 0; k < n; ++k) printf("%d %d\n", blockIdx.x, k); }
__global__ void allocate(int n, int bytes) { void* p[4]; for (int k = 0; k < n; ++k) { p[k] = malloc(bytes); if (p[k]) *(int*)p[k] = k; } for (int k = 0; k < n; ++k) free(p[k]); }
__global__ void touch(int* p, int stride, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[(size_t)i * stride] += 1; }
__global__ void update_in(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = p[i] * 2 + 1; }
__global__ void update_in4(float4* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { float4 v = p[i]; v.x += 1; v.y += 1; v.z += 1; v.w += 1; p[i] = v; } }
__global__ void copy_of(const float4* a, float4* b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = a[i]; }
__global__ void fill_of(float4* b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = make_float4(1, 2, 3, 4); }
__global__ void read_of(const float4* a, float* o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0; for (int k = i; k < n; k += gridDim.x * blockDim.x) { float4 v = a[k]; s += v.x + v.y + v.z + v.w; } if (s == 12345) o[0] = s; }
__global__ void butterflies(float4* p, int stride, int n) {  // as fwtBatch2: four loads and stores that are far apart
  int i = blockIdx.x * blockDim.x + threadIdx.x, lo = i & (stride - 1), b = (i - lo) * 4 + lo; float* q = (float*)p;
  float a = q[b], c = q[b + stride], d = q[b + 2 * stride], e = q[b + 3 * stride]; q[b] = a + c; q[b + stride] = a - c; q[b + 2 * stride] = d + e; q[b + 3 * stride] = d - e;
}
int main(int, char** v) {
  char* mem; const u64 M = 1 << 20; cudaMalloc(&mem, 1024 * M); cudaMemset(mem, 0, 1024 * M);
  float* out; cudaMalloc(&out, 64 * M);
  auto object = [](cudaResourceDesc r, bool linear) { cudaTextureDesc d{}; for (auto& a : d.addressMode) a = cudaAddressModeClamp; d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint; cudaTextureObject_t t; cudaCreateTextureObject(&t, &r, &d, nullptr); return t; };
  cudaResourceDesc r{}; r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = mem; r.res.linear.desc = cudaCreateChannelDesc<float>(); r.res.linear.sizeInBytes = 64 * M;
  auto line = object(r, false);
  for (int n : {1, 16}) for (int stride : {1, 2, 8, 32}) { tex_line<<<132, 1024>>>(line, out, n, stride); SAY("tex_line,n=%d stride=%d blocks=132 threads=1024", n, stride); }
  for (int stride : {1, 8}) { tex_line<<<132, 32>>>(line, out, 64, stride); SAY("tex_line,n=64 stride=%d blocks=132 threads=32", stride); }
  tex_chain<<<1, 32>>>(line, out, 200); SAY("tex_chain,n=200");
  auto plane = [&](bool linear, cudaChannelFormatDesc d) { cudaArray_t a; cudaMallocArray(&a, &d, 2048, 2048); cudaResourceDesc q{}; q.resType = cudaResourceTypeArray; q.res.array.array = a; return object(q, linear); };
  for (bool linear : {false, true}) {
    auto t = plane(linear, cudaCreateChannelDesc<float>());
    for (int n : {1, 17, 64}) for (auto b : {dim3(32, 8), dim3(16, 12)}) { dim3 g(2048 / b.x, 1536 / b.y); tex_plane<<<g, b>>>(t, out, n, 1, linear ? 0.25f : 0.5f); SAY("tex_plane,linear=%d n=%d block=%dx%d", linear, n, b.x, b.y); tex_column<<<g, b>>>(t, out, n, linear ? 0.25f : 0.5f); SAY("tex_column,linear=%d n=%d block=%dx%d", linear, n, b.x, b.y); }
    tex_plane<<<dim3(64, 192), dim3(32, 8)>>>(t, out, 17, 4, 0.5f); SAY("tex_plane,linear=%d n=17 dx=4", linear);
    auto u = plane(linear, cudaCreateChannelDesc<unsigned char>());
    (void)u;
    auto w = plane(linear, cudaCreateChannelDesc<float4>());
    for (int n : {1, 17}) { tex_plane4<<<dim3(64, 192), dim3(32, 8)>>>(w, out, n, linear ? 0.25f : 0.5f); SAY("tex_plane4,linear=%d n=%d", linear, n); }
    cudaArray_t a; auto d = cudaCreateChannelDesc<float>(); cudaMalloc3DArray(&a, &d, make_cudaExtent(256, 256, 64)); cudaResourceDesc q{}; q.resType = cudaResourceTypeArray; q.res.array.array = a; auto o = object(q, linear);
    tex_volume<<<dim3(8, 32), dim3(32, 8)>>>(o, out, 64, linear ? 0.25f : 0.5f); SAY("tex_volume,linear=%d n=64", linear);
  }
  u32* p = (u32*)mem;
  for (int b : {1, 132, 1056}) for (int t : {32, 256}) for (int s : {0, 1, 4}) { fence<<<b, t>>>(p, 16, s); SAY("fence,blocks=%d threads=%d stores=%d n=16", b, t, s); }
  for (int b : {1, 132}) { fence_block<<<b, 256>>>(p, 16); SAY("fence_block,blocks=%d threads=256 n=16", b); fence_system<<<b, 256>>>(p, 16); SAY("fence_system,blocks=%d threads=256 n=16", b); }
  for (int b : {64, 1056, 16896}) for (int n : {1, 8}) { cudaMemset(mem + 1000 * M, 0, M); last_block<<<b, 256>>>(p, p + 250 * M, p + 251 * M, n); SAY("last_block,blocks=%d threads=256 n=%d", b, n); }
  for (int w = 0; w < 9; ++w) for (u32 count : {1u, 1024u, 1u << 20}) { atom_scope<<<64, 256>>>(p, count, 4, w); SAY("atom_scope,what=%d count=%u blocks=64 threads=256 n=4", w, count); }
  cudaMemset(mem, 0, 64 * M);
  for (u32 count : {64u, 1024u, 16384u, 1u << 20}) for (int b : {16, 132, 528}) { if (count == 64 && b == 528) continue; cas_double<<<b, 128>>>((double*)mem, count, 2); SAY("cas_double,count=%u blocks=%d threads=128 n=2", count, b); }
  for (u32 count : {1u, 64u, 4096u, 1u << 18}) for (int b : {16, 132, 1056}) { std::vector<float> big(1 << 18, 1e30f); cudaMemcpy(mem, big.data(), big.size() * 4, cudaMemcpyHostToDevice); cas_min<<<b, 256>>>((float*)mem, count, 1); SAY("cas_min,count=%u blocks=%d threads=256 n=1", count, b); }
  for (int b : {1, 16, 132, 528}) { cudaMemset(mem, 0, 4096); lock_block<<<b, 128>>>((int*)mem, (float*)(mem + 4096), 4); SAY("lock_block,blocks=%d threads=128 n=4", b); }
  for (u32 count : {64u, 4096u, 1u << 18}) for (int b : {1, 32, 264}) { if (count == 64 && b > 32) continue; cudaMemset(mem, 0, 4 * M); lock_lanes<<<b, 128>>>((int*)mem, (float*)(mem + 4 * M), count); SAY("lock_lanes,count=%u blocks=%d threads=128", count, b); }
  for (u32 mb : {1u, 4u, 16u, 32u, 64u, 256u, 1024u}) for (int n : {1, 8}) { gather<<<1056, 256>>>(p, (u32*)out, mb * M / 4, n); SAY("gather,mb=%u n=%d blocks=1056", mb, n); }
  for (u32 mb : {4u, 32u, 256u}) { gather<<<8448, 256>>>(p, (u32*)out, mb * M / 4, 2); SAY("gather,mb=%u n=2 blocks=8448", mb); gather_wide<<<1056, 256>>>((uint4*)p, (u32*)out, mb * M / 16, 4); SAY("gather_wide,mb=%u n=4 blocks=1056", mb); scatter<<<1056, 256>>>(p, mb * M / 4, 4); SAY("scatter,mb=%u n=4 blocks=1056", mb); }
  for (u32 stride : {8u, 32u, 128u, 1000u, 4096u}) for (int b : {20, 132, 1056}) for (int n : {64}) { u32 words = 256 * M; strided<<<b, 256>>>((float*)mem, out, stride, n, words); SAY("strided,stride=%u blocks=%d n=%d", stride, b, n); }
  for (int t : {32, 128, 256, 512}) for (int n : {64}) { dmma<<<132, t>>>(n); SAY("dmma,threads=%d n=%d", t, n); }
  for (int t : {64, 256, 1024}) for (int w : {0, 100, 1000}) { blocks_of<<<13200, t>>>(out, w); SAY("blocks_of,blocks=13200 threads=%d work=%d", t, w); }
  for (int n : {1, 16}) { wait_all<<<2640, 1024>>>(out, n); SAY("wait_all,blocks=2640 n=%d", n); }
  for (int t : {1, 32, 256}) for (int n : {1, 4}) { print_text<<<1, t>>>(n); SAY("print_text,blocks=1 threads=%d n=%d", t, n); }
  print_text<<<16, 32>>>(2); SAY("print_text,blocks=16 threads=32 n=2"); print_lane<<<16, 256>>>(2); SAY("print_lane,blocks=16 threads=256 n=2"); print_lane<<<132, 32>>>(1); SAY("print_lane,blocks=132 threads=32 n=1");
  for (int t : {1, 32, 256}) for (int n : {1, 4}) { allocate<<<1, t>>>(n, 64); SAY("allocate,blocks=1 threads=%d n=%d bytes=64", t, n); }
  allocate<<<64, 64>>>(1, 256); SAY("allocate,blocks=64 threads=64 n=1 bytes=256");
  for (int kb : {4, 64, 1024, 16384}) { int* m; cudaMallocManaged(&m, (size_t)kb << 10); memset(m, 0, (size_t)kb << 10); int n = kb * 256; touch<<<(n + 255) / 256, 256>>>(m, 1, n); SAY("touch_managed,kb=%d", kb); touch<<<(n + 255) / 256, 256>>>(m, 1, n); SAY("touch_managed_again,kb=%d", kb); cudaDeviceSynchronize(); }
  for (int mb : {1, 4, 16, 32, 64, 128, 256}) {
    int n = mb << 18; update_in<<<n / 256, 256>>>((float*)mem, n); SAY("update_in,mb=%d", mb);
    update_in4<<<n / 1024, 256>>>((float4*)mem, n / 4); SAY("update_in4,mb=%d", mb);
    copy_of<<<n / 1024, 256>>>((float4*)mem, (float4*)(mem + 512 * M), n / 4); SAY("copy_of,mb=%d", mb);
    fill_of<<<n / 1024, 256>>>((float4*)mem, n / 4); SAY("fill_of,mb=%d", mb);
    read_of<<<n / 1024, 256>>>((float4*)mem, out, n / 4); SAY("read_of,mb=%d", mb);
    read_of<<<264, 1024>>>((float4*)mem, out, n / 4); SAY("read_of_loop,mb=%d", mb);
  }
  for (int st : {256, 4096, 65536, 1 << 20}) { butterflies<<<8192, 256>>>((float4*)mem, st, 0); SAY("butterflies,stride=%d mb=32", st); }
  if (cudaError_t e = cudaDeviceSynchronize()) fprintf(stderr, "%s\n", cudaGetErrorString(e));
}
