// Sums the values of linked lists with 32 nodes. Each thread follows one list.
#include "host.cuh"

constexpr int lists = 33792, length = 32, nodes = 1 << 21;
unsigned place(unsigned j) { return j / 32 * 2654435761u % (nodes / 32) * 32 + j % 32; }

namespace before {
__global__ void list_sums(const int* next, const int* order, const float* value, float* sums) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  int node = order[t];
  for (int k = 0; k < length; ++k) {
    sum += value[node];
    node = next[node];
  }
  sums[t] = sum;
}
}  // namespace before

namespace after {
__global__ void list_sums(const int* next, const int* order, const float* value, float* sums) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < length; ++k) sum += value[order[k * lists + t]];
  sums[t] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  std::vector<int> follower(nodes);
  for (unsigned j = 0; j < nodes; ++j) follower[place(j)] = place(j + lists);
  int* next = filled<int>(nodes, [&](int i) { return follower[i]; });
  int* order = filled<int>(lists * length, [](int i) { return place(i); });
  float* value = filled<float>(nodes, [](int i) { return i % 12 * 0.25f; });
  float* sums = filled<float>(lists, [](int) { return 0; });
  if (is_after)
    after::list_sums<<<lists / 128, 128>>>(next, order, value, sums);
  else
    before::list_sums<<<lists / 128, 128>>>(next, order, value, sums);
  return print_sum(sums, lists);
}
