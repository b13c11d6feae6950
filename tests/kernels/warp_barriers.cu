// Some lanes come to a barrier of their whole warp, the others do not. An H100 ran all of these but the last, which it never
// ended; behind each: in which order the lanes went on there.
__device__ void meet(unsigned lanes) { asm volatile("bar.warp.sync %0;" ::"r"(lanes) : "memory"); }
__device__ void pause_for(unsigned clocks) {
  const unsigned begin = clock();
  while (static_cast<unsigned>(clock()) - begin < clocks) {
  }
}
// When a lane is behind the barrier, and at its end.
struct times {
  int behind, end;
};
__device__ void leave(times* out, int behind) {
  __syncwarp();
  out[threadIdx.x] = {behind, static_cast<int>(clock())};
}

// The others, then lanes 0 and 1.
extern "C" __global__ void others_go_round(times* out) {
  int behind = 0;
  if (threadIdx.x < 2) meet(~0u), behind = clock();
  leave(out, behind);
}
// Lanes 2 to 15 with 16 to 31, then 0 and 1.
extern "C" __global__ void some_are_late(times* out) {
  int behind = 0;
  if (threadIdx.x < 2)
    meet(~0u), behind = clock();
  else if (threadIdx.x >= 16)
    pause_for(5000);
  leave(out, behind);
}
// Lanes 2 to 15 leave the inner branch without 0 and 1.
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
// As Numba's reductions end: the others are gone.
extern "C" __global__ void others_end(times* out) {
  if (threadIdx.x < 2) meet(~0u), out[threadIdx.x].behind = clock();
  if (threadIdx.x > 0) return;
  out[threadIdx.x].end = clock();
}
// Lanes 2 and 3 never come.
extern "C" __global__ void nobody_comes(times* out) {
  int behind = 0;
  if (threadIdx.x < 2) meet(15u), behind = clock();
  leave(out, behind);
}
