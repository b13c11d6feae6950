#include "cubin/occupancy.hpp"

#include <limits>

namespace bankwise::cubin {

namespace {

constexpr std::uint32_t lanes = 32;

constexpr std::uint32_t kib(std::uint32_t n) { return n * 1024; }

// Documented, all of it. Guide = CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", version 13
// from 7.5 on and 12 before, 10 for 3.x: warps, registers, shared memory and its 1 KiB a block for the system. header =
// cuda_occupancy.h of CUDA 13: blocks, units and partitions, which are the Guide's "warp allocation granularity" of old.
//   - A block's registers on 5.2 and 6.2: the Guide's 64 Ki and 32 Ki; Nsight Compute's calculator is said to have 32 Ki
//     and 64 Ki.
//   - 6.0: the header has a kernel that no GP10x could launch fail on GP100 too.
//   - sm_101 is what CUDA 12.9 calls sm_110.
//   - Fermi is left out: its register unit depends on the number of registers in ways that only old headers tell.
// clang-format off
constexpr multiprocessor table[] = {
    //        resident      registers            rounding        shared memory
    // name   warps blocks  SM     block  thread unit parts check  SM   block  opt-in  unit  system
    {"sm_30",  64, 16,  65536, 65536,  63, 256, 4, 4, kib(48),  kib(48), kib(48),  256, 0},
    {"sm_32",  64, 16,  65536, 32768, 255, 256, 4, 4, kib(48),  kib(48), kib(48),  256, 0},
    {"sm_35",  64, 16,  65536, 65536, 255, 256, 4, 4, kib(48),  kib(48), kib(48),  256, 0},
    {"sm_37",  64, 16, 131072, 65536, 255, 256, 4, 4, kib(112), kib(48), kib(48),  256, 0},
    {"sm_50",  64, 32,  65536, 65536, 255, 256, 4, 4, kib(64),  kib(48), kib(48),  256, 0},
    {"sm_52",  64, 32,  65536, 65536, 255, 256, 4, 4, kib(96),  kib(48), kib(48),  256, 0},
    {"sm_53",  64, 32,  65536, 32768, 255, 256, 4, 4, kib(64),  kib(48), kib(48),  256, 0},
    {"sm_60",  64, 32,  65536, 65536, 255, 256, 2, 4, kib(64),  kib(48), kib(48),  256, 0},
    {"sm_61",  64, 32,  65536, 65536, 255, 256, 4, 4, kib(96),  kib(48), kib(48),  256, 0},
    {"sm_62",  64, 32,  65536, 32768, 255, 256, 4, 4, kib(64),  kib(48), kib(48),  256, 0},
    {"sm_70",  64, 32,  65536, 65536, 255, 256, 4, 4, kib(96),  kib(48), kib(96),  256, 0},
    {"sm_72",  64, 32,  65536, 65536, 255, 256, 4, 4, kib(96),  kib(48), kib(96),  256, 0},
    {"sm_75",  32, 16,  65536, 65536, 255, 256, 4, 4, kib(64),  kib(48), kib(64),  256, 0},
    {"sm_80",  64, 32,  65536, 65536, 255, 256, 4, 4, kib(164), kib(48), kib(163), 128, kib(1)},
    {"sm_86",  48, 16,  65536, 65536, 255, 256, 4, 4, kib(100), kib(48), kib(99),  128, kib(1)},
    {"sm_87",  48, 16,  65536, 65536, 255, 256, 4, 4, kib(164), kib(48), kib(163), 128, kib(1)},
    {"sm_89",  48, 24,  65536, 65536, 255, 256, 4, 4, kib(100), kib(48), kib(99),  128, kib(1)},
    {"sm_90",  64, 32,  65536, 65536, 255, 256, 4, 4, kib(228), kib(48), kib(227), 128, kib(1)},
    {"sm_100", 64, 32,  65536, 65536, 255, 256, 4, 4, kib(228), kib(48), kib(227), 128, kib(1)},
    {"sm_101", 48, 24,  65536, 65536, 255, 256, 4, 4, kib(228), kib(48), kib(227), 128, kib(1)},
    {"sm_103", 64, 32,  65536, 65536, 255, 256, 4, 4, kib(228), kib(48), kib(227), 128, kib(1)},
    {"sm_110", 48, 24,  65536, 65536, 255, 256, 4, 4, kib(228), kib(48), kib(227), 128, kib(1)},
    {"sm_120", 48, 24,  65536, 65536, 255, 256, 4, 4, kib(100), kib(48), kib(99),  128, kib(1)},
    {"sm_121", 48, 24,  65536, 65536, 255, 256, 4, 4, kib(100), kib(48), kib(99),  128, kib(1)},
};
// clang-format on

constexpr std::uint32_t no_limit = std::numeric_limits<std::uint32_t>::max();

constexpr std::uint64_t round_up(std::uint64_t n, std::uint32_t unit) { return (n + unit - 1) / unit * unit; }

std::uint32_t blocks_by_registers(const multiprocessor& m, std::uint32_t warps, std::uint32_t registers_a_thread) {
  if (registers_a_thread == 0) return no_limit;
  if (registers_a_thread > m.registers_a_thread) return 0;
  const std::uint64_t a_warp = round_up(std::uint64_t{registers_a_thread} * lanes, m.register_unit);
  if (a_warp * round_up(warps, m.checked_partitions) > m.registers_a_block) return 0;
  const std::uint64_t warps_that_fit = m.registers / m.partitions / a_warp * m.partitions;
  return static_cast<std::uint32_t>(warps_that_fit / warps);
}

std::uint32_t blocks_by_shared(const multiprocessor& m, std::uint32_t shared_bytes) {
  const std::uint64_t taken = round_up(std::uint64_t{shared_bytes} + m.shared_reserved, m.shared_unit);
  if (taken == 0) return no_limit;
  if (taken > m.shared_a_block_optin + m.shared_reserved) return 0;
  return static_cast<std::uint32_t>(m.shared / taken);
}

}  // namespace

std::span<const multiprocessor> multiprocessors() { return table; }

const multiprocessor* find_multiprocessor(std::string_view arch_name) {
  // Marks of a feature set, and of Kepler's 8-byte banks: the same multiprocessor.
  for (const std::string_view mark : {"a", "f", ".8"})
    if (arch_name.ends_with(mark)) {
      arch_name.remove_suffix(mark.size());
      break;
    }
  for (const multiprocessor& m : table)
    if (m.name == arch_name) return &m;
  return nullptr;
}

occupancy blocks_per_multiprocessor(const multiprocessor& m, const resources& block) {
  if (block.threads == 0 || block.threads > most_threads_a_block) return {0, limit::threads};
  const std::uint32_t warps = (block.threads + lanes - 1) / lanes;
  occupancy least{m.warps / warps, limit::threads};
  const auto at_most = [&](std::uint32_t blocks, limit by) {
    if (blocks < least.blocks) least = {blocks, by};
  };
  at_most(m.blocks, limit::blocks);
  at_most(blocks_by_registers(m, warps, block.registers_a_thread), limit::registers);
  at_most(blocks_by_shared(m, block.shared_bytes), limit::shared);
  return least;
}

std::optional<occupancy> blocks_per_multiprocessor(std::string_view arch_name, const resources& block) {
  const multiprocessor* m = find_multiprocessor(arch_name);
  if (m == nullptr) return std::nullopt;
  return blocks_per_multiprocessor(*m, block);
}

std::string_view name_of(limit l) {
  switch (l) {
    case limit::threads: return "threads";
    case limit::blocks: return "blocks";
    case limit::registers: return "registers";
    case limit::shared: return "shared memory";
  }
  return "";
}

}  // namespace bankwise::cubin
