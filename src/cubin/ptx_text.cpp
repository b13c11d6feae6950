// Reads the PTX text of a cubin. A text that is too long is skipped, because it is only for display.
#include "cubin/ptx_text.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

namespace bankwise::cubin {

namespace {

constexpr std::string_view ptx_text_name = ".nv_debug_ptx_txt";
constexpr std::size_t most_bytes = std::size_t{1} << 26, most_lines = std::size_t{1} << 22;

}  // namespace

std::string join_ptx_texts(const elf_image& elf, line_table& ptx) {
  std::map<std::string_view, std::uint32_t> lines_before;
  std::size_t lines = 0;
  std::string text;
  for (const elf_section& s : elf.sections) {
    if (!s.name.starts_with(ptx_text_name) || s.bytes.empty()) continue;
    if (!lines_before.try_emplace(s.name, static_cast<std::uint32_t>(lines)).second) continue;
    if (s.bytes.size() >= most_bytes - text.size()) return {};
    const std::size_t before = text.size();
    text.append(reinterpret_cast<const char*>(s.bytes.data()), s.bytes.size());
    if (text.back() != '\0') text += '\0';
    lines += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(before), text.end(), '\0'));
    if (lines > most_lines) return {};
  }
  if (text.empty()) return {};
  for (auto& [section, rows] : ptx.by_section)
    for (line_row& row : rows) {
      const std::string& named = ptx.files[row.file];
      const auto it = lines_before.find(named.empty() ? ptx_text_name : named);
      row.line = it == lines_before.end() ? 0 : row.line + it->second;
    }
  return text;
}

// The file's notes contain the names of the tools that made the file.
bool is_linked(const elf_image& elf) {
  static constexpr std::string_view linker = "nvlink";
  const elf_section* notes = elf.find(".note.nv.tkinfo");
  return std::any_of(elf.sections.begin(), elf.sections.end(),
                     [](const elf_section& s) {
                       return s.name.starts_with(ptx_text_name) && s.name.size() > ptx_text_name.size();
                     }) ||
         (notes != nullptr &&
          std::string_view(reinterpret_cast<const char*>(notes->bytes.data()), notes->bytes.size()).find(linker) !=
              std::string_view::npos);
}

}  // namespace bankwise::cubin
