// A tile whose pitch the compiler chooses: the shortest row, from 32 to 63 floats, among the rows with the lowest cost.
//
//     g++ -std=c++17 -I bankwise/include tile_layout.cpp && ./a.out
//
//     float tile[32][pitch]     written by rows as float4, read by columns as float
//         32                    store 4, load 32 wavefronts
//         33                    float4 is not aligned
//         36                    store 4, load 4: the result of best_pitch()
//         32, Swizzle<3,4,3>    store 4, load 4, without the 512 bytes of padding
#include <bankwise/bankwise.hpp>
#include <cstdio>

using bankwise::tile_layout;
using bankwise::u32;

struct price {
  bool aligned;
  u32 store, load;  // wavefronts
};

constexpr price price_of(tile_layout tile) {
  const auto store = bankwise::make_access(bankwise::st(16), [=](u32 t) { return tile(t / 8, t % 8 * 4); });
  const auto load = bankwise::make_access(bankwise::ld(4), [=](u32 t) { return tile(t, 0); });
  const bool aligned = bankwise::first_misaligned_lane(store) == bankwise::lanes_per_warp;
  return {aligned, bankwise::wavefronts(store), bankwise::wavefronts(load)};
}

constexpr u32 best_pitch() {
  u32 best = 0, least = 64;
  for (u32 words = 32; words < 64; ++words) {
    const price p = price_of({4, words * 4});
    if (!p.aligned || p.store + p.load >= least) continue;
    best = words;
    least = p.store + p.load;
  }
  return best;
}
// A kernel would declare __shared__ float tile[32][pitch].
constexpr u32 pitch = best_pitch();
static_assert(pitch == 36, "");

void show(const char* name, tile_layout tile) {
  const price p = price_of(tile);
  if (p.aligned)
    std::printf("%-16s store %u, load %2u wavefronts\n", name, p.store, p.load);
  else
    std::printf("%-16s float4 is not aligned\n", name);
}

int main() {
  show("tile[32][32]", {4, 128});
  show("tile[32][33]", {4, 132});
  show("tile[32][36]", {4, pitch * 4});
  show("Swizzle<3,4,3>", {4, 128, {3, 4, 3}});
}
