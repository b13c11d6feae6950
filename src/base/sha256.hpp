// SHA-256 (FIPS 180-4). Unlike a digest of digest.hpp, the result is the same in every process and on every machine, so
// it can be stored as the key of a cache.
//
//     sha256 hash;
//     hash.add("abc");
//     hash.hexadecimal()      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bankwise {

class sha256 {
 public:
  void add(std::string_view bytes);
  // Adds the length and the bytes, so that neighbouring fields cannot be mistaken for each other.
  void add_field(std::string_view bytes);
  // Returns 64 digits. The hash can then no longer be used.
  std::string hexadecimal();

 private:
  void mix(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_{};
  std::size_t kept_ = 0;  // number of bytes in `rest_`
  std::uint64_t bytes_ = 0;
};

}  // namespace bankwise
