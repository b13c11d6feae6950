#include "emulate/fault_report.hpp"

#include <bit>

#include "base/text.hpp"
#include "emulate/decode.hpp"
#include "sass/print.hpp"

namespace bankwise::emulate {

namespace {

std::string where_in_grid(const machine& m, std::uint64_t pc, int lane) {
  const launch& l = *m.s->l;
  std::string s;
  if (m.section != nullptr && pc >= m.section->begin && pc < m.section->end) {
    const std::uint64_t offset = pc - m.section->begin;
    s = "at pc 0x" + hex(offset) + ", " + sass::to_text(m.section->ops[offset / 16].ins, offset) + "; ";
  }
  s += "block (" + triple(m.block->index) + "), warp " + std::to_string(m.w->id);
  if (lane >= 0) {
    const std::uint32_t t = m.w->id * 32 + static_cast<std::uint32_t>(lane);
    s += ", lane " + std::to_string(lane) + ", thread (" +
         triple({t % l.block[0], t / l.block[0] % l.block[1], t / l.block[0] / l.block[1]}) + ")";
  }
  return s;
}

location source_at(const machine& m, std::uint64_t pc) {
  location where;
  const std::vector<cubin::code_section>& sections = m.s->l->program->sections;
  for (std::uint32_t n = 0; n < sections.size(); ++n) {
    if (pc < sections[n].address || pc >= sections[n].address + sections[n].bytes.size()) continue;
    if (const auto place = m.s->l->program->source_of(n, pc - sections[n].address)) {
      where.file = place->file;
      where.line = place->line;
    }
  }
  return where;
}

fault_report report(const machine& m, fault_kind kind, std::uint64_t pc, const std::string& message, int lane,
                    std::string hint) {
  return {kind,
          {"kernel " + m.s->l->kernel->name + ": " + message + "\n  " + where_in_grid(m, pc, lane), source_at(m, pc),
           std::move(hint)}};
}

// ", and warp 1 lanes 0-15 wait at pc 0x120": where a thread is that is missed at barrier n.
std::string elsewhere(const machine& m, unsigned n) {
  for (const warp& w : m.block->warps)
    for (const path& p : w.paths) {
      if (p.state == path_state::at_block && p.barrier == n) continue;
      const std::string at = " wait at pc 0x" + hex(p.pc - m.s->l->program->sections[m.s->l->kernel->section].address);
      return ", and warp " + std::to_string(w.id) + " lanes " + lane_list(p.mask) + at +
             (p.state == path_state::at_block ? " for barrier " + std::to_string(p.barrier) : " for their warp");
    }
  return {};
}

}  // namespace

fault_report report_fault(const machine& m, std::uint64_t pc) {
  return report(m, m.fault_is, pc, m.fault, m.fault_lane, m.fault_hint);
}

fault_report report_jump_outside(const machine& m, std::uint64_t pc) {
  const std::uint64_t external = m.s->l->program->bases.external, n = pc - external;
  if (pc >= external && n % 16 == 0 && n / 16 < m.s->l->program->externals.size())
    return report(m, fault_kind::illegal_instruction, pc,
                  "it calls " + m.s->l->program->externals[n / 16] +
                      ", which the CUDA driver supplies and bankwise does not have yet",
                  -1, "printf, assert, malloc and free are there; take other calls out of the kernel for this run");
  return report(m, fault_kind::invalid_pc, pc, "execution left the kernel's code, for address 0x" + hex(pc), -1,
                "the cubin is damaged, or a function pointer is wrong");
}

fault_report report_deadlock(machine& m) {
  // One waiting path of each kind is enough to tell the story.
  const path* shown = nullptr;
  std::uint32_t waiting = 0, alive = 0;
  for (warp& w : m.block->warps) {
    alive += static_cast<unsigned>(std::popcount(w.alive));
    for (const path& p : w.paths)
      if (p.state == path_state::at_block && shown == nullptr) shown = &p, m.w = &w;
  }
  if (shown == nullptr) {
    for (warp& w : m.block->warps)
      if (shown == nullptr && !w.paths.empty()) shown = &w.paths.front(), m.w = &w;
    m.section = m.s->code->at(shown->pc);
    return report(m, fault_kind::deadlock, shown->pc,
                  "lanes " + lane_list(shown->mask) + " wait for lanes of their warp that never come",
                  std::countr_zero(shown->mask),
                  "a __syncwarp() or a shuffle whose mask names lanes that take another path");
  }
  const unsigned n = shown->barrier;
  for (std::size_t i = 0; i < m.block->warps.size(); ++i)
    waiting += static_cast<unsigned>(std::popcount(m.block->barriers[n].arrived[i]));
  const std::uint32_t expected = m.block->barriers[n].expected == 0 ? alive : m.block->barriers[n].expected;
  m.section = m.s->code->at(shown->pc);
  return report(m, fault_kind::deadlock, shown->pc,
                "barrier " + std::to_string(n) + " can never complete: " + std::to_string(waiting) + " of " +
                    std::to_string(expected) + " threads are there" + elsewhere(m, n),
                std::countr_zero(shown->mask),
                "a __syncthreads() that some threads never reach, or a named barrier with a wrong thread count");
}

fault_report report_endless_block(machine& m) {
  m.section = m.s->code->at(m.p->pc);
  return report(m, fault_kind::timeout, m.p->pc,
                "a block executed " + grouped(m.s->l->budget) + " warp instructions and has not ended", -1,
                "an endless loop? If not, raise --budget");
}

fault_report report_spent_budget(const launch& l) {
  return {fault_kind::timeout,
          {"kernel " + l.kernel->name + ": the launch needs more than " + grouped(l.budget) + " warp instructions",
           {},
           "raise --budget, or launch a smaller --grid: blocks that do the same cost the same"}};
}

}  // namespace bankwise::emulate
