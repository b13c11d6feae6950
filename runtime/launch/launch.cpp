#include "runtime/launch/launch.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <list>
#include <optional>

#include "base/format.hpp"
#include "base/text.hpp"
#include "emulate/launch/listeners.hpp"
#include "model/time_bound.hpp"
#include "profile/launch_watch.hpp"
#include "profile/profile_launch.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/driver_abi.hpp"
#include "runtime/device/report_file.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/code_facts.hpp"
#include "runtime/launch/launch_end.hpp"
#include "runtime/launch/launch_predictions.hpp"
#include "runtime/launch/limits.hpp"
#include "runtime/launch/operation_races.hpp"
#include "runtime/launch/parked_work.hpp"
#include "runtime/launch/pending.hpp"
#include "runtime/launch/repeated_launches.hpp"
#include "runtime/launch/timed_operations.hpp"
#include "timing/clocks/launch_clocks.hpp"
#include "timing/trace/accel_sim_trace.hpp"

namespace bankwise::cuda {

namespace {

constexpr unsigned most_depth = 24;       // largest depth of launches from kernels, as in CUDA
constexpr std::size_t most_counted = 16;  // number of counted launches that are kept for each kernel

struct child {
  call what;
  bool last = false;
};

// Returns the function that the emulator calls when a kernel launches a kernel. The function checks the new launch at
// once, and adds it to `children`. The launches in `children` run later.
auto collect_children(state& s, module& owner, std::vector<child>& children) {
  return [&s, &owner, &children](const emulate::child_launch& wanted) {
    const auto shape_of = [](const std::array<std::uint32_t, 3>& a) { return dim3{a[0], a[1], a[2]}; };
    child made;
    const error e = make_call(function_of(s, owner, *wanted.kernel),
                              {shape_of(wanted.grid), shape_of(wanted.block), wanted.dynamic_shared_bytes, false},
                              wanted.parameters, made.what);
    if (e == cudaSuccess) {
      made.last = wanted.last;
      children.push_back(std::move(made));
      return true;
    }
    say(formatted("a kernel launched {}, but the launch failed with error {}", wanted.kernel->name, int{e}));
    return false;
  };
}

// Returns the contents of the module's constant banks. Pending operations cannot change these contents.
std::string constants_of(const state& s, const module& m) {
  std::string bytes;
  for (const std::uint64_t at : m.constants)
    if (const emulate::region* r = s.memory.find(at); r != nullptr)
      bytes.append(reinterpret_cast<const char*>(r->data), r->bytes);
  return bytes;
}

// Returns an earlier launch with the same arguments and constants, or null. Call this only for kernels whose counts
// depend on nothing else. This saves time if a program repeats a launch a thousand times to measure its speed.
const function::counted_launch* counted_before(const call& c, const std::string& constants) {
  const auto same = [&](const function::counted_launch& l) {
    return same_shape_and_arguments(l.how, c.how) && l.constants == constants;
  };
  const auto it = std::find_if(c.what->counted.begin(), c.what->counted.end(), same);
  return it == c.what->counted.end() ? nullptr : &*it;
}
void note_counted(const call& c, std::string constants, std::size_t in_report, const time_in_program& time) {
  std::list<function::counted_launch>& all = c.what->counted;
  if (all.size() == most_counted) all.pop_back();
  all.push_front({c.how, std::move(constants), in_report, time});
}

// Returns the launch of a call, with the flags of the run.
emulate::launch launch_of(state& s, const call& c) {
  emulate::launch l = c.how;
  emulate::apply(s.options, l);
  if (const std::uint64_t total = s.options.total_budget; total != 0)
    l.budget = std::min(l.budget, total - std::min(total, s.executed));
  l.executed = &s.executed;
  if (const auto stack = s.limits.find(stack_limit); stack != s.limits.end())
    l.stack_bytes = static_cast<std::uint32_t>(stack->second);
  l.kept = s.kept;
  return l;
}

// Whether the launch may be executed only to count. Its results are then computed later or never. So this is false if
// an option of the run needs results.
bool may_count_alone(const state& s, const call& c) {
  return !s.traces && !s.options.looks_for_faults && !s.shares && !is_any_parked(s) && !s.options.wanted().any() &&
         !s.options.strict_bounds && s.options.seed == 0 && s.options.schedules == 0 && s.options.ctas == 0 &&
         !c.how.cooperative;
}

// Returns the last launch of this kernel in the report with the same grid, block and dynamic shared memory, or null.
launch_report* last_like(state& s, const call& c) {
  std::vector<launch_report>& all = s.done.launches;
  const auto like = [&](const launch_report& l) {
    return l.mangled == c.what->kernel->mangled && l.grid == c.how.grid && l.block == c.how.block &&
           l.dynamic_shared_bytes == c.how.dynamic_shared_bytes;
  };
  const auto it = std::find_if(all.rbegin(), all.rend(), like);
  return it == all.rend() ? nullptr : &*it;
}

// Whether the accesses of a launch are recorded for a quick search for layouts. For each kernel, the accesses of the
// first launch are recorded. If this launch has no removable wavefronts, those of the second launch are also recorded.
constexpr unsigned most_looks = 2;
constexpr std::size_t most_kernels_looked_at = 32;

bool wants_look(const state& s, const cubin::kernel& k) {
  if (!s.options.looks) return false;
  const auto it = s.looked_at.find(k.mangled);
  return it == s.looked_at.end() ? s.looked_at.size() < most_kernels_looked_at : it->second < most_looks;
}

// Whether races on shared memory are searched in the first blocks of a launch: in the first launches of each kernel.
constexpr unsigned most_watched = 2;

// A launch whose races were not searched has the races of an equal launch before it.
void take_races(state& s, const call& c, launch_report& l) {
  if (l.checked.any() || !l.hazards.empty()) return;
  const launch_report* const before = last_like(s, c);
  if (before == nullptr || before->checked.any() || before->hazards.empty()) return;
  l.hazards = before->hazards;
  if (!s.known.find(s.done, l)) l.hazards.clear();
}

void note_look(state& s, launch_report& l) {
  unsigned& times = s.looked_at[l.mangled];
  times = l.sum.removable != 0 ? most_looks : times + 1;
  if (l.sum.removable != 0) return;
  // No search needs these accesses. The report can join equal launches if the accesses are removed.
  forget_accesses(l);
  l.accesses_seen = l.accesses_kept = 0;
  for (site& one : l.sites) one.passed = {};
}

// Writes a trace of the launch for Accel-Sim while it runs, if the user requested traces.
class launch_tracing {
 public:
  launch_tracing(state& s, emulate::launch& l, emulate::launch_hooks& hooks) : s_(s) {
    if (!s.traces) return;
    timing::run_for_accel_sim(l);
    const auto file = s.traces->begin(l);
    if (!file) {
      note_trace_failure(s);
      say(to_text(file.error()));
      return;
    }
    file_ = *file;
    recorder_.emplace(l, file_->to);
    hooks.listeners.emplace_back([this](unsigned) { return &*recorder_; });
  }
  void end() {
    if (!recorder_) return;
    if (const auto ended = s_.traces->end(*file_, *recorder_); !ended) {
      if (recorder_->refused().empty()) note_trace_failure(s_);
      say(to_text(ended.error()));
    }
    recorder_.reset();
  }

 private:
  state& s_;
  std::optional<timing::accel_sim_folder::file> file_;
  std::optional<timing::accel_sim_recorder> recorder_;
};

// How a launch is executed: completely now, or first for its counts and later for its results.
struct execution {
  touched_memory touches;
  bool needs_memory = true;  // whether the counts may depend on the contents of global memory
  bool puts_off = false;     // whether only the counts are computed now; the results are then computed later
};
execution execution_of(state& s, const call& c, const emulate::launch& l) {
  execution e;
  const bool may_wait = may_count_alone(s, c);
  if (may_wait || l.predicts_time || !s.pending.empty() || s.options.schedules != 0 || s.options.checks_uninitialised)
    e.touches = touched_by(s, c);
  if (may_wait || s.sampled) {
    const emulate::counting_code& code = counting_of(s.options, *c.what);
    e.needs_memory = !code.possible || !code.leaves_global;
  }
  // If the counts depend on memory, the launch is executed completely, except in a run that needs only counts.
  e.puts_off = may_wait && (s.options.counts_only || !e.touches.seen_by_host) &&
               (!e.needs_memory || (s.options.counts_only && c.what->counting->possible && c.what->counting->by_class));
  return e;
}

// Sets a condition of a graph on behalf of a kernel. Returns false if the condition does not exist.
bool set_condition(state& s, unsigned long long handle, unsigned value) {
  const auto it = s.conditions.find(handle);
  if (it == s.conditions.end()) return false;
  it->second.value = value;
  return true;
}

emulate::launch_hooks hooks_of(state& s, const call& c, unsigned depth, std::vector<child>& children) {
  emulate::launch_hooks hooks;
  const auto print_to = [](std::FILE* stream) {
    return [stream](std::string_view text) {
      std::fwrite(text.data(), 1, text.size(), stream);
      std::fflush(stream);
    };
  };
  hooks.print = print_to(stdout);
  hooks.print_error = print_to(stderr);
  if (depth < most_depth) hooks.launch = collect_children(s, *c.what->owner, children);
  hooks.set_condition = [&s](std::uint64_t handle, std::uint32_t value) { return set_condition(s, handle, value); };
  if (s.control.control != nullptr) hooks.stop = &s.control.control->stop;
  if (parked_work* const own = parked_work::current()) hooks.idle = [own](bool changed) { return own->wait(changed); };
  return hooks;
}

// Whether the program has threads besides this one. The stand-in has a thread of its own if the run controls it.
bool has_other_threads(const state& s) {
  std::error_code failed;
  const std::filesystem::directory_iterator tasks("/proc/self/task", failed);
  const std::ptrdiff_t own = s.control.control != nullptr ? 2 : 1;
  return failed || std::distance(begin(tasks), end(tasks)) > own;
}

// The predicted time of a launch in its report.
enum class time_of_launch : std::uint8_t {
  none,
  of_records,  // blocks are recorded while the launch runs, or before it
  afterwards,  // the launch is only counted and does not change memory, so its blocks can be executed after it
};

// Executes the launch and records how long this took. Then adds the predicted time of this launch or of a similar launch.
result<launch_report> profile(state& s, const call& c, emulate::launch& l, emulate::launch_hooks& hooks,
                              time_of_launch time, const touched_memory& touches, bool looks,
                              std::shared_ptr<const byte_touches>& bytes) {
  launch_tracing tracing(s, l, hooks);
  launch_watch watch(l, count_launch(s));
  const auto begun = std::chrono::steady_clock::now();
  hooks.progress = [&](const emulate::launch_progress& p) { watch.update(p); };
  std::optional<emulate::listeners_of<touch_listener>> touched;
  std::atomic<std::size_t> touched_pages = 0;
  if (the_operation_races().follows_launches(s))
    touched.emplace(hooks,
                    [&] { return std::make_unique<touch_listener>(*c.what->owner->program, s.memory, touched_pages); });
  report_contents wanted = contents_of(s.options, looks);
  function::watched_launches& watched = c.what->watched[c.how.block];
  wanted.watches_races = watched.count < most_watched;
  wanted.in_program = true;
  // Other threads of the program would see the results of other orders.
  if (s.shares || is_any_parked(s) || (touches.seen_by_host && has_other_threads(s))) wanted.schedules = 0;
  launch_work work;
  predicted_part predicted = predicted_part::none;
  const auto work_in = [&](const launch_report& r) {
    launch_work w = work_of(r);
    const auto* const values = reinterpret_cast<const char*>(l.parameters.data());
    if (computes_sleeps(*c.what)) w.sleep_key = std::hash<std::string_view>()({values, l.parameters.size()});
    return w;
  };
  wanted.needs_time = [&](const launch_report& r, const timing::launch_trace& t) {
    work = work_in(r);
    add_executions(work, t);
    return predicted = s.predictions.wants(l, work);
  };
  auto profiled = profile_launch(l, s.memory, s.done.on, hooks, wanted);
  tracing.end();
  if (touched) bytes = std::make_shared<byte_touches>(touched->sum()->touches());
  if (profiled && wanted.watches_races) {
    ++watched.count;
    watched.raced |= !profiled->hazards.empty();
  } else if (profiled && watched.raced) {
    take_races(s, c, *profiled);
  }
  const bool is_whole = profiled && !profiled->partial;
  const bool is_recorded = !work.executed.empty();
  if (is_whole && !is_recorded) work = work_in(*profiled);
  const bool has_time = s.time.has_time_to_predict();
  if (is_whole && time == time_of_launch::afterwards && has_time) {
    predicted = s.predictions.wants(l, work);
    if (predicted != predicted_part::none) {
      settle(s, touches);
      add_time_afterwards(*profiled, l, s.memory, s.done.on, hooks, wanted, predicted);
    }
  }
  if (profiled && looks) note_look(s, *profiled);
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begun;
  // A prediction uses up time, but a block of the launch does not cost more because of it.
  const std::chrono::nanoseconds predicting(profiled ? static_cast<std::int64_t>(profiled->prediction_nanoseconds) : 0);
  s.time.spend(predicting);
  if (is_whole && time != time_of_launch::none)
    s.predictions.complete(l, work, predicted != predicted_part::none, is_recorded, *profiled);
  if (is_whole && profiled->time_missing == unpredicted::other_work && !has_time)
    profiled->time_missing = unpredicted::total_limit;
  s.time.note(
      l, took - predicting,
      profiled ? (profiled->scaled || profiled->partial ? profiled->ctas_executed : blocks_of(profiled->grid)) : 0);
  return profiled;
}

void note_launch(state& s, const call& c, const std::shared_ptr<const byte_touches>& bytes) {
  if (bytes == nullptr) return;
  the_operation_races().note(s, formatted("kernel {}", c.what->kernel->name), c.launched_at, bytes);
}

// Adds a launch to the report that repeats an earlier launch and is not executed.
void count_repeat(state& s, const call& c, const launch_effect& e, const program_clock::place& at,
                  const touched_memory& touches, bool wants_time) {
  count_launch(s);
  launch_report& same = s.done.launches[*e.in_report];
  ++same.count;
  ++same.repeats;
  s.executed += e.instructions;
  note_launch(s, c, e.touches);
  add_to_clock(s, at, c, e.time, same.time.bound, touches);
  // The entry of the report has the time already.
  if (wants_time) s.predictions.note_repeat(same.sum.warp_instructions);
  write_report_now_and_then(s);
}

// The call of a launch whose results are computed later. Its kernel then sees the time at which it was launched.
call begun_at(const call& c, const emulate::launch& l) {
  call later = c;
  later.how.begins = l.begins;
  later.how.in_l2 = l.in_l2;
  return later;
}

// Whether a later equal launch may be left out, as far as this is known after a launch was executed for its counts.
bool has_only_counts(const launch_report& l) {
  const bool has_findings = l.checked.any() && !(l.hazards.empty() && l.block_races.empty());
  return !l.partial && !l.scaled && l.out_of_bounds.empty() && l.other_results.empty() && !has_findings;
}

// Runs the kernel, then the kernels that it launched, in order. Each of these kernels is followed by the kernels that
// it launched itself. A launch has ended when all of these kernels have ended.
error run_at(state& s, const call& c, unsigned depth) {
  if (stop_asked(s) != 0) {
    s.sticky = cudaErrorLaunchTimeout;
    answer_stop(s);
    return cudaSuccess;
  }
  if (is_total_spent(s)) {
    end_by_budget(s, c);
    return cudaSuccess;
  }
  const program_clock::place at = s.clock.here();
  emulate::launch l = launch_of(s, c);
  if (s.time.skips(l))
    if (launch_report* const same = last_like(s, c)) {
      ++same->count;
      ++same->assumed;
      s.sampled = true;
      add_to_clock(s, at, c, time_on_clock(s, *same), same->time.bound, {});
      return cudaSuccess;
    }
  if (s.time.is_closed()) {
    leave_out(s, c);
    return cudaSuccess;
  }
  execution plan = execution_of(s, c, l);
  if (plan.puts_off) l.counting = c.what->counting;
  l.racing = counting_of(s.options, *c.what).racing;
  if (s.time.is_limited()) s.time.limit(l);
  l.memory_is_private = !plan.touches.seen_by_host && !s.shares;
  const bool has_clock = reads_clock(*c.what);
  if (has_clock) {
    if (!plan.touches.anything && plan.touches.reads.empty() && plan.touches.writes.empty())
      plan.touches = touched_by(s, c);
    set_begin(s, l, plan.touches);
  }
  const bool wants_time = l.predicts_time;
  const time_of_launch time = !wants_time                                                  ? time_of_launch::none
                              : plan.puts_off && !plan.needs_memory && l.memory_is_private ? time_of_launch::afterwards
                                                                                           : time_of_launch::of_records;
  l.predicts_time = time == time_of_launch::of_records && s.time.has_time_to_predict() && s.predictions.wants_record(l);
  // If the counts do not depend on global memory, counting only needs constants that are up to date.
  if (plan.puts_off && !plan.needs_memory && (!l.predicts_time || c.what->counting->tells_global))
    settle(s, {.reads = {c.what->owner->constants.begin(), c.what->owner->constants.end()}});
  else
    settle(s, plan.touches);
  const bool repeatable = plan.puts_off && !plan.needs_memory && !s.time.is_limited() && !s.sampled;
  std::string constants = repeatable ? constants_of(s, *c.what->owner) : std::string();
  if (const auto* const same = repeatable ? counted_before(c, constants) : nullptr) {
    count_launch(s);
    ++s.done.launches[same->in_report].count;
    add_to_clock(s, at, c, same->time, s.done.launches[same->in_report].time.bound, plan.touches);
    put_off(s, begun_at(c, l), std::move(plan.touches), s.done.launches[same->in_report].sum.warp_instructions);
    write_report_now_and_then(s);
    return cudaSuccess;
  }
  const bool looks = !s.options.keeps_accesses && wants_look(s, *c.what->kernel);
  const bool may_repeat = !plan.puts_off && !has_clock && may_repeat_launches(s);
  if (may_repeat && !looks && !(l.predicts_time && s.predictions.expects_new_work(l)))
    if (const launch_effect* const e = the_repeated_launches().repeat(s, c, l, true)) {
      count_repeat(s, c, *e, at, plan.touches, wants_time);
      return cudaSuccess;
    }
  emulate::fault_kind fault{};
  l.fault = &fault;
  std::vector<child> children;
  emulate::launch_hooks hooks = hooks_of(s, c, depth, children);
  using record_use = watched_launch::use;
  watched_launch memory(s, c, l, hooks, true,
                        !may_repeat ? record_use::none
                        : looks     ? record_use::later
                                    : record_use::repeats);
  std::shared_ptr<const byte_touches> bytes;
  auto profiled = profile(s, c, l, hooks, time, plan.touches, looks, bytes);
  note_launch(s, c, bytes);
  memory.end(profiled && has_only_counts(*profiled));
  if (!profiled && fault == emulate::fault_kind::needs_results) {
    c.what->counting = std::make_shared<emulate::counting_code>();  // later launches of this kernel execute everything
    return run_at(s, c, depth);
  }
  if (!profiled && !is_refusal(fault) && s.sampled) {
    note_failure(s, c, profiled.error());
    return cudaSuccess;
  }
  if (!profiled) {
    fail_launch(s, c, profiled.error(), fault);
    return is_refusal(fault) ? error_of(fault) : cudaSuccess;  // a kernel does not wait for kernels that it launches
  }
  for (out_of_bounds_access& a : profiled->out_of_bounds) add_calls(a.trail, c);
  const time_in_program time_there = time_on_clock(s, *profiled);
  add_to_clock(s, at, c, time_there, profiled->time.bound, plan.touches);
  profiled->after_sample = s.sampled && plan.needs_memory;
  s.sampled |= profiled->scaled || profiled->partial.why == early_end::reason::time;
  if (profiled->partial && profiled->partial.why != early_end::reason::time)
    return end_partial(s, c, std::move(*profiled));
  const bool is_whole = !profiled->partial && !profiled->scaled;
  const std::uint64_t instructions = profiled->sum.warp_instructions;
  const auto in_report = add_to_report(s, c, std::move(*profiled));
  if (in_report) memory.keep({.in_report = in_report, .time = time_there, .touches = std::move(bytes)});
  if (repeatable && is_whole && in_report && children.empty())
    note_counted(c, std::move(constants), *in_report, time_there);
  if (plan.puts_off) put_off(s, begun_at(c, l), std::move(plan.touches), instructions);
  write_report_now_and_then(s);
  std::stable_partition(children.begin(), children.end(), [](const child& one) { return !one.last; });
  for (const child& one : children) {
    if (s.sticky != cudaSuccess) break;
    if (const error e = run_at(s, one.what, depth + 1); e != cudaSuccess) return e;
  }
  return cudaSuccess;
}

}  // namespace

error run_operation(state& s, const call& c) {
  if (static bool told = false; !told && !s.report_file.empty() && s.process != ::getpid()) {
    told = true;
    say(formatted(
        "process {} was forked after its parent had started to use CUDA, so the report lacks this process's launches",
        ::getpid()));
  }
  return run_at(s, c, 0);
}

bool same_shape_and_arguments(const emulate::launch& a, const emulate::launch& b) {
  return a.grid == b.grid && a.block == b.block && a.cluster == b.cluster && a.large_clusters == b.large_clusters &&
         a.dynamic_shared_bytes == b.dynamic_shared_bytes && a.parameters == b.parameters;
}

void compute(state& s, const call& c) {
  if (is_total_spent(s)) return end_by_budget(s, c);
  // There is no time left to execute all blocks. The results of a few blocks would be incomplete, so no block is
  // executed.
  if (s.time.is_over() && (s.time.is_closed() || blocks_of(c.how.grid) > time_share::least_blocks)) {
    s.sampled = true;
    return;
  }
  emulate::launch l = launch_of(s, c);
  if (s.time.is_limited()) s.time.limit(l);
  emulate::fault_kind fault{};
  l.fault = &fault;
  emulate::launch_hooks hooks;
  if (s.control.control != nullptr) hooks.stop = &s.control.control->stop;
  std::unique_ptr<timing::launch_clocks> clocks;
  if (reads_clock(*c.what)) clocks = timing::launch_clocks::make(l, s.memory, s.done.on.model, true);
  hooks.clocks = clocks.get();
  const bool may_repeat = clocks == nullptr && may_repeat_launches(s);
  if (may_repeat)
    if (const launch_effect* const e = the_repeated_launches().repeat(s, c, l, false)) {
      s.executed += e->instructions;
      return;
    }
  watched_launch memory(s, c, l, hooks, false, may_repeat ? watched_launch::use::repeats : watched_launch::use::none);
  launch_watch watch(l, s.launched);
  hooks.progress = [&](const emulate::launch_progress& p) { watch.update(p); };
  const auto begun = std::chrono::steady_clock::now();
  const auto ran = emulate::run_launch(l, s.memory, hooks);
  memory.end(ran && ran->stopped == emulate::stop_reason::none && ran->blocks == blocks_of(c.how.grid) &&
             ran->out_of_bounds.empty());
  memory.keep({});
  s.time.note(l, std::chrono::steady_clock::now() - begun, ran ? ran->blocks : 0);
  if (!ran && s.sampled && !is_refusal(fault)) return note_failure(s, c, ran.error());
  if (!ran) return fail_launch(s, c, ran.error(), fault);
  s.sampled |= ran->blocks < blocks_of(c.how.grid);
  if (ran->stopped == emulate::stop_reason::none || ran->stopped == emulate::stop_reason::time) return;
  s.sticky = cudaErrorLaunchTimeout;
  if (ran->stopped == emulate::stop_reason::interrupted) return answer_stop(s);
  tell_stopped(s, c, ran->stopped_at);
  end_by_budget(s, c);
}

}  // namespace bankwise::cuda
