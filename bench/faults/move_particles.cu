// Moves particles with eight fields each: position, velocity, mass, charge.
#include "host.cuh"

constexpr int particles = 270336, fields = 8;

namespace before {
__global__ void move_particles(const float* state, float* x, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = state[i * fields] + dt * state[i * fields + 3];
}
}  // namespace before

namespace after {
__global__ void move_particles(const float* state, float* x, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = state[i] + dt * state[3 * particles + i];
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  const auto field = [](int i, int k) { return i % 13 * 0.5f + k; };
  float* state = filled<float>(particles * fields, [&](int j) {
    return is_after ? field(j % particles, j / particles) : field(j / fields, j % fields);
  });
  float* x = filled<float>(particles, [](int) { return 0; });
  if (is_after)
    after::move_particles<<<particles / 256, 256>>>(state, x, 0.25f);
  else
    before::move_particles<<<particles / 256, 256>>>(state, x, 0.25f);
  return print_sum(x, particles);
}
