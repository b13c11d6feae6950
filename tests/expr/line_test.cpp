// Tests which accesses to shared memory the lines of a kernel make.
#include "expr/parse/line.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "expr/parse/declaration.hpp"

namespace bankwise::expr {
namespace {

scope names_of(std::initializer_list<const char*> declarations) {
  scope s;
  for (const char* text : declarations) EXPECT_TRUE(declare(text, s)) << text;
  return s;
}

// Returns the accesses as a text like "ld@4:4 st@128:16": operation, byte address in lane 1, and width.
std::string accesses(const std::string& text, const scope& names) {
  const auto l = parse_line(text, names);
  if (!l) return "error: " + l.error().message;
  std::string all;
  for (const line_access& a : l->accesses) {
    const auto v = a.address.evaluate(1);
    if (!v) return "error: " + v.error().message;
    all += (all.empty() ? "" : " ") + (a.op.empty() ? "it" : a.op) + "@" + std::to_string(v->number) + ":" +
           std::to_string(v->element_bytes) + (v->pieces > 1 ? "x" + std::to_string(v->pieces) : "");
  }
  return l->number ? "number " + std::to_string(l->number->evaluate(1)->number) : all;
}

TEST(Line, OfAKernelIsUnderstood) {
  const scope s =
      names_of({"__shared__ __align__(16) float s[64], r[32][32];", "struct P { float x, y; char c[4]; } p[8];"});
  const std::pair<const char*, const char*> lines[] = {
      {"s[t]", "it@4:4"},
      {"float v = s[t];", "ld@4:4"},
      {"s[t] = v;", "st@4:4"},
      {"s[t] = 2.5f * v + g[i + t * n];  // comment", "st@4:4"},
      {"s[t] += v;", "ld@4:4 st@4:4"},
      {"s[t] <<= 1", "ld@4:4 st@4:4"},
      {"s[t]++;", "ld@4:4 st@4:4"},
      {"s[t] = s[t + 1];", "ld@8:4 st@4:4"},
      {"sum += s[t] * r[t][0];", "ld@4:4 ld@384:4"},
      {"out[i] = fmaf(s[t], x, __shfl_down_sync(~0u, v, 4));", "ld@4:4"},
      {"const float4 v = *reinterpret_cast<const float4*>(&s[t * 4]);", "ld@16:16"},
      {"reinterpret_cast<float4*>(s)[t] = make_float4(a, b, c, d);", "st@16:16"},
      {"((float2*)s)[t] = v;", "st@8:8"},
      {"*(float4*)(s + 4 * t) = v;", "st@16:16"},
      {"*((int4*)&s[t * 4]) = *((int4*)&g[i]);", "st@16:16"},
      {"FLOAT4(s[t * 4]) = FLOAT4(g[i]);", "st@16:16"},
      {"v = FETCH_FLOAT2(s[2 * t]).y;", "ld@12:4"},
      {"float y = p[t].y;", "ld@4368:4"},
      {"p[t].c[2] = 0;", "st@4374:1"},
      {"(&p[t])->x = 1.f;", "st@4364:4"},
      {"float4 v = {s[t], s[t + 1], s[t + 2], 0.f};", "ld@4:4 ld@8:4 ld@12:4"},
      {"atomicAdd(&s[t], 1.0f);", "atom.add@4:4"},
      {"int old = atomicMax((int*)&s[t], v);", "atom.max@4:4"},
      {"__pipeline_memcpy_async(&s[4 * t], &g[i], sizeof(float4));", "cp.async.cg.16@16:16"},
      {"std::min(s[t], v)", "ld@4:4"},
      {"if (tx < 16) s[tx] = 0;", "st@4:4"},
      {"t * 128", "number 128"},
      {"&s[t] + 4", "number 8"},
      {"s[(int)threadIdx.x % warpSize]", "it@4:4"},
      {"s[static_cast<unsigned>(tx) + sizeof(float)]", "it@20:4"},
      {"r(t, 3)", "it@396:4"},
      {"r[t, 3] = 1", "st@396:4"},
      {"s[t // 1]", "it@4:4"},
      {"cond ? s[t] : 0.f", "ld@4:4"},
  };
  for (const auto& [text, wanted] : lines) EXPECT_EQ(accesses(text, s), wanted) << text;
}

TEST(Line, SaysWhichPartIsNotUnderstood) {
  const scope s = names_of({"float s[64]", "int index[32]"});
  const auto error = [&](const char* text) {
    const auto l = parse_line(text, s);
    EXPECT_FALSE(l) << text;
    return l ? diagnostic{} : l.error();
  };
  EXPECT_EQ(error("v = s[foo];").where.column, 7u);
  EXPECT_EQ(error("v = s[foo];").hint, "set the value of a constant with --let foo=32. The name of the lane is t");
  EXPECT_NE(error("v = s[index[t]];").message.find("index[t] is a value in shared memory"), std::string::npos);
  EXPECT_NE(error("*(Fragment*)&s[t] = v").hint.find("--width 16"), std::string::npos);
  EXPECT_NE(error("*reinterpret_cast<Vec*>(&s[t])").hint.find("--width 16"), std::string::npos);
  EXPECT_NE(error("for (int k = 0; k < 4; ++k) v += s[k];").hint.find("bankwise fix"), std::string::npos);
  EXPECT_NE(error("int row = t / 4;").hint.find("--let 'row=t / 4'"), std::string::npos);
  EXPECT_EQ(error("a = s[t]; b = s[t + 1];").message, "there is more than one statement");
  EXPECT_EQ(error("q[t] = 1").message, "unknown array 'q'");
  EXPECT_EQ(error("s(t, 0) = 1").message, "s has only 1 dimension");
  EXPECT_EQ(error("s[t, 0] = 1").message, "s has only 1 dimension");
  EXPECT_EQ(error("s[t][0] = 1").message, "s has only 1 dimension");
  EXPECT_EQ(error("atomicAdd(s[t], 1)").hint, "write & before the element: atomicAdd(&s[t], 1)");
}

TEST(Line, OfAnAtomicFunctionHasItsOperand) {
  const scope s = names_of({"int s[64]"});
  EXPECT_EQ(parse_line("atomicAdd(&s[t], 1);", s)->accesses[0].atomic.constant, 1);
  EXPECT_FALSE(parse_line("atomicAdd(&s[t], 1);", s)->accesses[0].atomic.result_used);
  EXPECT_EQ(parse_line("atomicAdd(&s[t], -1);", s)->accesses[0].atomic.constant, -1);
  EXPECT_FALSE(parse_line("atomicAdd(&s[t], v);", s)->accesses[0].atomic.constant);
  EXPECT_TRUE(parse_line("int o = atomicAdd(&s[t], 1);", s)->accesses[0].atomic.result_used);
}

TEST(Line, HostileTextIsRefusedNotFollowed) {
  const scope s = names_of({"float s[64]"});
  for (const char c : {'(', '*', '&', '-', '[', '{'}) EXPECT_FALSE(parse_line(std::string(5000, c), s)) << c;
  std::string many = "x = s[t]";
  for (int i = 0; i < 200; ++i) many += " + s[t]";
  EXPECT_FALSE(parse_line(many, s));
  std::string members = "s[t]";
  for (int i = 0; i < 5000; ++i) members += ".x";
  EXPECT_FALSE(parse_line(members, s));
  EXPECT_FALSE(parse_line("x = " + std::string(70000, 'a'), s));
}

TEST(Variables, DependOnLanesAndOnEachOther) {
  scope s;
  for (const char* text : {"n=4", "row=t / n", "int column = t % n;", "at = row * 8 + column", "blockIdx.x=3"})
    ASSERT_TRUE(parse_let(text, s)) << text;
  EXPECT_EQ(s.constants.size(), 2u);
  EXPECT_EQ(parse("at", s)->evaluate(9)->number, 17);
  EXPECT_EQ(parse("blockIdx.x", s)->evaluate(0)->number, 3);
  ASSERT_TRUE(parse_let("late = 8 / t", s));  // the error only matters to lanes that use the value
  EXPECT_EQ(parse("t == 0 ? 0 : late", s)->evaluate(0)->number, 0);
  EXPECT_EQ(parse("late", s)->evaluate(0).error().message, "the expression divides by zero in lane 0");
  EXPECT_FALSE(parse_let("row = 5", s));
  EXPECT_FALSE(parse_let("t = 5", s));
  EXPECT_FALSE(parse_let("1x = 5", s));
  // The definition of each name contains the previous name twice. The stored texts must not grow with each name.
  scope twice;
  ASSERT_TRUE(parse_let("a0=t", twice));
  for (int i = 1; i < 40; ++i)
    ASSERT_TRUE(
        parse_let("a" + std::to_string(i) + "=a" + std::to_string(i - 1) + "+a" + std::to_string(i - 1), twice));
  EXPECT_EQ(parse("a39", twice)->evaluate(1)->number, std::int64_t{1} << 39);
}

TEST(Names, AreThoseOfKernels) {
  scope s;
  s.block = {8, 8, 1};
  s.warp = 1;
  const std::pair<const char*, int> names[] = {
      {"tx", 1},       {"ty", 5},         {"tz", 0},      {"lane_id", 9},          {"laneid", 9},
      {"lane_idx", 9}, {"wid", 1},        {"warp_id", 1}, {"warpSize", 32},        {"WARP_SIZE", 32},
      {"bid", 0},      {"blockIdx.y", 0}, {"tid", 41},    {"cuda.threadIdx.x", 1}, {"get_lane_id()", 9}};
  for (const auto& [name, value] : names) EXPECT_EQ(parse(name, s)->evaluate(9)->number, value) << name;
  const std::pair<const char*, std::int64_t> functions[] = {{"__brev(1)", 0x80000000},
                                                            {"__ffs(8)", 4},
                                                            {"__ffs(0)", 0},
                                                            {"__popc(255)", 8},
                                                            {"__clz(1)", 31},
                                                            {"ceilDiv(33, 32)", 2},
                                                            {"cute::ceil_div(32, 32)", 1},
                                                            {"std::max(3, 5)", 5},
                                                            {"sizeof(float4)", 16},
                                                            {"(uint8_t)257", 1},
                                                            {"int(7)", 7},
                                                            {"7 // 2", 3}};
  for (const auto& [text, value] : functions) EXPECT_EQ(parse(text, s)->evaluate(0)->number, value) << text;
}

}  // namespace
}  // namespace bankwise::expr
