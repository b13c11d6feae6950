#include "advise/memory/memory_pieces.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

namespace bankwise::advise {

namespace {

// Whether two pieces use the same bytes with different meanings.
bool contradict(const piece& a, const piece& b) {
  return overlap(a.touched, b.touched) && (a.width != b.width || (a.pitch != b.pitch && a.pitch != 0 && b.pitch != 0));
}

// Returns the distances of the lanes from the first lane. All copies of an instruction in an unrolled loop have the
// same distances.
std::vector<std::int64_t> pattern_of(const site& s) {
  std::vector<std::int64_t> pattern;
  if (s.accesses.empty()) return pattern;
  const access& a = s.accesses.front().what;
  const u32 used = lanes_used(a);
  std::optional<std::int64_t> first;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    if ((used >> lane & 1) == 0) continue;
    if (!first) first = a.address[lane];
    pattern.push_back(lane);
    pattern.push_back(a.address[lane] - *first);
  }
  return pattern;
}

// Removes names that belong to different pieces, if exactly one name remains.
void eliminate(std::vector<piece>& pieces) {
  for (bool changed = true; changed;) {
    changed = false;
    std::set<std::string> taken;
    for (const piece& p : pieces)
      if (p.has_name()) taken.insert(*p.names.begin());
    for (piece& p : pieces) {
      if (p.names.size() < 2) continue;
      std::set<std::string> left;
      std::set_difference(p.names.begin(), p.names.end(), taken.begin(), taken.end(), std::inserter(left, left.end()));
      if (left.size() != 1) continue;
      p.names = left;
      changed = true;
    }
  }
}

bool is_between(const std::vector<piece>& pieces, const piece& a, const piece& b) {
  const std::uint64_t from = std::min(a.memory.end, b.memory.end), to = std::max(a.memory.begin, b.memory.begin);
  return std::any_of(pieces.begin(), pieces.end(), [&](const piece& p) {
    return &p != &a && &p != &b && p.memory.begin >= from && p.memory.end <= to && p.has_name() &&
           !(a.has_name() && p.names == a.names);
  });
}
// Whether the pieces are rounds of an unrolled loop. Each instruction of one piece must have a counterpart in the other
// piece. The counterpart is an equal instruction of the same source line, with the same distances between lanes.
bool are_rounds(const launch_report& l, const piece& a, const piece& b) {
  const auto has_like = [&](std::size_t i, const piece& other) {
    const site& s = l.sites[i];
    return std::any_of(other.memory.sites.begin(), other.memory.sites.end(), [&](std::size_t k) {
      const site& o = l.sites[k];
      return s.line != 0 && s.line == o.line && s.file == o.file && s.op.spelling == o.op.spelling &&
             pattern_of(s) == pattern_of(o);
    });
  };
  const auto all = [&](const piece& x, const piece& y) {
    return std::all_of(x.memory.sites.begin(), x.memory.sites.end(), [&](std::size_t i) { return has_like(i, y); });
  };
  return all(a, b) && all(b, a);
}
bool are_one(const launch_report& l, const named_parts& parts, const std::vector<piece>& pieces, const piece& a,
             const piece& b) {
  if (a.memory.dynamic != b.memory.dynamic || contradict(a, b)) return false;
  if (a.has_name() && b.has_name()) {
    if (a.names != b.names) return false;
    // A line that uses only the name of the whole memory may access any part of it.
    if (!parts.is_memory(*a.names.begin()) || !parts.any()) return true;
    return overlap(a.touched, b.touched) || are_rounds(l, a, b) || !is_between(pieces, a, b);
  }
  const bool may_be =
      a.names.empty() || b.names.empty() ||
      std::any_of(a.names.begin(), a.names.end(), [&](const std::string& n) { return b.names.count(n) != 0; });
  return may_be && (overlap(a.touched, b.touched) || are_rounds(l, a, b));
}

void join_all(const launch_report& l, const named_parts& parts, std::vector<piece>& pieces) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      for (std::size_t k = i + 1; k < pieces.size();) {
        if (!are_one(l, parts, pieces, pieces[i], pieces[k])) {
          ++k;
          continue;
        }
        put_together(l, pieces[i], pieces[k]);
        pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(k));
        changed = true;
      }
  }
}
// Gives names to pieces. The name of the whole memory is used only if exactly one piece has it.
void give_names(const named_parts& parts, std::vector<piece>& pieces) {
  std::map<std::string, std::size_t> used;
  for (const piece& p : pieces)
    if (p.has_name()) ++used[*p.names.begin()];
  const auto dynamic = std::count_if(pieces.begin(), pieces.end(), [](const piece& p) { return p.memory.dynamic; });
  for (piece& p : pieces) {
    if (p.has_name() && (!parts.is_memory(*p.names.begin()) || used[*p.names.begin()] == 1))
      p.memory.name = *p.names.begin();
    else if (dynamic != 1)
      p.memory.name.clear();
  }
}

}  // namespace

bool overlap(const word_set& a, const word_set& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] && b[i]) return true;
  return false;
}

void put_together(const launch_report& l, piece& to, const piece& from) {
  to.memory.begin = std::min(to.memory.begin, from.memory.begin);
  to.memory.end = std::max(to.memory.end, from.memory.end);
  std::set<std::size_t> sites(to.memory.sites.begin(), to.memory.sites.end());
  sites.insert(from.memory.sites.begin(), from.memory.sites.end());
  to.memory.sites.assign(sites.begin(), sites.end());
  for (std::size_t i = 0; i < to.touched.size(); ++i) to.touched[i] = to.touched[i] || from.touched[i];
  to.width = std::min(to.width, from.width);
  if (to.names.empty() || (from.has_name() && !to.has_name())) to.names = from.names;
  std::vector<const recorded_access*> accesses;
  for (const std::size_t i : to.memory.sites)
    for (const recorded_access& r : l.sites[i].accesses) accesses.push_back(&r);
  to.pitch = pitch_of(accesses);
}

void join_pieces(const launch_report& l, const named_parts& parts, std::vector<piece>& pieces) {
  eliminate(pieces);
  join_all(l, parts, pieces);
  give_names(parts, pieces);
}

std::uint32_t pitch_of(const std::vector<const recorded_access*>& accesses) {
  std::map<std::uint32_t, std::uint64_t> strides;
  std::uint32_t width = 16;
  for (const recorded_access* r : accesses) {
    const u32 used = lanes_used(r->what);
    width = std::min<std::uint32_t>(width, r->what.op.width_bytes);
    // The shortest distance between neighbouring lanes that access different addresses.
    std::optional<std::uint32_t> nearest;
    for (u32 lane = 1; lane < lanes_per_warp; ++lane) {
      if ((used >> lane & used >> (lane - 1) & 1) == 0) continue;
      const u32 a = r->what.address[lane - 1], b = r->what.address[lane], stride = a < b ? b - a : a - b;
      if (stride != 0) nearest = std::min(nearest.value_or(stride), stride);
    }
    if (nearest && *nearest > r->what.op.width_bytes) strides[*nearest] += r->count;
  }
  if (strides.empty()) return 0;
  const auto [pitch, weight] = *std::max_element(strides.begin(), strides.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second, b.first) < std::tie(b.second, a.first);
  });
  // If the stride grows from step to step, the code is a reduction, and the stride is not the length of a row.
  constexpr std::size_t most_strides = 3;
  if (strides.size() > most_strides || pitch % width != 0) return 0;
  for (const auto& [stride, n] : strides)
    if (stride % pitch != 0 && pitch % stride != 0) return 0;
  return pitch;
}

}  // namespace bankwise::advise
