// Measures the parameters of a multiprocessor for `probe --timing`, each from the clocks of a kernel.
#include "gpu/probe/timing/time_meter.hpp"

#include "base/format.hpp"
#include "base/text.hpp"
#include "gpu/probe/gpu_meters.hpp"
#include "gpu/probe/kernels.hpp"
#include "gpu/probe/timing/timing_kernels.hpp"

namespace bankwise::probe {

result<done> measure_shared(time_meter& m, measured_values& to) {
  const meter latency = latency_meter(m.on());
  const auto of = [&](const char* name, u32 stride) -> result<double> {
    const probed_operation* const p = find_probed(name);
    if (!is_probed_on(*p, m.facts().sm)) return -1.0;
    access a = {p->op, full_mask, {}};
    for (u32 i = 0; i < lanes_per_warp; ++i) a.address[i] = i * stride * p->op.width_bytes;
    const auto clocks = latency(*p, {&a, 1});
    if (!clocks) return clocks.error();
    return clocks->front();
  };
  const auto load = of("ld.b32", 1), conflicts = of("ld.b32", 8), atomic = of("atom.add.b32", 1),
             matrix = of("ldmatrix.x1", 1);
  for (const auto* r : {&load, &conflicts, &atomic, &matrix})
    if (!*r) return r->error();
  to["shared_latency"] = {*load, "a chain of loads from shared memory"};
  to["wavefront_latency"] = {(*conflicts - *load) / 7, "a chain of loads with 8 wavefronts instead of 1"};
  to["atomic_shared_latency"] = {*atomic, "a chain of atomic additions to shared memory"};
  if (*matrix > 0) to["matrix_latency"] = {*matrix, "a chain of ldmatrix"};
  return done{};
}

result<done> measure_chains(time_meter& m, measured_values& to) {
  const auto shuffle = m.round({"chain_shuffle", 1, threads_of_warp, 8});
  if (!shuffle) return shuffle.error();
  to["shuffle_latency"] = {*shuffle / chained, "a chain of shuffles"};
  const auto constant = m.round({"chain_constant", 1, threads_of_warp, 8});
  if (!constant) return constant.error();
  to["constant_latency"] = {*constant / chained, "a chain of constant loads"};
  // Measures the same barriers with one warp and with 32 warps.
  const auto one = m.round({"barriers", 1, threads_of_warp, 8}), all = m.round({"barriers", 1, full_block, 8});
  if (!one) return one.error();
  if (!all) return all.error();
  const double each = (*all - *one) / chained / 31;
  to["barrier_interval"] = {each, "barriers in a block of 1 warp and in a block of 32 warps"};
  to["barrier_latency"] = {*one / chained - each, "the same measurement as barrier_interval"};
  return done{};
}

result<done> measure_pipes(time_meter& m, measured_values& to) {
  // Returns the clocks that a quarter of the multiprocessor needs for one instruction. Each quarter executes eight
  // warps.
  const auto of_quarter = [&m](const char* kernel) -> result<double> {
    const auto clocks = m.round({kernel, 1, full_block, 16, 0x3210, 0});
    if (!clocks) return clocks.error();
    return *clocks / piped / (full_block / threads_of_warp / quarters);
  };
  const auto floats = of_quarter("pipe_float"), doubles = of_quarter("pipe_double"),
             integers = of_quarter("pipe_integer"), special = of_quarter("pipe_special"),
             shuffles = of_quarter("pipe_shuffle");
  for (const auto* r : {&floats, &doubles, &integers, &special, &shuffles})
    if (!*r) return r->error();
  to["float_pipes"] = {*floats < 1.5 ? 2.0 : 1.0, formatted("one FFMA every {} clocks", fixed(*floats, 2))};
  to["fp64_interval"] = {*doubles, "DFMA of 8 warps on one quarter of a multiprocessor"};
  to["integer_interval"] = {*integers, "PRMT of 8 warps on one quarter of a multiprocessor"};
  to["special_interval"] = {*special, "MUFU.EX2 of 8 warps on one quarter of a multiprocessor"};
  to["shuffle_wavefronts"] = {*shuffles / quarters, "shuffles of 32 warps"};
  if (const unsigned products = tensor_products(m.facts().sm); products != 0) {
    const auto tensor = of_quarter("pipe_tensor");
    if (!tensor) return tensor.error();
    to["tensor_halves"] = {products / *tensor, formatted("one FP16 mma.sync every {} clocks", fixed(*tensor, 2))};
  }
  const auto address = m.round({"pipe_address", 1, threads_of_warp, 16});
  if (!address) return address.error();
  to["address_interval"] = {*address / 32, "loads from shared memory by one warp"};
  const auto tags = m.round({"pipe_tags", 1, full_block, 16});
  if (!tags) return tags.error();
  to["l1_tags"] = {16.0 * full_block / *tags, "loads of 32 lines from L1 by 32 warps"};
  const auto matches = m.round({"pipe_match", 1, full_block, 16});
  if (!matches) return matches.error();
  constexpr double warps = full_block / threads_of_warp;
  to["match_wavefronts"] = {*matches / piped / warps, "MATCH.ANY of 16 distinct values by 32 warps"};
  return done{};
}

}  // namespace bankwise::probe
