// Cluster launch control: a block asks whether it may take over the work of a cluster that has not begun.
#include "base/format.hpp"
#include "base/text.hpp"
#include "emulate/execute/tensor/bulk.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

// Executes clusterlaunchcontrol.try_cancel. The answer is always that no cluster was cancelled, so each cluster of the
// grid runs itself. A GPU gives the same answer when all clusters have begun.
step request_work(worker& m, const micro_op& u, u32 mask) {
  m.tell(u, mask, async_of(async_kind::barrier));
  if (mask == 0) return step::next;
  const auto& f = u.as<sass::work_request>();
  const int lane = std::countr_zero(mask);
  const u32 answer = uniform_word(m, f.answer), barrier = uniform_word(m, f.answer, 1);
  constexpr u32 bytes = 16;
  if (answer % bytes != 0)
    return m.fail(fault_kind::misaligned_address,
                  "clusterlaunchcontrol.try_cancel answers at shared address 0x" + hex(answer) +
                      ", which is not a multiple of 16",
                  lane, "declare the answer __align__(16)");
  const u32 blocks = f.to_all ? static_cast<u32>(m.block->cluster->blocks.size()) : 1;
  for (u32 n = 0; n < blocks; ++n) {
    const auto in_block = [&](u32 at) { return f.to_all ? n << rank_shift | (at & offset_mask) : at; };
    std::byte* const to =
        cluster_bytes(m, in_block(answer), bytes, "an answer of clusterlaunchcontrol.try_cancel", lane);
    std::byte* const b = to == nullptr ? nullptr : find_mbarrier(m, in_block(barrier), lane);
    if (b == nullptr) return step::fault;
    tell_cluster_write(m, in_block(answer), bytes, m.pc_of(u));
    std::memset(to, 0, bytes);
    tell_mbarrier(m, order_kind::release, in_block(barrier));
    if (update(m, b, lane, 0, u64{0} - bytes, 0) != step::next) return step::fault;
  }
  return step::next;
}

}  // namespace

void add_work_requests(handler_table& t) { t[static_cast<std::size_t>(sass::opcode::UGETNEXTWORKID)] = request_work; }

}  // namespace bankwise::emulate::BANKWISE_ISA
