// Tests edits of a kernel, of its pointers and of its launch, and near misses that must stay as they are.
#include <gtest/gtest.h>

#include <string>

#include "edit/delay_edit.hpp"

namespace bankwise::edit {
namespace {

using kind = delay_edit_kind;

// Returns the edited source, or the reason why the source was not edited.
std::string edited(const std::string& source, kind k, const edited_launch& launch, std::uint32_t line = 1,
                   std::uint64_t then = 256) {
  delay d;
  d.then = then;
  const delay_edit e = edit_delay(source, k, d, line, "k", launch);
  return e.refused.empty() ? changed(source, e.changes) : e.refused;
}

const std::string loop =
    "__global__ void k(float* a, int n) {\n"
    "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] *= 2;\n"
    "}\n";
const std::string with_stride =
    "__global__ void k(float* a, int n) {\n"
    "  const int stride = blockDim.x * gridDim.x;\n"
    "  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride) a[i] *= 2;\n"
    "}\n";
constexpr edited_launch small_grid{.grid = {32, 1, 1}, .block = {256, 1, 1}, .wave = 1056};

TEST(KernelEdits, AGridGetsAsManyBlocksAsAreResident) {
  const std::string launch = "void f() { k<<<32, 256>>>(a, n); }\n";
  EXPECT_EQ(edited(loop + launch, kind::grid, small_grid), loop + "void f() { k<<<1056, 256>>>(a, n); }\n");
  EXPECT_EQ(edited(with_stride + launch, kind::grid, small_grid),
            with_stride + "void f() { k<<<1056, 256>>>(a, n); }\n");
  const std::string constant = "constexpr int blocks = 32;\n";
  EXPECT_EQ(edited(constant + loop + "void f() { k<<<dim3(blocks), 256, 0, s>>>(a, n); }\n", kind::grid, small_grid),
            constant + loop + "void f() { k<<<dim3(1056), 256, 0, s>>>(a, n); }\n");
}

TEST(KernelEdits, OtherGridsStayAsTheyAre) {
  const std::string launch = "void f() { k<<<32, 256>>>(a, n); }\n";
  const auto why = [&](std::string kernel, const std::string& from, const std::string& to) {
    kernel.replace(kernel.find(from), from.size(), to);
    return edited(kernel + launch, kind::grid, small_grid);
  };
  EXPECT_EQ(why(loop, "a[i] *= 2", "a[i] *= gridDim.x"),
            "line 2 uses gridDim.x for something else than the step of a loop");
  EXPECT_EQ(why(loop, "a[i] *= 2", "a[blockIdx.x] += a[i]"),
            "line 2 uses blockIdx.x for something else than the first index of a loop");
  EXPECT_EQ(why(loop, "i += gridDim.x * blockDim.x", "i += gridDim.x * 64"),
            "line 2 uses gridDim.x for something else than the step of a loop");
  EXPECT_EQ(why(loop, "i += gridDim.x * blockDim.x", "i += 8192"), "k has no loop that takes steps of the whole grid");
  EXPECT_EQ(why(with_stride, "a[i] *= 2", "a[i] *= stride"),
            "line 2 uses gridDim.x for something else than the step of a loop");
  EXPECT_EQ(why(loop, "__global__", "__device__ int last() { return gridDim.x; }\n__global__"),
            "the function on line 1 uses gridDim");
  EXPECT_EQ(edited(loop + "void f() { k<<<n / 256, 256>>>(a, n); }\n", kind::grid, small_grid),
            "its launch on line 4 computes the number of blocks");
  EXPECT_EQ(edited(loop + launch + launch, kind::grid, small_grid), "the source does not have exactly one launch of k");
  EXPECT_EQ(edited(loop + launch + "auto p = &k;\n", kind::grid, small_grid),
            "line 5 names k without <<<, or in a macro");
  edited_launch others = small_grid;
  others.has_other_shapes = true;
  EXPECT_EQ(edited(loop + launch, kind::grid, others), "other launches of k have other grids");
}

TEST(KernelEdits, WorkIsDividedAmongMoreBlocks) {
  const std::string kernel =
      "constexpr int rows = 1000, depth = 96;\n"
      "__global__ void k(float* a) {\n"
      "  const int part = depth / gridDim.y;\n"
      "  for (int b = blockIdx.y * part; b < (blockIdx.y + 1) * part; ++b) atomicAdd(a + blockIdx.x, b);\n"
      "}\n";
  const edited_launch l{.grid = {8, 1, 1}, .block = {256, 1, 1}, .wave = 1056};
  // 96 is divisible by 32, but not by 64 or 128.
  EXPECT_EQ(edited(kernel + "void f() { k<<<dim3(8, 1), 256>>>(a); }\n", kind::grid, l),
            kernel + "void f() { k<<<dim3(8, 32), 256>>>(a); }\n");
  const std::string other = kernel.substr(0, kernel.rfind('}')) + "  a[0] = gridDim.y;\n}\n";
  EXPECT_EQ(edited(other + "void f() { k<<<dim3(8, 1), 256>>>(a); }\n", kind::grid, l),
            "line 4 uses blockIdx.x for something else than the first index of a loop");
}

const std::string one_element =
    "__global__ void k(float* a, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) a[i] *= 2;\n"
    "}\n";
constexpr edited_launch small_blocks{.grid = {1024, 1, 1}, .block = {32, 1, 1}, .wave = 4224};

TEST(KernelEdits, BlocksGet256Threads) {
  const std::string n = "constexpr int n = 32768;\n";
  EXPECT_EQ(edited(n + one_element + "void f() { k<<<n / 32, 32>>>(a, n); }\n", kind::block, small_blocks),
            n + one_element + "void f() { k<<<n / 256, 256>>>(a, n); }\n");
  EXPECT_EQ(edited(one_element + "void f() { k<<<(n + 32 - 1) / 32, 32>>>(a, n); }\n", kind::block, small_blocks),
            one_element + "void f() { k<<<(n + 256 - 1) / 256, 256>>>(a, n); }\n");
  const std::string without_limit =
      "__global__ void k(float* a, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  a[i] *= 2;\n}\n";
  EXPECT_EQ(edited(without_limit + "void f() { k<<<(n + 32 - 1) / 32, 32>>>(a, n); }\n", kind::block, small_blocks),
            "k does not compare the number of the thread with a limit");
  EXPECT_EQ(
      edited(one_element + "void f(int n) { k<<<n / 32, 32>>>(a, n); }\nint main() { const int m = 1, n = 32768; }\n",
             kind::block, small_blocks),
      "its launch on line 5 does not divide a constant, or a rounded sum, by the number of threads");
  EXPECT_EQ(edited("const int size = 32;\n" + one_element + "void f() { k<<<(n + size - 1) / size, size>>>(a, n); }\n",
                   kind::block, small_blocks),
            "const int size = 256;\n" + one_element + "void f() { k<<<(n + size - 1) / size, size>>>(a, n); }\n");
}

TEST(KernelEdits, OtherBlocksStayAsTheyAre) {
  const std::string launch = "void f() { k<<<(n + 32 - 1) / 32, 32>>>(a, n); }\n";
  const auto why = [&](const std::string& statement) {
    return edited(one_element.substr(0, one_element.rfind('}')) + "  " + statement + "\n}\n" + launch, kind::block,
                  small_blocks);
  };
  EXPECT_EQ(why("a[threadIdx.x] = 1;"), "line 4 uses threadIdx");
  EXPECT_EQ(why("__shared__ float s[32];"), "line 4 uses __shared__");
  EXPECT_EQ(why("__syncwarp();"), "k uses __syncwarp, which depends on warps");
  const std::string divided =
      "its launch on line 5 does not divide a constant, or a rounded sum, by the number of threads";
  EXPECT_EQ(edited(one_element + "void f(int n) { k<<<n / 32, 32>>>(a, n); }\n", kind::block, small_blocks), divided);
  EXPECT_EQ(edited(one_element + "void f() { k<<<1024, 32>>>(a, n); }\n", kind::block, small_blocks), divided);
  const edited_launch odd{.grid = {1025, 1, 1}, .block = {32, 1, 1}, .wave = 4224};
  EXPECT_EQ(
      edited("constexpr int n = 32800;\n" + one_element + "void f() { k<<<n / 32, 32>>>(a, n); }\n", kind::block, odd),
      "its number of threads is not a multiple of 256");
  EXPECT_EQ(edited("const int size = 32;\nfloat host[size];\n" + one_element +
                       "void f() { k<<<(n + size - 1) / size, size>>>(a, n); }\n",
                   kind::block, small_blocks),
            "line 2 also uses size");
}

TEST(KernelEdits, AxesChangePlaces) {
  const std::string kernel =
                        "__global__ void k(float* a) {\n"
                        "  a[(blockIdx.x * 8 + threadIdx.x) * 64 + blockIdx.y * 4 + threadIdx.y] = blockDim.y;\n"
                        "}\n",
                    exchanged =
                        "__global__ void k(float* a) {\n"
                        "  a[(blockIdx.x * 8 + threadIdx.y) * 64 + blockIdx.y * 4 + threadIdx.x] = blockDim.x;\n"
                        "}\n";
  const std::string square = "void f() { k<<<dim3(8, 8), dim3(8, 8)>>>(a); }\n";
  EXPECT_EQ(edited(kernel + square, kind::axes, {.block = {8, 8, 1}}), exchanged + square);
  EXPECT_EQ(edited(kernel + "void f(int m, int n) { k<<<9, dim3(m, n)>>>(a); }\n", kind::axes, {.block = {8, 8, 1}}),
            exchanged + "void f(int m, int n) { k<<<9, dim3(n, m)>>>(a); }\n")
      << "the sides are equal only in this run";
  const std::string launch = "void f() { k<<<dim3(8, 16), dim3(8, n /* four */, 1)>>>(a); }\n";
  EXPECT_EQ(edited(kernel + launch, kind::axes, {.block = {8, 4, 1}}),
            exchanged + "void f() { k<<<dim3(8, 16), dim3(n, 8 /* four */, 1)>>>(a); }\n");
  EXPECT_EQ(edited(kernel + "dim3 block(8, 4);\nvoid f() { k<<<9, block>>>(a); }\n", kind::axes, {.block = {8, 4, 1}}),
            exchanged + "dim3 block(4, 8);\nvoid f() { k<<<9, block>>>(a); }\n");
  EXPECT_EQ(edited(kernel + "dim3 block(8, 4);\nvoid f() { k<<<9, block>>>(a); g(block); }\n", kind::axes,
                   {.block = {8, 4, 1}}),
            "its launch on line 5 has no dim3 with two parts");
  EXPECT_EQ(edited(kernel, kind::axes, {.block = {8, 4, 1}}), "the source does not have exactly one launch of k");
  EXPECT_EQ(edited(kernel, kind::axes, {.block = {64, 1, 1}}), "its blocks have only one dimension");
  const auto with = [&](const std::string& statement) {
    return edited(kernel.substr(0, kernel.rfind('}')) + statement + "\n}\n", kind::axes, {.block = {8, 8, 1}});
  };
  EXPECT_EQ(with("f(threadIdx);"), "line 3 uses threadIdx as a whole");
  EXPECT_EQ(with("__shfl_sync(~0u, x, 0);"), "k uses __shfl_sync, which depends on warps");
  EXPECT_EQ(edited("#define ROW threadIdx.x\n" + kernel, kind::axes, {.block = {8, 8, 1}}, 3),
            "line 1 uses threadIdx in a macro");
}

TEST(KernelEdits, PointersGetRestrict) {
  EXPECT_EQ(
      edited("__global__ void k(const float* a, int n, float *b, int* const c) {}\n", kind::restricted, {}),
      "__global__ void k(const float* __restrict__ a, int n, float *__restrict__ b, int* const __restrict__ c) {}\n");
  EXPECT_EQ(edited("__global__ void k(const float* __restrict__ a, float* __restrict__ b) {}\n", kind::restricted, {}),
            "all pointers of k already have __restrict__");
  EXPECT_EQ(edited("__global__ void k(float* a, int n) {}\n", kind::restricted, {}),
            "k has fewer than two pointers as parameters");
  EXPECT_EQ(edited("__global__ void k(float* a, int n, float* b) {}\nvoid f() { k<<<1, 2>>>(x + 1, 3, x + 1); }\n",
                   kind::restricted, {}),
            "a launch passes one array to two parameters of k");
  EXPECT_EQ(edited("__global__ void k(const float* a,\n#if N\nint b,\n#endif\nfloat* c) {}\n", kind::restricted, {}),
            "its parameters contain directives");
}

TEST(KernelEdits, TheCompilerMayAssumeAlignment) {
  const std::string head = "__global__ void k(const float* a, float* b, float* const c) {",
                    told = "a = static_cast<decltype(a)>(__builtin_assume_aligned(a, 16));";
  EXPECT_EQ(edited(head + "  // sums\r\n\tb[0] = 1;\r\n\tc[1] = a[0] + a[1];\r\n}\r\n", kind::alignment, {}, 3),
            head + "  // sums\r\n\t// must be aligned to 16 bytes: a\r\n\t" + told +
                "\r\n\tb[0] = 1;\r\n\tc[1] = a[0] + a[1];\r\n}\r\n");
  EXPECT_EQ(edited(head + " c[1] = a[0] + a[1]; }\n", kind::alignment, {}, 1),
            head + " /* must be aligned to 16 bytes: a */ " + told + " c[1] = a[0] + a[1]; }\n");
  EXPECT_EQ(edited(head + "\n  const float* p = a;\n  b[0] = 0;\n  s += p[0] + p[1];\n}\n", kind::alignment, {}, 4),
            "line 4 has no index of a pointer that is a parameter of k");
  EXPECT_EQ(edited(head + "\n  " + told + "\n  s += a[0] + a[1];\n}\n", kind::alignment, {}, 3),
            "line 3 has no index of a pointer that is a parameter of k");
}

TEST(KernelEdits, PreciseFunctionsBecomeFast) {
  const std::string head = "__global__ void k(const float* a, float s, int n, double w) {\n  ";
  const auto line = [&](const std::string& text) { return edited(head + text + "\n}\n", kind::fast_functions, {}, 2); };
  const auto with = [&](const std::string& text) { return head + text + "\n}\n"; };
  EXPECT_EQ(line("x = sinf(a[0]) + std::cosf(s) + o.expf(s) + powf (s, 2);"),
            with("x = __sinf(a[0]) + std::cosf(s) + o.expf(s) + __powf (s, 2);"));
  EXPECT_EQ(line("x = a[n / 2] / s;"), with("x = __fdividef(a[n / 2], s);"));
  const std::string none = "line 2 calls no function, and has no division of floats, with a fast form";
  for (const char* text : {"x = n / 2;", "x = s / n;", "x = s / w;", "x = 2 * a[0] / s;", "x = s / a[0].x;",
                           "x = sin(s);", "x = (s + 1) / s;", "x = b / s;"})
    EXPECT_EQ(line(text), none) << text;
  EXPECT_EQ(edited("__global__ void k(float* out, int32_t n, const my_real m) {\n  x = n / m;\n}\n",
                   kind::fast_functions, {}, 2),
            none)
      << "the types after a float";
  EXPECT_EQ(edited("#define F(x) sinf(x)\n__global__ void k() {}\n", kind::fast_functions, {}, 1),
            "line 1 is in a macro");
}

TEST(KernelEdits, NamespacesSelectTheLaunch) {
  const std::string source = "namespace a {\n" + loop + "}\nnamespace b {\n" + loop +
                             "}\nvoid f() { a::k<<<32, 256>>>(x, n); b::k<<<32, 256>>>(x, n); }\n";
  const delay_edit e = edit_delay(source, kind::grid, delay(), 8, "b::k", small_grid);
  ASSERT_EQ(e.refused, "");
  EXPECT_NE(changed(source, e.changes).find("a::k<<<32, 256>>>(x, n); b::k<<<1056, 256>>>"), std::string::npos);
}

}  // namespace
}  // namespace bankwise::edit
