#include "profile/unused_reads.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "emulate/launch/listeners.hpp"
#include "emulate/launch/rehearsal.hpp"
#include "emulate/memory/changed_bytes.hpp"
#include "model/launch.hpp"
#include "profile/hazards.hpp"

namespace bankwise {

namespace {

constexpr std::uint64_t most_rehearsed = 64;  // blocks of a launch
constexpr unsigned most_launches_rehearsed = 2, other_words = 2;
// A launch that executes more than this multiple of the usual instructions needs the words for its loops.
constexpr std::uint64_t times_longer = 10, least_instructions = 1u << 20;

struct shown_result {
  emulate::changed_bytes bytes;
  std::string printed;
  std::uint64_t instructions = 0;
  std::set<std::uint64_t> reads;
  bool is_whole = false;
};

void rehearse_with(shown_result& to, const emulate::launch& l, emulate::device_memory& memory,
                   const emulate::launch_hooks& also, const atomic_parts& parts, std::uint32_t words) {
  emulate::launch one = emulate::rehearsal_of(l);
  one.predicts_time = false;
  one.unwritten_words = words;
  one.outcome = &to.bytes;
  if (words != 0) one.budget = std::min(one.budget, std::max(least_instructions, to.instructions * times_longer));
  const std::uint64_t blocks = blocks_of(l.grid);
  if (blocks > most_rehearsed) {
    auto chosen = std::make_shared<std::vector<std::uint64_t>>();
    for (std::uint64_t n = 0; n < most_rehearsed; ++n) chosen->push_back(n * (blocks - 1) / (most_rehearsed - 1));
    one.chosen = std::move(chosen);
    one.most_blocks = most_rehearsed;
  }
  emulate::launch_hooks hooks = emulate::silent_hooks();
  hooks.print = hooks.print_error = [&](std::string_view text) { to.printed += text; };
  hooks.stop = also.stop;
  hooks.clocks = also.clocks;
  const std::uint32_t reserved = l.kernel->reserved_shared_bytes;
  emulate::listeners_of<hazard_checker> checking(hooks, [&] {
    return std::make_unique<hazard_checker>(checks{.uninitialised = true}, l.block[0] * l.block[1] * l.block[2],
                                            reserved + l.kernel->static_shared_bytes + l.dynamic_shared_bytes, reserved,
                                            parts);
  });
  const auto ran = emulate::run_launch(one, memory, hooks);
  to.is_whole = ran && ran->stopped == emulate::stop_reason::none;
  if (!to.is_whole) return;
  to.instructions = ran->sum.warp_instructions;
  const auto checked = checking.sum();
  for (const auto& [key, seen] : checked->found()) to.reads.insert(std::get<2>(key));
}

std::set<std::uint64_t> find_unused(const emulate::launch& l, emulate::device_memory& memory,
                                    const emulate::launch_hooks& hooks) {
  const auto parts = find_atomic_parts(*l.program, *l.kernel);
  shown_result usual;
  rehearse_with(usual, l, memory, hooks, *parts, 0);
  if (!usual.is_whole || usual.reads.empty()) return {};
  for (std::uint32_t words = 1; words <= other_words; ++words) {
    shown_result other;
    other.instructions = usual.instructions;
    rehearse_with(other, l, memory, hooks, *parts, words);
    if (!other.is_whole || other.printed != usual.printed ||
        emulate::changed_bytes::compare(usual.bytes, other.bytes).bytes != 0)
      return {};
  }
  return usual.reads;
}

struct rehearsed_kernel {
  unsigned launches = 0;
  std::set<std::uint64_t> unused;
};

}  // namespace

std::set<std::uint64_t> unused_unwritten_reads(const emulate::launch& l, emulate::device_memory& memory,
                                               const emulate::launch_hooks& hooks) {
  const auto [x, y, z] = emulate::cluster_of(l);
  const bool has_shared = l.kernel->static_shared_bytes + l.dynamic_shared_bytes != 0;
  if (!has_shared || !l.memory_is_private || hooks.idle || l.cooperative || l.most_blocks != 0 || x * y * z > 1)
    return {};
  static std::mutex& mutex = *new std::mutex;  // a report may be written after the end of main
  using key = std::tuple<std::string, std::uint64_t, std::array<std::uint32_t, 3>>;
  static std::map<key, rehearsed_kernel>& all = *new std::map<key, rehearsed_kernel>;
  const key here{l.kernel->mangled, l.program->sections[l.kernel->section].address, l.block};
  {
    const std::lock_guard lock(mutex);
    rehearsed_kernel& k = all[here];
    if (++k.launches > most_launches_rehearsed) return k.unused;
  }
  std::set<std::uint64_t> unused = find_unused(l, memory, hooks);
  const std::lock_guard lock(mutex);
  rehearsed_kernel& k = all[here];
  k.unused.insert(unused.begin(), unused.end());
  return unused;
}

}  // namespace bankwise
