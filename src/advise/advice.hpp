// The paddings and swizzles that remove bank conflicts, each with its cost. Every number comes from the rule, applied
// to every access at its address in the layout.
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
  std::optional<swizzle> permute;  // of the kinds that have one, over bytes
  std::uint64_t wavefronts = 0;    // weighted, without accesses whose addresses depend on the data
  std::uint64_t of_data = 0;       // the wavefronts of these, as in this run
  std::vector<std::uint64_t> by_group;
  std::uint64_t bytes = 0;   // that the array takes, with all its stages
  bool plain = true;         // simple: no padding of an odd number of bytes or after one, and no xor of many terms
  std::uint32_t blocks = 0;  // on a multiprocessor; 0 if not known, or if it does not fit (advice::blocks_known)
};

// The part of one family that was searched.
struct family_report {
  family kind{};
  std::uint64_t tried = 0;  // layouts, or branches of a search
  // no layout of the family is better than the best one found; `scope` describes the family
  bool exhaustive = false;
  std::string scope;           // "pitches of 128 to 252 bytes"
  std::optional<answer> best;  // none if no layout of the family fits this array
};

// The effect of free bytes alone: after each row, or after each row of banks if no rows are known.
struct padding_trials {
  u32 every = 0, step = 0;                           // bytes; every is 0 if none were tried
  std::vector<std::vector<std::uint64_t>> by_group;  // wavefronts with 0, step, 2 * step ... free bytes
};

struct advice {
  answer before;
  std::vector<std::uint64_t> executed_by_group;  // weighted warp instructions
  std::uint64_t floor = 0;                       // no placement of the words goes below this
  std::vector<std::uint64_t> floor_by_group;
  std::uint64_t floor_of_data = 0;  // the same for accesses whose addresses depend on the data
  std::uint64_t granule_floor = 0;  // the same for placements that keep `granule` bytes together
  u32 granule = 1;
  bool blocks_known = false;
  std::vector<family_report> families;  // searched layouts
  // Better than before, the best of each family. First simple layouts and those within a few per cent of the best, by
  // how much of the source changes; then the others.
  std::vector<answer> answers;
  std::optional<obstacle> why_not_lower;
  padding_trials paddings;
};

struct effort {
  std::uint64_t accesses = 2'000'000;  // that may be judged, in all layouts together
  std::uint64_t words = 8'000'000;     // layouts that each linear search may examine
};

// `progress` is called now and then with layouts tried and to try. The array must be at most most_array_bytes long.
advice advise(const problem& p, const effort& most = {},
              const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {});

}  // namespace bankwise::advise
