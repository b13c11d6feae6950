// Remedies for a site whose lanes want one word. The lanes combine values, or the word gets copies. The cost with each
// remedy is computed from the launch's addresses.
//
//     sum += x by 8 warps, 288 rounds each    lanes combined first: 8 to 36 rounds together
//                                             a copy for each warp: 256
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/report.hpp"

namespace bankwise {

enum class remedy_kind : std::uint8_t {
  combine,      // the lanes of a warp that want one word combine their values before the access
  copy_a_warp,  // each warp has a copy of the words
  combine_and_copy_a_warp,
  copy_a_lane,  // each lane has a copy in the lane's own bank, at index word * 32 + lane
};
const char* name_of(remedy_kind k);  // returns a name such as "combine"
// Returns words such as "if the lanes of a warp that update one word are combined first".
const char* words_of(remedy_kind k);

struct remedy {
  remedy_kind what = remedy_kind::combine;
  // whether the cost is a number of rounds of a compare-and-swap loop; if false, it is a number of wavefronts
  bool of_rounds = false;
  std::uint64_t least = 0, most = 0;  // range of the cost, which depends on the order of warps
  // whether the cost has a limit; a lock has no limit, because lanes repeat the loop as long as the lock is held
  bool bounded = true;
  std::uint64_t further_bytes = 0;  // additional bytes of shared memory for each block
};

// Keeps only one lane, the lowest, for each word.
access combined(access a);

// Returns the remedies that reduce the cost of an atomic, or of a compare-and-swap loop. Returns an empty list for all
// other accesses. The list is also empty if the block has no memory for copies, or if the report lacks the necessary
// counts.
std::vector<remedy> remedies_of(const launch_report& l, const site& s);
inline const char* unit_of(const remedy& one) { return one.of_rounds ? "rounds" : "wavefronts"; }
// Returns the cost, for example "64 to 288 rounds" or "64 wavefronts, 7,936 bytes more of shared memory".
std::string cost_of(const remedy& one);
// Returns a text such as "if the lanes of a warp that update one word are combined first: 64 to 288 rounds; with one
// copy ...". Returns an empty string if there are no remedies.
std::string remedies_sentence(const launch_report& l, const site& s);

}  // namespace bankwise
