// Delays from the code itself: instructions that come from memory for the first time.
#include <algorithm>

#include "profile/delays/traced_launch.hpp"

namespace bankwise {

namespace {

// Long code that each warp executes once comes from memory while the warps wait. All code that is executed again, and
// all short code, is there after a few hundred clocks.
void find_long_code(traced_launch& l) {
  constexpr std::uint64_t least = 256;  // instructions, which are 32 lines of code
  if (!l.may_save("launch")) return;
  const auto is_once = [&](std::uint32_t i) { return l.executed[i].times <= l.warps; };
  std::uint64_t once = 0;
  for (std::uint32_t i = 0; i < l.code.size(); ++i) once += l.is_executed(i) && is_once(i);
  if (once < least) return;
  const std::uint64_t saved = l.again.saved_without_fetches();
  if (!l.is_enough(saved)) return;
  const std::vector<std::vector<std::uint32_t>> lines = l.by_line(is_once);
  const auto longest =
      std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  delay d = l.delay_at(delay_kind::long_code, longest->front());
  d.now = once;
  l.add(std::move(d), saved);
}

}  // namespace

void find_code_delays(traced_launch& l) { find_long_code(l); }

}  // namespace bankwise
