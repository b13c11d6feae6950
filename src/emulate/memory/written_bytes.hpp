// The bytes of device memory that have been written: a bit for each byte of the memory that is followed. Memory that is
// not followed, such as memory that the host can write, counts as written.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>

namespace bankwise::emulate {

class written_bytes {
 public:
  using word = std::atomic<std::uint64_t>;
  struct shadow {
    std::uint64_t address = 0, bytes = 0;
    mutable std::atomic<std::uint64_t> cleared{
        0};  // a new number each time that written bytes may have become unwritten
    std::unique_ptr<word[], void (*)(word*)> bits{nullptr, [](word*) {}};

    // The offsets are in bytes from the first byte of the memory.
    bool has_all(std::uint64_t offset, std::uint64_t count) const;
    bool has_any(std::uint64_t offset, std::uint64_t count) const;
    std::uint64_t missing(std::uint64_t offset, std::uint64_t count) const;  // number of bytes that were not written
    void set(std::uint64_t offset, std::uint64_t count) const;
    void clear(std::uint64_t offset, std::uint64_t count) const;
  };

  // Follows new memory, of which no byte has been written. The memory is not followed if there is no room for its bits.
  void follow(std::uint64_t address, std::uint64_t bytes);
  void forget(std::uint64_t address) { all_.erase(address); }
  // The followed memory that contains the byte, or null.
  const shadow* find(std::uint64_t address) const;
  // Like find(). If the result is null, `begin` and `end` become the range around the address that is not followed.
  const shadow* find(std::uint64_t address, std::uint64_t& begin, std::uint64_t& end) const;

  // `cleared` of the memory that contains the byte; 0 if it is not followed. While it stays the same, no byte becomes
  // unwritten.
  std::uint64_t cleared_at(std::uint64_t address) const;
  void set(std::uint64_t address, std::uint64_t count);
  void clear(std::uint64_t address, std::uint64_t count);
  // The number of these bytes that were not written.
  std::uint64_t missing(std::uint64_t address, std::uint64_t count) const;
  // A copy of bytes that were not written does not write.
  void copy(std::uint64_t to, std::uint64_t from, std::uint64_t count);

 private:
  std::map<std::uint64_t, shadow> all_;
  std::atomic<std::uint64_t> last_cleared_{0};
};

}  // namespace bankwise::emulate
