// Tests the short names of kernel instances: how they look, and that they tell different kernels apart.
#include <gtest/gtest.h>

#include <set>

#include "cubin/instance_names.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {
namespace {

using texts = std::vector<std::string>;

// The names of kernels with these full names. Each has a mangled name of its own.
texts names(const texts& full_names) {
  std::vector<kernel_identity> kernels;
  for (const std::string& name : full_names) kernels.push_back({name, "_m" + std::to_string(kernels.size())});
  const texts found = instance_names(kernels);
  EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(is_instance_name(found[i], kernels[i])) << found[i];
    EXPECT_TRUE(is_instance_name(full_names[i], kernels[i])) << found[i];
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_EQ(is_instance_name(found[i], kernels[k]), i == k) << found[i] << " and " << full_names[k];
  }
  return found;
}

TEST(InstanceNames, DropNamespacesAndShortenTypes) {
  EXPECT_EQ(names({"void ns::hgemm<128, 64, __half>(__half const*, float*)", "void ns::hgemm<64, 64, __half>(int)",
                   "saxpy(float, float*)"}),
            (texts{"hgemm<128, 64, half>", "hgemm<64, 64, half>", "saxpy"}));
  EXPECT_EQ(names({"void k<(bool)1, (ns::Layout)2, (short)3, 16u, -4ll, false>(int)"}),
            texts{"k<true, (Layout)2, 3, 16, -4, false>"});
  EXPECT_EQ(names({"void k<float*>(int)", "void k<float const*>(int)", "void k<float>(int)"}),
            (texts{"k<float*>", "k<float const*>", "k<float>"}));
  EXPECT_EQ(names({"void k<unsigned int, __nv_bfloat16, __nv_fp8_e4m3>(int)"}),
            texts{"k<unsigned, bfloat16, fp8_e4m3>"});
  EXPECT_EQ(names({"void k<std::integral_constant<int, 4>::type, a::Outer<int>::Inner>(int)"}),
            texts{"k<integral_constant<int, 4>::type, Outer<int>::Inner>"});
}

TEST(InstanceNames, AreUnambiguous) {
  EXPECT_EQ(names({"void a::k<1>(float*)", "void b::k<1>(float*)", "k(int)"}), (texts{"a::k<1>", "b::k<1>", "k(int)"}));
  EXPECT_EQ(names({"k(float*)", "k(double*)"}), (texts{"k(float*)", "k(double*)"}));
  EXPECT_EQ(names({"void k<a::T>(int)", "void k<b::T>(int)"}), (texts{"k<a::T>", "k<b::T>"}));
  EXPECT_EQ(instance_names({{"void k<16>(int)", "a"}, {"void k<16u>(int)", "b"}}), (texts{"k<16>", "k<16u>"}));
}

// The full names of kernels in two unnamed namespaces are equal. The mangled names contain a hash of the file.
TEST(InstanceNames, TellKernelsWithTheSameFullNameApart) {
  const std::vector<kernel_identity> kernels = {
      {"(anonymous namespace)::k(float*)", "_ZN33_GLOBAL__N__5c7675de_4_a_cu__Z1av1kEPf"},
      {"(anonymous namespace)::k(float*)", "_ZN33_GLOBAL__N__4ec3da30_4_b_cu__Z1bv1kEPf"}};
  const texts found = instance_names(kernels);
  EXPECT_EQ(found, (texts{"k [a.cu]", "k [b.cu]"}));
  // Sources of the same name in two folders.
  const std::vector<kernel_identity> more = {
      kernels[0], {"(anonymous namespace)::k(float*)", "_ZN33_GLOBAL__N__12345678_4_a_cu__Z1av1kEPf"}};
  const texts marked = instance_names(more);
  EXPECT_NE(marked[0], marked[1]);
  EXPECT_TRUE(marked[0].starts_with("k #")) << marked[0];
  for (const auto& [names, all] : {std::pair(found, kernels), std::pair(marked, more)})
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(is_instance_name(names[i], all[i])) << names[i];
      EXPECT_FALSE(is_instance_name(names[i], all[1 - i])) << names[i];
    }
  EXPECT_EQ(instance_names({kernels[0], kernels[0]}), (texts{"k", "k"}));
}

TEST(InstanceNames, LongArgumentsAreLeftOutUnlessTheyDiffer) {
  const std::string begin = "void cutlass::Kernel2<cutlass::gemm::Gemm<cutlass::GemmShape<128, ",
                    end =
                        ", 32>, cutlass::arch::Sm90, cutlass::epilogue::LinearCombination<float, 4, float, float>, "
                        "cutlass::layout::RowMajor, cutlass::layout::ColumnMajor> >(cutlass::Params)";
  EXPECT_EQ(names({begin + "64" + end}), texts{"Kernel2<Gemm<...>>"});
  EXPECT_EQ(names({begin + "64" + end, begin + "128" + end}),
            (texts{"Kernel2<Gemm<GemmShape<128, 64, 32>, Sm90, LinearCombination<...>, RowMajor, ColumnMajor>>",
                   "Kernel2<Gemm<GemmShape<128, 128, 32>, Sm90, LinearCombination<...>, RowMajor, ColumnMajor>>"}));
  // A name of 2,000 characters stays short, also if many arguments have no brackets.
  std::string many = "void k<";
  for (int i = 0; i < 500; ++i) many += std::to_string(i) + ", ";
  EXPECT_LE(names({many + "int>(int)"})[0].size(), 64u);
  // These names differ only in an argument that does not fit.
  const texts both = names({many + "int>(int)", many + "float>(int)"});
  EXPECT_NE(both[0], both[1]);
}

TEST(InstanceNames, Lambdas) {
  EXPECT_EQ(names({"void apply<main::{lambda(int)#1}>(int)", "void apply<main::{lambda(int)#2}>(int)"}),
            (texts{"apply<lambda#1>", "apply<lambda#2>"}));
  EXPECT_EQ(names({"void apply<a()::{lambda(int)#1}>(int)", "void apply<b()::{lambda(int)#1}>(int)"}),
            (texts{"apply<a()::lambda#1>", "apply<b()::lambda#1>"}));
  // nvcc wraps extended lambdas.
  EXPECT_EQ(names({"void apply<__nv_dl_wrapper_t<__nv_dl_tag<int (*)(int, char**), &main, 1u>, float*> >(int)",
                   "void apply<__nv_dl_wrapper_t<__nv_dl_tag<int (*)(int, char**), &main, 2u>, float*> >(int)"}),
            (texts{"apply<lambda#1>", "apply<lambda#2>"}));
}

TEST(InstanceNames, OperatorsAndComparisons) {
  EXPECT_EQ(names({"void k<&(A::operator<(A const&) const)>(int)", "void k<&A::operator()>(int)",
                   "void k<&(operator<< <int>(int))>(int)"}),
            (texts{"k<&(operator<(A const&) const)>", "k<&operator()>", "k<&(operator<< <int>(int))>"}));
  EXPECT_EQ(names({"void k<4>(std::enable_if<((4)>(3)), int>::type*)"}), texts{"k<4>"});
  EXPECT_EQ(bare_name("void k<&(A::operator<(A const&) const)>(int)"), "k");
}

// Names of extern "C" kernels and of Triton's kernels are not mangled.
TEST(InstanceNames, PlainNames) {
  EXPECT_EQ(names({"matmul_kernel_0d1d2d3de", "add_kernel", "k"}),
            (texts{"matmul_kernel_0d1d2d3de", "add_kernel", "k"}));
}

TEST(InstanceNames, DamagedNamesAreStillToldApart) {
  names({"k<", "void k<1>>(int)", "void ()(", "k((((", "_Z99short", "a b c", ">"});
  std::string deep = "k<";
  for (int i = 0; i < 100'000; ++i) deep += "a<";
  EXPECT_EQ(names({deep})[0], "k");
  EXPECT_EQ(instance_name(""), "");
}

TEST(InstanceNames, BlanksDoNotMatterAndDotsStandForAnything) {
  const kernel_identity k{"void ns::hgemm<128, 64, __half>(float*)", "_Z5hgemm"};
  for (const char* name : {"hgemm<128,64,half>", "hgemm< 128, 64, half >", "ns::hgemm<128, 64, __half>",
                           "hgemm<128, 64, __half>", "hgemm<128, ...>", "hgemm<..., half>",
                           "hgemm<128,64,half>(float*)", "void ns::hgemm<128, 64, __half>(float*)", "_Z5hgemm"})
    EXPECT_TRUE(is_instance_name(name, k)) << name;
  for (const char* name :
       {"hgemm<64, 64, half>", "hgemm<12, 64, half>", "hgemm<128, 64>", "hgemm", "gemm<128,64,half>", ""})
    EXPECT_FALSE(is_instance_name(name, k)) << name;
}

TEST(InstanceNames, SelectKernelsOfAProgram) {
  program p;
  p.file = "three.cubin";
  for (const char* mangled : {"_ZN2ns5hgemmILi128E6__halfEEvPT0_", "_ZN2ns5hgemmILi64E6__halfEEvPT0_", "plain"}) {
    kernel& k = p.kernels.emplace_back();
    k.mangled = mangled;
    k.full_name = demangle(mangled);
    k.name = bare_name(k.full_name);
  }
  EXPECT_EQ(*find_kernel(p, "hgemm<64, half>"), &p.kernels[1]);
  EXPECT_EQ(*find_kernel(p, "hgemm<128,half>"), &p.kernels[0]);
  EXPECT_EQ(find_kernels(p, "hgemm")->size(), 2u);
  EXPECT_FALSE(find_kernel(p, "hgemm<32, half>"));
}

}  // namespace
}  // namespace bankwise::cubin
