// The rule of a machine that nobody has a rule for, from measurements alone.
//
// Every question is an access whose cost is far above what else limits a pipe, and differs by the answer:
//
//     how far to the same bank?     32 lanes T bytes apart: 32 wavefronts if T is a multiple of all rows of banks
//     how wide is a bank?           half of those lanes moved d bytes: still 32 wavefronts while d is in the same bank
//     do lanes i and j share a      n lanes on n rows of one bank, j moved to where i is: n - 1 wavefronts if they are
//     phase?                        served together and share the word, n if not
//     are phases merged?            partners i and i^x want the same, each phase a bank of its own: fewer wavefronts than
//                                   the phases one by one would take
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meter.hpp"

namespace bankwise::probe {

// How one kind of access is served.
struct found_phases {
  const probed_operation* operation = nullptr;
  std::vector<u32> phases;  // masks of the lanes that are served together, by their lowest lane
  bool shares = false;      // lanes on one word share the pass; if not, `phases` are those of a store as wide
  // Loads only: partners x for which phases are served in pairs if every lane's partner lane^x wants the same; and
  // which.
  std::vector<u32> merging_partners;
  std::vector<std::pair<std::size_t, std::size_t>> merged;  // indices into `phases`
  // What an access takes at least, whatever the banks do, in units of the meter: as it is, and where phases are merged.
  double floor = 0, floor_merged = 0;
  std::size_t tried = 0, explained = 0;  // random accesses, and those whose cost follows from what was found
};

struct found_machine {
  u32 banks = 0, bank_bytes = 0, row_bytes = 0;  // as in bank_model
  double clocks_per_wavefront = 0;               // 1 where wavefronts are measured
  std::vector<found_phases> operations;          // loads and stores of 4, 8 and 16 bytes, atomics of 4
};

// What an access costs, in units of the meter, by what was found.
double cost_of(const found_machine& m, const found_phases& p, const access& a);

// Asks `once`. `tries`: random accesses for each operation, to see whether what was found explains them.
// An error says which answers contradict each other.
result<found_machine> discover(const meter& once, std::size_t tries, std::uint64_t seed);

// "32 banks of 4 bytes", "lanes 0-15 and 16-31 together", ...: a few lines.
std::string to_text(const found_machine& m);

}  // namespace bankwise::probe
