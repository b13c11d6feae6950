#include "profile/schedules.hpp"

#include "emulate/launch/rehearsal.hpp"
#include "emulate/memory/changed_bytes.hpp"
#include "emulate/memory/memory.hpp"

namespace bankwise {

namespace {

// A launch that executes more than this multiple of the usual instructions does not end in this order.
constexpr std::uint64_t most_times_longer = 100, least_budget = 1u << 20;

struct rehearsed {
  emulate::changed_bytes outcome;
  result<emulate::launch_result> ran;
};

rehearsed rehearse(const emulate::launch& l, emulate::device_memory& memory, const emulate::launch_hooks& also,
                   std::uint64_t seed, std::uint64_t budget) {
  emulate::changed_bytes outcome;
  emulate::launch one = emulate::rehearsal_of(l);
  one.seed = seed;
  one.budget = budget;
  one.outcome = &outcome;
  emulate::launch_hooks hooks = emulate::silent_hooks();
  hooks.stop = also.stop;
  auto ran = emulate::run_launch(one, memory, hooks);
  return {std::move(outcome), std::move(ran)};
}

}  // namespace

schedule_results try_schedules(const emulate::launch& l, emulate::device_memory& memory,
                               const emulate::launch_hooks& hooks, std::uint64_t seeds) {
  schedule_results found;
  if (hooks.idle) return found;
  const rehearsed usual = rehearse(l, memory, hooks, l.seed, l.budget);
  if (!usual.ran || usual.ran->stopped != emulate::stop_reason::none) return found;
  const std::uint64_t work = std::max(least_budget, usual.ran->sum.warp_instructions);
  const std::uint64_t budget =
      std::min(l.budget, work < ~std::uint64_t{0} / most_times_longer ? work * most_times_longer : ~std::uint64_t{0});
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const rehearsed other = rehearse(l, memory, hooks, seed, budget);
    if (other.ran && other.ran->stopped == emulate::stop_reason::interrupted) return found;
    // The order changed more bytes than a rehearsal keeps, so its end is not known.
    if (other.ran && other.ran->stopped == emulate::stop_reason::time) continue;
    ++found.orders;
    other_result one;
    one.seed = seed;
    if (!other.ran || other.ran->stopped == emulate::stop_reason::budget) {
      one.failure = other.ran ? "does not end" : other.ran.error().message;
      found.others.push_back(std::move(one));
      return found;
    }
    const emulate::changed_bytes::difference d = emulate::changed_bytes::compare(usual.outcome, other.outcome);
    if (d.bytes == 0 || (d.only_rounding && !found.others.empty())) continue;
    one.bytes = d.bytes;
    one.usual = d.usual;
    one.other = d.other;
    one.only_rounding = d.only_rounding;
    if (const emulate::region* const r = memory.holding(d.first); r != nullptr) {
      one.memory = r->name;
      one.offset = static_cast<std::uint64_t>(d.first - r->data);
    }
    found.others.push_back(std::move(one));
    if (!d.only_rounding) return found;
  }
  return found;
}

}  // namespace bankwise
