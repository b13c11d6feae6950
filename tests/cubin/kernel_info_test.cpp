// Tests how the attributes of kernels are read.
#include "cubin/kernel_info.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bankwise::cubin {
namespace {

// Returns an attribute of format 4 with these words.
std::string attribute(std::uint8_t what, std::initializer_list<std::uint32_t> words) {
  std::string s{'\x04', static_cast<char>(what), static_cast<char>(words.size() * 4), '\0'};
  for (const std::uint32_t w : words)
    for (int i = 0; i < 4; ++i) s += static_cast<char>(w >> 8 * i & 0xff);
  return s;
}

struct image {
  elf_image elf;
  std::vector<kernel> kernels;

  image() {
    elf.symbols.resize(6);
    elf.symbols[5].name = "k";
    kernels.push_back({.mangled = "k"});
  }
  std::optional<diagnostic> read(const std::string& section, bool owned) {
    return read_kernel_info(elf, {.name = ".nv.info", .bytes = bytes_of(section)}, "a.cubin", kernels,
                            owned ? &kernels[0] : nullptr);
  }
};

// Tests the example in kernel_info.hpp.
TEST(KernelInfo, NamesTheKernelOrIsOfItsSections) {
  image i;
  EXPECT_FALSE(i.read(attribute(0x2f, {5, 32}) + attribute(0x11, {5, 64}) + attribute(0x12, {5, 128}), false));
  EXPECT_EQ(i.kernels[0].registers, 32u);
  EXPECT_EQ(i.kernels[0].frame_bytes, 64u);
  EXPECT_EQ(i.kernels[0].stack_bytes, 128u);
  EXPECT_FALSE(i.read(attribute(0x05, {8, 4, 0}) + attribute(0x3d, {2, 1, 1}), true));
  EXPECT_EQ(i.kernels[0].max_threads, 32u);
  EXPECT_EQ(i.kernels[0].cluster[0], 2u);
}

// nvlink cannot compute the stack size of a kernel that recurses or calls virtual functions.
TEST(KernelInfo, AStackMayBeUnknown) {
  image i;
  EXPECT_FALSE(i.read(attribute(0x11, {5, 0x98}) + attribute(0x12, {5, 0xffffffff}), false));
  EXPECT_EQ(i.kernels[0].frame_bytes, 0x98u);
  EXPECT_EQ(i.kernels[0].stack_bytes, 0u);
}

TEST(KernelInfo, ParametersStandByTheirNumber) {
  image i;
  // the words are a u32, a u16 ordinal and a u16 offset, and a u32 that has the size from bit 18 on
  EXPECT_FALSE(i.read(attribute(0x17, {0, 1u | 8u << 16, 4u << 18}) + attribute(0x17, {0, 0, 8u << 18}), true));
  ASSERT_EQ(i.kernels[0].params.size(), 2u);
  EXPECT_EQ(i.kernels[0].params[0].bytes, 8u);
  EXPECT_EQ(i.kernels[0].params[1].offset, 8u);
  EXPECT_EQ(i.kernels[0].params[1].bytes, 4u);
}

TEST(KernelInfo, OfNobodyOrOfAnotherChangesNothing) {
  image i;
  EXPECT_FALSE(i.read(attribute(0x2f, {4, 32}) + attribute(0x2f, {999, 32}) + attribute(0x05, {8, 4, 1}), false));
  EXPECT_EQ(i.kernels[0].registers, 0u);
  EXPECT_EQ(i.kernels[0].max_threads, 1024u);
}

TEST(KernelInfo, ThatIsCutIsDamaged) {
  image i;
  const auto wrong = i.read(attribute(0x2f, {5, 32}).substr(0, 9), false);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->message, "section .nv.info is damaged");
}

}  // namespace
}  // namespace bankwise::cubin
