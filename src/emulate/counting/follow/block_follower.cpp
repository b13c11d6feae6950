#include "emulate/counting/follow/block_follower.hpp"

#include <algorithm>

#include "emulate/counting/follow/kept_range.hpp"
#include "emulate/counting/follow/kept_result.hpp"
#include "emulate/counting/follow/linear_result.hpp"

namespace bankwise::emulate {

namespace {

constexpr unsigned line_bits = 7, line_bytes = 1u << line_bits;

step follow_axis(followed_operation& o) {
  const step s = o.execute();
  block_factors by{};
  by[o.flow.axis] = 1;
  for (const register_place p : o.flow.writes) o.blocks.set(o.w, p, {.by = by, .lanes = o.lanes_of(p)});
  return s;
}

// --- Copies between registers, and between registers and the stack

step copy_words(followed_operation& o, const std::vector<register_place>& from) {
  std::vector<register_form> words;
  for (const register_place p : from) {
    const register_form* f = o.form_at(p);
    register_form& now = words.emplace_back(f != nullptr ? *f : register_form{});
    now.lanes &= o.mask;
  }
  const step s = o.execute();
  if (s != step::next) return s;
  o.clear();
  for (std::size_t n = 0; n < std::min(words.size(), o.flow.writes.size()); ++n) {
    if (words[n].lanes == 0) continue;
    if (o.is_uniform(o.flow.writes[n])) words[n].lanes = ~0u;
    o.blocks.set(o.w, o.flow.writes[n], words[n]);
  }
  return s;
}

step follow_words(followed_operation& o) {
  std::vector<register_place> from;
  for (const register_place p : o.flow.reads)
    if (p.file == sass::file::vector || p.file == sass::file::uniform) from.push_back(p);
  return copy_words(o, from);
}

// --- Generic accesses: an access to global memory stays in its allocation

std::uint64_t wide_address(std::uint32_t low, std::uint32_t high) { return std::uint64_t{high} << 32 | low; }

bool is_far_from_shared(followed_operation& o) {
  const auto* f = std::get_if<sass::memory_access>(&o.u.fields);
  if (f == nullptr || !o.m.s->leaves_shared || !o.m.s->leaves_global || !f->address.wide) return false;
  const sass::address& a = f->address;
  for (int i = 0; i < 32; ++i) {
    if ((o.mask >> i & 1) == 0) continue;
    std::uint64_t at = static_cast<std::uint64_t>(a.offset);
    at += a.uniform_base ? wide_address(o.w.uniform[a.base], o.w.uniform[a.base + 1u])
                         : wide_address(o.m.operand_row(o.u.a, 0)[i], o.w.reg(a.base + 1u)[i]);
    if (a.adds_uniform) at += wide_address(o.w.uniform[a.uniform], o.w.uniform[a.uniform + 1u]);
    if (at - shared_window < window_bytes || at - local_window < window_bytes) return false;
  }
  return true;
}

enum class address_word : std::uint8_t { none, low, high };

address_word word_of(const sass::address& a, register_place p) {
  const auto is_of = [p](unsigned number, sass::file file) { return p.file == file && p.number == number; };
  const sass::file base = a.uniform_base ? sass::file::uniform : sass::file::vector;
  if (is_of(a.base, base) || (a.adds_uniform && is_of(a.uniform, sass::file::uniform))) return address_word::low;
  if ((a.wide && is_of(a.base + 1u, base)) || (a.adds_uniform && is_of(a.uniform + 1u, sass::file::uniform)))
    return address_word::high;
  return address_word::none;
}

// --- Accesses to global memory whose addresses are reported, with the distance to the addresses of other blocks

void add_distance(followed_operation& o, const sass::address& to, register_place p) {
  const register_form* f = o.form_at(p);
  if (f == nullptr) return;
  const address_word which = word_of(to, p);
  if (which == address_word::high && f->is_part) return;
  const bool is_distance = which == address_word::low && !f->is_part && (o.is_uniform(p) || (o.mask & ~f->lanes) == 0);
  if (!is_distance || !f->alike || f->low < line_bits) o.blocks.tighten(*f);
  for (unsigned axis = 0; axis < 3; ++axis)
    if (!is_distance && f->by[axis] != 0)
      o.blocks.pin(axis);
    else if (is_distance)
      o.m.further[axis] += f->by[axis];
}

step follow_told_access(followed_operation& o) {
  const auto* const f = std::get_if<sass::memory_access>(&o.u.fields);
  if (f == nullptr || sass::traits_of(o.op).space == sass::space::local) {
    o.pin_reads();
  } else {
    for (const register_place p : o.flow.reads) add_distance(o, f->address, p);
  }
  const step s = o.run_and_clear();
  o.m.further = {};
  return s;
}

// --- cp.async: it costs the same in blocks whose sources differ by whole lines

void place_in_line(followed_operation& o) {
  if (!o.m.s->leaves_shared) return o.pin_reads();
  const sass::address& from = o.u.as<sass::copy_access>().source;
  for (const register_place p : o.flow.reads) {
    const register_form* f = o.form_at(p);
    if (f == nullptr) continue;
    const address_word which = word_of(from, p);
    if (which == address_word::high && f->is_part) continue;
    const bool all_lanes = o.is_uniform(p) || (o.mask & ~f->lanes) == 0;
    const bool is_whole_lines = which == address_word::low && !f->is_part && all_lanes;
    if (!is_whole_lines || !f->alike || f->low < line_bits) o.blocks.tighten(*f);
    for (unsigned axis = 0; axis < 3; ++axis)
      if (f->by[axis] != 0 && (!is_whole_lines || f->by[axis] % line_bytes != 0)) o.blocks.pin(axis);
  }
}

// All values that a bulk copy reads reduce the class, except the address in global memory. The contents of global
// memory are not needed.
void place_in_bulk(followed_operation& o) {
  unsigned first = 0, last = 0;  // uniform registers with the address in global memory
  if (const auto* t = std::get_if<sass::tensor_transfer>(&o.u.fields)) {
    const bool loads = o.op == sass::opcode::UTMALDG || o.op == sass::opcode::UTMALDG_U;
    first = t->box + (loads ? 2u : 1u);
    last = first + t->dimensions - 1;
  } else {
    const auto& b = o.u.as<sass::bulk_transfer>();
    if (b.to_shared != b.from_shared) first = b.to_shared ? b.source : b.target, last = first + 1;
  }
  const bool matters = !(o.m.s->leaves_shared && o.m.s->leaves_global);
  for (const register_place p : o.flow.reads) {
    const bool is_place = p.file == sass::file::uniform && p.number >= first && p.number <= last && last != 0;
    if (const register_form* f = o.form_at(p); f != nullptr && (matters || !is_place)) o.blocks.pin(*f);
  }
}

// Follows the instruction according to its kind (block_flow.hpp).
step follow_operation(followed_operation& o) {
  const register_place guard{o.u.uniform_guard ? sass::file::uniform_predicate : sass::file::predicate, o.u.guard};
  if (o.u.guard != sass::predicate_true)
    if (const register_form* f = o.form_at(guard, o.here())) o.blocks.pin(*f);
  if (o.mask == 0 && !o.flow.runs_unguarded) return step::next;
  switch (o.flow.how) {
    case block_flow::axis: return follow_axis(o);
    case block_flow::linear: return follow_linear(o);
    case block_flow::part: return follow_part(o);
    case block_flow::monotone: return follow_monotone(o);
    case block_flow::bits: return follow_bits(o);
    case block_flow::compares: follow_comparison(o); break;
    case block_flow::words: return follow_words(o);
    case block_flow::spills: return copy_words(o, o.flow.reads);
    case block_flow::generic:
      if (!is_far_from_shared(o))
        o.pin_reads();
      else if (o.m.global != nullptr)
        return follow_told_access(o);
      break;
    case block_flow::places: return follow_told_access(o);
    case block_flow::copies: place_in_line(o); break;
    case block_flow::bulk: place_in_bulk(o); break;
    case block_flow::place:
      for (unsigned axis = 0; axis < 3; ++axis) o.blocks.pin(axis);
      break;
    default: o.pin_reads(); break;
  }
  return o.run_and_clear();
}

}  // namespace

step run_followed(worker& m, const micro_op& u, std::uint32_t mask) {
  if (m.blocks->box().blocks() == 1)
    return mask != 0 || (*m.s->followed)[u.index].runs_unguarded ? u.checked(m, u, mask) : step::next;
  followed_operation o(m, u, mask);
  return follow_operation(o);
}

}  // namespace bankwise::emulate
