// Compares the table of abilities with other tables that depend on the architecture: the rulebooks, the opcodes, the
// multiprocessors and the probe. Also compares the table with the user's ptxas.
#include "bankwise/ability.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "bankwise/arch.hpp"
#include "base/system/toolkit.hpp"
#include "emulate/launch/launch.hpp"
#include "expr/names/operation_names.hpp"
#include "gpu/probe/meter.hpp"
#include "sass/opcode.hpp"

namespace bankwise {
namespace {

bool has_rule(const arch& a, rule_group g) {
  const rule_source& s = a.rules->by_group[static_cast<u32>(g)];
  return s.source != std::string_view(no_instruction);
}
bool has_rule(const arch& a, async_group g) {
  const rule_source& s = a.async_rules->by_group[static_cast<u32>(g)];
  return s.source != std::string_view(no_instruction);
}

TEST(Ability, StandsInOrder) {
  static_assert(sizeof(ability_table) / sizeof(ability_table[0]) == abilities);
  for (u32 i = 0; i < abilities; ++i) EXPECT_EQ(static_cast<u32>(ability_table[i].what), i) << ability_table[i].name;
}

TEST(Ability, NumbersOfNames) {
  static_assert(number_of("sm_90a") == 90 && number_of("sm_35.8") == 35 && number_of("sm_121") == 121);
  static_assert(number_of("10x4") == 0 && number_of("") == 0 && number_of("compute_90") == 0);
  static_assert(number_of("sm_90b") == 0 && number_of("sm_90a1") == 0 && number_of("sm_") == 0 &&
                number_of("sm_09") == 0);
  static_assert(parse_arch_name("sm_100f").features == 'f' && parse_arch_name("sm_90").features == '\0');
  static_assert(parse_arch_name("sm_35.8").bank_bytes == 8 && parse_arch_name("sm_35").bank_bytes == 0);
  static_assert(!can(number_of("sm_10"), ability::tensor_copy));
  static_assert(can(number_of("sm_110"), ability::tensor_copy));
  static_assert(!can(number_of("10x4"), ability::ldmatrix));
}

TEST(Ability, OfEveryMachineIsWhatItsRulebookKnows) {
  for (const arch& a : archs) {
    const u32 sm = number_of(a.name);
    ASSERT_NE(sm, 0u) << a.name;
    EXPECT_EQ(can(sm, ability::ldmatrix), has_rule(a, rule_group::ldmatrix)) << a.name;
    EXPECT_EQ(can(sm, ability::stmatrix), has_rule(a, rule_group::stmatrix)) << a.name;
    EXPECT_EQ(can(sm, ability::copy_async), has_rule(a, rule_group::copy_async)) << a.name;
    EXPECT_EQ(can(sm, ability::copy_async), has_rule(a, rule_group::copy_async_cg)) << a.name;
    EXPECT_EQ(can(sm, ability::wgmma) || can(sm, ability::tcgen05), has_rule(a, async_group::wgmma)) << a.name;
    EXPECT_EQ(can(sm, ability::bulk_copy), has_rule(a, async_group::copy)) << a.name;
    EXPECT_EQ(can(sm, ability::tensor_copy), has_rule(a, async_group::copy)) << a.name;
    EXPECT_EQ(can(sm, ability::barrier), has_rule(a, async_group::barrier)) << a.name;
    EXPECT_EQ(can(sm, ability::cluster), has_rule(a, async_group::cluster)) << a.name;
  }
}

// wgmma is the only ability whose opcode is missing in some instruction sets.
TEST(Ability, OpcodesOfWgmmaAreWhereWgmmaIs) {
  const sass::opcode_info& hgmma = sass::info_of(sass::opcode::HGMMA);
  for (const arch& a : archs) {
    const u32 sm = number_of(a.name);
    if (!emulate::can_execute(sm)) continue;
    const sass::isa set = sass::isa_of(sm);
    EXPECT_EQ(can(sm, ability::wgmma), hgmma.first <= set && set <= hgmma.last) << a.name;
  }
}

TEST(Ability, TheProbeAsksOnlyWhatThereIs) {
  for (const probe::probed_operation& p : probe::probed_operations()) {
    if (p.op.matrices == 0) continue;
    const bool of_bytes = parse_operation(p.name)->of_bytes;
    const ability what = of_bytes                         ? ability::byte_matrix
                         : p.op.kind == op_kind::ldmatrix ? ability::ldmatrix
                                                          : ability::stmatrix;
    EXPECT_EQ(p.first_sm, row_of(what).first) << p.name;
  }
  for (const arch& a : archs) {
    const u32 sm = number_of(a.name);
    if (sm < 50) continue;  // no current driver supports GPUs before sm_50
    for (const probe::probed_operation& p : probe::probed_operations())
      EXPECT_EQ(probe::is_probed_on(p, sm), p.first_sm <= sm) << a.name << " " << p.name;
  }
}

// For each ability, an instruction that ptxas accepts or refuses.
constexpr std::string_view shared =
    ".reg .b32 a, b, p; .reg .u64 g; .shared .align 128 .b8 s[1024];\n"
    "mov.u32 p, s; mov.u32 a, 0; mov.u64 g, 0;\n";
struct sample {
  ability what;
  std::string_view ptx;
};
constexpr sample samples[] = {
    {ability::ldmatrix, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {a}, [p];"},
    {ability::copy_async, "cp.async.ca.shared.global [p], [g], 16;"},
    {ability::barrier, "mbarrier.init.shared.b64 [p], 1;"},
    {ability::redux, "redux.sync.add.s32 a, a, 0xffffffff;"},
    {ability::stmatrix, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [p], {a};"},
    {ability::cluster, "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"},
    {ability::bulk_copy, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [p], [g], 16, [p];"},
    {ability::tensor_copy,
     "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [p], [g, {a}], [p];"},
    {ability::wgmma, "wgmma.fence.sync.aligned;"},
    {ability::byte_matrix, "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {a, b}, [p];"},
    {ability::tcgen05, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [p], 32;"},
    {ability::redux_float, "{ .reg .f32 f; mov.f32 f, 0f3f800000; redux.sync.max.f32 f, f, 0xffffffff; }"},
};

// Returns whether ptxas compiles the instruction for this target.
bool assembles(const std::string& ptxas, std::string_view instruction, const std::string& target) {
  const std::string file = ::testing::TempDir() + "bankwise_ability.ptx";
  std::ofstream(file) << ".version 9.0\n.target " << target << "\n.address_size 64\n.visible .entry k() {\n"
                      << shared << instruction << "\nret; }\n";
  const auto status = run_and_hear({ptxas, "-arch=" + target, file, "-o", "/dev/null"}, file + ".heard");
  std::filesystem::remove(file);
  std::filesystem::remove(file + ".heard");
  return status && *status == 0;
}

TEST(Ability, IsWhatPtxasAssembles) {
  const char* ptxas = std::getenv("PTXAS");
  if (ptxas == nullptr || !assembles(ptxas, "", "sm_121"))
    GTEST_SKIP() << "there is no ptxas of CUDA 13 on this machine";
  static_assert(sizeof(samples) / sizeof(samples[0]) == abilities);
  for (const arch& a : archs) {
    const u32 sm = number_of(a.name);
    if (!emulate::can_execute(sm)) continue;
    for (const sample& s : samples) {
      const bool plain = assembles(ptxas, s.ptx, a.name);
      EXPECT_EQ(plain, can(sm, s.what) && !row_of(s.what).accelerated) << a.name << " " << row_of(s.what).name;
      if (row_of(s.what).accelerated && sm >= 90) {
        EXPECT_EQ(assembles(ptxas, s.ptx, std::string(a.name) + "a"), can(sm, s.what))
            << a.name << "a " << row_of(s.what).name;
      }
    }
  }
}

}  // namespace
}  // namespace bankwise
