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
  std::optional<swizzle> permute;  // for kinds with a swizzle, over bytes
  std::uint64_t wavefronts = 0;    // weighted, without accesses whose addresses depend on the data
  // wavefronts of the accesses whose addresses depend on the data, with the data of this run
  std::uint64_t of_data = 0;
  std::vector<std::uint64_t> by_group;
  std::uint64_t bytes = 0;   // size of the array, with all its stages
  bool plain = true;         // simple: no padding of or after an odd number of bytes, and no xor of many terms
  std::uint32_t blocks = 0;  // on a multiprocessor; 0 if unknown, or if it does not fit (advice::blocks_known)
};

// The part of a family that was searched.
struct family_report {
  family kind{};
  std::uint64_t tried = 0;  // layouts, or branches of a search
  // no layout of the family is better than the best one found; `scope` describes the family
  bool exhaustive = false;
  std::string scope;           // "pitches of 128 to 252 bytes"
  std::optional<answer> best;  // none if no layout of the family fits this array
};

// The effect of padding alone: after each row or, if no rows are known, after each row of banks.
struct padding_trials {
  u32 every = 0, step = 0;                           // bytes; every is 0 if none were tried
  std::vector<std::vector<std::uint64_t>> by_group;  // wavefronts with 0, step, 2 * step ... bytes of padding
};

struct advice {
  answer before;
  std::vector<std::uint64_t> executed_by_group;  // weighted warp instructions
  std::uint64_t floor = 0;                       // no placement of the words takes fewer wavefronts
  std::vector<std::uint64_t> floor_by_group;
  std::uint64_t floor_of_data = 0;  // the same for accesses whose addresses depend on the data
  std::uint64_t granule_floor = 0;  // the same for placements that keep `granule` bytes together
  u32 granule = 1;
  bool blocks_known = false;
  std::vector<family_report> families;  // searched layouts
  // Layouts that are better than the existing one, the best of each family. First the simple layouts, and those within
  // a few per cent of the best, by how much of the source changes; then the others.
  std::vector<answer> answers;
  std::optional<obstacle> why_not_lower;
  padding_trials paddings;
};

struct effort {
  std::uint64_t accesses = 2'000'000;  // limit of evaluated accesses, in all layouts together
  std::uint64_t words = 8'000'000;     // limit of words that each linear search examines
};

// `progress` is called now and then with the number of tried layouts and of layouts to try. The array must be at most
// most_array_bytes long.
advice advise(const problem& p, const effort& most = {},
              const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {});

}  // namespace bankwise::advise
