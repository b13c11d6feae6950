// Remedies for an array whose addresses depend on the data, for which a layout that is good for one input is bad for
// the next. The rule counts each remedy for the input of the run, for made-up inputs, and for the inputs of other runs.
//
//     sum ^= words[byte], 4,096 executed                     this input   uniform   skewed
//         as it is                                               13,016    12,984   11,466
//         32 copies, element i of a lane at i * 32 + lane         6,144     6,144    6,144
//
//     uniform   each lane wants each of its possible positions equally often
//     skewed    the position that is wanted n-th most is wanted 1/n as often as the first
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/problem.hpp"

namespace bankwise::advise {

enum class data_remedy_kind : std::uint8_t {
  as_it_is,
  combine,  // one lane acts for all lanes of a warp that want one word of an atomic
  // Several copies of each element, next to each other. The lane's number selects the copy. Not possible if the result
  // of an atomic is used.
  copies,
  own_bank,  // each lane has its own positions, so its words can be in its own bank
  sort,      // lanes get their data in the order of the addresses
  sort_and_combine,
  shuffle,  // each lane keeps an element of a table of at most 32 elements, and other lanes read it by a shuffle
};
const char* name_of(data_remedy_kind k);  // returns "as it is", "copies", ...

// The addresses of the accesses in problem::of_data with other data.
struct data_input {
  std::string name;
  std::vector<weighted_access> of_data;
  std::uint64_t others = 0;  // wavefronts of the accesses that do not depend on data
};

struct data_remedy {
  data_remedy_kind kind = data_remedy_kind::as_it_is;
  u32 copies = 1;
  u32 instead_of = 1;  // number of parts, each used by separate warps, that this remedy replaces by one part
  // For each input, the wavefronts of all accesses to the array. Accesses that fill copies, and that add copies up, are
  // counted for each copy.
  std::vector<std::uint64_t> wavefronts;
  std::uint64_t bytes = 0;  // size of the array with all its stages; 0 if it is in registers
  u32 blocks = 0;           // blocks per multiprocessor; 0 if unknown
  bool few_warps = false;   // whether fewer blocks fit than before, with too few warps to hide latencies
};

struct data_remedies {
  std::vector<std::string> inputs;  // names: "this input", "uniform", "skewed", and the inputs of other runs
  std::uint64_t others = 0;         // wavefronts of the accesses in the run that do not depend on data
  bool counts = false;              // whether the copies are counters to add up, not copies of a table
  // The first entry is the unchanged array. The others save wavefronts for an input, and cost more for at most half of
  // the inputs. Among remedies that need no change of the input, the best for the run's input is first.
  std::vector<data_remedy> list;
};

// Made-up inputs: uniform and skewed. They have the lanes of the run, and the positions that are possible for each
// lane. The random numbers are always the same.
std::vector<weighted_access> uniform_input(const problem& p);
std::vector<weighted_access> skewed_input(const problem& p);

// Empty if no address depends on data. `tried` contains the inputs of other runs.
data_remedies find_data_remedies(const problem& p, const std::vector<data_input>& tried = {});

}  // namespace bankwise::advise
