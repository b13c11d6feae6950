// Tests which instructions are issued equally often. issue_counts_test compares these results with the emulator's
// counts.
#include "sass/flow/basic_blocks.hpp"
#include "sass/operand/branch.hpp"

#include <gtest/gtest.h>

#include "sass/print/print.hpp"
#include "support/machine_code.hpp"

namespace bankwise {
namespace {

using sass::straight_code;
using test::guard;
using test::machine_code;

straight_code split(const machine_code& code, std::uint64_t address = 0) {
  return sass::basic_blocks(bytes_of(code.bytes), sass::isa::hopper, address);
}
using numbers = std::vector<std::uint32_t>;

TEST(MachineCode, IsWhatItSays) {
  const machine_code code =
      machine_code{}.branch(0x40, guard::p0).reconverge_at(0x40).call(0).lds(guard::never).exit(guard::not_p0);
  const char* const want[] = {"@P0 BRA 0x40", "BSSY B0, 0x40", "CALL.REL.NOINC 0x0", "@!PT LDS", "@!P0 EXIT"};
  for (std::size_t n = 0; n < std::size(want); ++n) {
    const std::string text =
        sass::to_text(sass::load_instruction(bytes_of(code.bytes).data() + 16 * n, sass::isa::hopper), 16 * n);
    EXPECT_TRUE(text.starts_with(std::string(want[n]).substr(0, 8))) << text;
  }
  EXPECT_EQ(sass::branch_target(sass::load_instruction(bytes_of(code.bytes).data()), 0), 0x40u);
  EXPECT_EQ(sass::branch_target(sass::load_instruction(bytes_of(code.bytes).data() + 16), 16), 0x40u);
  EXPECT_EQ(sass::branch_target(sass::load_instruction(bytes_of(code.bytes).data() + 32), 32), 0u);
}

TEST(BasicBlocks, EndWhereLanesGoElsewhere) {
  //                                      0                      1     2        3     4     5
  const straight_code s = split(machine_code{}.branch(0x50, guard::p0).lds().exit(guard::p0).lds().sts().exit());
  EXPECT_EQ(s.block, (numbers{0, 1, 1, 3, 3, 5}));
  EXPECT_EQ(s.strand, s.block);
  EXPECT_EQ(s.is_target, (std::vector<bool>{false, false, false, false, false, true}));
}

TEST(BasicBlocks, BeginWhereABranchGoes) {
  EXPECT_EQ(split(machine_code{}.nop().lds().branch(0x10, guard::p0).exit()).block, (numbers{0, 1, 1, 3}));
  // The jump leads to a different function.
  EXPECT_EQ(split(machine_code{}.nop().branch(0x1000, guard::p0).exit()).block, (numbers{0, 0, 2}));
}

TEST(BasicBlocks, FallIntoStrandsWhereLanesMeet) {
  const straight_code s = split(machine_code{}.reconverge_at(0x30).lds().bsync().sts().barrier().lds().exit());
  EXPECT_EQ(s.block, (numbers{0, 0, 0, 3, 3, 3, 3}));
  EXPECT_EQ(s.strand, (numbers{0, 0, 0, 3, 3, 5, 5}));
}

TEST(BasicBlocks, BeginWhereACallReturns) {
  // The number 0x20 is only an address if the code contains a return.
  EXPECT_EQ(split(machine_code{}.mov(0x20).nop().lds().exit()).block, (numbers{0, 0, 0, 0}));
  EXPECT_EQ(split(machine_code{}.mov(0x40).call(0x60).nop().nop().lds().exit().op(0x950)).block,
            (numbers{0, 0, 2, 2, 4, 4, 6}));
  EXPECT_EQ(split(machine_code{}.mov(0x5030).call(0x1000).nop().lds().exit(), 0x7a0000005000).block,
            (numbers{0, 0, 2, 3, 3}));
}

TEST(BasicBlocks, AreSingleInstructionsWhereAnyCouldBeATarget) {
  const numbers each{0, 1, 2};
  EXPECT_EQ(split(machine_code{}.lds().sts().op(0x949)).block, each);   // BRX
  EXPECT_EQ(split(machine_code{}.lds().sts().op(0x001)).strand, each);  // nothing known
  EXPECT_TRUE(split({}).block.empty());
  machine_code cut = machine_code{}.lds().sts();
  cut.bytes.resize(20);
  EXPECT_EQ(split(cut).block, (numbers{0}));
}

}  // namespace
}  // namespace bankwise
