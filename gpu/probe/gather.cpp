// Makes all measurements of a probe on one GPU, and compares the measurements with the rule.
#include <algorithm>

#include "bankwise/config.hpp"
#include "base/format.hpp"
#include "evidence.hpp"
#include "kernels.hpp"
#include "patterns.hpp"

namespace bankwise::probe {

namespace {

// Returns accesses whose lanes are 1, 2, 4 ... elements apart. The number of wavefronts grows with the distance.
std::vector<access> rungs_of(const probed_operation& p) {
  std::vector<access> list;
  for (u32 stride = 1; stride <= 32; stride *= 2) {
    access a = {p.op, full_mask, {}};
    for (u32 i = 0; i < lanes_per_warp; ++i) a.address[i] = i * stride * p.op.width_bytes;
    list.push_back(a);
  }
  return list;
}

evidence_row row_of(const std::string& name, const verdict& v) {
  return {name, v.measured, v.patterns, v.holds, v.smallest};
}

}  // namespace

bool gpu_evidence::holds() const {
  const auto all = [](const std::vector<evidence_row>& rows) {
    return std::all_of(rows.begin(), rows.end(), [](const evidence_row& r) { return r.holds == r.patterns; });
  };
  return all(known) && all(random);
}

result<gpu_evidence> gather(const gpu_facts& on, const machine& rule, const meters& with, const probe_options& options,
                            const std::function<void(std::uint64_t, std::uint64_t, std::string_view)>& progress) {
  gpu_evidence e;
  e.version = BANKWISE_VERSION;
  e.on = on;
  e.rule = rule.name;
  e.seed = options.seed;
  std::vector<const probed_operation*> operations = options.operations;
  for (const probed_operation* p : operations)
    if (!is_probed_on(*p, on.sm))
      return diagnostic{formatted("--op: the probe has no {} for this GPU, which is sm_{}", p->name, on.sm),
                        {},
                        formatted("the operation needs sm_{} or later", p->first_sm)};
  if (operations.empty())
    for (const probed_operation& p : probed_operations())
      if (is_probed_on(p, on.sm) && !unsupported(rule, p.op)) operations.push_back(&p);
  const auto is_asked = [&](const probed_operation* p) {
    return std::find(operations.begin(), operations.end(), p) != operations.end();
  };
  struct method {
    quantity q;
    const meter& measure;
    std::size_t patterns;
  };
  std::vector<method> methods{{quantity::cycles, with.cycles, options.timed}};
  if (with.wavefronts) methods.push_back({quantity::wavefronts, with.wavefronts, options.counted});

  std::uint64_t done = 0;
  const std::uint64_t total = methods.size() * (operations.size() + 1) + 2;
  for (const method& by : methods) {
    progress(done++, total, "known cases");
    for (const known_case& k : known_cases()) {
      const probed_operation* p = find_probed(k.operation);
      if (!is_asked(p)) continue;
      const auto v = compare(*p, {&k.what, 1}, by.q, by.measure, rule.model);
      if (!v) return v.error();
      e.known.push_back(row_of(k.name, *v));
    }
    for (const probed_operation* p : operations) {
      progress(done++, total, p->name);
      const auto v = compare(*p, random_patterns(*p, by.patterns, options.seed), by.q, by.measure, rule.model);
      if (!v) return v.error();
      e.random.push_back(row_of(p->name, *v));
    }
  }
  progress(done++, total, "latency");
  for (const probed_operation* p : operations) {
    if (!with.latency || !has_latency(*p)) continue;
    const std::vector<access> list = rungs_of(*p);
    const auto clocks = with.latency(*p, list);
    if (!clocks) return clocks.error();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const u32 n = wavefronts(list[i], rule.model);
      // If several distances take the same number of wavefronts, keeps the shortest of these distances.
      if (i == 0 || n != e.latencies.back().wavefronts) e.latencies.push_back({p->name, n, (*clocks)[i]});
    }
  }
  progress(done++, total, "banks and phases, without the rule");
  if (options.operations.empty()) {
    auto found = discover(with.cycles, options.timed, options.seed);
    if (found)
      e.found = std::move(*found);
    else
      e.notes.push_back(found.error().message);
  }
  return e;
}

}  // namespace bankwise::probe
