// Remedies for an array whose addresses depend on data. For such an array, no layout is good for all inputs. The rule
// counts each remedy for the input of the run, for generated inputs, and for the inputs of other runs:
//
//     sum ^= words[byte], 4,096 executed                     this input   uniform   skewed
//         as it is                                               13,016    12,984   11,466
//         32 copies, element i of a lane at i * 32 + lane         6,144     6,144    6,144
//
//     uniform   each lane wants each of its possible positions equally often
//     skewed    the n-th most frequent position is wanted 1/n times as often as the most frequent position
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/search/problem.hpp"

namespace bankwise::advise {

enum class data_remedy_kind : std::uint8_t {
  as_it_is,
  combine,  // one lane executes an atomic for all lanes of the warp that want the same word
  // Several copies of each element, next to each other. The lane's number selects the copy. If the program uses the
  // result of an atomic, copies are not possible.
  copies,
  own_bank,  // each lane's words are in the lane's own bank; only possible if each lane has its own positions
  sort,      // the data are sorted, so that lanes get the data in the order of the addresses
  sort_and_combine,
  // each lane keeps one element of a table of at most 32 elements in a register; the other lanes get the element by a
  // shuffle
  shuffle,
};
const char* name_of(data_remedy_kind k);  // returns a name: "as it is", "copies", ...

// The accesses of problem::of_data, with their addresses for another input of the program.
struct data_input {
  std::string name;
  std::vector<weighted_access> of_data;
  std::uint64_t others = 0;  // wavefronts of the accesses whose addresses do not depend on data
};

struct data_remedy {
  data_remedy_kind kind = data_remedy_kind::as_it_is;
  u32 copies = 1;
  u32 instead_of = 1;  // number of parts that this remedy merges into one part; different warps use different parts
  // For each input, the wavefronts of all accesses to the array. For copies, they include the accesses that initialise
  // the copies or add them up.
  std::vector<std::uint64_t> wavefronts;
  std::uint64_t bytes = 0;  // size of the array with all its stages; 0 if the elements are in registers
  u32 blocks = 0;           // blocks per multiprocessor; 0 if unknown
  bool few_warps = false;   // whether fewer blocks fit than before, and too few warps remain to hide latencies
};

struct data_remedies {
  // names of the inputs: "this input", "uniform", "skewed", and the inputs of other runs
  std::vector<std::string> inputs;
  std::uint64_t others = 0;  // wavefronts of this run's accesses whose addresses do not depend on data
  // whether the copies are counters that must be added up; if false, they are copies of a table
  bool counts = false;
  // The first entry is the unchanged array. Every other entry saves wavefronts for an input, and costs more for at most
  // half of the inputs. Remedies that do not change the input are first, sorted by their wavefronts for this run's
  // input.
  std::vector<data_remedy> list;
};

// Generated inputs: uniform and skewed. They have the lanes of this run, and only positions that are possible for each
// lane. The random numbers are the same in every run.
std::vector<weighted_access> uniform_input(const problem& p);
std::vector<weighted_access> skewed_input(const problem& p);

// Returns an empty list if no address depends on data. `tried` contains the inputs of other runs.
data_remedies find_data_remedies(const problem& p, const std::vector<data_input>& tried = {});

}  // namespace bankwise::advise
