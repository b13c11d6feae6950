#include "timing/clocks/warp_clock.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "timing/multiprocessor/fences.hpp"

namespace bankwise::timing {

clocked_block::clocked_block(const gpu_parameters& gpu, std::size_t instructions, double l1_bytes, double in_l2,
                             double multiprocessors)
    : p(gpu),
      active(multiprocessors),
      fetch(gpu, instructions, multiprocessors, false, false),
      memory(gpu, l1_bytes, in_l2) {
  for (auto& lines : code_lines) lines.assign(static_cast<std::size_t>(gpu.code_lines_l0), ~0u);
}

// Returns when nothing but a pipe delays the instruction.
double warp_clock::begin_of(const executed& e) {
  const instruction_cost& c = e.cost;
  double at = block_->fetch.code(fetched_, *code_lines_, e.code, next_);
  at = std::max(at, under_way_.drained(c.wait_mask).done);
  if (c.does == behaviour::scoreboard) at = std::max(at, under_way_.drained_to(c.number, c.remaining).done);
  if (c.does == behaviour::group_wait) at = std::max(at, product_);
  if (left_ != nullptr && waits_for_barriers(c)) {
    const gpu_parameters& p = block_->p;
    at = std::max(at, std::exchange(left_, nullptr)->last + p.barrier_latency - p.barrier_interval);
  }
  if (c.reads_constants && c.does != behaviour::constant_load) at = std::max(at, block_->fetch.constant(c, at));
  for (const traced_access& a : e.accesses) {
    if (a.space != memory_space::mbarrier || a.does != memory_action::load || a.lines == 0) continue;
    const std::uint64_t what = e.trace.lines[a.first_line];
    const std::vector<double>& arrived = block_->mbarriers[static_cast<std::uint32_t>(what)].arrived;
    const std::size_t awaited = std::min<std::size_t>(what >> 32, arrived.size());
    if (awaited != 0) at = std::max(at, arrived[awaited - 1]);
  }
  return at;
}

double warp_clock::issue(const executed& e) {
  const instruction_cost& c = e.cost;
  const gpu_parameters& p = block_->p;
  const double at = std::max({begin_of(e), issue_free_, pipes_.taken_until(c, block_->pipes)});
  pipes_.take(c, block_->pipes, warps_of_quarter(), at);
  issue_free_ = at + warps_of_quarter();
  double next = at + c.stall;
  if (c.does == behaviour::sleep)
    next = std::max(next, at + std::max(p.sleep_least, std::max<double>(c.sleeps, e.sleeps) * p.sm_clock));
  const execution t = execute(e, at);
  if (c.does == behaviour::cluster_wait || waits_for_fence(c)) next = std::max(next, t.done);
  under_way_.add(c.write_barrier, {.done = t.done});
  under_way_.add(c.read_barrier, {.done = t.read});
  next_ = next;
  return at;
}

execution warp_clock::execute(const executed& e, double at) {
  const instruction_cost& c = e.cost;
  const gpu_parameters& p = block_->p;
  const double read = at + p.load_read;
  switch (c.does) {
    case behaviour::memory: return access(e, at);
    case behaviour::shuffle: {
      const double begins = std::max({at, address_free_, stage_free_});
      address_free_ = begins + std::max<double>(p.address_interval, c.interval) * warps_of_quarter();
      stage_free_ = begins + (c.op == sass::opcode::MATCH ? p.match_wavefronts : p.shuffle_wavefronts) * warps_;
      return {begins + (c.latency != 0 ? c.latency : p.shuffle_latency), read};
    }
    case behaviour::constant_load: return {block_->fetch.constant(c, at) + p.constant_latency, read};
    case behaviour::barrier:
    case behaviour::arrival:
      for (const auto& m : arrives_) m->last = std::max({at, address_free_, m->last}) + p.barrier_interval;
      arrives_.clear();
      return {at + p.barrier_latency, read};
    case behaviour::commit: return {std::max(at + 1, copies_), read};
    case behaviour::fence: return {at + fence_clocks(c, p), read};
    case behaviour::cluster_wait: return {at + p.cluster_barrier_latency, read};
    case behaviour::matrix_group:
      return {product_ = std::max(product_, pipes_.free_at(c.pipe) + p.product_latency), read};
    case behaviour::indirect: next_ += p.indirect_latency; break;
    default: break;
  }
  return {at + (c.pipe == pipe::texture ? p.texture_latency : c.latency), read};
}

execution warp_clock::access(const executed& e, double at) {
  const instruction_cost& c = e.cost;
  const gpu_parameters& p = block_->p;
  const bool stores = sass::traits_of(c.op).action == sass::action::store;
  double done = at + p.shared_latency, begins = std::max(at, address_free_);
  address_free_ = begins + std::max(p.address_interval, address_clocks * c.registers) * warps_of_quarter();
  for (const traced_access& a : e.accesses) {
    begins = std::max(begins, stage_free_);
    const bool is_shared = a.space == memory_space::shared || a.space == memory_space::asynchronous;
    const double wavefronts =
        is_shared ? std::max<double>(1, a.wavefronts) : std::max({1.0, double{1} * a.wavefronts, a.lines / p.l1_tags});
    stage_free_ = begins + wavefronts * warps_;
    const double more = p.wavefront_latency * (wavefronts - 1);
    if (a.space == memory_space::mbarrier) {
      if (a.does == memory_action::store)
        block_->mbarriers[static_cast<std::uint32_t>(e.trace.lines[a.first_line])].arrive(
            std::max(begins, c.op == sass::opcode::ARRIVES ? copies_ : 0));
    } else if (a.space == memory_space::bulk) {
      copy(a, e.trace, begins);
    } else if (is_shared) {
      const double base = a.does == memory_action::update ? p.atomic_shared_latency : p.shared_latency;
      done = std::max(done, begins + base + more + (c.registers - 1));
    } else {
      done = std::max(done, load(e, a, begins) + more);
      if (a.does == memory_action::copy) copies_ = std::max(copies_, done);
    }
  }
  return {done, std::max(at + (stores ? p.store_read : p.load_read), begins + read_after)};
}

// Returns when the data of an access to global or local memory, or to memory of the host, arrive.
double warp_clock::load(const executed& e, const traced_access& a, double at) {
  const gpu_parameters& p = block_->p;
  if (a.space == memory_space::host) return at + p.host_latency;
  double done = at + p.l1_latency;
  for (std::uint32_t i = 0; i < a.lines; ++i) {
    const line_sectors l = e.trace.lines[a.first_line + i];
    const std::uint64_t line = line_number(l);
    const bool is_local = a.space == memory_space::local;
    if (a.does == memory_action::store || a.does == memory_action::prefetch) {
      block_->memory.use_in_l2(line);
      if (is_local) block_->memory.l1.keep(block_->memory.l1.find(line), line, sectors_of(l), at + p.l1_latency);
      continue;
    }
    const bool passes_l1 = e.cost.past_l1 || a.does == memory_action::update;
    sector_cache::entry* const kept = passes_l1 ? nullptr : block_->memory.l1.find(line);
    // Warps are executed one after another, so an earlier one may bring the line only in what is the future of this
    // warp. Then this warp brings it.
    const double latest = std::max({at, l2_free_, dram_free_}) + p.dram_latency + p.l2_latency;
    if (kept != nullptr && kept->arrives > latest) *kept = {line, 0, kept->used, 0};
    const unsigned missing = sectors_of(l) & ~(kept != nullptr ? kept->sectors : 0);
    if (kept != nullptr && missing != sectors_of(l)) done = std::max(done, kept->arrives);
    if (missing == 0) continue;
    const double arrives = from_l2(line, missing, at);
    done = std::max(done, arrives);
    if (!passes_l1) block_->memory.l1.keep(kept, line, missing, arrives);
  }
  return done;
}

double warp_clock::from_l2(std::uint64_t line, unsigned sectors, double at) {
  const gpu_parameters& p = block_->p;
  const double data = 32.0 * std::popcount(sectors), bytes = data + p.l2_request;
  const double took = bytes / std::min(p.l2_port, p.l2_total / block_->active);
  const double begins = std::max(at, l2_free_);
  l2_free_ = begins + took * warps_;
  const double served = begins + took;
  if (block_->memory.use_in_l2(line)) return served + p.l2_latency;
  const double from = data / std::min(p.l2_port, p.dram_total / block_->active);
  const double sent = std::max(at, dram_free_) + from;
  dram_free_ = sent + from * (warps_ - 1);
  const double alone = p.dram_alone * (1 - std::min(1.0, block_->active / p.multiprocessors));
  return std::max(served + p.l2_latency, sent + p.dram_latency - alone);
}

// Copies between global and shared memory without the warp. The mbarrier of the copy then knows when the data arrive.
void warp_clock::copy(const traced_access& a, const launch_trace& t, double at) {
  double done = at;
  for (std::uint32_t i = 0; i < a.lines; ++i) {
    const line_sectors l = t.lines[a.first_line + i];
    if (a.does == memory_action::store)
      block_->memory.use_in_l2(line_number(l));
    else
      done = std::max(done, from_l2(line_number(l), sectors_of(l), at));
  }
  if (a.does == memory_action::store) return;
  if (const std::uint64_t tells = t.after_lines(a); tells != launch_trace::no_mbarrier)
    block_->mbarriers[static_cast<std::uint32_t>(tells)].arrive(done);
}

}  // namespace bankwise::timing
