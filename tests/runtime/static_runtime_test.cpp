// Tests how a runtime is found in a file. The files are made by the test: valid files, as linkers write them, and
// invalid files.
#include "runtime/load/static_runtime.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "runtime/exported_names.hpp"

namespace bankwise::cuda {
namespace {

constexpr std::uint64_t code_address = 0x400000;
constexpr unsigned char local_function = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
                        global_function = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);

struct test_symbol {
  std::string name;
  std::uint64_t at = 0, size = 16;  // offset from the beginning of the code
  unsigned char info = local_function, other = STV_DEFAULT;
  std::uint16_t section = 1;
};

template <class T>
void append(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Makes a file: a header, the code with its segment, symbols, names, and sections.
std::string make_file(const std::vector<test_symbol>& symbols, const std::string& code,
                      std::uint16_t machine = EM_X86_64) {
  std::string names(1, '\0'), table(sizeof(Elf64_Sym), '\0');
  for (const test_symbol& s : symbols) {
    append(table,
           Elf64_Sym{static_cast<Elf64_Word>(names.size()), s.info, s.other, s.section, code_address + s.at, s.size});
    names += s.name + '\0';
  }
  const std::uint64_t code_at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), table_at = code_at + code.size(),
                      names_at = table_at + table.size(), sections_at = names_at + names.size();
  Elf64_Ehdr head{};
  std::copy_n(ELFMAG, SELFMAG, head.e_ident);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_type = ET_DYN;
  head.e_machine = machine;
  head.e_phoff = sizeof head;
  head.e_shoff = sections_at;
  head.e_phentsize = sizeof(Elf64_Phdr);
  head.e_phnum = 1;
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = 4;
  std::string file;
  append(file, head);
  append(file, Elf64_Phdr{PT_LOAD, PF_R | PF_X, code_at, code_address, code_address, code.size(), code.size(), 1});
  file += code + table + names;
  append(file, Elf64_Shdr{});
  append(file, Elf64_Shdr{0, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code_address, code_at, code.size(), 0, 0, 1, 0});
  append(file, Elf64_Shdr{0, SHT_SYMTAB, 0, 0, table_at, table.size(), 3, 1, 8, sizeof(Elf64_Sym)});
  append(file, Elf64_Shdr{0, SHT_STRTAB, 0, 0, names_at, names.size(), 0, 0, 1, 0});
  return file;
}

// Returns a function of 16 bytes for each exported name. Code of the program precedes these functions.
std::vector<test_symbol> all_functions(int major) {
  std::vector<test_symbol> symbols;
  for (const std::string& name : test::exported_names(major)) symbols.push_back({name, 1024 + 16 * symbols.size()});
  return symbols;
}

const std::string nops(16384, '\x90');

std::vector<std::string> names_of(const static_runtime& r) {
  std::vector<std::string> names;
  for (const runtime_function& f : r.functions) names.emplace_back(f.name);
  return names;
}

TEST(StaticRuntime, HasAllItsFunctionsByAddress) {
  const auto symbols = all_functions(13);
  const std::string file = make_file(symbols, nops);
  const auto found = find_static_runtime(bytes_of(file));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->major, 13);
  EXPECT_TRUE(found->whole);
  ASSERT_EQ(found->functions.size(), symbols.size());
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    EXPECT_EQ(found->functions[i].name, symbols[i].name);
    EXPECT_EQ(found->functions[i].address, code_address + symbols[i].at);
    EXPECT_EQ(found->functions[i].code.size(), 16u);
  }
}

TEST(StaticRuntime, IsToldByNamesWhereItSaysNoNumber) {
  auto symbols = all_functions(12);
  EXPECT_EQ(find_static_runtime(bytes_of(make_file(symbols, nops)))->major, 12);
  symbols.push_back({"cudaBindTexture", symbols.back().at - 8, 8});
  EXPECT_EQ(find_static_runtime(bytes_of(make_file(symbols, nops)))->major, 11);
}

TEST(StaticRuntime, SaysItsNumberInAnInternalFunction) {
  // The code is `test rdi, rdi; je +8; mov dword [rdi], 12090`. The first variant starts with endbr64. The second
  // variant has the long form of je.
  const std::string short_form = "\xf3\x0f\x1e\xfa\x48\x85\xff\x74\x08\xc7\x07" + std::string("\x3a\x2f\0\0", 4),
                    long_form = "\x48\x85\xff\x0f\x84" + std::string("\x08\0\0\0\xc7\x07\x3a\x2f\0\0", 10);
  for (const std::string& form : {short_form, long_form}) {
    std::string code = nops;
    code.replace(16, form.size(), form);
    auto symbols = all_functions(13);
    symbols.push_back({"libcudart_static_8efa79e514fc4631cda3882f0b8fcaefe9e1f1aa", 16, 32});
    EXPECT_EQ(find_static_runtime(bytes_of(make_file(symbols, code)))->major, 12);
    // If two functions return different versions, there is no result.
    code.replace(64, form.size(), form);
    code[64 + form.size() - 4] = '\x30';
    symbols.push_back({"libcudart_static_1", 64, 32});
    EXPECT_EQ(find_static_runtime(bytes_of(make_file(symbols, code)))->major, 13);
  }
}

// NCCL with CUDA 13 contains functions that do not belong to the runtime of CUDA 13. cudaStreamGetCaptureInfo_v2 no
// longer exists in CUDA 13. nvcc adds the functions __cuda... for separable compilation. The test puts such functions
// before the runtime and between the functions of the runtime.
TEST(StaticRuntime, LeavesWhatOtherVersionsHaveAndNvccMakes) {
  std::string code = nops;
  const std::string says_13 = "\x48\x85\xff\x74\x08\xc7\x07" + std::string("\xc8\x32\0\0", 4);
  code.replace(16, says_13.size(), says_13);
  auto symbols = all_functions(13);
  const std::size_t count = symbols.size(), middle = symbols[100].at;
  symbols.push_back({"libcudart_static_1", 16, 32});
  symbols.push_back({"cudaStreamGetCaptureInfo_v2", 64});
  symbols.push_back({"__cudaRegisterLinkedBinary_83c17b5f_9_common_cu_9f9d71b4", 128});
  symbols.push_back({"__cudaUnregisterBinaryUtil", middle + 8, 8});
  const std::string file = make_file(symbols, code);
  const auto found = find_static_runtime(bytes_of(file));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->major, 13);
  EXPECT_EQ(found->functions.size(), count);
  for (const std::string& name : names_of(*found)) EXPECT_EQ(name.find("LinkedBinary"), std::string::npos) << name;
}

TEST(StaticRuntime, LeavesFunctionsOfTheProgram) {
  auto symbols = all_functions(13);
  const std::size_t middle = symbols[100].at;
  symbols[100].name = "cudaOfTomorrow";             // a function that only exists in a newer runtime
  symbols.push_back({"cudaFree", 0});               // a static function of the program
  symbols.push_back({"cudaOfMine", 32});            // not a function of the runtime
  symbols.push_back({"cuda_of_mine", middle + 4});  // not a function of the runtime
  const std::string file = make_file(symbols, nops);
  const auto found = find_static_runtime(bytes_of(file));
  ASSERT_TRUE(found);
  const auto names = names_of(*found);
  EXPECT_EQ(names.size(), symbols.size() - 3);
  EXPECT_EQ(std::count(names.begin(), names.end(), "cudaFree"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "cudaOfTomorrow"), 1);
  for (const runtime_function& f : found->functions) EXPECT_GE(f.address, code_address + 1024);
}

TEST(StaticRuntime, IsNoneWhereTheNamesAreOthers) {
  auto shown = all_functions(13), missing = shown, data = shown, outside = shown, few = shown;
  for (test_symbol& s : shown) s.info = global_function;
  for (test_symbol& s : missing) s.section = SHN_UNDEF;
  for (test_symbol& s : data) s.info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT);
  for (test_symbol& s : outside) s.at += nops.size();
  few.resize(50);
  for (const auto& symbols : {shown, missing, data, outside, few, std::vector<test_symbol>()})
    EXPECT_FALSE(find_static_runtime(bytes_of(make_file(symbols, nops))));
  EXPECT_FALSE(find_static_runtime(bytes_of(make_file(all_functions(13), nops, EM_AARCH64))));
  EXPECT_FALSE(find_static_runtime({}));
}

TEST(StaticRuntime, IsNotWholeWithoutItsLocalNames) {
  auto symbols = all_functions(13);
  std::erase_if(symbols, [](const test_symbol& s) { return s.name == "cudaMalloc" || s.name == "cudaLaunchKernel"; });
  for (test_symbol& s : symbols) {
    s.info = global_function;
    s.other = STV_HIDDEN;
  }
  const auto found = find_static_runtime(bytes_of(make_file(symbols, nops)));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->whole);
}

// Whatever the file contains, every function that the search finds is inside the file.
void expect_sound(const std::string& file) {
  const auto found = find_static_runtime(bytes_of(file));
  if (!found) return;
  for (const runtime_function& f : found->functions) {
    EXPECT_FALSE(f.code.empty());
    EXPECT_TRUE(std::all_of(f.code.begin(), f.code.end(), [](std::byte) { return true; }));
    const auto* first = reinterpret_cast<const char*>(f.code.data());
    EXPECT_TRUE(first >= file.data() && first + f.code.size() <= file.data() + file.size());
  }
}

TEST(StaticRuntime, OfDamagedFilesIsReadWithoutHarm) {
  const std::string file = make_file(all_functions(12), nops);
  for (std::size_t n = 0; n < file.size(); n += n < 200 ? 1 : 97) expect_sound(file.substr(0, n));
  std::mt19937 random(7);
  const std::size_t tables = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + nops.size();
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = file;
    for (unsigned k = random() % 8 + 1; k != 0; --k) {
      const std::size_t at = random() % 3 == 0 ? random() % 120 : tables + random() % (file.size() - tables);
      damaged[random() % 4 == 0 ? file.size() - 1 - random() % 256 : at] =
          static_cast<char>(random() % 2 == 0 ? 0xff : random());
    }
    expect_sound(damaged);
  }
}

}  // namespace
}  // namespace bankwise::cuda
