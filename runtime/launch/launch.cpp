#include "runtime/launch/launch.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <list>
#include <optional>

#include "base/format.hpp"
#include "base/text.hpp"
#include "model/fold.hpp"
#include "model/time/time_bound.hpp"
#include "profile/code/dependences.hpp"
#include "profile/code/meanings.hpp"
#include "profile/launch_watch.hpp"
#include "profile/profile_launch.hpp"
#include "runtime/device/call_sites.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/limits.hpp"
#include "runtime/device/state.hpp"
#include "runtime/driver/abi.hpp"
#include "runtime/launch/in_flight.hpp"
#include "runtime/stream/graph.hpp"
#include "timing/trace/accel_sim_trace.hpp"

namespace bankwise::cuda {

namespace {

constexpr double launch_nanoseconds = 2000;  // for a launch without work
constexpr unsigned most_depth = 24;          // for launches from kernels, as in CUDA
// limit for the text of all launches, which can still be read back
constexpr std::size_t most_report_bytes = std::size_t{1} << 28;
constexpr std::size_t most_counted = 16;  // how many launches of a kernel are remembered

error error_of(emulate::fault_kind k) {
  using kind = emulate::fault_kind;
  switch (k) {
    case kind::invalid_launch: return cudaErrorInvalidConfiguration;
    case kind::invalid_cluster: return cudaErrorInvalidClusterSize;
    case kind::cooperative_too_large: return cudaErrorCooperativeLaunchTooLarge;
    case kind::stack_overflow:  // reported like other memory, because local memory is memory
    case kind::illegal_address: return cudaErrorIllegalAddress;
    case kind::misaligned_address: return cudaErrorMisalignedAddress;
    case kind::illegal_instruction: return cudaErrorIllegalInstruction;
    case kind::invalid_pc: return cudaErrorInvalidPc;
    case kind::assert_failed: return cudaErrorAssert;
    case kind::timeout:
    case kind::deadlock: return cudaErrorLaunchTimeout;
    case kind::out_of_memory: return cudaErrorMemoryAllocation;
    default: return cudaErrorLaunchFailure;
  }
}

// Whether the launch did not begin: then the program may continue.
bool is_refusal(emulate::fault_kind k) {
  using kind = emulate::fault_kind;
  return k == kind::invalid_launch || k == kind::invalid_cluster || k == kind::cooperative_too_large ||
         k == kind::out_of_memory;
}

// Advances the device's clock by the minimum time of the launch: shared pipes and issue slots, with blocks on all
// multiprocessors.
double time_of(const launch_report& l) {
  const time_bound b = bound_of(l);
  const double used = std::min<double>(static_cast<double>(blocks_of(l.grid)), the_device().gpu.multiprocessors);
  return launch_nanoseconds +
         static_cast<double>(std::max(b.shared_cycles, b.issue_cycles)) / used / the_device().gpu.clock_kilohertz * 1e6;
}

struct child {
  call what;
  bool last = false;
};

// The launch hook for launches from a kernel: each is checked at once and begins later.
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
    say(formatted("a launch of {} is refused: error {}", wanted.kernel->name, e));
    return false;
  };
}

// Adds where the program launched it.
void add_calls(std::vector<std::string>& trail, const call& c) {
  for (std::string& line : names_of_calls("launched in ", c.launched_at, c.what->kernel->full_name))
    trail.push_back(std::move(line));
}

// Estimates the length of a launch in the JSON of a report. The estimate may be too long, but not too short.
std::size_t text_bytes(const launch_report& l) {
  constexpr std::size_t of_a_launch = 1000, of_a_site = 1200, of_an_access = 320;
  std::size_t n = of_a_launch + 2 * l.kernel.size() + l.time_trace.size();
  for (const site& s : l.sites)
    n += of_a_site + s.function.size() + s.sass.size() + 2 * s.file.size() + 2 * s.outer_file.size() +
         of_an_access * s.accesses.size();
  return n;
}

// The part of the code that counts need, found once.
const emulate::counting_code& counting_of(const run_options& o, function& f) {
  using emulate::told_global;
  const told_global global = o.leaves_out_global                     ? told_global::no
                             : o.counts_only && !o.insists_on_global ? told_global::where_cheap
                                                                     : told_global::yes;
  if (f.counting == nullptr)
    f.counting = std::make_shared<emulate::counting_code>(emulate::code_to_count(*f.owner->program, *f.kernel, global));
  return *f.counting;
}

// Returns the index of the launch in the report; nothing if the report is full.
std::optional<std::size_t> add_to_report(state& s, const call& c, launch_report l) {
  std::vector<launch_report>& all = s.done.launches;
  if (!s.known.find(s.done, l) && (all.size() == most_launches || s.report_bytes > most_report_bytes)) {
    // Printed once. The report has the number for each kernel.
    auto& left_out = s.done.not_recorded;
    if (left_out.empty())
      say(formatted("the report has {} different launches, which is its limit; further launches are only counted",
                    grouped(all.size())));
    const auto same = std::find_if(left_out.begin(), left_out.end(),
                                   [&](const unrecorded_launches& u) { return u.kernel == l.kernel; });
    if (same != left_out.end())
      same->launches += l.count;
    else
      left_out.push_back({l.kernel, l.grid, l.block, l.count});
    return std::nullopt;
  }
  const std::size_t before = all.size(), n = s.known.add_launch(s.done, std::move(l));
  if (all.size() != before) s.report_bytes += text_bytes(all.back());
  if (all.size() != before) {
    add_dependences(all.back(), *c.what->owner->program, *c.what->kernel);
    add_meaning(all.back(), *c.what->owner->program, *c.what->kernel, counting_of(s.options, *c.what).needed);
  }
  return n;
}

// Writes the constant banks, which no pending work writes.
std::string constants_of(const state& s, const module& m) {
  std::string bytes;
  for (const std::uint64_t at : m.constants)
    if (const emulate::region* r = s.memory.find(at); r != nullptr)
      bytes.append(reinterpret_cast<const char*>(r->data), r->bytes);
  return bytes;
}

// Finds an earlier launch with the same arguments and constants, if nothing else affects the counts: programs that
// measure time repeat a launch a thousand times. Null if there is none.
const function::counted_launch* counted_before(const call& c, const std::string& constants) {
  const auto same = [&](const function::counted_launch& l) {
    return same_shape_and_arguments(l.how, c.how) && l.constants == constants;
  };
  const auto it = std::find_if(c.what->counted.begin(), c.what->counted.end(), same);
  return it == c.what->counted.end() ? nullptr : &*it;
}
void note_counted(const call& c, std::string constants, std::size_t in_report, double nanoseconds) {
  std::list<function::counted_launch>& all = c.what->counted;
  if (all.size() == most_counted) all.pop_back();
  all.push_front({c.how, std::move(constants), in_report, nanoseconds});
}

// Whether all launches together have used up a budget, and which budget stopped this launch.
bool is_total_spent(const state& s) { return s.options.total_budget != 0 && s.executed >= s.options.total_budget; }

// Called when a budget of the program is used up: no further launch is executed.
void end_by_budget(state& s, const call& c) {
  s.sticky = cudaErrorLaunchTimeout;
  s.done.partial.why = is_total_spent(s) ? early_end::reason::total_budget : early_end::reason::budget;
  write_report(s);
  write_fault(s, formatted("kernel {} was {}{}", c.what->kernel->name, words_of(s.done.partial),
                           is_total_spent(s) ? formatted(" {}", s.options.total_budget) : ""));
}
void tell_stopped(const state& s, const call& c, diagnostic why) {
  add_calls(why.trail, c);
  if (is_total_spent(s))
    why.hint = formatted(
        "the launches of this process have executed {} warp instructions in total, the limit of "
        "--total-budget; raise the limit, or leave it out",
        grouped(s.options.total_budget));
  say(to_text(why));
}

// Called after a launch was stopped early. Later results would be wrong, so the report ends with this launch.
error end_partial(state& s, const call& c, launch_report l) {
  tell_stopped(s, c, l.stopped_at);
  const bool by_budget = l.partial.why == early_end::reason::budget;
  if (by_budget && is_total_spent(s)) l.partial.why = early_end::reason::total_budget;
  add_to_report(s, c, std::move(l));
  if (by_budget) {
    end_by_budget(s, c);
  } else {
    s.sticky = cudaErrorLaunchTimeout;
    if (!is_any_parked(s)) answer_stop(s);  // otherwise the other launches would be reported first
  }
  return cudaSuccess;
}

// Called if a launch failed after a sample, perhaps because of the sample. On a GPU it may succeed, so the program
// continues.
void note_failure(state& s, const call& c, const diagnostic& why) {
  const auto same = std::find_if(s.done.failed.begin(), s.done.failed.end(), [&](const failed_launches& f) {
    return f.kernel == c.what->kernel->full_name && f.grid == c.how.grid && f.block == c.how.block;
  });
  if (same != s.done.failed.end()) {
    ++same->launches;
    return;
  }
  if (s.done.failed.size() == most_launches) return;
  s.done.failed.push_back(
      {c.what->kernel->full_name, c.how.grid, c.how.block, 1, why.message.substr(0, why.message.find('\n'))});
  diagnostic told = why;
  add_calls(told.trail, c);
  told.hint =
      "an earlier kernel was sampled and did not write all its results, which may be the reason, so the "
      "program continues; run without --time and --ctas to find out";
  say(to_text(told));
}

// How the launch is executed, from the program and the flags.
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

// Whether it may be only counted. Its results are then computed later, or never, so searches that need them must be
// off.
bool may_count_alone(const state& s, const call& c) {
  return !s.traces && !s.options.looks_for_faults && !s.shares && !is_any_parked(s) && !s.options.wanted().any() &&
         !s.options.strict_bounds && s.options.seed == 0 && s.options.ctas == 0 && !c.how.cooperative;
}

// The launch failed: the next call returns the error, and nothing is executed after it.
void fail(state& s, const call& c, diagnostic why, emulate::fault_kind fault) {
  add_calls(why.trail, c);
  say(to_text(why));
  if (is_refusal(fault)) return;
  s.sticky = error_of(fault);
  s.done.partial.why = early_end::reason::fault;
  write_report(s);
  write_fault(s, formatted("kernel {} failed, as reported above", c.what->kernel->name));
}

// The last launch of this kernel with this grid and block; null if there is none.
launch_report* last_like(state& s, const call& c) {
  std::vector<launch_report>& all = s.done.launches;
  const auto like = [&](const launch_report& l) {
    return l.mangled == c.what->kernel->mangled && l.grid == c.how.grid && l.block == c.how.block &&
           l.dynamic_shared_bytes == c.how.dynamic_shared_bytes;
  };
  const auto it = std::find_if(all.rbegin(), all.rend(), like);
  return it == all.rend() ? nullptr : &*it;
}

// Whether the accesses of this launch are kept for a quick search for layouts: for two launches of a kernel, or for one
// if there is something to search for.
constexpr unsigned most_looks = 2;
constexpr std::size_t most_kernels_looked_at = 32;

bool wants_look(const state& s, const cubin::kernel& k) {
  if (!s.options.looks) return false;
  const auto it = s.looked_at.find(k.mangled);
  return it == s.looked_at.end() ? s.looked_at.size() < most_kernels_looked_at : it->second < most_looks;
}

void note_look(state& s, launch_report& l) {
  unsigned& times = s.looked_at[l.mangled];
  times = l.sum.removable != 0 ? most_looks : times + 1;
  if (l.sum.removable != 0) return;
  // Counts it together with an equal launch, without an analysis.
  forget_accesses(l);
  l.accesses_seen = l.accesses_kept = 0;
  for (site& one : l.sites) one.passed = {};
}

// Writes a launch for Accel-Sim while it runs, if requested.
class launch_tracing {
 public:
  launch_tracing(state& s, emulate::launch& l, emulate::launch_hooks& hooks) : s_(s) {
    if (!s.traces) return;
    timing::run_for_accel_sim(l);
    const auto file = s.traces->begin(l);
    if (!file) {
      say(to_text(file.error()));
      return;
    }
    file_ = *file;
    recorder_.emplace(l, file_->to);
    hooks.listeners.emplace_back([this](unsigned) { return &*recorder_; });
  }
  void end() {
    if (!recorder_) return;
    if (const auto ended = s_.traces->end(*file_, *recorder_); !ended) say(to_text(ended.error()));
    recorder_.reset();
  }

 private:
  state& s_;
  std::optional<timing::accel_sim_folder::file> file_;
  std::optional<timing::accel_sim_recorder> recorder_;
};

// How a launch is executed: now or later, with its results or only for its counts.
struct execution {
  touched_memory touches;
  bool needs_memory = true;  // the counts may depend on its contents
  bool puts_off = false;     // only counted now
};
execution execution_of(state& s, const call& c, const emulate::launch& l) {
  execution e;
  const bool may_wait = may_count_alone(s, c);
  if (may_wait || l.predicts_time || !s.pending.empty()) e.touches = touched_by(s, c);
  if (may_wait || s.sampled) {
    const emulate::counting_code& code = counting_of(s.options, *c.what);
    e.needs_memory = !code.possible || !code.leaves_global;
  }
  // If its counts depend on memory, it is executed completely, unless only counts are needed.
  e.puts_off = may_wait && (s.options.counts_only || !e.touches.seen_by_host) &&
               (!e.needs_memory || (s.options.counts_only && c.what->counting->possible && c.what->counting->by_class));
  return e;
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

// Executes the launch, and notes how long that took. `wants_time`: its time is predicted, perhaps from an equal launch.
result<launch_report> profile(state& s, const call& c, emulate::launch& l, emulate::launch_hooks& hooks,
                              bool wants_time) {
  launch_tracing tracing(s, l, hooks);
  launch_watch watch(l, count_launch(s));
  const bool looks = !s.options.keeps_accesses && wants_look(s, *c.what->kernel);
  const auto begun = std::chrono::steady_clock::now();
  hooks.progress = [&](const emulate::launch_progress& p) { watch.update(p); };
  auto profiled = profile_launch(l, s.memory, s.done.on, hooks, contents_of(s.options, looks));
  tracing.end();
  if (profiled && looks) note_look(s, *profiled);
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begun;
  const std::chrono::nanoseconds predicting(profiled ? static_cast<std::int64_t>(profiled->prediction_nanoseconds) : 0);
  if (profiled && wants_time && !profiled->partial) s.predictions.complete(l, l.predicts_time, *profiled);
  s.time.note(
      l, took - predicting,
      profiled ? (profiled->scaled || profiled->partial ? profiled->ctas_executed : blocks_of(profiled->grid)) : 0);
  return profiled;
}

// Runs the kernel, then the launches from it, in this order, each followed by its own launches. A launch has ended when
// all of them have ended.
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
  emulate::launch l = launch_of(s, c);
  if (s.time.skips(l))
    if (launch_report* const same = last_like(s, c)) {
      ++same->count;
      ++same->assumed;
      s.sampled = true;
      s.nanoseconds += time_of(*same);
      return cudaSuccess;
    }
  execution plan = execution_of(s, c, l);
  if (plan.puts_off) l.counting = c.what->counting;
  l.racing = counting_of(s.options, *c.what).racing;
  if (s.time.is_limited()) s.time.limit(l);
  const bool wants_time = l.predicts_time;
  l.predicts_time = wants_time && s.predictions.wants(l);
  // A launch that does not access global memory gives the same counts for any contents of it.
  if (plan.puts_off && !plan.needs_memory && (!l.predicts_time || c.what->counting->tells_global))
    settle(s, {.reads = {c.what->owner->constants.begin(), c.what->owner->constants.end()}});
  else
    settle(s, plan.touches);
  const bool repeatable = plan.puts_off && !plan.needs_memory && !s.time.is_limited() && !s.sampled;
  std::string constants = repeatable ? constants_of(s, *c.what->owner) : std::string();
  if (const auto* const same = repeatable ? counted_before(c, constants) : nullptr) {
    count_launch(s);
    ++s.done.launches[same->in_report].count;
    s.nanoseconds += same->nanoseconds;
    put_off(s, c, std::move(plan.touches), s.done.launches[same->in_report].sum.warp_instructions);
    write_report_now_and_then(s);
    return cudaSuccess;
  }
  emulate::fault_kind fault{};
  l.fault = &fault;
  std::vector<child> children;
  emulate::launch_hooks hooks = hooks_of(s, c, depth, children);
  auto profiled = profile(s, c, l, hooks, wants_time);
  if (!profiled && fault == emulate::fault_kind::needs_results) {
    c.what->counting = std::make_shared<emulate::counting_code>();  // also not for the next launch
    return run_at(s, c, depth);
  }
  if (!profiled && !is_refusal(fault) && s.sampled) {
    note_failure(s, c, profiled.error());
    return cudaSuccess;
  }
  if (!profiled) {
    fail(s, c, profiled.error(), fault);
    return is_refusal(fault) ? error_of(fault) : cudaSuccess;  // a launch does not wait for the launches that it starts
  }
  for (out_of_bounds_access& a : profiled->out_of_bounds) add_calls(a.trail, c);
  const double nanoseconds = time_of(*profiled);
  s.nanoseconds += nanoseconds;
  profiled->after_sample = s.sampled && plan.needs_memory;
  s.sampled |= profiled->scaled || profiled->partial.why == early_end::reason::time;
  if (profiled->partial && profiled->partial.why != early_end::reason::time)
    return end_partial(s, c, std::move(*profiled));
  const bool is_whole = !profiled->partial && !profiled->scaled;
  const std::uint64_t instructions = profiled->sum.warp_instructions;
  const auto in_report = add_to_report(s, c, std::move(*profiled));
  if (repeatable && is_whole && in_report && children.empty())
    note_counted(c, std::move(constants), *in_report, nanoseconds);
  if (plan.puts_off) put_off(s, c, std::move(plan.touches), instructions);
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
        "process {} was forked after its parent had started to use CUDA, so the report does not have its launches",
        ::getpid()));
  }
  return run_at(s, c, 0);
}

bool same_shape_and_arguments(const emulate::launch& a, const emulate::launch& b) {
  return a.grid == b.grid && a.block == b.block && a.cluster == b.cluster && a.large_clusters == b.large_clusters &&
         a.dynamic_shared_bytes == b.dynamic_shared_bytes && a.parameters == b.parameters;
}

const sass::global_pointers& pointers_of(function& f) {
  if (!f.pointers) f.pointers = emulate::pointers_of(*f.owner->program, *f.kernel);
  return *f.pointers;
}

void compute(state& s, const call& c) {
  if (is_total_spent(s)) return end_by_budget(s, c);
  // With only a few of its blocks, the result would be incomplete.
  if (s.time.is_over() && blocks_of(c.how.grid) > time_share::least_blocks) {
    s.sampled = true;
    return;
  }
  emulate::launch l = launch_of(s, c);
  if (s.time.is_limited()) s.time.limit(l);
  emulate::fault_kind fault{};
  l.fault = &fault;
  emulate::launch_hooks hooks;
  if (s.control.control != nullptr) hooks.stop = &s.control.control->stop;
  launch_watch watch(l, s.launched);
  hooks.progress = [&](const emulate::launch_progress& p) { watch.update(p); };
  const auto begun = std::chrono::steady_clock::now();
  const auto ran = emulate::run_launch(l, s.memory, hooks);
  s.time.note(l, std::chrono::steady_clock::now() - begun, ran ? ran->blocks : 0);
  if (!ran && s.sampled && !is_refusal(fault)) return note_failure(s, c, ran.error());
  if (!ran) return fail(s, c, ran.error(), fault);
  s.sampled |= ran->blocks < blocks_of(c.how.grid);
  if (ran->stopped == emulate::stop_reason::none || ran->stopped == emulate::stop_reason::time) return;
  s.sticky = cudaErrorLaunchTimeout;
  if (ran->stopped == emulate::stop_reason::interrupted) return answer_stop(s);
  tell_stopped(s, c, ran->stopped_at);
  end_by_budget(s, c);
}

}  // namespace bankwise::cuda
