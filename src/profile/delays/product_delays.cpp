// Delays from products: sums in a second instruction, and products of matrices that tensor cores could compute.
#include <algorithm>
#include <map>
#include <set>
#include <variant>

#include "profile/delays/traced_launch.hpp"
#include "sass/operand/alu_operand.hpp"

namespace bankwise {

namespace {

using op = sass::opcode;

bool is_sum_of(op product, op sum) {
  return (product == op::FMUL && sum == op::FADD) || (product == op::DMUL && sum == op::DADD) ||
         (product == op::HMUL2 && sum == op::HADD2);
}

// Whether the registers of a set are read between two instructions before they are written. `is_open`: whether they
// still have their values at the end.
struct later_use {
  bool is_read = false, is_open = true;
};
later_use use_between(const traced_launch& l, std::uint32_t begin, std::uint32_t end, const sass::register_set& of) {
  for (std::uint32_t i = begin; i < end; ++i) {
    if (!l.is_executed(i)) continue;
    const sass::reads_and_writes& io = l.registers_of(i);
    if (sass::overlap(io.reads, of)) return {true, true};
    if (sass::overlap(io.writes, of) && l.code[i].guard() == sass::predicate_true) return {false, false};
  }
  return {};
}

// Whether one instruction could compute the sum of a product and another value. It has no |product|, and rounds,
// saturates and scales only the sum.
bool can_fuse(const traced_launch& l, std::uint32_t product, std::uint32_t sum) {
  constexpr std::uint64_t not_scaled = 4;  // the field of FMUL for a factor of 1
  const op o = l.opcode_at(product);
  const sass::instruction& p = l.code[product];
  const bool saturates = o != op::DMUL && p.bit(77), scales = o == op::FMUL && p.bits(84, 3) != not_scaled;
  const char letter = o == op::FMUL ? 'f' : o == op::DMUL ? 'd' : 'h';
  const auto reads = [&](const sass::alu_operand& one) {
    return one.kind == sass::operand_kind::vector && l.registers_of(product).writes.vector[one.number];
  };
  const sass::alu_operand a = sass::alu_operand_of(l.code[sum], 'a', letter),
                          b = sass::alu_operand_of(l.code[sum], o == op::DMUL ? 'c' : 'D', letter);
  return !saturates && !scales && reads(a) != reads(b) && !(reads(a) ? a : b).absolute;
}

// Returns the sum that is the only instruction that reads a product, in the same basic block. Returns the product if
// there is none.
std::uint32_t only_sum_of(const traced_launch& l, std::uint32_t product) {
  constexpr std::uint32_t farthest = 256;  // instructions
  const sass::register_set& result = l.registers_of(product).writes;
  const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(l.code.size(), product + farthest));
  for (std::uint32_t i = product + 1; i < end; ++i) {
    if (l.executed[i].times != l.executed[product].times || l.traits_at(i).flow != sass::flow::next) return product;
    const sass::reads_and_writes& io = l.registers_of(i);
    if (!sass::overlap(io.reads, result)) {
      if (sass::overlap(io.writes, result)) return product;
      continue;
    }
    if (!is_sum_of(l.opcode_at(product), l.opcode_at(i)) || !can_fuse(l, product, i)) return product;
    if (l.code[i].guard() != l.code[product].guard()) return product;
    if (sass::overlap(io.writes, result)) return i;
    // The product must not be read again, also not by the next round of a loop.
    const auto [first, last] = l.loop_around(product);
    const std::uint32_t until = first <= last ? last + 1 : end;
    later_use use = use_between(l, i + 1, until, result);
    if (!use.is_read && use.is_open && first <= last) use = use_between(l, first, product + 1, result);
    return use.is_read || use.is_open ? product : i;
  }
  return product;
}

void find_separate_sums(traced_launch& l) {
  if (!l.may_save("issue pipes latency")) return;
  change_list out;
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < l.code.size(); ++i) {
    const op o = l.opcode_at(i);
    if (!l.is_executed(i) || (o != op::FMUL && o != op::DMUL && o != op::HMUL2)) continue;
    const std::uint32_t sum = only_sum_of(l, i);
    if (sum == i) continue;
    if (out.empty() || l.executed[sum].times > l.executed[most].times) most = sum;
    out.push_back(left_out(sum));
  }
  if (!out.empty()) l.try_changes(delay_kind::separate_sums, most, out);
}

// Whether an instruction adds a product to a sum that stays in its registers, as c in `c += a * b`.
bool adds_to_itself(const traced_launch& l, std::uint32_t i) {
  const op o = l.opcode_at(i);
  if (o != op::FFMA && o != op::HFMA2 && o != op::HFMA2_MMA) return false;
  const sass::reads_and_writes& io = l.registers_of(i);
  return sass::overlap(io.writes, io.reads);
}

// A loop that adds products of 16-bit numbers from shared memory to many sums: each number is a factor of several
// products, as in a tile of a product of matrices.
void find_products_of_halves(traced_launch& l) {
  constexpr std::size_t least_sums = 16;   // of a thread, of which tensor cores would compute a tile
  constexpr std::uint64_t least_part = 4;  // one in 4 of the executed instructions
  std::set<std::pair<std::uint32_t, std::uint32_t>> loops;
  for (std::uint32_t i = 0; i < l.code.size(); ++i)
    if (l.is_executed(i) && adds_to_itself(l, i))
      if (const auto in = l.loop_around(i); in.first <= in.second) loops.insert(in);
  for (const auto& [first, last] : loops) {
    std::uint64_t times = 0;
    sass::register_set sums, factors;
    std::size_t products = 0;
    bool has_halves = false, loads_shared = false;
    std::uint32_t place = first;
    for (std::uint32_t i = first; i <= last; ++i) {
      if (!l.is_executed(i)) continue;
      const op o = l.opcode_at(i);
      const sass::opcode_traits& t = l.traits_at(i);
      loads_shared |= t.unit == sass::unit::memory && t.action == sass::action::load && t.space == sass::space::shared;
      // HADD2.F32 converts a half to a float.
      has_halves |= o == op::HADD2 && l.code[i].bits(78, 1) != 0;
      if (!adds_to_itself(l, i)) continue;
      has_halves |= o != op::FFMA;
      if (products == 0) place = i;
      ++products;
      times += l.executed[i].times;
      sass::join(sums, l.registers_of(i).writes);
      sass::join(factors, l.registers_of(i).reads);
    }
    sass::remove(factors, sums);
    const std::size_t all = sums.vector.count();
    // Each sum has at least as many products as rounds are unrolled, and each factor belongs to several sums.
    if (!has_halves || !loads_shared || all < least_sums || factors.vector.count() >= products ||
        times * least_part < l.instructions)
      continue;
    delay d = l.delay_at(delay_kind::products_of_halves, place);
    // A rule of thumb for the order of findings: the products take the part of the time that their instructions are.
    d.estimated_cycles = static_cast<std::uint64_t>(static_cast<double>(l.time.cycles) * static_cast<double>(times) /
                                                    static_cast<double>(l.instructions));
    l.found.push_back(std::move(d));
    return;
  }
}

// The instructions from which a factor of bytes comes.
struct byte_sources {
  std::set<std::uint32_t> loads;     // of single bytes
  std::set<std::uint32_t> extracts;  // that move bytes into the factor
};

// Follows a register backwards, through instructions that move bytes. Adds where its bytes come from.
void find_bytes(const traced_launch& l, std::uint16_t number, std::uint32_t before, byte_sources& to,
                unsigned steps = 0) {
  constexpr std::uint32_t farthest = 256;  // instructions
  constexpr unsigned most_steps = 6;
  const std::uint32_t end = before > farthest ? before - farthest : 0;
  for (std::uint32_t i = before; i-- > end && steps < most_steps;) {
    if (!l.is_executed(i) || !l.registers_of(i).writes.vector[number]) continue;
    const op o = l.opcode_at(i);
    if (o == op::PRMT || o == op::SGXT) {
      if (!to.extracts.insert(i).second) return;
      const auto& reads = l.registers_of(i).reads.vector;
      for (std::uint16_t r = 0; r < sass::register_zero; ++r)
        if (reads[r]) find_bytes(l, r, i, to, steps + 1);
      return;
    }
    const sass::fields f = sass::fields_of(l.code[i]);
    const auto* const m = std::get_if<sass::memory_access>(&f);
    if (m != nullptr && l.traits_at(i).action == sass::action::load && m->bytes == 1) to.loads.insert(i);
    return;
  }
}

// With four bytes in each load, a loop has fewer rounds. Returns the part of them that remains: a round adds this many
// products to each sum now, instead of four.
double rounds_left(const traced_launch& l, const std::map<std::uint32_t, double>& parts, std::uint32_t first,
                   std::uint32_t last) {
  constexpr double of_load = 4;
  double products = 0;
  sass::register_set sums;
  for (const auto& [at, part] : parts) {
    const op o = l.opcode_at(at);
    if (at < first || at > last || (o != op::IMAD && o != op::IDP)) continue;
    products += of_load * part;
    sass::join(sums, l.registers_of(at).writes);
  }
  return products == 0 ? 1 : std::min(1.0, products / of_load / static_cast<double>(sums.vector.count()));
}

// Products of bytes that are loaded one by one. __dp4a adds four products of bytes that are loaded as an int.
void find_products_of_bytes(traced_launch& l) {
  constexpr double of_four = 0.25, of_two = 0.5;
  std::map<std::uint32_t, double> parts;  // the part that remains of each instruction
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < l.code.size(); ++i) {
    const op o = l.opcode_at(i);
    if (!l.is_executed(i) || (o != op::IMAD && o != op::IDP)) continue;
    byte_sources from;
    unsigned factors = 0, of_bytes = 0;
    for (const sass::operand& one : sass::operands_of(l.code[i])) {
      if (one.file != sass::file::vector || one.is_result || ++factors > 2) continue;
      byte_sources own;
      find_bytes(l, one.first, i, own);
      if (own.loads.empty()) continue;
      ++of_bytes;
      from.loads.merge(own.loads);
      from.extracts.merge(own.extracts);
    }
    // A product that is not added to a sum has RZ as its third operand.
    if (of_bytes == 0 || (o == op::IMAD && (of_bytes < 2 || l.code[i].bits(64, 8) == sass::register_zero))) continue;
    if (parts.empty() || l.executed[i].times > l.executed[most].times) most = i;
    // IDP.2A adds two products, and IDP.4A four.
    const bool adds_two = o == op::IDP && l.code[i].bits(76, 1) != 0;
    parts[i] = o == op::IMAD ? of_four : adds_two ? of_two : 1;
    for (const std::uint32_t at : from.loads) parts[at] = of_four;
    for (const std::uint32_t at : from.extracts) parts[at] = 0;
  }
  if (parts.empty()) return;
  const auto [first, last] = l.loop_around(most);
  if (const double left = rounds_left(l, parts, first, last); left < 1)
    for (std::uint32_t i = first; i <= last; ++i)
      if (l.is_executed(i) && l.traits_at(i).unit == sass::unit::lanes) parts.try_emplace(i, left);
  if (first <= last) parts.try_emplace(first, 1);
  change_list out;
  for (const auto& [at, part] : parts) {
    const bool is_inside = at >= first && at <= last;
    if (part >= 1 && at != first) continue;
    out.push_back(left_out(at, part, is_inside ? 0 : timing::spread(at)));
    // Rounds are left out as a whole, so that a warp waits for their loads less often.
    if (is_inside) out.back().change.rounds_of = 1;
    if (at == first && is_inside) out.back().change.begins_round_of = 1;
  }
  l.try_changes(delay_kind::products_of_bytes, most, out);
}

}  // namespace

void find_product_delays(traced_launch& l) {
  find_separate_sums(l);
  find_products_of_halves(l);
  find_products_of_bytes(l);
}

}  // namespace bankwise
