// Tests the names of the parts of dynamic shared memory. Tests which parts a line uses.
#include "source/shared_pointers.hpp"

#include <gtest/gtest.h>

namespace bankwise::source {
namespace {

using names = std::vector<std::string>;

constexpr const char* gemm =
    "template <int BM, typename T>\n"                            // 1
    "__global__ void gemm(const T* A, int n) {\n"                // 2
    "  extern __shared__ float smem[];  // float* no = smem;\n"  // 3
    "  const int tx = threadIdx.x;\n"                            // 4
    "  T* As = reinterpret_cast<T*>(smem);\n"                    // 5
    "  float *Bs, *other;\n"                                     // 6
    "  Bs = smem + BM * 8;\n"                                    // 7
    "  half (*rows)[BM + 8] = (half (*)[BM + 8])(smem + n);\n"   // 8
    "  float* mine = &Bs[tx * 4];\n"                             // 9
    "  for (int k = 0, stage = 0; k < n; ++k, stage ^= 1) {\n"   // 10
    "    float* buffer = smem + stage * BM;\n"                   // 11
    "    buffer[tx] = A[k];\n"                                   // 12
    "    sum += As[tx] *\n"                                      // 13
    "           mine[k];\n"                                      // 14
    "    if (tx < n) {\n"                                        // 15
    "      other[tx] = A[tx];\n"                                 // 16
    "    }\n"                                                    // 17
    "  }\n"                                                      // 18
    "}\n"                                                        // 19
    "__global__ void next(float* As) { As[0] = 1; }\n";          // 20

TEST(SharedPointers, AreNamedByTheFunctionThatHasTheLine) {
  const shared_pointers p(gemm, 12, "void gemm<64, half>(half const*, int)");
  EXPECT_EQ(p.on_line(12), names{"buffer"});  // each round of the loop uses a different part
  EXPECT_EQ(p.on_line(13), names{"As"});
  EXPECT_EQ(p.on_line(14), names{"Bs"});  // an address that depends on the thread does not start a new part
  EXPECT_EQ(p.on_line(15), names{});
  EXPECT_EQ(p.on_line(16), names{});
  EXPECT_EQ(p.on_line(20), names{});
  EXPECT_FALSE(p.covers(20));
}

TEST(SharedPointers, HaveTheTypesOfTheirDeclarations) {
  const shared_pointers p(gemm, 12, "void gemm<64, half>(half const*, int)");
  EXPECT_EQ(p.find("As")->type, "half");
  EXPECT_EQ(p.find("As")->element_bytes, 2u);
  EXPECT_EQ(p.find("Bs")->type, "float");
  EXPECT_EQ(p.find("rows")->inner, std::vector<std::uint64_t>{72});
  EXPECT_TRUE(p.find("smem")->is_memory);
  EXPECT_FALSE(p.find("Bs")->is_memory);
  EXPECT_EQ(p.find("no"), nullptr);
  EXPECT_EQ(p.find("A"), nullptr);
}

TEST(SharedPointers, TakeRowsFromTheMemorysDeclaration) {
  const shared_pointers p(
      "#define SKEW 8\nextern \"C\" {\nnamespace a {\nextern __shared__ half shmem[][16 * 8 + SKEW];\n"
      "__global__ void k() {\n  shmem[threadIdx.x][0] = 1;\n}\n}\n}\n",
      6, "a::k()");
  EXPECT_EQ(p.on_line(6), names{"shmem"});
  EXPECT_EQ(p.find("shmem")->inner, std::vector<std::uint64_t>{136});
}

// Members of unions with and without names, and pointers into an array of bytes. A pointer into a member counts as the
// member.
TEST(SharedPointers, ArePartsOfStaticMemory) {
  const shared_pointers p(
      "union phases { alignas(16) float tile[N][N + 1], row[N]; struct { int n[4]; } inner; int scalar; };\n"  // 1
      "constexpr int N = 32;\n"                                                                                // 2
      "__global__ void k() {\n"                                                                                // 3
      "  __shared__ phases mem;\n"                                                                             // 4
      "  __shared__ union { half a[8][N]; float4 b[16]; } u;\n"                                                // 5
      "  __shared__ unsigned char bytes[1024];\n"                                                              // 6
      "  double* sums = reinterpret_cast<double*>(bytes);\n"                                                   // 7
      "  float* first = &mem.tile[0][0];\n"                                                                    // 8
      "  mem.tile[threadIdx.x][0] = first[1];\n"                                                               // 9
      "  u.b[threadIdx.x] = u.a[0][threadIdx.x];\n"                                                            // 10
      "  sums[threadIdx.x] = 1;\n"                                                                             // 11
      "}\n",
      9, "k()");
  EXPECT_EQ(p.on_line(9), names{"tile"});
  EXPECT_EQ(p.on_line(10), (names{"b", "a"}));
  EXPECT_EQ(p.on_line(11), names{"sums"});
  EXPECT_EQ(p.find("tile")->memory, "mem");
  EXPECT_EQ(p.find("tile")->first_extent, 32u);
  EXPECT_EQ(p.find("tile")->inner, std::vector<std::uint64_t>{33});
  EXPECT_EQ(p.find("row")->first_extent, 32u);
  EXPECT_EQ(p.find("n"), nullptr);
  EXPECT_EQ(p.find("a")->element_bytes, 2u);
  EXPECT_EQ(p.find("b")->memory, "u");
  EXPECT_EQ(p.find("sums")->memory, "bytes");
  EXPECT_EQ(p.find("sums")->type, "double");
}

TEST(SharedPointers, MakeNothingOfWhatIsNoFunction) {
  EXPECT_EQ(shared_pointers("", 1, "k()").on_line(1), names{});
  EXPECT_EQ(shared_pointers("}}}} [[[ = * extern __shared__ (", 9, "").on_line(1), names{});
  EXPECT_EQ(shared_pointers("void f() { float* a = ", 1, "f()").on_line(1), names{});
}

}  // namespace
}  // namespace bankwise::source
