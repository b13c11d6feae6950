// A program or library of the host: its header and its segments, with all sizes checked. To save time while the loader
// waits, nothing is copied. cubin/elf_image.hpp is a different reader. It reads the symbols of cubins and of programs
// with fatbins.
#pragma once

#include <elf.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"

namespace bankwise::cuda {

struct host_file {
  byte_span bytes;
  Elf64_Ehdr head{};
  std::vector<Elf64_Phdr> segments;
};

// Returns nothing if the file is not a 64-bit ELF file, or if its table of segments exceeds the file.
std::optional<host_file> read_host_file(byte_span bytes);

// Returns the segment that contains this address of the loaded file and has all of these flags, or null.
const Elf64_Phdr* segment_at(const host_file& file, std::uint64_t address, std::uint32_t flags = 0);
// Returns the `size` bytes at an address if one segment of the file contains all of these bytes. Otherwise, returns an
// empty span.
byte_span bytes_at(const host_file& file, std::uint64_t address, std::uint64_t size, std::uint32_t flags = 0);

// Returns the `count` entries of a table. Returns an empty list if the table exceeds the file.
template <class T>
std::vector<T> read_table(byte_span bytes, std::uint64_t at, std::uint64_t count) {
  std::vector<T> table;
  if (count > bytes.size() / sizeof(T) || !inside(bytes, at, count * sizeof(T))) return table;
  byte_reader r(bytes, at);
  for (std::uint64_t i = 0; i < count; ++i) table.push_back(r.read<T>());
  return table;
}

}  // namespace bankwise::cuda
