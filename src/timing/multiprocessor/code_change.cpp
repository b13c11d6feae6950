#include "timing/multiprocessor/code_change.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sass/opcode.hpp"

namespace bankwise::timing {

double spread(std::uint64_t n, double shift) {
  constexpr double golden = 0.6180339887;
  const double sum = static_cast<double>(n) * golden + shift;
  return sum - std::floor(sum);
}

bool can_be_left_out(const instruction_cost& c) {
  switch (c.does) {
    case behaviour::plain:
    case behaviour::shuffle:
    case behaviour::barrier:
    case behaviour::constant_load: return true;
    case behaviour::memory: return sass::traits_of(c.op).unit == sass::unit::memory;
    default: return false;
  }
}

bool changes_of_warp::leaves_out_round(const code_change& change, double place) {
  const double at = place - change.shift - double{change.executed} * rounds[change.rounds_of];
  return at - std::floor(at) >= change.executed;
}

bool changes_of_warp::leaves_out(std::uint32_t code, const code_change& change, std::uint64_t warp) {
  const auto [at, is_first] = due.try_emplace(code, 0.0F);
  float& part = at->second;
  // The first parts of the warps are spread evenly, because each warp may execute the instruction only once.
  if (is_first && change.executed > 0) part = static_cast<float>(spread(warp, change.shift));
  part += change.executed;
  if (part < 1) return true;
  part -= 1;
  return false;
}

void changes_of_warp::wait(std::uint8_t scoreboards) {
  if ((scoreboards & waits_for) == 0) return;
  waits_for = 0;
  requested_before = std::exchange(requested, never);
}

double changes_of_warp::earlier(const instruction_cost& c, const code_change& change, double at) {
  if (change.together > 1) {
    requests_together& r = together[change.loop];
    if (r.loads++ % change.together == 0) r.first = at;
    return at - r.first;
  }
  if (!change.is_early) return 0;
  if (requested == never) requested = at;
  if (c.write_barrier != no_barrier) waits_for |= static_cast<std::uint8_t>(1u << c.write_barrier);
  return requested_before == never ? 0 : at - requested_before;
}

std::optional<std::uint64_t> changes_of_warp::earlier_test(const code_change& change, std::uint64_t what) {
  std::vector<std::uint64_t>& all = tested[change.ring];
  all.push_back(what);
  if (all.size() <= change.stages) return std::nullopt;
  return all[all.size() - 1 - change.stages];
}

}  // namespace bankwise::timing
