// How a launch ends: with its counts in the report, with a fault, or early because a budget is used up.
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
// Whether the launch did not begin. The program may continue after this.
bool is_refusal(emulate::fault_kind k);

// Adds the call sites in the program that launched the kernel.
void add_calls(std::vector<std::string>& trail, const call& c);

// Returns the index of the launch in the report, or nothing if the report is full.
std::optional<std::size_t> add_to_report(state& s, const call& c, launch_report l);

// Whether the launches together have used up --total-budget, which then stopped this launch.
bool is_total_spent(const state& s);
// Called when a budget is used up. No further launch is executed.
void end_by_budget(state& s, const call& c);
// Prints why the launch was stopped.
void tell_stopped(const state& s, const call& c, diagnostic why);
// Called after a launch was stopped early. Later results would be wrong, so the report ends with this launch.
error end_partial(state& s, const call& c, launch_report l);

// Called if a launch failed after a sampled launch. The missing results of the sample may be the reason. On a GPU the
// launch may succeed, so the program continues.
void note_failure(state& s, const call& c, const diagnostic& why);
// Reports a failed launch. The next call of the program returns the error, and nothing is executed after it.
void fail_launch(state& s, const call& c, diagnostic why, emulate::fault_kind fault);

}  // namespace bankwise::cuda
