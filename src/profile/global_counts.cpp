#include "profile/global_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

#include "bankwise/texture_sectors.hpp"

namespace bankwise {

namespace {

using emulate::row_shape;

constexpr u32 word_bytes = 4, lines_of_words = lanes_per_warp * word_bytes;

// Sorts values, and returns the number of distinct values.
u32 distinct(std::uint64_t* begin, std::uint64_t* end) {
  if (!std::is_sorted(begin, end)) std::sort(begin, end);
  return static_cast<u32>(std::unique(begin, end) - begin);
}

void limit_ideal(global_cost& c) { c.sectors_ideal = std::min((c.bytes + sector_bytes - 1) / sector_bytes, c.sectors); }

// Returns the cost of an access to the threads' stacks. Word k of every lane's stack is in line k of the warp.
global_cost cost_on_stack(const emulate::global_access_event& e) {
  std::array<std::uint64_t, lanes_per_warp * 8> lines, sectors;
  std::size_t n = 0;
  global_cost c;
  for (u32 rest = e.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<u32>(std::countr_zero(rest));
    c.bytes += e.width_bytes;
    for (u32 at = 0; at < e.width_bytes && n < lines.size(); at += word_bytes) {
      lines[n] = e.address[lane] / word_bytes + at / word_bytes;
      sectors[n] = lines[n] * (lines_of_words / sector_bytes) + lane * word_bytes / sector_bytes;
      ++n;
    }
  }
  c.tag_requests = distinct(lines.data(), lines.data() + n);
  c.sectors = distinct(sectors.data(), sectors.data() + n);
  limit_ideal(c);
  return c;
}

// Returns the cost of an access whose lanes are adjacent, or have the same address.
global_cost cost_of_row(std::uint64_t first, u32 bytes, u32 width) {
  global_cost c;
  c.bytes = lanes_per_warp * width;
  c.tag_requests = static_cast<u32>((first + bytes - 1) / line_bytes - first / line_bytes) + 1;
  c.sectors = static_cast<u32>((first + bytes - 1) / sector_bytes - first / sector_bytes) + 1;
  limit_ideal(c);
  return c;
}

// Whether the access belongs to the pattern. All of its addresses must differ from the pattern's addresses by the same
// shift. The distances to the represented blocks (`by`) may differ only by whole lines. For cp.async.cg, the addresses
// in shared memory must be shifted by whole lines.
bool same_pattern(const global_tally::pattern& p, const emulate::global_access_event& e, u32 first) {
  const emulate::global_access_event& a = p.what;
  if (a.mask != e.mask || a.shape != e.shape || a.past_l1 != e.past_l1 || a.width_bytes != e.width_bytes) return false;
  for (int axis = 0; axis < 3; ++axis)
    if ((a.by[axis] - e.by[axis]) % std::int64_t{line_bytes} != 0) return false;
  if (e.shape != row_shape::other && !e.past_l1) return true;
  const std::uint64_t shift = e.address[first] - p.address[first];
  std::uint64_t differ = 0;
  for (u32 i = 0; i < lanes_per_warp; ++i)
    differ |= (e.address[i] - p.address[i] - shift) & (0 - std::uint64_t{e.mask >> i & 1});
  if (!e.past_l1) return differ == 0;
  const u32 moved = e.to[first] - p.to[first];
  differ |= moved % line_bytes;
  for (u32 i = 0; i < lanes_per_warp; ++i) differ |= (e.to[i] - p.to[i] - moved) & (0 - (e.mask >> i & 1));
  return differ == 0;
}

void note(global_tally::pattern& p, u32 place) {
  ++p.times[place];
  p.came[place / 64] |= std::uint64_t{1} << place % 64;
}

// Keeps the access with the most sectors. If several accesses have the most sectors, keeps the one with the lowest
// addresses. The report then does not depend on the order of blocks.
void keep_worst_sample(global_sample& worst, const global_sample& s) {
  if (s.sectors < worst.sectors) return;
  if (s.sectors > worst.sectors || std::tie(s.address, s.mask) < std::tie(worst.address, worst.mask)) worst = s;
}

void keep_worst_sample(global_tally& t, const emulate::global_access_event& e, const global_cost& c) {
  if (c.sectors < t.worst.sectors || is_local(e.kind)) return;
  global_sample s{e.mask, c.sectors, c.sectors_ideal, c.tag_requests, {}};
  std::uint64_t lowest = ~std::uint64_t{0};
  for (u32 rest = e.mask; rest != 0; rest &= rest - 1) lowest = std::min(lowest, e.address[std::countr_zero(rest)]);
  lowest -= lowest % line_bytes;
  for (u32 rest = e.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    s.address[static_cast<std::size_t>(lane)] = e.address[lane] - lowest;
  }
  keep_worst_sample(t.worst, s);
}

void add(global_counts& to, const global_cost& c, std::uint64_t times) {
  to.sectors += c.sectors * times;
  to.sectors_ideal += c.sectors_ideal * times;
  to.tag_requests += c.tag_requests * times;
}

global_tally::by_place& places_of(global_tally& t, const std::array<u32, 3>& by) {
  for (global_tally::by_place& o : t.of_others)
    if (o.by == by) return o;
  t.of_others.push_back({by, {}});
  return t.of_others.back();
}

std::array<u32, 3> in_line(const std::array<std::int64_t, 3>& by) {
  const auto one = [](std::int64_t n) { return static_cast<u32>(n) % line_bytes; };
  return {one(by[0]), one(by[1]), one(by[2])};
}

// Counts `times` executions of an access, whose addresses differ only by whole lines. If the represented blocks have
// other offsets in a line, also adds the cost at each possible offset to `of_others`. `address` contains the addresses
// of `e`, and is changed.
void count(global_tally& t, const emulate::global_access_event& e, std::uint64_t* address, std::uint64_t times) {
  t.bytes += static_cast<std::uint64_t>(std::popcount(e.mask)) * e.width_bytes * times;
  const std::array<u32, 3> by = in_line(e.by);
  // From block to block, the offset of an address in its line changes by a multiple of this number of bytes.
  const u32 step = std::gcd(std::gcd(by[0], by[1]), std::gcd(by[2], line_bytes));
  const global_cost here = cost_of(e);
  keep_worst_sample(t, e, here);
  if (step == line_bytes) return add(t, here, times);
  global_tally::by_place& others = places_of(t, by);
  for (u32 further = 0; further < line_bytes; further += step) {
    add(others.sum[further], cost_of(e), times);
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) address[lane] += step;
  }
}

// Adds the executions of a pattern that are missing in the counts.
void count(global_tally& t, global_tally::pattern& p) {
  for (u32 word = 0; word < p.came.size(); ++word)
    for (std::uint64_t& came = p.came[word]; came != 0; came &= came - 1) {
      const u32 place = 64 * word + static_cast<u32>(std::countr_zero(came));
      std::array<std::uint64_t, lanes_per_warp> address = p.address;
      for (std::uint64_t& a : address) a += place;
      emulate::global_access_event e = p.what;
      e.address = address.data();
      e.to = p.to.data();
      count(t, e, address.data(), std::exchange(p.times[place], 0));
    }
}

void count_all(global_tally& t) {
  for (global_tally::pattern& p : t.recent) count(t, p);
}

// Counts the represented blocks by the position of their accesses in a line. Element d of the result is the number of
// blocks whose addresses are d bytes after those of the running block, except for whole lines. `by`: the distance in a
// line to the next block on each axis. `blocks`: the number of blocks on each axis.
std::array<std::uint64_t, line_bytes> blocks_by_place(const std::array<u32, 3>& by,
                                                      const std::array<std::uint32_t, 3>& blocks) {
  std::array<std::uint64_t, line_bytes> all{};
  all[0] = 1;
  for (int axis = 0; axis < 3; ++axis) {
    std::array<std::uint64_t, line_bytes> next{};
    for (u32 at = 0; at < line_bytes; ++at)
      for (u32 i = 0; i < std::min(blocks[axis], line_bytes) && all[at] != 0; ++i)
        next[(at + i * by[axis]) % line_bytes] += all[at] * ((blocks[axis] - i - 1) / line_bytes + 1);
    all = next;
  }
  return all;
}

void add_others(global_tally& t, const std::array<std::uint32_t, 3>& blocks) {
  for (const global_tally::by_place& o : t.of_others) {
    const auto times = blocks_by_place(o.by, blocks);
    for (u32 place = 0; place < line_bytes; ++place) {
      if (times[place] == 0) continue;
      global_counts sum = o.sum[place];
      sum *= times[place];
      t += sum;
    }
  }
  t.of_others.clear();
}

}  // namespace

global_cost cost_of(const emulate::global_access_event& e) {
  if (e.mask == 0) return {};
  if (is_local(e.kind)) return cost_on_stack(e);
  if (!e.past_l1 && e.shape != row_shape::other)
    return cost_of_row(e.address[0], (e.shape == row_shape::one_place ? 1 : lanes_per_warp) * e.width_bytes,
                       e.width_bytes);
  if (e.past_l1) {
    global_access a{.mask = e.mask, .width_bytes = e.width_bytes, .past_l1 = true};
    std::copy_n(e.address, lanes_per_warp, a.addresses);
    std::copy_n(e.to, lanes_per_warp, a.to);
    return cost_of(a);
  }
  std::array<std::uint64_t, lanes_per_warp> sectors, lines;
  std::size_t n = 0;
  for (u32 rest = e.mask; rest != 0; rest &= rest - 1) sectors[n++] = e.address[std::countr_zero(rest)] / sector_bytes;
  global_cost c;
  c.bytes = static_cast<u32>(n) * e.width_bytes;
  c.sectors = distinct(sectors.data(), sectors.data() + n);
  for (u32 i = 0; i < c.sectors; ++i) lines[i] = sectors[i] / (line_bytes / sector_bytes);
  c.tag_requests = distinct(lines.data(), lines.data() + c.sectors);
  limit_ideal(c);
  return c;
}

global_collector::global_collector(std::uint64_t code_begin, std::uint64_t code_bytes, bool blocks_repeat)
    : global_(code_begin, code_bytes),
      local_(code_begin, code_bytes),
      texels_(code_begin, code_bytes),
      blocks_repeat_(blocks_repeat) {}

void global_collector::on_global(const emulate::global_access_event& e) {
  global_tally& t = (is_local(e.kind) ? local_ : global_)[e.pc];
  t.kind = e.kind;
  t.generic = e.generic;
  t.width_bytes = e.width_bytes;
  ++t.executed;
  t.lanes += e.lanes;
  if (e.mask == 0) return;
  ++t.requests;
  if (t.first.mask == 0) {
    t.first = {block_, firsts_++, e.warp, e.mask, {}};
    std::copy_n(e.address, lanes_per_warp, t.first.address.begin());
  }
  const auto first = static_cast<u32>(std::countr_zero(e.mask));
  const auto place = static_cast<u32>(e.address[first] % line_bytes);
  constexpr auto places = static_cast<unsigned>(std::tuple_size_v<decltype(t.recent)>);
  for (unsigned back = 0; back < places; ++back) {
    const unsigned i = (t.last + back) % places;
    if (!same_pattern(t.recent[i], e, first)) continue;
    t.last = i;
    note(t.recent[i], place);
    return;
  }
  t.last = (t.last + 1) % places;
  global_tally::pattern& p = t.recent[t.last];
  count(t, p);
  p.what = e;
  for (u32 i = 0; i < lanes_per_warp; ++i) p.address[i] = e.address[i] - place;
  if (e.to != nullptr) std::copy_n(e.to, lanes_per_warp, p.to.begin());
  note(p, place);
}

void global_collector::on_texture(const emulate::texture_access_event& e) {
  global_tally& t = texels_[e.pc];
  t.kind = e.kind;
  t.width_bytes = std::max(t.width_bytes, e.width_bytes);  // an event without lanes has width 0
  ++t.executed;
  t.lanes += e.lanes;
  if (e.mask == 0) return;
  const texture_cost c = cost_of_texels(e.mask, e.texels, e.texel_count, e.width_bytes, e.lanes_of_request);
  t.requests += c.requests;
  t.sectors += c.sectors;
  t.sectors_ideal += c.sectors_ideal;
  t.tag_requests += c.tag_requests;
  t.bytes += c.bytes;
}

void global_collector::on_block_end(std::uint64_t times) {
  const std::array<std::uint32_t, 3> blocks = std::exchange(alike_, {1, 1, 1});
  for (auto* all : {&global_, &local_, &texels_})
    for (auto& [pc, t] : all->all()) {
      count_all(t);
      t *= times;
      add_others(t, blocks);
      t.before += t;
      static_cast<global_counts&>(t) = {};
    }
}

const std::map<std::uint64_t, global_tally>& global_collector::finished(by_instruction<global_tally>& of) {
  for (auto& [pc, t] : of.all()) {
    count_all(t);
    add_others(t, {1, 1, 1});
    t += t.before;
    t.before = {};
  }
  return of.all();
}

global_counts global_collector::sum() {
  global_counts all;
  for (const auto& [pc, t] : global()) all += t;
  return all;
}

void global_collector::add(global_collector& other) {
  const auto add_all = [](by_instruction<global_tally>& to, const std::map<std::uint64_t, global_tally>& from) {
    for (const auto& [pc, t] : from) {
      global_tally& into = to[pc];
      into.kind = t.kind;
      into.generic = t.generic;
      into.width_bytes = std::max(into.width_bytes, t.width_bytes);
      keep_worst_sample(into.worst, t.worst);
      if (into.first.mask == 0 || (t.first.mask != 0 && t.first.block < into.first.block)) into.first = t.first;
      into += t;
    }
  };
  add_all(global_, other.global());
  add_all(local_, other.local());
  add_all(texels_, other.texels());
}

}  // namespace bankwise
