#include "emulate/jit/executable_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace bankwise::emulate {

// The pages are private. A forked child keeps the contents of the pages, and does not see later writes.
std::optional<executable_memory> executable_memory::make(std::span<const std::uint8_t> code) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = (code.size() + page - 1) / page * page;
  if (bytes == 0) return {};
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return {};
  executable_memory memory(at, bytes);
  std::memcpy(at, code.data(), code.size());
  if (mprotect(at, bytes, PROT_READ | PROT_EXEC) != 0) return {};
  return memory;
}

executable_memory::~executable_memory() {
  if (at_ != nullptr) munmap(at_, bytes_);
}

}  // namespace bankwise::emulate
