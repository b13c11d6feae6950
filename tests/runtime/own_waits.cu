// Waits of lanes, warps and blocks for each other without the barriers of CUDA: flags, locks, a barrier of the grid, and
// a sum over earlier blocks (decoupled look-back).
#include <cstdio>
#include <cstring>
__device__ volatile int flag_g;
__device__ int lock_g, count_g, gate;
__device__ volatile int gen;
__global__ void shared_flag(int* o) {
  __shared__ volatile int f, v;
  if (threadIdx.x == 0) f = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    while (!f)
      ;
    o[threadIdx.x] = v;
  } else if (threadIdx.x == 32) {
    v = 7;
    __threadfence_block();
    f = 1;
  }
}
__global__ void shared_flag_late(int* o) {
  __shared__ volatile int f, v;
  if (threadIdx.x == 0) f = 0;
  __syncthreads();
  if (threadIdx.x >= 32) {
    while (!f)
      ;
    o[threadIdx.x] = v;
  } else if (threadIdx.x == 0) {
    v = 7;
    __threadfence_block();
    f = 1;
  }
}
__global__ void global_flag(int* o) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      while (!flag_g)
        ;
    }
    __syncthreads();
    o[threadIdx.x] = 5;
  } else if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
    __threadfence();
    flag_g = 1;
  }
}
__global__ void lane_lock(int* o) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock_g, 0, 1) == 0) {
      o[0] += 1;
      __threadfence();
      atomicExch(&lock_g, 0);
      done = true;
    }
  }
}
__global__ void naive_lock(int* o) {
  while (atomicCAS(&lock_g, 0, 1) != 0)
    ;
  o[0] += 1;
  __threadfence();
  atomicExch(&lock_g, 0);
}
__global__ void block_lock(int* o) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock_g, 0, 1) != 0)
      ;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    volatile int* p = o;
    p[0] = p[0] + 1;
    __threadfence();
    atomicExch(&lock_g, 0);
  }
}
__global__ void grid_barrier(int* o) {
  for (int r = 0; r < 3; ++r) {
    __syncthreads();
    if (threadIdx.x == 0) {
      int g = gen;
      __threadfence();
      if (atomicAdd(&count_g, 1) == (int)gridDim.x - 1) {
        count_g = 0;
        __threadfence();
        gen = g + 1;
      } else
        while (gen == g)
          ;
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(o, 1);
  }
}
struct st {
  volatile int status, value;
};
__device__ st look[64];
__global__ void look_back(int* o) {
  __shared__ int base;
  int b = blockIdx.x;
  if (threadIdx.x == 0) {
    look[b].value = b + 1;
    __threadfence();
    look[b].status = b == 0 ? 2 : 1;
    int sum = 0;
    for (int p = b - 1; p >= 0; --p) {
      int s;
      while ((s = look[p].status) == 0)
        ;
      __threadfence();
      sum += look[p].value;
      if (s == 2) break;
    }
    base = sum;
    look[b].value = sum + b + 1;
    __threadfence();
    look[b].status = 2;
  }
  __syncthreads();
  if (threadIdx.x == 0) o[b] = base;
}
__global__ void look_forward(int* o) {
  int b = blockIdx.x;
  if (threadIdx.x == 0) {
    if (b != (int)gridDim.x - 1)
      while (*(volatile int*)&look[b + 1].status == 0)
        ;
    __threadfence();
    o[b] = b;
    look[b].status = 1;
  }
}
__global__ void lanes_of_warp(int* o) {
  __shared__ volatile int f;
  if (threadIdx.x == 0) f = 0;
  __syncwarp();
  if (threadIdx.x % 2) {
    while (!f)
      ;
    o[threadIdx.x] = 1;
  } else {
    f = 1;
  }
}
__global__ void warp_ticket(int* o) {
  __shared__ int next;
  __shared__ volatile int serving;
  if (threadIdx.x == 0) next = serving = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    int my = atomicAdd(&next, 1);
    while (serving != my)
      ;
    o[0] += 1;
    __threadfence_block();
    serving = my + 1;
  }
}
__global__ void plain_flag(int* o, int* f) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0)
      while (atomicAdd(f, 0) == 0)
        ;
    __syncthreads();
    o[threadIdx.x] = 3;
  } else if (threadIdx.x == 0)
    atomicExch(f, 1);
}
int main(int c, char** v) {
  int *o, *f;
  cudaMalloc(&o, 4096);
  cudaMemset(o, 0, 4096);
  cudaMalloc(&f, 4);
  cudaMemset(f, 0, 4);
  const char* w = v[1];
#define GO(k, g, b) \
  if (!strcmp(w, #k)) k<<<g, b>>>(o);
  GO(shared_flag, 1, 64)
  GO(shared_flag_late, 1, 64) GO(global_flag, 3, 64) GO(lane_lock, 2, 64) GO(naive_lock, 4, 1) GO(block_lock, 4, 64)
      GO(grid_barrier, 8, 64) GO(look_back, 32, 64) GO(look_forward, 32, 64) GO(lanes_of_warp, 1, 32)
          GO(warp_ticket, 2, 256) if (!strcmp(w, "plain_flag")) plain_flag<<<2, 64>>>(o, f);
  cudaError_t e = cudaDeviceSynchronize();
  int h[64];
  cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
  printf("%s %s %d %d %d\n", w, cudaGetErrorString(e), h[0], h[1], h[31]);
}
