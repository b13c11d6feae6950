#include "profile/delays/traced_launch.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>

#include "base/text.hpp"
#include "profile/code/place.hpp"
#include "sass/flow/basic_blocks.hpp"
#include "sass/operand/branch.hpp"

namespace bankwise {

namespace {

constexpr double least_saving = 0.05;  // of the time; smaller savings are within the error of a replay

// Whether a delay only makes the launch wait. Without it, the launch does the same work.
bool only_waits(delay_kind k) {
  switch (k) {
    case delay_kind::low_occupancy:
    case delay_kind::late_loads:
    case delay_kind::chained_loads:
    case delay_kind::few_stages:
    case delay_kind::awaited_products:
    case delay_kind::chained_sums: return true;
    default: return false;
  }
}

}  // namespace

traced_launch::traced_launch(const timing::launch_trace& t, const predicted_time& predicted,
                             const timing::gpu_parameters& parameters, const cubin::program& p, const cubin::kernel& k,
                             replays& with)
    : trace(t), time(predicted), gpu(parameters), again(with), executed(t.code.size()), program_(p), kernel_(k) {
  code.reserve(t.code.size());
  for (const timing::traced_code& c : t.code) code.push_back({c.low, c.high, sass::isa_of(t.sm)});
  count_executions();
  find_callers();
  find_loops();
  registers_.resize(code.size());
  std::map<std::pair<std::string, std::uint32_t>, std::vector<std::uint32_t>> lines;
  for (std::uint32_t i = 0; i < code.size(); ++i) {
    if (!is_executed(i)) continue;
    registers_[i] = sass::reads_and_writes_of(code[i]);
    const auto at = source_at(p, t.code[callers_[i]].pc);
    lines[at ? std::pair(at->file, at->line) : std::pair<std::string, std::uint32_t>()].push_back(i);
  }
  for (auto& [line, its] : lines) lines_.push_back(std::move(its));
}

void traced_launch::count_executions() {
  std::vector<std::int64_t> times(code.size() + 1), lanes(code.size() + 1);
  for (const timing::traced_block& b : trace.blocks)
    for (const timing::traced_warp& w : b.warps) {
      warps += !w.runs.empty();
      for (const timing::traced_run& one : w.runs) {
        ++times[one.code];
        --times[one.code + one.count];
        lanes[one.code] += one.lanes;
        lanes[one.code + one.count] -= one.lanes;
      }
    }
  std::int64_t n = 0, all_lanes = 0;
  for (std::size_t i = 0; i < executed.size(); ++i) {
    n += times[i];
    all_lanes += lanes[i];
    executed[i] = {static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(all_lanes)};
    instructions += executed[i].times;
  }
}

// Whether the code of a function has lines. Without them, it seems to have the line of the instruction before it.
bool traced_launch::has_own_lines(std::uint32_t begin, std::uint32_t end) const {
  const auto line_of = [&](std::uint32_t i) {
    const auto at = source_at(program_, trace.code[i].pc);
    return at ? std::pair(at->file, at->line) : std::pair<std::string, std::uint32_t>();
  };
  const auto before = line_of(begin - 1);
  for (std::uint32_t i = begin; i < end; ++i)
    if (line_of(i) != before) return true;
  return false;
}

void traced_launch::find_callers() {
  callers_.resize(code.size());
  std::iota(callers_.begin(), callers_.end(), 0U);
  for (const timing::traced_section& s : trace.sections) {
    std::map<std::uint32_t, std::uint32_t> calls;  // by the called instruction
    for (std::uint32_t i = s.first; i < s.first + s.count; ++i) {
      if (!is_executed(i) || opcode_at(i) != sass::opcode::CALL_REL) continue;
      const std::uint64_t at = std::uint64_t{i - s.first} * sass::instruction_bytes;
      const std::uint64_t target = sass::branch_target(code[i], at) / sass::instruction_bytes;
      if (target < s.count) calls.try_emplace(s.first + static_cast<std::uint32_t>(target), i);
    }
    // A function ends where the next one begins. Functions that are called are after the code that calls them.
    for (auto it = calls.begin(); it != calls.end(); ++it) {
      const std::uint32_t end = std::next(it) != calls.end() ? std::next(it)->first : s.first + s.count;
      if (it->first <= it->second) continue;
      if (has_own_lines(it->first, end)) continue;
      for (std::uint32_t i = it->first; i < end; ++i) callers_[i] = callers_[it->second];
    }
  }
}

sass::opcode traced_launch::opcode_at(std::uint32_t i) const {
  const sass::opcode_info* const info = code[i].info();
  return info != nullptr ? info->op : sass::opcode::NOP;
}

bool traced_launch::reads_memory(std::uint32_t i) const {
  const sass::opcode_traits& t = traits_at(i);
  return t.unit == sass::unit::memory && sass::touches(t.space, sass::space::generic) &&
         t.action != sass::action::store;
}

bool traced_launch::come_from_memory(sass::register_set& registers, std::uint32_t begin, std::uint32_t end) const {
  for (std::uint32_t i = end; i-- > begin;) {
    const sass::reads_and_writes& io = registers_of(i);
    if (!is_executed(i) || !sass::overlap(io.writes, registers)) continue;
    if (reads_memory(i)) return true;
    if (code[i].guard() == sass::predicate_true) sass::remove(registers, io.writes);
    sass::join(registers, io.reads);
  }
  return false;
}

namespace {

const sass::opcode_traits* load_traits(const traced_launch& l, std::uint32_t i) {
  const sass::opcode_traits& t = l.traits_at(i);
  return t.unit == sass::unit::memory && t.action == sass::action::load ? &t : nullptr;
}

std::optional<bool> is_strong(const sass::instruction& i) {
  const sass::fields f = sass::fields_of(i);
  const auto* const m = std::get_if<sass::memory_access>(&f);
  return m != nullptr ? std::optional(m->strong) : std::nullopt;
}

}  // namespace

bool traced_launch::is_strong_load(std::uint32_t i) const {
  const sass::opcode_traits* const t = load_traits(*this, i);
  return t != nullptr && sass::touches(t->space, sass::space::global) && is_strong(code[i]).value_or(false);
}

bool traced_launch::is_plain_load(std::uint32_t i, sass::space of) const {
  const sass::opcode_traits* const t = load_traits(*this, i);
  return t != nullptr && t->space == of && !is_strong(code[i]).value_or(true);
}

bool traced_launch::is_barrier(std::uint32_t i) const {
  using op = sass::opcode;
  const op o = opcode_at(i);
  return o == op::BAR_II || o == op::BAR_IR || o == op::BAR_RI || o == op::BAR_RR;
}

instruction_place traced_launch::place_of(std::uint32_t i) const {
  instruction_place at;
  set_place(at, program_, kernel_, trace.code[i].pc);
  if (callers_[i] == i) return at;
  instruction_place call;
  set_place(call, program_, kernel_, trace.code[callers_[i]].pc);
  at.file = call.file;
  at.line = call.line;
  at.outer_file = call.outer_file;
  at.outer_line = call.outer_line;
  return at;
}

std::uint32_t traced_launch::section_begin(std::uint32_t i) const {
  for (const timing::traced_section& s : trace.sections)
    if (i >= s.first && i < s.first + s.count) return s.first;
  return 0;
}

void traced_launch::find_loops() {
  for (const timing::traced_section& s : trace.sections)
    for (std::uint32_t i = s.first; i < s.first + s.count; ++i) {
      const auto begin = sass::loop_begin(code[i], std::uint64_t{i - s.first} * sass::instruction_bytes);
      if (begin) loops_.emplace_back(s.first + static_cast<std::uint32_t>(*begin / sass::instruction_bytes), i);
    }
}

std::pair<std::uint32_t, std::uint32_t> traced_launch::loop_around(std::uint32_t i) const {
  std::pair<std::uint32_t, std::uint32_t> innermost{1, 0};
  for (const auto& [first, last] : loops_)
    if (first <= i && i <= last && (innermost.first > innermost.second || first > innermost.first))
      innermost = {first, last};
  return innermost;
}

bool traced_launch::may_save(std::string_view resources) const {
  double percent = 0;
  for (const std::string_view one : split(resources, ' ')) percent += percent_of(time.shares, one);
  return percent >= 100 * least_saving;
}

bool traced_launch::is_enough(std::uint64_t saved) const {
  return static_cast<double>(saved) >= least_saving * static_cast<double>(time.cycles);
}

void traced_launch::add(delay d, std::uint64_t saved) {
  const std::uint64_t replayed = saved;
  // A replay covers only the beginning of a long launch, in which the busiest resource may still have pauses.
  if (only_waits(d.is))
    saved = std::min(saved, static_cast<std::uint64_t>(idle_part(time) * static_cast<double>(time.cycles)));
  if (!is_enough(saved)) return;
  d.saved_cycles = std::min(saved, time.cycles);
  again.keep_change(d, replayed);
  found.push_back(std::move(d));
}

delay traced_launch::delay_at(delay_kind k, std::uint32_t at) const {
  delay d;
  d.is = k;
  d.place = place_of(at);
  return d;
}

void traced_launch::try_changes(delay_kind k, std::uint32_t at, const change_list& changes) {
  if (changes.empty()) return;
  if (const std::uint64_t saved = again.saved_with(changes); is_enough(saved)) add(delay_at(k, at), saved);
}

bool loads_neighbours(const timing::launch_trace& t) {
  constexpr double wasteful = 2;  // sectors for each sector that the lanes need
  double sectors = 0, needed = 0;
  for (const timing::traced_block& b : t.blocks)
    each_global_access(t, b, [&](std::uint32_t, const timing::traced_run& run, const timing::traced_access& a) {
      needed += std::max(1.0, run.lanes * a.bytes / 32.0);
      each_sector(t, a, [&](std::uint64_t) { ++sectors; });
    });
  return sectors <= wasteful * needed;
}

}  // namespace bankwise
