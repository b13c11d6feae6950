// Digests: 128 bits that stand for the contents of memory. Different contents have different digests, except with a
// probability that is too small to matter. The digests of a process depend on random numbers of this process, so they
// must not be stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bankwise {

struct digest {
  std::uint64_t low = 0, high = 0;
  bool operator==(const digest&) const = default;
};

// About 10 GB a second. The bytes are mixed as in XXH3 (Collet, 2020).
digest digest_of(std::span<const std::byte> bytes);

}  // namespace bankwise
