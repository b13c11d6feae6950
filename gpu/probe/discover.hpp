// Finds the rule of an unknown machine from measurements alone.
//
// Every question is an access. The cost of the access depends on the answer, and is far above all other limits of the
// GPU.
//
//     how far is the same bank?     32 lanes T bytes apart: 32 wavefronts if T is a multiple of all rows of banks
//     how wide is a bank?           half of these lanes moved by d bytes: 32 wavefronts while they are in the same bank
//     do lanes i and j share a      n lanes on n rows of one bank, with j moved to the row of i: n - 1 wavefronts if i
//     phase?                        and j are in one phase and share the word, otherwise n
//     are phases merged?            partners i and i^x want the same word, and each phase has its own bank: fewer
//                                   wavefronts than the phases would take separately
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meter.hpp"

namespace bankwise::probe {

// The phases in which an operation is served.
struct found_phases {
  const probed_operation* operation = nullptr;
  std::vector<u32> phases;  // masks of the lanes in each phase, in the order of the lowest lanes
  // Whether lanes that want one word share the wavefront. If not, `phases` are the phases of a store of the same width.
  bool shares = false;
  // For loads: each x for which pairs of phases merge if every lane and its partner lane^x want the same word. `merged`
  // lists these pairs.
  std::vector<u32> merging_partners;
  std::vector<std::pair<std::size_t, std::size_t>> merged;  // pairs of phases, as indices into `phases`
  // The minimum cost of an access, independent of its addresses, in units of the meter. `floor` is for separate phases,
  // and `floor_merged` is for merged phases.
  double floor = 0, floor_merged = 0;
  // Number of random accesses, and number of random accesses whose cost the findings explain.
  std::size_t tried = 0, explained = 0;
};

struct found_machine {
  u32 banks = 0, bank_bytes = 0, row_bytes = 0;  // as in bank_model
  double clocks_per_wavefront = 0;               // clocks of a wavefront; 1 if the meter counts wavefronts
  std::vector<found_phases> operations;          // loads and stores of 4, 8 and 16 bytes, and atomics of 4 bytes
};

// Returns the predicted cost of an access, in units of the meter. The prediction uses the findings.
double cost_of(const found_machine& m, const found_phases& p, const access& a);

// Asks each question by measuring accesses with the meter `once`. `tries` is the number of random accesses of each
// operation that check the findings. An error names the answers that contradict each other.
result<found_machine> discover(const meter& once, std::size_t tries, std::uint64_t seed);

// Returns some lines of text: "32 banks of 4 bytes", "lanes 0-15 and 16-31 together", ...
std::string to_text(const found_machine& m);

}  // namespace bankwise::probe
