// Tests instructions that their rows in opcodes.def do not describe completely: instructions on fragments of matrices,
// and forms that are printed but not executed. The tests check the registers and the meaning of the encoding.
#include "sass/fields/fields.hpp"

#include <gtest/gtest.h>

#include "sass/operand/operands.hpp"
#include "sass/print/print.hpp"

namespace bankwise {
namespace {

using sass::file;
using sass::instruction;
using sass::isa;
using sass::role;

instruction of(isa set, std::uint64_t high, std::uint64_t low) { return {low, high, set}; }

instruction with(instruction i, unsigned bit) {
  (bit < 64 ? i.low : i.high) |= std::uint64_t{1} << bit % 64;
  return i;
}

bool is_known(const instruction& i) { return !std::holds_alternative<sass::unknown_form>(sass::fields_of(i)); }

// Returns the registers of an instruction, such as "w4+2 r8+4": role, first register, number of registers.
std::string registers(const instruction& i) {
  std::string s;
  for (const sass::operand& o : sass::operands_of(i)) {
    if (o.file != file::vector && o.file != file::uniform) continue;
    s += (s.empty() ? "" : " ") + std::string(o.role == role::write ? "w" : "r") + std::to_string(o.first) + "+" +
         std::to_string(o.count);
  }
  return s;
}

TEST(MatrixFields, ASparseOperandIsHalfAsLarge) {
  const instruction halves = of(isa::hopper, 0x000fe20000005a08, 0x000103040c08723c);
  EXPECT_EQ(sass::to_text(halves, 0), "HMMA.SP.16832.F32 R8, R12, R4, R8, R3, 0x1");
  EXPECT_EQ(registers(halves), "w8+4 r12+4 r4+4 r8+4 r3+1");
  const instruction bytes = of(isa::ampere, 0x008ff6000060550c, 0x0000120804047237);
  EXPECT_EQ(sass::to_text(bytes, 0), "IMMA.SP.16864.S8.S8 R4, R4.ROW, R8.COL, R12, R18, 0x0");
  EXPECT_EQ(registers(bytes), "w4+4 r4+4 r8+4 r12+4 r18+1");
}

// In m16n8k32 with halves, a row of A uses metadata from two of its four lanes. In m16n8k64 with bytes, a row of A uses
// metadata from all four lanes.
TEST(MatrixFields, ASelectorNamesLanesThatThereAre) {
  const instruction halves = of(isa::hopper, 0x000fe20000005a08, 0x000103040c08723c);
  EXPECT_TRUE(is_known(halves));
  EXPECT_FALSE(is_known(with(halves, 49)));
  const instruction bytes = of(isa::ampere, 0x008ff6000060550c, 0x0000120804047237);
  EXPECT_TRUE(is_known(bytes));
  EXPECT_FALSE(is_known(with(bytes, 48)));
}

TEST(MatrixFields, AStepOfVoltasShapeTakesTwoRegistersOfEach) {
  const instruction i = of(isa::turing, 0x000f620000001610, 0x0000000e0c087236);
  EXPECT_EQ(sass::to_text(i, 0), "HMMA.884.F32.F16.STEP0 R8, R12.COL, R14.COL, R16");
  EXPECT_EQ(registers(i), "w8+2 r12+2 r14+2 r16+2");
  const auto p = std::get<sass::quad_product>(sass::fields_of(i));
  EXPECT_TRUE(p.to_f32 && !p.from_f32 && p.a_by_columns && p.b_by_columns);
}

TEST(MatrixFields, FloatsOfFewerThanEightBitsHaveOneShape) {
  const instruction bytes = of(isa::rtx, 0x000fde0000002c04, 0x000000100804727a);
  EXPECT_EQ(sass::to_text(bytes, 0), "QMMA.16832.F32.E4M3.E4M3 R4, R8, R16, R4");
  EXPECT_EQ(registers(bytes), "w4+4 r8+4 r16+2 r4+4");
  EXPECT_TRUE(is_known(bytes));
  const instruction six = of(isa::rtx, 0x000fc00000044406, 0x000000080406727a);
  EXPECT_EQ(sass::to_text(six, 0), "QMMA.16816.F16.E3M2.E4M3 R6, R4, R8, R6");
  EXPECT_FALSE(is_known(six));
  const instruction four = of(isa::rtx, 0x000fde000028ec04, 0x000000100804727a);
  EXPECT_EQ(sass::to_text(four, 0), "QMMA.16832.F32.E2M1.E2M1 R4, R8, R16, R4");
  const auto p = std::get<sass::scaled_product>(sass::fields_of(four));
  EXPECT_TRUE(p.a_type == sass::small_float::e2m1 && p.b_type == sass::small_float::e2m1 && p.scales == 0);
  EXPECT_FALSE(is_known(with(four, 84)));  // type 7
}

TEST(MatrixFields, ScaledBlocksHaveTheirScalesInRegisters) {
  const instruction bytes = of(isa::rtx, 0x008fde000000800c, 0x611000060808747a);
  EXPECT_EQ(sass::to_text(bytes, 0), "QMMA.SF.16832.F32.E4M3.E5M2.E8 R8, R8, R6, R12, R0, R17, UR6");
  EXPECT_EQ(registers(bytes), "w8+4 r8+4 r6+2 r12+4 r0+1 r17+1 r6+1");
  const auto p = std::get<sass::scaled_product>(sass::fields_of(bytes));
  EXPECT_TRUE(p.a_type == sass::small_float::e4m3 && p.b_type == sass::small_float::e5m2);
  EXPECT_TRUE(p.scales == 1 && !p.ue4m3 && p.a_scales == 0 && p.b_scales == 17 && p.places == 6);
  const instruction nibbles = of(isa::rtx, 0x008fde0000043e0c, 0x711000060808747f);
  EXPECT_EQ(sass::to_text(nibbles, 0), "OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X R8, R8, R6, R12, R0, R17, URZ");
  const auto four = std::get<sass::scaled_product>(sass::fields_of(nibbles));
  EXPECT_TRUE(four.scales == 4 && four.ue4m3 && four.places == 255);
  EXPECT_FALSE(is_known(with(nibbles, 83)));
  EXPECT_EQ(sass::to_text(with(with(nibbles, 63), 72), 0),
            "OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X R8, -R8, -R6, R12, R0, R17, URZ");
}

// The register after the metadata contains the scales of A.
TEST(MatrixFields, SparseScaledBlocksTakeAPairOfRegisters) {
  const instruction bytes = of(isa::rtx, 0x008fde0000013e10, 0x7000060c0808747a);
  EXPECT_EQ(sass::to_text(bytes, 0), "QMMA.SF.SP.16864.F32.E4M3.E4M3.E8 R8, R8, R12, R16, R6, R0, URZ, 0x0");
  EXPECT_EQ(registers(bytes), "w8+4 r8+4 r12+4 r16+4 r6+2 r0+1");
  const auto p = std::get<sass::scaled_product>(sass::fields_of(bytes));
  EXPECT_TRUE(p.shape.sparse && p.metadata == 6 && p.a_scales == 7 && p.b_scales == 0 && p.selector == 0);
  EXPECT_FALSE(is_known(with(bytes, 48)));  // the registers only hold one set of metadata
}

TEST(MatrixFields, BytesMadeOfFourBitsTakeTwoRegisters) {
  const instruction i = of(isa::rtx, 0x000ee60000004800, 0x000000000e0e723a);
  EXPECT_EQ(sass::to_text(i, 0), "MOVM.U4TO8.M832 R14, R14");
  EXPECT_EQ(registers(i), "w14+2 r14+1");
  EXPECT_TRUE(is_known(i));
  EXPECT_FALSE(is_known(with(i, 79)));
}

TEST(MatrixFields, UniformFloatsAreExecutedInTheFormsThatAreKnown) {
  const instruction add = of(isa::rtx, 0x000fe20008012004, 0x00000000ff047254);
  EXPECT_EQ(sass::to_text(add, 0), "UFADD.FTZ.SAT UR4, URZ, UR4");
  EXPECT_EQ(registers(add), "w4+1 r4+1");
  EXPECT_TRUE(is_known(add));
  EXPECT_FALSE(is_known(with(add, 81)));  // UFHADD
  const instruction pack = of(isa::rtx, 0x000fc8000c2468ff, 0x00000005040472ba);
  EXPECT_EQ(registers(pack), "w4+1 r4+1 r5+1");
  EXPECT_TRUE(is_known(pack));
  EXPECT_FALSE(is_known(with(pack, 72)));
}

}  // namespace
}  // namespace bankwise
