#include "timing/multiprocessor/register_banks.hpp"

#include <algorithm>

namespace bankwise::timing {

// Each bank delivers one register per clock, within a window of three clocks. The cache of operands keeps one register
// for each operand and bank, until another warp issues.
double register_banks::read(const instruction_cost& c, bool follows, double at, const gpu_parameters& p) {
  if (!follows) kept_.fill(sass::register_zero);
  double late = 0;
  for (std::size_t n = 0; n < c.reads.size(); ++n) {
    const std::uint8_t number = c.reads[n];
    if (number == sass::register_zero) continue;
    std::uint8_t& kept = kept_[2 * n + number % 2];
    if (kept != number) {
      double& bank = free_[number % 2];
      bank = std::max(bank, at) + p.bank_interval;
      late = std::max(late, bank - at - p.bank_window);
    }
    kept = (c.keeps >> n & 1) != 0 && c.may_stay ? number : sass::register_zero;
  }
  return late;
}

}  // namespace bankwise::timing
