// The end of a launch: with its counts in the report, with a fault, or early because a budget is used up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "emulate/launch/launch.hpp"
#include "model/report.hpp"
#include "runtime/launch/launch.hpp"

namespace bankwise::cuda {

error error_of(emulate::fault_kind k);
// Whether a launch with this fault did not begin at all. The program may then continue.
bool is_refusal(emulate::fault_kind k);

// Adds the places in the program that launched the kernel.
void add_calls(std::vector<std::string>& trail, const call& c);

// Adds the launch to the report. Returns its index in the report, or nothing if the report is full.
std::optional<std::size_t> add_to_report(state& s, const call& c, launch_report l);
// Counts a launch that is not executed, because the time of --time is used up and no earlier launch has its shape.
void leave_out(state& s, const call& c);

// Whether the launch was stopped because all launches together have used up --total-budget.
bool is_total_spent(const state& s);
// Call this when a budget is used up. No further launch is executed.
void end_by_budget(state& s, const call& c);
void tell_stopped(const state& s, const call& c, diagnostic why);
// Call this after a launch was stopped early. The results of later launches would be wrong. So the report ends with
// this launch.
error end_partial(state& s, const call& c, launch_report l);

// Call this if a launch fails, and an earlier launch only executed a sample of its blocks. The missing results of the
// earlier launch may be the reason for the failure. The launch may succeed on a GPU, so the program continues.
void note_failure(state& s, const call& c, const diagnostic& why);
// Reports a failed launch. The next call of the program returns the error. After a failed launch, no launch is
// executed.
void fail_launch(state& s, const call& c, diagnostic why, emulate::fault_kind fault);

}  // namespace bankwise::cuda
