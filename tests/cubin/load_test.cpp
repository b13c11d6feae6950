// Tests which image of a file is loaded.
#include "cubin/load.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cubin/image_choice.hpp"
#include "support/fatbin.hpp"
#include "support/files.hpp"

namespace bankwise::cubin {
namespace {

std::vector<std::byte> bytes_of_file(const char* name) { return test::read_bytes(test::source_path(name)); }

TEST(Load, ACubinOrAFatbinOfIt) {
  const auto cubin = bytes_of_file("examples/transpose.cubin"), fatbin = test::fatbin_of(cubin);
  const auto plain = load(cubin, "a", 0), wrapped = load(fatbin, "a", 0), chosen = load(fatbin, "a", 90);
  ASSERT_TRUE(plain && wrapped && chosen);
  EXPECT_EQ(plain->sm, 90u);
  ASSERT_EQ(wrapped->kernels.size(), plain->kernels.size());
  for (std::size_t i = 0; i < plain->kernels.size(); ++i)
    EXPECT_EQ(wrapped->kernels[i].mangled, plain->kernels[i].mangled);
  EXPECT_EQ(chosen->sections[0].bytes, plain->sections[0].bytes);
}

TEST(Load, WhatIsNotThereIsSaidWithWhatIs) {
  const auto cubin = bytes_of_file("examples/transpose.cubin"), fatbin = test::fatbin_of(cubin);
  EXPECT_EQ(load(cubin, "a", 80).error().message, "a is compiled for sm_90, not sm_80");
  const diagnostic other = load(fatbin, "a", 80).error();
  EXPECT_EQ(other.message, "a has no machine code for sm_80");
  EXPECT_TRUE(other.hint.starts_with("the file contains sm_90. ")) << other.hint;
  EXPECT_EQ(load(bytes_of_file("README.md"), "a", 0).error().message,
            "a is not a cubin, a fatbin or a program that contains one");
}

// A fatbin with an image for sm_90 and an image for sm_90a, in this or the other order.
std::vector<std::byte> fatbin_of_two(bool specific_first) {
  const auto plain = test::fatbin_of(bytes_of_file("examples/transpose.cubin"));
  auto specific = test::fatbin_of(bytes_of_file("examples/histogram.cubin"));
  constexpr std::size_t flags = 16 + 40;  // in the header of the first image
  const std::uint64_t arch_specific = 0x100000;
  std::memcpy(specific.data() + flags, &arch_specific, sizeof arch_specific);
  constexpr std::size_t header = 16, size_of_images = 8;
  std::vector<std::byte> both = specific_first ? specific : plain;
  const auto& second = specific_first ? plain : specific;
  both.insert(both.end(), second.begin() + header, second.end());
  const std::uint64_t images = both.size() - header;
  std::memcpy(both.data() + size_of_images, &images, sizeof images);
  return both;
}

TEST(Load, CodeWithTheFeaturesOfItsArchitectureIsPreferred) {
  const auto wanted = load(bytes_of_file("examples/histogram.cubin"), "a", 0);
  ASSERT_TRUE(wanted);
  for (const bool specific_first : {true, false})
    for (const std::uint32_t sm : {0u, 90u}) {
      const auto p = load(fatbin_of_two(specific_first), "a", sm);
      ASSERT_TRUE(p) << to_text(p.error());
      EXPECT_EQ(p->kernels[0].mangled, wanted->kernels[0].mangled) << specific_first << " " << sm;
    }
}

constexpr auto elf = image_kind::elf, ptx = image_kind::ptx;
using images_by_fatbin = std::vector<std::vector<std::pair<image_kind, std::uint32_t>>>;

std::vector<fatbin_image> images_of(const images_by_fatbin& fatbins) {
  std::vector<fatbin_image> all;
  for (std::uint32_t n = 0; n < fatbins.size(); ++n)
    for (const auto& [kind, sm] : fatbins[n]) all.push_back({.kind = kind, .sm = sm, .fatbin = n});
  return all;
}

TEST(ImageChoice, IsTheRuleOfTheDriver) {
  struct {
    const char* images;  // of a fatbin: the architectures of code, or of PTX with a p; a: with its own features
    std::uint32_t gpu;
    const char* runs;
  } constexpr cases[] = {
      {"80 86 89 90", 89, "89"},
      {"80 86 90", 89, "86"},
      {"80 86 90", 86, "86"},
      {"86 80", 89, "86"},
      {"80", 86, "80"},
      {"86", 80, ""},
      {"86 p80", 80, "p80"},
      {"90 75", 80, ""},
      {"90", 100, ""},
      {"90 p90", 100, "p90"},
      {"p75 p80 p90", 86, "p80"},
      {"80 p86", 86, "80"},
      {"90a", 90, "90a"},
      {"90 90a", 90, "90a"},
      {"90a 90", 90, "90a"},
      {"100a", 103, ""},
      {"100a 100", 103, "100"},
      {"120", 121, "120"},
      {"103 100 p100", 110, "p100"},
      {"p90a", 100, ""},
      {"p90a p80", 100, "p80"},
      {"p90a", 90, "p90a"},
      {"100", 120, ""},
      {"", 90, ""},
  };
  for (const auto& [text, gpu, runs] : cases) {
    SCOPED_TRACE(testing::Message() << text << " on sm_" << gpu);
    std::vector<fatbin_image> images;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      const bool is_ptx = word[0] == 'p', is_specific = word.back() == 'a';
      images.push_back({.kind = is_ptx ? ptx : elf,
                        .sm = static_cast<std::uint32_t>(std::stoul(word.substr(is_ptx ? 1 : 0))),
                        .arch_specific = is_specific,
                        .name = word});
    }
    std::vector<const fatbin_image*> all;
    for (const fatbin_image& i : images) all.push_back(&i);
    const fatbin_image* const chosen = image_for(all, gpu);
    EXPECT_EQ(chosen == nullptr ? "" : chosen->name, runs);
  }
}

TEST(ImageChoice, TheDeviceHasCodeForEveryTranslationUnit) {
  struct {
    images_by_fatbin fatbins;
    std::uint32_t gpu;
  } const cases[] = {
      {{{{elf, 80}}, {{elf, 80}}}, 80},
      // A library has code for many architectures, but the program's own sources only for one of them.
      {{{{elf, 80}, {elf, 86}, {elf, 90}, {elf, 120}}, {{elf, 86}}}, 86},
      {{{{elf, 80}, {elf, 86}, {elf, 90}}, {{elf, 80}}}, 80},
      // An sm_86 also runs code for sm_80.
      {{{{elf, 80}}, {{elf, 86}}}, 86},
      {{{{elf, 80}, {elf, 90}}, {{elf, 86}}}, 86},
      {{{{elf, 80}, {elf, 90}, {elf, 120}}}, 90},
      {{{{elf, 80}, {elf, 120}}}, 120},
      {{{{elf, 50}, {ptx, 50}}}, 90},
      {{{{elf, 50}, {elf, 80}}, {{elf, 50}}}, 80},
      {{{{ptx, 80}}}, 90},
      {{{{ptx, 80}, {ptx, 120}}}, 120},
      {{}, 90},
  };
  for (const auto& [fatbins, gpu] : cases) EXPECT_EQ(architecture_for(images_of(fatbins)), gpu) << fatbins.size();
}

TEST(Load, TakesCodeForAnOlderMinorVersion) {
  const auto cubin = bytes_of_file("examples/sm_80/transpose.cubin");
  auto fatbin = test::fatbin_of(cubin);
  constexpr std::size_t architecture = 16 + 28;  // in the header of the first image
  const std::uint32_t sm_80 = 80;
  std::memcpy(fatbin.data() + architecture, &sm_80, sizeof sm_80);
  for (const auto& bytes : {cubin, fatbin}) {
    for (const std::uint32_t sm : {0u, 80u, 86u, 89u}) {
      const auto p = load(bytes, "a", sm);
      ASSERT_TRUE(p) << to_text(p.error());
      EXPECT_EQ(p->sm, 80u);
    }
    for (const std::uint32_t sm : {75u, 90u}) EXPECT_FALSE(load(bytes, "a", sm)) << sm;
  }
}

TEST(Load, AProgramOfTheHostWithoutCodeIsRefused) {
  const auto self = test::read_bytes("/proc/self/exe");
  EXPECT_EQ(load(self, "a", 0).error().message, "a contains no CUDA code");
  EXPECT_FALSE(load_all(self, "a", 90));
  EXPECT_FALSE(has_ptx(self, "a", 90));
}

}  // namespace
}  // namespace bankwise::cubin
