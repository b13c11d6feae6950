// Keeps the bytes of memory that a rehearsal changes (launch::rehearses), and restores them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace bankwise::emulate {

// Used by one thread at a time.
class changed_bytes {
 public:
  // Must be called before these bytes change.
  void keep(std::byte* at, std::size_t bytes);
  // Whether so many bytes are kept that the rehearsal must end.
  bool is_full() const { return lines_.size() >= most_lines; }
  // Restores all kept bytes, and keeps the changed bytes instead.
  void undo();
  struct difference {
    std::uint64_t bytes = 0;             // number of bytes that differ
    std::byte* first = nullptr;          // where the first word with such a byte is
    std::uint32_t usual = 0, other = 0;  // the values of this word
    bool only_rounding = true;           // whether all words that differ are floats or doubles of almost the same value
  };
  // Compares the results of two rehearsals of a launch. Both must be undone.
  static difference compare(const changed_bytes& usual, const changed_bytes& other);

 private:
  static constexpr std::size_t line_bytes = 128, most_lines = std::size_t{1} << 20;
  struct line {
    std::array<std::byte, line_bytes> before{};  // after undo(): the bytes at the end of the rehearsal
    std::array<std::uint64_t, 2> kept{};         // a bit for each byte of the line
  };
  line& line_at(std::uintptr_t number);
  std::array<std::byte, line_bytes> after(std::uintptr_t number) const;

  std::unordered_map<std::uintptr_t, line> lines_;  // the key is the address in the host's memory, divided by 128
  std::uintptr_t last_number_ = 0;
  line* last_ = nullptr;
};

}  // namespace bankwise::emulate
