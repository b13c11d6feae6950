#include "runtime/stream/operation.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "runtime/device/report_file.hpp"
#include "runtime/launch/operation_races.hpp"
#include "runtime/launch/pending.hpp"
#include "runtime/launch/repeated_launches.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/stream/graph.hpp"
#include "runtime/stream/host_function.hpp"
#include "runtime/stream/in_flight.hpp"
#include "runtime/stream/thread_stream.hpp"

namespace bankwise::cuda {

namespace {

// During the call, the lock is released, because the program's function may wait for other threads that call the
// runtime.
error run_operation(state& s, const host_call& h) {
  const program_clock::place at = s.clock.here();
  s.mutex.unlock();
  if (h.plain != nullptr)
    call_program(h.plain, h.data);
  else
    call_program(h.with_stream, h.on, h.data);
  s.mutex.lock();
  s.clock.resume(at);
  s.clock.run({device_part::none, costs.host_function, {.kind = timeline_kind::host_function, .name = {}}});
  the_operation_races().give_up(s);  // the function may wake a thread of the program
  return cudaSuccess;
}

error run_operation(state& s, const recording& r) {
  r.what->recorded = true;
  r.what->at = s.clock.record(r.what->timed);
  the_operation_races().record(*r.what);
  return cudaSuccess;
}

error run_operation(state& s, const make_memory& m) {
  if (s.memory.find(m.address) != nullptr) return cudaSuccess;
  if (!s.memory.place(m.address, m.bytes, "cudaMallocAsync memory of a graph")) return cudaErrorMemoryAllocation;
  the_repeated_launches().note_change(s, m.address, m.bytes);
  s.allocations[m.address] = {.bytes = m.bytes, .of_graph = true};
  s.most_graph_bytes = std::max(s.most_graph_bytes, graph_bytes(s));
  return cudaSuccess;
}

error run_operation(state& s, const release_memory& r) {
  if (r.address == 0) return cudaErrorInvalidValue;
  the_operation_races().note_free(s, r.address);
  const error e = release(s, pointer_to(r.address), false);
  if (e != cudaSuccess) note_bad_free(s, "cudaFreeAsync", r.address);
  return e;
}

error run_operation(state& s, const child_graph& c) {
  begin_conditions(s, *c.what);
  return perform_all(s, *c.what);
}

std::size_t bytes_of(const memory_operation& o) { return o.kind == write_64 || o.kind == wait_64 ? 8 : 4; }

// Whether the value in memory ends the wait of the operation.
bool holds(const memory_operation& o, const std::byte* at) {
  std::uint64_t now = 0;
  std::memcpy(&now, at, bytes_of(o));
  const std::uint64_t mask = bytes_of(o) == 8 ? ~std::uint64_t{0} : 0xffffffff, value = o.word.value & mask;
  switch (o.word.flags & 7) {
    // a cyclic comparison: the difference is not negative
    case at_least: return ((now - value) & mask) <= mask >> 1;
    case equal: return now == value;
    case any_bit: return (now & value) != 0;
    default: return (~(now | value) & mask) != 0;
  }
}

// Waits until another stream, thread or process writes a value. The program continues meanwhile.
error wait_for_word(state& s, const memory_operation& o) {
  using namespace std::chrono_literals;
  for (;;) {
    // The address is looked up each time, because the memory may have moved or been freed.
    const std::byte* const at = s.memory.bytes_at(o.word.address, bytes_of(o));
    if (at == nullptr) return cudaErrorInvalidValue;
    if (holds(o, at)) return cudaSuccess;
    if (stop_asked(s) != 0) return cudaErrorLaunchTimeout;
    if (parked_work* const own = parked_work::current()) {
      if (!own->wait(false)) return cudaErrorLaunchTimeout;
      continue;
    }
    s.mutex.unlock();
    std::this_thread::sleep_for(1ms);
    s.mutex.lock();
  }
}

error run_operation(state& s, const word_operations& w) {
  the_operation_races().give_up(s);
  for (const memory_operation& o : w.what) {
    if (o.kind == flush_writes || o.kind == memory_barrier) continue;
    const bool writes = o.kind == write_32 || o.kind == write_64;
    const std::size_t bytes = bytes_of(o);
    settle(s, o.word.address, bytes, writes);
    std::byte* const at = s.memory.bytes_at(o.word.address, bytes);
    if (at == nullptr) return cudaErrorInvalidValue;
    if (writes) {
      std::memcpy(at, &o.word.value, bytes);
      the_repeated_launches().note_change(s, o.word.address, bytes);
      note_written(s, o.word.address, bytes);
    } else if (const error e = wait_for_word(s, o); e != cudaSuccess) {
      return e;
    }
  }
  return cudaSuccess;
}

error run_operation(state& s, const conditional& c) {
  const auto value = [&] {
    const auto it = s.conditions.find(c.handle);
    return it != s.conditions.end() ? it->second.value : 0u;
  };
  if (c.type == condition_switch) return value() < c.bodies.size() ? perform_all(s, *c.bodies[value()]) : cudaSuccess;
  if (c.type == condition_if) {
    if (value() != 0) return perform_all(s, *c.bodies[0]);
    return c.bodies.size() == 2 ? perform_all(s, *c.bodies[1]) : cudaSuccess;
  }
  while (value() != 0 && s.sticky == cudaSuccess) {
    if (const error e = perform_all(s, *c.bodies[0]); e != cudaSuccess) return e;
    // If launches are sampled or skipped, the kernel that ends the loop may never change the condition. So the loop
    // ends here.
    if (s.time.is_over() || s.sampled) {
      s.sampled = true;
      break;
    }
  }
  return cudaSuccess;
}

error run_operation(state& s, const waiting&) {
  the_operation_races().give_up(s);
  return cudaSuccess;
}
error run_operation(state&, const std::monostate&) { return cudaSuccess; }

error check(const state& s, const memory_operation& o) {
  switch (o.kind) {
    case flush_writes:
    case memory_barrier: return cudaSuccess;
    case wait_32:
    case wait_64:
    case write_32:
    case write_64: break;
    default: return cudaErrorInvalidValue;
  }
  const bool waits = o.kind == wait_32 || o.kind == wait_64;
  constexpr unsigned no_barrier = 1, flushes = 1u << 30;
  const bool known = waits ? (o.word.flags & ~flushes) <= any_bit_missing : o.word.flags <= no_barrier;
  const bool there = o.word.address % bytes_of(o) == 0 && s.memory.bytes_at(o.word.address, bytes_of(o)) != nullptr;
  return known && there ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

std::uint64_t graph_bytes(const state& s) {
  std::uint64_t bytes = 0;
  for (const auto& [address, a] : s.allocations) bytes += a.of_graph ? a.bytes : 0;
  return bytes;
}

error make_words(const state& s, const memory_operation* what, unsigned count, word_operations& made) {
  if (count != 0 && what == nullptr) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < count; ++i)
    if (const error e = check(s, what[i]); e != cudaSuccess) return e;
  made.what.assign(what, what + count);
  return cudaSuccess;
}

// A launch that faults counts as performed, so this call succeeds. Operations that wait for the launch's results return
// the error.
error perform(state& s, const operation& o) {
  const bool failed_before = s.sticky != cudaSuccess;
  const error e = std::visit([&](const auto& what) { return run_operation(s, what); }, o);
  if (e != cudaSuccess || failed_before || std::holds_alternative<call>(o) || std::holds_alternative<child_graph>(o))
    return e;
  return s.sticky;
}

error enqueue(state& s, stream* handle, operation o) {
  stream* on = find_stream(s, handle);
  if (on == nullptr) return cudaErrorInvalidResourceHandle;
  if (on->capture == nullptr) {
    const error e = begin(s, *on, std::move(o));
    return e == cudaSuccess && handle == until_done ? finish(s, *on) : e;
  }
  if (on->capture->invalid) return cudaErrorStreamCaptureInvalidated;
  node* added = add_node(s, *on->capture, std::move(o), on->last);
  on->last = {added};
  return cudaSuccess;
}

}  // namespace bankwise::cuda
