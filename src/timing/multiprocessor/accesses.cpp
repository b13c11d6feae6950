#include "timing/multiprocessor/accesses.hpp"

#include <algorithm>

namespace bankwise::timing {

namespace {

// Whether an access copies from L2 to shared memory without passing L1 (cp.async.cg).
bool is_direct_copy(const instruction_cost& c, const traced_access& a) {
  return a.does == memory_action::copy && a.space == memory_space::global && c.past_l1;
}

}  // namespace

execution accesses::execute(const instruction_cost& c, running_warp& w, memory_queue& queue, double at) {
  const gpu_parameters& p = s_.gpu;
  const launch_trace& t = *s_.trace;
  const traced_run& r = w.current();
  const std::uint32_t code = w.code();
  const code_change* const change = s_.change(code);
  const double earlier = change != nullptr ? w.changed.earlier(c, *change, at) : 0;
  progress so_far{at + p.shared_latency, at + p.address_interval};
  auto& [done, leaves] = so_far;
  const double interval = std::max(p.address_interval, address_clocks * c.registers);
  bool any = false;
  for (; w.access < r.accesses; ++w.access) {
    const traced_access& a = t.accesses[r.first_access + w.access];
    if (a.code != code) break;
    if (a.bytes == 0) return {at + 1, at + 1};  // fewer_sectors has removed the access
    any = true;
    const double wavefronts = wavefronts_of(a);
    const double begins = stage_.enter(queue, at, interval, clocks_of(a, wavefronts));
    leaves = begins;
    if (a.space == memory_space::shared) {
      const double base = a.does == memory_action::update ? p.atomic_shared_latency : p.shared_latency;
      const double latency = base + p.wavefront_latency * (wavefronts - 1) + (c.registers - 1);
      done = std::max(done, begins + std::max(1.0, latency - earlier));
    } else if (a.space == memory_space::asynchronous && is_of_cluster(c)) {
      const cluster_port::answer other = cluster_.access(c, s_, begins);
      leaves = std::max(leaves, other.leaves);
      done = std::max(done, other.done);
    } else if (a.space == memory_space::asynchronous) {
      done = std::max(done, begins + p.shared_latency + wavefronts);
    } else if (a.space == memory_space::mbarrier) {
      if (a.does == memory_action::store) {
        const double copied = c.op == sass::opcode::ARRIVES ? w.copies : 0,
                     own = std::max(begins, w.changed.products_end);
        mbarriers_.arrive_at(*w.block, t.lines[a.first_line], std::max(own, copied), copied > own);
      }
    } else if (a.space == memory_space::bulk) {
      done = std::max(done, copies_.copy(c, a, w, begins));
    } else {
      to_device(c, a, w, wavefronts, begins, earlier, so_far);
    }
  }
  if (!any)
    leaves = stage_.enter(queue, at, p.address_interval, 1);  // an access without active lanes also passes the stage
  queue.leave(leaves);
  const bool stores = sass::traits_of(c.op).action == sass::action::store;
  return {done, std::max(at + (stores ? p.store_read : p.load_read), leaves + read_after)};
}

// Makes an access to global or local memory, or to memory of the host. `earlier`: clocks by which a changed source
// requests the data before it needs them.
void accesses::to_device(const instruction_cost& c, const traced_access& a, running_warp& w, double wavefronts,
                         double begins, double earlier, progress& so_far) {
  const gpu_parameters& p = s_.gpu;
  const bool is_direct = is_direct_copy(c, a);
  const memory_system::answer m = memory_.access(
      *s_.trace, a,
      {c.past_l1, c.adds_floats, c.swaps, c.retries, w.current().lanes, w.block->copy, w.age, w.executed, w.loads,
       a.lines, a.does == memory_action::load ? p.load_saved : 0, is_direct, earlier, 1, w.block->is_later},
      begins);
  w.loads += a.does != memory_action::store && a.does != memory_action::prefetch;
  const double more = p.wavefront_latency * (wavefronts - 1);
  const double arrives = m.done + more + (is_direct && !s_.free.latency ? p.copy_latency : 0);
  so_far.done = std::max(so_far.done, arrives);
  // If the memory cannot accept an access yet, the access stays in the queue of its quarter. A store also stops the data
  // stage. An update does not, because L2 executes it.
  if (m.accepts > begins) {
    so_far.leaves = m.accepts;
    if (a.does != memory_action::update) stage_.stop(m.accepts);
  }
  // Data from L2 are written to L1 between accesses. If they go to shared memory, the copy's own access writes them.
  if (!is_direct) stage_.fill(m.filled / p.l1_fill);
  if (a.does == memory_action::copy) w.copies = std::max(w.copies, arrives);
}

// Returns the clocks for which an access occupies the data stage.
double accesses::clocks_of(const traced_access& a, double wavefronts) const {
  if (wavefronts == 0) return 0;
  const gpu_parameters& p = s_.gpu;
  return std::max({wavefronts, p.access_clocks, p.word_clocks * a.bytes / 4});
}

double accesses::wavefronts_of(const traced_access& a) const {
  const gpu_parameters& p = s_.gpu;
  if (a.space == memory_space::shared || a.space == memory_space::asynchronous) {
    const double least = std::max(1, a.bytes / 4);
    double own = std::max<double>(1, s_.free.conflicts ? std::min<double>(a.wavefronts, least) : a.wavefronts);
    if (s_.changes != nullptr && a.space == memory_space::shared)
      own = std::max(1.0, own * (*s_.changes)[a.code].wavefronts);
    if (a.does == memory_action::copy && s_.cost(a.code).past_l1) return own * p.copy_writes;
    // A store to a part of a word must first read the word.
    return a.does == memory_action::store && a.bytes < 4 && a.same_word != 0 ? std::max(own, p.part_of_word) : own;
  }
  if (a.space == memory_space::bulk || a.space == memory_space::mbarrier) return 1;
  if (is_direct_copy(s_.cost(a.code), a)) return 0;  // the copy's access to shared memory is counted
  return std::max<double>(a.wavefronts, a.lines / p.l1_tags);
}

}  // namespace bankwise::timing
