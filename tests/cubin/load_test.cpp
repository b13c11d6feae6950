// Tests which image of a file is loaded.
#include "cubin/load.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

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
  std::vector<std::byte> both = specific_first ? specific : plain;
  const auto& second = specific_first ? plain : specific;
  both.insert(both.end(), second.begin(), second.end());
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

TEST(Load, TheDeviceHasCodeForEveryTranslationUnit) {
  const auto device = [](std::vector<std::pair<image_kind, std::uint32_t>> images) {
    std::vector<fatbin_image> all;
    for (const auto& [kind, sm] : images) all.push_back({.kind = kind, .sm = sm});
    return device_for(all, [](std::uint32_t sm) { return sm >= 75; });
  };
  const auto elf = image_kind::elf, ptx = image_kind::ptx;
  EXPECT_EQ(device({{elf, 80}, {elf, 80}}), 80u);
  // A library has code for many architectures, but the program's own sources only for one of them.
  EXPECT_EQ(device({{elf, 86}, {elf, 80}, {elf, 86}, {elf, 90}, {elf, 120}}), 86u);
  EXPECT_EQ(device({{elf, 80}, {elf, 90}, {elf, 120}}), 90u);
  EXPECT_EQ(device({{elf, 80}, {elf, 120}}), 120u);
  EXPECT_EQ(device({{elf, 50}, {ptx, 50}}), 90u);
  EXPECT_EQ(device({{ptx, 80}}), 90u);
  EXPECT_EQ(device({{ptx, 80}, {ptx, 120}}), 120u);
  EXPECT_EQ(device({}), 90u);
}

TEST(Load, AProgramOfTheHostWithoutCodeIsRefused) {
  const auto self = test::read_bytes("/proc/self/exe");
  EXPECT_EQ(load(self, "a", 0).error().message, "a contains no CUDA code");
  EXPECT_FALSE(load_all(self, "a", 90));
  EXPECT_FALSE(has_ptx(self, "a", 90));
}

}  // namespace
}  // namespace bankwise::cubin
