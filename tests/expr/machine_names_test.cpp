// Tests the names of machines.
#include "expr/names/machine_names.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "bankwise/wavefronts.hpp"

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
  const named_operation bytes = *parse_operation("ldmatrix.m16n16.x1.trans.b8");
  EXPECT_EQ(unsupported(*parse_machine("sm_90"), bytes)->message,
            "sm_90 has no ldmatrix.m16n16.x1.trans, because matrices of 8-bit elements need sm_100");
  EXPECT_FALSE(unsupported(*parse_machine("sm_100"), bytes));
}

TEST(MachineNames, OfOtherMakers) {
  EXPECT_EQ(parse_machine("cdna3")->model.wide_loads, load_order::eights);
  EXPECT_EQ(parse_machine("rdna3")->model.banks, 32);
  EXPECT_FALSE(parse_machine("cdna"));
  EXPECT_TRUE(unsupported(*parse_machine("cdna3"), atom(4)));
  EXPECT_TRUE(unsupported(*parse_machine("rdna3"), ldmatrix(4)));
}

TEST(MachineNames, MayHavePhases) {
  const machine m = *parse_machine("32x4:32,16,8");
  EXPECT_EQ(m.model.phase_lanes[1], 16);
  EXPECT_EQ(m.name, "32x4:32,16,8");
  for (const char* name : {"32x4:", "32x4:32", "32x4:32,16", "32x4:32,16,8,4", "32x4:32,16,1", "32x4:32,16,12",
                           "32x4:64,16,8", "32x4:a,b,c", "sm_90:32,16,8", "32x:32,16,8"})
    EXPECT_FALSE(parse_machine(name)) << name;
}

// This machine has Hopper's banks and phases. However, its loads do not merge phases.
TEST(MachineNames, PhasesAreThoseOfTheRule) {
  bank_model hopper = maxwell_model();
  hopper.merges_loads = false;
  const bank_model own = parse_machine("32x4:32,16,8")->model;
  for (const u32 width : {4u, 8u, 16u})
    for (const u32 stride : {1u, 2u, 3u, 5u, 8u}) {
      const access a = make_access(st(width), [=](u32 t) { return t * stride * width; });
      EXPECT_EQ(wavefronts(a, own), wavefronts(a, hopper)) << width << ", " << stride;
    }
}

TEST(MachineNames, OfFlags) {
  flag_values flags;
  EXPECT_EQ(read_machine(flags)->name, "sm_90");
  flags.values["phases"] = {"32,16,8"};
  EXPECT_EQ(read_machine(flags).error().flag, "phases");
  flags.values["arch"] = {"10x4"};
  EXPECT_EQ(read_machine(flags)->name, "10x4:32,16,8");
  flags.values["phases"] = {"32,16"};
  EXPECT_EQ(read_machine(flags).error().flag, "phases");
  flags.values["arch"] = {"200x4"};
  EXPECT_EQ(read_machine(flags).error().flag, "arch");
}

TEST(MachineNames, ThatAreNotKnownAreAnsweredWithNeighbours) {
  const std::string hint = parse_machine("sm_91").error().hint;
  EXPECT_TRUE(hint.starts_with("the nearest known architectures are sm_90 (Hopper), sm_100 (")) << hint;
  EXPECT_EQ(parse_machine("10x0").error().message,
            "'10x0' does not describe a machine of the form NxM, with N banks of M bytes");
}

TEST(MachineNames, AreFoundByUsualNames) {
  const std::pair<const char*, const char*> names[] = {{"A100", "sm_80"},
                                                       {"NVIDIA A100-SXM4-80GB", "sm_80"},
                                                       {"RTX 4090", "sm_89"},
                                                       {"RTX 2050", "sm_86"},
                                                       {"RTX 4070 Laptop GPU", "sm_89"},
                                                       {"RTX A1000", "sm_86"},
                                                       {"T1200", "sm_75"},
                                                       {"RTX PRO 500", "sm_120"},
                                                       {"GeForce RTX 3060 Ti", "sm_86"},
                                                       {"T4", "sm_75"},
                                                       {"V100", "sm_70"},
                                                       {"H100", "sm_90"},
                                                       {"H200", "sm_90"},
                                                       {"B200", "sm_100"},
                                                       {"GB200", "sm_100"},
                                                       {"8.6", "sm_86"},
                                                       {"sm86", "sm_86"},
                                                       {"SM_90", "sm_90"},
                                                       {"compute_80", "sm_80"},
                                                       {"cc 7.5", "sm_75"},
                                                       {"10.0", "sm_100"},
                                                       {"GB10", "sm_121"},
                                                       {"RTX 5090", "sm_120"},
                                                       {"L4", "sm_89"},
                                                       {"L40S", "sm_89"},
                                                       {"Jetson Orin", "sm_87"},
                                                       {"hopper", "sm_90"},
                                                       {"Ampere", "sm_80"},
                                                       {"ada", "sm_89"},
                                                       {"MI300X", "cdna3"},
                                                       {"gfx942", "cdna3"},
                                                       {"gfx1100", "rdna3"},
                                                       {"RX 7900 XTX", "rdna3"},
                                                       {"gfx90a", "gfx90a"},
                                                       {"gfx1151", "gfx1151"},
                                                       {"gfx1201", "rdna4"},
                                                       {"RTX 6000 Ada", "sm_89"},
                                                       {"Titan RTX", "sm_75"},
                                                       {"10.7", "sm_107"},
                                                       {"sm_107", "sm_107"},
                                                       {"compute_107a", "sm_107"}};
  for (const auto& [name, arch] : names) {
    const auto on = find_machine(name);
    ASSERT_TRUE(on) << name << ": " << to_text(on.error());
    EXPECT_EQ(on->name, arch) << name;
  }
  // If the rule of a GPU is unknown, the answer is marked as assumed, or there is an error.
  for (const char* name : {"gfx90a", "gfx1151", "sm_107"})
    for (const rule_source& s : find_machine(name)->rules->by_group) EXPECT_LE(s.level, evidence::assumed) << name;
  for (const char* name : {"blackwell", "gfx1250", "rubin", "sm_91", "RTX 9090"})
    EXPECT_FALSE(find_machine(name)) << name;
  EXPECT_NE(find_machine("blackwell").error().hint.find("sm_100"), std::string::npos);
  EXPECT_NE(find_machine("sm_61.8").error().hint.find("Kepler"), std::string::npos);
  EXPECT_EQ(find_machine("MI300X")->wave_lanes, 64u);
  for (const char* name : {"gfx950", "MI350X", "AMD Instinct MI355X", "cdna4"}) {
    const auto m = find_machine(name);
    ASSERT_TRUE(m) << name;
    EXPECT_EQ(m->name, "cdna4") << name;
    EXPECT_EQ(m->wave_lanes, 64u);
    EXPECT_EQ(m->phase_lanes[0], 64u);
    EXPECT_TRUE(m->of_amd);
  }
  for (const char* name : {"RX 9070 XT", "AMD Radeon RX 9060 XT", "gfx1200", "rdna4"})
    EXPECT_EQ(find_machine(name)->name, "rdna4") << name;
}

TEST(MachineNames, MayServe64LanesTogether) {
  const machine m = *parse_machine("64x4:64,32,16");
  EXPECT_EQ(m.wave_lanes, 64u);
  EXPECT_EQ(m.phase_lanes[0], 64u);
  EXPECT_EQ(m.model.phase_lanes[0], 32);  // a wave of 64 lanes has two accesses of 32 lanes
  EXPECT_EQ(m.model.phase_lanes[2], 16);
}

}  // namespace
}  // namespace bankwise
