// Tests the names of kernels on the command line and in reports.
#include <gtest/gtest.h>

#include "cubin/kernel_names.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {
namespace {

kernel named(const std::string& mangled) {
  kernel k;
  k.mangled = mangled;
  k.full_name = demangle(mangled);
  k.name = bare_name(k.full_name);
  return k;
}

TEST(KernelNames, OnlyMangledNamesAreDemangled) {
  EXPECT_EQ(demangle("_Z6kernelIsEvPT_PKS0_"), "void kernel<short>(short*, short const*)");
  EXPECT_EQ(demangle("f"), "f");  // "f" is a name, not the type float
  EXPECT_EQ(demangle("_Zebra"), "_Zebra");
}

TEST(KernelNames, BareNames) {
  EXPECT_EQ(bare_name("void kernel<short>(short*, short const*)"), "kernel");
  EXPECT_EQ(bare_name("void a::(anonymous namespace)::b<c<d>>::kernel(int)"), "kernel");
  EXPECT_EQ(bare_name("kernel"), "kernel");
  // A name of more than 1,024 characters stays mangled.
  std::string many;
  for (int i = 0; i < 600; ++i) many += "Ii";
  const std::string mangled = "_ZN1a2bc6kernel" + many + std::string(600, 'E') + "Evv";
  EXPECT_EQ(demangle(mangled), mangled);
  EXPECT_EQ(bare_name(mangled), "kernel");
  EXPECT_EQ(bare_name("_Zebra"), "_Zebra");
  EXPECT_EQ(bare_name("_Z99short"), "short");
}

TEST(KernelNames, AreFoundByNameAndByExpression) {
  program p;
  p.file = "two.cubin";
  p.kernels = {named("_Z6kernelIsEvPT_PKS0_"), named("_Z6kernelIhEvPT_PKS0_"), named("other")};
  EXPECT_EQ(*find_kernel(p, "other"), &p.kernels[2]);
  EXPECT_EQ(*find_kernel(p, "kernel<short>"), &p.kernels[0]);
  EXPECT_EQ(*find_kernel(p, "regex:<(unsigned|int)"), &p.kernels[1]);
  EXPECT_EQ(find_kernel(p, "kernel").error().message, "-k kernel matches 2 kernels");
  EXPECT_FALSE(find_kernel(p, "regex:<("));
  EXPECT_FALSE(find_kernel(p, "othr"));
}

// The beginning of a full name, as demangled names are shown, and names that select several kernels.
TEST(KernelNames, MayBeTheBeginningOfASignatureOrSelectSeveral) {
  program p;
  p.file = "two.cubin";
  p.kernels = {named("_Z6kernelIsEvPT_PKS0_"), named("_Z6kernelIhEvPT_PKS0_"), named("_ZN2ns5otherEPfi"),
               named("_Z4lastf")};
  EXPECT_EQ(*find_kernel(p, "kernel<short>(short*, short"), &p.kernels[0]);
  EXPECT_EQ(*find_kernel(p, "void kernel<short>("), &p.kernels[0]);
  EXPECT_EQ(*find_kernel(p, "ns::other(float*,int)"), &p.kernels[2]);
  EXPECT_EQ(*find_kernel(p, "other("), &p.kernels[2]);
  EXPECT_EQ(*find_kernel(p, "last("), &p.kernels[3]);
  EXPECT_FALSE(find_kernel(p, "ther("));
  EXPECT_FALSE(find_kernel(p, "float("));
  for (const char* both : {"kernel", "regex:kernel", "regex:^void kernel<"}) {
    const auto found = find_kernels(p, both);
    ASSERT_TRUE(found) << both;
    EXPECT_EQ(found->size(), 2u) << both;
  }
  EXPECT_EQ(find_kernels(p, "")->size(), 4u);
  EXPECT_FALSE(find_kernels(p, "regex:nothing"));
}

// For back references, glibc's regular expressions try every match. They also expand every repetition.
TEST(KernelNames, ExpressionsThatMayTakeForEverAreRefused) {
  program p;
  p.kernels = {named(std::string(2000, 'a'))};
  for (const char* expression : {"regex:(a*)*\\1b", "regex:((a{1,99}){1,99}){1,99}b", "regex:a{30000}"})
    EXPECT_FALSE(endless_expression(std::string_view(expression).substr(6)).empty()) << expression;
  EXPECT_EQ(find_kernel(p, "regex:a{30000}").error().message,
            "-k regex:a{30000}: an expression can have at most 1,000 repetitions");
  EXPECT_FALSE(find_kernel(p, "regex:(a|aa|aaa)*(a*)*(a+)+b"));
  for (const char* fine : {"a{3}", "[\\1]", "[]\\1]", "\\(a\\)", "x{,2}"})
    EXPECT_EQ(endless_expression(fine), "") << fine;
}

TEST(KernelNames, OfAnyLengthDoNotOverflowTheStack) {
  program p;
  p.kernels = {named(std::string(200'000, 'a'))};
  EXPECT_FALSE(find_kernel(p, "regex:(a|b)*c"));
}

}  // namespace
}  // namespace bankwise::cubin
