#include "runtime/device/time_share.hpp"

#include <algorithm>
#include <bit>

namespace bankwise::cuda {

namespace {

using duration = time_share::duration;
using namespace std::chrono_literals;

constexpr duration least_share = 10ms;        // least time for a launch while time remains
constexpr duration least_to_predict = 500ms;  // a launch is only predicted if this time is left
constexpr std::uint32_t part_of_late = 8;     // part of the remaining late time that a late launch may use
constexpr duration least_grace = 250ms;       // additional time after which blocks that have begun are stopped

}  // namespace

void time_share::limit(emulate::launch& l) {
  const duration none{0}, left = std::max(left_, none);
  const duration share = left == none ? none : std::max(least_share, left / 4);
  const duration grace = left == none ? std::min<duration>(late_, std::max<duration>(least_share, late_ / part_of_late))
                                      : std::max<duration>(least_grace, left / 2);
  l.time = emulate::time_limit{share, share + grace, least_blocks};
  const auto it = seen_.find({l.kernel, l.grid, l.block, l.counting != nullptr});
  if (it == seen_.end()) return;
  const std::uint64_t blocks = std::uint64_t{l.grid[0]} * l.grid[1] * l.grid[2];
  cost& known = it->second;
  const auto small = static_cast<double>(std::max(left == none ? none : least_share, left / 32).count());
  const double fits = small / known.of_a_block;
  // If all blocks fit into the time, all blocks run. Otherwise, the previous number of blocks stays if at least a
  // quarter of it fits into the time. In the remaining case, the number of blocks that fit is used. This case also
  // occurs if all blocks ran before.
  const bool stands = known.chosen != 0 && static_cast<double>(known.chosen) <= 4 * fits;
  if (fits >= static_cast<double>(blocks))
    known.chosen = 0;
  else if (!stands)
    known.chosen = std::max(least_blocks, std::bit_floor(static_cast<std::uint64_t>(fits)));
  if (known.chosen != 0 && !l.cooperative)
    l.most_blocks = l.most_blocks == 0 ? known.chosen : std::min(l.most_blocks, known.chosen);
}

bool time_share::skips(const emulate::launch& l) {
  if (!is_over()) return false;
  for (const bool counted : {false, true})
    if (const auto it = seen_.find({l.kernel, l.grid, l.block, counted}); it != seen_.end())
      return !std::has_single_bit(++it->second.late) || is_closed();
  return false;
}

void time_share::spend(duration took) {
  if (is_over())
    late_ -= std::min(late_, std::chrono::ceil<milliseconds>(took));
  else
    left_ = std::max(left_ - took, duration{0});
}

bool time_share::has_time_to_predict() const { return !limited_ || left_ >= least_to_predict; }

void time_share::note(const emulate::launch& l, duration took, std::uint64_t blocks) {
  spend(took);
  cost& known = seen_[{l.kernel, l.grid, l.block, l.counting != nullptr}];
  known.of_a_block =
      std::max(1.0, static_cast<double>(took.count()) / static_cast<double>(std::max<std::uint64_t>(blocks, 1)));
}

}  // namespace bankwise::cuda
