#include "discover.hpp"
#include "base/format.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/text.hpp"
#include "patterns.hpp"

namespace bankwise::probe {

namespace {

// At a larger distance, the rows of 32 lanes would not fit into the memory.
constexpr u32 furthest_row = address_limit / lanes_per_warp;

// Returns a meter that measures each access three times and returns the median, because times have outliers.
meter steady(const meter& measure) {
  return [&measure](const probed_operation& p, std::span<const access> accesses) -> result<std::vector<double>> {
    std::array<std::vector<double>, 3> times;
    for (std::vector<double>& t : times) {
      auto once = measure(p, accesses);
      if (!once) return once.error();
      t = std::move(*once);
    }
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      double &a = times[0][i], b = times[1][i], c = times[2][i];
      a = std::max(std::min(a, b), std::min(std::max(a, b), c));
    }
    return std::move(times[0]);
  };
}

access lanes_at(const probed_operation& p, u32 mask, const std::function<u32(u32)>& address) {
  access a = {p.op, mask, {}};
  for (u32 i = 0; i < lanes_per_warp; ++i) a.address[i] = (mask >> i & 1) != 0 ? address(i) : 0;
  return a;
}

diagnostic contradiction(const std::string& what) {
  return {formatted("the measurements contradict each other: {}", what),
          {},
          "the clocks vary if another program uses the GPU. Try again when the GPU is idle"};
}

// --- predictions from the findings

bool merges(const found_phases& p, const access& a) {
  return std::any_of(p.merging_partners.begin(), p.merging_partners.end(), [&](u32 x) {
    for (u32 i = 0; i < lanes_per_warp; ++i)
      if ((a.mask >> i & 1) != 0 && (a.mask >> (i ^ x) & 1) != 0 && a.address[i] != a.address[i ^ x]) return false;
    return true;
  });
}

// Returns the number of wavefronts for lanes that are served together in one phase.
u32 passes_of(const found_machine& m, const access& a, u32 lanes, bool shares) {
  std::map<u32, std::multiset<u32>> rows;  // key: bank; value: rows that lanes want in this bank
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if ((lanes >> i & 1) == 0) continue;
    std::set<std::pair<u32, u32>> mine;
    for (u32 byte = 0; byte < a.op.width_bytes; ++byte) {
      const u32 at = a.address[i] + byte;
      mine.emplace(at / m.bank_bytes % m.banks, at / (m.banks * m.row_bytes));
    }
    for (const auto& [bank, row] : mine) rows[bank].insert(row);
  }
  std::size_t most = 0;
  for (const auto& [bank, in] : rows)
    most = std::max(most, shares ? std::set<u32>(in.begin(), in.end()).size() : in.size());
  return static_cast<u32>(most);
}

u32 wavefronts_of(const found_machine& m, const found_phases& p, const access& a, bool merged) {
  std::vector<u32> groups = p.phases;
  if (groups.empty()) groups.push_back(full_mask);
  if (merged)
    for (const auto& [first, second] : p.merged) {
      groups[first] |= groups[second];
      groups[second] = 0;
    }
  u32 passes = 0;
  for (const u32 g : groups) passes += passes_of(m, a, g & a.mask, p.shares);
  return passes;
}

// --- finding banks

result<done> find_banks(const meter& measure, found_machine& m) {
  const probed_operation& byte = *find_probed("ld.b8");
  std::vector<access> apart;
  for (u32 step = 1; step <= furthest_row; ++step)
    apart.push_back(lanes_at(byte, full_mask, [&](u32 i) { return i * step; }));
  const auto cost = measure(byte, apart);
  if (!cost) return cost.error();
  const double all_in_one_bank = *std::max_element(cost->begin(), cost->end());
  // The distance between neighbouring lanes is constant. So either all lanes are in one bank, or at most half of the
  // lanes are in any bank.
  const auto is_most = [&](double c) { return c > all_in_one_bank * 0.75; };
  if (all_in_one_bank < 16 * *std::min_element(cost->begin(), cost->end()))
    return contradiction(formatted(
        "no distance of up to {} bytes between neighbouring lanes puts all lanes into one bank", furthest_row));
  u32 row = 1;  // number of bytes in one row of all banks
  while (!is_most((*cost)[row - 1])) ++row;
  m.clocks_per_wavefront = (*cost)[row - 1] / lanes_per_warp;

  // Every second lane is moved. The access stays slow as long as the moved lanes are in the same bank as the other
  // lanes.
  std::vector<access> moved;
  for (u32 by = 0; by < row; ++by)
    moved.push_back(lanes_at(byte, full_mask, [&](u32 i) { return i * row + (i & 1) * by; }));
  const auto after = measure(byte, moved);
  if (!after) return after.error();
  u32 width = 1;
  while (width < row && is_most((*after)[width])) ++width;
  u32 again = width;  // distance to the next address in the same bank, in bytes
  while (again < row && !is_most((*after)[again])) ++again;
  if (again % width != 0 || row % (again / width) != 0)
    return contradiction(formatted(
        "the banks are not regular: a bank has {} bytes, the first bank repeats after {} bytes, and all lanes "
        "share a bank at a distance of {} bytes",
        width, again, row));
  m.bank_bytes = width;
  m.banks = again / width;
  m.row_bytes = row / m.banks;
  return done{};
}

// Returns the distance in bytes between lanes that want different rows of the same bank.
u32 step_of(const found_machine& m, const probed_operation& p) {
  return std::lcm(m.banks * m.row_bytes, u32{p.op.width_bytes});
}

// --- finding phases

// Returns at least `count` lanes, including i and j. find_phases() lets all of these lanes want different words, except
// that i and j may want the same word. For each x from 1 to 31, the lanes include a pair of lanes k and k ^ x other
// than i and j. The two lanes of this pair want different words. So the phases cannot merge, whatever the partners are.
u32 company_of(u32 i, u32 j, u32 count) {
  u32 lanes = 1u << i | 1u << j, covered = 1;  // bit x of `covered` is set if there are lanes k and k ^ x
  u32 n = 2;
  while (covered != full_mask || n < count) {
    u32 best = lanes_per_warp, most = 0;
    for (u32 k = 0; k < lanes_per_warp; ++k) {
      if ((lanes >> k & 1) != 0) continue;
      u32 added = 1;  // 1 even without a new distance, because each lane raises the number of lanes
      for (u32 other = 0; other < lanes_per_warp; ++other)
        if ((lanes >> other & 1) != 0 && (covered >> (k ^ other) & 1) == 0) added += 2;
      if (added > most) most = added, best = k;
    }
    if (best == lanes_per_warp) break;
    for (u32 other = 0; other < lanes_per_warp; ++other)
      if ((lanes >> other & 1) != 0) covered |= 1u << (best ^ other);
    lanes |= 1u << best;
    ++n;
  }
  return lanes;
}

result<done> find_phases(const meter& measure, const found_machine& m, found_phases& found) {
  const probed_operation& p = *found.operation;
  const u32 step = step_of(m, p);
  if (step * lanes_per_warp > address_limit)
    return contradiction(formatted(
        "addresses that conflict in a bank are {} bytes apart, which is too far to measure {}", step, p.name));
  // The lanes must queue for longer than the minimum cost of the access. Otherwise, this minimum would hide the queue.
  const access few[] = {lanes_at(p, 1, [](u32) { return 0u; }),
                        lanes_at(p, 15, [&](u32 i) { return i * p.op.width_bytes; })};
  const auto least = measure(p, few);
  if (!least) return least.error();
  const u32 count = static_cast<u32>(std::max((*least)[0], (*least)[1]) / m.clocks_per_wavefront) * 2 + 2;
  // For each lane j, there are two accesses. In the first access, j wants its own row. In the second access, j wants
  // the row of i.
  std::vector<access> list;
  for (u32 i = 0; i < lanes_per_warp; ++i)
    for (u32 j = i + 1; j < lanes_per_warp; ++j) {
      const u32 lanes = company_of(i, j, count);
      list.push_back(lanes_at(p, lanes, [&](u32 lane) { return lane * step; }));
      list.push_back(lanes_at(p, lanes, [&](u32 lane) { return (lane == j ? i : lane) * step; }));
    }
  const auto cost = measure(p, list);
  if (!cost) return cost.error();
  std::array<u32, lanes_per_warp> together{};
  std::size_t at = 0;
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    together[i] |= 1u << i;
    for (u32 j = i + 1; j < lanes_per_warp; ++j, at += 2) {
      if ((*cost)[at + 1] > (*cost)[at] - 0.5 * m.clocks_per_wavefront) continue;
      together[i] |= 1u << j;
      together[j] |= 1u << i;
      found.shares = true;
    }
  }
  if (!found.shares) return done{};
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    for (u32 j = 0; j < lanes_per_warp; ++j)
      if ((together[i] >> j & 1) != 0 && together[i] != together[j])
        return contradiction(formatted("{}: lane {} is served with lanes {}, but lane {} is served with lanes {}",
                                       p.name, i, lane_list(together[i]), j, lane_list(together[j])));
    if (std::find(found.phases.begin(), found.phases.end(), together[i]) == found.phases.end())
      found.phases.push_back(together[i]);
  }
  return done{};
}

// Returns an access in which partners want the same word. Different pairs want different rows. Different phases want
// different bytes of the rows.
access partners(const found_machine& m, const found_phases& found, u32 x, u32 mask) {
  const probed_operation& p = *found.operation;
  const u32 step = step_of(m, p), places = std::max(1u, m.banks * m.bank_bytes / p.op.width_bytes);
  return lanes_at(p, mask, [&](u32 i) {
    const u32 first = (mask >> (i ^ x) & 1) != 0 ? std::min(i, i ^ x) : i;
    std::size_t phase = 0;
    while ((found.phases[phase] >> first & 1) == 0) ++phase;
    return first * step + static_cast<u32>(phase) % places * p.op.width_bytes;
  });
}

// --- finding merged phases

result<done> find_merging(const meter& measure, const found_machine& m, found_phases& found) {
  if (found.phases.size() < 2 || found.operation->op.kind != op_kind::load) return done{};
  // If one pair of eight phases merges, the access costs at least a sixteenth less. The clocks of an access vary by
  // less.
  const auto saves = [&](double cost, const access& a) {
    return cost < 0.95 * wavefronts_of(m, found, a, false) * m.clocks_per_wavefront;
  };
  std::vector<access> list;
  for (u32 x = 1; x < lanes_per_warp; ++x) list.push_back(partners(m, found, x, full_mask));
  const auto cost = measure(*found.operation, list);
  if (!cost) return cost.error();
  for (u32 x = 1; x < lanes_per_warp; ++x)
    if (saves((*cost)[x - 1], list[x - 1])) found.merging_partners.push_back(x);
  if (found.merging_partners.empty()) return done{};
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  list.clear();
  for (std::size_t a = 0; a < found.phases.size(); ++a)
    for (std::size_t b = a + 1; b < found.phases.size(); ++b) {
      pairs.emplace_back(a, b);
      list.push_back(partners(m, found, found.merging_partners.front(), found.phases[a] | found.phases[b]));
    }
  const auto two = measure(*found.operation, list);
  if (!two) return two.error();
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (saves((*two)[i], list[i])) found.merged.push_back(pairs[i]);
  return done{};
}

// Measures all lanes of a phase together, and then a single lane. If phases of the operation merge, the access of the
// single lane has the cost of merged phases.
result<done> find_floors(const meter& measure, const found_machine& m, found_phases& found) {
  const probed_operation& p = *found.operation;
  const u32 phase = found.phases.empty() ? 1u : found.phases.front();
  const access side_by_side = lanes_at(p, phase, [&](u32 i) { return i * p.op.width_bytes; });
  const access list[] = {side_by_side, lanes_at(p, 1, [](u32) { return 0u; })};
  const auto cost = measure(p, list);
  if (!cost) return cost.error();
  const auto beyond_banks = [&](std::size_t i) {
    const double banks = wavefronts_of(m, found, list[i], false) * m.clocks_per_wavefront;
    return (*cost)[i] > banks + 0.25 * m.clocks_per_wavefront ? (*cost)[i] : 0;
  };
  found.floor_merged = beyond_banks(1);
  found.floor = std::max(beyond_banks(0), found.merging_partners.empty() ? found.floor_merged : 0);
  return done{};
}

}  // namespace

double cost_of(const found_machine& m, const found_phases& p, const access& a) {
  const bool merged = merges(p, a);
  return std::max(wavefronts_of(m, p, a, merged) * m.clocks_per_wavefront, merged ? p.floor_merged : p.floor);
}

result<found_machine> discover(const meter& once, std::size_t tries, std::uint64_t seed) {
  const meter measure = steady(once);
  found_machine m;
  if (const auto ok = find_banks(measure, m); !ok) return ok.error();
  for (const char* name : {"ld.b32", "ld.b64", "ld.b128", "st.b32", "st.b64", "st.b128", "red.add.b32"}) {
    found_phases found;
    found.operation = find_probed(name);
    if (const auto ok = find_phases(measure, m, found); !ok) return ok.error();
    // If lanes that want one word never share a wavefront, the phases cannot be found. The phases of a store of the
    // same width are then assumed.
    if (!found.shares)
      for (const found_phases& other : m.operations)
        if (other.operation->op == st(found.operation->op.width_bytes)) found.phases = other.phases;
    if (const auto ok = find_merging(measure, m, found); !ok) return ok.error();
    if (const auto ok = find_floors(measure, m, found); !ok) return ok.error();
    const std::vector<access> random = random_patterns(*found.operation, tries, seed);
    const auto cost = measure(*found.operation, random);
    if (!cost) return cost.error();
    found.tried = random.size();
    for (std::size_t i = 0; i < random.size(); ++i) {
      const double ours = cost_of(m, found, random[i]);
      found.explained += std::fabs(ours - (*cost)[i]) <= std::max(0.45 * m.clocks_per_wavefront, 0.12 * ours);
    }
    m.operations.push_back(std::move(found));
  }
  return m;
}

std::string to_text(const found_machine& m) {
  std::string s = formatted("{} banks of {} bytes", m.banks, m.bank_bytes);
  if (m.row_bytes != m.bank_bytes) s += formatted("; a wavefront moves up to {} bytes per bank", m.row_bytes);
  s += formatted("; a wavefront takes {} clocks\n", fixed(m.clocks_per_wavefront, 2));
  for (const found_phases& p : m.operations) {
    s += pad_right(p.operation->name, 12);
    if (!p.shares) {
      s += "lanes that want the same word are served one after another";
    } else {
      s += p.phases.size() == 1 ? "all lanes together" : "lanes ";
      for (std::size_t i = 0; i < p.phases.size() && p.phases.size() > 1; ++i)
        s += (i != 0 ? " | " : "") + lane_list(p.phases[i]);
    }
    if (!p.merging_partners.empty()) {
      s += "; merged ";
      for (std::size_t i = 0; i < p.merged.size(); ++i)
        s += formatted("{}{} with {}", i != 0 ? ", " : "", lane_list(p.phases[p.merged[i].first]),
                       lane_list(p.phases[p.merged[i].second]));
      s += " if every lane i wants the same address as lane i XOR ";
      for (std::size_t i = 0; i < p.merging_partners.size(); ++i)
        s += (i != 0 ? ", or every lane i wants the same address as lane i XOR " : "") +
             std::to_string(p.merging_partners[i]);
      s += " (inactive lanes do not count)";
    }
    s += formatted("; explains {} of {}\n", grouped(p.explained), grouped(p.tried));
  }
  return s;
}

}  // namespace bankwise::probe
