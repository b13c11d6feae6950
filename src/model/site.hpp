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
#include "model/parts/stall_cycles.hpp"
#include "sass/flow/inputs.hpp"

namespace bankwise {

// An access that was executed `count` times. Addresses from the start of the kernel's own shared memory; 0 for lanes
// that do not take part.
struct recorded_access {
  access what{};
  std::uint64_t count = 0;
};

// How many values of 4 bytes go from one instruction through shared memory, where the accesses are kept
// (value_flow.hpp).
struct passed_values {
  std::uint64_t words = 0;           // that it stored, and lanes loaded
  std::uint64_t to_other_warps = 0;  // the part of these values that a lane of another warp loaded
  // Only for a load: the shuffles that would replace it. For each word that it loads, one shuffle for each register of
  // each executed store that holds the word of some lane. 0 if it also loaded values of other warps.
  std::uint64_t shuffles = 0;

  friend bool operator==(const passed_values&, const passed_values&) = default;
};

// Or another operation on shared memory: `async` names it; it has no worst access, and no layout saves anything. For
// wgmma, `passes` are clocks of the tensor cores, and `cycles` is the larger of these and its wavefronts.
struct site : counts, instruction_place {
#define OWN_MEMBERS
#define MEMBER(type, name, initial, tells, adds) type name{initial};
#include "model/site.def"
};

// Whether they are equal in all facts that distinguish sites, from `least` on.
bool same(const site& a, const site& b, tells least);
// One instruction in launches that differ in their data.
void add_site(site& to, const site& more);
// Multiplies each of its counts by the number of launches.
void multiply(site& s, std::uint64_t launches);

inline bool is_access(const site& s) { return s.async.kind == async_kind::none; }
inline bool is_mbarrier(const site& s) {
  return s.async.kind == async_kind::barrier || s.async.kind == async_kind::barrier_init;
}
inline bool goes_round(const site& s) { return s.again.rounds > s.again.entries; }

// The other runs for which its counts are the same, if grid, block and shared memory are unchanged.
enum class validity : std::uint8_t {
  unknown,          // the code calls functions, or is not the kernel's own
  this_run,         // it depends on data, or on what happens first
  these_arguments,  // whatever the data
  every_launch,
};
validity validity_of(const site& s);
const char* name_of(validity v);   // "unknown", "this_run", "these_arguments", "every_launch"
const char* words_of(validity v);  // "all data, with these arguments"; empty if not known

// Whether its addresses depend on data: another input has other addresses, so a layout that suits these is chance.
bool depends_on_data(const site& s);

}  // namespace bankwise
