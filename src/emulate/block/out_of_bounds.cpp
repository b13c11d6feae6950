#include "emulate/block/out_of_bounds.hpp"

#include <bit>
#include <utility>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "emulate/block/fault_place.hpp"

namespace bankwise::emulate {

namespace {

// Counts accesses of an instruction. Returns the entry if they are the first accesses out of bounds, and sets their
// place. Returns null otherwise.
first_out_of_bounds* count_out_of_bounds(worker& m, std::uint64_t pc, bounded_memory in, access_direction does,
                                         std::uint32_t bytes, std::uint32_t lanes, std::uint64_t address) {
  const auto [it, is_new] = m.out_of_bounds.try_emplace({pc, in});
  first_out_of_bounds& a = it->second;
  ++a.count;
  a.lanes += static_cast<std::uint64_t>(std::popcount(lanes));
  if (!is_new && a.order <= m.block->order) return nullptr;
  const int lane = std::countr_zero(lanes);
  a.direction = does;
  a.memory = in;
  a.bytes = bytes;
  a.order = m.block->order;
  a.block = m.block->index;
  a.thread = thread_of(m, lane);
  a.warp = m.w->id;
  a.lane = static_cast<std::uint32_t>(lane);
  a.address = address;
  diagnostic d;
  add_source(d, m, pc, lane);
  a.trail = std::move(d.trail);
  return &a;
}

}  // namespace

void note_out_of_bounds(worker& m, std::uint64_t pc, access_direction does, std::uint32_t bytes, std::uint32_t lanes,
                        std::uint64_t address) {
  first_out_of_bounds* const a = count_out_of_bounds(m, pc, bounded_memory::global, does, bytes, lanes, address);
  if (a == nullptr) return;
  a->nearest = m.s->memory->describe_nearest(address);
  for (std::string& line : m.s->memory->history_of_nearest(address)) a->trail.push_back(std::move(line));
}

void note_past_the_end(worker& m, std::uint64_t pc) {
  const past_the_end past = m.past;
  m.past = {};
  first_out_of_bounds* const a =
      count_out_of_bounds(m, pc, bounded_memory::shared, past.does, past.bytes, past.lanes, past.address & offset_mask);
  if (a == nullptr) return;
  const std::uint32_t rank = past.address >> rank_shift;
  a->nearest = rank == m.block->rank ? "" : formatted(" of block {} of the cluster", rank);
}

void add_out_of_bounds(out_of_bounds_accesses& to, const out_of_bounds_accesses& from) {
  for (const auto& [pc, a] : from) {
    const auto [it, is_new] = to.try_emplace(pc, a);
    if (is_new) continue;
    first_out_of_bounds& b = it->second;
    const std::uint64_t count = a.count + b.count, lanes = a.lanes + b.lanes;
    if (a.order < b.order) b = a;
    b.count = count;
    b.lanes = lanes;
  }
}

std::string shared_size_hint(const launch& l) {
  const std::string dynamic = formatted("{}, the third argument in <<<grid, block, bytes>>>", worded(setting::shared));
  if (l.dynamic_shared_bytes != 0)
    return formatted("an index is past the end of an array, or the dynamic shared memory is too small ({})", dynamic);
  if (l.kernel->static_shared_bytes != 0)
    return formatted(
        "an index is past the end of a __shared__ array. If the array is extern, the launch must request dynamic "
        "shared memory ({})",
        dynamic);
  return formatted(
      "the kernel has no __shared__ array of a fixed size, and the launch requests no dynamic shared memory ({})",
      dynamic);
}

}  // namespace bankwise::emulate
