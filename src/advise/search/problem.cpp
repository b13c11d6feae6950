// Properties of a problem that do not depend on the layout.
#include "advise/search/problem.hpp"

#include <algorithm>

namespace bankwise::advise {

u32 granule_bytes(const problem& p) {
  // The largest power of two that divides the size.
  u32 widest = std::max(1u, p.element_bytes & (~p.element_bytes + 1));
  for (const auto* all : {&p.accesses, &p.of_data})
    for (const weighted_access& w : *all) widest = std::max<u32>(widest, w.what.op.width_bytes);
  return widest;
}

std::optional<u32> blocks_with(const problem& p, std::uint64_t array_bytes) {
  if (p.block.threads == 0) return std::nullopt;
  cubin::resources block = p.block;
  const std::uint64_t now = p.bytes * p.stages;
  const std::uint64_t then = p.room == 0 ? array_bytes : std::max(array_bytes, now + p.room) - p.room;
  block.shared_bytes = static_cast<std::uint32_t>(block.shared_bytes + then - now);
  const auto fits = cubin::blocks_per_multiprocessor(p.on.name, block);
  return fits ? std::optional(fits->blocks) : std::nullopt;
}

bool is_declarable(const problem& p, std::uint64_t array_bytes) {
  const std::uint64_t now = p.bytes * p.stages + p.static_bytes;
  const std::uint64_t then = std::max(array_bytes, p.bytes * p.stages + p.room) - p.room + p.static_bytes;
  return p.dynamic || now > most_static_bytes || then <= most_static_bytes;
}

}  // namespace bankwise::advise
