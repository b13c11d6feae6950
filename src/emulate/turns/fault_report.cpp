// Messages about faults. A message names the place, the thread, and the memory at the address.
#include "emulate/turns/fault_report.hpp"

#include <algorithm>
#include <bit>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "cubin/instance_names.hpp"
#include "emulate/block/fault_place.hpp"
#include "emulate/block/mbarrier_state.hpp"
#include "emulate/decode/decode.hpp"
#include "emulate/turns/endless_wait.hpp"
#include "sass/print/print.hpp"

namespace bankwise::emulate {

namespace {

std::string where_in_grid(const worker& m, std::uint64_t pc, int lane) {
  std::string s;
  if (m.section != nullptr && pc >= m.section->begin && pc < m.section->end) {
    const std::uint64_t offset = pc - m.section->begin;
    s = formatted("at pc 0x{}, {}; ", hex(offset), sass::to_text(m.section->instruction_at(offset / 16), offset));
  }
  s += formatted("block ({}), warp {}", triple(m.block->index), m.w->id);
  if (lane >= 0) s += formatted(", lane {}, thread ({})", lane, triple(thread_of(m, lane)));
  return s;
}

fault_report report(const worker& m, fault_kind kind, std::uint64_t pc, const std::string& message, int lane,
                    std::string hint) {
  fault_report r{kind,
                 {formatted("kernel {}: {}\n  {}", cubin::instance_name(m.s->l->kernel->full_name), message,
                            where_in_grid(m, pc, lane)),
                  {},
                  std::move(hint)}};
  add_source(r.error, m, pc, lane);
  return r;
}

// The position of a thread that has not arrived at barrier n. For example: ", and warp 1 lanes 0-15 wait at pc 0x120".
std::string elsewhere(const worker& m, unsigned n) {
  for (const warp& w : m.block->warps)
    for (const path& p : w.paths) {
      if (p.state == path_state::at_block && p.barrier == n) continue;
      const std::string at =
          formatted(" wait at pc 0x{}", hex(p.pc - m.s->l->program->sections[m.s->l->kernel->section].address));
      return formatted(", and warp {} lanes {}{}{}", w.id, lane_list(p.mask), at,
                       p.state == path_state::at_block       ? formatted(" for barrier {}", p.barrier)
                       : p.state == path_state::at_cluster   ? " for their cluster"
                       : p.state == path_state::at_group     ? " for their warp group"
                       : p.state == path_state::at_registers ? " for registers"
                                                             : " for their warp");
    }
  return {};
}

}  // namespace

fault_report report_fault(const worker& m, std::uint64_t pc) {
  fault_report r = report(m, m.fault_is, pc, m.fault, m.fault_lane, m.fault_hint);
  r.error.trail.insert(r.error.trail.end(), m.fault_trail.begin(), m.fault_trail.end());
  return r;
}

fault_report report_jump_outside(const worker& m, std::uint64_t pc) {
  const std::uint64_t external = m.s->l->program->bases.external, n = pc - external;
  if (pc >= external && n % 16 == 0 && n / 16 < m.s->l->program->externals.size())
    return report(m, fault_kind::illegal_instruction, pc,
                  formatted("calls {}, a CUDA driver function that bankwise does not support yet",
                            m.s->l->program->externals[n / 16]),
                  -1,
                  "bankwise supports printf, assert, malloc, free and launches. Remove other calls from the kernel");
  return report(m, fault_kind::invalid_pc, pc,
                formatted("execution left the kernel's code and reached address 0x{}", hex(pc)), -1,
                "the cubin is damaged, or a function pointer is wrong");
}

namespace {

fault_report report_cluster_deadlock(worker& m, const path& shown) {
  std::uint32_t waiting = 0, alive = 0;
  std::string missed;
  for (const block_state* b : m.block->cluster->blocks)
    for (const warp& w : b->warps) {
      waiting += static_cast<unsigned>(std::popcount(w.at_cluster));
      alive += static_cast<unsigned>(std::popcount(w.alive));
      if ((w.alive & ~w.at_cluster) != 0 && missed.empty())
        missed = formatted(", but warp {} of block ({}) has not arrived", w.id, triple(b->index));
    }
  m.section = m.s->code->section_at(shown.pc);
  return report(m, fault_kind::deadlock, shown.pc,
                formatted("the barrier of the cluster can never complete: {} of {} threads have arrived{}", waiting,
                          alive, missed),
                std::countr_zero(shown.mask), "some threads of the cluster may never reach a cluster.sync()");
}

}  // namespace

std::optional<fault_report> report_missing_registers(worker& m) {
  const path* shown = nullptr;
  for (warp& w : m.block->warps)
    for (const path& p : w.paths)
      if (p.state == path_state::at_registers && shown == nullptr) shown = &p, m.w = &w;
  if (shown == nullptr) return std::nullopt;
  m.section = m.s->code->section_at(shown->pc);
  const auto at = static_cast<std::size_t>((shown->pc - m.section->begin) / sass::instruction_bytes);
  const std::uint32_t wanted = m.section->ops[at].as<sass::register_pool>().registers, own = m.w->thread_registers;
  return report(
      m, fault_kind::deadlock, shown->pc,
      formatted("warp {} waits in setmaxnreg for {} registers a thread, which never become free: it has {}, and "
                "of the {} more, the other warps of the block have released {}",
                m.w->id, wanted, own, wanted - own, m.block->free_registers),
      -1,
      "let other warps release more with setmaxnreg.dec before they end, or ask for fewer. A warp that ends "
      "releases none");
}

fault_report report_deadlock(worker& m) {
  // The message shows one waiting path of each kind.
  const path* shown = nullptr;
  std::uint32_t waiting = 0, alive = 0;
  for (warp& w : m.block->warps) {
    alive += static_cast<unsigned>(std::popcount(w.alive));
    for (const path& p : w.paths)
      if (p.state == path_state::at_block && shown == nullptr) shown = &p, m.w = &w;
  }
  if (shown == nullptr)
    for (warp& w : m.block->warps)
      for (const path& p : w.paths)
        if (p.state == path_state::at_cluster && shown == nullptr) shown = &p, m.w = &w;
  if (shown != nullptr && shown->state == path_state::at_cluster) return report_cluster_deadlock(m, *shown);
  if (shown == nullptr) {
    for (warp& w : m.block->warps)
      if (shown == nullptr && !w.paths.empty()) shown = &w.paths.front(), m.w = &w;
    m.section = m.s->code->section_at(shown->pc);
    if (shown->state == path_state::at_group)
      return report(m, fault_kind::deadlock, shown->pc,
                    formatted("warp {} waits for other warps of the warp group, which never arrive", m.w->id), -1,
                    "all four warps of a warp group must execute wgmma");
    return report(m, fault_kind::deadlock, shown->pc,
                  formatted("lanes {} wait for other lanes of the warp, which never arrive", lane_list(shown->mask)),
                  std::countr_zero(shown->mask),
                  "the mask of a __syncwarp() or a shuffle may include lanes that take a different path");
  }
  const unsigned n = shown->barrier;
  waiting = m.block->barriers[n].again;
  for (std::size_t i = 0; i < m.block->warps.size(); ++i)
    waiting += static_cast<unsigned>(std::popcount(m.block->barriers[n].arrived[i]));
  const std::uint32_t expected = m.block->barriers[n].expected == 0 ? alive : m.block->barriers[n].expected;
  m.section = m.s->code->section_at(shown->pc);
  return report(m, fault_kind::deadlock, shown->pc,
                formatted("barrier {} can never complete: {} of {} threads have arrived{}", n, waiting, expected,
                          elsewhere(m, n)),
                std::countr_zero(shown->mask),
                "some threads may never reach a __syncthreads(), or a named barrier has a wrong thread count");
}

namespace {

constexpr std::size_t most_waits = 8;  // largest number of waits that a message lists

// A text such as "1 of 2 arrivals and 4,096 bytes are missing".
std::string missing_at(const worker& m, std::uint32_t address) {
  const std::optional<std::uint64_t> word = mbarrier_at(m, address);
  if (!word) return "the address of the mbarrier is not in shared memory";
  if (*word == 0) return "mbarrier.init was not executed for this mbarrier, or mbarrier.inval was executed";
  const mbarrier b(*word);
  if (b.pending == b.expected && b.transactions == 0) return "no thread arrived in this phase";
  const bool too_many = b.transactions > transaction_mask / 2;  // the count is negative; it is stored modulo 2^21
  const std::string arrivals = formatted("{} of {}", grouped(b.pending), count_of(b.expected, "arrival"));
  if (b.transactions == 0) return formatted("{} are missing", arrivals);
  if (too_many)
    return formatted("{} more bytes arrived than expected{}", grouped(transaction_mask + 1 - b.transactions),
                     b.pending == 0 ? "" : formatted(", and {} are missing", arrivals));
  return formatted("{}{} bytes are missing", b.pending == 0 ? "" : formatted("{} and ", arrivals),
                   grouped(b.transactions));
}

std::string wait_text(const worker& m, const block_state& b, const warp& w, const vain_look& look) {
  const std::uint32_t rank = look.address >> rank_shift;
  return formatted("warp {} waits for the mbarrier at shared address 0x{}{}: {}", w.id, hex(look.address & offset_mask),
                   rank == b.rank ? "" : formatted(" in block {} of the cluster", rank), missing_at(m, look.address));
}

}  // namespace

fault_report report_endless_wait(worker& m, endless_waits& waits) {
  std::vector<std::string> others;
  std::size_t left_out = 0;
  const vain_look* shown = nullptr;
  for (warp& w : m.block->warps)
    if (shown == nullptr && waits.first_of(m, w) != nullptr) shown = waits.first_of(m, w), m.w = &w;
  for (const block_state* b : m.block->cluster->blocks)
    for (const warp& w : b->warps) {
      const vain_look* const look = b->ended || &w == m.w ? nullptr : waits.first_of(m, w);
      if (look == nullptr) continue;
      if (others.size() == most_waits)
        ++left_out;
      else
        others.push_back(formatted("block ({}), {}", triple(b->index), wait_text(m, *b, w, *look)));
    }
  if (left_out != 0) others.push_back(formatted("... and {} more", count_of(left_out, "warp")));
  m.p = &m.w->paths.front();
  m.section = m.s->code->section_at(shown->pc);
  fault_report r = report(
      m, fault_kind::deadlock, shown->pc,
      formatted("{}. All threads that could end this wait are also waiting", wait_text(m, *m.block, *m.w, *shown)), -1,
      "check that the kernel makes as many arrivals as mbarrier.init expects, and copies as many bytes as expect_tx "
      "announces. A thread may have ended before its arrival");
  r.error.trail.insert(r.error.trail.end(), others.begin(), others.end());
  return r;
}

fault_report report_endless_block(worker& m) {
  m.section = m.s->code->section_at(m.p->pc);
  return report(m, fault_kind::timeout, m.p->pc,
                formatted("a block executed {} warp instructions without ending", grouped(m.s->l->budget)), -1,
                formatted("the kernel may have an endless loop. If every loop ends, raise {}, or leave the limit out",
                          worded(setting::budget)));
}

fault_report report_spent_budget(const launch& l) {
  return {fault_kind::timeout,
          {formatted("kernel {}: the launch needs more than {} warp instructions",
                     cubin::instance_name(l.kernel->full_name), grouped(l.budget)),
           {},
           formatted("raise {}, leave the limit out, or launch a smaller {}. If all blocks do the same work, a small "
                     "grid shows the cost of a block",
                     worded(setting::budget), worded(setting::grid))}};
}

fault_report report_interruption(worker& m) {
  for (path& p : m.w->paths)
    if (p.state == path_state::ready) m.section = m.s->code->section_at(p.pc), m.p = &p;
  return report(m, fault_kind::none, m.p->pc, "stopped", -1, {});
}

fault_report report_missing_blocks(const launch& l, std::uint64_t blocks) {
  return {fault_kind::deadlock,
          {formatted("kernel {}: the {} blocks of the sample wait for blocks outside the sample",
                     cubin::instance_name(l.kernel->full_name), grouped(blocks)),
           {},
           formatted("leave {} out. The blocks of this kernel wait for each other, so all blocks must run",
                     worded(setting::ctas))}};
}

}  // namespace bankwise::emulate
