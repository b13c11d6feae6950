// Memory for machine code of this process. The memory is first writable and then executable, but never both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace bankwise::emulate {

class executable_memory {
 public:
  // Returns an executable copy of `code`. Returns nothing if the system refuses to make memory executable.
  static std::optional<executable_memory> make(std::span<const std::uint8_t> code);
  executable_memory(executable_memory&& other) noexcept
      : at_(std::exchange(other.at_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  executable_memory& operator=(executable_memory&&) = delete;
  ~executable_memory();

  const void* at() const { return at_; }
  std::size_t bytes() const { return bytes_; }

 private:
  executable_memory(void* at, std::size_t bytes) : at_(at), bytes_(bytes) {}
  void* at_;
  std::size_t bytes_;
};

}  // namespace bankwise::emulate
