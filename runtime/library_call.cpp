#include "runtime/library_call.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/format.hpp"
#include "base/text.hpp"
#include "runtime/clock/timed_operations.hpp"
#include "runtime/cudart/runtime_call.hpp"
#include "runtime/formatted_by_driver.hpp"
#include "runtime/launch/repeated_launches.hpp"
#include "runtime/memory/allocation.hpp"

namespace bankwise::cuda {

namespace {

void note_use(state& s, const library_call& c) {
  std::vector<library_use>& uses = s.done.library_calls;
  const auto known = std::find_if(uses.begin(), uses.end(), [&](const library_use& u) {
    return u.function == c.name && u.computed_by == c.computed_by;
  });
  if (known != uses.end())
    ++known->calls;
  else
    uses.push_back({std::string(c.name), 1, std::string(c.computed_by)});
}

// Returns the first range of the call that is not inside an allocation, or null.
const memory_range* first_outside(const state& s, const library_call& c) {
  for (const auto* list : {&c.reads, &c.writes})
    for (const memory_range& r : *list)
      if (r.bytes != 0 && s.memory.bytes_at(r.address, r.bytes) == nullptr) return &r;
  return nullptr;
}

// Returns the call with the ranges that the pointers in its arrays point to. First runs the pending operations that
// write these pointers.
library_call with_pointers(state& s, const library_call& c) {
  library_call all = c;
  all.arrays.clear();
  for (const pointer_array& a : c.arrays) {
    const memory_range own{a.address, a.count * sizeof(std::uint64_t)};
    all.reads.push_back(own);
    settle(s, own.address, own.bytes, false);
    const std::byte* const pointers = s.memory.bytes_at(own.address, own.bytes);
    if (pointers == nullptr) return all;  // first_outside() reports the missing array
    for (std::uint64_t i = 0; i < a.count; ++i) {
      memory_range r{0, a.bytes};
      std::memcpy(&r.address, pointers + i * sizeof r.address, sizeof r.address);
      (a.writes ? all.writes : all.reads).push_back(r);
    }
  }
  return all;
}

// Whether the call reads these bytes and does not write any of them.
bool is_only_read(const library_call& c, const memory_range& what) {
  const auto holds = [&](const memory_range& r) {
    return what.address >= r.address && what.address - r.address <= r.bytes &&
           what.bytes <= r.bytes - (what.address - r.address);
  };
  const auto meets = [&](const memory_range& r) {
    return r.address < what.address + what.bytes && what.address < r.address + r.bytes;
  };
  return std::any_of(c.reads.begin(), c.reads.end(), holds) && std::none_of(c.writes.begin(), c.writes.end(), meets);
}

}  // namespace

error run_operation(state& s, const library_call& given) {
  library_call c = given.arrays.empty() ? given : with_pointers(s, given);
  if (const memory_range* const r = first_outside(s, c)) {
    say(formatted("{} accesses {} bytes at 0x{}, which are not completely in one allocation: {}", c.name, r->bytes,
                  hex(r->address), s.memory.describe_nearest(r->address)));
    return cudaErrorInvalidValue;
  }
  std::uint64_t bytes = 0;
  for (const auto* list : {&c.reads, &c.writes})
    for (const memory_range& r : *list) bytes += r.bytes;
  add_library_call(s, c.name, bytes);
  note_use(s, c);
  if (c.begin) c.compute = c.begin();
  if (!put_off(s, c)) perform_library_call(s, c);
  return cudaSuccess;
}

void perform_library_call(state& s, const library_call& c) {
  c.compute([&](std::uint64_t address, std::uint64_t bytes) {
    if (!is_only_read(c, {address, bytes})) the_repeated_launches().note_change(s, address, bytes);
    return s.memory.bytes_at(address, bytes);
  });
}

namespace {

// Runs the body of a call from a library in math/, and converts the error to an outcome.
template <class Body>
outcome for_library(Body body) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  switch (answer_of(s, body)) {
    case cudaSuccess: return outcome::done;
    case cudaErrorMemoryAllocation: return outcome::out_of_memory;
    case cudaErrorInvalidValue: return outcome::invalid;
    default: return outcome::failed;
  }
}

}  // namespace

outcome call_library(stream* on, library_call c) {
  return for_library([&](state& s) {
    const stream* const found = find_stream(s, on);
    if (found != nullptr && found->capture != nullptr && !c.host_results.empty())
      return cudaErrorStreamCaptureUnsupported;
    return enqueue(s, on, std::move(c));
  });
}

outcome copy_for_library(void* to, const void* from, std::size_t rows, std::size_t row_bytes, std::size_t to_pitch,
                         std::size_t from_pitch, stream* on) {
  return for_library([&](state& s) {
    copy c = row(to, from, row_bytes, by_address);
    c.height = rows;
    c.to_pitch = to_pitch;
    c.from_pitch = from_pitch;
    return enqueue(s, on, c);
  });
}

outcome allocate_for_library(void** pointer, std::size_t bytes) {
  return for_library([&](state& s) { return allocate_on_device(s, pointer, bytes); });
}

outcome release_for_library(void* pointer) {
  return for_library([&](state& s) { return release_when_idle(s, pointer, false); });
}

int missing_entry(std::atomic<bool>& is_reported, const char* name, const char* library, int not_supported) {
  if (!is_reported.exchange(true))
    say(formatted("the function {} is not in bankwise's {} yet, so the call returns {} (not supported)", name, library,
                  not_supported));
  return not_supported;
}

std::string formatted_values(std::string_view pattern, const format_detail::value* values, std::size_t count) {
  return format_detail::join(pattern, values, count);
}

}  // namespace bankwise::cuda
