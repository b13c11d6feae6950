// Remedies for an array whose addresses depend on the data, where a layout that suits one input does not suit the next.
// Each remedy is counted by the rule, on the input of the run, on invented inputs, and on the inputs of other runs.
//
//     sum ^= words[byte], 4,096 executed                     this input   uniform   skewed
//         as it is                                               13,016    12,984   11,466
//         32 copies, element i of a lane at i * 32 + lane         6,144     6,144    6,144
//
//     uniform   each lane wants each of its possible places equally often
//     skewed    the place that is wanted n-th most is wanted 1/n as often as the first
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/problem.hpp"

namespace bankwise::advise {

enum class data_remedy_kind : std::uint8_t {
  as_it_is,
  combine,  // lanes of a warp that want one word of an atomic are combined
  // of each element, next to each other: a lane takes the copy of its number; not if the result of an atomic is used
  copies,
  own_bank,  // each lane has its own places: its words go to its own bank
  sort,      // lanes get their data in the order of their addresses
  sort_and_combine,
  shuffle,  // each lane holds an element of a table of at most 32, and the others read it from that lane
};
const char* name_of(data_remedy_kind k);  // "as it is", "copies", ...

// Addresses that are possible with other data: those of problem::of_data.
struct data_input {
  std::string name;
  std::vector<weighted_access> of_data;
  std::uint64_t others = 0;  // wavefronts of the accesses that do not depend on data
};

struct data_remedy {
  data_remedy_kind kind = data_remedy_kind::as_it_is;
  u32 copies = 1;
  u32 instead_of = 1;  // how many parts of the array, each used by separate warps, count as one
  // For each input, over all accesses of the array: accesses that fill copies and add them up are counted for each
  // copy.
  std::vector<std::uint64_t> wavefronts;
  std::uint64_t bytes = 0;  // bytes that the array takes, with all its stages; 0 if it is in registers
  u32 blocks = 0;           // on a multiprocessor; 0 if not known
  bool few_warps = false;   // fewer blocks than before, and too few warps there to hide latencies
};

struct data_remedies {
  std::vector<std::string> inputs;  // "this input", "uniform", "skewed", and the inputs of other runs
  std::uint64_t others = 0;         // wavefronts of the accesses that do not depend on data; of the run
  bool counts = false;              // only atomics: copies are added up; otherwise they are copies of a table
  // The unchanged array comes first. Then come remedies that save on an input and cost more on at most half of the
  // inputs: the best one for the run's input that can be written now comes first.
  std::vector<data_remedy> list;
};

// With the lanes of the run and the possible places of its lanes: uniform, skewed. Always the same random numbers.
std::vector<weighted_access> uniform_input(const problem& p);
std::vector<weighted_access> skewed_input(const problem& p);

// Empty where no address depends on data. `tried` are other runs.
data_remedies find_data_remedies(const problem& p, const std::vector<data_input>& tried = {});

}  // namespace bankwise::advise
