// Some lanes arrive at a barrier of the complete warp, other lanes do not. An H100 executed the kernels up to
// nobody_comes, which never ended. The comment before each kernel gives the order in which its lanes continued.
__device__ void meet(unsigned lanes) { asm volatile("bar.warp.sync %0;" ::"r"(lanes) : "memory"); }
__device__ void pause_for(unsigned clocks) {
  const unsigned begin = clock();
  while (static_cast<unsigned>(clock()) - begin < clocks) {
  }
}
// The clock of a lane after the barrier, and at the end of the kernel.
struct times {
  int behind, end;
};
__device__ void leave(times* out, int behind) {
  __syncwarp();
  out[threadIdx.x] = {behind, static_cast<int>(clock())};
}

// First the other lanes continue, then lanes 0 and 1.
extern "C" __global__ void others_go_round(times* out) {
  int behind = 0;
  if (threadIdx.x < 2) meet(~0u), behind = clock();
  leave(out, behind);
}
// Lanes 2 to 15 continue together with lanes 16 to 31, then lanes 0 and 1.
extern "C" __global__ void some_are_late(times* out) {
  int behind = 0;
  if (threadIdx.x < 2)
    meet(~0u), behind = clock();
  else if (threadIdx.x >= 16)
    pause_for(5000);
  leave(out, behind);
}
// Lanes 2 to 15 leave the inner branch without lanes 0 and 1.
extern "C" __global__ void within_a_branch(times* out) {
  int behind = 0;
  if (threadIdx.x < 16) {
    if (threadIdx.x < 2) meet(~0u), behind = clock();
    if (threadIdx.x >= 2) behind = clock();
  } else {
    pause_for(3000);
  }
  leave(out, behind);
}
// The other lanes have already ended, as at the end of Numba's reductions.
extern "C" __global__ void others_end(times* out) {
  if (threadIdx.x < 2) meet(~0u), out[threadIdx.x].behind = clock();
  if (threadIdx.x > 0) return;
  out[threadIdx.x].end = clock();
}
// Lanes 2 and 3 never arrive.
extern "C" __global__ void nobody_comes(times* out) {
  int behind = 0;
  if (threadIdx.x < 2) meet(15u), behind = clock();
  leave(out, behind);
}

// --- block barriers in a diverged warp. ptxas puts a WARPSYNC.ALL before each barrier. We executed 47 kernels whose
// lanes are at two different WARPSYNC.ALL, with one warp and with two warps. An H100 waited forever in 32 of them.

// Lanes 0 and 1 wait for the warp. The other lanes wait at the WARPSYNC of the block's barrier.
extern "C" __global__ void before_the_block(int* out) {
  if (threadIdx.x < 2) meet(~0u);
  __syncthreads();
  out[threadIdx.x] = 1;
}
extern "C" __global__ void in_two_branches(int* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = 1;
    __threadfence_system();
    __syncthreads();
    out[threadIdx.x] = clock();
  } else {
    out[threadIdx.x] = 2;
    __threadfence_system();
    __syncthreads();
    out[threadIdx.x] = clock();
  }
}
// The first barrier has a predicate, but the whole warp waits there. All lanes pass the second barrier together.
extern "C" __global__ void half_of_a_warp(times* out) {
  int behind = 0;
  if (threadIdx.x < 16) {
    __syncthreads();
    behind = clock();
  }
  __syncthreads();
  out[threadIdx.x] = {behind, static_cast<int>(clock())};
}
