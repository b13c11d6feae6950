// Delays from arithmetic that a cheaper form could replace: doubles, divisions, and functions with full precision.
#include <algorithm>

#include "profile/delays/traced_launch.hpp"

namespace bankwise {

namespace {

using op = sass::opcode;

auto is_of_lanes(const traced_launch& l) {
  return [&l](std::uint32_t i) { return l.traits_at(i).unit == sass::unit::lanes; };
}

// Leaves a part of the executions of an instruction in every warp, so that all warps become faster by the same part.
timing::changed_instruction left_in_each_warp(std::uint32_t code, double part) {
  return left_out(code, part, timing::spread(code));
}

void find_double_arithmetic(traced_launch& l) {
  constexpr std::uint64_t single = 2, twice = 3;  // names of formats in a conversion
  const auto is_conversion = [&](std::uint32_t i) { return l.opcode_at(i) == op::F2F64; };
  const auto is_double = [&](std::uint32_t i) {
    const op o = l.opcode_at(i);
    return o == op::DADD || o == op::DMUL || o == op::DFMA || o == op::DSETP;
  };
  // A double takes twice as long as a float on the fastest GPUs, and longer on all others.
  const double as_float = std::min(0.5, 1 / std::max(1.0, l.gpu.fp64_interval));
  constexpr std::ptrdiff_t many = 16;  // a function such as pow consists of many more instructions than its doubles
  for (const std::vector<std::uint32_t>& codes : l.by_line(is_of_lanes(l))) {
    const auto converts = [&](std::uint64_t from, std::uint64_t to) {
      return std::any_of(codes.begin(), codes.end(), [&](std::uint32_t i) {
        return is_conversion(i) && l.code[i].bits(84, 3) == from && l.code[i].bits(75, 3) == to;
      });
    };
    if (!converts(single, twice) || !converts(twice, single)) continue;
    const bool is_function = std::count_if(codes.begin(), codes.end(), is_double) >= many;
    change_list out;
    for (const std::uint32_t i : codes)
      if (is_conversion(i) || is_double(i) || is_function)
        out.push_back(left_in_each_warp(i, is_conversion(i) ? 0 : as_float));
    l.try_changes(delay_kind::double_arithmetic, out[0].code, out);
  }
}

// ptxas divides integers by a variable with a rounded-up reciprocal (I2F.RP, MUFU.RCP, F2I), which it may compute before
// a loop, a product (IMAD.HI), and corrections that comparisons guard.
void find_integer_division(traced_launch& l) {
  const auto is_rounded_up = [&](std::uint32_t i) { return l.opcode_at(i) == op::I2F && l.code[i].bits(78, 2) == 2; };
  const auto is_reciprocal = [&](std::uint32_t i) { return l.opcode_at(i) == op::MUFU && l.code[i].bits(74, 4) == 4; };
  const auto is_back = [&](std::uint32_t i) { return l.opcode_at(i) == op::F2I; };
  const auto is_product = [&](std::uint32_t i) { return l.opcode_at(i) == op::IMAD_HI; };
  const auto is_step = [&](std::uint32_t i) {
    const bool is_guarded = l.code[i].guard() != sass::predicate_true;
    return is_rounded_up(i) || is_reciprocal(i) || is_back(i) || is_product(i) || l.opcode_at(i) == op::IABS ||
           l.opcode_at(i) == op::ISETP || (is_guarded && l.traits_at(i).unit == sass::unit::lanes);
  };
  for (const std::vector<std::uint32_t>& codes : l.by_line(is_step)) {
    const auto any = [&](auto is) { return std::any_of(codes.begin(), codes.end(), is); };
    if (!any(is_rounded_up) || !any(is_reciprocal) || !any(is_back) || !any(is_product)) continue;
    change_list out;
    for (const std::uint32_t i : codes) out.push_back(left_out(i));
    l.try_changes(delay_kind::integer_division, codes[0], out);
  }
}

// A function of floats with full precision, and how many instructions more it takes than its fast form. The first two
// are known by a constant that only they use.
struct precise_function {
  std::uint32_t constant;
  double steps;
};
constexpr precise_function precise_table[] = {
    {0x3f22f983, 16},  // sinf, cosf: 2 / pi, for the reduction of the argument; __sinf takes two instructions
    {0xc0cafb0d, 55},  // powf: the logarithm of the base, to more than 24 bits; __powf takes three
    {0xc0d55555, 10},  // logf
};
constexpr double steps_of_division = 7;  // FCHK and six corrections of the quotient; __fdividef takes two instructions

void find_precise_functions(traced_launch& l) {
  const auto steps_at = [&](std::uint32_t i) -> double {
    if (l.opcode_at(i) == op::FCHK) return steps_of_division;
    if (l.traits_at(i).unit != sass::unit::lanes || l.code[i].bits(9, 3) != 4) return 0;  // 4: the form with a constant
    const auto constant = static_cast<std::uint32_t>(l.code[i].bits(32, 32));
    for (const precise_function& f : precise_table)
      if (f.constant == constant) return f.steps;
    return 0;
  };
  for (const std::vector<std::uint32_t>& codes : l.by_line(is_of_lanes(l))) {
    double steps = 0, all = 0;
    for (const std::uint32_t i : codes) {
      const auto times = static_cast<double>(l.executed[i].times);
      steps += steps_at(i) * times;
      all += times;
    }
    if (steps == 0) continue;
    constexpr double least_left = 0.1;
    const double left = std::max(least_left, 1 - steps / all);
    change_list out;
    for (const std::uint32_t i : codes) out.push_back(left_in_each_warp(i, left));
    l.try_changes(delay_kind::precise_functions, codes[0], out);
  }
}

}  // namespace

void find_arithmetic_delays(traced_launch& l) {
  find_double_arithmetic(l);
  find_integer_division(l);
  find_precise_functions(l);
}

}  // namespace bankwise
