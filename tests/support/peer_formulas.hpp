// Formulas of other tools for the wavefronts of an access, in a few lines each, for comparisons with the rule.
//
//                                                  ld.b128 16 * (t / 2)     st.b64 8 * (t / 2)     ld.b32 0
//     the hardware                                          2                       2                  1
//     phases                 Triton                         4                       2                  1
//     merged phases          NVIDIA's forum                 2                       1                  1
//     first phase            nvFuser, hidet                 4                       2                  1
//     words of the warp      tensor-layouts                 2                       1                  1
//     first words            GPGPU-Sim, Accel-Sim           2                       1                  1
//     lanes in a bank        cuda-oxide, TVM, cupr          4                       2                 32
//     bytes as banks         gem5                           8                       4                  1
//
// The formulas were written from the projects' sources and documents. For projects that run without a GPU, data/peers
// has the results of the projects' own code, and peer_formulas_test compares the formulas with these results.
#pragma once

#include <span>

#include "bankwise/access.hpp"

namespace bankwise::test {

struct peer_formula {
  const char* name;
  const char* used_by;
  u32 (*wavefronts)(const access&);
};

// Returns all formulas. The rule of this project is first.
std::span<const peer_formula> peer_formulas();

// A phase has 32, 16 or 8 lanes, depending on the width. It takes as many wavefronts as there are words in the bank
// with the most words. Source: generic swizzling in Triton (lib/Tools/GenericSwizzling.cpp, bankConflicts), which only
// supports loads and stores with all lanes and powers of two.
u32 by_phases(const access& a);
// Like by_phases, but pairs of phases merge if lanes i and i^1, or lanes i and i^2, access one address. The NVIDIA
// forum (77228) describes this rule for loads of compute capability 7.x. Other sources quote the rule for all accesses.
u32 by_merged_phases(const access& a);
// Multiplies the cost of the first phase, counted with the first word of each lane, by the number of phases. Ignores
// masks. Source: nvFuser (csrc/device_lower/analysis/bank_conflict.cpp).
u32 by_first_phase(const access& a);
// Counts all words of all lanes in one phase. Source: tensor-layouts (bank_conflicts), PantheonSim (count_addresses),
// and most calculators.
u32 by_words_of_the_warp(const access& a);
// Counts the first word of every lane in one phase. Source: GPGPU-Sim, Accel-Sim and FlashGPU-Sim
// (warp_inst_t::generate_mem_accesses, one warp part), rocjitsu's cycle model (MemorySystem::lds_latency).
u32 by_first_words(const access& a);
// Counts the lanes whose access begins in the same bank, even if they access one word. Source: cuda-oxide
// (conflict_degree), TVM's AutoPadder, cupr.
u32 by_lanes_in_a_bank(const access& a);
// Takes the address modulo 32 as the bank, without dividing it by four. Equal addresses of loads and stores count once.
// Source: gem5 (LdsState::countBankConflicts), made for AMD's local data share.
u32 by_bytes_as_banks(const access& a);

}  // namespace bankwise::test
