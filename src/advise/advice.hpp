// Searches the paddings and swizzles that remove bank conflicts, each with its cost. Every cost comes from the rule,
// applied to every access at its address in the layout.
//
//     float tile[32][32], written by rows, read by columns       33 -> 2 wavefronts for a pair of accesses
//         row padding    tile[32][33]       128 bytes more
//         swizzle        <5,2,5>            none
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advise/problem.hpp"
#include "advise/search/families.hpp"
#include "advise/search/obstacle.hpp"

namespace bankwise::advise {

struct answer {
  family kind = family::as_it_is;
  relayout layout;
  std::optional<swizzle> permute;  // for families with a swizzle, over bytes
  std::uint64_t wavefronts = 0;    // weighted sum, without accesses whose addresses depend on the data
  // Wavefronts of the accesses whose addresses depend on the data, with the data of this run.
  std::uint64_t of_data = 0;
  std::vector<std::uint64_t> by_group;
  std::uint64_t bytes = 0;   // size of the array with all its stages
  bool plain = true;         // whether the layout is simple: few xor terms, and a padding of a round size
  std::uint32_t blocks = 0;  // blocks per multiprocessor; 0 if unknown, or if the array does not fit
};

// What was searched in a family.
struct family_report {
  family kind{};
  std::uint64_t tried = 0;  // number of tried layouts, or of branches of a search
  // Whether it is certain that no layout of the family is better than the best one found. `scope` describes the family.
  bool exhaustive = false;
  std::string scope;           // example: "pitches of 128 to 252 bytes"
  std::optional<answer> best;  // empty if no layout of the family fits this array
};

// The effect of padding alone: after each row or, if no rows are known, after each row of banks.
struct padding_trials {
  u32 every = 0, step = 0;                           // bytes; `every` is 0 if no padding was tried
  std::vector<std::vector<std::uint64_t>> by_group;  // by group: wavefronts with 0, step, 2 * step ... bytes of padding
};

struct advice {
  answer before;
  std::vector<std::uint64_t> executed_by_group;  // weighted warp instructions
  std::uint64_t floor = 0;                       // lower bound of the wavefronts in any layout
  std::vector<std::uint64_t> floor_by_group;
  std::uint64_t floor_of_data = 0;  // lower bound for accesses whose addresses depend on the data
  std::uint64_t granule_floor = 0;  // lower bound for layouts that keep `granule` bytes together
  u32 granule = 1;
  bool blocks_known = false;
  std::vector<family_report> families;  // searched layouts
  // Layouts that are better than the existing one: the best layout of each family. First come simple layouts, and
  // layouts that cost at most a few per cent more than the best, by how much of the source changes. The other layouts
  // follow.
  std::vector<answer> answers;
  std::optional<obstacle> why_not_lower;
  padding_trials paddings;
};

struct effort {
  std::uint64_t accesses = 2'000'000;  // limit of evaluated accesses in all layouts together
  std::uint64_t words = 8'000'000;     // limit of words that each linear search examines
};

// Searches layouts. Sometimes calls `progress` with the numbers of tried layouts and of layouts to try. The array may
// have at most most_array_bytes.
advice advise(const problem& p, const effort& most = {},
              const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {});

}  // namespace bankwise::advise
