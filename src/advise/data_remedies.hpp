// Remedies for an array whose addresses depend on the data: a layout that is good for one input is not good for the
// next. The rule counts each remedy for the input of the run, for made-up inputs, and for the inputs of other runs.
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
  // copies of each element, next to each other: a lane uses the copy with its number; not if the result of an atomic is
  // used
  copies,
  own_bank,  // each lane has its own positions: its words are in its own bank
  sort,      // lanes get their data in the order of their addresses
  sort_and_combine,
  shuffle,  // each lane holds an element of a table of at most 32, and the others read it from that lane
};
const char* name_of(data_remedy_kind k);  // "as it is", "copies", ...

// Addresses that are possible with other data, for the accesses of problem::of_data.
struct data_input {
  std::string name;
  std::vector<weighted_access> of_data;
  std::uint64_t others = 0;  // wavefronts of the accesses that do not depend on data
};

struct data_remedy {
  data_remedy_kind kind = data_remedy_kind::as_it_is;
  u32 copies = 1;
  u32 instead_of = 1;  // how many parts of the array, each used by separate warps, are counted as one
  // For each input, the wavefronts of all accesses to the array. Accesses that fill copies and add them up are counted
  // for each copy.
  std::vector<std::uint64_t> wavefronts;
  std::uint64_t bytes = 0;  // size of the array, with all its stages; 0 if it is in registers
  u32 blocks = 0;           // on a multiprocessor; 0 if unknown
  bool few_warps = false;   // fewer blocks than before, with too few warps to hide latencies
};

struct data_remedies {
  std::vector<std::string> inputs;  // "this input", "uniform", "skewed", and the inputs of other runs
  std::uint64_t others = 0;         // wavefronts of the accesses that do not depend on data, in the run
  bool counts = false;              // only atomics: copies are added up; otherwise they are copies of a table
  // The unchanged array is first. Then come remedies that save wavefronts for one input and cost more for at most half
  // of the inputs. The first of them is the best for the run's input among those that can be written now.
  std::vector<data_remedy> list;
};

// Made-up inputs, uniform and skewed, with the lanes of the run and the possible positions of its lanes. They always
// use the same random numbers.
std::vector<weighted_access> uniform_input(const problem& p);
std::vector<weighted_access> skewed_input(const problem& p);

// Empty if no address depends on data. `tried` are other runs.
data_remedies find_data_remedies(const problem& p, const std::vector<data_input>& tried = {});

}  // namespace bankwise::advise
