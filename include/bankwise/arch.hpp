// The shared memory of every GPU: its banks, phases, merging, and the source of each rule.
//
// An address belongs to one bank, and to one row of this bank. In each wavefront, a bank returns one of its rows.
//
//     bank = (address / bank_bytes) mod banks          row = address / (banks * row_bytes)
//
//     Maxwell .. Blackwell     32 banks, bank_bytes 4, row_bytes 4     a row of a bank is one word
//     Kepler, 8-byte mode      32 banks, bank_bytes 8, row_bytes 8     a row of a bank is two neighbouring words
//     Kepler, 4-byte mode      32 banks, bank_bytes 4, row_bytes 8     a row of a bank is words w and w + 32
//
// Lanes are served in phases of `phase_lanes` neighbouring lanes. The number of lanes depends on the width of the
// access. In the names of sources, "Guide" is the CUDA C Programming Guide, section "Compute Capabilities", and "ncu"
// is Nsight Compute.
#pragma once

#include "bankwise/ability.hpp"
#include "bankwise/access.hpp"
#include "bankwise/asynchronous.hpp"

namespace bankwise {

// How the words of a phase determine its number of wavefronts.
enum class serving : u8 {
  rows_per_bank,  // the largest number of distinct rows in a bank
  // Compute capability 1.x: each wavefront broadcasts one word; each bank without this word serves one lane.
  one_broadcast,
  quarters_plus_one,  // compute capability 2.x, 128 bits: the wavefronts of the slowest quarter-warp, and one more
};

// The groups of lanes that are served together if each lane loads 16 bytes. Only AMD's GPUs have groups of lanes that
// are not neighbours. The 32 lanes of a model are half a wave of CDNA, or a wave of RDNA.
enum class load_order : u8 {
  neighbours,
  eights,    // lanes 0-3 with 20-23, 4-7 with 16-19, 8-11 with 28-31, 12-15 with 24-27
  sixteens,  // lanes 0-3, 12-15 and 20-27 together; and lanes 4-11, 16-19 and 28-31 together
};

// The parameters of the rule for one machine. Host code and device code can use this type.
struct bank_model {
  u16 banks;          // number of banks, at most most_banks
  u16 bank_bytes;     // consecutive bytes that belong to one bank
  u16 row_bytes;      // bytes in a row of one bank
  u8 phase_lanes[3];  // numbers of lanes that are served together, for accesses of up to 4, up to 8 and 16 bytes
  // largest request for a lane, in bytes; wider accesses are split. 0: accesses are never split
  u8 split_bytes;
  bool merges_loads;        // whether neighbouring phases of a wide load may merge (wavefronts.hpp)
  serving narrow;           // how accesses of up to 8 bytes are served
  serving wide;             // how accesses of 16 bytes are served
  u8 clocks_per_wavefront;  // clocks of a multiprocessor for one wavefront
  load_order wide_loads = load_order::neighbours;
};

// The models of existing machines. All architectures after Kepler have Maxwell's model. Turing's model differs only in
// one number: each wavefront takes two clocks. `mode_bytes` is the bank width to which a Kepler GPU is set: 4 or 8.
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
// The models of the local data share of AMD's GPUs. A model describes 32 lanes: half a wave of CDNA, or a wave of RDNA.
// CDNA serves the two halves of a wave separately. The only exception is CDNA 4, which serves all 64 lanes at once if
// an access has up to 4 bytes a lane.
BANKWISE_HD constexpr bank_model cdna3_model() {
  return {32, 4, 4, {32, 16, 8}, 0, false, serving::rows_per_bank, serving::rows_per_bank, 1, load_order::eights};
}
BANKWISE_HD constexpr bank_model cdna4_model() {
  return {64, 4, 4, {32, 32, 16}, 0, false, serving::rows_per_bank, serving::rows_per_bank, 1, load_order::sixteens};
}
BANKWISE_HD constexpr bank_model rdna3_model() { return cdna3_model(); }
BANKWISE_HD constexpr bank_model rdna4_model() {
  return {32, 4, 4, {32, 16, 8}, 0, false, serving::rows_per_bank, serving::rows_per_bank, 1};
}
// Returns the model of a custom machine with `banks` banks of `bank_bytes` bytes. Lanes that need the same word share a
// wavefront. The last three parameters are numbers of lanes that are served together: for accesses of up to 4 bytes, of
// 8 bytes and of 16 bytes a lane. Each number is a power of two and at least 2.
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
// The largest number of banks that the rule can handle. flat_model() does not check this limit.
inline constexpr u32 most_banks = 128;
inline constexpr u32 most_bank_bytes = 128;

// The kind of evidence for a rule. `none`: there is no rule. `assumed`: we assume the rule of another machine.
// `documented`: a document describes the rule. `published`: others published counts or times that agree with the rule
// (data/published). `measured`: this project measured the rule.
enum class evidence : u8 { none, assumed, documented, published, measured };
BANKWISE_HD constexpr const char* name_of(evidence e) {
  return e == evidence::measured     ? "measured"
         : e == evidence::published  ? "published"
         : e == evidence::documented ? "documented"
         : e == evidence::assumed    ? "assumed"
                                     : "none";
}

// Groups of operations. A rulebook contains the evidence for each group.
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

// Returns the group of an operation. Loads and stores are narrow if they have up to 4 bytes for each lane. All atomics
// are in one group.
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

// The evidence for the rule of a group of operations, and the source of this evidence.
struct rule_source {
  evidence level;      // `none`: the machine has no such instruction, or its rule is unknown
  const char* source;  // a data set of this project, a document, or a reason
};

// The evidence for all groups of operations on a machine. If a group has no rule, the text `source` contains the
// reason.
struct rulebook {
  rule_source by_group[rule_groups];
};

// Returns a copy of a rulebook in which the given groups have evidence::published. For these groups, published counts
// or times must agree with the rule.
template <class... Groups>
BANKWISE_HD constexpr rulebook with_published(rulebook of, Groups... groups) {
  const rule_group list[] = {groups...};
  for (const rule_group g : list) of.by_group[static_cast<u32>(g)].level = evidence::published;
  return of;
}

// The `source` of operations that the machine does not have.
inline constexpr const char* no_instruction = "no such instruction";

// The rulebooks of the generations of GPUs. `bankwise arch NAME` prints the rulebook of a GPU.
// docs/reference/rules-by-architecture.md contains all rulebooks.
inline constexpr rulebook tesla_rules = {{
    {evidence::documented, "Guide 4.2, F.3.3: half-warps, and one broadcast word in each step"},
    {evidence::documented, "Guide 4.2, F.3.3: wider accesses are served as 32-bit requests"},
    {evidence::documented,
     "Guide 4.2, F.3.3, which describes the broadcast step only for reads, so the costs of stores are upper bounds"},
    {evidence::assumed, "like loads, stores are split into 32-bit requests"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, "atomics are loops of locked loads and stores"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook fermi_rules = {{
    {evidence::documented, "Guide 4.2, F.4.3"},
    {evidence::documented,
     "Guide 4.2, F.4.3: a 64-bit load has two half-warps; a 128-bit load takes 1 wavefront more than its slowest "
     "quarter-warp"},
    {evidence::documented, "Guide 4.2, F.4.3"},
    {evidence::documented, "Guide 4.2, F.4.3, which does not distinguish stores from loads"},
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
    {evidence::assumed, "the same rule as on Volta; the maxas notes on 128-bit loads agree with this rule"},
    {evidence::documented, "Guide, compute capabilities 5.x and 6.x"},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook pascal_rules = with_published(maxwell_rules, rule_group::wide_load);
inline constexpr rulebook volta_rules = {{
    {evidence::documented, "Guide, compute capability 7.x"},
    {evidence::documented, "GTC 2018 S81006; NVIDIA forum 77228; other people's timings on a V100"},
    {evidence::documented, "Guide, compute capability 7.x"},
    {evidence::assumed, "phases as in GTC 2018 S81006; no merging, as on Hopper"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook v100_rules = with_published(volta_rules, rule_group::narrow_load, rule_group::wide_load);
inline constexpr rulebook turing_documents = {{
    {evidence::documented, "Guide, compute capability 7.x"},
    {evidence::documented, "eleven cases that other people counted with ncu (code.hitori.moe); NVIDIA forum 77228"},
    {evidence::documented, "Guide, compute capability 7.x"},
    {evidence::assumed, "phases as in GTC 2018 S81006; no merging, as on Hopper"},
    {evidence::documented, "CUTLASS, nvFuser: eight rows in each phase"},
    {evidence::none, no_instruction},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook turing_rules = with_published(turing_documents, rule_group::wide_load);
inline constexpr rulebook ampere_documents = {{
    {evidence::documented, "Guide, compute capability 8.x"},
    {evidence::documented, "other people's timings on an A100 (gpu_shm_microbench)"},
    {evidence::documented, "Guide, compute capability 8.x"},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::documented, "CUTLASS, nvFuser: eight rows in each phase"},
    {evidence::none, no_instruction},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::assumed, "the same rule as on Hopper"},
}};
inline constexpr rulebook ampere_rules =
    with_published(ampere_documents, rule_group::narrow_load, rule_group::wide_load);
inline constexpr rulebook ada_rules = {{
    {evidence::documented, "Guide, compute capability 8.x"},
    {evidence::assumed, "the same rule as on Ampere 8.0 and Hopper"},
    {evidence::documented, "Guide, compute capability 8.x"},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::documented, "CUTLASS, nvFuser: eight rows in each phase"},
    {evidence::none, no_instruction},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::assumed, "the same rule as on Hopper"},
}};
inline constexpr rulebook sm_86_rules = with_published(ada_rules, rule_group::narrow_load, rule_group::narrow_store);
inline constexpr rulebook sm_89_rules = with_published(ada_rules, rule_group::narrow_load, rule_group::ldmatrix);
inline constexpr rulebook hopper_rules = {{
    {evidence::measured, "H200, data/sm_90/wavefronts.csv"},
    {evidence::measured, "H200, data/sm_90/wavefronts.csv"},
    {evidence::measured, "H200, data/sm_90/wavefronts.csv"},
    {evidence::measured, "H200, data/sm_90/wavefronts.csv"},
    {evidence::measured, "H200, data/sm_90/wavefronts.csv"},
    {evidence::measured, "H200, data/sm_90/wavefronts.csv"},
    {evidence::measured, "H200, data/sm_90/wavefronts.csv"},
    {evidence::measured, "H200, data/sm_90/cp_async.csv.zst, with the source of the copy in L1"},
    {evidence::measured, "H200, data/sm_90/cp_async_cg.csv.zst, with the counts of Nsight Compute's source page"},
}};
inline constexpr rulebook blackwell_rules = {{
    {evidence::documented, "Guide, compute capabilities 10.x and 12.x"},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::documented, "Guide, compute capabilities 10.x and 12.x"},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::assumed, "the same rule as on Hopper"},
}};
inline constexpr rulebook sm_100_rules =
    with_published(blackwell_rules, rule_group::narrow_load, rule_group::wide_load, rule_group::narrow_store);
inline constexpr rulebook sm_110_rules = with_published(blackwell_rules, rule_group::narrow_load);
inline constexpr rulebook sm_120_rules =
    with_published(blackwell_rules, rule_group::narrow_load, rule_group::wide_load, rule_group::narrow_store,
                   rule_group::wide_store, rule_group::copy_async);
inline constexpr rulebook sm_121_rules =
    with_published(blackwell_rules, rule_group::narrow_load, rule_group::wide_load, rule_group::narrow_store);
inline constexpr rulebook cdna3_rules = {{
    {evidence::published,
     "ROCm blog of 25 July 2025: 32 banks of 4 bytes; tingqli/pyhip's timings on an MI300: 32 lanes at once"},
    {evidence::published,
     "CK Tile documentation, LDS, for the lanes of ds_read_b128; tingqli/pyhip on an MI300 for the lanes of b64"},
    {evidence::documented, "CK Tile documentation, LDS: bank = address / 4 mod 32"},
    {evidence::documented,
     "CK Tile documentation, LDS: eight lanes at once for ds_write_b128; 16 lanes for b64 are assumed"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, "no publication describes which lanes of an atomic wait"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
// The rulebook of AMD's CDNA 4. Two sources disagree about 32-bit reads and about writes on CDNA 4. The rule assumes 64
// banks for all accesses.
inline constexpr rulebook cdna4_rules = {{
    {evidence::assumed,
     "64 banks and all lanes at once, as in nod-ai/amd-shark-ai's timings on an MI350X, although "
     "ROCm/rocm-libraries 3668 says 32 banks"},
    {evidence::published, "nod-ai/amd-shark-ai's timings on an MI350X: 64 banks, and the lanes of each phase"},
    {evidence::assumed, "64 banks, as for reads, although ROCm/rocm-libraries 3668 says that writes have 32 banks"},
    {evidence::assumed,
     "64 banks and neighbouring lanes, as for reads, although ROCm/rocm-libraries 3668 says that writes have 32 banks"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, "no publication describes which lanes of an atomic wait"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook rdna3_rules = {{
    {evidence::published,
     "RDNA3 ISA of February 2023, 12.1: 32 banks of 4 bytes for a pair of SIMDs, 32 lanes at once"},
    {evidence::published, "nod-ai/amd-shark-ai's timings on a W7900: 32 banks, and the lanes of each phase"},
    {evidence::documented, "RDNA3 ISA of February 2023, 12.1"},
    {evidence::assumed, "16 and 8 neighbouring lanes at once, because 128 bytes fill the banks"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, "no publication describes which lanes of an atomic wait"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook rdna4_rules = {{
    {evidence::published, "nod-ai/amd-shark-ai's timings on an RX 9070 XT: 32 banks, 32 lanes at once"},
    {evidence::published, "nod-ai/amd-shark-ai's timings on an RX 9070 XT: 16 and 8 neighbouring lanes at once"},
    {evidence::assumed, "32 banks, as for reads"},
    {evidence::assumed, "16 and 8 neighbouring lanes, as for reads"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, "no publication describes which lanes of an atomic wait"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr rulebook flat_rules = {{
    {evidence::assumed, "custom machine (NxM): lanes that want the same word share it, and the warp is one phase"},
    {evidence::assumed, "custom machine (NxM): lanes that want the same word share it, and the warp is one phase"},
    {evidence::assumed, "custom machine (NxM): lanes that want the same word share it, and the warp is one phase"},
    {evidence::assumed, "custom machine (NxM): lanes that want the same word share it, and the warp is one phase"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::assumed, "custom machine (NxM): lanes that want the same word are served one after another"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};

// The rulebook of a custom machine for which the user passes the number of lanes in a phase.
inline constexpr rulebook phased_rules = {{
    {evidence::assumed, "custom machine (NxM): lanes that want the same word share it; you set the lanes of a phase"},
    {evidence::assumed, "custom machine (NxM): lanes that want the same word share it; you set the lanes of a phase"},
    {evidence::assumed, "custom machine (NxM): lanes that want the same word share it; you set the lanes of a phase"},
    {evidence::assumed, "custom machine (NxM): lanes that want the same word share it; you set the lanes of a phase"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::assumed, "custom machine (NxM): lanes that want the same word are served one after another"},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};

// The groups of the asynchronous operations in asynchronous_cost.hpp.
enum class async_group : u8 { wgmma, copy, barrier, cluster };
inline constexpr u32 async_groups = 4;

// Returns the group of an asynchronous operation. `k` must not be async_kind::none. The end of a warp is in the group
// of mbarriers, because one hardware counter counts both.
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

// The evidence for all groups of asynchronous operations on a machine.
struct async_rulebook {
  rule_source by_group[async_groups];
};

// The rulebooks of asynchronous operations, for each generation of GPUs.
inline constexpr async_rulebook no_async_rules = {{
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
}};
inline constexpr async_rulebook ampere_async_rules = {{
    {evidence::none, no_instruction},
    {evidence::none, no_instruction},
    {evidence::none, "mbarriers are executed as separate stores and atomics (ATOMS.ARRIVE)"},
    {evidence::none, no_instruction},
}};
inline constexpr async_rulebook hopper_async_rules = {{
    {evidence::measured,
     "H100, data/sm_90/asynchronous.csv.zst and wgmma.csv; clocks for 16-bit numbers with A in shared memory"},
    {evidence::measured, "H100, data/sm_90/asynchronous.csv.zst"},
    {evidence::measured, "H100, data/sm_90/asynchronous.csv.zst"},
    {evidence::measured, "H100, data/sm_90/asynchronous.csv.zst"},
}};
// The rulebook of asynchronous operations on sm_100 to sm_110, which have tensor memory.
inline constexpr async_rulebook tensor_memory_async_rules = {{
    {evidence::assumed, "tcgen05: bytes according to the PTX manual, and nominal clocks; no conflicts are known"},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::assumed, "the same rule as on Hopper"},
}};
inline constexpr async_rulebook blackwell_async_rules = {{
    {evidence::none, no_instruction},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::assumed, "the same rule as on Hopper"},
    {evidence::assumed, "the same rule as on Hopper"},
}};

// A compute capability.
struct arch {
  const char* name;          // nvcc's name; for Kepler's 8-byte mode, bankwise adds a suffix
  const char* family;        // example: "Hopper"
  u16 shared_kib_per_sm;     // shared memory of a multiprocessor, in KiB
  u16 shared_kib_per_block;  // limit of shared memory for one block, in KiB
  bank_model model;
  const rulebook* rules;
  const async_rulebook* async_rules = &no_async_rules;
};

// The compute capabilities of NVIDIA's GPUs. Sizes are from the Guide, "Technical Specifications per Compute
// Capability".
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
    {"sm_60", "Pascal", 64, 48, maxwell_model(), &pascal_rules},
    {"sm_61", "Pascal", 96, 48, maxwell_model(), &maxwell_rules},
    {"sm_62", "Pascal", 64, 48, maxwell_model(), &maxwell_rules},
    {"sm_70", "Volta", 96, 96, maxwell_model(), &v100_rules},
    {"sm_72", "Volta", 96, 96, maxwell_model(), &volta_rules},
    {"sm_75", "Turing", 64, 64, maxwell_model(2), &turing_rules},
    {"sm_80", "Ampere", 164, 163, maxwell_model(), &ampere_rules, &ampere_async_rules},
    {"sm_86", "Ampere", 100, 99, maxwell_model(), &sm_86_rules, &ampere_async_rules},
    {"sm_87", "Ampere", 164, 163, maxwell_model(), &ada_rules, &ampere_async_rules},
    {"sm_89", "Ada", 100, 99, maxwell_model(), &sm_89_rules, &ampere_async_rules},
    {"sm_90", "Hopper", 228, 227, maxwell_model(), &hopper_rules, &hopper_async_rules},
    {"sm_100", "Blackwell", 228, 227, maxwell_model(), &sm_100_rules, &tensor_memory_async_rules},
    {"sm_103", "Blackwell", 228, 227, maxwell_model(), &blackwell_rules, &tensor_memory_async_rules},
    {"sm_110", "Blackwell", 228, 227, maxwell_model(), &sm_110_rules, &tensor_memory_async_rules},
    {"sm_120", "Blackwell", 100, 99, maxwell_model(), &sm_120_rules, &blackwell_async_rules},
    {"sm_121", "Blackwell", 100, 99, maxwell_model(), &sm_121_rules, &blackwell_async_rules},
};
inline constexpr u32 arch_count = sizeof(archs) / sizeof(archs[0]);

// GPUs of other vendors. bankwise answers questions about one access on these GPUs, but cannot execute their code.
// Sizes are from the vendors' ISA documents.
inline constexpr arch other_archs[] = {
    {"cdna3", "CDNA 3, half wave64", 64, 64, cdna3_model(), &cdna3_rules},
    {"cdna4", "CDNA 4, half wave64", 160, 160, cdna4_model(), &cdna4_rules},
    {"rdna3", "RDNA 3, wave32", 128, 64, rdna3_model(), &rdna3_rules},
    {"rdna4", "RDNA 4, wave32", 128, 64, rdna4_model(), &rdna4_rules},
};

// Finds an architecture by its name ("sm_90", "sm_90a", "sm_35.8"). Returns null if the name is unknown.
BANKWISE_HD constexpr const arch* find_arch(const char* name) {
  const arch_name asked = parse_arch_name(name);
  for (const arch& a : archs) {
    const arch_name row = parse_arch_name(a.name);
    if (row.number == asked.number && row.bank_bytes == asked.bank_bytes) return &a;
  }
  return nullptr;
}

// Whether code for this architecture can use the ability.
BANKWISE_HD constexpr bool can(const arch& a, ability what) { return can(number_of(a.name), what); }

// Returns the evidence for the rule of this operation on this machine, and the source of the evidence.
BANKWISE_HD constexpr rule_source source_of(const arch& a, operation o) {
  return a.rules->by_group[static_cast<u32>(group_of(o))];
}
BANKWISE_HD constexpr rule_source source_of(const arch& a, async_kind k) {
  return a.async_rules->by_group[static_cast<u32>(group_of(k))];
}

}  // namespace bankwise
