#include "profile/unused_reads.hpp"

#include <algorithm>
#include <bit>
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
constexpr unsigned most_rehearsals = 8, other_words = 2;
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
  // What comes after the launch may then depend on the words.
  bool has_other_effects = false;
  hooks.launch = [&](const emulate::child_launch&) { return has_other_effects = true; };
  hooks.set_condition = [&](std::uint64_t, std::uint32_t) { return has_other_effects = true; };
  const std::uint32_t reserved = l.kernel->reserved_shared_bytes;
  emulate::listeners_of<hazard_checker> checking(hooks, [&] {
    return std::make_unique<hazard_checker>(checks{.uninitialised = true}, l.block[0] * l.block[1] * l.block[2],
                                            reserved + l.kernel->static_shared_bytes + l.dynamic_shared_bytes, reserved,
                                            parts);
  });
  const auto ran = emulate::run_launch(one, memory, hooks);
  to.is_whole = ran && ran->stopped == emulate::stop_reason::none && !has_other_effects;
  if (!to.is_whole) return;
  to.instructions = ran->sum.warp_instructions;
  const auto checked = checking.sum();
  for (const auto& [key, seen] : checked->found()) to.reads.insert(std::get<2>(key));
}

struct found_reads {
  std::set<std::uint64_t> unused, used;
};

found_reads find_unused(const emulate::launch& l, emulate::device_memory& memory, const emulate::launch_hooks& hooks) {
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
      return {.unused = {}, .used = std::move(usual.reads)};
  }
  return {.unused = std::move(usual.reads), .used = {}};
}

struct rehearsed_kernel {
  std::uint64_t launches = 0;
  unsigned in_series = 0;           // rehearsals of launches 1, 2, 4, 8 and so on
  std::set<std::string> arguments;  // the grids and parameters of rehearsed launches
  std::set<std::uint64_t> unused, used;
};

std::string arguments_of(const emulate::launch& l) {
  std::string all(reinterpret_cast<const char*>(l.parameters.data()), l.parameters.size());
  return all.append(reinterpret_cast<const char*>(l.grid.data()), sizeof l.grid);
}

// A read that a result of any launch has needed always counts.
std::set<std::uint64_t> without(std::set<std::uint64_t> unused, const std::set<std::uint64_t>& used) {
  std::erase_if(unused, [&](std::uint64_t pc) { return used.contains(pc); });
  return unused;
}

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
    const bool is_in_series = std::has_single_bit(++k.launches) && k.in_series < most_rehearsals;
    const bool is_new = k.arguments.size() < most_rehearsals && k.arguments.insert(arguments_of(l)).second;
    if (!is_in_series && !is_new) return without(k.unused, k.used);
    k.in_series += is_in_series;
  }
  found_reads found = find_unused(l, memory, hooks);
  const std::lock_guard lock(mutex);
  rehearsed_kernel& k = all[here];
  k.unused.insert(found.unused.begin(), found.unused.end());
  k.used.insert(found.used.begin(), found.used.end());
  return without(std::move(found.unused), k.used);
}

}  // namespace bankwise
