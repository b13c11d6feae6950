// Compares demangled names with the results of the C++ library, and checks that no name exceeds the limits of time and
// memory.
#include "cubin/names/demangler.hpp"

#include <cxxabi.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <set>

#include "cubin/elf_image.hpp"
#include "cubin/kernel_names.hpp"
#include "support/files.hpp"

namespace bankwise::cubin {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> by_the_library(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && text ? std::optional(std::string(text.get())) : std::nullopt;
}

// Returns the mangled symbols of an ELF file, except symbols that are too long for one of the two demanglers.
std::set<std::string> mangled_names(const fs::path& file) {
  const auto bytes = test::read_bytes(file.string());
  const auto image = read_elf(bytes, file.string());
  std::set<std::string> names;
  if (!image) return names;
  for (const elf_symbol& s : image->symbols)
    if (s.name.starts_with("_Z") && s.name.size() <= most_mangled_bytes) names.insert(s.name);
  return names;
}

// Returns the name of nested pairs. Each level contains the text of the previous level twice.
std::string doubled(int levels) {
  // S_ is a, S0_ is std::pair, S1_ the first pair, S2_ the next one ...
  std::string name = "_Z1k1aSt4pairIS_S_E";
  for (int i = 1; i <= levels; ++i) {
    const std::string before = std::string("S") + "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i] + "_";
    name += "S0_I" + before + before + "E";
  }
  return name;
}

TEST(Demangler, SaysWhatTheLibrarySays) {
  for (const char* name : {"_Z6kernelIsEvPT_PKS0_",
                           "_Z1fPFviE",
                           "_Z1fRA5_iPA2_A3_f",
                           "_Z1fM1aKFvPcE",
                           "_Z1fILb1ELj3ELin2EEvv",
                           "_ZN12_GLOBAL__N_11kEv",
                           "_ZZ1gvENKUliE0_clEi",
                           "_ZN1aC1Ev",
                           "_ZN1aD0Ev",
                           "_ZNK1aplERKS_",
                           "_ZN1a1bEv",
                           "_Z1fIJifEEvDpT_",
                           "_Z1fIJifEEvDpRKT_",
                           "_Z1fIJEEvDpT_",
                           "_Z1fIA4_iEvRKT_",
                           "_Z1fIRiEvOT_",
                           "_Z1fIiLi3EEvRAT0__T_",
                           "_Z1fDnDs",
                           "_Z1fv.constprop.0",
                           "_ZTV1a",
                           "_ZGV1a",
                           "_Z1fIXadL_Z1gvEEEvv",
                           "_Z1fIiENSt9enable_ifIXsr3std7is_sameIT_iEE5valueEvE4typeES1_",
                           "_ZNSt6vectorISsSaISsEE9push_backERKSs",
                           "_Z1fB5cxx11v",
                           "_ZZ1fvE1x_0",
                           "_Z1fIiEDTplfp_Li1EET_",
                           "_ZNSaIcEC1Ev",
                           "_ZNSaIcED1Ev",
                           "_ZN1aCI11bEi",
                           "_ZN1aCI1N1b1cIiEEEi",
                           "_Z1fIiEPFvvEv",
                           "_Z1fIiEDTnw_T_piLi0EEEv",
                           "_Z1fIJiiEEDTgsnwcvPvLi0E_1apispcl1gIT_EEEEv",
                           "_Z1fIiEDTcl1gfp_Li1EEET_",
                           "_Z1fI1aEDTcldtfp_1gfp_EET_",
                           "_Z1fIP1aEDTptfp_1bET_",
                           "_Z1fIiEDTcvvlsfp_fp_ET_",
                           "_ZNK1a1fIiEEDTcldtdtdefpT1b1cfp_EET_",
                           "_Z1fIiEDTltcl1gIT_Efp_Ecl1gIS1_Efp_EES1_"}) {
    const auto expected = by_the_library(name);
    EXPECT_EQ(demangled(name).value_or("none"), expected.value_or("none")) << name;
  }
}

TEST(Demangler, NamesOfAllKernelsOfTheTree) {
  std::size_t n = 0;
  for (const char* top : {"examples", "tests", "data", "fuzz"})
    for (const auto& entry : fs::recursive_directory_iterator(test::source_path(top)))
      if (entry.path().extension() == ".cubin")
        for (const std::string& name : mangled_names(entry.path())) {
          ++n;
          EXPECT_EQ(demangled(name), by_the_library(name)) << name;
        }
  EXPECT_GT(n, 150u);
}

// The symbols of this test program include containers, streams, lambdas, local classes and tables of functions.
TEST(Demangler, NamesOfThisProgram) {
  std::size_t n = 0, others = 0;
  std::string some;
  for (const std::string& name : mangled_names("/proc/self/exe")) {
    const auto expected = by_the_library(name), got = demangled(name);
    if (!expected) continue;
    ++n;
    if (got == expected) continue;
    if (++others <= 8) some += name + "\n  " + *expected + "\n  " + got.value_or("none") + "\n";
  }
  if (n == 0) GTEST_SKIP() << "this program has no symbols";
  EXPECT_GT(n, 1000u);
  EXPECT_LT(others * 50, n) << others << " of " << n << "\n" << some;
}

TEST(Demangler, AFewHundredCharactersThatMeanGigabytesStayAsTheyAre) {
  ASSERT_EQ(demangled(doubled(3)), by_the_library(doubled(3)));
  const auto begin = std::chrono::steady_clock::now();
  const std::string name = doubled(35);
  EXPECT_LT(name.size(), 600u);
  EXPECT_EQ(demangle(name), name);
  // These substitutions refer to all earlier parameters.
  std::string packs = "_Z1fIJ";
  for (int i = 0; i < 60; ++i) packs += "i";
  packs += "EEv";
  for (int i = 0; i < 60; ++i) packs += "Dp1aIDp1aIT_EE";
  demangled(packs);
  EXPECT_EQ(demangle("_Z1f" + std::string(900, 'P') + "i"), "_Z1f" + std::string(900, 'P') + "i");
  EXPECT_EQ(demangle("_Z1f" + std::string(5000, 'i')), "_Z1f" + std::string(5000, 'i'));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count(), 5.0);  // the C++ library takes minutes for this name
}

// Puts pieces of real names together in any order. Each call ends soon and respects its limits. If the library is also
// fast, our result equals the library's result or is empty.
TEST(Demangler, AnyNameEndsSoonAndInBounds) {
  const char* pieces[] = {"S_",   "S0_", "S1_", "S2_", "S3_", "T_", "T0_", "I",  "E",  "N",  "1a", "2bc",  "i",
                          "P",    "R",   "K",   "O",   "F",   "v",  "A3_", "Dp", "J",  "X",  "L",  "Li1E", "St",
                          "Sa",   "Z",   "Ul",  "E_",  "cv",  "pl", "M",   "C1", "D2", "sZ", "DT", "fp_",  "sr",
                          "Lb1E", "cl",  "U",   "B1x", "_Z",  "GV", "TV",  ".a", "0_", "_",  "9",  "ss"};
  std::mt19937 next(7);
  std::size_t some = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string name = "_Z1f";
    for (std::size_t n = next() % 40; n > 0; --n) name += pieces[next() % std::size(pieces)];
    const auto text = demangled(name);
    if (!text) continue;
    ++some;
    ASSERT_LE(text->size(), most_demangled_bytes) << name;
  }
  EXPECT_GT(some, 1000u);
}

}  // namespace
}  // namespace bankwise::cubin
