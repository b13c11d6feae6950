#include "runtime/launch/library_work.hpp"

#include <algorithm>
#include <cstring>

#include "base/format.hpp"
#include "base/text.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/operation_races.hpp"
#include "runtime/launch/pending.hpp"
#include "runtime/launch/repeated_launches.hpp"
#include "runtime/launch/timed_operations.hpp"

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
  add_library_call(s, c);
  note_use(s, c);
  if (c.begin) c.compute = c.begin();
  if (!put_off(s, c)) perform_library_call(s, c);
  return cudaSuccess;
}

void perform_library_call(state& s, const library_call& c) {
  the_operation_races().forget_host_bytes();
  c.compute([&](std::uint64_t address, std::uint64_t bytes) {
    if (!is_only_read(c, {address, bytes})) {
      the_repeated_launches().note_change(s, address, bytes);
      note_written(s, address, bytes);
    }
    return s.memory.bytes_at(address, bytes);
  });
}

}  // namespace bankwise::cuda
