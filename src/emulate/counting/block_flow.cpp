#include "emulate/counting/block_flow.hpp"

#include <algorithm>

#include "sass/fields/fields.hpp"
#include "sass/fields/global_operation.hpp"
#include "sass/flow/guarded_places.hpp"
#include "sass/operand/operands.hpp"
#include "sass/special_register.hpp"

namespace bankwise::emulate {

namespace {

using sass::opcode;

// Whether the instruction only computes registers from registers. The dependence of such an instruction on blockIdx
// matters only when its result is used.
bool only_computes(opcode op) {
  const sass::opcode_traits& t = sass::traits_of(op);
  return (t.unit == sass::unit::lanes || t.unit == sass::unit::uniform) && t.action == sass::action::none &&
         t.space == sass::space::none && t.flow == sass::flow::next;
}

bool adds_carry(const sass::instruction& i) { return sass::row_fields(i).flag(".X"); }

block_flow flow_of(const sass::instruction& i) {
  const opcode op = vector_form(i.info()->op);
  const sass::fields f = sass::fields_of(i);
  switch (op) {
    case opcode::S2R:
    case opcode::S2UR:
    case opcode::CS2R: {
      const unsigned number = std::get<sass::special_register_read>(f).number;
      if (sass::block_axis(number) >= 0) return block_flow::axis;
      return sass::tells_place(number) ? block_flow::place : block_flow::other;
    }
    case opcode::MOV:
    case opcode::MOV_64: return std::get<sass::wide_move>(f).wide ? block_flow::words : block_flow::linear;
    case opcode::SEL:
    case opcode::SEL_64:
    case opcode::SEL_64_I: return block_flow::linear;
    case opcode::VIADD:
      return std::get<sass::packed_add>(f).type == sass::sum_type::u32 && !std::get<sass::packed_add>(f).saturates
                 ? block_flow::linear
                 : block_flow::part;
    case opcode::R2UR: return std::get<sass::lane_broadcast>(f).adds_lanes ? block_flow::part : block_flow::linear;
    case opcode::IADD_64: return adds_carry(i) ? block_flow::part : block_flow::linear;
    case opcode::IADD3: return std::get<sass::carry_add>(f).extended ? block_flow::part : block_flow::linear;
    case opcode::IMAD: return std::get<sass::carry_add>(f).extended ? block_flow::part : block_flow::linear;
    case opcode::IMAD_WIDE: return std::get<sass::wide_multiply>(f).extended ? block_flow::part : block_flow::linear;
    case opcode::IMAD_HI: return std::get<sass::wide_multiply>(f).extended ? block_flow::part : block_flow::monotone;
    case opcode::LEA: {
      const auto& how = std::get<sass::scaled_add>(f);
      return how.high || how.extended ? block_flow::part : block_flow::linear;
    }
    case opcode::SHF: {
      const auto& how = std::get<sass::funnel_shift>(f);
      if (how.right) return how.high && !how.wide() ? block_flow::monotone : block_flow::part;
      return how.high ? block_flow::part : block_flow::linear;
    }
    case opcode::IMNMX: return block_flow::monotone;
    case opcode::VIMNMX:
      return std::get<sass::integer_extreme>(f).type <= sass::extreme_type::s32 ? block_flow::monotone
                                                                                : block_flow::part;
    case opcode::ISETP: {
      const auto& how = std::get<sass::integer_comparison>(f);
      return how.extended || how.wide ? block_flow::part : block_flow::compares;
    }
    case opcode::LOP3: return block_flow::bits;
    case opcode::LDGSTS: return block_flow::copies;
    case opcode::UBLKCP:
    case opcode::UTMALDG:
    case opcode::UTMALDG_U:
    case opcode::UTMASTG:
    case opcode::UTMAREDG: return block_flow::bulk;
    default:
      if (only_computes(i.info()->op)) return block_flow::part;
      return sass::is_generic(op) && sass::traits_of(op).unit == sass::unit::memory ? block_flow::generic
                                                                                    : block_flow::other;
  }
}
bool keeps_form(block_flow f) {
  return f == block_flow::axis || f == block_flow::linear || f == block_flow::part || f == block_flow::bits ||
         f == block_flow::monotone || f == block_flow::spills || f == block_flow::words;
}

followed describe(const sass::flow_node& at, const sass::instruction& i, bool with_data, bool is_told) {
  followed f;
  const bool is_spill = at.is_spill && !is_told;
  f.how = is_told ? block_flow::places : is_spill ? block_flow::spills : flow_of(i);
  f.by_itself = at.under != sass::no_guard;
  f.runs_unguarded = sass::may_touch_shared(i.info()->op) || sass::may_touch_global(i.info()->op);
  if (f.how == block_flow::axis)
    f.axis =
        static_cast<std::uint8_t>(sass::block_axis(std::get<sass::special_register_read>(sass::fields_of(i)).number));
  const bool puts = sass::traits_of(i.info()->op).action == sass::action::store ||
                    sass::traits_of(i.info()->op).action == sass::action::update;
  for (const sass::operand& o : sass::operands_of(i))
    for (unsigned n = 0; n < o.count; ++n) {
      const followed::place p{o.file, static_cast<std::uint16_t>(o.first + n)};
      const bool is_data = puts && !o.is_address && (o.file == sass::file::vector || o.file == sass::file::uniform);
      if (o.role == sass::role::write) {
        if (!is_told) f.writes.push_back(p);
      } else if (is_spill ? is_data : with_data || !is_data)
        f.reads.push_back(p);
    }
  const sass::places& words = puts ? at.writes : at.reads;
  for (std::uint16_t n = at.slot; is_spill && n < sass::stack_words; ++n)
    if (words[sass::first_place(sass::file::stack) + n]) (puts ? f.writes : f.reads).push_back({sass::file::stack, n});
  return f;
}

}  // namespace

opcode vector_form(opcode op) {
  const opcode twin = sass::traits_of(op).twin;
  return twin != opcode::count ? twin : op;
}

std::vector<followed> followed_instructions(const sass::code_flow& code, const sass::slice& needed) {
  const std::size_t count = code.nodes.size();
  std::vector<block_flow> how(count);
  // for each instruction: the registers that may depend on blockIdx before the instruction
  std::vector<sass::guarded_places> before(count);
  std::vector<bool> is_source(count), follows(count);
  for (const std::uint32_t n : code.order) {
    if (!needed.needed[n]) continue;
    how[n] = code.nodes[n].is_spill ? block_flow::spills : flow_of(code.instruction_at(n));
    is_source[n] = how[n] == block_flow::axis || how[n] == block_flow::place;
  }
  sass::work_list work(code);
  while (const auto next = work.take()) {
    const std::uint32_t n = *next;
    const sass::flow_node& at = code.nodes[n];
    sass::guarded_places after = before[n];
    if (needed.told[n]) {
      follows[n] = (sass::told_reads(code, n) & before[n].where(at.under)).any() ||
                   (at.under != sass::no_guard && before[n].all()[sass::place_of(at.under)]);
    } else if (needed.needed[n]) {
      const bool reads_it =
          ((needed.data_needed[n] ? at.reads | at.data : at.reads) & before[n].where(at.under)).any() ||
          (at.under != sass::no_guard && before[n].all()[sass::place_of(at.under)]);
      follows[n] = is_source[n] || reads_it || (at.writes & before[n].all()).any();
      if (how[n] == block_flow::axis || (reads_it && keeps_form(how[n])))
        after.put(at.under, at.writes);
      else if (at.kills || at.under != sass::no_guard)
        after.remove(at.under, at.writes & ~at.kept);
      after.forget(at.writes);
    }
    for (const std::uint32_t to : at.next)
      if (before[to].add(sass::on_way(code, after, n, to))) work.put(to);
  }
  std::vector<followed> all;
  if (std::find(follows.begin(), follows.end(), true) == follows.end()) return all;
  all.resize(count);
  for (const std::uint32_t n : code.order)
    if (follows[n]) all[n] = describe(code.nodes[n], code.instruction_at(n), needed.data_needed[n], needed.told[n]);
  return all;
}

}  // namespace bankwise::emulate
