// Remedies for a site whose lanes want one word: to combine values, or to have copies of the word. The cost with each
// remedy is computed from the addresses of the launch.
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
  combine,      // the lanes of a warp that want one word are combined before the access
  copy_a_warp,  // each warp has a copy of the words
  combine_and_copy_a_warp,
  copy_a_lane,  // each lane has a copy in its own bank, at word * 32 + lane
};
const char* name_of(remedy_kind k);   // for example "combine"
const char* words_of(remedy_kind k);  // for example "if the lanes of a warp that update one word are combined first"

struct remedy {
  remedy_kind what = remedy_kind::combine;
  // the cost is in rounds of a loop around a compare-and-swap; otherwise in wavefronts
  bool of_rounds = false;
  std::uint64_t least = 0, most = 0;  // the range of the cost, which depends on the order of warps
  // false for a lock: other lanes repeat the loop as long as the lock is held, so there is no limit
  bool bounded = true;
  std::uint64_t further_bytes = 0;  // additional bytes of a block's shared memory
};

// Removes all but the lowest of the lanes that want the same word.
access combined(access a);

// The remedies that reduce the cost of a loop around a compare-and-swap or of an atomic. Empty for other accesses, if a
// block has no memory for copies, and for reports without the necessary counts.
std::vector<remedy> remedies_of(const launch_report& l, const site& s);
inline const char* unit_of(const remedy& one) { return one.of_rounds ? "rounds" : "wavefronts"; }
// For example "64 to 288 rounds", "64 wavefronts, 7,936 bytes more of shared memory".
std::string cost_of(const remedy& one);
// For example "if the lanes of a warp that update one word are combined first: 64 to 288 rounds; with one copy ...".
// Empty if there are no remedies.
std::string remedies_sentence(const launch_report& l, const site& s);

}  // namespace bankwise
