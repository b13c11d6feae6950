// All accesses of one machine instruction in one launch, added up. The members are the rows of site.def.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankwise/asynchronous_cost.hpp"
#include "bankwise/wavefronts.hpp"
#include "expr/names/machine_names.hpp"
#include "expr/names/operation_names.hpp"
#include "model/counts.hpp"
#include "model/fact.hpp"
#include "model/parts/instruction_place.hpp"
#include "model/time/stall_cycles.hpp"
#include "sass/flow/inputs.hpp"

namespace bankwise {

// An access that was executed `count` times. Addresses start at the beginning of the kernel's own shared memory.
// Inactive lanes have address 0.
struct recorded_access {
  access what{};
  std::uint64_t count = 0;
};

// Values of 4 bytes that pass through shared memory, from one instruction to others. They are set only if accesses are
// kept (value_flow.hpp).
struct passed_values {
  std::uint64_t words = 0;           // number of values that the instruction stored, and that lanes loaded
  std::uint64_t to_other_warps = 0;  // number of these values that lanes of other warps loaded
  // For a load: the number of shuffles that could replace the load. The number is 0 if the load also got values of
  // other warps. The values of a load may come from several registers, or from several executions of a store. Each
  // register and each execution needs a separate shuffle.
  std::uint64_t shuffles = 0;

  friend bool operator==(const passed_values&, const passed_values&) = default;
};

// The site of an instruction. If the instruction is an asynchronous operation, `async` is set, there is no worst
// access, and no layout saves wavefronts. For wgmma, `passes` are clocks of the tensor cores, and `cycles` is the
// larger one of its passes and its wavefronts.
struct site : counts, instruction_place {
#define OWN_MEMBERS
#define MEMBER(type, name, initial, tells, adds) type name{initial};
#include "model/site.def"
};

// Whether two sites are equal in all facts whose level in `tells` is at least `least`.
bool same(const site& a, const site& b, tells least);
// Adds the site of the same instruction in a launch with different data.
void add_site(site& to, const site& more);
void multiply(site& s, std::uint64_t launches);

inline bool is_access(const site& s) { return s.async.kind == async_kind::none; }
inline bool is_mbarrier(const site& s) {
  return s.async.kind == async_kind::barrier || s.async.kind == async_kind::barrier_init;
}
inline bool goes_round(const site& s) { return s.again.rounds > s.again.entries; }

// Which other runs with the same grid, block and shared memory have the same counts.
enum class validity : std::uint8_t {
  unknown,          // unknown, because the code calls functions or does not belong to the kernel itself
  this_run,         // only this run, because counts depend on data or on the order of execution
  these_arguments,  // all runs with these arguments, with any data
  every_launch,
};
validity validity_of(const site& s);
const char* name_of(validity v);   // returns "unknown", "this_run", "these_arguments" or "every_launch"
const char* words_of(validity v);  // returns words such as "all data, with these arguments"; empty if unknown

// Whether the addresses of the site depend on data. If so, a layout that is good for these data may be bad for
// different data.
bool depends_on_data(const site& s);

}  // namespace bankwise
