// same_cubin BUILT SHIPPED: exit 0 if two cubins hold the same code, data and source lines.
//
// Bytes differ where nothing else does: the line table's header names the toolkit's folder and when its headers were
// written, which is another on each machine. So line tables are compared as they are read, everything else byte by byte.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "cubin/elf_image.hpp"
#include "cubin/line_table.hpp"
#include "support/files.hpp"

namespace cubin = bankwise::cubin;

namespace {

bool is_line_table(const std::string& name) { return name.find("debug_line") != std::string::npos; }

std::string without_folder(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// One line of text for each row.
std::vector<std::string> lines_of(const cubin::elf_image& image, const char* section, const char* file) {
  const auto table = cubin::read_line_table(image, section, file);
  if (!table) return {table.error().message};
  std::vector<std::string> out;
  for (const auto& [code, rows] : table->by_section)
    for (const cubin::line_row& row : rows)
      out.push_back(image.sections[code].name + "+" + std::to_string(row.pc) + " " +
                    without_folder(table->files[row.file]) + ":" + std::to_string(row.line) + " from " +
                    without_folder(table->files[row.outer_file]) + ":" + std::to_string(row.outer_line));
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "same_cubin BUILT SHIPPED\n"), 2;
  std::vector<std::byte> bytes[2];
  cubin::elf_image images[2];
  for (int i = 0; i < 2; ++i) {
    bytes[i] = bankwise::test::read_bytes(argv[i + 1]);
    auto image = cubin::read_elf(bytes[i], argv[i + 1]);
    if (!image) return std::fprintf(stderr, "%s: %s\n", argv[i + 1], image.error().message.c_str()), 2;
    images[i] = std::move(*image);
  }
  const auto differ = [&](const std::string& what) {
    std::printf("%s and %s differ in %s\n", argv[1], argv[2], what.c_str());
    return 1;
  };
  if (images[0].sections.size() != images[1].sections.size()) return differ("their number of sections");
  for (std::size_t i = 0; i < images[0].sections.size(); ++i) {
    const cubin::elf_section &a = images[0].sections[i], &b = images[1].sections[i];
    if (a.name != b.name) return differ("the name of section " + std::to_string(i));
    if (!is_line_table(a.name) && !std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end()))
      return differ(a.name);
  }
  for (const char* section : {".debug_line", ".nv_debug_line_sass"})
    if (lines_of(images[0], section, argv[1]) != lines_of(images[1], section, argv[2])) return differ(section);
  return 0;
}
