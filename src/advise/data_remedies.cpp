// Counts remedies for accesses whose addresses depend on data. For these accesses, another layout only moves the
// collisions to other lanes. A remedy reduces the number of lanes that use a bank. Examples are copies of the array,
// one lane that works for several lanes, and sorted data.
#include "advise/data_remedies.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "bankwise/wavefronts.hpp"
#include "base/random_numbers.hpp"
#include "model/remedies.hpp"

namespace bankwise::advise {

namespace {

constexpr const char* kind_names[] = {"as it is", "combine",          "copies", "own bank",
                                      "sort",     "sort and combine", "shuffle"};

constexpr std::size_t most_draws = 4096;       // limit of accesses in a group, for each generated input
constexpr std::size_t most_places = 1u << 18;  // limit of the positions that a lane can access
constexpr std::size_t most_parts = 64;         // limit of the parts of an array that different warps use
constexpr std::size_t least_of_a_part = 8;     // minimum number of positions in a part

template <class Visit>
void each_lane(const access& a, const Visit& visit) {
  for (u32 used = lanes_used(a); used != 0; used &= used - 1) visit(static_cast<u32>(std::countr_zero(used)));
}

// A part of an array, divided into steps. The data select the step that a lane accesses. The position in the step
// depends only on the lane. If every lane may access every position, a step has one position.
struct part {
  u32 begin = 0, end = 0, step = 1;

  u32 places() const { return std::max(1u, (end - begin) / step); }
  u32 place(u32 was_at, u32 n) const { return begin + (was_at - begin) % step + n * step; }
};

// The accesses of a group, and the parts of the array that the accesses use.
struct group_places {
  std::vector<const weighted_access*> accesses;
  std::vector<std::size_t> part_of;
  std::vector<part> parts;
  // All distances between accessed positions are multiples of this number. If a part's step equals this number, every
  // lane may access every position. If the step is longer, each lane has its own positions in the step.
  u32 unit = 1;
};

using sorted_places = std::vector<u32>;  // positions, sorted and without duplicates

void sort_out(sorted_places& all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

// Returns the number of different positions in a step that each lane used, divided by the number that is expected if
// positions do not depend on the lane.
double share_of_places(const std::vector<sorted_places>& of_lane, u32 begin, u32 step, u32 unit) {
  const u32 whole_places = step / unit;
  const double places = whole_places;
  double seen = 0, expected = 0;
  for (const sorted_places& all : of_lane) {
    sorted_places within;
    for (const u32 at : all) within.push_back((at - begin) % step);
    sort_out(within);
    seen += static_cast<double>(within.size());
    expected += places * (1 - std::pow(1 - 1 / places, static_cast<double>(all.size())));
  }
  return seen / expected;
}

part part_of(const std::vector<const weighted_access*>& in, u32 begin, u32 end, const problem& p, u32& unit) {
  std::vector<sorted_places> of_lane(lanes_per_warp);
  sorted_places seen;
  for (const weighted_access* w : in)
    each_lane(w->what, [&](u32 lane) { of_lane[lane].push_back(w->what.address[lane]); });
  std::size_t samples = 0;
  for (sorted_places& one : of_lane) {
    sort_out(one);
    samples = std::max(samples, one.size());
    seen.insert(seen.end(), one.begin(), one.end());
  }
  sort_out(seen);
  const u32 width = in.front()->what.op.width_bytes;
  if (seen.size() == 1) {  // a step needs two positions; assumes that lanes may access any element of the array
    unit = width;
    return {begin % width, std::max(static_cast<u32>(p.bytes) / width * width, begin % width + width), width};
  }
  unit = 0;
  for (const u32 at : seen) unit = std::gcd(unit, at - seen.front());
  std::vector<u32> steps;
  for (u32 step = 2 * unit; step <= (end - begin) / 2 && step / unit <= 2 * samples; step *= 2) steps.push_back(step);
  if (p.pitch_bytes != 0 && p.pitch_bytes % unit == 0 && p.pitch_bytes <= (end - begin) / 2)
    steps.push_back(p.pitch_bytes);
  part best{begin, end, unit};
  double least = 0.6;  // shares of more than about half can occur by chance
  for (const u32 step : steps)
    if (const double share = share_of_places(of_lane, begin, step, unit); share < 0.9 * least) {
      least = share;
      best.step = step;
    }
  return best;
}

// Finds the parts of the array that a group uses. Different warps may use different parts. If a warp accesses several
// addresses, all of them are in the same part.
group_places places_of(const problem& p, const std::vector<weighted_access>& of_data, u32 group) {
  group_places g;
  std::map<u32, u32> ranges;  // key: begin of a range; value: end of this range
  for (const weighted_access& w : of_data) {
    if (w.group != group || lanes_used(w.what) == 0) continue;
    u32 lowest = ~0u, after = 0;
    each_lane(w.what, [&](u32 lane) {
      lowest = std::min(lowest, w.what.address[lane]);
      after = std::max(after, w.what.address[lane] + w.what.op.width_bytes);
    });
    g.accesses.push_back(&w);
    auto at = ranges.upper_bound(lowest);
    if (at != ranges.begin() && std::prev(at)->second > lowest) --at;
    while (at != ranges.end() && at->first < after) {
      lowest = std::min(lowest, at->first);
      after = std::max(after, at->second);
      at = ranges.erase(at);
    }
    ranges[lowest] = after;
  }
  if (g.accesses.empty()) return g;
  std::vector<std::vector<const weighted_access*>> in;
  const auto divide = [&] {
    in.assign(ranges.size(), {});
    g.part_of.clear();
    for (const weighted_access* w : g.accesses) {
      const u32 at = w->what.address[std::countr_zero(lanes_used(w->what))];
      const std::size_t n = static_cast<std::size_t>(std::distance(ranges.begin(), ranges.upper_bound(at))) - 1;
      g.part_of.push_back(n);
      in[n].push_back(w);
    }
  };
  const u32 width = g.accesses.front()->what.op.width_bytes;
  if (ranges.size() > most_parts || std::any_of(ranges.begin(), ranges.end(), [&](const auto& r) {
        return r.second - r.first < least_of_a_part * width;
      }))
    ranges = {{ranges.begin()->first, ranges.rbegin()->second}};
  divide();
  std::size_t n = 0;
  for (const auto& [begin, end] : ranges) g.parts.push_back(part_of(in[n++], begin, end, p, g.unit));
  return g;
}

// Finds the parts for every group whose addresses depend on data.
std::vector<group_places> places_of(const problem& p, const std::vector<weighted_access>& of_data) {
  std::vector<group_places> all;
  for (u32 group = 0; group < p.groups.size(); ++group)
    if (group_places g = places_of(p, of_data, group); !g.accesses.empty()) all.push_back(std::move(g));
  return all;
}

// Generates an input. `pick(part, draw)` chooses a position, which must be less than part.places().
template <class Pick>
std::vector<weighted_access> draw(const std::vector<group_places>& places, const Pick& pick) {
  std::vector<weighted_access> all;
  for (const group_places& g : places) {
    const std::size_t distinct = g.accesses.size(), every = (distinct + most_draws - 1) / most_draws;
    std::uint64_t carried = 0;
    for (std::size_t i = 0; i < distinct; ++i) {
      carried += g.accesses[i]->weight;
      if (i % every != every - 1 && i + 1 != distinct) continue;
      const part& in = g.parts[g.part_of[i]];
      const std::uint64_t times = std::min<std::uint64_t>(carried, std::max<std::size_t>(1, most_draws / distinct));
      for (std::uint64_t n = 0; n < times; ++n) {
        weighted_access w = *g.accesses[i];
        w.weight = carried / times + (n < carried % times ? 1 : 0);
        each_lane(w.what, [&](u32 lane) { w.what.address[lane] = in.place(w.what.address[lane], pick(in)); });
        all.push_back(w);
      }
      carried = 0;
    }
  }
  return all;
}

// Random positions: the n-th most frequent position occurs 1/n times as often as the most frequent position. The order
// of the positions is also random.
class skew {
 public:
  u32 pick(u32 places, random_numbers& numbers) {
    places = std::min<u32>(places, most_places);
    ranks& r = by_places_[places];
    if (r.sums.empty()) {
      double sum = 0;
      for (u32 n = 1; n <= places; ++n) r.sums.push_back(sum += 1.0 / n);
      r.place.resize(places);
      std::iota(r.place.begin(), r.place.end(), 0u);
      random_numbers order(places);
      for (u32 n = places; n > 1; --n) std::swap(r.place[n - 1], r.place[order.below(n)]);
    }
    const double at = static_cast<double>(numbers.next() >> 11) * 0x1p-53 * r.sums.back();
    const auto rank = std::upper_bound(r.sums.begin(), r.sums.end(), at) - r.sums.begin();
    return r.place[std::min<std::size_t>(static_cast<std::size_t>(rank), places - 1)];
  }

 private:
  struct ranks {
    std::vector<double> sums;
    std::vector<u32> place;
  };
  std::map<u32, ranks> by_places_;
};

template <class Change>
std::uint64_t counted(const std::vector<weighted_access>& all, const machine& on, const Change& change) {
  std::uint64_t sum = 0;
  for (const weighted_access& w : all) {
    access a = w.what;
    change(a);
    sum += w.weight * analyze(a, on.model).wavefronts;
  }
  return sum;
}

// Returns the accesses for sorted data, for each group and each part. Each warp keeps its number of active lanes.
std::vector<weighted_access> sorted(const std::vector<group_places>& places) {
  std::vector<weighted_access> result;
  for (const group_places& g : places) {
    for (std::size_t n = 0; n < g.parts.size(); ++n) {
      std::map<u32, std::uint64_t> wanted;  // key: address; value: number of lanes that want this address
      std::uint64_t executed = 0, lanes = 0;
      const weighted_access* sample = nullptr;
      for (std::size_t i = 0; i < g.accesses.size(); ++i) {
        if (g.part_of[i] != n) continue;
        const weighted_access& w = *(sample = g.accesses[i]);
        executed += w.weight;
        each_lane(w.what, [&](u32 lane) { wanted[w.what.address[lane]] += w.weight, lanes += w.weight; });
      }
      if (executed == 0) continue;
      const u32 each = static_cast<u32>(std::max<std::uint64_t>(1, (lanes + executed / 2) / executed));
      weighted_access w{sample->what, 1, sample->group};
      w.what.mask = 0;
      u32 filled = 0;
      const auto take_lane = [&](u32 at) {
        w.what.address[filled] = at;
        w.what.mask |= 1u << filled++;
      };
      const auto close = [&] {
        if (filled != 0) result.push_back(w);
        w.what.mask = filled = 0;
        w.weight = 1;
      };
      for (auto [at, times] : wanted)
        while (times != 0) {
          // number of warps in which all lanes want this address
          const std::uint64_t whole = filled == 0 ? times / each : 0;
          for (u32 lane = 0; lane < (whole != 0 ? each : 1); ++lane) take_lane(at);
          if (whole != 0) w.weight = whole;
          times -= whole != 0 ? whole * each : 1;
          if (filled == each) close();
        }
      close();
    }
  }
  return result;
}

struct uses {
  bool counts = true;   // whether all accesses are atomics; if so, copies can be added up, and lanes can be combined
  bool reads = true;    // whether all accesses are loads, such as the loads of a table
  bool queues = false;  // whether lanes that want the same word queue for it
  bool ranks = false;   // whether the program uses the result of an atomic; copies would change the result
  bool rounds = false;
  bool lanes_apart = true;  // whether each position is wanted by only one lane
  u32 element = 1;          // number of bytes that must stay together
};

uses uses_of(const problem& p) {
  uses u;
  u.element = std::max<u32>(p.element_bytes, p.on.model.bank_bytes);
  std::map<u32, u32> lane_at;
  for (const weighted_access& w : p.of_data) {
    const op_kind k = w.what.op.kind;
    u.counts &=
        k == op_kind::atomic || k == op_kind::increment || k == op_kind::compare_and_swap || k == op_kind::cas_spin;
    u.reads &= k == op_kind::load;
    u.queues |= k == op_kind::atomic;
    u.ranks |= w.what.op.returns;
    u.rounds |= k == op_kind::compare_and_swap || k == op_kind::cas_spin;
    u.element = std::max<u32>(u.element, w.what.op.width_bytes);
    u.lanes_apart &= k == op_kind::load || k == op_kind::store;
    each_lane(w.what, [&](u32 lane) {
      u.lanes_apart &= lane_at.try_emplace(w.what.address[lane], lane).first->second == lane;
    });
  }
  return u;
}

// Whether each lane has its own positions. If so, sorting does not help, because lanes do not use the data of other
// lanes.
bool lanes_have_places(const std::vector<group_places>& places) {
  for (const group_places& g : places)
    for (const part& in : g.parts)
      if (in.step != g.unit) return true;
  return false;
}

// Returns the number of equal parts of the array if each warp accesses only one part, and if the warps that execute an
// instruction together access all parts. Otherwise, returns 1.
u32 parts_of_warps(const std::vector<group_places>& places, std::uint64_t bytes) {
  u32 parts = 0;
  for (const group_places& g : places) {
    const u32 n = static_cast<u32>(g.parts.size());
    if ((parts != 0 && parts != n) || bytes % n != 0) return 1;
    parts = n;
    const std::uint64_t size = bytes / n;
    for (u32 i = 0; i < n; ++i)
      if (g.parts[i].begin < i * size || g.parts[i].end > (i + 1) * size) return 1;
    std::map<u32, std::set<std::size_t>> of_instruction;
    for (std::size_t i = 0; i < g.accesses.size(); ++i) {
      const weighted_access& w = *g.accesses[i];
      if (w.warp_span_bytes == 0 || w.warp_span_bytes > size) return 1;
      of_instruction[w.instruction].insert(g.part_of[i]);
    }
    for (const auto& [instruction, parts_of_it] : of_instruction)
      if (parts_of_it.size() != n) return 1;
  }
  return std::max(1u, parts);
}

// Returns a layout that moves the elements of each lane into the lane's own bank, in the order of their addresses.
auto own_banks(const problem& p) {
  // key: address; value: lane, and index of the element among the lane's elements
  std::map<u32, std::pair<u32, u32>> place;
  std::vector<std::set<u32>> of(lanes_per_warp);
  for (const weighted_access& w : p.of_data)
    each_lane(w.what, [&](u32 lane) { of[lane].insert(w.what.address[lane]); });
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    u32 n = 0;
    for (const u32 at : of[lane]) place[at] = {lane, n++};
  }
  return [place, word = u32{p.on.model.bank_bytes}](access& a) {
    each_lane(a, [&](u32 lane) {
      const auto at = place.find(a.address[lane]);
      const u32 n = at == place.end() ? a.address[lane] / std::max<u32>(1, a.op.width_bytes) : at->second.second;
      const u32 width = std::max<u32>(1, a.op.width_bytes), cell = std::max(width, word), of_a_cell = cell / width;
      a.address[lane] = (n / of_a_cell * lanes_per_warp + lane) * cell + n % of_a_cell * width;
    });
  };
}

}  // namespace

const char* name_of(data_remedy_kind k) { return kind_names[static_cast<std::size_t>(k)]; }

namespace {

std::vector<weighted_access> uniform(const std::vector<group_places>& places) {
  random_numbers numbers(1);
  return draw(places, [&](const part& in) { return numbers.below(in.places()); });
}

std::vector<weighted_access> skewed(const std::vector<group_places>& places) {
  random_numbers numbers(2);
  skew by_rank;
  return draw(places, [&](const part& in) { return by_rank.pick(in.places(), numbers); });
}

// Returns the layout after its existing padding is restored.
auto as_it_is_of(const problem& p) {
  return [&p](access& a) { each_lane(a, [&](u32 lane) { a.address[lane] = p.as_it_is(a.address[lane]); }); };
}

// The remedies of a problem. Each remedy is counted for the input of this run, for generated inputs, and for the inputs
// of other runs.
class remedy_list {
 public:
  remedy_list(const problem& p, const std::vector<group_places>& places, const std::vector<data_input>& tried)
      : p_(p), tried_(tried.size()) {
    found.others = counted(p.accesses, p.on, as_it_is_of(p));
    inputs_ = {{"this input", p.of_data, found.others},
               {"uniform", uniform(places), found.others},
               {"skewed", skewed(places), found.others}};
    first_tried_ = inputs_.size();
    inputs_.insert(inputs_.end(), tried.begin(), tried.end());
    for (const data_input& in : inputs_) found.inputs.push_back(in.name);
  }

  void add(data_remedy_kind kind, u32 copies, u32 parts, std::uint64_t bytes,
           const std::function<std::uint64_t(const data_input&)>& cost) {
    data_remedy r{kind, copies, parts, {}, bytes * p_.stages, 0, false};
    if (const auto fits = blocks_with(p_, r.bytes)) {
      r.blocks = *fits;
      if (r.blocks == 0 && kind != data_remedy_kind::as_it_is) return;
      constexpr u32 enough_warps = 16;
      const u32 warps = (p_.block.threads + lanes_per_warp - 1) / lanes_per_warp * r.blocks;
      r.few_warps = !found.list.empty() && r.blocks < found.list.front().blocks && warps < enough_warps;
    }
    for (const data_input& in : inputs_)
      r.wavefronts.push_back(cost(in) + (bytes == 0 ? 0 : in.others * copies / parts));
    if (kind == data_remedy_kind::as_it_is || helps(r)) found.list.push_back(std::move(r));
  }
  // Adds a remedy that changes only the addresses of accesses.
  template <class Change>
  void add_change(data_remedy_kind kind, u32 copies, u32 parts, std::uint64_t bytes, const Change& change) {
    add(kind, copies, parts, bytes, [&](const data_input& in) { return counted(in.of_data, p_.on, change); });
  }

  data_remedies found;

 private:
  // Whether a remedy helps. It must save wavefronts for at least one input, and cost more for at most half of the
  // inputs. If inputs of other runs are known, it must also cost more for at most half of the inputs that are not
  // generated.
  bool helps(const data_remedy& r) const {
    const std::vector<std::uint64_t>& today = found.list.front().wavefronts;
    bool saves = false;
    std::size_t worse = 0, worse_runs = 0;
    for (std::size_t i = 0; i < r.wavefronts.size(); ++i) {
      const bool is_run = i == 0 || i >= first_tried_;
      saves |= r.wavefronts[i] < today[i];
      worse += r.wavefronts[i] > today[i] ? 1 : 0;
      worse_runs += is_run && r.wavefronts[i] > today[i] ? 1 : 0;
    }
    return saves && 2 * worse <= r.wavefronts.size() && (tried_ == 0 || 2 * worse_runs <= 1 + tried_);
  }

  const problem& p_;
  const std::size_t tried_;
  std::size_t first_tried_ = 0;
  std::vector<data_input> inputs_;
};

// Adds copies of the array. Different lanes use copies in different banks. A copy is as large as the array, or as the
// part that a warp uses.
void add_copies(remedy_list& remedies, const problem& p, const uses& u, u32 of_warps) {
  const u32 row = u32{p.on.model.banks} * p.on.model.bank_bytes;
  for (const u32 parts : {1u, of_warps}) {
    const std::uint64_t one = p.bytes / parts, padded = (one + u.element - 1) / u.element * u.element;
    for (u32 copies = 2; copies * u.element <= std::max(row, 2 * u.element); copies *= 2) {
      if (copies <= parts || padded * copies > most_array_bytes) continue;
      remedies.add_change(data_remedy_kind::copies, copies, parts, padded * copies, [&](access& a) {
        each_lane(a, [&](u32 lane) {
          const u32 at = a.address[lane] % static_cast<u32>(one);
          a.address[lane] = (at / u.element * copies + lane % copies) * u.element + at % u.element;
        });
      });
    }
    if (of_warps == 1) break;
  }
}

}  // namespace

std::vector<weighted_access> uniform_input(const problem& p) { return uniform(places_of(p, p.of_data)); }
std::vector<weighted_access> skewed_input(const problem& p) { return skewed(places_of(p, p.of_data)); }

data_remedies find_data_remedies(const problem& p, const std::vector<data_input>& tried) {
  if (p.of_data.empty()) return {};
  const uses u = uses_of(p);
  const std::vector<group_places> places = places_of(p, p.of_data);
  remedy_list remedies(p, places, tried);
  data_remedies& found = remedies.found;
  found.counts = u.counts;
  const auto as_it_is = as_it_is_of(p);
  remedies.add_change(data_remedy_kind::as_it_is, 1, 1, p.bytes, as_it_is);
  // The cost of a loop around a compare-and-swap depends on the number of rounds, and therefore on other warps.
  // model/remedies.hpp handles such loops.
  if (u.rounds) return std::move(found);

  const auto one_lane = [&](access& a) {
    a = combined(a);
    as_it_is(a);
  };
  if (u.counts && u.queues) remedies.add_change(data_remedy_kind::combine, 1, 1, p.bytes, one_lane);
  if (u.lanes_apart && (!u.reads || lanes_have_places(places))) {
    remedies.add_change(data_remedy_kind::own_bank, 1, 1, p.bytes, own_banks(p));
    return std::move(found);
  }
  if ((u.counts && !u.ranks) || u.reads) {
    add_copies(remedies, p, u, u.counts ? parts_of_warps(places, p.bytes) : 1);
    if (!lanes_have_places(places)) {
      if (!u.queues)
        remedies.add(data_remedy_kind::sort, 1, 1, p.bytes,
                     [&](const data_input& in) { return counted(sorted(places_of(p, in.of_data)), p.on, as_it_is); });
      else
        remedies.add(data_remedy_kind::sort_and_combine, 1, 1, p.bytes,
                     [&](const data_input& in) { return counted(sorted(places_of(p, in.of_data)), p.on, one_lane); });
    }
    if (u.reads && p.bytes <= lanes_per_warp * p.element_bytes && p.element_bytes <= 8)
      remedies.add(data_remedy_kind::shuffle, 1, 1, 0, [&](const data_input& in) {
        std::uint64_t sum = 0;
        for (const weighted_access& w : in.of_data) sum += w.weight * ((w.what.op.width_bytes + 3u) / 4);
        return sum;
      });
  }
  const auto key = [](const data_remedy& r) {
    const bool sorts = r.kind == data_remedy_kind::sort || r.kind == data_remedy_kind::sort_and_combine;
    return std::tuple(sorts, r.few_warps, r.wavefronts.front());
  };
  std::stable_sort(found.list.begin() + 1, found.list.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return std::move(found);
}

}  // namespace bankwise::advise
