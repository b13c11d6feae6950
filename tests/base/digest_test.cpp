// Tests digests of bytes: equal for equal bytes at any address, and different for each changed bit and length.
#include "base/system/digest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/random_numbers.hpp"

namespace bankwise {
namespace {

std::vector<std::byte> some_bytes(std::size_t n) {
  random_numbers random(7);
  std::vector<std::byte> all(n);
  for (std::byte& b : all) b = static_cast<std::byte>(random.next());
  return all;
}

TEST(Digest, IsTheSameForEqualBytesAtAnyAddress) {
  const std::vector<std::byte> bytes = some_bytes(5000);
  for (std::size_t shift = 1; shift < 16; ++shift) {
    std::vector<std::byte> moved(shift);
    moved.insert(moved.end(), bytes.begin(), bytes.end());
    EXPECT_EQ(digest_of(bytes), digest_of(std::span(moved).subspan(shift)));
  }
}

TEST(Digest, ChangesWithEachBitAndWithTheLength) {
  std::vector<std::byte> bytes = some_bytes(1300);
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  const auto add = [&](std::span<const std::byte> of) {
    const digest d = digest_of(of);
    EXPECT_TRUE(seen.insert({d.low, d.high}).second) << of.size();
  };
  add(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const auto mask = static_cast<std::byte>(1u << bit % 8);
    bytes[bit / 8] ^= mask;
    add(bytes);
    bytes[bit / 8] ^= mask;
  }
  for (std::size_t n = 0; n < bytes.size(); ++n) add(std::span(bytes).first(n));
}

TEST(Digest, TellsZerosOfDifferentLengthsAndSwappedPartsApart) {
  const std::vector<std::byte> zeros(4096);
  std::set<std::uint64_t> low, high;
  for (std::size_t n = 0; n <= zeros.size(); ++n) {
    const digest d = digest_of(std::span(zeros).first(n));
    EXPECT_TRUE(low.insert(d.low).second && high.insert(d.high).second) << n;
  }
  const std::vector<std::byte> bytes = some_bytes(4096);
  for (const std::size_t part : {8u, 16u, 64u, 1024u, 2048u}) {
    std::vector<std::byte> swapped = bytes;
    std::swap_ranges(swapped.begin(), swapped.begin() + static_cast<std::ptrdiff_t>(part),
                     swapped.begin() + static_cast<std::ptrdiff_t>(part));
    EXPECT_NE(digest_of(swapped), digest_of(bytes)) << part;
  }
}

}  // namespace
}  // namespace bankwise
