#include "runtime/load/host_file.hpp"

#include <algorithm>
#include <cstring>

namespace bankwise::cuda {

std::optional<host_file> read_host_file(byte_span bytes) {
  byte_reader r(bytes);
  host_file file{bytes, r.read<Elf64_Ehdr>(), {}};
  const Elf64_Ehdr& head = file.head;
  if (r.failed() || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
      head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_phentsize != sizeof(Elf64_Phdr))
    return std::nullopt;
  file.segments = read_table<Elf64_Phdr>(bytes, head.e_phoff, head.e_phnum);
  return file;
}

const Elf64_Phdr* segment_at(const host_file& file, std::uint64_t address, std::uint32_t flags) {
  const auto has = [&](const Elf64_Phdr& p) {
    return p.p_type == PT_LOAD && (p.p_flags & flags) == flags && address >= p.p_vaddr &&
           address - p.p_vaddr < p.p_filesz;
  };
  const auto it = std::find_if(file.segments.begin(), file.segments.end(), has);
  return it == file.segments.end() ? nullptr : &*it;
}

byte_span bytes_at(const host_file& file, std::uint64_t address, std::uint64_t size, std::uint32_t flags) {
  const Elf64_Phdr* const p = segment_at(file, address, flags);
  if (p == nullptr || size > p->p_filesz - (address - p->p_vaddr)) return {};
  const std::uint64_t at = p->p_offset + (address - p->p_vaddr);
  return at >= p->p_offset && inside(file.bytes, at, size) ? file.bytes.subspan(at, size) : byte_span();
}

}  // namespace bankwise::cuda
