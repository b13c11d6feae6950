// All accesses that one machine instruction made in one launch, added up. The members are the rows of site.def.
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

// An access that was executed `count` times. Addresses are from the start of the kernel's own shared memory; 0 for
// inactive lanes.
struct recorded_access {
  access what{};
  std::uint64_t count = 0;
};

// How many 4-byte values from one instruction go through shared memory. Only if the accesses are kept (value_flow.hpp).
struct passed_values {
  std::uint64_t words = 0;           // values that it stored, and that lanes loaded
  std::uint64_t to_other_warps = 0;  // how many of these values a lane of another warp loaded
  // Only for a load: the number of shuffles that would replace it. For each word that it loads, one shuffle for each
  // register of each executed store that holds the word of some lane. 0 if it also loaded values of other warps.
  std::uint64_t shuffles = 0;

  friend bool operator==(const passed_values&, const passed_values&) = default;
};

// A site can also be another operation on shared memory, which `async` names. Then it has no worst access, and no
// layout saves anything. For wgmma, `passes` are clocks of the tensor cores, and `cycles` is the larger of these and
// its wavefronts.
struct site : counts, instruction_place {
#define OWN_MEMBERS
#define MEMBER(type, name, initial, tells, adds) type name{initial};
#include "model/site.def"
};

// Whether they are equal in all facts that distinguish sites, from `least` on.
bool same(const site& a, const site& b, tells least);
// Adds the same instruction of another launch, with other data.
void add_site(site& to, const site& more);
// Multiplies each of its counts by the number of launches.
void multiply(site& s, std::uint64_t launches);

inline bool is_access(const site& s) { return s.async.kind == async_kind::none; }
inline bool is_mbarrier(const site& s) {
  return s.async.kind == async_kind::barrier || s.async.kind == async_kind::barrier_init;
}
inline bool goes_round(const site& s) { return s.again.rounds > s.again.entries; }

// The other runs with the same counts, if grid, block and shared memory do not change.
enum class validity : std::uint8_t {
  unknown,          // the code calls functions, or does not belong to the kernel itself
  this_run,         // it depends on data, or on the order of execution
  these_arguments,  // whatever the data
  every_launch,
};
validity validity_of(const site& s);
const char* name_of(validity v);   // "unknown", "this_run", "these_arguments", "every_launch"
const char* words_of(validity v);  // "all data, with these arguments"; empty if unknown

// Whether its addresses depend on data. Then another input has other addresses, and a layout that is good for this
// input may be bad for others.
bool depends_on_data(const site& s);

}  // namespace bankwise
