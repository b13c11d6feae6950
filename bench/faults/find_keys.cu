// Finds the position of a key in each column of a table.
#include "host.cuh"

constexpr int columns = 16896, depth = 64;

namespace before {
__global__ void find_keys(const int* table, int* found, int key) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int k = 0;
  while (k < depth && table[k * columns + t] != key) ++k;
  found[t] = k;
}
}  // namespace before

namespace after {
__global__ void find_keys(const int* table, int* found, int key) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int k = 0;
  for (; k < depth; k += 4) {
    int four[4], first = 4;
    for (int j = 0; j < 4; ++j) four[j] = table[(k + j) * columns + t];
    for (int j = 3; j >= 0; --j) first = four[j] == key ? j : first;
    if (first < 4) {
      k += first;
      break;
    }
  }
  found[t] = k;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  int* table =
      filled<int>(columns * depth, [](int i) { return i / columns == 48 + i % columns / 64 % 13 ? 7 : i % 5; });
  int* found = filled<int>(columns, [](int) { return 0; });
  if (is_after)
    after::find_keys<<<columns / 64, 64>>>(table, found, 7);
  else
    before::find_keys<<<columns / 64, 64>>>(table, found, 7);
  return print_sum(found, columns);
}
