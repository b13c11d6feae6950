#include "emulate/block/fault_place.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise::emulate {

namespace {

// The largest number of lines of a call stack.
constexpr std::size_t most_frames = 12;

}  // namespace

std::array<std::uint32_t, 3> thread_of(const worker& m, int lane) {
  const auto& block = m.s->l->block;
  const std::uint32_t t = m.w->id * 32 + static_cast<std::uint32_t>(lane);
  return {t % block[0], t / block[0] % block[1], t / block[0] / block[1]};
}

void add_source(diagnostic& d, const worker& m, std::uint64_t pc, int lane) {
  const cubin::program& p = *m.s->l->program;
  // each line, and how often it is repeated in sequence, as in a recursion
  std::vector<std::pair<std::string, unsigned>> steps;
  std::string verb;
  std::size_t left_out = 0;
  const auto add = [&](std::uint64_t at) {
    const auto n = p.section_at(at);
    if (!n) return;
    for (const cubin::frame& f : p.frames_of(*n, at - p.sections[*n].address)) {
      const std::string place = f.file.empty() ? formatted("pc 0x{}", hex(at - p.sections[*n].address))
                                               : formatted("{}:{}", base_name(f.file), f.line);
      if (steps.empty() && verb.empty() && !f.file.empty()) {
        d.where.file = f.file;
        d.where.line = f.line;
      }
      std::string step = (verb.empty() ? "in " : formatted("{} at {} in ", verb, place)) + f.function;
      if (!steps.empty() && steps.back().first == step)
        ++steps.back().second;
      else if (steps.size() < most_frames)
        steps.emplace_back(std::move(step), 1);
      else
        ++left_out;
      verb = "inlined";
    }
    verb = "called";
  };
  add(pc);
  const call_log& calls = m.w->calls;
  if (lane < 0 && m.p != nullptr) lane = std::countr_zero(m.p->mask);
  const std::uint32_t depth = lane >= 0 && lane < 32 ? calls.depth[lane] : 0;
  for (std::uint32_t back = 1; back <= std::min(depth, call_log::kept); ++back)
    add(calls.at[(depth - back) % call_log::kept][lane]);
  if (depth > call_log::kept) left_out += depth - call_log::kept;
  // A call path with a single function is not shown. This function is the kernel, which the message already names.
  if (steps.size() < 2 && left_out == 0) return;
  for (const auto& [step, times] : steps) d.trail.push_back(step + (times == 1 ? "" : formatted(", {} times", times)));
  if (left_out != 0) d.trail.push_back(formatted("... and {} more calls", grouped(left_out)));
}

}  // namespace bankwise::emulate
