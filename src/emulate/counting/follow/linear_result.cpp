#include "emulate/counting/follow/linear_result.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "emulate/counting/follow/executed_again.hpp"
#include "emulate/counting/follow/kept_range.hpp"

namespace bankwise::emulate {

namespace {

// In a 64-bit product: the only factor that depends on blockIdx.
const source* only_factor(followed_operation& o) {
  // If the product is added to a pointer, the result is an address, and its upper word needs no exact form.
  if (o.u.c.kind != source_kind::reg || o.u.c.index != zero_row) return nullptr;
  if (o.op != sass::opcode::IMAD_WIDE || o.flow.writes.size() != 2 || o.form_of(o.u.c) != nullptr ||
      o.form_of(o.u.c_high) != nullptr)
    return nullptr;
  const source* const factor = o.form_of(o.u.a) != nullptr ? &o.u.a : &o.u.b;
  const register_form* const f = o.form_of(*factor);
  return f != nullptr && !f->is_part && !o.blocks.is_loose(*f) ? factor : nullptr;
}

// Returns the factors of a sum, or of a form times a number. Returns nothing if an operand's form is not valid for all
// bits and lanes.
std::optional<block_factors> plain_factors(followed_operation& o) {
  for (const register_place p : o.flow.reads) {
    const register_form* f = o.form_at(p);
    if (f != nullptr && !o.is_upper(p) &&
        (f->is_part || o.blocks.is_loose(*f) || (!o.is_uniform(p) && (o.mask & ~f->lanes) != 0)))
      return {};
  }
  block_factors sum{};
  const auto add = [&](const source& s, std::int64_t times) {
    const register_form* f = o.form_of(s);
    for (unsigned axis = 0; axis < 3 && f != nullptr; ++axis)
      sum[axis] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum[axis] + f->by[axis] * times));
  };
  const auto sign = [](std::uint32_t flip) { return flip == 0 ? 1 : -1; };
  const micro_op& u = o.u;
  switch (o.op) {
    case sass::opcode::MOV:
    case sass::opcode::VIADD:
      if (u.flip_a != 0 || u.flip_b != 0) return {};
      add(u.a, 1), add(u.b, 1), add(u.c, 1);
      return sum;
    case sass::opcode::IADD3: add(u.a, sign(u.flip_a)), add(u.b, sign(u.flip_b)), add(u.c, sign(u.flip_c)); return sum;
    case sass::opcode::IMAD:
    case sass::opcode::IMAD_WIDE: {
      if (u.flip_a != 0 || u.flip_b != 0 || u.flip_c != 0) return {};
      const bool varies_a = o.form_of(u.a) != nullptr, varies_b = o.form_of(u.b) != nullptr;
      const source& factor = varies_a ? u.b : u.a;
      if (varies_a || varies_b) {
        const std::uint32_t* const times = o.m.operand_row(factor, 0);
        const std::uint32_t lanes = u.uniform_guard ? 1 : o.mask;
        if (lanes == 0 || !all_alike(lanes, [&](int i) { return times[i]; })) return {};
        add(varies_a ? u.a : u.b, static_cast<std::int32_t>(times[std::countr_zero(lanes)]));
      }
      add(u.c, 1);
      return sum;
    }
    case sass::opcode::LEA:
      if (u.flip_a != 0 || u.flip_b != 0) return {};
      add(u.a, std::int64_t{1} << u.as<sass::scaled_add>().shift), add(u.b, 1);
      return sum;
    default: return {};
  }
}

}  // namespace

step follow_part(followed_operation& o) {
  // The rounding of a signed division: x >> 31 is shifted and added to x. The sum is linear.
  if (o.op == sass::opcode::LEA && !o.u.as<sass::scaled_add>().extended && o.form_of(o.u.a) == nullptr &&
      o.form_of(o.u.c) == nullptr && o.form_of(o.u.b) != nullptr && !o.form_of(o.u.b)->is_part)
    return follow_linear(o);
  register_form made = o.part_of_reads();
  const step s = o.execute();
  for (const register_place p : o.flow.writes) {
    made.lanes = o.lanes_of(p);
    o.blocks.set(o.w, p, made);
  }
  return s;
}

step follow_linear(followed_operation& o) {
  if (!o.any_varies()) return o.run_and_clear();
  if (o.predicates_vary()) return o.give_up();
  const bool multiplies = o.op == sass::opcode::IMAD || o.op == sass::opcode::IMAD_WIDE;
  if (multiplies && o.form_of(o.u.a) != nullptr && o.form_of(o.u.b) != nullptr) return o.give_up();
  if (o.op == sass::opcode::IMAD_WIDE)
    for (const source* s : {&o.u.a, &o.u.b})
      if (const register_form* f = o.form_of(*s); f != nullptr && !o.blocks.is_loose(*f))
        keep_in_range(o, *s, o.u.as<sass::wide_multiply>().is_signed);
  bool is_part = false;
  for (const register_place p : o.flow.reads)
    if (const register_form* f = o.form_at(p); f != nullptr && f->is_part && !o.is_upper(p)) is_part = true;
  if (is_part && o.op != sass::opcode::MOV && o.op != sass::opcode::SEL && o.op != sass::opcode::R2UR)
    return follow_part(o);

  const register_place to = o.flow.writes.empty() ? register_place{} : o.result();
  register_form part = o.part_of_reads();
  register_form made{.last = part.last};
  if (const auto by = is_part || to.file == sass::file::none ? std::nullopt : plain_factors(o);
      by && only_factor(o) == nullptr) {
    const step s = o.execute();
    made.by = *by;
    for (const register_place p : o.flow.writes) {
      register_form& now = p.file == to.file && p.number == to.number ? made : part;
      now.lanes = o.lanes_of(p);
      o.blocks.set(o.w, p, now);
    }
    return s;
  }
  const held_results before(o);
  const step s = o.execute();
  if (s != step::next || to.file == sass::file::none) return s;
  if (!is_part) {
    const held_results after(o);
    alignas(64) row here_is, further;
    o.read(to, here_is);
    const std::uint32_t lanes = o.is_uniform(to) ? 1 : o.mask;
    const int one = std::countr_zero(lanes);
    for (unsigned axis = 0; axis < 3; ++axis) {
      if (part.by[axis] == 0 || o.blocks.box().reach(static_cast<int>(axis)) == 0) continue;
      before.put_back();
      {
        const moved_operands further_on(o, axis);
        o.execute();
        o.read(to, further);
      }
      const std::uint32_t step_by = further[one] - here_is[one];
      bool same = true;
      for (int i = 0; i < 32; ++i) same = same && ((lanes >> i & 1) == 0 || further[i] - here_is[i] == step_by);
      if (!same) o.blocks.pin(axis);
      made.by[axis] = static_cast<std::int32_t>(step_by);
    }
    // If bits of an operand are unknown, the factor of the result is also unknown.
    for (const register_place p : o.flow.reads) {
      const register_form* f = o.form_at(p);
      if (f == nullptr || f->is_part || !o.blocks.is_loose(*f)) continue;
      before.put_back();
      {
        const moved_operands above(o, p, f->lanes, 1u << f->low);
        o.execute();
        o.read(to, further);
      }
      made.alike = made.alike && f->alike;
      for (int i = 0; i < 32; ++i) {
        if ((lanes >> i & 1) == 0) continue;
        made.low = static_cast<std::uint8_t>(std::min<int>(made.low, std::countr_zero(further[i] - here_is[i])));
        made.alike = made.alike && further[i] - here_is[i] == further[one] - here_is[one];
      }
    }
    after.put_back();
  }
  if (const source* const factor = only_factor(o)) {
    // The upper word of a product, such as the product in a division by a constant.
    const register_form f = *o.form_of(*factor);
    const block_box same = where_same(o, register_of(*factor), f, before, held_results(o), {o.flow.writes[1]});
    part = {.low = 0, .alike = false, .last = same.last};
  }
  for (const register_place p : o.flow.writes) {
    register_form& now = p.file == to.file && p.number == to.number && !is_part ? made : part;
    now.lanes = o.lanes_of(p);
    o.blocks.set(o.w, p, now);
  }
  return s;
}

}  // namespace bankwise::emulate
