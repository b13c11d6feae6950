#include "cli/fix/saved_time.hpp"

#include <algorithm>
#include <optional>

#include "timing/gpu.hpp"
#include "timing/launch/launch_time.hpp"
#include "timing/parameter_file.hpp"
#include "timing/trace/trace_file.hpp"

namespace bankwise::cli {

namespace {

// Integer instructions that compute an index such as i + i / 32 or column ^ (row & 7) from the old index. For the
// kernels in tests/cli/walk, nvcc adds one or two.
constexpr std::uint8_t index_instructions = 2;

// For each instruction that accesses the array, returns the factor by which the answer changes the number of
// wavefronts, and the instructions that compute the new index. A layout that changes only the declaration adds none.
std::vector<timing::changed_instruction> changes_by(const advice_report& r, const advise::answer& a,
                                                    const timing::launch_trace& t) {
  std::vector<timing::changed_instruction> list;
  const std::vector<std::uint64_t>& before = r.found.before.by_group;
  const std::uint8_t added = advise::facts_of(a.kind).only_declaration ? 0 : index_instructions;
  for (std::size_t g = 0; g < r.sites.size() && g < before.size() && g < a.by_group.size(); ++g) {
    if (before[g] == 0 || r.what.groups[g].of_data) continue;
    const float factor = static_cast<float>(a.by_group[g]) / static_cast<float>(before[g]);
    for (const instruction_at& at : r.sites[g])
      if (const auto code = t.code_at(at.function, at.pc))
        list.push_back({*code, {.wavefronts = factor, .added = added}});
  }
  return list;
}

timing::gpu_parameters parameters_of(const predicted_time& t) {
  const timing::gpu_description* const on = timing::find_gpu(t.gpu);
  timing::gpu_parameters p = on != nullptr ? timing::parameters_of(*on) : timing::gpu_parameters{};
  for (const auto& [name, value] : t.parameters)
    if (const timing::parameter_row* const row = timing::find_parameter(name); row != nullptr && !refused(*row, value))
      p.*row->value = value;
  p.warm_caches = t.caches == "warm";
  return p;
}

}  // namespace

void add_saved_time(const launch_report& l, std::vector<advice_report>& arrays, std::size_t most_answers) {
  if (!l.time || l.time_trace.empty()) return;
  std::optional<timing::launch_trace> trace;
  std::optional<timing::changed_launch> launch;
  for (advice_report& r : arrays) {
    if (r.found.answers.empty()) continue;
    if (!trace) trace = timing::trace_of_letters(l.time_trace);
    if (!trace) return;
    if (!launch) launch.emplace(*trace, parameters_of(l.time));
    r.time = l.time;
    for (std::size_t i = 0; i < r.found.answers.size() && i < most_answers; ++i) {
      const advise::answer& a = r.found.answers[i];
      const bool fewer_blocks = r.found.blocks_known && a.blocks != 0 && a.blocks != r.found.before.blocks;
      const double part = launch->part_with(changes_by(r, a, *trace), {.blocks = fewer_blocks ? a.blocks : 0});
      r.cycles_by_answer.push_back(
          std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(l.time.cycles) * part)));
    }
  }
}

}  // namespace bankwise::cli
