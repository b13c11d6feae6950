#include "advise/structures.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "expr/parse/type_names.hpp"
#include "source/tokens.hpp"

namespace bankwise::advise {

namespace {

using token_kind = source::token::kind;

// Returns the alignment of a type. Types with two or four components are aligned to their size, but float3 is aligned
// like a float.
u32 alignment_of(std::string_view type, u32 bytes) {
  if (!type.empty() && type.back() == '3') return bytes / 3;
  return bytes;
}

// Returns the size of a CUDA type of up to 16 bytes. Types with three components are included, although no access has
// their width.
std::optional<u32> member_bytes(const std::string& type) {
  if (type.size() > 1 && type.back() == '3')
    if (const auto four = type_bytes(formatted("{}4", type.substr(0, type.size() - 1)))) return *four / 4 * 3;
  return type_bytes(type);
}

u32 rounded_up(u32 n, u32 to) { return (n + to - 1) / to * to; }

// Reads the members between the braces at `open` and `close`.
std::optional<struct_type> read_members(const std::vector<source::token>& t, std::size_t open, std::size_t close) {
  struct_type s;
  for (std::size_t i = open + 1; i < close;) {
    std::string type;
    std::size_t first = i;
    for (; i < close && t[i].is == token_kind::word; ++i) {
      // The member's name is the last word before a punctuation mark.
      const std::string_view after = t[i + 1].spelled;
      if (after == ";" || after == "," || after == "[") break;
      if (t[i].spelled != "const") type += (type.empty() ? "" : " ") + std::string(t[i].spelled);
    }
    const auto one = member_bytes(type);
    if (!one || i == first || i >= close) return std::nullopt;
    const u32 alignment = alignment_of(type, *one);
    s.alignment = std::max(s.alignment, alignment);
    while (true) {
      if (i >= close || t[i].is != token_kind::word) return std::nullopt;
      struct_member m{std::string(t[i].spelled), rounded_up(s.bytes, alignment), *one};
      ++i;
      while (i < close && t[i].spelled == "[") {
        const auto n = parse_size(t[i + 1].spelled);
        if (!n || *n == 0 || *n > 4096 || t[i + 2].spelled != "]") return std::nullopt;
        m.bytes *= static_cast<u32>(*n);
        if (m.bytes > 65536) return std::nullopt;
        i += 3;
      }
      s.bytes = m.at + m.bytes;
      s.members.push_back(std::move(m));
      if (i < close && t[i].spelled == ",") {
        ++i;
        continue;
      }
      if (i >= close || t[i].spelled != ";") return std::nullopt;
      ++i;
      break;
    }
  }
  return s;
}

// Returns a copy of the access with these lanes and this width. `place` computes the new address of each lane.
template <class Place>
access moved(const access& a, u32 lanes, u32 width, const Place& place) {
  access to = a;
  to.mask = lanes;
  to.op.width_bytes = static_cast<decltype(to.op.width_bytes)>(width);
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    to.address[lane] = (lanes >> lane & 1) != 0 ? place(a.address[lane]) : 0;
  return to;
}

}  // namespace

std::optional<struct_type> find_struct(std::string_view source, std::string_view name) {
  const auto t = source::tokens_of(source);
  std::optional<struct_type> found;
  for (std::size_t i = 0; i + 2 < t.size(); ++i) {
    if (t[i].of_directive || t[i].spelled != "struct") continue;
    std::size_t open = i + 1;
    u32 at_least = 1;
    while (open + 3 < t.size() && (t[open].spelled == "__align__" || t[open].spelled == "alignas")) {
      const auto n = parse_size(t[open + 2].spelled);
      if (!n || *n > 128 || t[open + 3].spelled != ")") break;
      at_least = static_cast<u32>(*n);
      open += 4;
    }
    const bool is_named = t[open].spelled == name;
    if (t[open].is == token_kind::word) ++open;
    if (open >= t.size() || t[open].spelled != "{") continue;
    const std::size_t close = source::closing(t, open);
    if (close + 1 >= t.size()) continue;
    if (!is_named && !(i > 0 && t[i - 1].spelled == "typedef" && t[close + 1].spelled == name)) continue;
    auto s = read_members(t, open, close);
    if (!s || s->members.empty() || found) return std::nullopt;
    s->name = std::string(name);
    s->alignment = std::max(s->alignment, at_least);
    s->bytes = rounded_up(s->bytes, s->alignment);
    found = std::move(s);
  }
  return found;
}

std::optional<structure_costs> count_structures(const problem& p, const struct_type& s, bool joined) {
  if (s.bytes == 0 || p.bytes % s.bytes != 0 || p.as_it_is.every != 0) return std::nullopt;
  const u32 count = static_cast<u32>(p.bytes / s.bytes);
  std::vector<u32> begin;  // first byte of the array of each member
  u32 end = 0;
  for (const struct_member& m : s.members) {
    begin.push_back(end);
    end = rounded_up(end + m.bytes * count, 16);
  }
  structure_costs c;
  constexpr u32 most_longer = 16;
  std::vector<u32> steps;
  u32 step = std::max(4u, s.alignment);
  // A wide access that is aligned stays one access. An unaligned access to several members is split into one access for
  // each member.
  for (const auto* accesses : {&p.accesses, &p.of_data})
    for (const weighted_access& w : *accesses)
      if (!joined) step = std::max(step, u32{w.what.op.width_bytes});
  for (u32 by = step; by <= most_longer; by += step) steps.push_back(by);
  std::vector<std::uint64_t> longer(steps.size());
  for (const auto* accesses : {&p.accesses, &p.of_data})
    for (const weighted_access& w : *accesses) {
      const access& a = w.what;
      const u32 used = lanes_used(a), width = a.op.width_bytes;
      if (used == 0) continue;
      const bool is_plain = a.op.kind == op_kind::load || a.op.kind == op_kind::store;
      const bool is_atomic =
          a.op.kind == op_kind::atomic || a.op.kind == op_kind::compare_and_swap || a.op.kind == op_kind::increment;
      if (width == 0 || (!is_plain && !is_atomic)) return std::nullopt;
      const auto cost = [&](const access& x) { return w.weight * analyze(x, p.on.model).wavefronts; };
      c.before += cost(a);
      // The mask of the lanes that access each member.
      bool within = true;
      std::vector<u32> lanes(s.members.size());
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
        if ((used >> lane & 1) == 0) continue;
        const u32 at = a.address[lane] % s.bytes;
        if (at + width > s.bytes) return std::nullopt;
        bool inside = false;
        for (std::size_t m = 0; m < s.members.size(); ++m) {
          const u32 from = s.members[m].at, to = from + s.members[m].bytes;
          if (at >= to || at + width <= from) continue;
          lanes[m] |= u32{1} << lane;
          inside |= at >= from && at + width <= to;
          if (!(at >= from && at + width <= to) && (at > from || at + width < to)) return std::nullopt;
        }
        within &= inside;
      }
      const auto member_of = [&](u32 address) {
        std::size_t m = s.members.size() - 1;
        while (m > 0 && s.members[m].at > address % s.bytes) --m;
        return m;
      };
      if (within) {
        c.apart += cost(moved(a, used, width, [&](u32 address) {
          const std::size_t m = member_of(address);
          return begin[m] + address / s.bytes * s.members[m].bytes + address % s.bytes - s.members[m].at;
        }));
      } else {
        if (!is_plain) return std::nullopt;
        for (std::size_t m = 0; m < s.members.size(); ++m) {
          const u32 bytes = s.members[m].bytes;
          if (lanes[m] == 0) continue;
          if (bytes > 16 || (bytes & (bytes - 1)) != 0) return std::nullopt;
          c.apart += cost(moved(a, lanes[m], bytes, [&](u32 address) { return begin[m] + address / s.bytes * bytes; }));
          for (std::size_t k = 0; k < steps.size(); ++k)
            if (steps[k] % width != 0)
              longer[k] += cost(moved(a, lanes[m], bytes, [&](u32 address) {
                return address / s.bytes * (s.bytes + steps[k]) + s.members[m].at;
              }));
        }
      }
      for (std::size_t k = 0; k < steps.size(); ++k) {
        if (!within && steps[k] % width != 0) continue;
        longer[k] += cost(moved(a, used, width, [&](u32 address) { return address + address / s.bytes * steps[k]; }));
      }
    }
  c.longer = c.before;
  for (std::size_t k = 0; k < steps.size(); ++k)
    if (longer[k] < c.longer) {
      c.longer = longer[k];
      c.longer_by = steps[k];
    }
  return c;
}

std::string structures_note(const structure_costs& c, const struct_type& s, std::uint64_t elements) {
  if (c.apart >= c.before && c.longer >= c.before) return {};
  std::string text;
  if (c.apart < c.before) {
    std::vector<std::string> arrays;
    for (const auto& member : s.members) arrays.push_back(formatted("{}[{}]", member.name, elements));
    text += formatted("a struct of arrays, {}, takes {} wavefronts instead of {}", enumerated(arrays), grouped(c.apart),
                      grouped(c.before));
  }
  if (c.longer < c.before)
    text += formatted("{}with {} bytes of padding, {} has {} bytes instead of {}, and takes {} wavefronts{}",
                      c.apart < c.before ? "; " : "", c.longer_by, s.name, s.bytes + c.longer_by, s.bytes,
                      grouped(c.longer), c.apart < c.before ? "" : formatted(" instead of {}", grouped(c.before)));
  return text;
}

}  // namespace bankwise::advise
