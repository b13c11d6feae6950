#include "profile/sites.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "profile/code/place.hpp"
#include "profile/sector_groups.hpp"
#include "sass/fields/shared_operation.hpp"
#include "sass/flow/basic_blocks.hpp"

namespace bankwise {

namespace {

// Converts the source addresses of a copy to offsets from the first line that the copy reads. Lanes that do not read
// get 0.
void count_from_first_line(copy_source& from, u32 mask) {
  from.reads &= mask;
  u32 first = ~0u;
  for (u32 i = 0; i < lanes_per_warp; ++i)
    if ((from.reads >> i & 1) != 0) first = std::min(first, from.address[i] / line_bytes * line_bytes);
  for (u32 i = 0; i < lanes_per_warp; ++i) from.address[i] = (from.reads >> i & 1) != 0 ? from.address[i] - first : 0;
}

// Adds the cost of an asynchronous operation that was executed `done` times.
void price(counts& s, const async_operation& o, std::uint64_t done) {
  const async_cost cost = analyze(o);
  const std::uint64_t warps = o.kind == async_kind::wgmma ? warps_per_group : 1;
  const auto all = [&](std::uint64_t one) { return (done * one + warps - 1) / warps; };
  s.wavefronts = s.ideal = s.reachable = s.layout_floor = all(cost.page_wavefronts);
  s.ncu_wavefronts = s.ncu_ideal = s.combined = s.by_lane = s.wavefronts;
  if (o.kind == async_kind::wgmma) {
    s.passes = all(cost.tensor_cycles);
    s.byte_passes = s.wavefronts;
  }
  // tcgen05.mma does not use the pipe of loads and stores.
  s.cycles = s.best_cycles = o.kind == async_kind::tensor_product ? s.wavefronts : std::max(s.wavefronts, s.passes);
}

// Sets the facts of a site about its asynchronous operation.
void judge(site& s, const async_operation& o, const machine& on) {
  s.async = o;
  s.async.bytes = 0;
  s.op.spelling = spell(o.kind);
  s.rule = on.async_rules->by_group[static_cast<u32>(group_of(o.kind))];
  s.worst_cost.wavefronts = s.worst_cost.reachable = analyze(o).page_wavefronts;
}

// Whether an instruction of the loop, except `swap`, stores to shared memory.
bool stores_beside(byte_span code, sass::isa set, const std::pair<std::uint64_t, std::uint64_t>& loop,
                   std::uint64_t swap) {
  for (std::uint64_t at = loop.first; at <= loop.second; at += sass::instruction_bytes) {
    if (at == swap) continue;
    const operation o = sass::shared_operation_of(sass::load_instruction(code.data() + at, set));
    if (o.width_bytes != 0 && o.kind != op_kind::load && o.kind != op_kind::ldmatrix) return true;
  }
  return false;
}

}  // namespace

counts counts_of(const collector::tally& seen) {
  counts c = seen;
  if (seen.op.width_bytes == 0) price(c, seen.async, seen.async_done);
  return c;
}

launch_report begin_report(const cubin::kernel& k, const std::array<std::uint32_t, 3>& grid,
                           const std::array<std::uint32_t, 3>& block, std::uint32_t dynamic_shared_bytes) {
  launch_report r;
  r.kernel = k.full_name;
  r.name = k.name;
  r.mangled = k.mangled;
  r.grid = grid;
  r.block = block;
  r.static_shared_bytes = k.static_shared_bytes;
  r.dynamic_shared_bytes = dynamic_shared_bytes;
  r.registers = k.registers;
  return r;
}

std::vector<std::uint64_t> add_sites(launch_report& r, const cubin::program& p, const cubin::kernel& k,
                                     const machine& on, const std::map<std::uint64_t, collector::tally>& seen,
                                     const std::function<void(site&, std::uint64_t pc)>& estimate) {
  std::vector<std::pair<site, std::uint64_t>> found;  // sites, each with its device address
  for (const auto& [pc, t] : seen) {
    // Skips generic instructions that did not access shared memory.
    if (t.generic && t.shared_executed == 0 && t.async.kind == async_kind::none) continue;
    site s;
    s.again = t.again;
    if (const auto found_in = set_place(s, p, k, pc); found_in && goes_round(s)) {
      const auto [code, at] = *found_in;
      if (const auto loop = sass::loop_around(code, sass::isa_of(p.sm), at)) {
        const std::uint64_t begin = at - s.pc;
        s.again.loop_begin = loop->first - begin;
        s.again.loop_end = loop->second - begin;
        s.again.locks = stores_beside(code, sass::isa_of(p.sm), *loop, at);
      }
    }
    s += counts_of(t);
    s.generic = t.generic;
    s.warp_span_bytes = t.warp_span;
    s.span_bytes = t.touched.bytes();
    s.executed_at_least = t.executed_at_least;
    if (t.op.width_bytes != 0) {
      s.op.op = t.op;
      s.op.spelling = spell(t.op);
      s.rule = on.rules->by_group[static_cast<u32>(group_of(t.op))];
    } else {
      judge(s, t.async, on);
    }
    if (is_access(s)) {
      s.worst = t.worst;
      s.worst_from = t.worst_from;
      s.worst_cost = t.worst_cost;
    }
    // In the report, address 0 is after the system's part of memory. This part consists of whole rows of banks.
    bool outside = false;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      outside |= (s.worst.mask >> lane & 1) != 0 && s.worst.address[lane] < k.reserved_shared_bytes;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      s.worst.address[lane] =
          (s.worst.mask >> lane & 1) == 0 ? 0 : s.worst.address[lane] - (outside ? 0 : k.reserved_shared_bytes);
    count_from_first_line(s.worst_from, s.worst.mask);
    found.emplace_back(std::move(s), pc);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.function, a.first.pc) < std::tie(b.first.function, b.first.pc);
  });
  std::vector<std::uint64_t> pcs;
  for (auto& [s, pc] : found) {
    if (estimate) estimate(s, pc);
    r.sum += s;
    r.sites.push_back(std::move(s));
    pcs.push_back(pc);
  }
  return pcs;
}

std::vector<global_site> global_sites_of(const cubin::program& p, const cubin::kernel& k, global_collector& heard,
                                         const std::function<void(global_site&, std::uint64_t pc)>& estimate) {
  std::vector<std::pair<global_site, const global_tally::first_access*>> found;
  const auto add = [&](const std::map<std::uint64_t, global_tally>& tallies) {
    for (const auto& [pc, t] : tallies) {
      if (t.generic && t.requests == 0) continue;  // all executions accessed other kinds of memory
      global_site& s = found.emplace_back(global_site(), &t.first).first;
      static_cast<global_counts&>(s) = t;
      s.kind = t.kind;
      s.generic = t.generic;
      s.width_bytes = t.width_bytes;
      s.worst = t.worst;
      if (estimate) estimate(s, pc);
      const auto placed = set_place(s, p, k, pc);
      if (placed && is_local(s.kind))
        s.in_loop = sass::loop_around(placed->first, sass::isa_of(p.sm), placed->second).has_value();
    }
  };
  add(heard.global());
  add(heard.local());
  add(heard.texels());
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.function, a.first.pc) < std::tie(b.first.function, b.first.pc);
  });
  std::vector<global_site> all;
  std::vector<const global_tally::first_access*> first;
  for (auto& [s, access] : found) {
    all.push_back(std::move(s));
    first.push_back(access);
  }
  find_sector_groups(all, first);
  return all;
}

}  // namespace bankwise
