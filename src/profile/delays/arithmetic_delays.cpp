// Delays from arithmetic that a cheaper form could replace: doubles, divisions, and functions with full precision.
#include <algorithm>
#include <iterator>
#include <utility>

#include "profile/delays/load_groups.hpp"
#include "sass/operand/alu_operand.hpp"
#include "sass/operand/branch.hpp"

namespace bankwise {

namespace {

using op = sass::opcode;

bool is_of_lanes(const traced_launch& l, std::uint32_t i) { return l.traits_at(i).unit == sass::unit::lanes; }

// Leaves a part of the executions of an instruction in every warp, so that all warps become faster by the same part.
timing::changed_instruction left_in_each_warp(std::uint32_t code, double part) {
  return left_out(code, part, timing::spread(code));
}

// Whether an instruction belongs to the branches and calls inside of a function: it does not jump back, as a loop does.
bool is_inner_jump(const traced_launch& l, std::uint32_t i) {
  const sass::opcode_traits& t = l.traits_at(i);
  if (t.unit != sass::unit::control || l.opcode_at(i) == op::EXIT) return false;
  return l.loop_around(i).second != i;
}

// What replaces the instructions of a line. Without its branches and calls, the loads around it can come together.
change_list straight_line(const traced_launch& l, const std::vector<std::uint32_t>& line, change_list changes) {
  bool has_jumps = false;
  for (const std::uint32_t i : line) {
    if (!is_inner_jump(l, i)) continue;
    changes.push_back(left_out(i));
    changes.back().change.skips_jumps = true;
    has_jumps = true;
  }
  if (!has_jumps) return changes;
  for (const timing::changed_instruction& c : loads_together_around(l, line[0])) changes.push_back(c);
  return changes;
}

// Whether doubles belong to a power whose exponent is a small whole number. pow adds its arguments to find NaNs.
bool is_whole_power(const traced_launch& l, const std::vector<std::uint32_t>& line, std::size_t doubles) {
  constexpr std::size_t of_pow = 64;  // doubles of pow; other functions have at most half as many
  const auto is_small = [&](std::uint32_t i) {
    const sass::alu_operand added = sass::alu_operand_of(l.code[i], 'c', 'd');
    if (l.opcode_at(i) != op::DADD || added.kind != sass::operand_kind::immediate) return false;
    const std::uint32_t high = sass::immediate_of(l.code[i]);
    constexpr std::uint32_t whole[] = {0x40000000, 0x40080000, 0x40100000, 0x40140000, 0x40180000};  // 2.0 to 6.0
    return std::find(std::begin(whole), std::end(whole), high) != std::end(whole);
  };
  return doubles >= of_pow && std::any_of(line.begin(), line.end(), is_small);
}

// A function of doubles has about as many instructions in its float form as it has instructions with doubles: pow 68
// and 83, exp 10 and 16, log 26 and 31, sqrt 12 and 8, tanh 19 and 32, atan 19 and 25 (nvcc 13.0 for sm_90).
void find_double_arithmetic(traced_launch& l) {
  constexpr std::uint64_t single = 2, twice = 3;  // names of formats in a conversion
  const auto is_conversion = [&](std::uint32_t i) { return l.opcode_at(i) == op::F2F64; };
  const auto is_double = [&](std::uint32_t i) {
    const op o = l.opcode_at(i);
    return o == op::DADD || o == op::DMUL || o == op::DFMA || o == op::DSETP;
  };
  // A double takes twice as long as a float on the fastest GPUs, and longer on all others.
  const double as_float = std::min(0.5, 1 / std::max(1.0, l.gpu.fp64_interval));
  constexpr std::size_t many = 8;  // doubles of a function
  constexpr std::uint8_t products = 3;
  for (const std::vector<std::uint32_t>& codes : l.by_line([](std::uint32_t) { return true; })) {
    const auto converts = [&](std::uint64_t from, std::uint64_t to) {
      return std::any_of(codes.begin(), codes.end(), [&](std::uint32_t i) {
        return is_conversion(i) && l.code[i].bits(84, 3) == from && l.code[i].bits(75, 3) == to;
      });
    };
    if (!converts(single, twice) || !converts(twice, single)) continue;
    const auto doubles = static_cast<std::size_t>(std::count_if(codes.begin(), codes.end(), is_double));
    const bool is_power = is_whole_power(l, codes, doubles);
    change_list out;
    for (const std::uint32_t i : codes) {
      const bool is_other = is_of_lanes(l, i) || l.traits_at(i).unit == sass::unit::uniform;
      if (is_conversion(i) || (is_power && is_double(i)) || (doubles >= many && !is_double(i) && is_other))
        out.push_back(left_out(i));
      else if (is_double(i))
        out.push_back(left_in_each_warp(i, as_float));
    }
    // Each power becomes two or three products after the conversion of its base.
    for (timing::changed_instruction& c : out)
      if (is_power && is_conversion(c.code) && l.code[c.code].bits(84, 3) == single) c.change.added = products;
    const std::uint32_t first = out[0].code;
    // Float functions also branch to slow paths. Products do not.
    l.try_changes(delay_kind::double_arithmetic, first, is_power ? straight_line(l, codes, out) : out);
  }
}

// How many instructions a quotient or a remainder of integers takes more than one by a constant (nvcc 13.0 for sm_90).
constexpr double signed_quotient = 12, unsigned_quotient = 8, signed_remainder = 7, unsigned_remainder = 6;

// ptxas divides integers by a variable with a rounded-up reciprocal (I2F.RP, MUFU.RCP, F2I), which it may compute before
// a loop, a product (IMAD.HI), and corrections that comparisons guard.
void find_integer_division(traced_launch& l) {
  const auto is_rounded_up = [&](std::uint32_t i) { return l.opcode_at(i) == op::I2F && l.code[i].bits(78, 2) == 2; };
  const auto is_reciprocal = [&](std::uint32_t i) { return l.opcode_at(i) == op::MUFU && l.code[i].bits(74, 4) == 4; };
  const auto is_back = [&](std::uint32_t i) { return l.opcode_at(i) == op::F2I; };
  const auto is_product = [&](std::uint32_t i) { return l.opcode_at(i) == op::IMAD_HI; };
  const auto is_sign = [&](std::uint32_t i) { return l.opcode_at(i) == op::IABS; };
  const auto is_step = [&](std::uint32_t i) {
    const bool is_guarded = l.code[i].guard() != sass::predicate_true;
    return is_rounded_up(i) || is_reciprocal(i) || is_back(i) || is_product(i) || is_sign(i) ||
           l.opcode_at(i) == op::ISETP || (is_guarded && is_of_lanes(l, i));
  };
  const auto corrects_quotient = [&](std::uint32_t i) {
    const op o = l.opcode_at(i);
    return (o == op::IADD3 || o == op::VIADD) && l.code[i].guard() != sass::predicate_true &&
           l.code[i].bits(9, 3) == 4 && sass::immediate_of(l.code[i]) == 1;  // 4: the form with a constant
  };
  // Signs and remainders take sums, moves and selections, which are not only for divisions.
  const auto may_be_step = [&](std::uint32_t i) {
    const op o = l.opcode_at(i);
    return o == op::IADD3 || o == op::VIADD || o == op::IMAD || o == op::LOP3 || o == op::SEL || o == op::MOV;
  };
  for (const std::vector<std::uint32_t>& codes :
       l.by_line([&](std::uint32_t i) { return is_step(i) || may_be_step(i); })) {
    const auto any = [&](auto is) { return std::any_of(codes.begin(), codes.end(), is); };
    if (!any(is_rounded_up) || !any(is_reciprocal) || !any(is_back) || !any(is_product)) continue;
    change_list out;
    double divisions = 0, reciprocals = 0, gone = 0, others = 0;
    for (const std::uint32_t i : codes) {
      const auto times = static_cast<double>(l.executed[i].times);
      divisions += is_product(i) ? times : 0;
      reciprocals += is_rounded_up(i) ? times : 0;
      (is_step(i) ? gone : others) += times;
      if (is_step(i)) out.push_back(left_out(i));
    }
    const std::uint32_t first = out[0].code;
    divisions = std::max(0.0, divisions - reciprocals);
    const double all = any(corrects_quotient) ? (any(is_sign) ? signed_quotient : unsigned_quotient)
                                              : (any(is_sign) ? signed_remainder : unsigned_remainder);
    const double left = std::clamp(1 - (all * divisions - gone) / std::max(1.0, others), 0.0, 1.0);
    for (const std::uint32_t i : codes)
      if (!is_step(i) && left < 1) out.push_back(left_in_each_warp(i, left));
    l.try_changes(delay_kind::integer_division, first, out);
  }
}

// A function of floats with full precision, and how many instructions more it takes than its fast form, without
// branches (nvcc 13.0 for sm_90). A constant that only the function uses tells which it is.
struct precise_function {
  std::uint32_t constant;
  double steps;
};
constexpr precise_function precise_table[] = {
    {0x3f22f983, 20},  // sinf, cosf: 2 / pi, for the reduction of the argument; __sinf takes two instructions
    {0xc0cafb0d, 55},  // powf: the logarithm of the base, to more than 24 bits; __powf takes three
    {0xc0d55555, 10},  // logf
};

// A division of floats: a reciprocal, five corrections, and a check (FCHK) that branches to a slow path.
struct float_division {
  std::uint32_t check = 0, reciprocal = 0;
  std::vector<std::uint32_t> corrections, slow_path;
  bool has_reciprocal = false;
};
float_division division_at(const traced_launch& l, std::uint32_t check) {
  constexpr std::uint32_t farthest = 32;  // instructions
  float_division d{.check = check};
  const std::uint32_t begin = std::max(l.section_begin(check), check > farthest ? check - farthest : 0);
  const auto divisor = static_cast<std::uint16_t>(l.code[check].bits(32, 8));
  for (std::uint32_t i = check; i-- > begin && !d.has_reciprocal;)
    if (l.is_executed(i) && l.opcode_at(i) == op::MUFU && l.registers_of(i).reads.vector[divisor])
      d.reciprocal = i, d.has_reciprocal = true;
  sass::register_set chain;
  if (d.has_reciprocal) chain.vector = l.registers_of(d.reciprocal).writes.vector;
  const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(l.code.size(), check + farthest));
  for (std::uint32_t i = d.has_reciprocal ? d.reciprocal + 1 : check; i < end; ++i) {
    if (l.traits_at(i).flow == sass::flow::ends && i > check) {
      const std::uint32_t first = l.section_begin(i);
      const auto at = std::uint64_t{i - first} * sass::instruction_bytes;
      const std::uint64_t target = first + sass::branch_target(l.code[i], at) / sass::instruction_bytes;
      for (std::uint32_t n = i + 1; n < std::min<std::uint64_t>(target, end); ++n)
        if (l.is_executed(n) && is_of_lanes(l, n)) d.slow_path.push_back(n);
      break;
    }
    if (!l.is_executed(i) || l.opcode_at(i) != op::FFMA || !sass::overlap(l.registers_of(i).reads, chain)) continue;
    sass::join(chain, l.registers_of(i).writes);
    d.corrections.push_back(i);
  }
  return d;
}

// Whether a value that an instruction reads stays the same, so that a compiler computes the result once: for all rounds
// of a loop, or since the same instruction before it.
bool is_known_before(const traced_launch& l, std::uint32_t i) {
  constexpr std::uint32_t farthest = 64;  // instructions
  const sass::register_set& reads = l.registers_of(i).reads;
  const auto writes_it = [&](std::uint32_t n) {
    return l.is_executed(n) && sass::overlap(l.registers_of(n).writes, reads);
  };
  const auto [first, last] = l.loop_around(i);
  bool changes = first > last;
  for (std::uint32_t n = first; n <= last && !changes; ++n) changes = writes_it(n);
  if (!changes) return true;
  const std::uint32_t begin = std::max(l.section_begin(i), i > farthest ? i - farthest : 0);
  for (std::uint32_t n = i; n-- > begin;) {
    if (writes_it(n)) return false;
    if (l.opcode_at(n) == l.opcode_at(i) && l.registers_of(n).reads == reads) return true;
  }
  return false;
}

// A division by a value that was a divisor before is a product with its reciprocal. Another one takes nearly as many
// instructions in its fast form, but no check and no branch.
change_list faster_divisions(const traced_launch& l, const std::vector<std::uint32_t>& line) {
  change_list out;
  for (const std::uint32_t check : line) {
    if (l.opcode_at(check) != op::FCHK) continue;
    const float_division d = division_at(l, check);
    const bool is_product = !d.has_reciprocal || is_known_before(l, d.reciprocal);
    out.push_back(left_out(check));
    for (const std::uint32_t i : d.slow_path) out.push_back(left_out(i));
    if (d.has_reciprocal && is_product) out.push_back(left_out(d.reciprocal));
    for (std::size_t n = 0; n < d.corrections.size(); ++n)
      if (is_product ? n + 1 < d.corrections.size() : n == 0) out.push_back(left_out(d.corrections[n]));
  }
  for (const std::uint32_t i : line)
    if (!out.empty() && l.is_in_called(i) && is_of_lanes(l, i)) out.push_back(left_out(i));
  return out;
}

change_list faster_functions(const traced_launch& l, const std::vector<std::uint32_t>& line) {
  const auto steps_at = [&](std::uint32_t i) -> double {
    if (!is_of_lanes(l, i) || l.code[i].bits(9, 3) != 4) return 0;  // 4: the form with a constant
    const auto constant = static_cast<std::uint32_t>(l.code[i].bits(32, 32));
    for (const precise_function& f : precise_table)
      if (f.constant == constant) return f.steps;
    return 0;
  };
  double steps = 0, all = 0;
  for (const std::uint32_t i : line) {
    const auto times = static_cast<double>(l.executed[i].times);
    steps += steps_at(i) * times;
    all += is_of_lanes(l, i) ? times : 0;
  }
  if (steps == 0) return {};
  constexpr double least_left = 0.1;
  const double left = std::max(least_left, 1 - steps / all);
  change_list out;
  for (const std::uint32_t i : line)
    if (is_of_lanes(l, i)) out.push_back(left_in_each_warp(i, left));
  return out;
}

void find_precise_functions(traced_launch& l) {
  for (const std::vector<std::uint32_t>& codes : l.by_line([](std::uint32_t) { return true; })) {
    const change_list functions = faster_functions(l, codes), divisions = faster_divisions(l, codes);
    const change_list& out = functions.empty() ? divisions : functions;
    if (out.empty()) continue;
    // With both, the code still branches for the other one.
    const bool has_one = functions.empty() || divisions.empty();
    l.try_changes(delay_kind::precise_functions, out[0].code, has_one ? straight_line(l, codes, out) : out);
  }
}

}  // namespace

void find_arithmetic_delays(traced_launch& l) {
  find_double_arithmetic(l);
  find_integer_division(l);
  find_precise_functions(l);
}

}  // namespace bankwise
