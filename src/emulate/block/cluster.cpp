// The barrier of a cluster, and the shared memory of its blocks.

#include "emulate/block/cluster.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "emulate/block/cluster_memory.hpp"
#include "emulate/block/out_of_bounds.hpp"

namespace bankwise::emulate {

std::array<std::uint32_t, 3> index_of_block(const launch_state& s, std::uint64_t cluster, std::uint32_t rank) {
  const auto& [x, y, z] = s.cluster;
  const std::uint64_t wide = s.l->grid[0] / x, high = s.l->grid[1] / y;
  return {static_cast<std::uint32_t>(cluster % wide) * x + rank % x,
          static_cast<std::uint32_t>(cluster / wide % high) * y + rank / x % y,
          static_cast<std::uint32_t>(cluster / wide / high) * z + rank / x / y};
}

namespace {

// Whether the bytes end after the block's shared memory. Loads and atomics may end in the last 16 bytes: compilers merge
// small loads, and an atomic on a half updates a whole word.
bool is_past(const worker& m, access_direction does, std::uint32_t offset, std::uint64_t count) {
  std::uint64_t end = m.s->shared_bytes;
  if (does != access_direction::write && count <= 16) end = (end + count - 1) / count * count;
  return offset + count > end;
}

}  // namespace

std::byte* find_cluster_bytes(const worker& m, std::uint32_t address, std::uint64_t count) {
  const std::uint32_t rank = address >> rank_shift, offset = address & offset_mask;
  const std::vector<block_state*>& blocks = m.block->cluster->blocks;
  const bool is_valid = rank < blocks.size() && !blocks[rank]->ended && offset <= m.s->shared_bytes &&
                        m.s->shared_bytes - offset >= count;
  return is_valid ? blocks[rank]->shared.data() + offset : nullptr;
}

std::byte* cluster_bytes(worker& m, access_direction does, std::uint32_t address, std::uint64_t count,
                         const std::string& what, int lane) {
  const std::uint32_t rank = address >> rank_shift, offset = address & offset_mask;
  const std::vector<block_state*>& blocks = m.block->cluster->blocks;
  if (rank >= blocks.size()) {
    m.fail(fault_kind::launch_failure,
           formatted("{} at shared address 0x{}, in block {} of the cluster, but the cluster has only {}{}", what,
                     hex(address), rank, blocks.size(), blocks.size() == 1 ? " block" : " blocks"),
           lane, "pass mapa the rank of a block in the cluster, from 0 to %cluster_nctarank - 1");
    return nullptr;
  }
  block_state& block = *blocks[rank];
  if (block.ended) {
    m.fail(
        fault_kind::launch_failure,
        formatted("{} in block {} of the cluster, but this block ({}) has ended", what, rank, triple(block.index)),
        lane,
        "a block must not end while other blocks use its shared memory. Call cluster.sync() at the end of the kernel");
    return nullptr;
  }
  if (is_past(m, does, offset, count)) {
    if (offset + count <= m.s->shared_end) {
      m.past.add(lane < 0 ? std::countr_zero(m.p->mask) : lane, does, address, count);
      return block.shared.data() + offset;
    }
    m.fail(is_own(m, address) ? fault_kind::illegal_address : fault_kind::launch_failure,
           formatted("{} at shared address 0x{}, but the block has {} bytes of shared memory", what, hex(address),
                     grouped(m.s->shared_bytes)),
           lane, shared_size_hint(*m.s->l));
    return nullptr;
  }
  return block.shared.data() + offset;
}

void tell_cluster_write(worker& m, std::uint32_t address, std::uint32_t bytes, std::uint64_t pc) {
  if (m.order == nullptr) return;
  const bool own = is_own(m, address);
  const block_state& to = *m.block->cluster->blocks[address >> rank_shift];
  if (!own) m.order->on_block(to.linear);
  m.order->on_order(
      {own ? order_kind::write : order_kind::foreign_write, m.w->id, m.p->mask, address & offset_mask, bytes, pc});
  if (!own) m.order->on_block(m.block->linear);
}

void release_cluster_barrier(worker& m) {
  cluster_state& c = *m.block->cluster;
  for (const block_state* b : c.blocks)
    for (const warp& w : b->warps)
      if ((w.alive & ~w.at_cluster) != 0) return;
  c.waiting = 0;
  ++m.releases;
  for (block_state* b : c.blocks)
    for (warp& w : b->warps) {
      w.at_cluster = 0;
      // A released path executes the waiting instruction again in its next turn.
      for (path& p : w.paths)
        if (p.state == path_state::at_cluster) p.state = path_state::ready;
    }
}

}  // namespace bankwise::emulate
