#include "cubin/architectures.hpp"

#include <algorithm>
#include <string>

namespace bankwise::cubin {

namespace {

using isa = instruction_set;
constexpr std::uint32_t kib = 1024;
constexpr int mib = 1 << 20;

// Makes a row. bankwise/arch.hpp contains the sizes of shared memory. It calls sm_101 by the newer name, sm_110.
constexpr multiprocessor of(std::string_view name, std::uint32_t warps, std::uint32_t blocks, std::uint32_t registers,
                            std::uint32_t registers_a_block, std::uint32_t registers_a_thread, std::uint32_t unit,
                            std::uint32_t partitions, std::uint32_t checked, std::uint32_t shared_unit,
                            std::uint32_t reserved) {
  const arch* const row = find_arch(name == "sm_101" ? "sm_110" : name.data());
  return {name,
          warps,
          blocks,
          registers,
          registers_a_block,
          registers_a_thread,
          unit,
          partitions,
          checked,
          row->shared_kib_per_sm * kib,
          48 * kib,
          row->shared_kib_per_block * kib,
          shared_unit,
          reserved};
}

// All values for multiprocessors are documented. "The Guide" is the CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability": version 13 from 7.5 on, version 12 before, version 10 for 3.x. "The header"
// is cuda_occupancy.h of CUDA 13.
//   - Warps, registers and shared memory are from the Guide. It also gives the 1 KiB of shared memory that the system
//     reserves in each block.
//   - Blocks, units and partitions are from the header. Older versions of the Guide call partitions "warp allocation
//     granularity".
//   - The registers of a block on 5.2 and 6.2 are from the Guide: 64 Ki and 32 Ki. Nsight Compute's calculator
//     reportedly has 32 Ki and 64 Ki.
//   - A multiprocessor of 6.0 (GP100) has 2 partitions, and a multiprocessor of GP10x has 4. For compatibility, the
//     header also refuses a kernel on GP100 if the kernel cannot run on GP10x. So the check uses 4 partitions.
//   - Fermi is missing: its register unit depends on the number of registers in ways that only old headers define.
//     bankwise executes code for architectures that nvcc 13 supports and that have a rule.
// clang-format off
constexpr architecture architecture_rows[] = {
    //                                   resident  registers                  rounding shared        GPU          clock    memory          L2         float
    //  sm  set                          warps blocks SM   block  thread unit parts check unit system  name       SMs kHz      kHz      bits          :double integrated
    { 30, isa::none,      of("sm_30",   64, 16,  65536, 65536,  63, 256, 4, 4, 256,   0), {}},
    { 32, isa::none,      of("sm_32",   64, 16,  65536, 32768, 255, 256, 4, 4, 256,   0), {}},
    { 35, isa::none,      of("sm_35",   64, 16,  65536, 65536, 255, 256, 4, 4, 256,   0), {}},
    { 37, isa::none,      of("sm_37",   64, 16, 131072, 65536, 255, 256, 4, 4, 256,   0), {}},
    { 50, isa::none,      of("sm_50",   64, 32,  65536, 65536, 255, 256, 4, 4, 256,   0), {}},
    { 52, isa::none,      of("sm_52",   64, 32,  65536, 65536, 255, 256, 4, 4, 256,   0), {}},
    { 53, isa::none,      of("sm_53",   64, 32,  65536, 32768, 255, 256, 4, 4, 256,   0), {}},
    { 60, isa::none,      of("sm_60",   64, 32,  65536, 65536, 255, 256, 2, 4, 256,   0), {}},
    { 61, isa::none,      of("sm_61",   64, 32,  65536, 65536, 255, 256, 4, 4, 256,   0), {}},
    { 62, isa::none,      of("sm_62",   64, 32,  65536, 32768, 255, 256, 4, 4, 256,   0), {}},
    { 70, isa::none,      of("sm_70",   64, 32,  65536, 65536, 255, 256, 4, 4, 256,   0), {}},
    { 72, isa::none,      of("sm_72",   64, 32,  65536, 65536, 255, 256, 4, 4, 256,   0), {}},
    { 75, isa::turing,    of("sm_75",   32, 16,  65536, 65536, 255, 256, 4, 4, 256,   0), {"T4",            40, 1590000,  5001000,  256,   4 * mib, 32, false}},
    { 80, isa::ampere,    of("sm_80",   64, 32,  65536, 65536, 255, 256, 4, 4, 128, kib), {"A100",         108, 1410000,  1593000, 5120,  40 * mib,  2, false}},
    { 86, isa::ampere,    of("sm_86",   48, 16,  65536, 65536, 255, 256, 4, 4, 128, kib), {"A10",           72, 1695000,  6251000,  384,   6 * mib, 64, false}},
    { 87, isa::ampere,    of("sm_87",   48, 16,  65536, 65536, 255, 256, 4, 4, 128, kib), {"AGX Orin",      16, 1300000,  3199000,  256,   4 * mib, 64, true}},
    { 89, isa::ada,       of("sm_89",   48, 24,  65536, 65536, 255, 256, 4, 4, 128, kib), {"L40",          142, 2490000,  9001000,  384,  96 * mib, 64, false}},
    { 90, isa::hopper,    of("sm_90",   64, 32,  65536, 65536, 255, 256, 4, 4, 128, kib), {"H200",         132, 1980000,  3201000, 6144,  60 * mib,  2, false}},
    {100, isa::blackwell, of("sm_100",  64, 32,  65536, 65536, 255, 256, 4, 4, 128, kib), {"B200",         148, 1965000,  3996000, 8192, 126 * mib,  2, false}},
    {101, isa::none,      of("sm_101",  48, 24,  65536, 65536, 255, 256, 4, 4, 128, kib), {}},
    {103, isa::blackwell, of("sm_103",  64, 32,  65536, 65536, 255, 256, 4, 4, 128, kib), {"B300",         148, 1920000,  3996000, 8192, 126 * mib, 64, false}},
    {110, isa::blackwell, of("sm_110",  48, 24,  65536, 65536, 255, 256, 4, 4, 128, kib), {"AGX Thor",      20, 1575000,  4266000,  256,  32 * mib, 64, true}},
    {120, isa::rtx,       of("sm_120",  48, 24,  65536, 65536, 255, 256, 4, 4, 128, kib), {"RTX PRO 6000", 188, 2617000, 14001000,  512, 128 * mib, 64, false}},
    {121, isa::rtx,       of("sm_121",  48, 24,  65536, 65536, 255, 256, 4, 4, 128, kib), {"DGX Spark",     48, 2418000,  4266000,  256,  24 * mib, 64, true}},
};
// clang-format on

}  // namespace

std::span<const architecture> architectures() { return architecture_rows; }

const architecture* find_architecture(std::uint32_t sm) {
  const auto* const found = std::find_if(std::begin(architecture_rows), std::end(architecture_rows),
                                         [&](const architecture& a) { return a.sm == sm; });
  return found != std::end(architecture_rows) ? found : nullptr;
}

const architecture* find_architecture(std::string_view name) {
  return find_architecture(number_of(std::string(name).c_str()));
}

bool is_executed(std::uint32_t sm) {
  const architecture* const a = find_architecture(sm);
  return a != nullptr && a->set != isa::none;
}

std::string_view executed_list() {
  static const std::string list = [] {
    std::string s;
    for (const architecture& a : architecture_rows)
      if (a.set != isa::none) s += (s.empty() ? "" : ", ") + std::string(a.one.name);
    return s;
  }();
  return list;
}

std::uint32_t multiprocessors_of(std::uint32_t sm) {
  const architecture* const a = find_architecture(sm);
  return a != nullptr && a->set != isa::none ? a->gpu.multiprocessors : find_architecture(90)->gpu.multiprocessors;
}

isa set_of(std::uint32_t sm) {
  isa set = isa::turing;
  for (const architecture& a : architecture_rows)
    if (a.sm <= sm && a.set != isa::none) set = a.set;
  return set;
}

}  // namespace bankwise::cubin
