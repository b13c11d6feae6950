// The known facts about every GPU's shared memory: banks, phases, merging, and the source of each rule.
//
// An address belongs to one bank, and to one row of that bank; a bank returns one row in each wavefront:
//
//     bank = (address / bank_bytes) mod banks          row = address / (banks * row_bytes)
//
//     Maxwell .. Blackwell     32 banks, bank_bytes 4, row_bytes 4     a row of a bank is one word
//     Kepler, 8-byte mode      32 banks, bank_bytes 8, row_bytes 8     a row of a bank is two neighbouring words
//     Kepler, 4-byte mode      32 banks, bank_bytes 4, row_bytes 8     a row of a bank is words w and w + 32
//
// Lanes are served in phases: `phase_lanes` neighbouring lanes at a time, by the width of the access.
// Sources are abbreviated: Guide = CUDA C Programming Guide, "Compute Capabilities"; ncu = Nsight Compute.
#pragma once

#include "bankwise/ability.hpp"
#include "bankwise/access.hpp"
#include "bankwise/asynchronous.hpp"

namespace bankwise {

// How a phase's words turn into passes.
enum class serving : u8 {
  rows_per_bank,      // as many passes as the fullest bank has distinct rows
  one_broadcast,      // compute capability 1.x: a pass broadcasts one word; other lanes go one per bank
  quarters_plus_one,  // compute capability 2.x at 128 bits: 1 + the worst quarter-warp
};

// The rule of one machine, without its name: small, copied by value, usable in device code.
struct bank_model {
  u16 banks;                // at most most_banks
  u16 bank_bytes;           // consecutive bytes that belong to one bank
  u16 row_bytes;            // bytes of one row of one bank
  u8 phase_lanes[3];        // lanes served together at up to 4, at 8 and at 16 bytes a lane
  u8 split_bytes;           // wider accesses are served as requests of this many bytes a lane; 0: never split
  bool merges_loads;        // neighbouring phases of a wide load may be served as one (wavefronts.hpp)
  serving narrow;           // up to 8 bytes a lane
  serving wide;             // 16 bytes a lane
  u8 clocks_per_wavefront;  // of a multiprocessor
  bool crossed_loads =
      false;  // loads of 16 bytes: lanes 0-3 with 20-23, 4-7 with 16-19, 8-11 with 28-31, 12-15 with 24-27
};

// The existing machines. `mode_bytes` is Kepler's setting of its banks, 4 or 8; all later architectures have Maxwell's
// model. Turing takes two clocks for each wavefront.
BANKWISE_HD constexpr bank_model tesla_model() {
  return {16, 4, 4, {16, 16, 16}, 4, false, serving::one_broadcast, serving::one_broadcast, 2};
}
BANKWISE_HD constexpr bank_model fermi_model() {
  return {32, 4, 4, {32, 16, 8}, 0, false, serving::rows_per_bank, serving::quarters_plus_one, 2};
}
BANKWISE_HD constexpr bank_model kepler_model(u32 mode_bytes) {
  return {32, static_cast<u16>(mode_bytes), 8, {32, 32, 32}, 0, false, serving::rows_per_bank, serving::rows_per_bank,
          1};
}
BANKWISE_HD constexpr bank_model maxwell_model(u32 clocks_per_wavefront = 1) {
  return {32,
          4,
          4,
          {32, 16, 8},
          0,
          true,
          serving::rows_per_bank,
          serving::rows_per_bank,
          static_cast<u8>(clocks_per_wavefront)};
}
// AMD's local data share: half a wave of CDNA, whose 64 lanes are served as two halves, or a wave of 32 of RDNA.
BANKWISE_HD constexpr bank_model cdna3_model() {
  return {32, 4, 4, {32, 16, 8}, 0, false, serving::rows_per_bank, serving::rows_per_bank, 1, true};
}
BANKWISE_HD constexpr bank_model rdna3_model() {
  return {32, 4, 4, {32, 16, 8}, 0, false, serving::rows_per_bank, serving::rows_per_bank, 1};
}
// A custom machine: n banks of m bytes, with equal words shared. The last three numbers are how many lanes are served
// together at up to 4, at 8 and at 16 bytes for each lane: powers of two, at least 2.
BANKWISE_HD constexpr bank_model flat_model(u32 banks, u32 bank_bytes, u32 lanes_4 = 32, u32 lanes_8 = 32,
                                            u32 lanes_16 = 32) {
  return {static_cast<u16>(banks),
          static_cast<u16>(bank_bytes),
          static_cast<u16>(bank_bytes),
          {static_cast<u8>(lanes_4), static_cast<u8>(lanes_8), static_cast<u8>(lanes_16)},
          0,
          false,
          serving::rows_per_bank,
          serving::rows_per_bank,
          1};
}
// The largest machine that the rule can handle; flat_model() does not check.
inline constexpr u32 most_banks = 128;
inline constexpr u32 most_bank_bytes = 128;

// The basis of a rule: nothing known, reasoning from other machines, a document, or a measurement of this project.
enum class evidence : u8 { none, assumed, documented, measured };
BANKWISE_HD constexpr const char* name_of(evidence e) {
  return e == evidence::measured     ? "measured"
         : e == evidence::documented ? "documented"
         : e == evidence::assumed    ? "assumed"
                                     : "none";
}

// Rules are known, or not, in these groups.
enum class rule_group : u8 {
  narrow_load,
  wide_load,
  narrow_store,
  wide_store,
  ldmatrix,
  stmatrix,
  atomic,
  copy_async,
  copy_async_cg
};
inline constexpr u32 rule_groups = 9;

// The group of an operation. Narrow means up to 4 bytes for each lane; all atomics are one group.
BANKWISE_HD constexpr rule_group group_of(operation o) {
  switch (o.kind) {
    case op_kind::load: return o.width_bytes > 4 ? rule_group::wide_load : rule_group::narrow_load;
    case op_kind::store: return o.width_bytes > 4 ? rule_group::wide_store : rule_group::narrow_store;
    case op_kind::ldmatrix: return rule_group::ldmatrix;
    case op_kind::stmatrix: return rule_group::stmatrix;
    case op_kind::copy_async: return rule_group::copy_async;
    case op_kind::copy_async_cg: return rule_group::copy_async_cg;
    default: return rule_group::atomic;
  }
}

// The basis of the rule of one group, and its source.
struct rule_source {
  evidence level;      // none: the machine has no such instruction, or its rule is not known
  const char* source;  // a data set of this project, a document, or the reasoning
};

// The sources of all groups of a machine, and the reason for a group that has no rule.
struct rulebook {
  rule_source by_group[rule_groups];
};

// The source of a group that the machine does not have; evidence::none.
inline constexpr const char* no_instruction = "no such instruction";

// By generation. `bankwise arch NAME` prints them, and so does docs/reference/rules-by-architecture.md.
inline constexpr rulebook tesla_rules = {{
    {evidence::documented, "Guide 4.2, F.3.3: half-warps, one broadcast word a step"},
    {evidence::documented, "Guide 4.2, F.3.3: wider accesses are served as 32-bit requests"},
    {evidence::documented, "Guide 4.2, F.3.3; the broadcast step is stated for reads, so an upper bound for stores"},
    {evidence::assumed, "split into 32-bit requests like loads"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, "atomics are loops of locked loads and stores"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook fermi_rules = {{
    {evidence::documented, "Guide 4.2, F.4.3"},
    {evidence::documented, "Guide 4.2, F.4.3: halves at 64 bits; 1 + the worst quarter at 128"},
    {evidence::documented, "Guide 4.2, F.4.3"},
    {evidence::documented, "Guide 4.2, F.4.3, which does not tell stores from loads"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, "atomics are loops of locked loads and stores"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook kepler_rules = {{
    {evidence::documented, "Guide, compute capability 3.x; GTC 2012 S0514"},
    {evidence::documented, "GTC 2012 S0514; nvprof on a K80 (gpumembench issue 1) at stride one"},
    {evidence::documented, "Guide, compute capability 3.x"},
    {evidence::documented, "nvprof on a K80 (gpumembench issue 1) at stride one"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, "atomics are loops of locked loads and stores"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook maxwell_rules = {{
    {evidence::documented, "Guide, compute capabilities 5.x and 6.x"},
    {evidence::assumed, "as Volta; the maxas notes on 128-bit loads agree"},
    {evidence::documented, "Guide, compute capabilities 5.x and 6.x"},
    {evidence::assumed, "as Hopper"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::assumed, "as Hopper"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook volta_rules = {{
    {evidence::documented, "Guide, compute capability 7.x"},
    {evidence::documented, "GTC 2018 S81006; NVIDIA forum 77228; timings of others on a V100"},
    {evidence::documented, "Guide, compute capability 7.x"},
    {evidence::assumed, "phases as GTC 2018 S81006, no merging, as Hopper"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::assumed, "as Hopper"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook turing_rules = {{
    {evidence::documented, "Guide, compute capability 7.x"},
    {evidence::documented, "eleven cases under ncu by others (code.hitori.moe); NVIDIA forum 77228"},
    {evidence::documented, "Guide, compute capability 7.x"},
    {evidence::assumed, "phases as GTC 2018 S81006, no merging, as Hopper"},
    {evidence::documented, "CUTLASS, nvFuser: eight rows a phase"},
    {evidence::none, no_instruction},
    {evidence::assumed, "as Hopper"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook ampere_rules = {{
    {evidence::documented, "Guide, compute capability 8.x"},
    {evidence::documented, "timings of others on an A100 (gpu_shm_microbench)"},
    {evidence::documented, "Guide, compute capability 8.x"},
    {evidence::assumed, "as Hopper"},
    {evidence::documented, "CUTLASS, nvFuser: eight rows a phase"},
    {evidence::none, no_instruction},
    {evidence::assumed, "as Hopper"},
    {evidence::assumed, "as Hopper"},
    {evidence::assumed, "as Hopper"},
}};
inline constexpr rulebook ada_rules = {{
    {evidence::documented, "Guide, compute capability 8.x"},
    {evidence::assumed, "as Ampere 8.0 and Hopper"},
    {evidence::documented, "Guide, compute capability 8.x"},
    {evidence::assumed, "as Hopper"},
    {evidence::documented, "CUTLASS, nvFuser: eight rows a phase"},
    {evidence::none, no_instruction},
    {evidence::assumed, "as Hopper"},
    {evidence::assumed, "as Hopper"},
    {evidence::assumed, "as Hopper"},
}};
inline constexpr rulebook hopper_rules = {{
    {evidence::measured, "H200, data/sm_90/wavefronts.csv"},
    {evidence::measured, "H200, data/sm_90/wavefronts.csv"},
    {evidence::measured, "H200, data/sm_90/wavefronts.csv"},
    {evidence::measured, "H200, data/sm_90/wavefronts.csv"},
    {evidence::measured, "H200, data/sm_90/wavefronts.csv"},
    {evidence::measured, "H200, data/sm_90/wavefronts.csv"},
    {evidence::measured, "H200, data/sm_90/wavefronts.csv"},
    {evidence::measured, "H200, data/sm_90/cp_async.csv.zst: .ca, its source in L1"},
    {evidence::measured, "H200, data/sm_90/cp_async_cg.csv.zst: as Nsight Compute counts it"},
}};
inline constexpr rulebook blackwell_rules = {{
    {evidence::documented, "Guide, compute capabilities 10.x and 12.x"},
    {evidence::assumed, "as Hopper"},
    {evidence::documented, "Guide, compute capabilities 10.x and 12.x"},
    {evidence::assumed, "as Hopper"},
    {evidence::assumed, "as Hopper"},
    {evidence::assumed, "as Hopper"},
    {evidence::assumed, "as Hopper"},
    {evidence::assumed, "as Hopper"},
    {evidence::assumed, "as Hopper"},
}};
inline constexpr rulebook cdna3_rules = {{
    {evidence::documented,
     "ROCm blog of 25 July 2025: 32 banks of 4 bytes; 32 lanes at once, as tingqli/pyhip timed an MI300"},
    {evidence::documented, "CK Tile documentation, LDS: the lanes of ds_read_b128; of b64 tingqli/pyhip on an MI300"},
    {evidence::documented, "CK Tile documentation, LDS: bank = address / 4 mod 32"},
    {evidence::documented, "CK Tile documentation, LDS: ds_write_b128 by eight lanes; of b64 assumed, 16"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, "nothing is published of which lanes of an atomic wait"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook rdna3_rules = {{
    {evidence::documented,
     "RDNA3 ISA of February 2023, 12.1: 32 banks of 4 bytes for a pair of SIMDs, 32 lanes at once"},
    {evidence::assumed, "16 and 8 neighbouring lanes, as 128 bytes fill the banks"},
    {evidence::documented, "RDNA3 ISA of February 2023, 12.1"},
    {evidence::assumed, "16 and 8 neighbouring lanes, as 128 bytes fill the banks"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, "nothing is published of which lanes of an atomic wait"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook flat_rules = {{
    {evidence::assumed, "a machine of your own: equal words share, the warp is one phase"},
    {evidence::assumed, "a machine of your own: equal words share, the warp is one phase"},
    {evidence::assumed, "a machine of your own: equal words share, the warp is one phase"},
    {evidence::assumed, "a machine of your own: equal words share, the warp is one phase"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::assumed, "a machine of your own: lanes on one word take turns"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};

// The same with given phases
inline constexpr rulebook phased_rules = {{
    {evidence::assumed, "a machine of your own: equal words share, phases as you say"},
    {evidence::assumed, "a machine of your own: equal words share, phases as you say"},
    {evidence::assumed, "a machine of your own: equal words share, phases as you say"},
    {evidence::assumed, "a machine of your own: equal words share, phases as you say"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::assumed, "a machine of your own: lanes on one word take turns"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};

// The same for asynchronous operations (asynchronous_cost.hpp), which have their own groups.
enum class async_group : u8 { wgmma, copy, barrier, cluster };
inline constexpr u32 async_groups = 4;

// The group of an operation, which is not async_kind::none. The end of a warp was found with the mbarriers, by one
// counter.
BANKWISE_HD constexpr async_group group_of(async_kind k) {
  switch (k) {
    case async_kind::wgmma:
    case async_kind::tensor_product:
    case async_kind::tensor_fill: return async_group::wgmma;
    case async_kind::bulk_copy:
    case async_kind::tensor_copy: return async_group::copy;
    case async_kind::barrier_init:
    case async_kind::barrier:
    case async_kind::warp_end: return async_group::barrier;
    default: return async_group::cluster;
  }
}

// As rulebook, of the groups above.
struct async_rulebook {
  rule_source by_group[async_groups];
};

// By generation.
inline constexpr async_rulebook no_async_rules = {{
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr async_rulebook ampere_async_rules = {{
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, "mbarriers are stores and atomics of their own (ATOMS.ARRIVE)"},
    {evidence::none, no_instruction},
}};
inline constexpr async_rulebook hopper_async_rules = {{
    {evidence::measured,
     "H100, data/sm_90/asynchronous.csv.zst, wgmma.csv; clocks of 16-bit numbers, A in shared memory"},
    {evidence::measured, "H100, data/sm_90/asynchronous.csv.zst"},
    {evidence::measured, "H100, data/sm_90/asynchronous.csv.zst"},
    {evidence::measured, "H100, data/sm_90/asynchronous.csv.zst"},
}};
// sm_100 to sm_110, which have tensor memory.
inline constexpr async_rulebook tensor_memory_async_rules = {{
    {evidence::assumed, "tcgen05: bytes by the PTX manual, nominal clocks; no conflict is known"},
    {evidence::assumed, "as Hopper"},
    {evidence::assumed, "as Hopper"},
    {evidence::assumed, "as Hopper"},
}};
inline constexpr async_rulebook blackwell_async_rules = {{
    {evidence::none, no_instruction},
    {evidence::assumed, "as Hopper"},
    {evidence::assumed, "as Hopper"},
    {evidence::assumed, "as Hopper"},
}};

// A compute capability.
struct arch {
  const char* name;          // as nvcc spells it; Kepler's 8-byte mode has a suffix of ours
  const char* family;        // "Hopper"
  u16 shared_kib_per_sm;     // KiB of shared memory of a multiprocessor
  u16 shared_kib_per_block;  // the part of these that one block can have
  bank_model model;
  const rulebook* rules;
  const async_rulebook* async_rules = &no_async_rules;
};

// One row a compute capability. Sizes: Guide, "Technical Specifications per Compute Capability".
inline constexpr arch archs[] = {
    {"sm_10", "Tesla", 16, 16, tesla_model(), &tesla_rules},
    {"sm_11", "Tesla", 16, 16, tesla_model(), &tesla_rules},
    {"sm_12", "Tesla", 16, 16, tesla_model(), &tesla_rules},
    {"sm_13", "Tesla", 16, 16, tesla_model(), &tesla_rules},
    {"sm_20", "Fermi", 48, 48, fermi_model(), &fermi_rules},
    {"sm_21", "Fermi", 48, 48, fermi_model(), &fermi_rules},
    {"sm_30", "Kepler, 4-byte banks", 48, 48, kepler_model(4), &kepler_rules},
    {"sm_30.8", "Kepler, 8-byte banks", 48, 48, kepler_model(8), &kepler_rules},
    {"sm_32", "Kepler, 4-byte banks", 48, 48, kepler_model(4), &kepler_rules},
    {"sm_32.8", "Kepler, 8-byte banks", 48, 48, kepler_model(8), &kepler_rules},
    {"sm_35", "Kepler, 4-byte banks", 48, 48, kepler_model(4), &kepler_rules},
    {"sm_35.8", "Kepler, 8-byte banks", 48, 48, kepler_model(8), &kepler_rules},
    {"sm_37", "Kepler, 4-byte banks", 112, 48, kepler_model(4), &kepler_rules},
    {"sm_37.8", "Kepler, 8-byte banks", 112, 48, kepler_model(8), &kepler_rules},
    {"sm_50", "Maxwell", 64, 48, maxwell_model(), &maxwell_rules},
    {"sm_52", "Maxwell", 96, 48, maxwell_model(), &maxwell_rules},
    {"sm_53", "Maxwell", 64, 48, maxwell_model(), &maxwell_rules},
    {"sm_60", "Pascal", 64, 48, maxwell_model(), &maxwell_rules},
    {"sm_61", "Pascal", 96, 48, maxwell_model(), &maxwell_rules},
    {"sm_62", "Pascal", 64, 48, maxwell_model(), &maxwell_rules},
    {"sm_70", "Volta", 96, 96, maxwell_model(), &volta_rules},
    {"sm_72", "Volta", 96, 96, maxwell_model(), &volta_rules},
    {"sm_75", "Turing", 64, 64, maxwell_model(2), &turing_rules},
    {"sm_80", "Ampere", 164, 163, maxwell_model(), &ampere_rules, &ampere_async_rules},
    {"sm_86", "Ampere", 100, 99, maxwell_model(), &ada_rules, &ampere_async_rules},
    {"sm_87", "Ampere", 164, 163, maxwell_model(), &ada_rules, &ampere_async_rules},
    {"sm_89", "Ada", 100, 99, maxwell_model(), &ada_rules, &ampere_async_rules},
    {"sm_90", "Hopper", 228, 227, maxwell_model(), &hopper_rules, &hopper_async_rules},
    {"sm_100", "Blackwell", 228, 227, maxwell_model(), &blackwell_rules, &tensor_memory_async_rules},
    {"sm_103", "Blackwell", 228, 227, maxwell_model(), &blackwell_rules, &tensor_memory_async_rules},
    {"sm_110", "Blackwell", 228, 227, maxwell_model(), &blackwell_rules, &tensor_memory_async_rules},
    {"sm_120", "Blackwell", 100, 99, maxwell_model(), &blackwell_rules, &blackwell_async_rules},
    {"sm_121", "Blackwell", 100, 99, maxwell_model(), &blackwell_rules, &blackwell_async_rules},
};
inline constexpr u32 arch_count = sizeof(archs) / sizeof(archs[0]);

// GPUs of other vendors, for questions about an access; their code is not executed. Sizes: ISA documents.
inline constexpr arch other_archs[] = {
    {"cdna3", "CDNA 3, half a wave", 64, 64, cdna3_model(), &cdna3_rules},
    {"rdna3", "RDNA 3, a wave of 32", 128, 64, rdna3_model(), &rdna3_rules},
};

// The row of `name` ("sm_90", "sm_90a", "sm_35.8"), or null.
BANKWISE_HD constexpr const arch* find_arch(const char* name) {
  const arch_name asked = parse_arch_name(name);
  for (const arch& a : archs) {
    const arch_name row = parse_arch_name(a.name);
    if (row.number == asked.number && row.bank_bytes == asked.bank_bytes) return &a;
  }
  return nullptr;
}

// Whether code for it can have this: the abilities are part of its row.
BANKWISE_HD constexpr bool can(const arch& a, ability what) { return can(number_of(a.name), what); }

// The basis of the answer for this operation on this machine.
BANKWISE_HD constexpr rule_source source_of(const arch& a, operation o) {
  return a.rules->by_group[static_cast<u32>(group_of(o))];
}
BANKWISE_HD constexpr rule_source source_of(const arch& a, async_kind k) {
  return a.async_rules->by_group[static_cast<u32>(group_of(k))];
}

}  // namespace bankwise
