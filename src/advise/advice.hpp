// Searches for paddings and swizzles that remove bank conflicts, and computes the cost of each layout. The rule counts
// every access at its new address.
//
//     float tile[32][32], written by rows, read by columns       33 -> 2 wavefronts for a pair of accesses
//         row padding    tile[32][33]       128 bytes more
//         swizzle        <5,2,5>            none
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advise/search/families.hpp"
#include "advise/search/obstacle.hpp"
#include "advise/search/problem.hpp"

namespace bankwise::advise {

struct answer {
  family kind = family::as_it_is;
  relayout layout;
  std::optional<swizzle> permute;  // the swizzle over byte offsets; empty if the family has no swizzle
  std::uint64_t wavefronts = 0;    // weighted sum over the accesses whose addresses do not depend on data
  // Wavefronts of the accesses whose addresses depend on data, for the data of this run.
  std::uint64_t of_data = 0;
  std::vector<std::uint64_t> by_group;
  std::uint64_t bytes = 0;   // size of the array with all its stages
  bool plain = true;         // whether the layout is simple: few terms of an xor, and a padding with a round period
  std::uint32_t blocks = 0;  // blocks per multiprocessor; 0 if the number is unknown or the array does not fit
};

struct family_report {
  family kind{};
  std::uint64_t tried = 0;  // number of tried layouts, or of examined branches
  // Whether the search proved that no layout of the family is better than `best`. `scope` describes the searched
  // layouts.
  bool exhaustive = false;
  std::string scope;           // example: "pitches of 128 to 252 bytes"
  std::optional<answer> best;  // empty if no layout of the family fits this array
};

// The effect of a padding without other changes. The padding follows each row. If the rows are unknown, the padding
// follows each row of banks.
struct padding_trials {
  // paddings of multiples of `step` bytes, after every `every` bytes; `every` is 0 if no paddings were tried
  u32 every = 0, step = 0;
  // for each group: wavefronts with 0, step, 2 * step ... bytes of padding
  std::vector<std::vector<std::uint64_t>> by_group;
};

struct advice {
  answer before;
  std::vector<std::uint64_t> executed_by_group;  // weighted warp instructions
  std::uint64_t floor = 0;                       // lower bound of the wavefronts for all layouts
  std::vector<std::uint64_t> floor_by_group;
  std::uint64_t floor_of_data = 0;  // lower bound of the wavefronts of accesses whose addresses depend on data
  std::uint64_t granule_floor = 0;  // lower bound of the wavefronts for layouts that keep `granule` bytes together
  u32 granule = 1;
  bool blocks_known = false;
  std::vector<family_report> families;  // searched layouts
  // The best layout of each family that is better than the existing layout, in this order:
  //   - Simple layouts that cost at most 5 % more than the best simple layout. Layouts with which fewer blocks fit on a
  //     multiprocessor are last. Otherwise, the layout that changes less of the source is first.
  //   - All other simple layouts, sorted by cost.
  //   - All layouts that are not simple, sorted by cost.
  std::vector<answer> answers;
  std::optional<obstacle> why_not_lower;
  padding_trials paddings;
};

struct effort {
  std::uint64_t accesses = 2'000'000;  // most accesses that are counted, in all layouts together
  std::uint64_t words = 8'000'000;     // largest number of words that each linear search examines
  // whether to also find advice::why_not_lower and advice::paddings
  bool explains = true;
  // Not zero: the search ends soon. Its result is then incomplete, and depends on the time of the stop.
  const std::atomic<std::uint32_t>* stop = nullptr;

  bool is_stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed) != 0; }
};

// Searches layouts. Calls `progress` from time to time with the number of tried layouts and the number of all layouts.
// The array must not be larger than most_array_bytes.
advice advise(const problem& p, const effort& most = {},
              const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {});

}  // namespace bankwise::advise
