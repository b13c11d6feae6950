#include "cubin/elf_image.hpp"
#include "base/format.hpp"
#include "base/printable.hpp"

#include <cstring>

namespace bankwise::cubin {

namespace {

constexpr std::uint32_t section_symbols = 2, section_strings = 3, section_rela = 4, section_nobits = 8, section_rel = 9;
constexpr std::uint16_t index_is_elsewhere = 0xffff;
constexpr std::size_t header_bytes = 64, section_bytes = 64, symbol_bytes = 24;
constexpr std::size_t most_symbols = 1u << 22;

struct elf_header {
  std::uint8_t word_size, byte_order, abi_version;
  std::uint16_t machine;
  std::uint32_t flags;
  std::uint64_t sections_at;
  std::uint16_t section_size, section_count, names;
};

elf_header read_header(byte_span bytes) {
  elf_header h{};
  byte_reader r(bytes);
  r.skip(4);
  h.word_size = r.u8();
  h.byte_order = r.u8();
  r.skip(2);  // version, system
  h.abi_version = r.u8();
  r.skip(9);  // padding, kind
  h.machine = r.u16();
  r.skip(4 + 8 + 8);  // version, entry, program headers
  h.sections_at = r.u64();
  h.flags = r.u32();
  r.skip(6);  // sizes of this header and of program headers, number of program headers
  h.section_size = r.u16();
  h.section_count = r.u16();
  h.names = r.u16();
  return h;
}

// Reads a section header. `name` receives the offset of the section's name in a table that is read later.
elf_section read_section(byte_span bytes, std::uint64_t at, std::uint32_t& name) {
  byte_reader r(bytes, at);
  elf_section s;
  name = r.u32();
  s.type = r.u32();
  r.skip(8);  // flags
  s.address = r.u64();
  s.offset = r.u64();
  s.size = r.u64();
  s.link = r.u32();
  s.info = r.u32();
  s.alignment = r.u64();
  return s;
}

// Returns the text at offset `at` of a string table. Returns an empty text if there is no table, or if the text does
// not end with a zero byte.
std::string string_at(const std::vector<elf_section>& sections, std::size_t table, std::uint32_t at) {
  if (table >= sections.size() || sections[table].type != section_strings) return {};
  return printable(byte_reader(sections[table].bytes, at).c_string());
}

result<done> read_symbols(const elf_section& table, elf_image& image, const std::string& name) {
  const std::size_t count = table.size / symbol_bytes;
  if (count > most_symbols) return damaged(name, "the file has more than 4 million symbols", table.offset);
  byte_reader r(table.bytes);
  for (std::size_t i = 0; i < count; ++i) {
    elf_symbol s;
    s.name = string_at(image.sections, table.link, r.u32());
    const std::uint8_t info = r.u8();
    s.type = static_cast<symbol_type>(info & 0xf);
    s.binding = static_cast<symbol_binding>(info >> 4);
    s.other = r.u8();
    s.section = r.u16();
    s.value = r.u64();
    s.size = r.u64();
    image.symbols.push_back(std::move(s));
  }
  return done{};
}

}  // namespace

diagnostic damaged(const std::string& name, const std::string& what, std::uint64_t byte) {
  return {what, {.file = name, .byte = byte}, "the file is truncated or damaged. Compile the file again"};
}

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
  if (!is_elf(bytes)) return damaged(name, "this is not an ELF file", 0);
  if (bytes.size() < header_bytes)
    return damaged(name, formatted("the file ends inside its ELF header, after {} bytes", bytes.size()), bytes.size());
  const elf_header header = read_header(bytes);
  if (header.word_size != 2 || header.byte_order != 1)
    return damaged(name, "only 64-bit little-endian ELF files are supported", 4);
  if (header.section_size != section_bytes)
    return damaged(name,
                   formatted("the section headers of the file have {} bytes each, but bankwise reads only "
                             "headers of 64 bytes",
                             header.section_size),
                   58);
  // The header of the first section belongs to an empty section. It contains the numbers that do not fit into 16 bits.
  std::uint64_t count = header.section_count;
  std::uint32_t names = header.names;
  if (header.sections_at != 0 && inside(bytes, header.sections_at, section_bytes)) {
    std::uint32_t unused = 0;
    const elf_section first = read_section(bytes, header.sections_at, unused);
    if (count == 0) count = first.size;
    if (names == index_is_elsewhere) names = first.link;
  }
  if (header.sections_at == 0 || count > bytes.size() / section_bytes ||
      !inside(bytes, header.sections_at, count * section_bytes))
    return damaged(name,
                   formatted("the section table of the file should begin at byte {}, but the file has {} bytes",
                             header.sections_at, bytes.size()),
                   header.sections_at);
  if (names >= count) return damaged(name, "the file has no section names", header.sections_at);

  elf_image image;
  image.machine = header.machine;
  image.flags = header.flags;
  image.abi_version = header.abi_version;
  std::vector<std::uint32_t> name_at(count);
  image.sections.emplace_back();
  for (std::size_t i = 1; i < count; ++i)
    image.sections.push_back(read_section(bytes, header.sections_at + i * section_bytes, name_at[i]));
  const auto within = [&](const elf_section& s) { return s.type == section_nobits || inside(bytes, s.offset, s.size); };
  for (elf_section& s : image.sections)
    if (s.type != section_nobits && within(s)) s.bytes = bytes.subspan(s.offset, s.size);
  for (std::size_t i = 1; i < count; ++i) image.sections[i].name = string_at(image.sections, names, name_at[i]);
  for (const elf_section& s : image.sections)
    if (!within(s)) return damaged(name, formatted("section {} reaches past the end of the file", s.name), s.offset);
  for (std::size_t i = 1; i < count; ++i)
    if (image.sections[i].type == section_symbols)
      if (const auto read = read_symbols(image.sections[i], image, name); !read) return read.error();
  return image;
}

}  // namespace bankwise::cubin
