#include "cubin/elf_image.hpp"

#include <gelf.h>
#include <libelf.h>

#include <cstring>
#include <memory>

namespace bankwise::cubin {

namespace {

constexpr std::uint32_t section_nobits = 8, section_symbols = 2, section_rela = 4, section_rel = 9;
constexpr std::size_t most_symbols = 1u << 22;

struct close_elf {
  void operator()(Elf* e) const { elf_end(e); }
};

diagnostic damaged(const std::string& name, const std::string& what, std::uint64_t byte) {
  return {what, {.file = name, .byte = byte}, "the file is truncated or damaged; compile it again"};
}

result<done> read_symbols(Elf* elf, const elf_section& table, Elf_Scn* scn, elf_image& image, const std::string& name) {
  Elf_Data* data = elf_getdata(scn, nullptr);
  if (data == nullptr) return damaged(name, "the symbol table cannot be read", table.offset);
  const std::size_t count = table.size / sizeof(Elf64_Sym);
  if (count > most_symbols) return damaged(name, "more than 4 million symbols", table.offset);
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Sym s;
    if (gelf_getsym(data, static_cast<int>(i), &s) == nullptr)
      return damaged(name, "symbol " + std::to_string(i) + " cannot be read", table.offset + i * sizeof(Elf64_Sym));
    const char* text = elf_strptr(elf, table.link, s.st_name);
    image.symbols.push_back({text != nullptr ? text : "", s.st_value, s.st_size, s.st_shndx,
                             static_cast<std::uint8_t>(GELF_ST_TYPE(s.st_info)),
                             static_cast<std::uint8_t>(GELF_ST_BIND(s.st_info)), s.st_other});
  }
  return done{};
}

}  // namespace

bool is_elf(byte_span bytes) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(),
                                          "\x7f"
                                          "ELF",
                                          4) == 0;
}

const elf_section* elf_image::find(std::string_view name) const {
  for (const elf_section& s : sections)
    if (s.name == name) return &s;
  return nullptr;
}

std::vector<elf_relocation> elf_image::relocations_of(const elf_section& section) const {
  std::vector<elf_relocation> list;
  const std::size_t index = static_cast<std::size_t>(&section - sections.data());
  for (const elf_section& s : sections) {
    if ((s.type != section_rela && s.type != section_rel) || s.info != index) continue;
    byte_reader r(s.bytes);
    while (!r.at_end() && !r.failed()) {
      elf_relocation e;
      e.offset = r.u64();
      const std::uint64_t info = r.u64();
      e.symbol = static_cast<std::uint32_t>(info >> 32);
      e.type = static_cast<std::uint32_t>(info);
      if (s.type == section_rela) e.addend = static_cast<std::int64_t>(r.u64());
      if (!r.failed()) list.push_back(e);
    }
  }
  return list;
}

result<elf_image> read_elf(byte_span bytes, const std::string& name) {
  if (!is_elf(bytes)) return damaged(name, "not an ELF file", 0);
  if (bytes.size() < sizeof(Elf64_Ehdr))
    return damaged(name, "the file ends inside its ELF header, after " + std::to_string(bytes.size()) + " bytes",
                   bytes.size());
  elf_version(EV_CURRENT);
  // libelf takes the image as writable but does not write to it when reading.
  const std::unique_ptr<Elf, close_elf> elf(
      elf_memory(const_cast<char*>(reinterpret_cast<const char*>(bytes.data())), bytes.size()));
  GElf_Ehdr header;
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr)
    return damaged(name, std::string("unreadable ELF header: ") + elf_errmsg(-1), 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return damaged(name, "only 64-bit little-endian ELF files have a place here", EI_CLASS);
  // libelf takes a table that is not there for an empty one.
  if (header.e_shoff == 0 || !inside(bytes, header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize))
    return damaged(name,
                   "its section table should be at byte " + std::to_string(header.e_shoff) + ", but the file has " +
                       std::to_string(bytes.size()) + " bytes",
                   header.e_shoff);
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf.get(), &names) != 0)
    return damaged(name, "the section names cannot be found", header.e_shoff);

  elf_image image;
  image.machine = header.e_machine;
  image.flags = header.e_flags;
  image.abi_version = header.e_ident[EI_ABIVERSION];
  image.sections.emplace_back();  // index 0 is the null section
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf.get(), scn)) != nullptr;) {
    GElf_Shdr h;
    if (gelf_getshdr(scn, &h) == nullptr)
      return damaged(name, std::string("a section header cannot be read: ") + elf_errmsg(-1), header.e_shoff);
    const char* text = elf_strptr(elf.get(), names, h.sh_name);
    elf_section s{text != nullptr ? text : "",
                  h.sh_type,
                  h.sh_link,
                  h.sh_info,
                  h.sh_addr,
                  h.sh_offset,
                  h.sh_size,
                  h.sh_addralign,
                  {}};
    if (s.type != section_nobits) {
      if (!inside(bytes, s.offset, s.size))
        return damaged(name, "section " + s.name + " reaches past the end of the file", s.offset);
      s.bytes = bytes.subspan(s.offset, s.size);
    }
    image.sections.push_back(std::move(s));
    if (h.sh_type == section_symbols)
      if (const auto read = read_symbols(elf.get(), image.sections.back(), scn, image, name); !read)
        return read.error();
  }
  return image;
}

}  // namespace bankwise::cubin
