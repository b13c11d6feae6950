// Tests the names of CUDA's types.
#include "expr/parse/type_names.hpp"

#include <gtest/gtest.h>

#include <utility>

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

TEST(TypeNames, AreThoseOfLibrariesToo) {
  const std::pair<const char*, std::uint32_t> names[] = {
      {"nv_bfloat16", 2},   {"bfloat16_t", 2}, {"half_t", 2},       {"cute::half_t", 2},       {"float64", 8},
      {"float8", 1},        {"fp8", 1},        {"int4", 16},        {"cuFloatComplex", 8},     {"const float", 4},
      {"unsigned  int", 4}, {"double2", 16},   {"jnp.bfloat16", 2}, {"std::complex<float>", 8}};
  for (const auto& [name, bytes] : names) EXPECT_EQ(type_bytes(name), bytes) << name;
  EXPECT_EQ(find_type("float3")->bytes, 12u);
  EXPECT_EQ(expr::piece_bytes(*find_type("float3")), 4u);
  EXPECT_EQ(find_type("double4")->bytes, 32u);
  EXPECT_EQ(expr::piece_bytes(*find_type("double4")), 16u);
  EXPECT_EQ(find_type("double3")->align, 8u);
  EXPECT_EQ(find_type("uchar4")->component, 1u);
  EXPECT_TRUE(is_float_type("__nv_bfloat16") && is_float_type("float4") && !is_float_type("int") &&
              !is_float_type("uint4"));
}

TEST(TypeNames, OfPackedElementsHaveBits) {
  for (const char* name :
       {"fp4", "e2m1", "cutlass::float_e2m1_t", "s4", "u4", "int4b_t", "cute::uint4_t", "f4E2M1FN"}) {
    EXPECT_EQ(packed_bits(name), 4u) << name;
    EXPECT_FALSE(find_type(name)) << name;
  }
  EXPECT_EQ(packed_bits("float_e3m2_t"), 6u);
  // These types of CUDA take whole bytes.
  for (const auto& [name, bytes] :
       {std::pair("int4", 16u), std::pair("__nv_fp4_e2m1", 1u), std::pair("__nv_fp4x4_e2m1", 2u)}) {
    EXPECT_EQ(packed_bits(name), 0u) << name;
    EXPECT_EQ(type_bytes(name), bytes) << name;
  }
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
