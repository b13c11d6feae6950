// What the operations of streams take on the device's clock: kernels by their predicted time, copies and fills by their
// bytes.
#pragma once

#include "model/launch.hpp"
#include "runtime/clock/program_clock.hpp"
#include "runtime/device/copied_box.hpp"
#include "runtime/launch/launch.hpp"
#include "runtime/launch/pending.hpp"

namespace bankwise::cuda {

// Returns the nanoseconds of the host for the call that begins the operation.
double cost_of_call(const state& s, const copy& c);
double cost_of_call(const state& s, const fill& f);

// Add an operation to the stream that was entered last. A copy to or from pageable memory also lets the host wait.
void add_to_clock(state& s, const copy& c);
void add_to_clock(state& s, const fill& f);
void add_library_call(state& s, const library_call& c);
// A prefetch of managed memory to the device, or to the host.
void add_prefetch(state& s, std::uint64_t address, std::uint64_t bytes, bool to_device);
// Adds a launch at the place that it had when it began. `bound`: what bounds it.
void add_to_clock(state& s, const program_clock::place& at, const call& c, const time_in_program& t,
                  const std::string& bound, const touched_memory& touches);

// Tells the launch when it begins and what L2 then has, for kernels that read clocks. Must be called before the launch
// is added to the clock.
void set_begin(const state& s, emulate::launch& l, const touched_memory& touches);
// Returns the time of a launch in the program. If its time was not predicted, this is a lower bound: an empty launch,
// and the time for which the shared-memory pipes or the issue slots are busy, with the blocks spread evenly over the
// multiprocessors. It is never earlier than a clock that the launch has read.
time_in_program time_on_clock(const state& s, const launch_report& l);

}  // namespace bankwise::cuda
