// Tests files with several images: the wrappers that nvcc adds are removed, and damaged files are refused.
#include "cubin/fatbin.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "support/fatbin.hpp"
#include "support/files.hpp"

namespace bankwise::cubin {
namespace {

const std::vector<std::byte>& transpose() {
  static const std::vector<std::byte> bytes = test::read_bytes(test::source_path("examples/transpose.cubin"));
  return bytes;
}

TEST(Fatbin, HasItsImagesInOrder) {
  std::vector<std::byte> two = test::fatbin_of(transpose());
  const std::vector<std::byte> second = test::fatbin_of(std::vector<std::byte>(16, std::byte{7}));
  two.insert(two.end(), second.begin(), second.end());
  ASSERT_TRUE(is_fatbin(two));
  EXPECT_FALSE(is_fatbin(transpose()));
  const auto images = read_fatbins(two, "two.fatbin");
  ASSERT_TRUE(images) << to_text(images.error());
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ(images->at(0).kind, image_kind::elf);
  EXPECT_EQ(images->at(0).sm, 90u);
  ASSERT_GE(images->at(0).bytes.size(), transpose().size());
  EXPECT_EQ(std::memcmp(images->at(0).bytes.data(), transpose().data(), transpose().size()), 0);
  EXPECT_EQ(images->at(1).bytes, std::vector<std::byte>(16, std::byte{7}));
}

TEST(Fatbin, ThatIsCutIsRefusedWhereverItIs) {
  const std::vector<std::byte> whole = test::fatbin_of(std::vector<std::byte>(64, std::byte{7}));
  for (std::size_t bytes = 8; bytes < whole.size(); ++bytes) {
    const auto images = read_fatbins(std::span(whole).first(bytes), "cut.fatbin");
    EXPECT_FALSE(images && !images->empty()) << bytes;
  }
}

}  // namespace
}  // namespace bankwise::cubin
