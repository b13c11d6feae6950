#include "operation.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/text.hpp"
#include "call_sites.hpp"
#include "device.hpp"
#include "emulate/launch_check.hpp"
#include "graph.hpp"
#include "profile/fold.hpp"
#include "profile/launch_watch.hpp"
#include "profile/profile_launch.hpp"

namespace bankwise::cuda {

namespace {

constexpr double launch_nanoseconds = 2000;                  // of a launch that does nothing
constexpr double copy_nanoseconds = 1000;                    // of a copy of nothing
constexpr double bytes_a_nanosecond = 50;                    // of a copy
constexpr unsigned most_depth = 24;                          // of launches from kernels, as CUDA has it
constexpr std::size_t most_launches = std::size_t{1} << 16;  // different ones in a report

error error_of(emulate::fault_kind k) {
  using kind = emulate::fault_kind;
  switch (k) {
    case kind::invalid_launch: return cudaErrorInvalidConfiguration;
    case kind::invalid_cluster: return cudaErrorInvalidClusterSize;
    case kind::cooperative_too_large: return cudaErrorCooperativeLaunchTooLarge;
    case kind::stack_overflow:  // seen as nothing else: local memory is memory
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

// The launch did not begin: the program may go on.
bool is_refusal(emulate::fault_kind k) {
  using kind = emulate::fault_kind;
  return k == kind::invalid_launch || k == kind::invalid_cluster || k == kind::cooperative_too_large ||
         k == kind::out_of_memory;
}

// The device's clock goes on by what the launch takes at least: shared pipes and issue slots, with blocks on as many
// multiprocessors as there are.
double time_of(const launch_report& l) {
  const time_bound b = bound_of(l);
  const double used = std::min<double>(static_cast<double>(blocks_of(l.grid)), the_device().multiprocessors);
  return launch_nanoseconds +
         static_cast<double>(std::max(b.shared_cycles, b.issue_cycles)) / used / the_device().clock_kilohertz * 1e6;
}

error check(const function& f, const launch_shape& l) {
  const cubin::kernel& k = *f.kernel;
  static constexpr std::uint32_t most_grid[] = {0x7fffffff, 65535, 65535}, most_block[] = {1024, 1024, 64};
  const std::uint32_t grid[] = {l.grid.x, l.grid.y, l.grid.z}, block[] = {l.block.x, l.block.y, l.block.z};
  for (unsigned i = 0; i < 3; ++i)
    if (grid[i] == 0 || grid[i] > most_grid[i] || block[i] == 0 || block[i] > most_block[i])
      return cudaErrorInvalidConfiguration;
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  if (threads > cubin::most_threads_a_block) return cudaErrorInvalidConfiguration;
  if (threads > k.max_threads) return cudaErrorInvalidValue;
  if (l.dynamic_shared_bytes > f.max_dynamic_shared_bytes) return cudaErrorInvalidValue;
  const cubin::occupancy fits = cubin::blocks_per_multiprocessor(
      device_multiprocessor(), {static_cast<std::uint32_t>(threads), k.registers,
                                k.static_shared_bytes + static_cast<std::uint32_t>(l.dynamic_shared_bytes)});
  if (fits.blocks == 0) return cudaErrorLaunchOutOfResources;
  const std::uint64_t blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
  if (l.cooperative && blocks > std::uint64_t{fits.blocks} * static_cast<unsigned>(the_device().multiprocessors))
    return cudaErrorCooperativeLaunchTooLarge;
  return cudaSuccess;
}

struct child {
  call what;
  bool last = false;
};

// What a kernel launches, for the launch hook of its own: it is checked at once and begins later.
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
    say("a kernel's launch of " + wanted.kernel->name + " is refused: error " + std::to_string(e));
    return false;
  };
}

// A launch that was stopped before its end: nothing that follows can be right, and the report ends with it.
error end_partial(state& s, const call& c, launch_report l) {
  diagnostic why = l.stopped_at;
  for (std::string& line : names_of_calls("launched in ", c.launched_at, c.what->kernel->full_name))
    why.trail.push_back(std::move(line));
  say(to_text(why));
  const bool spent = l.partial.why == early_end::reason::budget;
  if (s.done.launches.size() < most_launches) add_launch(s.done, std::move(l));
  s.sticky = cudaErrorLaunchTimeout;
  if (spent) {
    s.done.partial.why = early_end::reason::budget;
    write_report(s);
    write_fault(s, "kernel " + c.what->kernel->name + " was stopped by --budget");
  } else {
    answer_stop(s);
  }
  return cudaSuccess;
}

// The kernel, then what it launched, in this order, each with what that launches: a launch is over when all of that is.
error run(state& s, const call& c, unsigned depth) {
  if (stop_asked(s) != 0) {
    s.sticky = cudaErrorLaunchTimeout;
    answer_stop(s);
    return cudaSuccess;
  }
  emulate::launch l = c.how;
  l.threads = s.threads;
  l.seed = s.seed;
  l.strict_bounds = s.strict_bounds;
  if (s.budget != 0) l.budget = s.budget;
  if (const auto stack = s.limits.find(stack_limit); stack != s.limits.end())
    l.stack_bytes = static_cast<std::uint32_t>(stack->second);
  l.most_blocks = s.most_blocks;
  emulate::fault_kind fault{};
  l.fault = &fault;
  emulate::launch_hooks hooks;
  const auto print_to = [](std::FILE* stream) {
    return [stream](std::string_view text) {
      std::fwrite(text.data(), 1, text.size(), stream);
      std::fflush(stream);
    };
  };
  hooks.print = print_to(stdout);
  hooks.print_error = print_to(stderr);
  std::vector<child> children;
  if (depth < most_depth) hooks.launch = collect_children(s, *c.what->owner, children);
  if (s.control.control != nullptr) hooks.stop = &s.control.control->stop;
  launch_watch watch(l, ++s.launched);
  auto profiled = profile_launch(
      l, s.memory, s.done.on, [&](const emulate::launch_progress& p) { watch.update(p); },
      s.keep_accesses ? most_accesses : 0, hooks, s.wanted);
  if (!profiled) {
    diagnostic why = profiled.error();
    for (std::string& line : names_of_calls("launched in ", c.launched_at, c.what->kernel->full_name))
      why.trail.push_back(std::move(line));
    say(to_text(why));
    if (is_refusal(fault)) return error_of(fault);
    s.sticky = error_of(fault);
    s.done.partial.why = early_end::reason::fault;
    write_report(s);
    write_fault(s, "kernel " + c.what->kernel->name + " failed, as the lines above say");
    return cudaSuccess;  // a launch does not wait for what it begins: the next call hears of it
  }
  for (out_of_bounds_access& a : profiled->out_of_bounds)
    for (std::string& line : names_of_calls("launched in ", c.launched_at, c.what->kernel->full_name))
      a.trail.push_back(std::move(line));
  s.nanoseconds += time_of(*profiled);
  if (profiled->partial) return end_partial(s, c, std::move(*profiled));
  if (s.done.launches.size() < most_launches) add_launch(s.done, std::move(*profiled));
  write_report_now_and_then(s);
  std::stable_partition(children.begin(), children.end(), [](const child& one) { return !one.last; });
  for (const child& one : children) {
    if (s.sticky != cudaSuccess) break;
    if (const error e = run(s, one.what, depth + 1); e != cudaSuccess) return e;
  }
  return cudaSuccess;
}

error run(state& s, const call& c) { return run(s, c, 0); }

// The bytes of a box, first to last.
std::size_t reach(std::size_t pitch, std::size_t slice, std::size_t width, std::size_t height, std::size_t depth) {
  return (depth - 1) * slice + (height - 1) * pitch + width;
}

// Where the host finds these bytes of the device; null: not there.
std::byte* device_bytes(state& s, std::uint64_t address, std::size_t bytes) { return s.memory.at(address, bytes); }

error run(state& s, const copy& c) {
  if (c.width == 0 || c.height == 0 || c.depth == 0) return cudaSuccess;
  if (c.height > 1 && (c.to_pitch < c.width || c.from_pitch < c.width)) return cudaErrorInvalidPitchValue;
  const std::size_t to_bytes = reach(c.to_pitch, c.to_slice, c.width, c.height, c.depth);
  const std::size_t from_bytes = reach(c.from_pitch, c.from_slice, c.width, c.height, c.depth);
  std::byte* to = device_bytes(s, c.to, to_bytes);
  const std::byte* from = device_bytes(s, c.from, from_bytes);
  const bool to_device = c.kind == host_to_device || c.kind == device_to_device;
  const bool from_device = c.kind == device_to_host || c.kind == device_to_device;
  // What the device does not know is the host's own, unless it is said or seen to be the device's.
  const auto only_on_device = [&](std::uint64_t address) {
    const emulate::region* r = s.memory.find(address);
    return r != nullptr && reinterpret_cast<std::uint64_t>(r->data) != r->address;
  };
  if (to == nullptr && (to_device || only_on_device(c.to))) return cudaErrorInvalidValue;
  if (from == nullptr && (from_device || only_on_device(c.from))) return cudaErrorInvalidValue;
  if (c.to == 0 || c.from == 0) return cudaErrorInvalidValue;
  if (to == nullptr) to = reinterpret_cast<std::byte*>(c.to);
  if (from == nullptr) from = reinterpret_cast<const std::byte*>(c.from);
  for (std::size_t z = 0; z < c.depth; ++z)
    for (std::size_t y = 0; y < c.height; ++y)
      std::memmove(to + z * c.to_slice + y * c.to_pitch, from + z * c.from_slice + y * c.from_pitch, c.width);
  s.nanoseconds += copy_nanoseconds + static_cast<double>(c.width * c.height * c.depth) / bytes_a_nanosecond;
  return cudaSuccess;
}

error run(state& s, const fill& f) {
  if (f.width == 0 || f.height == 0 || f.depth == 0) return cudaSuccess;
  if (f.element_bytes != 1 && f.element_bytes != 2 && f.element_bytes != 4) return cudaErrorInvalidValue;
  const std::size_t width = f.width * f.element_bytes;
  if (f.height > 1 && f.pitch < width) return cudaErrorInvalidPitchValue;
  std::byte* to = device_bytes(s, f.to, reach(f.pitch, f.slice, width, f.height, f.depth));
  if (to == nullptr) return cudaErrorInvalidValue;
  for (std::size_t z = 0; z < f.depth; ++z)
    for (std::size_t y = 0; y < f.height; ++y) {
      std::byte* row_begin = to + z * f.slice + y * f.pitch;
      if (f.element_bytes == 1)
        std::memset(row_begin, static_cast<int>(f.value), width);
      else
        for (std::size_t x = 0; x < width; x += f.element_bytes) std::memcpy(row_begin + x, &f.value, f.element_bytes);
    }
  s.nanoseconds += copy_nanoseconds + static_cast<double>(width * f.height * f.depth) / bytes_a_nanosecond;
  return cudaSuccess;
}

// The program's own function may call the runtime from other threads.
error run(state& s, const host_call& h) {
  s.mutex.unlock();
  if (h.plain != nullptr)
    h.plain(h.data);
  else
    h.with_stream(h.on, cudaSuccess, h.data);
  s.mutex.lock();
  return cudaSuccess;
}

error run(state& s, const recording& r) {
  r.what->recorded = true;
  r.what->nanoseconds = s.nanoseconds;
  return cudaSuccess;
}

error run(state& s, const make_memory& m) {
  if (s.memory.find(m.address) != nullptr) return cudaSuccess;
  if (!s.memory.place(m.address, m.bytes, "cudaMallocAsync memory of a graph")) return cudaErrorMemoryAllocation;
  s.allocations[m.address] = {.bytes = m.bytes, .of_graph = true};
  s.most_graph_bytes = std::max(s.most_graph_bytes, graph_bytes(s));
  return cudaSuccess;
}

error run(state& s, const release_memory& r) {
  const auto it = s.allocations.find(r.address);
  if (it == s.allocations.end()) return cudaErrorInvalidValue;
  s.memory.release(r.address);
  s.allocations.erase(it);
  return cudaSuccess;
}

error run(state& s, const child_graph& c) { return perform_all(s, *c.what); }
error run(state&, const waiting&) { return cudaSuccess; }
error run(state&, const std::monostate&) { return cudaSuccess; }

}  // namespace

std::uint64_t graph_bytes(const state& s) {
  std::uint64_t bytes = 0;
  for (const auto& [address, a] : s.allocations) bytes += a.of_graph ? a.bytes : 0;
  return bytes;
}

error find_kernel(state& s, const void* stub, function*& found) {
  found = find_function(s, stub);
  if (found == nullptr) return cudaErrorInvalidDeviceFunction;
  if (found->owner->status != cudaSuccess) return found->owner->status;
  return found->kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
}

error read_attributes(const launch_attribute* attributes, unsigned count, launch_shape& shape) {
  if (count != 0 && attributes == nullptr) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < count; ++i) {
    const launch_attribute& a = attributes[i];
    if (a.id == launch_cooperative) shape.cooperative = a.cooperative != 0;
    if (a.id != launch_cluster) continue;
    if (a.cluster.x == 0 && (a.cluster.y != 0 || a.cluster.z != 0)) return cudaErrorInvalidClusterSize;
    shape.cluster = a.cluster;
  }
  return cudaSuccess;
}

error make_call(function& f, const launch_shape& shape, byte_span parameters, call& made) {
  if (const error e = check(f, shape); e != cudaSuccess) return e;
  if (parameters.size() < cubin::parameter_bytes(*f.kernel)) return cudaErrorInvalidValue;
  parameters = parameters.first(cubin::parameter_bytes(*f.kernel));
  made.what = &f;
  made.launched_at = call_sites();
  made.how.program = &*f.owner->program;
  made.how.kernel = f.kernel;
  made.how.grid = {shape.grid.x, shape.grid.y, shape.grid.z};
  made.how.block = {shape.block.x, shape.block.y, shape.block.z};
  made.how.dynamic_shared_bytes = static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
  made.how.cooperative = shape.cooperative;
  made.how.cluster = {shape.cluster.x, shape.cluster.y, shape.cluster.z};
  if (made.how.cluster[0] == 0) made.how.cluster = f.cluster;
  made.how.large_clusters = f.large_clusters;
  if (!emulate::check_cluster(made.how)) return cudaErrorInvalidClusterSize;
  made.how.parameters.assign(parameters.begin(), parameters.end());
  return cudaSuccess;
}

error make_call(function& f, const launch_shape& shape, void** arguments, call& made) {
  std::vector<std::byte> bytes(cubin::parameter_bytes(*f.kernel));
  for (std::size_t i = 0; i < f.kernel->params.size(); ++i) {
    const cubin::parameter& p = f.kernel->params[i];
    if (arguments == nullptr || arguments[i] == nullptr) return cudaErrorInvalidValue;
    std::memcpy(bytes.data() + p.offset, arguments[i], p.bytes);
  }
  return make_call(f, shape, bytes, made);
}

copy row(void* to, const void* from, std::size_t bytes, copy_kind kind) {
  copy c;
  c.to = reinterpret_cast<std::uint64_t>(to);
  c.from = reinterpret_cast<std::uint64_t>(from);
  c.width = bytes;
  c.kind = kind;
  return c;
}

error make_copy(const copy_3d_parameters& p, copy& made) {
  if (p.from_array != nullptr || p.to_array != nullptr) return cudaErrorNotSupported;
  const auto slice = [](const pitched_pointer& b) { return b.pitch * b.height; };
  const auto start = [&](const pitched_pointer& b, const position& at) {
    return reinterpret_cast<std::uint64_t>(b.pointer) + at.z * slice(b) + at.y * b.pitch + at.x;
  };
  made = {start(p.to, p.to_position),
          start(p.from, p.from_position),
          p.to.pitch,
          p.from.pitch,
          slice(p.to),
          slice(p.from),
          p.size.width,
          p.size.height,
          p.size.depth,
          p.kind};
  return cudaSuccess;
}

error perform(state& s, const operation& o) {
  return std::visit([&](const auto& what) { return run(s, what); }, o);
}

error enqueue(state& s, stream* handle, operation o) {
  stream* on = find_stream(s, handle);
  if (on == nullptr) return cudaErrorInvalidResourceHandle;
  if (on->capture == nullptr) return perform(s, o);
  node* added = add_node(s, *on->capture, std::move(o), on->last);
  on->last = {added};
  return cudaSuccess;
}

}  // namespace bankwise::cuda
