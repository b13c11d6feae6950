// Fuzzes the line programs of a cubin: DWARF with NVIDIA's extensions. The first byte of the input is the length of the
// strings. Then the programs and the strings follow. The files, functions and calls of every row must exist, and rows
// must be sorted by pc.
#include <algorithm>

#include "cubin/line_table.hpp"
#include "require.hpp"

using namespace bankwise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const byte_span all = fuzz::bytes_of(data + 1, size - 1);
  const std::size_t strings = std::min<std::size_t>(data[0], all.size());
  cubin::elf_image image;
  image.machine = cubin::machine_cuda;
  const auto add = [&](const char* name, byte_span bytes) {
    image.sections.push_back({.name = name, .type = 1, .size = bytes.size(), .bytes = bytes});
  };
  add("", {});
  add(".debug_line", all.first(all.size() - strings));
  add(".debug_str", all.last(strings));
  const auto lines = cubin::read_line_table(image, ".debug_line", "fuzz.cubin");
  if (!fuzz::succeeded(lines)) return 0;
  for (std::size_t i = 1; i < lines->calls.size(); ++i) {
    BANKWISE_REQUIRE(lines->calls[i].outer < i);
    BANKWISE_REQUIRE(lines->calls[i].file < lines->files.size());
    BANKWISE_REQUIRE(lines->calls[i].function < lines->functions.size());
  }
  for (const auto& [section, rows] : lines->by_section) {
    BANKWISE_REQUIRE(
        std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.pc < b.pc; }));
    for (const cubin::line_row& r : rows) {
      BANKWISE_REQUIRE(r.file < lines->files.size() && r.outer_file < lines->files.size());
      BANKWISE_REQUIRE(r.call < lines->calls.size());
      lines->find(section, r.pc);
      lines->find_innermost(section, r.pc + 16);
    }
  }
  return 0;
}
