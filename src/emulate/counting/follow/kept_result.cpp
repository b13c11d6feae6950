#include "emulate/counting/follow/kept_result.hpp"

#include <algorithm>
#include <bit>

#include "emulate/counting/follow/executed_again.hpp"
#include "emulate/counting/follow/kept_range.hpp"
#include "emulate/counting/follow/linear_result.hpp"

namespace bankwise::emulate {

namespace {

// The result of LOP3 in a lane if the operand `which` is x.
std::uint32_t bitwise_at(followed_operation& o, const source& which, int lane, std::uint32_t x) {
  const std::uint32_t table = o.u.as<sass::bitwise>().table;
  std::uint32_t operands[3], made = 0;
  unsigned n = 0;
  for (const source* s : {&o.u.a, &o.u.b, &o.u.c}) operands[n] = s == &which ? x : o.m.operand_row(*s, n)[lane], ++n;
  for (unsigned k = 0; k < 8; ++k)
    if ((table >> k & 1) != 0)
      made |= (k & 4 ? operands[0] : ~operands[0]) & (k & 2 ? operands[1] : ~operands[1]) &
              (k & 1 ? operands[2] : ~operands[2]);
  return made;
}

// Handles several operands that depend on blockIdx. Below the lowest changing bit of any operand, the bits of the
// result do not change.
step follow_bits_of_several(followed_operation& o) {
  if (o.predicates_vary() || o.flow.writes.size() != 1 || o.result().file == sass::file::none) return o.give_up();
  register_form made = o.part_of_reads();
  for (unsigned i = 0; i < 3; ++i)
    if (made.by[i] != 0) made.last[i] = o.blocks.box().first[i];
  made.by = {};
  made.is_part = false;
  std::uint32_t moves = 0;
  for (const register_place p : o.flow.reads) {
    const register_form* f = o.form_at(p);
    if (f == nullptr) continue;
    if (f->is_part) return o.give_up();
    const bool is_loose = o.blocks.is_loose(*f);
    if (is_loose) moves |= 1u << f->low;
    for (int i = 0; i < 3; ++i) moves |= o.blocks.box().reach(i) != 0 ? static_cast<std::uint32_t>(f->by[i]) : 0;
    made.alike = made.alike && (!is_loose || f->alike) && (o.is_uniform(p) || (o.mask & ~f->lanes) == 0);
  }
  made.low = static_cast<std::uint8_t>(std::countr_zero(moves));
  for (const source* s : {&o.u.a, &o.u.b, &o.u.c}) {
    const std::uint32_t* const x = o.m.operand_row(*s, 0);
    made.alike = made.alike && all_alike(o.lanes_of(o.result()) & o.mask, [&](int i) { return x[i] >> made.low; });
  }
  const step s = o.execute();
  made.lanes = o.lanes_of(o.result());
  if (s == step::next) o.blocks.set(o.w, o.result(), made);
  return s;
}

}  // namespace

step follow_monotone(followed_operation& o) {
  // The upper word of a product matters only as part of the address to which the product is added.
  if (o.op == sass::opcode::IMAD_HI && (o.form_of(o.u.c) != nullptr || o.form_of(o.u.c_high) != nullptr))
    return follow_part(o);
  o.tighten_reads();
  if (!o.any_varies()) return o.run_and_clear();
  const source* varying = nullptr;
  register_place at;
  for (const source* s : {&o.u.a, &o.u.b, &o.u.c}) {
    if (o.form_of(*s) == nullptr) continue;
    if (varying != nullptr) return o.give_up();
    varying = s;
    at = register_of(*s);
  }
  const bool is_signed = [&] {
    if (const auto* f = std::get_if<sass::funnel_shift>(&o.u.fields)) return f->is_signed();
    if (const auto* f = std::get_if<sass::wide_multiply>(&o.u.fields)) return f->is_signed;
    if (const auto* f = std::get_if<sass::integer_extreme>(&o.u.fields))
      return f->type == sass::extreme_type::s32 || f->type == sass::extreme_type::s16x2;
    return true;
  }();
  const bool shifts = std::holds_alternative<sass::funnel_shift>(o.u.fields);
  if (o.predicates_vary() || varying == nullptr || o.blocks.form_at(o.w, at).is_part || (shifts && varying != &o.u.c) ||
      o.flow.writes.empty())
    return o.give_up();
  for (const source* s : {&o.u.a_high, &o.u.b_high, &o.u.c_high})
    if (o.form_of(*s) != nullptr) return o.give_up();
  keep_in_range(o, *varying, is_signed);
  const register_form f = o.blocks.form_at(o.w, at);
  const std::uint32_t* const x = o.m.operand_row(*varying, 0);
  const bool is_one = o.is_uniform(at) || all_alike(f.lanes & o.mask, [&](int i) { return x[i]; });
  const held_results before(o);
  const step s = o.execute();
  if (s != step::next) return s;
  const held_results after(o);
  const block_box same = where_same(o, at, f, before, after, o.flow.writes);
  for (const register_place p : o.flow.writes)
    o.blocks.set(o.w, p,
                 {.lanes = o.lanes_of(p), .low = 0, .alike = is_one && (o.mask & ~f.lanes) == 0, .last = same.last});
  return s;
}

step follow_bits(followed_operation& o) {
  if (!o.any_varies()) return o.run_and_clear();
  const source* varying = nullptr;
  for (const source* s : {&o.u.a, &o.u.b, &o.u.c}) {
    if (o.form_of(*s) == nullptr) continue;
    if (varying != nullptr) return follow_bits_of_several(o);
    varying = s;
  }
  const register_place at = varying == nullptr ? register_place{} : register_of(*varying);
  if (o.predicates_vary() || varying == nullptr || o.blocks.form_at(o.w, at).is_part) return o.give_up();
  register_form f = o.blocks.form_at(o.w, at);
  const bool was_loose = o.blocks.is_loose(f);
  if (!was_loose) f.low = 32, f.last = block_class::everywhere, f.alike = true;
  alignas(64) row x;
  std::copy_n(o.m.operand_row(*varying, 0), 32, x);
  const std::uint32_t lanes = o.u.uniform_guard ? 1 : o.mask & f.lanes;
  // blockIdx never changes the bits below the lowest set bit of its factors.
  std::uint32_t added = f.low == 32 ? 0 : 1u << f.low;
  for (int i = 0; i < 3; ++i) added |= o.blocks.box().reach(i) != 0 ? static_cast<std::uint32_t>(f.by[i]) : 0;
  const std::uint32_t moving = 0u - (added & (0u - added));
  std::uint32_t matter = 0, in_all = ~0u, same = ~0u, inverse = ~0u;
  row here_is, bits;
  for (int i = 0; i < 32; ++i) {
    here_is[i] = bitwise_at(o, *varying, i, x[i]);
    bits[i] = (here_is[i] ^ bitwise_at(o, *varying, i, ~x[i])) & moving;
    if ((lanes >> i & 1) == 0) continue;
    matter |= bits[i];
    in_all &= bits[i];
    same &= ~(here_is[i] ^ x[i]);
    inverse &= here_is[i] ^ x[i];
  }
  const auto alike = [&](const std::uint32_t* of, std::uint32_t these) {
    return all_alike(lanes, [&](int i) { return of[i] & these; });
  };
  register_form made{.alike = (o.u.uniform_guard || (o.mask & ~lanes) == 0) && f.alike && alike(x, moving) &&
                              alike(bits, moving) && alike(here_is, matter)};
  // The result can depend linearly on blockIdx if the lowest changing bit matters in all lanes. In addition, the
  // changing bits among the `run` lowest bits must be equal in the result and the operand, or all of them must be
  // inverted. The result is linear only in blocks in which no carry leaves the `run` lowest bits.
  const std::uint32_t lowest = moving & (0u - moving);
  const unsigned run = static_cast<unsigned>(std::countr_one(in_all | (lowest - 1)));
  const std::uint32_t up_to = run == 32 ? ~0u : (1u << run) - 1, moves = moving & up_to;
  const bool is_linear = (in_all & lowest) != 0 && o.flow.writes.size() == 1 && o.result().file != sass::file::none &&
                         (o.u.uniform_guard || (o.mask & ~lanes) == 0) &&
                         ((same & moves) == moves || (inverse & moves) == moves);
  const std::uint32_t below = matter == 0 ? 0 : is_linear ? up_to : (matter & (0u - matter)) - 1;
  if (is_linear) made.by = (same & moves) == moves ? f.by : negated(f.by);
  if (matter != 0) {
    block_box keeps = o.blocks.box();
    for (unsigned i = 0; i < 3; ++i) keeps.last[i] = std::min(keeps.last[i], f.last[i]);
    if (below != ~0u) {
      std::uint32_t least = below, most = 0;
      for (int i = 0; i < 32; ++i) {
        if ((lanes >> i & 1) == 0) continue;
        least = std::min(least, x[i] & below);
        most = std::max(most, x[i] & below);
      }
      keep_at_least_zero(keeps, std::int64_t{below} - most, negated(f.by));
      keep_at_least_zero(keeps, std::int64_t{least}, f.by);
    }
    const auto known = static_cast<std::uint8_t>(is_linear ? run : std::countr_zero(matter));
    made.low = std::min(known, f.low);
    if (!is_linear) made.low = known;
    made.last = keeps.last;
  }
  const step s = o.execute();
  if (s != step::next) return s;
  for (const register_place p : o.flow.writes) {
    const bool is_number = p.file == sass::file::vector || p.file == sass::file::uniform;
    // A result that is a predicate depends on more than the low bits.
    if (!is_number) o.blocks.tighten(made);
    made.lanes = o.lanes_of(p);
    o.blocks.set(o.w, p, is_number ? made : register_form{.lanes = made.lanes});
  }
  return s;
}

}  // namespace bankwise::emulate
