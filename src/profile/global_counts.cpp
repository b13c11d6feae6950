#include "profile/global_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace bankwise {

namespace {

using emulate::row_shape;

constexpr u32 word_bytes = 4, lines_of_words = lanes_per_warp * word_bytes;

// How many different numbers there are; sorts them.
u32 distinct(std::uint64_t* begin, std::uint64_t* end) {
  if (!std::is_sorted(begin, end)) std::sort(begin, end);
  return static_cast<u32>(std::unique(begin, end) - begin);
}

void limit_ideal(global_cost& c) { c.sectors_ideal = std::min((c.bytes + sector_bytes - 1) / sector_bytes, c.sectors); }

// Word k of a lane's stack lies in the k-th line of the warp.
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

// Lanes that are side by side, or at one place.
global_cost cost_of_row(std::uint64_t first, u32 bytes, u32 width) {
  global_cost c;
  c.bytes = lanes_per_warp * width;
  c.tag_requests = static_cast<u32>((first + bytes - 1) / line_bytes - first / line_bytes) + 1;
  c.sectors = static_cast<u32>((first + bytes - 1) / sector_bytes - first / sector_bytes) + 1;
  limit_ideal(c);
  return c;
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
    : global_(code_begin, code_bytes), local_(code_begin, code_bytes), blocks_repeat_(blocks_repeat) {}

void global_collector::on_global(const emulate::global_access_event& e) {
  global_tally& t = (is_local(e.kind) ? local_ : global_)[e.pc];
  t.kind = e.kind;
  t.generic = e.generic;
  t.width_bytes = e.width_bytes;
  ++t.executed;
  t.lanes += e.lanes;
  if (e.mask == 0) return;
  const global_cost c = cost_of(e);
  ++t.requests;
  t.sectors += c.sectors;
  t.sectors_ideal += c.sectors_ideal;
  t.tag_requests += c.tag_requests;
  t.bytes += c.bytes;
}

void global_collector::on_block_end(std::uint64_t times) {
  for (auto* all : {&global_, &local_})
    for (auto& [pc, t] : all->all()) {
      for (auto member :
           {&global_counts::executed, &global_counts::lanes, &global_counts::requests, &global_counts::sectors,
            &global_counts::sectors_ideal, &global_counts::tag_requests, &global_counts::bytes})
        t.*member *= times;
      t.before += t;
      static_cast<global_counts&>(t) = {};
    }
}

const std::map<std::uint64_t, global_tally>& global_collector::finished(by_instruction<global_tally>& of) {
  for (auto& [pc, t] : of.all()) {
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
      into.width_bytes = t.width_bytes;
      into += t;
    }
  };
  add_all(global_, other.global());
  add_all(local_, other.local());
}

}  // namespace bankwise
