// Mutates machine code. Half of the mutations only change, copy or swap whole instructions of the input or of a cubin's
// code sections. So most inputs still load and run.
#include <cstring>
#include <random>

#include "cubin/elf_image.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  using namespace bankwise;
  std::minstd_rand random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  if (below(2) == 0) return LLVMFuzzerMutate(data, size, most);
  const byte_span bytes(reinterpret_cast<const std::byte*>(data), size);
  std::uint8_t* code = data;
  std::size_t count = size / 16;
  if (cubin::is_elf(bytes)) {
    count = 0;
    if (const auto elf = cubin::read_elf(bytes, "fuzz"))
      for (const cubin::elf_section& s : elf->sections)
        if (s.name.starts_with(".text.") && s.bytes.size() >= 16 && (count == 0 || below(2) == 0)) {
          code = data + s.offset;
          count = s.bytes.size() / 16;
        }
  }
  if (count == 0) return LLVMFuzzerMutate(data, size, most);
  std::uint8_t *one = code + 16 * below(count), *other = code + 16 * below(count);
  std::uint8_t kept[16];
  switch (below(5)) {
    case 0: one[below(16)] ^= static_cast<std::uint8_t>(1u << below(8)); break;
    case 1: one[below(16)] = static_cast<std::uint8_t>(below(256)); break;
    case 2: std::memmove(one, other, 16); break;
    case 3:
      std::memcpy(kept, one, 16);
      std::memmove(one, other, 16);
      std::memcpy(other, kept, 16);
      break;
    default: LLVMFuzzerMutate(one, 16, 16); break;
  }
  return size;
}
