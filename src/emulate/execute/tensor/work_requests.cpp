// Cluster launch control: a block asks for the work of a cluster that has not begun.
#include <array>
#include <optional>

#include "base/format.hpp"
#include "base/text.hpp"
#include "emulate/execute/past_the_end.hpp"
#include "emulate/execute/tensor/bulk.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

// The response of clusterlaunchcontrol.try_cancel, in the form that ptxas's code expects:
//
//     word 0    x of the first block of the cancelled cluster
//     word 1    y in the lower half, z in the upper half
//     word 2    bit 0: a cluster was cancelled
std::array<u32, 4> answer_to_request(worker& m) {
  const auto& cancel = m.block->cluster->cancel;
  const auto cluster = cancel ? cancel() : std::nullopt;
  if (!cluster) return {};
  const auto [x, y, z] = index_of_block(*m.s, *cluster, 0);
  return {x, (y & 0xffff) | z << 16, 1, 0};
}

// The block gets the response. With .BROADCAST, all blocks of the cluster get it.
step request_work(worker& m, const micro_op& u, u32 mask) {
  m.tell(u, mask, async_of(async_kind::barrier));
  if (mask == 0) return step::next;
  const auto& f = u.as<sass::work_request>();
  const int lane = std::countr_zero(mask);
  const u32 answer = uniform_word(m, f.answer), barrier = uniform_word(m, f.answer, 1);
  constexpr u32 bytes = sizeof(std::array<u32, 4>);
  if (answer % bytes != 0)
    return m.fail(fault_kind::misaligned_address,
                  "clusterlaunchcontrol.try_cancel writes the result to the shared address 0x" + hex(answer) +
                      ", which is not a multiple of 16",
                  lane, "declare the variable for the result with __align__(16)");
  const std::array<u32, 4> words = answer_to_request(m);
  const u32 blocks = f.to_all ? static_cast<u32>(m.block->cluster->blocks.size()) : 1;
  for (u32 n = 0; n < blocks; ++n) {
    const auto in_block = [&](u32 at) { return f.to_all ? n << rank_shift | (at & offset_mask) : at; };
    std::byte* const to = bytes_in_cluster(
        m, access_direction::write, in_block(answer), bytes,
        [] { return "writes the result of clusterlaunchcontrol.try_cancel"; }, lane);
    std::byte* const b = to == nullptr ? nullptr : find_mbarrier(m, in_block(barrier), lane);
    if (b == nullptr) return step::fault;
    tell_cluster_write(m, in_block(answer), bytes, m.pc_of(u));
    std::memcpy(to, words.data(), bytes);
    tell_mbarrier(m, order_kind::complete, in_block(barrier));
    if (update(m, b, lane, 0, u64{0} - bytes, 0) != step::next) return step::fault;
  }
  return step::next;
}

}  // namespace

void add_work_requests(handler_table& t) {
  t[static_cast<std::size_t>(sass::opcode::UGETNEXTWORKID)] = noting_ends<request_work>;
}

}  // namespace bankwise::emulate::BANKWISE_ISA
