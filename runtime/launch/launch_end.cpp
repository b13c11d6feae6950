#include "runtime/launch/launch_end.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "cubin/instance_names.hpp"
#include "model/fold.hpp"
#include "profile/code/meanings.hpp"
#include "runtime/device/call_sites.hpp"
#include "runtime/device/driver_abi.hpp"
#include "runtime/device/report_file.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/code_facts.hpp"

namespace bankwise::cuda {

namespace {

// Limit of the report's text, in bytes. A report of this size can still be read.
constexpr std::size_t most_report_bytes = std::size_t{1} << 28;

// Returns an upper bound of the length of a launch in the report's JSON, in bytes.
std::size_t text_bytes(const launch_report& l) {
  constexpr std::size_t of_a_launch = 1000, of_a_site = 1200, of_an_access = 320;
  std::size_t n = of_a_launch + 2 * l.kernel.size() + l.time_trace.size();
  for (const site& s : l.sites)
    n += of_a_site + s.function.size() + s.sass.size() + 2 * s.file.size() + 2 * s.outer_file.size() +
         of_an_access * s.accesses.size();
  return n;
}

}  // namespace

namespace {

void count_unrecorded(state& s, const std::string& kernel, const std::array<std::uint32_t, 3>& grid,
                      const std::array<std::uint32_t, 3>& block, std::uint64_t launches) {
  auto& left_out = s.done.not_recorded;
  const auto same =
      std::find_if(left_out.begin(), left_out.end(), [&](const unrecorded_launches& u) { return u.kernel == kernel; });
  if (same != left_out.end())
    same->launches += launches;
  else
    left_out.push_back({kernel, grid, block, launches});
}

}  // namespace

error error_of(emulate::fault_kind k) {
  using kind = emulate::fault_kind;
  switch (k) {
    case kind::invalid_launch: return cudaErrorInvalidConfiguration;
    case kind::invalid_cluster: return cudaErrorInvalidClusterSize;
    case kind::cooperative_too_large: return cudaErrorCooperativeLaunchTooLarge;
    // The stack is in local memory, which is part of global memory, so an overflow is an illegal address.
    case kind::stack_overflow:
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

bool is_refusal(emulate::fault_kind k) {
  using kind = emulate::fault_kind;
  return k == kind::invalid_launch || k == kind::invalid_cluster || k == kind::cooperative_too_large ||
         k == kind::out_of_memory;
}

void add_calls(std::vector<std::string>& trail, const call& c) {
  for (std::string& line : names_of_calls("launched in ", c.launched_at, c.what->kernel->full_name))
    trail.push_back(std::move(line));
}

std::optional<std::size_t> add_to_report(state& s, const call& c, launch_report l) {
  std::vector<launch_report>& all = s.done.launches;
  if (!s.known.find(s.done, l) && (all.size() == most_launches || s.report_bytes > most_report_bytes)) {
    // The message is printed once. The report contains the number of missing launches of each kernel.
    if (s.done.not_recorded.empty())
      say(
          formatted("the report has {} different launches, which is the limit of a report. For further launches, the "
                    "report contains only their number",
                    grouped(all.size())));
    count_unrecorded(s, l.kernel, l.grid, l.block, l.count);
    return std::nullopt;
  }
  const std::size_t before = all.size(), n = s.known.add_launch(s.done, std::move(l));
  if (all.size() != before) s.report_bytes += text_bytes(all.back());
  if (all.size() != before) {
    add_meaning(all.back(), *c.what->owner->program, *c.what->kernel, counting_of(s.options, *c.what).needed);
  }
  return n;
}

void leave_out(state& s, const call& c) {
  count_launch(s);
  count_unrecorded(s, c.what->kernel->full_name, c.how.grid, c.how.block, 1);
  s.done.partial.why = early_end::reason::time;
  s.sampled = true;
}

bool is_total_spent(const state& s) { return s.options.total_budget != 0 && s.executed >= s.options.total_budget; }

void end_by_budget(state& s, const call& c) {
  s.sticky = cudaErrorLaunchTimeout;
  s.done.partial.why = is_total_spent(s) ? early_end::reason::total_budget : early_end::reason::budget;
  write_report(s);
  write_fault(s,
              formatted("kernel {} was {}{}", cubin::instance_name(c.what->kernel->full_name), words_of(s.done.partial),
                        is_total_spent(s) ? formatted(" {}", s.options.total_budget) : ""));
}

void tell_stopped(const state& s, const call& c, diagnostic why) {
  add_calls(why.trail, c);
  if (is_total_spent(s))
    why.hint = formatted(
        "the launches of this process have executed {} warp instructions in total, which is the limit of "
        "--total-budget. Raise the limit, or leave out --total-budget",
        grouped(s.options.total_budget));
  say(to_text(why));
}

error end_partial(state& s, const call& c, launch_report l) {
  tell_stopped(s, c, l.stopped_at);
  const bool by_budget = l.partial.why == early_end::reason::budget;
  if (by_budget && is_total_spent(s)) l.partial.why = early_end::reason::total_budget;
  add_to_report(s, c, std::move(l));
  if (by_budget) {
    end_by_budget(s, c);
  } else {
    s.sticky = cudaErrorLaunchTimeout;
    if (!is_any_parked(s)) answer_stop(s);  // otherwise, the last report is written when the waiting launch ends
  }
  return cudaSuccess;
}

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
      "the program continues. An earlier kernel was sampled and did not write all its results, which may be the reason "
      "for the failure. To find out, run without --time and --ctas";
  say(to_text(told));
}

void fail_launch(state& s, const call& c, diagnostic why, emulate::fault_kind fault) {
  add_calls(why.trail, c);
  say(to_text(why));
  if (is_refusal(fault)) return;
  s.sticky = error_of(fault);
  s.done.partial.why = early_end::reason::fault;
  s.done.failure = failure_sentence(why);
  s.done.failed_kernel = c.what->kernel->full_name;
  write_report(s);
  write_fault(s, formatted("kernel {} failed, as reported above", cubin::instance_name(c.what->kernel->full_name)));
}

}  // namespace bankwise::cuda
