// Tests the modifiers of each family of opcodes as typed values.
#include "sass/fields/fields.hpp"

#include <gtest/gtest.h>

#include "sass/fields/shared_operation.hpp"
#include "sass/print/print.hpp"

namespace bankwise {
namespace {

sass::fields fields_of(const std::string& text, std::uint64_t low, std::uint64_t high) {
  const sass::instruction i{low, high, sass::isa::hopper};
  EXPECT_EQ(sass::to_text(i, 0), text);
  return sass::fields_of(i);
}
template <class T>
T as(const sass::fields& f) {
  EXPECT_TRUE(std::holds_alternative<T>(f));
  return std::get<T>(f);
}

// ptxas makes these instructions of wgmma.wait_group 2 and 0.
TEST(Fields, OfWaitsForProducts) {
  const auto two =
      as<sass::group_meeting>(fields_of("WARPGROUP.DEPBAR.LE gsb0, 0x2", 0x00008000000079c5, 0x000fe40000010200));
  EXPECT_EQ(two.step, sass::group_step::wait_for_products);
  EXPECT_EQ(two.pending, 2u);
  const auto none =
      as<sass::group_meeting>(fields_of("WARPGROUP.DEPBAR.LE gsb0, 0x0", 0x00008000000079c5, 0x000fe40000010000));
  EXPECT_EQ(none.pending, 0u);
}

TEST(Fields, OfLoadsAndStores) {
  const auto load = as<sass::memory_access>(fields_of("@!P0 LDS.64 R8, [R6]", 0x0000000006088984, 0x0000000000000a00));
  EXPECT_EQ(load.bytes, 8);
  EXPECT_EQ(load.address.base, 6);
  EXPECT_EQ(load.result, 8);
  const auto store =
      as<sass::memory_access>(fields_of("STG.E.64 desc[UR4][R4.64], R6", 0x0000000604007986, 0x000000000c101b04));
  EXPECT_TRUE(store.address.wide && store.address.has_descriptor && !store.address.adds_uniform);
  EXPECT_EQ(store.data, 6);
  const auto copy = as<sass::copy_access>(
      fields_of("LDGSTS.E.BYPASS.128.ZFILL [R11], desc[UR6][R8.64+0x400], P0", 0x00000400080b7fae, 0x0000000008141c46));
  EXPECT_EQ(copy.target.base, 11);
  EXPECT_EQ(copy.source.offset, 0x400);
  EXPECT_TRUE(copy.fills && copy.may_skip && !copy.through_l1);
  const auto rows =
      as<sass::matrix_access>(fields_of("LDSM.16.MT88.4 R8, [R8]", 0x000000000808783b, 0x0000000000004200));
  EXPECT_EQ(rows.matrices, 4);
  EXPECT_EQ(rows.shape, sass::matrix_shape::m8n8_trans);
  const auto bytes =
      as<sass::matrix_access>(fields_of("LDSM.8.MT1616.2 R4, [R0]", 0x000000000004783b, 0x0000000000013900));
  EXPECT_EQ(bytes.matrices, 4);  // two matrices with 16 rows each
  EXPECT_EQ(bytes.shape, sass::matrix_shape::m16n16_trans);
  EXPECT_EQ(bytes.element_bits, 8);
}

TEST(Fields, OfAtomics) {
  const auto swap =
      as<sass::memory_access>(fields_of("ATOMS.CAST.SPIN R3, [R9], R2, R3", 0x000000020903738d, 0x0000000001800003));
  EXPECT_TRUE(swap.is_swap && swap.spins);
  EXPECT_EQ(swap.data, 2);
  EXPECT_EQ(swap.swap, 3);
  const auto add = as<sass::memory_access>(
      fields_of("ATOM.E.ADD.64.STRONG.GPU P0, RZ, desc[UR8][R6.64], R2", 0x0000000206ff798a, 0x000000000810e5c8));
  EXPECT_EQ(add.bytes, 8);
  EXPECT_TRUE(add.strong && !add.reduces);
}

TEST(Fields, OfIntegersAndFloats) {
  const auto compare = as<sass::integer_comparison>(
      fields_of("ISETP.GE.AND.EX P0, PT, R4, R7, PT, P0", 0x000000070400720c, 0x0000000003f06300));
  EXPECT_EQ(compare.relation, sass::integer_relation::greater_equal);
  EXPECT_TRUE(compare.extended && compare.is_signed && !compare.wide);
  const auto shift =
      as<sass::funnel_shift>(fields_of("SHF.L.U32 R16, R0, 0x2, RZ", 0x0000000200107819, 0x00000000000006ff));
  EXPECT_TRUE(!shift.right && !shift.wide() && !shift.is_signed() && !shift.high);
  const auto sum =
      as<sass::scaled_add>(fields_of("LEA.HI.X.SX32 R8, R5, R8, 0x1, P0", 0x0000000805087211, 0x00000000000f0eff));
  EXPECT_EQ(sum.shift, 1);
  EXPECT_TRUE(sum.high && sum.extended && sum.sign_extends);
  const auto integer = as<sass::to_integer>(fields_of("F2I.S64 R4, R4", 0x0000000400047311, 0x0000000000201900));
  EXPECT_EQ(integer.bits, 64);
  EXPECT_TRUE(integer.is_signed);
}

TEST(Fields, OfMatrices) {
  const auto p =
      as<sass::matrix_product>(fields_of("DMMA.16x8x8 R8, R8, R4, R16", 0x000000040808723f, 0x0000000000002010));
  EXPECT_EQ(p.shape.rows, 16u);
  EXPECT_EQ(p.shape.k, 8u);
  EXPECT_EQ(p.shape.a_registers(), 8u);
  EXPECT_EQ(p.c, 16);
  const auto g = as<sass::group_product>(
      fields_of("HGMMA.64x16x8.F32.TF32 R24, R32, gdesc[UR4], R24, gsb0", 0x0420000420187df0, 0x0000000008002818));
  EXPECT_EQ(g.columns, 16);
  EXPECT_TRUE(!g.a_in_shared && g.to_f32);
}

// LDS with size 7 is a form of a known opcode that no handler can execute.
TEST(Fields, OfAnUnknownFormSaySo) {
  EXPECT_TRUE(std::holds_alternative<sass::unknown_form>(sass::fields_of({0x0000000006088984, 0x0000000000000e00})));
}

// HADD2 of sm_75 with a float operand is printed with .F32. The instruction for halves treats this encoding as an
// unknown form.
TEST(Fields, OfHalvesThatAreFloatsAreUnknown) {
  const sass::instruction i{0xa00000ff39397230, 0x000fe20000000400, sass::isa::turing};
  EXPECT_EQ(sass::to_text(i, 0), "HADD2 R57, R57.F32, -RZ.H0_H0");
  EXPECT_TRUE(std::holds_alternative<sass::unknown_form>(sass::fields_of(i)));
}

TEST(SharedOperations, AreTheRulesOwn) {
  const auto of = [](std::uint64_t low, std::uint64_t high) { return sass::shared_operation_of({low, high}); };
  EXPECT_EQ(of(0x0000000006088984, 0x0000000000000a00), ld(8));           // @!P0 LDS.64 R8, [R6]
  EXPECT_EQ(of(0x000000040c007388, 0x0000000000000c00), st(16));          // STS.128 [R12], R4
  EXPECT_EQ(of(0x0000000607ff738c, 0x0000000000000000), red(4));          // ATOMS.ADD RZ, [R7], R6
  EXPECT_EQ(of(0x000000040b06738d, 0x0000000000000406), cas(8));          // ATOMS.CAS.64 R6, [R11], R4, R6
  EXPECT_EQ(of(0x00000000ffff7f8c, 0x000000000d800004), popc_inc());      // ATOMS.POPC.INC.32 RZ, [UR4]
  EXPECT_EQ(of(0x000000020903738d, 0x0000000001800003), cas_spin(4));     // ATOMS.CAST.SPIN R3, [R9], R2, R3
  EXPECT_EQ(of(0x000000000808783b, 0x0000000000004200), ldmatrix(4));     // LDSM.16.MT88.4 R8, [R8]
  EXPECT_EQ(of(0x000000000004783b, 0x0000000000013800), ldmatrix(2));     // LDSM.8.MT1616 R4, [R0]
  EXPECT_EQ(of(0x0000000008087980, 0x0000000000100d00), ld(16));          // LD.E.128 R8, [R8]
  EXPECT_EQ(of(0x0000000402087980, 0x000000000c101d00), ld_generic(16));  // LD.E.128 R8, desc[UR4][R2.64]
  EXPECT_EQ(of(0x00000400080b7fae, 0x0000000008141c46),
            cp_async_cg());  // LDGSTS.E.BYPASS.128.ZFILL [R11], desc[UR6][R8.64+0x400], P0
  EXPECT_FALSE(valid(of(0x0024002402067981, 0x000000000c1e1900)));  // LDG.E
}

}  // namespace
}  // namespace bankwise
