// CUDA's types by name.
#include "expr/type_names.hpp"

#include <gtest/gtest.h>

#include <set>

namespace bankwise {
namespace {

TEST(TypeNames, HaveTheBytesThatCudaGivesThem) {
  EXPECT_EQ(type_bytes("bool"), 1u);
  EXPECT_EQ(type_bytes("__nv_bfloat16"), 2u);
  EXPECT_EQ(type_bytes("half2"), 4u);
  EXPECT_EQ(type_bytes("unsigned long long"), 8u);
  EXPECT_EQ(type_bytes("long"), 8u);
  EXPECT_EQ(type_bytes("float4"), 16u);
  for (const char* name : {"", "Float", "float3", "float ", "double4"})
    EXPECT_EQ(type_bytes(name), std::nullopt) << name;
}

TEST(TypeNames, StandOnceEach) {
  const auto names = type_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const std::string& name : names) {
    const auto bytes = type_bytes(name);
    ASSERT_TRUE(bytes) << name;
    EXPECT_TRUE(*bytes <= 16 && (*bytes & (*bytes - 1)) == 0) << name;
  }
}

}  // namespace
}  // namespace bankwise
