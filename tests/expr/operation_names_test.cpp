// Tests which names of operations are accepted, and how operations are printed.
#include "expr/names/operation_names.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace bankwise {
namespace {

TEST(OperationNames, AreReadAndSpelled) {
  // clang-format off
  for (const char* name : {"ld.b8", "ld.b16", "ld.b32", "ld.b64", "ld.b128", "st.b8", "st.b128", "ldmatrix.x1",
                           "ldmatrix.x4.trans", "stmatrix.x2", "stmatrix.x4.trans", "atom.add.b32", "atom.exch.b64",
                           "red.add.b32", "atom.cas.b32", "atom.cas.b64", "popc.inc.b32", "cp.async.ca.4", "cp.async.ca.16",
                           "cp.async.cg.16"}) {
    // clang-format on
    const auto op = parse_operation(name);
    ASSERT_TRUE(op) << name;
    EXPECT_EQ(op->spelling, name);
  }
  EXPECT_EQ(parse_operation("ld", 16)->spelling, "ld.b128");
  EXPECT_EQ(parse_operation("ld.shared.f32")->spelling, "ld.b32");
  EXPECT_EQ(parse_operation("atom.shared.add.u64")->op, atom(8));
  for (const char* name :
       {"", "ld.b24", "ld.b256", "ldmatrix", "ldmatrix.x3", "atom.add.b8", "cp.async.cg.8", "loud", "ld..b32"})
    EXPECT_FALSE(parse_operation(name)) << name;
}

// Matrices of 8-bit elements also have rows of 16 bytes. A matrix with .m16n16 has 16 such rows.
TEST(OperationNames, OfMatricesOfBytes) {
  EXPECT_EQ(parse_operation("ldmatrix.m16n16.x1")->op, ldmatrix(2));
  EXPECT_EQ(parse_operation("ldmatrix.m16n16.x2.trans.b8x16.b4x16_p64")->op, ldmatrix(4));
  EXPECT_EQ(parse_operation("ldmatrix.m8n16.x4.b8x16.b6x16_p32")->spelling, "ldmatrix.m8n16.x4");
  EXPECT_EQ(parse_operation("stmatrix.m16n8.x2")->spelling, "stmatrix.m16n8.x2.trans");
  for (const char* name : {"ldmatrix.m16n16.x4", "ldmatrix.m16n8.x1", "stmatrix.m16n16.x1", "ld.m8n8", "atom.m16n16"})
    EXPECT_FALSE(parse_operation(name)) << name;
}

// Accepts names from SASS, AMD, CUDA's functions and everyday use, in upper or lower case.
TEST(OperationNames, HaveOtherNamesElsewhere) {
  const std::pair<const char*, const char*> names[] = {{"load", "ld.b32"},
                                                       {"store", "st.b32"},
                                                       {"read", "ld.b32"},
                                                       {"write", "st.b32"},
                                                       {"LDS", "ld.b32"},
                                                       {"LDS.128", "ld.b128"},
                                                       {"lds.u.64", "ld.b64"},
                                                       {"STS.64", "st.b64"},
                                                       {"LDS.U8", "ld.b8"},
                                                       {"LDSM.16.MT88.4", "ldmatrix.x4.trans"},
                                                       {"LDSM.16.M88", "ldmatrix.x1"},
                                                       {"STSM.16.M88.2", "stmatrix.x2"},
                                                       {"ATOMS.ADD", "atom.add.b32"},
                                                       {"ATOMS.MAX.S32", "atom.max.b32"},
                                                       {"ATOMS.EXCH.64", "atom.exch.b64"},
                                                       {"ATOMS.CAST.SPIN.64", "atom.cas.spin.b64"},
                                                       {"ATOMS.POPC.INC.32", "popc.inc.b32"},
                                                       {"ATOMS.CAS", "atom.cas.b32"},
                                                       {"LDGSTS.E.BYPASS.128", "cp.async.cg.16"},
                                                       {"LDGSTS.E.64", "cp.async.ca.8"},
                                                       {"ld.v4", "ld.b128"},
                                                       {"ld.shared.v4.f32", "ld.b128"},
                                                       {"st.shared.v2.u32", "st.b64"},
                                                       {"ld.v2.f64", "ld.b128"},
                                                       {"atomicAdd", "atom.add.b32"},
                                                       {"atomicCAS", "atom.cas.b32"},
                                                       {"ds_read_b128", "ld.b128"},
                                                       {"ds_write_b64", "st.b64"},
                                                       {"DS_READ_U8", "ld.b8"},
                                                       {"ld.volatile.shared::cta.u32", "ld.b32"},
                                                       {"load.128", "ld.b128"},
                                                       {"Store", "st.b32"}};
  for (const auto& [name, spelling] : names) {
    const auto op = parse_operation(name);
    ASSERT_TRUE(op) << name << ": " << to_text(op.error());
    EXPECT_EQ(op->spelling, spelling) << name;
  }
  EXPECT_EQ(parse_operation("ld.v4", 2)->spelling, "ld.b64");  // four halves
  for (const char* name : {"ld.v4.f64", "atom.v2.add", "LDSM.16.MT88.8", "ds_read2_b32", "LDS.256"})
    EXPECT_FALSE(parse_operation(name)) << name;
}

// Parts of a name that may be omitted do not affect the banks.
TEST(OperationNames, OfOneOperationAreSpelledAlike) {
  for (const std::string& name : operation_names()) {
    const auto op = parse_operation(name);
    ASSERT_TRUE(op) << name;
    EXPECT_EQ(parse_operation(op->spelling)->op, op->op) << name;
    EXPECT_EQ(parse_operation(spell(op->op))->op, op->op) << name;
  }
  EXPECT_EQ(parse_operation("ldmatrix.sync.aligned.m8n8.x4.shared")->spelling, "ldmatrix.x4");
  EXPECT_EQ(parse_operation("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8")->spelling, "ldmatrix.m16n16.x2.trans");
  EXPECT_EQ(parse_operation("lxdmatrix.x4").error().hint.substr(0, 22), "did you mean ldmatrix?");
}

TEST(OperationNames, OfAsynchronousOperationsAreNoneOfLanes) {
  EXPECT_EQ(parse_async("cp.async.bulk"), async_kind::bulk_copy);
  EXPECT_EQ(spell(async_kind::bulk_copy), "cp.async.bulk");
  EXPECT_EQ(parse_async("ld.b32"), std::nullopt);
  EXPECT_EQ(parse_operation("wgmma").error().message,
            "'wgmma' is an asynchronous operation, whose cost does not depend on addresses");
}

}  // namespace
}  // namespace bankwise
