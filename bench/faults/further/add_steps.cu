// Adds a step to all values, a thousand times: each step is a launch, or twenty launches of a graph have fifty steps each.
#include "../host.cuh"

constexpr int n = 16896, steps = 1000, of_graph = 50;

__global__ void add_step(float* value, float step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  value[i] = 0.5f * value[i] + step;
}

namespace before {
void add_steps(float* value) {
  for (int k = 0; k < steps; ++k) add_step<<<n / 128, 128>>>(value, 0.25f);
}
}  // namespace before

namespace after {
void add_steps(float* value) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t made;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (int k = 0; k < of_graph; ++k) add_step<<<n / 128, 128, 0, stream>>>(value, 0.25f);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&made, graph, 0);
  for (int k = 0; k < steps; k += of_graph) cudaGraphLaunch(made, stream);
  cudaStreamSynchronize(stream);
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* value = filled<float>(n, [](int i) { return i % 13 * 0.5f; });
  if (is_after)
    after::add_steps(value);
  else
    before::add_steps(value);
  return print_sum(value, n);
}
