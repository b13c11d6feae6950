// Tests the control bits and pipes of encoded instructions.
#include "timing/instruction_cost.hpp"

#include <gtest/gtest.h>

namespace bankwise::timing {
namespace {

// Makes an instruction with the given bits 0 to 11 and the given control bits.
sass::instruction with(unsigned opcode, unsigned stall, unsigned stays, unsigned write, unsigned read, unsigned waits) {
  sass::instruction i;
  i.low = opcode | 7u << 12;
  i.high = std::uint64_t{stall} << 41 | std::uint64_t{stays} << 45 | std::uint64_t{write} << 46 |
           std::uint64_t{read} << 49 | std::uint64_t{waits} << 52;
  return i;
}

TEST(InstructionCost, ReadsControlBits) {
  const instruction_cost c = cost_of(with(0x984, 2, 0, 3, 7, 0b100101));
  EXPECT_EQ(c.op, sass::opcode::LDS);
  EXPECT_EQ(c.stall, 2);
  EXPECT_FALSE(c.may_stay);
  EXPECT_EQ(c.write_barrier, 3);
  EXPECT_EQ(c.read_barrier, no_barrier);
  EXPECT_EQ(c.wait_mask, 0b100101);
  EXPECT_EQ(c.pipe, pipe::memory);
  EXPECT_EQ(c.does, behaviour::memory);
}

TEST(InstructionCost, StallsAtLeastOneClock) { EXPECT_EQ(cost_of(with(0x223, 0, 1, 7, 7, 0)).stall, 1); }

TEST(InstructionCost, KnowsThePipes) {
  EXPECT_EQ(cost_of(with(0x223, 4, 1, 7, 7, 0)).pipe, pipe::fma) << "FFMA";
  EXPECT_EQ(cost_of(with(0x224, 4, 1, 7, 7, 0)).pipe, pipe::fma_heavy) << "IMAD";
  EXPECT_EQ(cost_of(with(0x210, 4, 1, 7, 7, 0)).pipe, pipe::alu) << "IADD3";
  EXPECT_EQ(cost_of(with(0x308, 4, 1, 7, 7, 0)).pipe, pipe::special) << "MUFU";
  EXPECT_EQ(cost_of(with(0xb1d, 5, 1, 7, 7, 0)).does, behaviour::barrier) << "BAR";
  EXPECT_EQ(cost_of(with(0x94d, 5, 1, 7, 7, 0)).does, behaviour::exit) << "EXIT";
}

TEST(InstructionCost, ListsTheRegistersThatItReads) {
  const auto ffma = [](unsigned a, unsigned b, unsigned c, unsigned keeps) {
    sass::instruction i = with(0x223, 4, 1, 7, 7, 0);
    i.low |= std::uint64_t{a} << 24 | std::uint64_t{b} << 32;
    i.high |= c | std::uint64_t{keeps} << 58;
    return cost_of(i);
  };
  using reads = std::array<std::uint8_t, 3>;
  EXPECT_EQ(ffma(2, 4, 6, 0).reads, (reads{2, 4, 6}));
  EXPECT_EQ(ffma(2, 2, 255, 0).reads, (reads{2, 255, 255})) << "one register is used twice, and RZ is not read";
  EXPECT_EQ(ffma(2, 4, 6, 5).keeps, 5);
  EXPECT_EQ(ffma(2, 2, 255, 7).keeps, 1) << "an instruction only keeps operands that it reads";
}

TEST(InstructionCost, KnowsTheScopeOfAFence) {
  sass::instruction i = with(0x992, 1, 1, 7, 7, 0);
  i.high |= std::uint64_t{3} << 12;
  EXPECT_EQ(cost_of(i).does, behaviour::fence);
  EXPECT_EQ(cost_of(i).number, 3) << "3 is the scope of the system";
}

// In code that ptxas makes of wgmma.wait_group 1, bit 72 is the only difference from wgmma.wait_group 0.
TEST(InstructionCost, KnowsHowManyGroupsOfProductsMayStayInFlight) {
  sass::instruction i;
  i.low = 0x00008000000079c5;
  i.high = 0x000fc40000010000;
  EXPECT_EQ(cost_of(i).does, behaviour::group_wait);
  EXPECT_EQ(cost_of(i).remaining, 0);
  i.high = 0x000fc40000010100;
  EXPECT_EQ(cost_of(i).remaining, 1);
}

// In an FFMA with a constant, the bank is in bits 54 to 58, and the offset in words is in bits 40 to 53.
TEST(InstructionCost, ConstantsComeInLinesOfTheirBank) {
  const auto line_of = [](unsigned bank, unsigned offset) {
    sass::instruction i = with(0xa23, 4, 1, 7, 7, 0);
    i.low |= std::uint64_t{offset / 4} << 40 | std::uint64_t{bank} << 54;
    const instruction_cost c = cost_of(i);
    EXPECT_TRUE(c.reads_constants);
    return c.constant_line;
  };
  EXPECT_EQ(line_of(0, 0x210), 8);  // parameters: 64 bytes
  EXPECT_EQ(line_of(0, 0x240), 9);
  EXPECT_EQ(line_of(3, 0x000), 3 * constant_lines);  // variables: 256 bytes
  EXPECT_EQ(line_of(3, 0x0fc), 3 * constant_lines);
  EXPECT_EQ(line_of(3, 0x100), 3 * constant_lines + 1);
}

TEST(InstructionCost, ReadsHowLongItSleeps) {
  sass::instruction i = with(0x95d, 1, 1, 7, 7, 0);
  i.low |= std::uint64_t{500} << 32;
  EXPECT_EQ(cost_of(i).sleeps, 500u);
  EXPECT_EQ(cost_of(i).does, behaviour::sleep);
  i.high |= std::uint64_t{1} << (84 - 64);  // NANOSLEEP.SYNCS: the number only limits a wait for an mbarrier
  EXPECT_EQ(cost_of(i).sleeps, 0u);
  EXPECT_EQ(cost_of(i).does, behaviour::sleep);
}

TEST(InstructionCost, TakesWhatItDoesNotKnow) { EXPECT_EQ(cost_of(with(0xfff, 3, 1, 7, 7, 0)).stall, 3); }

}  // namespace
}  // namespace bankwise::timing
