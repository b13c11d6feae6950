// Tests the addresses that the loader writes into code and data.
#include "cubin/relocation.hpp"

#include <gtest/gtest.h>

#include "cubin/program.hpp"

namespace bankwise::cubin {
namespace {

struct words {
  std::uint64_t low = ~std::uint64_t{0}, high = ~std::uint64_t{0};
};
words put(relocation_form form, std::uint64_t address, words w = {}) {
  put_address(reinterpret_cast<std::byte*>(&w), form, address);
  return w;
}

TEST(Relocation, OfData) {
  words w = put(relocation_form::data_64, 0x7b00'1234'5678ull);
  EXPECT_EQ(w.low, 0x7b00'1234'5678ull);
  EXPECT_EQ(w.high, ~std::uint64_t{0});
  w = put(relocation_form::data_32, 0x7b00'1234'5678ull);
  EXPECT_EQ(w.low, 0xffff'ffff'1234'5678ull);
}

TEST(Relocation, OfAMovesHalves) {
  EXPECT_EQ(put(relocation_form::low_at_32, 0x7b00'1234'5678ull).low, 0x1234'5678'ffff'ffffull);
  EXPECT_EQ(put(relocation_form::high_at_32, 0x7b00'1234'5678ull).low, 0x0000'7b00'ffff'ffffull);
}

// On sm_75 to sm_89, the target of a call is a field of 47 bits that starts at bit 34 of the instruction. The
// relocation does not change the other bits.
TEST(Relocation, OfAnEarlierCallsTarget) {
  for (const std::uint64_t address : {code_base, code_base + 0x1230, std::uint64_t{4}, std::uint64_t{0x7fff'ffff'fff0}})
    for (const words before : {words{}, words{0, 0}}) {
      const words w = put(relocation_form::whole_call, address, before);
      EXPECT_EQ((w.low >> 34 | (w.high & 0x1ffff) << 30) * 4, address);
      const std::uint64_t kept = (std::uint64_t{1} << 34) - 1;
      EXPECT_EQ(w.low & kept, before.low & kept);
      EXPECT_EQ(w.high >> 17, before.high >> 17);
    }
}

// Since sm_90, the field has 55 bits: 8 from bit 16 on, and 47 from bit 34 on.
TEST(Relocation, OfACallsTarget) {
  for (const std::uint64_t address : {code_base, code_base + 0x1230, std::uint64_t{4}, std::uint64_t{0x7fff'ffff'fff0}})
    for (const words before : {words{}, words{0, 0}}) {
      const words w = put(relocation_form::parted_call, address, before);
      const std::uint64_t upper = w.low >> 34 | (w.high & 0x1ffff) << 30;
      EXPECT_EQ((upper << 8 | (w.low >> 16 & 0xff)) * 4, address);
      const std::uint64_t kept = 0xffffull | std::uint64_t{0x3ff} << 24;
      EXPECT_EQ(w.low & kept, before.low & kept);
      EXPECT_EQ(w.high >> 17, before.high >> 17);
    }
}

TEST(Relocation, OfAnUnknownTypeHasNoForm) {
  EXPECT_EQ(form_of(2), relocation_form::data_64);
  EXPECT_EQ(form_of(58), relocation_form::whole_call);
  EXPECT_EQ(form_of(75), relocation_form::parted_call);
  EXPECT_EQ(form_of(0), std::nullopt);
  EXPECT_EQ(form_of(1000), std::nullopt);
  EXPECT_EQ(bytes_of(relocation_form::data_32), 4u);
  EXPECT_EQ(bytes_of(relocation_form::parted_call), 16u);
}

}  // namespace
}  // namespace bankwise::cubin
