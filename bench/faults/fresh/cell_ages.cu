// Weighs each cell of a grid by the parities of its row and its column, for 16 grids.
#include "../host.cuh"

constexpr int columns = 768, rows = 352, grids = 16, cells = columns * rows;

namespace before {
__global__ void cell_ages(const float* age, float* out, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int g = 0; g < grids; ++g)
    sum += age[i] * float((i + g * 17) / width) + float((i + g * 17) % width);
  out[i] = sum;
}
}  // namespace before

namespace after {
__global__ void cell_ages(const float* age, float* out, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  int row = i / width, column = i % width;
  for (int g = 0; g < grids; ++g) {
    sum += age[i] * float(row) + float(column);
    column += 17;
    if (column >= width) column -= width, ++row;
  }
  out[i] = sum;
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  float* age = filled<float>(cells, [](int i) { return i % 7 * 0.5f; });
  float* out = filled<float>(cells, [](int) { return 0; });
  if (is_after)
    after::cell_ages<<<cells / 256, 256>>>(age, out, columns);
  else
    before::cell_ages<<<cells / 256, 256>>>(age, out, columns);
  return print_sum(out, cells);
}
