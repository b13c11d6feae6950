// What helps an array whose addresses depend on the data, where a layout that suits one input is chance for the next.
// Each remedy is counted by the rule, on the input of the run, on inputs that are made up, and on those of other runs.
//
//     sum ^= words[byte], 4,096 executed                     this input   uniform   skewed
//         as it is                                               13,016    12,984   11,466
//         32 copies, element i of a lane at i * 32 + lane         6,144     6,144    6,144
//
//     uniform   each lane wants any of the places that it can want, all alike
//     skewed    the place that is wanted n-th most is wanted 1/n as often as the first
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/problem.hpp"

namespace bankwise::advise {

enum class data_remedy_kind : std::uint8_t {
  as_it_is,
  combine,  // the lanes of a warp that want one word of an atomic come as one
  // of each element, side by side: a lane takes that of its number; not where what an atomic gives back is used
  copies,
  own_bank,  // each lane has places that no other wants: its words go to a bank of its own
  sort,      // lanes get their data in the order of their addresses
  sort_and_combine,
  shuffle,  // a lane holds an element of a table of at most 32, and the others ask it
};
const char* name_of(data_remedy_kind k);  // "as it is", "copies", ...

// Addresses that might have been wanted: those of problem::of_data with other data.
struct data_input {
  std::string name;
  std::vector<weighted_access> of_data;
  std::uint64_t others = 0;  // wavefronts of the accesses that do not depend on data
};

struct data_remedy {
  data_remedy_kind kind = data_remedy_kind::as_it_is;
  u32 copies = 1;
  u32 instead_of = 1;  // so many parts of the array that warps have for themselves are one
  // For each input, of all accesses of the array: those that fill copies and add them up are made for each.
  std::vector<std::uint64_t> wavefronts;
  std::uint64_t bytes = 0;  // that the array takes, with all its stages; 0: it is in registers
  u32 blocks = 0;           // on a multiprocessor; 0: not known
  bool few_warps = false;   // fewer blocks than before, and too few warps there to hide latencies
};

struct data_remedies {
  std::vector<std::string> inputs;  // "this input", "uniform", "skewed", and those of other runs
  std::uint64_t others = 0;         // wavefronts of the accesses that do not depend on data; of the run
  bool counts = false;              // atomics alone: copies are added up; else they are a table's
  // As it is first. Then those that save on an input and cost more on at most half of them: what is best for the run's
  // input and can be written now comes first.
  std::vector<data_remedy> list;
};

// With the lanes that the run had and the places that its lanes can want: uniform, skewed. Always the same draws.
std::vector<weighted_access> uniform_input(const problem& p);
std::vector<weighted_access> skewed_input(const problem& p);

// Empty where no address depends on data. `tried` are other runs.
data_remedies find_data_remedies(const problem& p, const std::vector<data_input>& tried = {});

}  // namespace bankwise::advise
