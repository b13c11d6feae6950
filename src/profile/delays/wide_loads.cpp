#include "profile/delays/wide_loads.hpp"

#include <algorithm>
#include <bit>

#include "rule/fast_rule.hpp"

namespace bankwise {

namespace {

// The largest power of two that divides the distances between the active lanes. `widest` if all have one address.
template <class Addresses>
std::uint32_t bytes_between(std::uint32_t mask, const Addresses& address) {
  std::uint64_t all = wide_load::widest;
  if (mask == 0) return wide_load::widest;
  const auto first = address[static_cast<std::size_t>(std::countr_zero(mask))];
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
    all |= address[static_cast<std::size_t>(std::countr_zero(rest))] - first;
  return 1U << std::countr_zero(all);
}

float widened(const site& s, std::uint32_t bytes, const fast_rule& cost_of) {
  access wide = s.worst;
  wide.op = ld(bytes);
  for (u32& a : wide.address) a -= a % bytes;
  return static_cast<float>(cost_of(wide).wavefronts) / static_cast<float>(std::max(1U, cost_of(s.worst).wavefronts));
}

}  // namespace

std::vector<wide_load> wide_loads_of(const launch_report& r, const timing::launch_trace& t, const machine& on) {
  std::vector<wide_load> list(t.code.size());
  const fast_rule cost_of(on.model);
  for (const site& s : r.sites) {
    const auto code = t.code_at(s.function, s.pc);
    if (!code || !is_access(s) || s.op.op.kind != op_kind::load) continue;
    wide_load& w = list[*code];
    w.most_bytes = bytes_between(s.worst.mask, s.worst.address);
    w.wavefronts = {widened(s, 8, cost_of), widened(s, 16, cost_of)};
  }
  for (const global_site& s : r.global_sites)
    if (const auto code = t.code_at(s.function, s.pc); code && s.kind == global_kind::load)
      list[*code].most_bytes = bytes_between(s.worst.mask, s.worst.address);
  return list;
}

}  // namespace bankwise
