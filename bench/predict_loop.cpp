// The C++ loop with which predict() of the Python package is compared. The loop reads a file of accesses. Each access
// has 32 addresses of 32 bits.
//
//     build/release/bench/predict_loop FILE        accesses a second, and the sum of their wavefronts
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "bankwise/wavefronts.hpp"
#include "base/system/files.hpp"

int main(int argc, char** argv) {
  using namespace bankwise;
  const auto text = argc == 2 ? read_file(argv[1]) : result<std::string>(diagnostic{"expected a file"});
  if (!text) return 2;
  constexpr std::size_t row_bytes = lanes_per_warp * sizeof(u32);
  const std::size_t rows = text->size() / row_bytes;
  std::vector<cost> costs(rows);
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t row = 0; row < rows; ++row) {
    struct access a = {ld(4), full_mask, {}};
    std::memcpy(a.address, text->data() + row * row_bytes, row_bytes);
    costs[row] = analyze(a);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  u64 total = 0;
  for (const cost& c : costs) total += c.wavefronts;
  std::printf("%.0f %llu\n", static_cast<double>(rows) / took.count(), static_cast<unsigned long long>(total));
  return 0;
}
