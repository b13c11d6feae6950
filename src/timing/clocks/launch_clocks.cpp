#include "timing/clocks/launch_clocks.hpp"

#include <algorithm>
#include <cmath>

#include "emulate/counting/counting.hpp"
#include "emulate/launch/launch_check.hpp"
#include "sass/flow/clock_waits.hpp"
#include "timing/clocks/warp_clock.hpp"
#include "timing/gpu.hpp"
#include "timing/launch/launch_time.hpp"
#include "timing/timed_gpu.hpp"
#include "timing/trace/trace_recorder.hpp"
#include "timing/trace_launch.hpp"

namespace bankwise::timing {

namespace {

bool calls_no_functions(const cubin::program& p, const cubin::kernel& k) {
  const sass::code_flow flow = emulate::flow_of(p, k);
  return flow.is_followed && !flow.has_calls_out;
}

// The sections that the kernel may execute: its own, and those of functions if it calls any.
std::vector<std::uint32_t> sections_for(const cubin::program& p, const cubin::kernel& k) {
  std::vector<std::uint32_t> list = p.function_sections();
  if (!list.empty() && calls_no_functions(p, k)) list.clear();
  list.push_back(k.section);
  return list;
}

}  // namespace

bool reads_clock(const cubin::program& p, const cubin::kernel& k) {
  const sass::isa set = sass::isa_of(p.sm);
  const auto reads = [&](std::uint32_t n) {
    const std::vector<std::byte>& code = p.sections[n].bytes;
    for (std::size_t at = 0; at + sass::instruction_bytes <= code.size(); at += sass::instruction_bytes)
      if (sass::reads_clock(sass::load_instruction(code.data() + at, set))) return true;
    return false;
  };
  if (reads(k.section)) return true;
  // Few functions read a clock, so the flow of the kernel is rarely needed.
  const std::vector<std::uint32_t> functions = p.function_sections();
  return std::any_of(functions.begin(), functions.end(), reads) && !calls_no_functions(p, k);
}

// The clock of a block. A trace_recorder turns the accesses of the running instructions into those of a trace, which are
// dropped as soon as their instructions have been issued.
class launch_clocks::block : public emulate::block_clock {
 public:
  block(launch_clocks& of, std::uint64_t number)
      : of_(of),
        part_(of.shape_),
        recorder_(*of.launch_.program, of.memory_, of.banks_, {.whole = {number}, .touched_lines = 0}, part_),
        shared_(of.gpu_, of.costs_.size(), of.l1_bytes_, of.launch_.in_l2, of.active_) {
    // Nobody asks what the warps exchange, so the recorder need not look for it.
    part_.sharing_warps = most_warps_of_block;
    part_.lanes_share = true;
    recorder_.on_block(number);
    const std::uint32_t warps = (part_.threads() + 31) / 32;
    for (std::uint32_t n = 0; n < warps; ++n) warps_.emplace_back(warp_clock(shared_, n));
  }

  emulate::wanted_events wants() const override { return recorder_.wants(); }
  void on_block(std::uint64_t) override {}
  void on_warp(std::uint32_t warp) override {
    running_ = std::min<std::size_t>(warp, warps_.size() - 1);
    recorder_.on_warp(warp);
  }
  void on_access(const emulate::shared_access& a) override { recorder_.on_access(a); }
  void on_async(const emulate::async_event& e) override { recorder_.on_async(e); }
  void on_global(const emulate::global_access_event& e) override { recorder_.on_global(e); }
  void on_copied(const emulate::copied_bytes& b) override { recorder_.on_copied(b); }
  void on_sleep(std::uint64_t pc, std::uint32_t nanoseconds) override { sleeps_ = {pc, nanoseconds}; }
  void on_order(const emulate::ordering& o) override {
    recorder_.on_order(o);
    using kind = emulate::order_kind;
    if (o.kind != kind::arrive && o.kind != kind::leave && o.kind != kind::open) return;
    std::shared_ptr<clocked_meeting>& here = shared_.meetings[o.number];
    if (here == nullptr) here = std::make_shared<clocked_meeting>();
    if (o.kind == kind::arrive) {
      warps_[o.warp].clock.arrive_at(here);
    } else if (o.kind == kind::leave) {
      warps_[o.warp].clock.leave(here);
      warps_[o.warp].has_let_others = false;
    } else if (o.kind == kind::open) {
      here = nullptr;
      most_warps_ = 0;
    }
  }
  void on_instructions(std::uint64_t pc, std::uint64_t count, std::uint32_t) override {
    clocked& w = warps_[running_];
    follow(w, pc, pc + count * sass::instruction_bytes);
    w.is_in_run = false;
    next_access_ = 0;
    recorder_.forget_accesses();
  }
  void on_block_end(std::uint64_t) override {
    double end = 0;
    for (const clocked& w : warps_) end = std::max(end, w.clock.next());
    const std::lock_guard lock(of_.mutex_);
    ++of_.ended_;
    of_.seen_ = std::max(of_.seen_, latest_);
    if (!has_waited_) return;
    of_.longest_wait_ = std::max(of_.longest_wait_, end);
    of_.waited_ += static_cast<std::uint64_t>(end);
  }

  bool lets_others_first() override {
    if (warps_.size() == 1) return false;
    return !std::exchange(warps_[running_].has_let_others, true);
  }
  void read(std::uint64_t begin, std::uint64_t pc, std::uint32_t warps) override {
    clocked& w = warps_[running_];
    follow(w, begin, pc + sass::instruction_bytes);
    wait(w, pc);
    most_warps_ = std::max(most_warps_, warps);
    w.clock.share(most_warps_ * of_.resident_);
    now_ = w.issued;
    latest_ = std::max(latest_, now_);
  }
  time now() const override {
    const double begins = of_.launch_.begins;
    return {static_cast<std::uint64_t>(begins * of_.gpu_.sm_clock + now_),
            static_cast<std::uint64_t>(begins + now_ / of_.gpu_.sm_clock)};
  }

 private:
  struct clocked {
    explicit clocked(warp_clock c) : clock(std::move(c)) {}
    warp_clock clock;
    bool is_in_run = false;       // whether instructions of the run have been followed
    std::uint64_t at = 0;         // the next instruction
    double issued = 0;            // time of the last instruction
    bool has_let_others = false;  // whether other warps have run before the warp read its clock
    // The wait for a time that the warp may be in: its read, how often it was executed, and when it began.
    std::uint64_t waits_at = 0, looks = 0;
    double waits_since = 0;
  };

  // Follows a run of instructions that begins at `begin`, up to `end`.
  void follow(clocked& w, std::uint64_t begin, std::uint64_t end) {
    if (!std::exchange(w.is_in_run, true)) {
      if (w.at != begin && w.at != 0) w.clock.jump();
      w.at = begin;
    }
    recorder_.complete_accesses();
    for (; w.at < end; w.at += sass::instruction_bytes) w.issued = issue(w, w.at);
  }

  double issue(clocked& w, std::uint64_t pc) {
    const std::optional<std::size_t> n = index_of(pc);
    if (!n) return w.issued;
    const std::vector<traced_access>& all = part_.accesses;
    const auto pc_of_next = [&] {
      const std::uint32_t code = all[next_access_].code;
      return code < part_.code.size() ? part_.code[code].pc : 0;
    };
    while (next_access_ < all.size() && pc_of_next() < pc) ++next_access_;
    const std::size_t first = next_access_;
    while (next_access_ < all.size() && pc_of_next() == pc) ++next_access_;
    if (w.waits_at != 0 && next_access_ != first) w.waits_at = 0;
    const double sleeps = sleeps_.first == pc ? std::exchange(sleeps_, {}).second : 0;
    return w.clock.issue({of_.costs_[*n], static_cast<std::uint32_t>(*n), part_,
                          std::span(all).subspan(first, next_access_ - first), sleeps});
  }

  // If the warp only waits for a time, its clock advances by more than its instructions take. A wait for a million clocks
  // then needs a few thousand instructions. It ends at most 0.4% too late.
  void wait(clocked& w, std::uint64_t pc) {
    constexpr std::uint64_t looks_before = 32;
    constexpr double part = 1.0 / 256;
    if (!of_.waits_.contains(pc)) {
      w.waits_at = 0;
      return;
    }
    if (w.waits_at != pc) {
      w.waits_at = pc;
      w.looks = 0;
      w.waits_since = w.issued;
    }
    if (++w.looks <= looks_before) return;
    has_waited_ = true;
    const double more = (w.issued - w.waits_since) * part;
    w.clock.skip(more);
    w.issued += more;
  }

  std::optional<std::size_t> index_of(std::uint64_t pc) {
    if (pc < section_.begin || pc >= section_.end) {
      const auto in = std::find_if(of_.sections_.begin(), of_.sections_.end(),
                                   [pc](const section& s) { return pc >= s.begin && pc < s.end; });
      if (in == of_.sections_.end()) return std::nullopt;
      section_ = *in;
    }
    return section_.first + (pc - section_.begin) / sass::instruction_bytes;
  }

  launch_clocks& of_;
  launch_trace part_;
  trace_recorder recorder_;
  clocked_block shared_;
  std::vector<clocked> warps_;
  std::size_t running_ = 0;
  std::size_t next_access_ = 0;  // the first access of the instructions that have not been issued
  std::pair<std::uint64_t, std::uint32_t> sleeps_;
  section section_;
  double now_ = 0, latest_ = 0;  // the last read, and the latest one
  // The most warps that did not wait at a read since the last barrier. When later warps read, earlier ones may have ended,
  // because the emulator executes one after another.
  std::uint32_t most_warps_ = 0;
  bool has_waited_ = false;
};

std::unique_ptr<launch_clocks> launch_clocks::make(const emulate::launch& l, const emulate::device_memory& memory,
                                                   const bank_model& banks, bool in_program) {
  const timed_gpu* const on = find_timed_gpu(l.timed_gpu);
  if (on == nullptr) return nullptr;
  const gpu_parameters gpu = in_program ? at_clock(on->parameters, on->boost) : on->parameters;
  return std::unique_ptr<launch_clocks>(new launch_clocks(l, memory, banks, gpu));
}

launch_clocks::launch_clocks(const emulate::launch& l, const emulate::device_memory& memory, const bank_model& banks,
                             const gpu_parameters& gpu)
    : launch_(l), memory_(memory), banks_(banks), gpu_(gpu) {
  shape_.sm = l.program->sm;
  shape_.grid = l.grid;
  shape_.block = l.block;
  shape_.shared_bytes = l.kernel->static_shared_bytes + l.dynamic_shared_bytes;
  shape_.blocks_per_multiprocessor = resident_blocks_of(l);
  l1_bytes_ = l1_bytes_of(shape_, gpu_);
  const auto blocks = static_cast<double>(shape_.grid_blocks());
  active_ = std::min(gpu_.multiprocessors, blocks);
  resident_ = std::min<double>(shape_.blocks_per_multiprocessor, std::ceil(blocks / gpu_.multiprocessors));
  for (const std::uint32_t n : sections_for(*l.program, *l.kernel)) add_section(n);
}

void launch_clocks::add_section(std::uint32_t number) {
  const cubin::code_section& s = launch_.program->sections[number];
  const sass::isa set = sass::isa_of(launch_.program->sm);
  sections_.push_back({s.address, s.address + s.bytes.size(), costs_.size()});
  for (std::size_t at = 0; at + sass::instruction_bytes <= s.bytes.size(); at += sass::instruction_bytes)
    costs_.push_back(cost_of(sass::load_instruction(s.bytes.data() + at, set)));
  for (const std::uint32_t n : sass::clock_waits(s.bytes, set))
    waits_.insert(s.address + std::uint64_t{n} * sass::instruction_bytes);
}

std::shared_ptr<emulate::block_clock> launch_clocks::of_block(std::uint64_t number) {
  return std::make_shared<block>(*this, number);
}

double launch_clocks::least_clocks() const {
  const std::lock_guard lock(mutex_);
  if (longest_wait_ == 0) return 0;
  const double waves = std::ceil(static_cast<double>(shape_.grid_blocks()) / (gpu_.multiprocessors * resident_));
  return std::max(longest_wait_, static_cast<double>(waited_) / static_cast<double>(ended_) * waves);
}

double launch_clocks::seen_clocks() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

}  // namespace bankwise::timing
