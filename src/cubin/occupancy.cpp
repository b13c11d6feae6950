#include "cubin/occupancy.hpp"

#include <limits>

namespace bankwise::cubin {

namespace {

constexpr std::uint32_t lanes = 32;

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

const multiprocessor* find_multiprocessor(std::string_view arch_name) {
  const architecture* const a = find_architecture(arch_name);
  return a != nullptr ? &a->one : nullptr;
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
