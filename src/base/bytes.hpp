// Little-endian reads from untrusted bytes. A read past the end returns zero and sets `failed`. The reader never reads
// outside of the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace bankwise {

using byte_span = std::span<const std::byte>;

inline byte_span bytes_of(std::string_view s) { return {reinterpret_cast<const std::byte*>(s.data()), s.size()}; }

class byte_reader {
 public:
  explicit byte_reader(byte_span bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}

  template <class T>
  T read() {
    T value{};
    if (at_ > bytes_.size() || bytes_.size() - at_ < sizeof(T)) {
      failed_ = true;
      at_ = bytes_.size();
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  std::uint8_t u8() { return read<std::uint8_t>(); }
  std::uint16_t u16() { return read<std::uint16_t>(); }
  std::uint32_t u32() { return read<std::uint32_t>(); }
  std::uint64_t u64() { return read<std::uint64_t>(); }

  // Reads an integer of variable length, as in DWARF.
  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t b = u8();
      if (failed_) return 0;
      if (shift < 64) value |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      if ((b & 0x80) == 0) return value;
    }
  }
  std::int64_t sleb() {
    std::int64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t b = u8();
      if (failed_) return 0;
      if (shift < 64) value |= static_cast<std::int64_t>(static_cast<std::uint64_t>(b & 0x7f) << shift);
      if ((b & 0x80) == 0) {
        if ((b & 0x40) != 0 && shift + 7 < 64) value |= static_cast<std::int64_t>(~std::uint64_t{0} << (shift + 7));
        return value;
      }
    }
  }

  // Returns the text before the next zero byte, and skips the zero byte.
  std::string_view c_string() {
    const std::size_t begin = at_;
    while (at_ < bytes_.size() && bytes_[at_] != std::byte{0}) ++at_;
    if (at_ >= bytes_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view s(reinterpret_cast<const char*>(bytes_.data() + begin), at_ - begin);
    ++at_;
    return s;
  }

  byte_span take(std::uint64_t count) {
    if (at_ > bytes_.size() || bytes_.size() - at_ < count) {
      failed_ = true;
      at_ = bytes_.size();
      return {};
    }
    const byte_span s = bytes_.subspan(at_, count);
    at_ += count;
    return s;
  }
  void skip(std::uint64_t count) { take(count); }

  std::size_t at() const { return at_; }
  bool at_end() const { return at_ >= bytes_.size(); }
  bool failed() const { return failed_; }

 private:
  byte_span bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

// Whether the range [offset, offset + count) is inside `bytes`.
inline bool inside(byte_span bytes, std::uint64_t offset, std::uint64_t count) {
  return offset <= bytes.size() && count <= bytes.size() - offset;
}

}  // namespace bankwise
