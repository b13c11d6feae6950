#include "model/time_bound.hpp"

namespace bankwise {

namespace {

constexpr std::uint64_t schedulers = 4;

}  // namespace

time_bound bound_of(const launch_report& l) {
  time_bound b;
  b.issue_cycles = (l.sum.warp_instructions + schedulers - 1) / schedulers;
  for (const site& s : l.sites) {
    const bool multiplies = s.async.kind == async_kind::wgmma || s.async.kind == async_kind::tensor_product;
    b.nominal |= s.async.kind == async_kind::tensor_product;
    b.byte_passes += s.async.kind == async_kind::wgmma ? 0 : s.byte_passes;
    b.shared_cycles += multiplies ? s.wavefronts : s.cycles;
    b.shared_cycles_reachable += multiplies ? s.wavefronts : s.best_cycles;
    b.by_data |= is_access(s) && s.best_cycles < s.cycles && depends_on_data(s);
    b.tensor_cycles += multiplies ? s.passes : 0;
  }
  return b;
}

}  // namespace bankwise
