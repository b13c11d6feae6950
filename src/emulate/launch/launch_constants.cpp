// The values that the driver writes to constant bank 0, and their positions.
#include "emulate/launch/launch_constants.hpp"

#include <algorithm>
#include <cstring>

#include "cubin/architectures.hpp"
#include "sass/isa.hpp"

namespace bankwise::emulate {

namespace {

template <class T>
void put(std::vector<std::byte>& bank, std::size_t offset, T value) {
  if (bank.size() < offset + sizeof value) bank.resize(offset + sizeof value);
  std::memcpy(bank.data() + offset, &value, sizeof value);
}

// For one instruction set, the positions in constant bank 0 where the driver stores facts about a launch. The positions
// were found in code that reads the values. A position is 0 if the value does not exist or its position is unknown.
// Only for `block`, 0 is also a valid position. All other bytes of the bank are zero.
struct constant_places {
  std::uint16_t block, grid;
  std::uint16_t shared_window, local_window;
  std::uint16_t stack;  // the end of a thread's local memory, from which the stack grows down
  std::uint16_t dynamic_shared;
  std::uint16_t multiprocessors;
  std::uint16_t descriptor;  // a memory descriptor, which plain accesses do not use
  // extents of a cluster and their reciprocals; number of clusters in the grid
  std::uint16_t cluster_extent, cluster_reciprocal, clusters;
  std::uint16_t cluster_blocks;
  std::uint16_t is_cluster;  // 1 if the launch has clusters, even if a cluster has only one block
  // for cooperative launches: the two words of the workspace's address
  std::uint16_t grid_workspace_high, grid_workspace_low;
  std::uint16_t constants;  // the address of constant bank 3, for pointers into this bank
  std::uint16_t parameters;
};
// clang-format off
constexpr constant_places places_table[sass::isa_count] = {
    {0x000, 0x00c, 0x18, 0x020, 0x028, 0x02c, 0x10c, 0x000, 0x000, 0x000, 0x000, 0x000, 0x000,
     0x08c, 0x090, 0x050, 0x000},  // turing
    {0x000, 0x00c, 0x18, 0x020, 0x028, 0x02c, 0x10c, 0x118, 0x000, 0x000, 0x000, 0x000, 0x000,
     0x08c, 0x090, 0x050, 0x000},  // ampere
    {0x000, 0x00c, 0x18, 0x020, 0x028, 0x02c, 0x10c, 0x118, 0x000, 0x000, 0x000, 0x000, 0x000,
     0x08c, 0x090, 0x050, 0x000},  // ada
    {0x000, 0x00c, 0x00, 0x020, 0x028, 0x02c, 0x10c, 0x208, 0x144, 0x150, 0x15c, 0x188, 0x140,
     0x044, 0x048, 0x0d0, 0x198},  // hopper
    {0x360, 0x370, 0x00, 0x2f8, 0x37c, 0x2ac, 0x2d0, 0x358, 0x2a0, 0x2b0, 0x2c0, 0x2cc, 0x36c,
     0x254, 0x258, 0x120, 0x348},  // blackwell
    {0x360, 0x370, 0x00, 0x2f8, 0x37c, 0x2ac, 0x2d0, 0x358, 0x2a0, 0x2b0, 0x2c0, 0x2cc, 0x36c,
     0x254, 0x258, 0x120, 0x348},  // rtx
};
// clang-format on

const constant_places& places_of(std::uint32_t sm) { return places_table[static_cast<unsigned>(sass::isa_of(sm))]; }

}  // namespace

bool has_grid_workspace(std::uint32_t sm) { return places_of(sm).grid_workspace_high != 0; }

std::vector<std::byte> launch_constants(const launch& l, std::uint32_t local_bytes, std::uint64_t grid_workspace,
                                        std::uint64_t constants) {
  const constant_places& at = places_of(l.program->sm);
  std::vector<std::byte> bank(l.kernel->param_base + l.parameters.size());
  for (unsigned i = 0; i < 3; ++i) {
    put(bank, at.block + 4 * i, l.block[i]);
    put(bank, at.grid + 4 * i, l.grid[i]);
  }
  if (at.shared_window != 0) put(bank, at.shared_window, shared_window);
  put(bank, at.local_window, local_window);
  put(bank, at.stack, local_bytes);
  put(bank, at.dynamic_shared, l.dynamic_shared_bytes);
  put(bank, at.multiprocessors, cubin::multiprocessors_of(l.program->sm));
  if (at.grid_workspace_high != 0) {
    put(bank, at.grid_workspace_high, static_cast<std::uint32_t>(grid_workspace >> 32));
    put(bank, at.grid_workspace_low, static_cast<std::uint32_t>(grid_workspace));
  }
  if (at.constants != 0) put(bank, at.constants, constants);
  if (at.parameters != 0) put(bank, at.parameters, parameter_base + l.kernel->param_base);
  const std::array<std::uint32_t, 3> cluster = cluster_of(l);
  if (at.cluster_blocks != 0) put(bank, at.cluster_blocks, cluster[0] * cluster[1] * cluster[2]);
  if (at.is_cluster != 0) put(bank, at.is_cluster, std::uint32_t{has_clusters(l) ? 1u : 0u});
  for (unsigned i = 0; i < 3 && at.cluster_extent != 0; ++i) {
    put(bank, at.cluster_extent + 4 * i, cluster[i]);
    put(bank, at.cluster_reciprocal + 4 * i, 1.0f / static_cast<float>(cluster[i]));
    put(bank, at.clusters + 4 * i, l.grid[i] / cluster[i]);
  }
  if (at.descriptor != 0) put(bank, at.descriptor, std::uint64_t{0});
  std::copy(l.parameters.begin(), l.parameters.end(), bank.begin() + l.kernel->param_base);
  return bank;
}

}  // namespace bankwise::emulate
