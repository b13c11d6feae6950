#include "cubin/launch_limits.hpp"

#include <algorithm>

#include "bankwise/ability.hpp"

namespace bankwise::cubin {

namespace {

std::uint32_t blocks_on_one(const launch_request& l, const launch_limits& most) {
  if (most.on == nullptr) return 1;
  return blocks_per_multiprocessor(most.on->one,
                                   {static_cast<std::uint32_t>(threads_of(l)), most.registers,
                                    most.static_shared_bytes + static_cast<std::uint32_t>(l.dynamic_shared_bytes)})
      .blocks;
}

launch_limit beyond_clusters(const launch_request& l, const launch_limits& most) {
  const bool asked = l.cluster[0] != 0, compiled = most.kernel_cluster[0] != 0;
  if (!asked && !compiled) return launch_limit::none;
  if (most.on != nullptr && !can(most.on->sm, ability::cluster)) return launch_limit::no_clusters;
  if (asked && compiled && l.cluster != most.kernel_cluster) return launch_limit::kernel_cluster;
  const std::array<std::uint32_t, 3>& c = asked ? l.cluster : most.kernel_cluster;
  const auto within = [&](std::uint64_t n) { return n != 0 && n <= most.cluster_blocks; };
  if (!within(c[0]) || !within(c[1]) || !within(c[2]) || !within(std::uint64_t{c[0]} * c[1] * c[2]))
    return launch_limit::cluster;
  for (unsigned i = 0; i < 3; ++i)
    if (l.grid[i] % c[i] != 0) return launch_limit::cluster_grid;
  return launch_limit::none;
}

}  // namespace

launch_limits limits_of(const kernel& k, std::uint32_t sm) {
  launch_limits most;
  most.kernel_threads = k.max_threads;
  most.kernel_cluster = k.cluster;
  most.static_shared_bytes = k.static_shared_bytes;
  most.registers = k.registers;
  most.on = find_architecture(sm);
  return most;
}

launch_limit first_beyond(const launch_request& l, const launch_limits& most) {
  for (unsigned i = 0; i < 3; ++i) {
    if (l.grid[i] == 0 || l.grid[i] > most.grid[i]) return launch_limit::grid;
    if (l.block[i] == 0 || l.block[i] > most.block[i]) return launch_limit::block;
  }
  if (threads_of(l) > most.threads) return launch_limit::threads;
  if (threads_of(l) > most.kernel_threads) return launch_limit::kernel_threads;
  if (l.dynamic_shared_bytes > most.dynamic_shared_bytes) return launch_limit::dynamic_shared;
  if (most.on != nullptr) {
    const std::uint64_t room = most.on->one.shared_a_block_optin;
    if (most.static_shared_bytes > room || l.dynamic_shared_bytes > room - most.static_shared_bytes)
      return launch_limit::shared;
    if (blocks_on_one(l, most) == 0) return launch_limit::registers;
  }
  if (const launch_limit beyond = beyond_clusters(l, most); beyond != launch_limit::none) return beyond;
  const std::uint64_t blocks = std::uint64_t{l.grid[0]} * l.grid[1] * l.grid[2];
  return l.cooperative && blocks > resident_blocks(l, most) ? launch_limit::cooperative : launch_limit::none;
}

std::uint64_t resident_blocks(const launch_request& l, const launch_limits& most) {
  return std::uint64_t{std::max(1u, blocks_on_one(l, most))} * multiprocessors_of(most.on != nullptr ? most.on->sm : 0);
}

}  // namespace bankwise::cubin
