#include "runtime/launch/timed_operations.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "model/time_bound.hpp"
#include "runtime/clock/library_time.hpp"
#include "runtime/device/allocations.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/state.hpp"
#include "timing/gpu.hpp"
#include "timing/timed_gpu.hpp"

namespace bankwise::cuda {

namespace {

// A small memset or a small copy from pageable memory is part of the commands for the device.
constexpr std::uint64_t inline_bytes = 1 << 16;

enum class memory_place : std::uint8_t { device, pinned, pageable };
memory_place place_of(const state& s, std::uint64_t address) {
  const emulate::region* const r = s.memory.find(address);
  if (r == nullptr) return memory_place::pageable;
  const allocation* const a = allocation_of(s, pointer_to(address)).second;
  if (a != nullptr && a->device_bytes != 0) return memory_place::device;
  return reinterpret_cast<std::uint64_t>(r->data) == r->address ? memory_place::pinned : memory_place::device;
}

std::uint64_t moved_bytes(const copy& c) { return std::uint64_t{c.width} * c.height * c.depth; }
std::uint64_t moved_bytes(const fill& f) { return std::uint64_t{f.width} * f.element_bytes * f.height * f.depth; }
bool is_on_device(const state& s, const copy& c) {
  return place_of(s, c.to) == memory_place::device && place_of(s, c.from) == memory_place::device;
}

operation_name named(timeline_kind kind, std::uint64_t bytes) { return {.kind = kind, .bytes = bytes}; }

// Copies of several rows take longer than one of all bytes, also without gaps between the rows.
bool has_rows(const copy& c) { return c.height > 1 || c.depth > 1; }

struct device_rates {
  double dram = 3352;  // bytes per nanosecond
  l2_size l2 = {40e6, 18e6};
};
device_rates rates_of(const state& s) {
  const timing::timed_gpu* const on = timing::find_timed_gpu(s.options.timed_gpu);
  if (on == nullptr) return {};
  const timing::gpu_parameters& p = on->parameters;
  return {p.dram_peak * p.sm_clock, {p.l2_own_bytes, p.l2_dirty_bytes}};
}

// Returns the allocations that an operation touches, of which it moves `bytes` together.
std::vector<used_bytes> uses_of(const state& s, const touched_memory& t, double bytes) {
  std::set<std::uint64_t> all = t.reads;
  all.insert(t.writes.begin(), t.writes.end());
  if (t.anything)
    for (const auto& [address, a] : s.allocations)
      if (a.kind == allocation_kind::device) all.insert(address);
  std::vector<used_bytes> uses;
  double sum = 0;
  for (const std::uint64_t address : all)
    if (const emulate::region* const r = s.memory.find(address)) {
      uses.push_back(
          {r->address, r->bytes, t.anything || t.reads.contains(address), t.anything || t.writes.contains(address)});
      sum += static_cast<double>(r->bytes);
    }
  const double part = sum > bytes && sum > 0 ? bytes / sum : 1;
  for (used_bytes& u : uses) u.bytes = static_cast<std::uint64_t>(part * static_cast<double>(u.bytes));
  return uses;
}

// Returns the nanoseconds in which DRAM writes what stores of earlier operations have left in L2.
double written_back(const device_rates& rates, const l2_use& found) {
  return found.written_back / (rates.dram * costs.device_copy_part);
}

// Returns the nanoseconds in which DRAM or L2 moves the bytes in each pass.
double moved(state& s, const std::vector<used_bytes>& uses, double bytes, double part_of_dram, double passes = 1) {
  const device_rates rates = rates_of(s);
  const l2_use found = s.l2.use(uses, rates.l2);
  return passes * (bytes * (1 - found.held) / (rates.dram * part_of_dram) + bytes * found.held / costs.l2_copy_rate) +
         written_back(rates, found);
}

math_rates math_rates_of(const state& s) {
  math_rates r;
  r.l2 = costs.l2_copy_rate;
  if (const timing::timed_gpu* const on = timing::find_timed_gpu(s.options.timed_gpu)) {
    constexpr double lanes_of_a_pipe = 64, doubles_in_a_clock = 128;  // of a multiprocessor
    r.clock = on->boost;
    r.multiprocessors = on->parameters.multiprocessors;
    r.lanes = lanes_of_a_pipe * on->parameters.float_pipes;
    r.doubles = doubles_in_a_clock / on->parameters.fp64_interval;
  }
  const timing::gpu_description* const known = timing::find_gpu(s.options.timed_gpu);
  set_product_rates(r, known != nullptr ? known->sm : the_device().sm);
  return r;
}

used_bytes use_at(const state& s, std::uint64_t address, std::uint64_t bytes, bool is_written) {
  const emulate::region* const r = s.memory.find(address);
  return {r != nullptr ? r->address : address, bytes, !is_written, is_written};
}

// Moves the pages of managed memory that a kernel touches for the first time. A kernel that touches them while they are
// on their way waits for them, so it is added after them. `most`: bytes that the kernel uses, or 0 if they are not
// known.
void migrate(state& s, const std::vector<used_bytes>& uses, double most) {
  std::uint64_t bytes = 0;
  for (const used_bytes& u : uses) {
    const auto it = s.allocations.find(u.address);
    if (it == s.allocations.end() || it->second.kind != allocation_kind::managed) continue;
    allocation& a = it->second;
    // Which of the arrays has most of the bytes is not known.
    const std::uint64_t missing = a.bytes - a.device_bytes;
    const std::uint64_t moves = most > 0 ? std::min(missing, static_cast<std::uint64_t>(most)) : missing;
    bytes += moves;
    a.device_bytes += moves;
  }
  if (most > 0) bytes = std::min(bytes, static_cast<std::uint64_t>(most));
  if (bytes == 0) return;
  s.clock.run({device_part::copies_to_device, costs.page_start + static_cast<double>(bytes) / costs.page_rate,
               named(timeline_kind::to_device, bytes)});
}

}  // namespace

double cost_of_call(const state& s, const copy& c) {
  return is_on_device(s, c) ? costs.call_device_copy : costs.call_copy;
}

double cost_of_call(const state&, const fill& f) {
  return moved_bytes(f) < inline_bytes ? costs.call_memset : costs.call_device_copy;
}

void add_to_clock(state& s, const copy& c) {
  const memory_place to = place_of(s, c.to), from = place_of(s, c.from);
  const auto bytes = static_cast<double>(moved_bytes(c));
  if (to == memory_place::device && from == memory_place::device) {
    const double time =
        has_rows(c) ? 2 * bytes / std::min(costs.pitched_copy_rate, rates_of(s).dram)
                    : moved(s, {use_at(s, c.from, moved_bytes(c), false), use_at(s, c.to, moved_bytes(c), true)},
                            2 * bytes, costs.device_copy_part);
    return s.clock.run({device_part::multiprocessors, costs.device_copy_start + time,
                        named(timeline_kind::on_device, moved_bytes(c))});
  }
  const bool is_pageable = to == memory_place::pageable || from == memory_place::pageable;
  if (to == memory_place::device) {
    s.clock.run({device_part::copies_to_device,
                 costs.to_device_start + bytes / (is_pageable ? costs.from_pageable_rate : costs.to_device_rate),
                 named(timeline_kind::to_device, moved_bytes(c))});
    if (is_pageable && moved_bytes(c) > inline_bytes) s.clock.await(s.clock.end_of_node() - costs.wait_end);
    return;
  }
  s.clock.run({from == memory_place::device ? device_part::copies_to_host : device_part::none,
               is_pageable ? costs.to_pageable_start + bytes / costs.to_pageable_rate
                           : costs.to_host_start + bytes / costs.to_host_rate,
               named(timeline_kind::to_host, moved_bytes(c))});
  if (is_pageable) s.clock.await(s.clock.end_of_node() - costs.wait_end);
}

void add_to_clock(state& s, const fill& f) {
  const std::uint64_t bytes = moved_bytes(f);
  const double time = moved(s, {use_at(s, f.to, bytes, true)}, static_cast<double>(bytes), 1);
  s.clock.run({device_part::multiprocessors, costs.memset_start + time, named(timeline_kind::fill, bytes)});
}

void add_library_call(state& s, const library_call& c) {
  std::vector<used_bytes> uses;
  double bytes = 0;
  for (const auto* list : {&c.reads, &c.writes})
    for (const memory_range& r : *list) {
      uses.push_back(use_at(s, r.address, r.bytes, list == &c.writes));
      bytes += static_cast<double>(r.bytes);
    }
  const library_time t = library_time_of(c.work, math_rates_of(s));
  bytes += static_cast<double>(c.read_again);
  const double memory = moved(s, uses, bytes, costs.library_part, c.work.passes);
  s.clock.run({.on = device_part::multiprocessors,
               .nanoseconds = costs.library_start * std::max(1.0, c.work.passes) + std::max(t.nanoseconds, memory),
               .what = {.kind = timeline_kind::library, .name = c.name},
               .waves = t.waves});
}

void add_prefetch(state& s, std::uint64_t address, std::uint64_t bytes, bool to_device) {
  const auto it = s.allocations.find(allocation_of(s, pointer_to(address)).first);
  if (it == s.allocations.end() || it->second.kind != allocation_kind::managed) return;
  allocation& a = it->second;
  // Which pages are on the device is unknown, only how many. So those of the range move as far as there are such pages.
  bytes = std::min(bytes, to_device ? a.bytes - a.device_bytes : a.device_bytes);
  if (bytes == 0) return;
  a.device_bytes = to_device ? a.device_bytes + bytes : a.device_bytes - bytes;
  const auto moved_bytes = static_cast<double>(bytes);
  s.clock.run(
      to_device ? timed_work{device_part::copies_to_device, costs.to_device_start + moved_bytes / costs.to_device_rate,
                             named(timeline_kind::to_device, bytes)}
                : timed_work{device_part::copies_to_host, costs.to_host_start + moved_bytes / costs.to_host_rate,
                             named(timeline_kind::to_host, bytes)});
}

void set_begin(const state& s, emulate::launch& l, const touched_memory& touches) {
  l.begins = s.clock.begin_of_next();
  const l2_size l2 = rates_of(s).l2;
  l.in_l2 = s.l2.part_of(uses_of(s, touches, l2.bytes), l2);
}

void add_to_clock(state& s, const program_clock::place& at, const call& c, const time_in_program& t,
                  const std::string& bound, const touched_memory& touches) {
  const std::vector<used_bytes> uses = uses_of(s, touches, t.touched_bytes);
  const device_rates rates = rates_of(s);
  const l2_use found = s.l2.use(uses, rates.l2);
  s.clock.resume(at);
  migrate(s, uses, t.dram_bytes);
  const double own = t.cold + found.held * (t.warm - t.cold);
  // DRAM writes earlier bytes back while it would be idle, and only then takes longer.
  const double idle =
      own - costs.empty_launch - t.dram_bytes * (1 - found.held) / (rates.dram * costs.device_copy_part);
  const double time = own + std::max(0.0, written_back(rates, found) - std::max(0.0, idle));
  s.clock.run_kernel({.on = device_part::multiprocessors,
                      .nanoseconds = time,
                      .what = {.name = c.what->kernel->name,
                               .grid = c.how.grid,
                               .block = c.how.block,
                               .bound = t.is_lower_bound ? std::string_view() : bound},
                      .use = t.use,
                      .waves = t.waves,
                      .begins_early = c.begins_early,
                      .after_trigger = t.after_trigger,
                      .until_wait = t.until_wait},
                     !t.is_lower_bound);
}

time_in_program time_on_clock(const state& s, const launch_report& l) {
  // The timer must not go backwards from launch to launch.
  const timing::timed_gpu* const on = timing::find_timed_gpu(s.options.timed_gpu);
  const double gigahertz = on != nullptr ? on->boost : the_device().gpu.clock_kilohertz / 1e6;
  const double seen = static_cast<double>(l.seen_cycles) / gigahertz;
  if (l.time.in_program) {
    time_in_program t = *l.time.in_program;
    // A scaled time is that of the work alone. DRAM may need longer for its bytes.
    if (t.is_lower_bound)
      t.cold = std::max(t.cold, costs.empty_launch + t.dram_bytes / (rates_of(s).dram * costs.device_copy_part));
    t.cold = std::max(t.cold, seen);
    t.warm = std::max(t.warm, seen);
    return t;
  }
  const time_bound b = bound_of(l);
  const double waited = static_cast<double>(l.waited_cycles) / gigahertz;
  const double used = std::min<double>(static_cast<double>(blocks_of(l.grid)), the_device().gpu.multiprocessors);
  const double least =
      costs.empty_launch +
      static_cast<double>(std::max(b.shared_cycles, b.issue_cycles)) / used / the_device().gpu.clock_kilohertz * 1e6 +
      waited;
  const double time = std::max(least, seen);
  return {.cold = time, .warm = time, .is_lower_bound = true};
}

}  // namespace bankwise::cuda
