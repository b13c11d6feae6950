// Machines by name.
#include "expr/machine_names.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

TEST(MachineNames, AreRowsOfTheTableOrBanksOfOnesOwn) {
  EXPECT_EQ(parse_machine("sm_90a")->name, "sm_90");
  EXPECT_EQ(parse_machine("10x4")->model.banks, 10);
  EXPECT_EQ(parse_machine("sm_35.8")->model.bank_bytes, 8);
  for (const char* name : {"", "sm_91", "0x4", "10x0", "10x", "x4", "129x4", "10x4x2", "hopper"})
    EXPECT_FALSE(parse_machine(name)) << name;
  EXPECT_TRUE(unsupported(*parse_machine("sm_20"), ldmatrix(4)));
  EXPECT_TRUE(unsupported(*parse_machine("sm_70"), cp_async(16)));
  EXPECT_FALSE(unsupported(*parse_machine("sm_80"), cp_async(16)));
}

TEST(MachineNames, ThatAreNotKnownAreAnsweredWithNeighbours) {
  const std::string hint = parse_machine("sm_91").error().hint;
  EXPECT_TRUE(hint.starts_with("the next that are known: sm_90 (Hopper), sm_100 (")) << hint;
  EXPECT_EQ(parse_machine("10x0").error().message, "'10x0' is not a machine of N banks of M bytes");
}

}  // namespace
}  // namespace bankwise
