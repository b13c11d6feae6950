#include "compare.hpp"

#include <algorithm>
#include <cmath>

namespace bankwise::probe {

namespace {

double nearest(const expectation& rule, double measured) { return measured < rule.least ? rule.least : rule.most; }

// Returns simpler variants of the access `a`. The simplest variant is first.
std::vector<access> simpler(const access& a) {
  std::vector<access> list;
  const u32 used = lanes_used(a);
  const auto with_mask = [&](u32 mask) {
    if (mask == 0 || mask == a.mask) return;
    access b = a;
    b.mask = mask;
    for (u32 i = 0; i < lanes_per_warp; ++i)
      if ((mask >> i & 1) == 0) b.address[i] = 0;
    list.push_back(b);
  };
  // In a matrix operation, all lanes must be active, so no lane is removed.
  if (a.op.matrices == 0) {
    for (u32 size = 16; size != 0; size /= 2)
      for (u32 first = 0; first < lanes_per_warp; first += size)
        with_mask(a.mask & ~((size == 32 ? full_mask : (1u << size) - 1) << first));
  }
  // Changes the addresses of all lanes together, and then the address of one lane at a time.
  const auto every = [&](auto&& f) {
    access b = a;
    bool changed = false;
    for (u32 i = 0; i < lanes_per_warp; ++i)
      if ((used >> i & 1) != 0) {
        b.address[i] = f(a.address[i]);
        changed |= b.address[i] != a.address[i];
      }
    if (changed) list.push_back(b);
  };
  u32 least = full_mask;
  for (u32 i = 0; i < lanes_per_warp; ++i)
    if ((used >> i & 1) != 0) least = std::min(least, a.address[i]);
  every([&](u32 x) { return x - least; });
  for (const u32 limit : {256u, 1024u, 4096u}) every([&](u32 x) { return x % limit; });
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if ((used >> i & 1) == 0) continue;
    const u32 x = a.address[i];
    for (const u32 to : {0u, x % 128, x % 256, x % 1024})
      if (to < x) {
        access b = a;
        b.address[i] = to;
        list.push_back(b);
      }
  }
  return list;
}

}  // namespace

expectation expected(const access& a, quantity q, const bank_model& m) {
  const cost c = analyze(a, m);
  if (q == quantity::wavefronts) return {static_cast<double>(c.wavefronts), static_cast<double>(c.wavefronts)};
  return {static_cast<double>(std::max(c.wavefronts, c.passes) * m.clocks_per_wavefront),
          static_cast<double>(c.cycles)};
}

bool agrees(const probed_operation& p, double measured, const expectation& rule, quantity q) {
  const auto allowed = [&](double of) { return q == quantity::wavefronts ? 0.5 : std::max(0.45, p.scatter * of); };
  return measured >= rule.least - allowed(rule.least) && measured <= rule.most + allowed(rule.most);
}

result<mismatch> shrink(const probed_operation& p, const mismatch& wrong, quantity q, const meter& measure,
                        const bank_model& m) {
  mismatch best = wrong;
  // The loop ends, because each step removes a lane or lowers an address. The limit on the number of rounds is for
  // machines whose measurements vary.
  for (int round = 0; round < 400; ++round) {
    const std::vector<access> list = simpler(best.what);
    const auto measured = measure(p, list);
    if (!measured) return measured.error();
    std::size_t i = 0;
    while (i < list.size() && agrees(p, (*measured)[i], expected(list[i], q, m), q)) ++i;
    if (i == list.size()) break;
    best = {list[i], nearest(expected(list[i], q, m), (*measured)[i]), (*measured)[i]};
  }
  return best;
}

result<verdict> compare(const probed_operation& p, std::span<const access> patterns, quantity q, const meter& measure,
                        const bank_model& m) {
  const auto measured = measure(p, patterns);
  if (!measured) return measured.error();
  verdict v{&p, q, patterns.size(), 0, {}};
  std::optional<mismatch> worst;
  double most = 0;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const double machine = (*measured)[i];
    const expectation range = expected(patterns[i], q, m);
    const double rule = nearest(range, machine);
    if (agrees(p, machine, range, q)) {
      ++v.holds;
      continue;
    }
    // Keeps the measurement with the largest difference, because noise of the clock is least likely to cause it.
    const double by = std::fabs(machine - rule) / std::max(rule, 1.0);
    if (worst && by <= most) continue;
    most = by;
    worst = mismatch{patterns[i], rule, machine};
  }
  if (!worst) return v;
  const auto small = shrink(p, *worst, q, measure, m);
  if (!small) return small.error();
  v.smallest = *small;
  return v;
}

}  // namespace bankwise::probe
