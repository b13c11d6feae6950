// Tests edits that remove delays: the source before and after an edit, and delays that have no edit.
#include "edit/delay_edit.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/text.hpp"

namespace bankwise::edit {
namespace {

delay delay_of(delay_kind k) {
  delay d;
  d.is = k;
  d.saved_cycles = 100;
  if (k == delay_kind::low_occupancy) {
    d.now = 2;
    d.then = 4;
    d.limit = "registers";
    d.allowed = 64;
  }
  return d;
}

delay_edit edit_of(const std::string& source, delay_kind k, std::uint32_t line) {
  if (!has_edit(k)) return {.refused = "fix has no edit for this kind of delay"};
  return edit_delay(source, edits_of(k).front(), delay_of(k), line, "k", {.block = {256, 1, 1}});
}

// Returns the edited source, or the reason why the source was not edited.
std::string edited(const std::string& source, delay_kind k, std::uint32_t line) {
  const delay_edit e = edit_of(source, k, line);
  return e.refused.empty() ? changed(source, e.changes) : e.refused;
}

using enum delay_kind;

TEST(DelayEdit, EveryBarrierOfTheKernelIsReplaced) {
  const std::string source =
      "__global__ void k(float* a) {\n"
      "  __syncthreads();  // not __syncthreads()\n"
      "  const char* s = \"__syncthreads()\";\n"
      "  if (a) { __syncthreads ( ) ; }\n"
      "}\n"
      "__global__ void other() { __syncthreads(); }\n";
  EXPECT_EQ(edited(source, needless_barriers, 2),
            "__global__ void k(float* a) {\n"
            "  __syncwarp();  // not __syncthreads()\n"
            "  const char* s = \"__syncthreads()\";\n"
            "  if (a) { __syncwarp ( ) ; }\n"
            "}\n"
            "__global__ void other() { __syncthreads(); }\n");
  const delay_edit e = edit_of(source, needless_barriers, 2);
  EXPECT_EQ(e.words, "__syncthreads() becomes __syncwarp(), in 2 places");
  EXPECT_EQ(e.lines,
            (std::vector<std::string>{"2: __syncwarp();  // not __syncthreads()", "4: if (a) { __syncwarp ( ) ; }"}));
}

TEST(DelayEdit, BarriersOfThreadsThatExchangeNothingAreRemovedWithTheirLines) {
  delay d = delay_of(needless_barriers);
  d.about = "lanes";
  const std::string source =
      "__global__ void k(float* a) {\n"
      "  __syncthreads();\n"
      "  a[0] = 1; __syncthreads();\n"
      "  __syncthreads();  // of all\n"
      "  for (int i = 0; i < 4; ++i)\n"
      "    __syncthreads();\n"
      "  if (a) { a[1] = 2; } __syncthreads();\n"
      "}\n";
  const delay_edit e = edit_delay(source, edits_of(d.is).front(), d, 2, "k", {.block = {256, 1, 1}});
  EXPECT_EQ(changed(source, e.changes),
            "__global__ void k(float* a) {\n"
            "  a[0] = 1; \n"
            "    // of all\n"
            "  for (int i = 0; i < 4; ++i)\n"
            "    ;\n"
            "  if (a) { a[1] = 2; } ;\n"
            "}\n");
  EXPECT_EQ(e.words, "__syncthreads() is removed, in 5 places");
  EXPECT_EQ(e.lines, (std::vector<std::string>{"2: (removed)", "3: a[0] = 1;", "4: // of all", "6: ;",
                                               "7: if (a) { a[1] = 2; } ;"}));
}

TEST(DelayEdit, ABarrierOutsideOfTheKernelIsNotReplaced) {
  const std::string helper = "__device__ void all() { __syncthreads(); }\n";
  EXPECT_EQ(edited(helper + "__global__ void k() { all(); }\n", needless_barriers, 1),
            "its barrier is not in the body of k itself");
  EXPECT_EQ(edited("#define SYNC __syncthreads()\n__global__ void k() {\n  SYNC;\n}\n", needless_barriers, 3),
            "line 3 has no __syncthreads()");
  EXPECT_EQ(edited(helper, needless_barriers, 1), "the source does not have exactly one definition of k");
  EXPECT_EQ(edited("#define K __global__ void k() { __syncthreads(); }\nK\n", needless_barriers, 1),
            "the source does not have exactly one definition of k");
  EXPECT_EQ(edited(helper, needless_barriers, 0), "its line in the source is unknown");
}

TEST(DelayEdit, TheLineSelectsOneOfSeveralDefinitions) {
  const std::string source =
      "__global__ void k();\n"
      "namespace a {\n"
      "__global__ void k() { __syncthreads(); }\n"
      "}\n"
      "namespace b {\n"
      "template <int N>\n"
      "__global__ void k() {\n"
      "  __syncthreads();\n"
      "}\n"
      "}\n"
      "void start() { a::k<<<1, 64>>>(); b::k<4><<<1, 64>>>(); }\n";
  const std::string after = edited(source, needless_barriers, 8);
  EXPECT_NE(after.find("__global__ void k() {\n  __syncwarp();"), std::string::npos) << after;
  EXPECT_NE(after.find("{ __syncthreads(); }"), std::string::npos) << after;
  EXPECT_EQ(edited(source, low_occupancy, 0), "the source does not have exactly one definition of k");
  EXPECT_NE(edited(source, low_occupancy, 8).find("void __launch_bounds__(256, 4) k() {\n  __sync"), std::string::npos);
}

std::string doubles(const std::string& line) {
  return edited("// 1.0\n" + line + "\nz = 0.5;\n", double_arithmetic, 2);
}
std::string with(const std::string& line) { return "// 1.0\n" + line + "\nz = 0.5;\n"; }

TEST(DelayEdit, ConstantsOfDoublesBecomeFloats) {
  EXPECT_EQ(doubles("y = 0.5 * x + 1e-3 - 2. * .25;"), with("y = 0.5f * x + 1e-3f - 2.f * .25f;"));
  EXPECT_EQ(doubles("y = 3 * x + 0x1e + 1.5f + 2.5L + 1.0_m + a[1] + 1e3f;  // 4.5"),
            "line 2 has no constants without f, and calls no functions of doubles by their names");
  EXPECT_EQ(doubles("y = 1.5 /* 2.5 */ + f(\"3.5\", '.');"), with("y = 1.5f /* 2.5 */ + f(\"3.5\", '.');"));
  EXPECT_EQ(doubles("y = 1'000.5 + 1E+4-2;"), with("y = 1'000.5f + 1E+4f-2;"));
  EXPECT_EQ(doubles("#define HALF 0.5"), "line 2 is in a macro");
  EXPECT_EQ(edit_of("y = 0.5 * x + 0.5 + sqrt(x);", double_arithmetic, 1).words,
            "0.5 becomes 0.5f and sqrt becomes sqrtf");
}

TEST(DelayEdit, FunctionsOfDoublesBecomeFunctionsOfFloats) {
  EXPECT_EQ(doubles("y = sqrt(x) + pow(x, 2) + fmin(x, rsqrt (x));"),
            with("y = sqrtf(x) + powf(x, 2) + fminf(x, rsqrtf (x));"));
  EXPECT_EQ(doubles("return exp(x) - o.exp(x) - p->log(x) - std::sin(x) - ::cos(x);"),
            with("return expf(x) - o.exp(x) - p->log(x) - std::sin(x) - ::cos(x);"));
  EXPECT_EQ(doubles("double sqrt(double x); int log = sqrtf(x) + fabsf(x);"),
            "line 2 has no constants without f, and calls no functions of doubles by their names");
}

TEST(DelayEdit, LaunchBoundsStandBeforeTheName) {
  EXPECT_EQ(
      edited("__global__ void k(int* out);\ntemplate <class T>\n__global__ void k(T* out) {}\n", low_occupancy, 3),
      "__global__ void k(int* out);\ntemplate <class T>\n__global__ void __launch_bounds__(256, 4) k(T* out) {}\n");
  EXPECT_EQ(edited("__global__ void a::k(int* out) {}\n", low_occupancy, 1),
            "__global__ void __launch_bounds__(256, 4) a::k(int* out) {}\n");
  EXPECT_EQ(edited("__global__ __launch_bounds__(128) void k(int* out) {}\n", low_occupancy, 1),
            "k already has __launch_bounds__");
  EXPECT_EQ(edited("__global__ void __launch_bounds__(128)\nk(int* out) {}\n", low_occupancy, 1),
            "k already has __launch_bounds__");
  EXPECT_EQ(edited("void k(int* out) {}\n", low_occupancy, 1), "the source does not have exactly one definition of k");
  EXPECT_EQ(edited("#define NAME k\n__global__ void NAME() {}\n", low_occupancy, 2),
            "the source does not have exactly one definition of k");
  delay d = delay_of(low_occupancy);
  d.limit = "shared memory";
  EXPECT_EQ(edit_delay("__global__ void k() {}\n", delay_edit_kind::bounds, d, 1, "k", {.block = {256, 1, 1}}).refused,
            "its limit is shared memory, not registers");
}

TEST(DelayEdit, TheInnermostLoopIsUnrolled) {
  const std::string source =
      "__global__ void k(const float* a) {\n"
      "  for (int i = 0; i < 4; ++i) {\n"
      "    for (int j = 0; j < 9; ++j)\n"
      "      if (j > i)\n"
      "        s += a[j];\n"
      "      else\n"
      "        s -= a[j];\n"
      "    t += a[i];\n"
      "  }\n"
      "  u = a[0];\n"
      "}\n";
  for (const std::uint32_t line : {3, 5, 7}) {
    const delay_edit e = edit_of(source, late_loads, line);
    EXPECT_EQ(e.words, "the loop on line 3 gets #pragma unroll 4");
    EXPECT_EQ(e.lines, (std::vector<std::string>{"3: #pragma unroll 4", "3: for (int j = 0; j < 9; ++j)"}));
    EXPECT_NE(changed(source, e.changes).find("{\n    #pragma unroll 4\n    for (int j"), std::string::npos);
  }
  EXPECT_EQ(edit_of(source, late_loads, 8).words, "the loop on line 2 gets #pragma unroll 4");
  EXPECT_EQ(edited(source, late_loads, 10), "line 10 is not in a for or while statement");
}

TEST(DelayEdit, APragmaBeforeTheLoopIsReplaced) {
  const auto before = [](const std::string& pragma) {
    return edited(pragma + "\n\twhile (i < n)\n\t\ts += a[i++];\n", late_loads, 3);
  };
  const std::string after = "#pragma unroll 4\n\twhile (i < n)\n\t\ts += a[i++];\n";
  EXPECT_EQ(before("#pragma unroll 1"), after);
  EXPECT_EQ(before("#  pragma   unroll(2)"), after);
  EXPECT_EQ(before("#pragma unroll"), after);
  EXPECT_EQ(before("#pragma nounroll"), after);
  EXPECT_EQ(before("#pragma unroll 2  // two"), "#pragma unroll 4  // two\n\twhile (i < n)\n\t\ts += a[i++];\n");
  EXPECT_EQ(before("#pragma unroll 4"), "its loop on line 2 is already unrolled by 4");
  EXPECT_EQ(before("#pragma unroll (8)"), "its loop on line 2 is already unrolled by 8");
  EXPECT_EQ(before("#pragma unroll N"), "the factor N of the #pragma before its loop is not a number");
  EXPECT_EQ(before("#endif"), "#endif\n\t" + after);
  EXPECT_EQ(before("#pragma unroll 1\n#endif"), "#pragma unroll 1\n#endif\n\t" + after);
}

TEST(DelayEdit, OtherLoopsAreNotUnrolled) {
  EXPECT_EQ(edited("do {\n  s += a[i];\n} while (++i < n);\n", late_loads, 2), "its loop on line 1 is a do statement");
  EXPECT_EQ(edited("for (i = 0; i < 4; ++i) for (j = 0; j < 4; ++j)\n  s += a[j];\n", late_loads, 2),
            "its loop is not at the beginning of line 1");
  EXPECT_EQ(edited("#define LOOP for (;;) s += a[j]\nLOOP;\n", late_loads, 2),
            "line 2 is not in a for or while statement");
  EXPECT_EQ(edited("for (i = 0; i < 4; ++i) {\n  s += a[j];\n", late_loads, 2),
            "line 2 is not in a for or while statement");
}

TEST(DelayEdit, LineBreaksStayAsTheyAre) {
  EXPECT_EQ(edited("  for (;;)\r\n    s += a[j];\r\n", late_loads, 2),
            "  #pragma unroll 4\r\n  for (;;)\r\n    s += a[j];\r\n");
  EXPECT_EQ(edited("  #pragma unroll 1\r\n  for (;;)\r\n    s += a[j];\r\n", late_loads, 3),
            "  #pragma unroll 4\r\n  for (;;)\r\n    s += a[j];\r\n");
  EXPECT_EQ(edited("x = 1;\r\ny = 0.5;\r\n", double_arithmetic, 2), "x = 1;\r\ny = 0.5f;\r\n");
}

TEST(DelayEdit, OtherDelaysHaveNoEdit) {
  for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(delay_kind::count); ++i) {
    const auto k = static_cast<delay_kind>(i);
    const std::string why = edited("__global__ void k() {}\n", k, 1);
    EXPECT_FALSE(why.empty());
    EXPECT_EQ(why == "fix has no edit for this kind of delay", !has_edit(k)) << name_of(k);
  }
}

}  // namespace
}  // namespace bankwise::edit
