// Reads the sections, symbols and relocations of an ELF file in memory: a cubin, or a host program that contains
// fatbins. The reader does not use libelf, because the static libelf cannot be linked into libraries that other
// programs load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace bankwise::cubin {

inline constexpr std::uint16_t machine_cuda = 190;  // EM_CUDA

struct elf_section {
  std::string name;
  std::uint32_t type = 0;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t address = 0;
  std::uint64_t offset = 0;  // offset in the file
  std::uint64_t size = 0;    // a NOBITS section has a size but no bytes
  std::uint64_t alignment = 1;
  byte_span bytes;
};

// The values of ELF's STT_ and STB_ constants. Unknown values are stored unchanged.
enum class symbol_type : std::uint8_t { none, object, function, section, file };
enum class symbol_binding : std::uint8_t { local, global, weak };

struct elf_symbol {
  std::string name;
  std::uint64_t value = 0;
  std::uint64_t size = 0;
  std::uint32_t section = 0;  // index of the section; 0 if the symbol is undefined
  symbol_type type = symbol_type::none;
  symbol_binding binding = symbol_binding::local;
  std::uint8_t other = 0;
};

struct elf_relocation {
  std::uint64_t offset = 0;
  std::uint32_t symbol = 0;
  std::uint32_t type = 0;
  std::int64_t addend = 0;
};

struct elf_image {
  std::uint16_t machine = 0;
  std::uint32_t flags = 0;
  std::uint8_t abi_version = 0;
  std::vector<elf_section> sections;
  std::vector<elf_symbol> symbols;

  const elf_section* find(std::string_view name) const;
  // The relocations that apply to a section, from its .rel or .rela section.
  std::vector<elf_relocation> relocations_of(const elf_section& section) const;
};

// `bytes` must exist as long as the image. Errors contain `name`.
result<elf_image> read_elf(byte_span bytes, const std::string& name);
bool is_elf(byte_span bytes);
// Returns the error for a malformed file. `byte` is the position of the fault.
diagnostic damaged(const std::string& name, const std::string& what, std::uint64_t byte);

}  // namespace bankwise::cubin
