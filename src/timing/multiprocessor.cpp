#include "timing/multiprocessor.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>

#include "timing/instruction_fetch.hpp"

namespace bankwise::timing {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr unsigned quarters = 4, scoreboards = 6;

struct resident_block;

// A result, or a read of source registers, that a scoreboard tracks.
struct pending_result {
  double done = 0;
  stall_reason waits = stall_reason::short_scoreboard;  // stall reason of a warp that waits for the result
};

// An mbarrier in shared memory: for each arrival or copy that it has seen, the time at which all of them until this one
// had arrived.
struct mbarrier {
  std::vector<double> arrived;
};

struct running_warp {
  const traced_warp* trace = nullptr;
  resident_block* block = nullptr;
  std::size_t run = 0;
  std::uint32_t in_run = 0;
  std::uint32_t access = 0;  // index of the warp's next access in the run
  std::uint64_t age = 0;
  std::uint64_t executed = 0, loads = 0;  // instructions that the warp has executed, and loads among these instructions
  double earliest = 0;                    // time at which the next instruction could issue if the warp were alone
  bool waits = false;                     // whether the warp waits at a block barrier
  // time at which the warp's last barrier opened; 0 after the warp has waited for this barrier
  double opened = 0;
  instruction_fetch::position fetched;
  double copies = 0;                 // time at which all the warp's copies to shared memory have arrived
  double bulk_read = 0;              // time at which all the warp's bulk copies have read shared memory
  double products_begin = 0;         // time from which the tensor cores can begin the next product of its warp group
  double product = 0;                // time at which the warp's last product of a warp group ends
  std::vector<double> groups;        // times at which its groups of products end, for groups that it has not waited for
  const mbarrier* tested = nullptr;  // the mbarrier for which the warp waits
  std::uint32_t awaited = 0;         // the number of arrivals and copies that this mbarrier must have seen
  std::array<std::vector<pending_result>, scoreboards> under_way;
  std::unordered_map<std::uint32_t, double> requested;  // time at which the data of each early load arrive
  // For each instruction of which a change leaves executions out: the part of an execution that is due. Each instruction
  // has its own, so that a round of a loop is executed or left out as a whole.
  std::unordered_map<std::uint32_t, float> due;

  std::uint32_t code() const { return trace->runs[run].code + in_run; }
};

struct resident_block {
  const traced_block* trace = nullptr;
  std::size_t number = 0;
  std::uint32_t copy = 0;
  std::uint64_t instructions = 0;
  unsigned alive = 0;
  struct barrier {
    unsigned arrived = 0;
    double last = 0;
  };
  std::array<barrier, 16> barriers;
  std::unordered_map<std::uint32_t, mbarrier> mbarriers;  // by shared address
  std::vector<running_warp*> warps;
};

struct quarter {
  std::vector<running_warp*> warps;
  double free = 0;  // time from which the quarter can issue again
  std::array<double, static_cast<std::size_t>(pipe::count)> pipes{};
  std::array<double, static_cast<std::size_t>(pipe::count)> busy{};
  double address_free = 0, address_busy = 0;
  std::array<double, 2> bank_free{};   // time from which each bank of registers is free
  std::array<std::uint8_t, 6> kept{};  // registers in the cache of operands, by operand and bank
  double last_begins = 0;              // time at which the data stage accepted the last memory instruction
  std::vector<double> queue;           // times at which the last memory instructions leave the queue
  std::size_t queued = 0;
  std::vector<std::uint32_t> code;  // lines in the instruction cache of the quarter
  running_warp* last = nullptr;
  bool may_stay = true;  // whether the quarter may issue from `last` again
  std::uint64_t issued = 0;
  // The warp that issues next, and the time of the issue. If is_stale is set, both must be computed again.
  running_warp* next = nullptr;
  double next_at = 0;
  bool is_stale = true;
};

class multiprocessor {
 public:
  explicit multiprocessor(const multiprocessor_setup& s)
      : s_(s),
        t_(*s.trace),
        p_(s.gpu),
        memory_(p_, *s.sharing, s.l1_bytes, s.active, s.free),
        fetch_(p_, t_.code.size(), s.active, s.free.fetch) {
    for (quarter& q : quarters_) {
      q.queue.assign(static_cast<std::size_t>(p_.memory_queue), 0);
      q.code.assign(static_cast<std::size_t>(p_.code_lines_l0), ~0u);
    }
    done_.executed.resize(t_.code.size());
    if (s.counts_stalls) done_.stalls.resize(t_.code.size());
  }

  multiprocessor_run run() {
    const double gap = s_.free.launch ? 0 : p_.block_gap * s_.active;
    for (std::uint32_t i = 0; i < s_.slots && next_ < s_.blocks.size(); ++i) begin_block(gap * i + gap / 2);
    multiprocessor_run& r = done_;
    while (step() && !r.is_stopped) {
    }
    for (const auto& b : r.blocks) r.cycles = std::max(r.cycles, b.end);
    r.cycles = std::max(r.cycles, memory_.updated());
    r.data_stage = stage_busy_;
    r.l2 = memory_.l2_busy;
    r.dram = memory_.dram_busy;
    r.stores = memory_.store_busy;
    r.traffic = memory_.traffic;
    for (const quarter& q : quarters_) {
      r.issue = std::max(r.issue, static_cast<double>(q.issued));
      r.address = std::max(r.address, q.address_busy);
      for (std::size_t i = 0; i < r.pipes.size(); ++i) r.pipes[i] = std::max(r.pipes[i], q.busy[i]);
    }
    if (memory_.l1_sectors != 0)
      r.l1_hit_rate = static_cast<double>(memory_.l1_hits) / static_cast<double>(memory_.l1_sectors);
    return std::move(done_);
  }

 private:
  void begin_block(double at) {
    const traced_block& b = t_.blocks[s_.blocks[next_].index];
    // One unit starts the blocks of all multiprocessors.
    const double gap = s_.free.launch ? 0 : p_.block_gap * s_.active;
    at = std::max(at, last_begin_ + gap);
    last_begin_ = at;
    look_again();
    auto one = std::make_unique<resident_block>();
    one->trace = &b;
    one->copy = s_.blocks[next_].copy;
    one->number = next_++;
    done_.blocks.push_back({at, at, done_.instructions});
    for (std::size_t w = 0; w < b.warps.size(); ++w) {
      if (b.warps[w].runs.empty()) continue;
      auto made = std::make_unique<running_warp>();
      made->trace = &b.warps[w];
      made->block = one.get();
      made->age = age_++;
      made->earliest = at + (s_.free.launch ? 0 : p_.warp_gap * static_cast<double>(w));
      quarter* to = &quarters_[w % quarters];
      for (quarter& q : quarters_)
        if (q.warps.size() < to->warps.size()) to = &q;
      to->warps.push_back(made.get());
      one->warps.push_back(made.get());
      ++one->alive;
      look_ahead(*made, *to, made->earliest);
      warps_.push_back(std::move(made));
    }
    if (one->alive == 0) return end_block(*one, at);
    blocks_.push_back(std::move(one));
  }

  void end_block(resident_block& b, double at) {
    done_.blocks[b.number].end = at;
    done_.is_cut |= b.trace->is_cut;
    for (running_warp* w : b.warps) std::erase_if(warps_, [w](const auto& one) { return one.get() == w; });
    std::erase_if(blocks_, [&b](const auto& one) { return one.get() == &b; });
    if (next_ < s_.blocks.size()) begin_block(at + (s_.free.launch ? 0 : p_.refill_delay));
  }

  // Computes when a warp can issue its next instruction if no other warp delays it.
  void look_ahead(running_warp& w, quarter& q, double from) {
    const std::uint32_t code = w.code();
    double at = fetch_.code(w.fetched, q.code, code, from);
    stalls(code, stall_reason::no_instruction, at - from);
    const instruction_cost& c = (*s_.costs)[code];
    const auto wait_until = [&](double until, stall_reason why) {
      stalls(code, why, until - at);
      at = std::max(at, until);
    };
    pending_result last;
    if (c.wait_mask != 0)
      for (unsigned b = 0; b < scoreboards; ++b)
        if ((c.wait_mask >> b & 1) != 0) last = later(last, drained(w.under_way[b]));
    if (c.does == behaviour::scoreboard && c.number < scoreboards)
      last = later(last, drained_to(w.under_way[c.number], c.remaining));
    wait_until(last.done, last.waits);
    if (c.does == behaviour::group_wait && w.groups.size() > c.remaining) {
      const auto last_awaited = w.groups.end() - c.remaining - 1;
      wait_until(*last_awaited, stall_reason::gmma);
      w.groups.erase(w.groups.begin(), last_awaited + 1);
    }
    if (c.does == behaviour::matrix_group) wait_until(w.products_begin, stall_reason::gmma);
    if (w.opened != 0 && waits_for_barriers(c)) {
      wait_until(w.opened, stall_reason::barrier);
      w.opened = 0;
    }
    if (c.reads_constants && !s_.free.fetch && c.does != behaviour::constant_load)
      wait_until(fetch_.constant(c, at), stall_reason::imc_miss);
    w.earliest = at + added_before(code) * p_.integer_latency;
    await_mbarriers(w);
  }
  // Returns the number of instructions that a changed source adds before an instruction.
  double added_before(std::uint32_t code) const { return s_.changes == nullptr ? 0 : (*s_.changes)[code].added; }
  // If the warp's next instruction tests an mbarrier, the warp waits for the arrivals before the test.
  void await_mbarriers(running_warp& w) {
    const traced_run& r = w.trace->runs[w.run];
    for (std::uint32_t n = w.access; n < r.accesses; ++n) {
      const traced_access& a = t_.accesses[r.first_access + n];
      if (a.code != w.code()) break;
      if (a.space != memory_space::mbarrier || a.does != memory_action::load || a.lines == 0) continue;
      const std::uint64_t what = t_.lines[a.first_line];
      w.tested = &w.block->mbarriers[static_cast<std::uint32_t>(what)];
      w.awaited = static_cast<std::uint32_t>(what >> 32);
      end_mbarrier_wait(w);
    }
  }
  // Ends the wait of a warp if its mbarrier has seen enough.
  void end_mbarrier_wait(running_warp& w) {
    if (w.tested->arrived.size() < w.awaited) return;
    if (w.awaited != 0) {
      const double until = w.tested->arrived[w.awaited - 1];
      stalls(w.code(), stall_reason::long_scoreboard, until - w.earliest);
      w.earliest = std::max(w.earliest, until);
    }
    w.tested = nullptr;
  }
  void arrive_at(resident_block& b, std::uint64_t address, double at) {
    mbarrier& m = b.mbarriers[static_cast<std::uint32_t>(address)];
    m.arrived.push_back(m.arrived.empty() ? at : std::max(at, m.arrived.back()));
    for (running_warp* w : b.warps)
      if (w->tested == &m) {
        end_mbarrier_wait(*w);
        look_again();
      }
  }
  // Whether an instruction waits for the barriers of its warp. After a warp has arrived at a barrier, it continues to
  // compute. It waits at its first memory access, or at the end of its path. Nsight Compute's samples show this
  // (scripts/compare stalls).
  static bool waits_for_barriers(const instruction_cost& c) {
    switch (c.pipe) {
      case pipe::alu:
      case pipe::fma:
      case pipe::fma_heavy:
      case pipe::fma_lite:
      case pipe::fp64:
      case pipe::tensor: return c.does == behaviour::jump || c.does == behaviour::exit;
      case pipe::uniform: return c.does == behaviour::constant_load;
      default: return true;
    }
  }
  void stalls(std::uint32_t code, stall_reason why, double clocks) {
    if (s_.counts_stalls) done_.stalls[code].add(why, clocks);
  }
  static pending_result later(const pending_result& a, const pending_result& b) { return b.done > a.done ? b : a; }
  static pending_result drained(std::vector<pending_result>& list) {
    pending_result last;
    for (const pending_result& one : list) last = later(last, one);
    list.clear();
    return last;
  }
  static pending_result drained_to(std::vector<pending_result>& list, std::size_t remaining) {
    if (list.size() <= remaining) return {};
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.done < b.done; });
    const pending_result last = list[list.size() - 1 - remaining];
    list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(remaining));
    return last;
  }
  static bool is_far(memory_space s) {
    return s == memory_space::global || s == memory_space::local || s == memory_space::host;
  }
  // Returns the stall reason of a warp that waits for the result of this instruction.
  static stall_reason waited_for(const instruction_cost& c, const traced_access* a) {
    if (c.does == behaviour::fence) return stall_reason::membar;
    if (c.pipe == pipe::texture || c.does == behaviour::commit) return stall_reason::long_scoreboard;
    const bool far = a != nullptr && is_far(a->space);
    return far ? stall_reason::long_scoreboard : stall_reason::short_scoreboard;
  }
  // Returns the stall reason of a warp that waits for the pipe of this instruction.
  stall_reason throttle_of(const running_warp& w, const instruction_cost& c) const {
    if (c.pipe == pipe::texture) return stall_reason::tex_throttle;
    // Instructions reach the special unit through the queue to shared memory.
    if (c.pipe == pipe::special) return stall_reason::mio_throttle;
    if (c.pipe != pipe::memory) return stall_reason::math_pipe_throttle;
    const traced_access* const a = next_access(w);
    const bool far = a != nullptr && is_far(a->space);
    return far ? stall_reason::lg_throttle : stall_reason::mio_throttle;
  }
  // Returns the clocks until the pipe of the instruction accepts another warp.
  double turn_of(const instruction_cost& c) const {
    if (c.pipe == pipe::memory) return std::max(1.0, p_.address_interval);
    if (c.pipe == pipe::fma) return std::max(1.0, interval_of(c.pipe, c) / p_.float_pipes);
    return std::max(1.0, interval_of(c.pipe, c));
  }
  // Returns the access of the warp's next instruction, or null if the instruction makes no access.
  const traced_access* next_access(const running_warp& w) const {
    const traced_run& r = w.trace->runs[w.run];
    if (w.access >= r.accesses) return nullptr;
    const traced_access& a = t_.accesses[r.first_access + w.access];
    return a.code == w.code() ? &a : nullptr;
  }
  double can_issue(const running_warp& w, const quarter& q) const {
    const instruction_cost& c = (*s_.costs)[w.code()];
    if ((w.waits && waits_for_barriers(c)) || w.tested != nullptr) return never;
    return std::max({w.earliest, q.free, pipe_taken(c, q)});
  }
  // Returns the time until which the pipe or queue of an instruction is busy.
  double pipe_taken(const instruction_cost& c, const quarter& q) const {
    switch (c.pipe) {
      case pipe::none:
      case pipe::count: return 0;
      case pipe::fma:
        return p_.float_pipes > 1 ? std::min(pipe_free(q, pipe::fma_heavy), pipe_free(q, pipe::fma_lite))
                                  : pipe_free(q, pipe::fma_heavy);
      case pipe::memory: return q.queue[q.queued % q.queue.size()];
      default: return pipe_free(q, c.pipe);
    }
  }
  static double pipe_free(const quarter& q, pipe p) { return q.pipes[static_cast<std::size_t>(p)]; }

  // Issues the next instruction of the multiprocessor. Returns false if no warp has an instruction to issue.
  bool step() {
    quarter* of = nullptr;
    running_warp* best = nullptr;
    double first = never;
    for (quarter& q : quarters_) {
      if (q.is_stale) choose(q);
      if (q.next_at < first) {
        first = q.next_at;
        of = &q;
        best = q.next;
      }
    }
    if (best == nullptr) return let_go();
    issue(*best, *of, first);
    return true;
  }
  void choose(quarter& q) const {
    q.is_stale = false;
    q.next_at = never;
    q.next = nullptr;
    for (running_warp* w : q.warps) {
      const double at = can_issue(*w, q);
      if (at == never) continue;
      if (at < q.next_at || (at == q.next_at && is_before(*w, *q.next, q))) {
        q.next_at = at;
        q.next = w;
      }
    }
  }
  void look_again() {
    for (quarter& q : quarters_) q.is_stale = true;
  }
  bool is_before(const running_warp& a, const running_warp& b, const quarter& q) const {
    if (&a == q.last || &b == q.last) return &a == q.last && q.may_stay;
    return p_.oldest_first != 0 ? a.age < b.age : a.age > b.age;
  }

  // Releases warps at barriers when no warp can continue. These warps may wait for blocks that were not traced.
  bool let_go() {
    look_again();
    bool any = false;
    for (auto& w : warps_)
      if (w->waits) {
        w->waits = false;
        any = true;
      }
    for (auto& w : warps_) any |= std::exchange(w->tested, nullptr) != nullptr;
    for (auto& b : blocks_)
      for (auto& one : b->barriers) one.arrived = 0;
    return any;
  }

  void issue(running_warp& w, quarter& q, double at) {
    const instruction_cost& c = (*s_.costs)[w.code()];
    // An execution that is left out counts as an instruction, so that replays stop at the same place of the trace.
    ++done_.instructions;
    ++done_.executed[w.code()];
    if (done_.instructions == s_.most_instructions) {
      done_.is_stopped = true;
      done_.cycles = at;
    }
    if (is_left_out(w, c)) return pass_over(w, q, c, at);
    ++q.issued;
    ++w.block->instructions;
    ++w.executed;
    if (done_.instructions % 1024 == 0) done_.progress.emplace_back(at, done_.instructions);
    const bool is_alone = q.last == &w;
    q.free = at + (s_.free.issue ? 0 : 1 + added_before(w.code()) + read_registers(q, c, is_alone, at));
    q.last = &w;
    q.may_stay = c.may_stay;
    q.is_stale = true;
    if (s_.counts_stalls) {
      const double taken = std::min(pipe_taken(c, q), at);
      const double queued = std::max(0.0, taken - w.earliest);
      // The warp waits while other warps use the pipe. An instruction of another warp occupies the pipe for turn_of(c)
      // clocks. For each such instruction, one clock counts as not_selected, because the other warp was selected.
      const double lost = is_alone ? 0 : queued / turn_of(c);
      stalls(w.code(), throttle_of(w, c), queued - lost);
      stalls(w.code(), stall_reason::not_selected, at - std::max(taken, w.earliest) + lost);
      stalls(w.code(), stall_reason::selected, 1);
    }
    double next = at + c.stall;
    if (c.does == behaviour::sleep) next = std::max(next, at + std::max(p_.sleep_least, c.sleeps * p_.sm_clock));
    // Other paths of the warp may issue before this path continues.
    if (c.does == behaviour::yield && w.trace->runs[w.run].lanes < 32 && !tests_mbarrier(w)) next += p_.yield_latency;
    take_pipe(c, q, at);
    const stall_reason waits = s_.counts_stalls ? waited_for(c, next_access(w)) : stall_reason::wait;
    issuing_ = &w;
    double done = execute(c, w, q, at);
    if (is_early(w.code())) done = requested_earlier(w, done, at);
    issuing_ = nullptr;
    while (next_access(w) != nullptr) ++w.access;
    // A fence without a scoreboard makes the warp itself wait.
    if (c.does == behaviour::cluster_wait ||
        (c.does == behaviour::fence && c.op == sass::opcode::MEMBAR && c.write_barrier >= scoreboards))
      next = std::max(next, done);
    if (c.write_barrier < scoreboards) w.under_way[c.write_barrier].push_back({done, waits});
    if (c.read_barrier < scoreboards) w.under_way[c.read_barrier].push_back({read_, waits});
    advance(w, q, c, next, at);
  }

  // Whether a changed source leaves this execution out. Decides it anew at each call.
  bool is_left_out(running_warp& w, const instruction_cost& c) const {
    if (s_.changes == nullptr) return false;
    const float part = (*s_.changes)[w.code()].executed;
    if (part >= 1 || !can_be_left_out(c)) return false;
    float& due = w.due[w.code()];
    due += part;
    if (due < 1) return true;
    due -= 1;
    return false;
  }
  void pass_over(running_warp& w, quarter& q, const instruction_cost& c, double at) {
    q.is_stale = true;
    while (next_access(w) != nullptr) ++w.access;
    advance(w, q, c, at, at);
  }
  bool is_early(std::uint32_t code) const { return s_.changes != nullptr && (*s_.changes)[code].is_early; }
  // Returns the time at which the data of an early load arrive. The execution before it requested these data.
  double requested_earlier(running_warp& w, double done, double at) const {
    const auto [known, is_first] = w.requested.try_emplace(w.code(), done);
    return is_first ? done : std::max(at + p_.load_read, std::exchange(known->second, done));
  }

  // Whether the warp is in a loop that tests an mbarrier. The trace has one test in vain of such a loop.
  bool tests_mbarrier(const running_warp& w) const {
    const traced_run& r = w.trace->runs[w.run];
    for (std::uint32_t n = 0; n < r.accesses; ++n)
      if ((*s_.costs)[t_.accesses[r.first_access + n].code].op == sass::opcode::SYNCS_PHASECHK) return true;
    return false;
  }

  // Returns the clocks for which the next instruction waits for registers. One bank has the registers with even
  // numbers, and the second bank has those with odd numbers. Each bank delivers one register per clock, within a window
  // of three clocks. The cache of operands keeps one register for each operand and bank, until another warp issues.
  double read_registers(quarter& q, const instruction_cost& c, bool follows, double at) const {
    if (!follows) q.kept.fill(sass::register_zero);
    double late = 0;
    for (std::size_t n = 0; n < c.reads.size(); ++n) {
      const std::uint8_t number = c.reads[n];
      if (number == sass::register_zero) continue;
      std::uint8_t& kept = q.kept[2 * n + number % 2];
      if (kept != number) {
        double& bank = q.bank_free[number % 2];
        bank = std::max(bank, at) + p_.bank_interval;
        late = std::max(late, bank - at - p_.bank_window);
      }
      kept = (c.keeps >> n & 1) != 0 && c.may_stay ? number : sass::register_zero;
    }
    return late;
  }

  void take_pipe(const instruction_cost& c, quarter& q, double at) {
    if (c.pipe == pipe::none || c.pipe == pipe::memory) return;
    pipe use = c.pipe;
    if (use == pipe::fma)
      use = p_.float_pipes > 1 && pipe_free(q, pipe::fma_lite) <= pipe_free(q, pipe::fma_heavy) ? pipe::fma_lite
                                                                                                : pipe::fma_heavy;
    const double interval = interval_of(use, c);
    q.pipes[static_cast<std::size_t>(use)] = at + (s_.free.pipes ? 0 : interval);
    q.busy[static_cast<std::size_t>(use)] += interval;
  }

  // Returns the clocks for which an instruction occupies its pipe. pipes.def contains the clocks of an H100.
  double interval_of(pipe use, const instruction_cost& c) const {
    if (use == pipe::alu) return c.interval * p_.integer_interval / 2;
    if (use == pipe::special || use == pipe::special_register) return c.interval * p_.special_interval / 8;
    if (use == pipe::fp64) return c.interval * p_.fp64_interval / 2;
    if (use == pipe::tensor) return c.interval * 341 / p_.tensor_halves;
    if (use == pipe::branch) return p_.indirect_interval;
    return c.interval;
  }

  // Moves an instruction through the quarter's queue to the data stage. Returns the time at which the instruction
  // enters the data stage.
  double enter_stage(quarter& q, double at, double interval, double wavefronts) {
    const double sent = std::max(at, q.address_free);
    q.address_free = sent + interval;
    q.address_busy += interval;
    const double begins = std::max(sent, stage_free_);
    q.last_begins = std::max(q.last_begins, begins);
    const double took = s_.free.data_stage ? 0 : wavefronts;
    stage_free_ = begins + took;
    stage_busy_ += took;
    return begins;
  }
  void leave_queue(quarter& q, double at) { q.queue[q.queued++ % q.queue.size()] = at; }

  // Executes an instruction after it was issued. Returns the time at which the result arrives. Sets read_.
  double execute(const instruction_cost& c, running_warp& w, quarter& q, double at) {
    read_ = at + p_.load_read;
    switch (c.does) {
      case behaviour::plain: return c.pipe == pipe::texture ? sample(c, q, at) : at + c.latency;
      case behaviour::memory: return access(c, w, q, at);
      case behaviour::shuffle: {
        const double begins = enter_stage(q, at, std::max<double>(p_.address_interval, c.interval),
                                          c.op == sass::opcode::MATCH ? p_.match_wavefronts : p_.shuffle_wavefronts);
        leave_queue(q, begins);
        return begins + (c.latency != 0 ? c.latency : p_.shuffle_latency);
      }
      case behaviour::constant_load: {
        if (c.pipe == pipe::memory) leave_queue(q, at + p_.address_interval);
        return std::max(at, s_.free.fetch ? at : fetch_.constant(c, at)) + p_.constant_latency;
      }
      case behaviour::barrier:
      case behaviour::arrival:
        // The warp arrives at the barrier after all accesses that its quarter issued earlier.
        arrive(c, w, std::max({at, q.address_free, q.last_begins}));
        return at + p_.barrier_latency;
      case behaviour::commit: return std::max(at + 1, w.copies);
      case behaviour::bulk_commit: return read_ = std::max(at + 1, w.bulk_read);
      case behaviour::fence: return at + fence_clocks(c);
      case behaviour::cluster_wait: return at + (s_.free.barriers ? 0 : p_.cluster_barrier_latency);
      case behaviour::group_start: return w.products_begin = at + p_.group_latency;
      case behaviour::matrix_group: return multiply(c, w, q, at);
      default: return c.pipe == pipe::texture ? sample(c, q, at) : at + c.latency;
    }
  }
  // Executes a warp's quarter of a product of a warp group. The tensor cores read the operands through the data stage.
  double multiply(const instruction_cost& c, running_warp& w, quarter& q, double at) {
    const double reads = s_.free.data_stage ? 0 : static_cast<double>(c.operand_wavefronts) / quarters;
    stage_free_ = std::max(at, stage_free_) + reads;
    stage_busy_ += reads;
    double& taken = q.pipes[static_cast<std::size_t>(pipe::tensor)];
    if (!s_.free.pipes) taken = std::max(taken, stage_free_ - p_.product_ahead);
    w.product = std::max(w.product, taken + p_.product_latency);
    if (c.ends_group) w.groups.push_back(w.product);
    return w.product;
  }
  double fence_clocks(const instruction_cost& c) const {
    constexpr unsigned of_gpu = 2, of_system = 3;
    if (c.op != sass::opcode::MEMBAR || c.number < of_gpu || s_.free.latency) return p_.shared_latency;
    if (c.remaining != 0 && c.number == of_gpu) return p_.ordering_latency;
    return c.number == of_system ? p_.system_fence_latency : p_.fence_latency;
  }
  // Executes an instruction in the texture unit. The four quarters share this unit.
  double sample(const instruction_cost& c, quarter& q, double at) {
    texture_free_ = std::max(texture_free_, at) + (s_.free.pipes ? 0 : c.interval);
    done_.textures += c.interval;
    q.pipes[static_cast<std::size_t>(pipe::texture)] = texture_free_;
    return texture_free_ + p_.texture_latency;
  }

  double access(const instruction_cost& c, running_warp& w, quarter& q, double at) {
    const traced_run& r = w.trace->runs[w.run];
    const std::uint32_t code = w.code();
    double done = at + p_.shared_latency, leaves = at + p_.address_interval;
    const double interval = std::max(p_.address_interval, 2.0 * c.registers);
    bool any = false;
    for (; w.access < r.accesses; ++w.access) {
      const traced_access& a = t_.accesses[r.first_access + w.access];
      if (a.code != code) break;
      if (a.bytes == 0) return read_ = at + 1;  // fewer_sectors has removed the access
      any = true;
      const double wavefronts = wavefronts_of(a);
      const double begins = enter_stage(q, at, interval, wavefronts);
      leaves = begins;
      if (a.space == memory_space::shared) {
        const double base = a.does == memory_action::update ? p_.atomic_shared_latency : p_.shared_latency;
        done = std::max(done, begins + base + p_.wavefront_latency * (wavefronts - 1) + (c.registers - 1));
      } else if (a.space == memory_space::asynchronous && is_of_cluster(c)) {
        cluster_free_ = std::max(cluster_free_, begins);
        leaves = std::max(leaves, cluster_free_);
        done = std::max(done, cluster_free_ + (s_.free.latency ? p_.shared_latency : p_.cluster_latency));
        if (!s_.free.data_stage) cluster_free_ += cluster_clocks(c);
      } else if (a.space == memory_space::asynchronous) {
        done = std::max(done, begins + p_.shared_latency + wavefronts);
      } else if (a.space == memory_space::mbarrier) {
        if (a.does == memory_action::store)
          arrive_at(*w.block, t_.lines[a.first_line], std::max(begins, c.op == sass::opcode::ARRIVES ? w.copies : 0));
      } else if (a.space == memory_space::bulk) {
        done = std::max(done, copy(c, a, w, begins));
      } else {
        const memory_system::answer m =
            memory_.access(t_, a,
                           {c.past_l1, c.adds_floats, c.swaps, c.retries, r.lanes, w.block->copy, w.age, w.executed,
                            w.loads, a.lines, 0, is_direct_copy(c, a)},
                           begins);
        w.loads += a.does != memory_action::store;
        const double more = p_.wavefront_latency * (wavefronts - 1);
        const double arrives = m.done + more + (is_direct_copy(c, a) && !s_.free.latency ? p_.copy_latency : 0);
        done = std::max(done, arrives);
        // If the memory cannot accept an access yet, the access stays in the queue of its quarter. A store also stops
        // the data stage. An update does not, because L2 executes it.
        if (m.accepts > begins) {
          leaves = m.accepts;
          if (a.does != memory_action::update) stage_free_ = std::max(stage_free_, m.accepts);
        }
        // Data from L2 are written to L1 between accesses. If they go to shared memory, the copy's own access writes them.
        if (!s_.free.data_stage && !is_direct_copy(c, a)) stage_free_ += m.filled / p_.l1_fill;
        if (a.does == memory_action::copy) w.copies = std::max(w.copies, arrives);
      }
    }
    if (!any)
      leaves = enter_stage(q, at, p_.address_interval, 1);  // an access without active lanes also passes the stage
    leave_queue(q, leaves);
    const bool stores = sass::traits_of(c.op).action == sass::action::store;
    read_ = std::max(at + (stores ? p_.store_read : p_.load_read), leaves + 4);
    return done;
  }
  // Executes a bulk copy or a tensor copy. The copy engine requests the lines one after another, while the warp
  // continues. Returns the time at which the engine has read shared memory, or has begun to read global memory.
  double copy(const instruction_cost& c, const traced_access& a, running_warp& w, double at) {
    double begins = at;
    if (!s_.free.latency) begins += (is_tensor_copy(c) ? p_.tensor_latency : 0) - p_.bulk_earlier;
    if (is_tensor_copy(c) && !s_.free.fetch) {
      const auto [read, is_first] = tensor_maps_.try_emplace(a.code, begins + p_.tensor_map_latency);
      begins = std::max(begins, read->second);
    }
    const memory_system::answer m = memory_.access(
        t_, a, {.past_l1 = true, .copy = w.block->copy, .lines = a.lines, .saved = p_.bulk_saved, .copies = true},
        begins);
    stage_busy_ += m.filled / p_.l1_fill;  // the data arrive between the accesses of the warps
    // The engine reads shared memory when it sends a line.
    if (a.does == memory_action::store) {
      w.bulk_read = std::max({w.bulk_read, begins + a.lines, m.accepts + p_.store_window});
      return begins;
    }
    if (const std::uint64_t tells = t_.after_lines(a); tells != launch_trace::no_mbarrier)
      arrive_at(*w.block, tells, m.done);
    return begins;
  }
  // Whether an access copies from L2 to shared memory without passing L1 (cp.async.cg).
  static bool is_direct_copy(const instruction_cost& c, const traced_access& a) {
    return a.does == memory_action::copy && a.space == memory_space::global && c.past_l1;
  }
  static bool is_tensor_copy(const instruction_cost& c) { return c.op != sass::opcode::UBLKCP; }
  // Whether an instruction accesses the shared memory of other blocks, and is not an operation on an mbarrier.
  static bool is_of_cluster(const instruction_cost& c) { return sass::traits_of(c.op).unit == sass::unit::memory; }
  // Returns the clocks for which such an instruction occupies the way to the other blocks.
  double cluster_clocks(const instruction_cost& c) const {
    switch (sass::traits_of(c.op).action) {
      case sass::action::store: return p_.cluster_store_clocks * c.registers;
      case sass::action::update: return p_.cluster_update_clocks;
      default: return p_.cluster_load_clocks * c.registers;
    }
  }
  double wavefronts_of(const traced_access& a) const {
    if (a.space == memory_space::shared || a.space == memory_space::asynchronous) {
      const double least = std::max(1, a.bytes / 4);
      double own = std::max<double>(1, s_.free.conflicts ? std::min<double>(a.wavefronts, least) : a.wavefronts);
      if (s_.changes != nullptr && a.space == memory_space::shared)
        own = std::max(1.0, own * (*s_.changes)[a.code].wavefronts);
      if (a.does == memory_action::copy && (*s_.costs)[a.code].past_l1) return own * p_.copy_writes;
      // A store to a part of a word must first read the word.
      return a.does == memory_action::store && a.bytes < 4 && a.same_word != 0 ? std::max(own, p_.part_of_word) : own;
    }
    if (a.space == memory_space::bulk || a.space == memory_space::mbarrier) return 1;
    if (is_direct_copy((*s_.costs)[a.code], a)) return 0;  // the copy's access to shared memory is counted
    return std::max<double>(a.wavefronts, a.lines / p_.l1_tags);
  }

  void arrive(const instruction_cost& c, running_warp& w, double at) {
    resident_block& b = *w.block;
    resident_block::barrier& one = b.barriers[c.number % 16];
    done_.waits_at_barriers = true;
    barrier_free_ = std::max(at, barrier_free_) + p_.barrier_interval;
    ++one.arrived;
    one.last = std::max(one.last, barrier_free_);
    if (c.does == behaviour::barrier && !s_.free.barriers) w.waits = true;
    const unsigned wanted = c.remaining != 0 ? std::min<unsigned>(b.alive, (c.remaining + 31u) / 32) : b.alive;
    if (one.arrived >= wanted) open(b, one);
  }
  void open(resident_block& b, resident_block::barrier& one) {
    look_again();
    const double at = one.last + p_.barrier_latency - p_.barrier_interval;
    for (running_warp* other : b.warps)
      if (other->waits) {
        other->waits = false;
        // The issuing warp arrived last. It has not advanced to its next instruction yet.
        if (other == issuing_ || !waits_for_barriers((*s_.costs)[other->code()])) {
          other->opened = at;
          continue;
        }
        stalls(other->code(), stall_reason::barrier, at - other->earliest);
        other->earliest = std::max(other->earliest, at);
      }
    one = {};
  }

  void advance(running_warp& w, quarter& q, const instruction_cost& c, double next, double at) {
    const traced_run& r = w.trace->runs[w.run];
    if (++w.in_run == r.count) {
      const std::uint32_t follows = r.code + r.count;
      w.in_run = 0;
      w.access = 0;
      ++w.run;
      if (w.run == w.trace->runs.size()) {
        if (c.does != behaviour::exit && w.block->trace->is_cut) done_.first_cut = std::min(done_.first_cut, at);
        return end_warp(w, q, at);
      }
      if (c.does == behaviour::indirect)
        next += p_.branch_redirect + (is_again(w, r) ? p_.indirect_turn : p_.indirect_latency);
      else if (w.code() != follows)
        next += p_.branch_redirect;
      else if (c.op == sass::opcode::CALL_ABS || c.op == sass::opcode::CALL_ABS_R)
        next = std::max(next, supplied(r.lanes, at));
    }
    stalls(w.code(), stall_reason::wait, c.stall - 1.0);
    if (next > at + c.stall) stalls(w.code(), stall_reason::branch_resolving, next - at - c.stall);
    look_ahead(w, q, next);
  }

  // Whether the run that ended is a further turn of an indirect branch (indirect_turns.hpp).
  static bool is_again(const running_warp& w, const traced_run& r) {
    if (r.count != 1 || w.run < 2) return false;
    const traced_run& before = w.trace->runs[w.run - 2];
    return before.code + before.count != r.code;
  }

  // Calls a function of the driver, such as printf. The calls of all warps of the GPU run one after another.
  double supplied(unsigned lanes, double at) {
    supplied_free_ = std::max(supplied_free_, at) + (p_.supplied_turn + p_.supplied_lane * (lanes - 1)) * s_.active;
    return std::max(at + p_.supplied_latency, supplied_free_);
  }

  void end_warp(running_warp& w, quarter& q, double at) {
    std::erase(q.warps, &w);
    if (q.last == &w) q.last = nullptr;
    resident_block& b = *w.block;
    --b.alive;
    w.waits = false;
    for (auto& one : b.barriers)
      if (one.arrived != 0 && one.arrived >= b.alive) open(b, one);
    if (b.alive == 0) end_block(b, at);
  }

  const multiprocessor_setup& s_;
  const launch_trace& t_;
  const gpu_parameters& p_;
  memory_system memory_;
  instruction_fetch fetch_;
  std::array<quarter, quarters> quarters_;
  std::vector<std::unique_ptr<running_warp>> warps_;
  std::vector<std::unique_ptr<resident_block>> blocks_;
  std::size_t next_ = 0;
  std::uint64_t age_ = 0;
  double last_begin_ = -1e9;
  double stage_free_ = 0, stage_busy_ = 0, barrier_free_ = 0;
  double read_ = 0, texture_free_ = 0, supplied_free_ = 0, cluster_free_ = 0;
  std::unordered_map<std::uint32_t, double> tensor_maps_;  // time at which the tensor map of an instruction was read
  const running_warp* issuing_ = nullptr;
  multiprocessor_run done_;
};

}  // namespace

bool can_be_left_out(const instruction_cost& c) {
  switch (c.does) {
    case behaviour::plain:
    case behaviour::shuffle:
    case behaviour::barrier:
    case behaviour::constant_load: return true;
    case behaviour::memory: return sass::traits_of(c.op).unit == sass::unit::memory;
    default: return false;
  }
}

multiprocessor_run run_multiprocessor(const multiprocessor_setup& s) { return multiprocessor(s).run(); }

}  // namespace bankwise::timing
