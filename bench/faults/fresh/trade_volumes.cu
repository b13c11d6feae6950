// Multiplies price and count of trades with sixteen fields each.
#include "../host.cuh"

constexpr int trades = 540672, fields = 16;

namespace before {
__global__ void trade_volumes(const float* trade, float* volume) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float* own = trade + i * fields;
  volume[i] = own[2] * own[5] + own[6];
}
}  // namespace before

namespace after {
__global__ void trade_volumes(const float* trade, float* volume) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  volume[i] = trade[2 * trades + i] * trade[5 * trades + i] + trade[6 * trades + i];
}
}  // namespace after

int main(int argc, char** argv) {
  const bool is_after = asks_for_remedy(argc, argv);
  const auto field = [](int i, int k) { return i % 11 * 0.25f + k; };
  float* trade = filled<float>(trades * fields, [&](int j) {
    return is_after ? field(j % trades, j / trades) : field(j / fields, j % fields);
  });
  float* volume = filled<float>(trades, [](int) { return 0; });
  if (is_after)
    after::trade_volumes<<<trades / 256, 256>>>(trade, volume);
  else
    before::trade_volumes<<<trades / 256, 256>>>(trade, volume);
  return print_sum(volume, trades);
}
