#include "timing/multiprocessor/multiprocessor.hpp"

#include <algorithm>
#include <utility>

#include "timing/multiprocessor/accesses.hpp"
#include "timing/multiprocessor/barriers.hpp"
#include "timing/multiprocessor/branches.hpp"
#include "timing/multiprocessor/fences.hpp"
#include "timing/multiprocessor/instruction_fetch.hpp"
#include "timing/multiprocessor/mbarriers.hpp"
#include "timing/multiprocessor/product_times.hpp"
#include "timing/multiprocessor/quarter.hpp"
#include "timing/multiprocessor/resident_blocks.hpp"
#include "timing/multiprocessor/stall_counter.hpp"
#include "timing/multiprocessor/tensor_cores.hpp"
#include "timing/multiprocessor/texture_unit.hpp"

namespace bankwise::timing {

namespace {

class multiprocessor {
 public:
  explicit multiprocessor(const multiprocessor_setup& s) : s_(s) { done_.executed.resize(s.trace->code.size()); }

  multiprocessor_run run() {
    const double gap = blocks_.gap();
    for (std::uint32_t i = 0; i < s_.slots && blocks_.has_next(); ++i) begin_block(gap * i + gap / 2);
    while (step() && !done_.is_stopped) {
    }
    sum_up();
    return std::move(done_);
  }

 private:
  void begin_block(double at) {
    quarters_.look_again();
    resident_block& b = blocks_.begin(at, quarters_);
    done_.blocks.push_back({b.began, b.began, done_.instructions});
    for (running_warp* w : b.warps) look_ahead(*w, w->earliest);
    if (b.alive == 0) end_block(b, b.began);
  }

  void end_block(resident_block& b, double at) {
    done_.blocks[b.number].end = at;
    done_.is_cut |= b.trace->is_cut;
    blocks_.end(b);
    if (blocks_.has_next()) begin_block(at + blocks_.refill());
  }

  // Computes when a warp can issue its next instruction if no other warp delays it.
  void look_ahead(running_warp& w, double from) {
    const std::uint32_t code = w.code();
    const code_change* const change = s_.change(code);
    const bool is_gone = change != nullptr && change->executed == 0;  // a changed source has no such code to fetch
    double at = is_gone ? from : fetch_.code(w.fetched, w.home->code, code, from);
    stalls_.add(code, stall_reason::no_instruction, at - from);
    const instruction_cost& c = s_.cost(code);
    w.cost = &c;
    const auto wait_until = [&](double until, stall_reason why) {
      stalls_.add(code, why, until - at);
      at = std::max(at, until);
    };
    if (s_.changes != nullptr) w.changed.wait(c.wait_mask);
    pending_result last = w.under_way.drained(c.wait_mask);
    if (c.does == behaviour::scoreboard) last = later(last, w.under_way.drained_to(c.number, c.remaining));
    if (stalls_.counts() && last.is_copy && last.done > at) w.copy_waits.push_back({at, last.done});
    wait_until(last.done, last.waits);
    if (c.does == behaviour::group_wait)
      wait_until(change != nullptr && change->keeps_group ? end_of_kept_groups(*s_.trace, w, c.remaining)
                                                          : end_of_groups(w, c.remaining),
                 stall_reason::products);
    if (c.does == behaviour::matrix_group) wait_until(w.products_begin, stall_reason::warpgroup_arrive);
    if (w.opened != 0 && waits_for_barriers(c)) wait_until(std::exchange(w.opened, 0), stall_reason::barrier);
    if (c.reads_constants && !s_.free.fetch && c.does != behaviour::constant_load)
      wait_until(fetch_.constant(c, at), stall_reason::imc_miss);
    w.earliest = at + s_.added_before(code) * s_.gpu.integer_latency;
    mbarriers_.await(w);
  }

  // Issues the next instruction of the multiprocessor. Returns false if no warp has an instruction to issue.
  bool step() {
    if (quarter* const q = quarters_.next(s_.gpu, clocks_)) {
      if (q->next_at > s_.most_clocks) return stop(q->next_at);
      issue(*q->next, *q, q->next_at);
      return true;
    }
    // The warps may wait for blocks that were not traced.
    quarters_.look_again();
    return blocks_.release_all();
  }

  void issue(running_warp& w, quarter& q, double at) {
    const instruction_cost& c = *w.cost;
    count_instruction(w, q, at);
    const code_change* const change = s_.change(w.code());
    if (change != nullptr) {
      if (change->enters_loop) w.changed.together.erase(change->loop);
      if (change->begins_round_of != 0) ++w.changed.rounds[change->begins_round_of];
      if (is_left_out(w, c, *change)) return pass_over(w, q, c, *change, at);
    }
    const bool follows = q.last == &w;
    q.free = at + (s_.free.issue ? 0 : 1 + s_.added_before(w.code()) + q.banks.read(c, follows, at, s_.gpu));
    q.held += q.free - at;
    q.last = &w;
    q.may_stay = c.may_stay;
    q.is_stale = true;
    stall_reason waits = stall_reason::wait;
    if (stalls_.counts()) {
      const traced_access* const a = w.next_access(*s_.trace);
      const double taken = q.taken_until(c, clocks_);
      stalls_.add_issue({w.code(), throttle_of(c, a), w.earliest, taken, clocks_.turn_of(c), follows}, at);
      waits = waited_for(c, a);
      w.has_stored |= a != nullptr && a->does == memory_action::store &&
                      (a->space == memory_space::global || a->space == memory_space::bulk);
    }
    double next = at + (change != nullptr && change->stall != 0 ? std::min(c.stall, change->stall) : c.stall);
    if (c.does == behaviour::sleep)
      next = std::max(next, at + std::max(s_.gpu.sleep_least, nanoseconds_of_sleep(c, w) * s_.gpu.sm_clock));
    // Other paths of the warp may issue before this path continues.
    if (c.does == behaviour::yield && w.current().lanes < 32 && !mbarriers_.is_in_loop(w)) next += s_.gpu.yield_latency;
    q.pipes.take(c, clocks_,
                 s_.free.pipes         ? 0
                 : at < q.products_end ? clocks_.next_to_products(c, q.wide_products)
                                       : 1,
                 at);
    const execution e = execute(c, w, q, at);
    if (sass::traits_of(c.op).action == sass::action::store) w.block->sent = memory_.sent();
    if (c.does == behaviour::matrix_group) {
      q.products_end = q.pipes.free_at(pipe::tensor);
      q.wide_products = is_wide_product(c);
    }
    if (c.pipe == pipe::tensor) products_.multiply(w, {at, q.pipes.free_at(pipe::tensor)}, e.done);
    while (w.next_access(*s_.trace) != nullptr) ++w.access;
    if (c.does == behaviour::cluster_wait || c.does == behaviour::trigger || waits_for_fence(c))
      next = std::max(next, e.done);
    w.under_way.add(c.write_barrier, {e.done, waits, c.does == behaviour::commit});
    w.under_way.add(c.read_barrier, {e.read, waits});
    advance(w, c, next, at);
  }

  // Whether a changed source leaves this execution out. It still counts as an instruction, so that replays stop at the
  // same place of the trace.
  static bool is_left_out(running_warp& w, const instruction_cost& c, const code_change& change) {
    const bool is_jump = c.does == behaviour::jump || c.does == behaviour::indirect;
    if (change.executed >= 1 || (!can_be_left_out(c) && !(is_jump && change.skips_jumps))) return false;
    return change.rounds_of != 0 ? w.changed.leaves_out_round(change, place_in_block(w))
                                 : w.changed.leaves_out(w.code(), change, w.age);
  }
  // The place of a warp among the warps of its block, from 0 to 1. Small differences tell the blocks apart.
  static double place_in_block(const running_warp& w) {
    const std::vector<running_warp*>& all = w.block->warps;
    const auto before = std::find(all.begin(), all.end(), &w) - all.begin();
    return (static_cast<double>(before) + spread(w.block->number)) / static_cast<double>(all.size());
  }
  void pass_over(running_warp& w, quarter& q, const instruction_cost& c, const code_change& change, double at) {
    q.is_stale = true;
    while (w.next_access(*s_.trace) != nullptr) ++w.access;
    advance(w, c, at, at, change.skips_jumps);
  }

  // A trace of a GPU does not tell what the register of a NANOSLEEP contains.
  double nanoseconds_of_sleep(const instruction_cost& c, const running_warp& w) const {
    const traced_access* const a = w.next_access(*s_.trace);
    const bool is_told = a != nullptr && a->space == memory_space::sleep;
    return is_told ? static_cast<double>(s_.trace->lines[a->first_line]) : c.sleeps;
  }

  bool stop(double at) {
    done_.is_stopped = true;
    done_.cycles = at;
    return false;
  }

  void count_instruction(running_warp& w, quarter& q, double at) {
    ++done_.instructions;
    ++done_.executed[w.code()];
    ++q.issued;
    ++w.executed;
    if (done_.instructions == s_.most_instructions) stop(at);
    if (done_.instructions % 1024 == 0) done_.progress.emplace_back(at, done_.instructions);
  }

  // Executes an instruction after it was issued.
  execution execute(const instruction_cost& c, running_warp& w, quarter& q, double at) {
    const gpu_parameters& p = s_.gpu;
    const double read = at + p.load_read;
    switch (c.does) {
      case behaviour::memory: return accesses_.execute(c, w, q.queue, at);
      case behaviour::shuffle: {
        const double begins = stage_.enter(q.queue, at, std::max<double>(p.address_interval, c.interval),
                                           c.op == sass::opcode::MATCH ? p.match_wavefronts : p.shuffle_wavefronts);
        q.queue.leave(begins);
        return {begins + (c.latency != 0 ? c.latency : p.shuffle_latency), read};
      }
      case behaviour::constant_load:
        if (c.pipe == pipe::memory) q.queue.leave(at + p.address_interval);
        return {std::max(at, s_.free.fetch ? at : fetch_.constant(c, at)) + p.constant_latency, read};
      case behaviour::barrier:
      case behaviour::arrival:
        // The warp arrives at the barrier after all accesses that its quarter issued earlier.
        barriers_.arrive(c, w, std::max(at, q.queue.entered()), s_.barrier_group(w.code()));
        return {at + p.barrier_latency, read};
      case behaviour::commit: return {std::max(at + 1, w.copies), read};
      case behaviour::bulk_commit: {
        const double done = std::max(at + 1, w.bulk_read);
        return {done, done};
      }
      case behaviour::fence: return {at + fence_clocks(c, s_), read};
      case behaviour::cluster_wait: return {at + (s_.free.barriers ? 0 : p.cluster_barrier_latency), read};
      case behaviour::trigger: {
        trigger_free_ = std::max(at, trigger_free_) + (s_.free.barriers ? 0 : p.trigger_interval);
        done_.triggered = std::max(done_.triggered, trigger_free_);
        // Meanwhile, the multiprocessor issues nothing.
        for (quarter& other : quarters_) other.free = std::max(other.free, trigger_free_);
        quarters_.look_again();
        return {trigger_free_, read};
      }
      case behaviour::launch_wait:
        done_.until_wait = std::max(done_.until_wait, at - w.block->began);
        return {at + c.latency, read};
      case behaviour::group_start: return {w.products_begin = at + p.group_latency, read};
      case behaviour::matrix_group: return {multiply(c, w, q.pipes, stage_, s_, at), read};
      default: return {c.pipe == pipe::texture ? textures_.sample(c, q.pipes, s_, at) : at + c.latency, read};
    }
  }

  // `is_skipped`: whether the warp does not take the path of the instruction.
  void advance(running_warp& w, const instruction_cost& c, double next, double at, bool is_skipped = false) {
    const traced_run& r = w.current();
    if (++w.in_run == r.count) {
      w.in_run = 0;
      w.access = 0;
      ++w.run;
      if (w.run == w.trace->runs.size()) {
        if (c.does != behaviour::exit && w.block->trace->is_cut) done_.first_cut = std::min(done_.first_cut, at);
        return end_warp(w, at);
      }
      if (!is_skipped) next = branches_.resolved(w, r, c, next, at);
    }
    stalls_.add(w.code(), stall_reason::wait, c.stall - 1.0);
    if (next > at + c.stall) stalls_.add(w.code(), stall_reason::branch_resolving, next - at - c.stall);
    look_ahead(w, next);
  }

  void end_warp(running_warp& w, double at) {
    products_.end(w, at);
    w.home->remove(w);
    resident_block& b = *w.block;
    --b.alive;
    w.has_ended = true;
    w.waits = false;
    barriers_.leave(b);
    if (b.alive == 0) end_block(b, std::max(at, b.sent));
  }

  // Adds what the units have counted.
  void sum_up() {
    multiprocessor_run& r = done_;
    for (const auto& b : r.blocks) r.cycles = std::max(r.cycles, b.end);
    r.cycles = std::max(r.cycles, memory_.updated());
    r.waits_at_barriers = barriers_.were_used();
    r.data_stage = stage_.busy();
    r.textures = textures_.busy;
    r.l2 = memory_.l2_busy;
    r.dram = memory_.dram_busy;
    r.stores = memory_.store_busy;
    r.traffic = memory_.traffic;
    for (const quarter& q : quarters_) {
      r.issue = std::max(r.issue, static_cast<double>(q.issued));
      r.held = std::max(r.held, q.held);
      r.address = std::max(r.address, q.queue.address_busy);
      for (std::size_t i = 0; i < r.pipes.size(); ++i) r.pipes[i] = std::max(r.pipes[i], q.pipes.busy[i]);
    }
    if (memory_.l1_sectors != 0)
      r.l1_hit_rate = static_cast<double>(memory_.l1_hits) / static_cast<double>(memory_.l1_sectors);
    r.products = products_.sum();
    r.stalls = stalls_.take();
    r.barriers = barriers_.take_meetings();
  }

  const multiprocessor_setup& s_;
  // The units. A unit may use the units before it.
  const pipe_clocks clocks_{s_.gpu};
  stall_counter stalls_{s_.counts_stalls ? s_.trace->code.size() : 0};
  instruction_fetch fetch_{s_.gpu, s_.trace->code.size(), s_.active, s_.free.fetch, s_.free.later_code};
  quarters quarters_{s_.gpu};
  resident_blocks blocks_{s_};
  data_stage stage_{s_.free.data_stage};
  memory_system memory_{s_.gpu, *s_.sharing, s_.l1_bytes, s_.active, s_.free};
  texture_unit textures_;
  barriers barriers_{s_, quarters_, stalls_};
  mbarriers mbarriers_{s_, quarters_, stalls_};
  product_times products_{s_.counts_stalls};
  accesses accesses_{s_, memory_, stage_, mbarriers_};
  branches branches_{s_};
  double trigger_free_ = 0;  // when the multiprocessor can pass on the next trigger of a dependent launch
  multiprocessor_run done_;
};

}  // namespace

multiprocessor_run run_multiprocessor(const multiprocessor_setup& s) { return multiprocessor(s).run(); }

}  // namespace bankwise::timing
