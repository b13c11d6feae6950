// Tests the enums of modifiers: each enum has the same order as its table of words. Encodings without a modifier are
// unknown forms.
#include "sass/modifiers.hpp"

#include <gtest/gtest.h>

#include "sass/fields/fields.hpp"
#include "sass/instruction.hpp"
#include "sass/words.hpp"

namespace bankwise {
namespace {

using namespace sass;

// Returns the text that is printed for an enumerator.
template <class Modifier>
std::string_view text(std::string_view table, Modifier m, isa set = isa::hopper) {
  const auto entries = words(table, set);
  const auto n = static_cast<std::size_t>(m);
  return n < entries.size() ? entries[n] : "?";
}

TEST(Modifiers, OfIntegersHaveTheOrderOfTheirWords) {
  EXPECT_EQ(text("prmt", permute_mode::forward), ".F4E");
  EXPECT_EQ(text("prmt", permute_mode::backward), ".B4E");
  EXPECT_EQ(text("prmt", permute_mode::replicate_byte), ".RC8");
  EXPECT_EQ(text("prmt", permute_mode::clamp_left), ".ECL");
  EXPECT_EQ(text("prmt", permute_mode::clamp_right), ".ECR");
  EXPECT_EQ(text("prmt", permute_mode::replicate_half), ".RC16");
  EXPECT_EQ(text("icmp", integer_relation::less_equal), ".LE");
  EXPECT_EQ(text("icmp", integer_relation::greater), ".GT");
  EXPECT_EQ(text("icmp", integer_relation::not_equal), ".NE");
  EXPECT_EQ(text("icmp", integer_relation::always), ".T");
  EXPECT_EQ(text("shf_type", shift_type::s64), ".S64");
  EXPECT_EQ(text("shf_type", shift_type::u32), ".U32");
  EXPECT_EQ(text("viadd", sum_type::u16x2), ".16x2");
  EXPECT_EQ(text("viadd", sum_type::s32), ".S32");
  EXPECT_EQ(text("viadd_u8", sum_type::u8x4), ".U8x4");
  EXPECT_EQ(text("vimnmx_s32", extreme_type::s32), ".S32");
  EXPECT_EQ(text("vimnmx_s32", extreme_type::s16x2), ".S16x2");
  EXPECT_EQ(text("vimnmx", extreme_type::u8x4), ".U8x4");
  for (const narrow_integer n : {narrow_integer::u8, narrow_integer::s16, narrow_integer::u2, narrow_integer::s4})
    EXPECT_EQ(text("i2ip", n), (is_signed(n) ? ".S" : ".U") + std::to_string(bits_of(n)));
}

TEST(Modifiers, OfFloatsHaveTheOrderOfTheirWords) {
  EXPECT_EQ(text("rnd", rounding::down), ".RM");
  EXPECT_EQ(text("rnd", rounding::up), ".RP");
  EXPECT_EQ(text("rnd", rounding::toward_zero), ".RZ");
  EXPECT_EQ(text("f2i_rnd", rounding::down), ".FLOOR");
  EXPECT_EQ(text("fmul_scale", product_scale::eighth), ".D8");
  EXPECT_EQ(text("fmul_scale", product_scale::one), "");
  EXPECT_EQ(text("fmul_scale", product_scale::eight_times), ".M8");
  EXPECT_EQ(text("fcmp", float_relation::not_equal), ".NE");
  EXPECT_EQ(text("fcmp", float_relation::ordered), ".NUM");
  EXPECT_EQ(text("fcmp", float_relation::unordered_or_greater_equal), ".GEU");
  EXPECT_EQ(text("dcmp", double_minimum), ".MIN");
  EXPECT_EQ(text("dcmp", double_maximum), ".MAX");
  EXPECT_TRUE(holds_for(float_relation::less_equal, float_relation::equal));
  EXPECT_FALSE(holds_for(float_relation::not_equal, float_relation::unordered));
  EXPECT_EQ(text("mufu", math_function::sine), ".SIN");
  EXPECT_EQ(text("mufu", math_function::reciprocal_root_high), ".RSQ64H");
  EXPECT_EQ(text("mufu", math_function::hyperbolic_tangent), ".TANH");
  EXPECT_EQ(text("mufu_type", math_format::bf16), ".BF16");
  EXPECT_EQ(text("float", float_format::f64), ".F64");
  EXPECT_EQ(text("float", float_format::bf16), ".BF16");
}

TEST(Modifiers, OfLanesMemoryAndBarriersHaveTheOrderOfTheirWords) {
  EXPECT_EQ(text("vote", vote_kind::all_equal), ".EQ");
  EXPECT_EQ(text("shfl", shuffle_mode::down), ".DOWN");
  EXPECT_EQ(text("shfl", shuffle_mode::butterfly), ".BFLY");
  EXPECT_EQ(text("redux", lane_sum::sum), ".SUM");
  EXPECT_EQ(text("redux", lane_sum::maximum), ".MAX");
  EXPECT_EQ(text("atom_op", atomic_op::decrement), ".DEC");
  EXPECT_EQ(text("atom_op", atomic_op::exclusive), ".XOR");
  EXPECT_EQ(text("atom_op", atomic_op::safe_add), ".SAFEADD");
  EXPECT_EQ(text("atom_float", atomic_float::bf16x8), ".BF16x8.RN");
  EXPECT_EQ(text("atom_float", atomic_float::f32_ftz), ".F32.FTZ.RN");
  EXPECT_EQ(text("atom_float", atomic_float::f32), ".F32.RN");
  EXPECT_EQ(text("atom_float", atomic_float::f64), ".F64.RN");
  EXPECT_EQ(text("qspc", queried_space::shared_of_cluster), ".D");
  EXPECT_EQ(text("surface_clamp", beyond_surface::trap), ".TRAP");
  EXPECT_EQ(text("syncs", arrival::one), ".A1T0");
  EXPECT_EQ(text("syncs", arrival::fewer_transactions), ".A0TX");
  EXPECT_EQ(text("syncs", arrival::many), ".ART0");
  EXPECT_EQ(text("arrives", copies_count::transaction), ".TRANSCNT");
  EXPECT_EQ(text("bulk_type", bulk_number::f64), ".F64.RN");
  EXPECT_EQ(text("bulk_type", bulk_number::bf16), ".BF16.RN");
  EXPECT_EQ(text("hmma_in", product_number::tf32), ".TF32");
  EXPECT_EQ(text("bmma_op", bit_product::conjunction), ".AND");
}

bool is_known(std::uint64_t low, std::uint64_t high) {
  return !std::holds_alternative<unknown_form>(fields_of({low, high}));
}

// The encodings of ATOM.E.ADD with operation 10, and of ATOMG.E.ADD.F16x2 with operation 1, are unknown.
TEST(Modifiers, OfAtomicsThatDoNotExistAreUnknown) {
  EXPECT_TRUE(is_known(0x0000000206ff798a, 0x000000000810e5c8));
  EXPECT_FALSE(is_known(0x0000000206ff798a, 0x000000000810e5c8 | std::uint64_t{10} << 23));
  const std::uint64_t halves = 0x0000000206ff79a3, in_range = 0x000000000810e1c8;
  EXPECT_TRUE(is_known(halves, in_range));
  EXPECT_FALSE(is_known(halves, in_range | std::uint64_t{1} << 23));
}

// "tcgen05.ld" of sm_100 only has a name, not a row.
TEST(Modifiers, OfTensorMemoryHaveTheNameOfPtx) {
  EXPECT_EQ(ptx_name(0x9ee, isa::blackwell), "tcgen05.ld");
  EXPECT_EQ(ptx_name(0x9ee, isa::hopper), "");
  EXPECT_EQ(ptx_name(0x984, isa::blackwell), "");
  EXPECT_EQ(ptx_name(0x9a5, isa::hopper), "multimem.ld_reduce");
}

// LDS.64 R8, [R6] waits for scoreboards 0 and 2, stalls for 4 clocks, and releases scoreboard 1.
TEST(Modifiers, OfTheScheduleAreTheSameInEveryInstruction) {
  const instruction i{0, std::uint64_t{4} << 41 | std::uint64_t{1} << 46 | std::uint64_t{7} << 49 |
                             std::uint64_t{5} << 52 | std::uint64_t{1} << 59};
  const schedule s = i.schedule();
  EXPECT_EQ(s.stall, 4u);
  EXPECT_EQ(s.when_done, 1u);
  EXPECT_EQ(s.when_read, 7u);
  EXPECT_EQ(s.waits, 5u);
  EXPECT_TRUE(!s.reuses_a && s.reuses_b && !s.reuses_c);
}

}  // namespace
}  // namespace bankwise
