// The cost of a site whose lanes want one word if its values were combined, or if its words had copies. It is computed
// from the addresses of the launch.
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
  copy_a_warp,  // of the words
  combine_and_copy_a_warp,
  copy_a_lane,  // word * 32 + lane: each lane has a bank
};
const char* name_of(remedy_kind k);   // "combine", ...
const char* words_of(remedy_kind k);  // "if the lanes of a warp that update one word are combined first"

struct remedy {
  remedy_kind what = remedy_kind::combine;
  bool of_rounds = false;             // for a loop around a compare-and-swap; otherwise wavefronts
  std::uint64_t least = 0, most = 0;  // the range depends on the order of warps
  // false for a lock: others wait as long as it is held, so there is no limit
  bool bounded = true;
  std::uint64_t further_bytes = 0;  // of a block's shared memory
};

// Keeps only the lowest of the lanes that want one word.
access combined(access a);

// The remedies that reduce the cost of a loop around a compare-and-swap, or of an atomic. Empty for other accesses, if
// no block has the memory for copies, and for reports without these facts.
std::vector<remedy> remedies_of(const launch_report& l, const site& s);
inline const char* unit_of(const remedy& one) { return one.of_rounds ? "rounds" : "wavefronts"; }
// "64 to 288 rounds", "64 wavefronts, 7,936 bytes more of shared memory"
std::string cost_of(const remedy& one);
// "if the lanes of a warp that update one word are combined first: 64 to 288 rounds; with one copy ..."; empty if there
// are none
std::string remedies_sentence(const launch_report& l, const site& s);

}  // namespace bankwise
