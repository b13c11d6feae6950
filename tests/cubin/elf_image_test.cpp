// Tests the reader of ELF files: the reader agrees with the structures of <elf.h>, and refuses damaged files.
#include "cubin/elf_image.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <vector>

#include "support/files.hpp"

namespace bankwise {
namespace {

using bytes_t = std::vector<std::byte>;

const bytes_t& transpose() {
  static const bytes_t bytes = test::read_bytes(test::source_path("examples/transpose.cubin"));
  return bytes;
}

template <class T>
T at(const bytes_t& bytes, std::uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}
template <class T>
void put(bytes_t& bytes, std::uint64_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

Elf64_Shdr section_of(const bytes_t& bytes, std::size_t index) {
  return at<Elf64_Shdr>(bytes, at<Elf64_Ehdr>(bytes, 0).e_shoff + index * sizeof(Elf64_Shdr));
}
std::size_t index_of_type(const bytes_t& bytes, std::uint32_t type) {
  std::size_t i = 1;
  while (section_of(bytes, i).sh_type != type) ++i;
  return i;
}

TEST(ElfImage, AgreesWithTheStructuresOfTheSystem) {
  const bytes_t& bytes = transpose();
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  const auto elf = cubin::read_elf(bytes, "transpose.cubin");
  ASSERT_TRUE(elf) << to_text(elf.error());
  EXPECT_EQ(elf->machine, header.e_machine);
  EXPECT_EQ(elf->flags, header.e_flags);
  EXPECT_EQ(elf->abi_version, header.e_ident[EI_ABIVERSION]);
  ASSERT_EQ(elf->sections.size(), header.e_shnum);
  ASSERT_GT(header.e_shnum, 10);
  const Elf64_Shdr names = section_of(bytes, header.e_shstrndx);
  for (std::size_t i = 1; i < elf->sections.size(); ++i) {
    const Elf64_Shdr h = section_of(bytes, i);
    const cubin::elf_section& s = elf->sections[i];
    EXPECT_EQ(s.name, reinterpret_cast<const char*>(bytes.data() + names.sh_offset + h.sh_name));
    EXPECT_EQ(s.type, h.sh_type);
    EXPECT_EQ(s.link, h.sh_link);
    EXPECT_EQ(s.info, h.sh_info);
    EXPECT_EQ(s.address, h.sh_addr);
    EXPECT_EQ(s.offset, h.sh_offset);
    EXPECT_EQ(s.size, h.sh_size);
    EXPECT_EQ(s.alignment, h.sh_addralign);
    EXPECT_EQ(s.bytes.size(), h.sh_type == SHT_NOBITS ? 0 : h.sh_size);
  }
  const Elf64_Shdr table = section_of(bytes, index_of_type(bytes, SHT_SYMTAB));
  const Elf64_Shdr texts = section_of(bytes, table.sh_link);
  ASSERT_EQ(elf->symbols.size(), table.sh_size / sizeof(Elf64_Sym));
  for (std::size_t i = 0; i < elf->symbols.size(); ++i) {
    const auto symbol = at<Elf64_Sym>(bytes, table.sh_offset + i * sizeof(Elf64_Sym));
    const cubin::elf_symbol& s = elf->symbols[i];
    EXPECT_EQ(s.name, reinterpret_cast<const char*>(bytes.data() + texts.sh_offset + symbol.st_name));
    EXPECT_EQ(s.value, symbol.st_value);
    EXPECT_EQ(s.size, symbol.st_size);
    EXPECT_EQ(s.section, symbol.st_shndx);
    EXPECT_EQ(static_cast<unsigned>(s.type), ELF64_ST_TYPE(symbol.st_info));
    EXPECT_EQ(static_cast<unsigned>(s.binding), ELF64_ST_BIND(symbol.st_info));
    EXPECT_EQ(s.other, symbol.st_other);
  }
}

// If a file has more than 65,279 sections, the first section contains the number of sections and the index of the name
// table.
TEST(ElfImage, NumbersTooLargeForTheHeader) {
  bytes_t bytes = transpose();
  auto header = at<Elf64_Ehdr>(bytes, 0);
  auto first = section_of(bytes, 0);
  first.sh_size = header.e_shnum;
  first.sh_link = header.e_shstrndx;
  put(bytes, header.e_shoff, first);
  header.e_shnum = 0;
  header.e_shstrndx = SHN_XINDEX;
  put(bytes, 0, header);
  const auto elf = cubin::read_elf(bytes, "large.cubin");
  ASSERT_TRUE(elf) << to_text(elf.error());
  EXPECT_EQ(elf->sections.size(), first.sh_size);
  EXPECT_NE(elf->find(".symtab"), nullptr);
}

// A name without an end, or a name outside of a string table, is treated as missing.
TEST(ElfImage, NamesWithoutAnEnd) {
  bytes_t bytes = transpose();
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  const Elf64_Shdr names = section_of(bytes, header.e_shstrndx);
  std::memset(bytes.data() + names.sh_offset, 'x', names.sh_size);
  const auto elf = cubin::read_elf(bytes, "names.cubin");
  ASSERT_TRUE(elf) << to_text(elf.error());
  for (const cubin::elf_section& s : elf->sections) EXPECT_EQ(s.name, "");
}

TEST(ElfImage, RefusesWhatIsDamaged) {
  const std::uint64_t table = at<Elf64_Ehdr>(transpose(), 0).e_shoff;
  const auto header = [](auto change) {
    return [change](bytes_t& bytes) {
      auto h = at<Elf64_Ehdr>(bytes, 0);
      change(h);
      put(bytes, 0, h);
    };
  };
  struct damage {
    const char* says;
    std::function<void(bytes_t&)> done;
  };
  const damage all[] = {
      {"this is not an ELF file", [](bytes_t& b) { b[1] = std::byte{'X'}; }},
      {"ends inside its ELF header", [](bytes_t& b) { b.resize(63); }},
      {"only 64-bit little-endian", header([](Elf64_Ehdr& h) { h.e_ident[EI_CLASS] = ELFCLASS32; })},
      {"only 64-bit little-endian", header([](Elf64_Ehdr& h) { h.e_ident[EI_DATA] = ELFDATA2MSB; })},
      {"the section headers of the file have 40 bytes", header([](Elf64_Ehdr& h) { h.e_shentsize = 40; })},
      {"the section table of the file should begin at byte 0", header([](Elf64_Ehdr& h) { h.e_shoff = 0; })},
      {"the section table of the file should begin at byte", header([](Elf64_Ehdr& h) { h.e_shoff = ~0ull - 8; })},
      {"the section table of the file should begin at byte", [=](bytes_t& b) { b.resize(table + 64); }},
      {"the file has no section names", header([](Elf64_Ehdr& h) { h.e_shstrndx = h.e_shnum; })},
      // The first section claims that there are 2^60 sections.
      {"the section table of the file should begin at byte",
       [=](bytes_t& b) {
         header([](Elf64_Ehdr& h) { h.e_shnum = 0; })(b);
         auto first = section_of(b, 0);
         first.sh_size = 1ull << 60;
         put(b, table, first);
       }},
      {".symtab reaches past the end of the file",
       [=](bytes_t& b) {
         const std::size_t i = index_of_type(b, SHT_SYMTAB);
         auto s = section_of(b, i);
         s.sh_offset = ~0ull - 4;
         put(b, table + i * sizeof s, s);
       }},
  };
  for (const damage& d : all) {
    bytes_t bytes = transpose();
    d.done(bytes);
    const auto elf = cubin::read_elf(bytes, "damaged.cubin");
    ASSERT_FALSE(elf) << d.says;
    EXPECT_NE(to_text(elf.error()).find(d.says), std::string::npos) << to_text(elf.error());
  }
}

}  // namespace
}  // namespace bankwise
