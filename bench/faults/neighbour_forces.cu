// Sums the pull of each body's 32 next neighbours in its block.
#include "host.cuh"

constexpr int bodies = 270336, threads = 128, neighbours = 32;

namespace before {
struct Body {
  float x, y, z, mass, vx, vy, vz, charge;
};
__global__ void neighbour_forces(const float* state, float* force) {
  __shared__ Body body[threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  const float x = state[i], charge = state[bodies + i];
  body[t] = {x, 0, 0, state[2 * bodies + i], 0, 0, 0, charge};
  __syncthreads();
  float sum = 0;
  for (int k = 1; k <= neighbours; ++k) {
    const int other = (t + k) % threads;
    sum += (body[other].x - x) * body[other].mass - charge * body[other].charge;
  }
  force[i] = sum;
}
}  // namespace before

namespace after {
struct Bodies {
  float x[threads], y[threads], z[threads], mass[threads], charge[threads];
};
__global__ void neighbour_forces(const float* state, float* force) {
  __shared__ Bodies body;
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  const float x = state[i], charge = state[bodies + i];
  body.x[t] = x, body.mass[t] = state[2 * bodies + i], body.charge[t] = charge;
  __syncthreads();
  float sum = 0;
  for (int k = 1; k <= neighbours; ++k) {
    const int other = (t + k) % threads;
    sum += (body.x[other] - x) * body.mass[other] - charge * body.charge[other];
  }
  force[i] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* state = filled<float>(3 * bodies, [](int i) { return i % 15 * 0.25f; });
  float* force = filled<float>(bodies, [](int) { return 0; });
  if (is_after)
    after::neighbour_forces<<<bodies / threads, threads>>>(state, force);
  else
    before::neighbour_forces<<<bodies / threads, threads>>>(state, force);
  return print_sum(force, bodies);
}
