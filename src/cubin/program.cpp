// Look-ups in a loaded program, such as the source of an instruction.
#include "cubin/program.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cubin/kernel_names.hpp"

namespace bankwise::cubin {

std::size_t parameter_bytes(const kernel& k) {
  std::size_t bytes = 0;
  for (const parameter& p : k.params) bytes = std::max<std::size_t>(bytes, std::size_t{p.offset} + p.bytes);
  return bytes;
}

std::vector<std::string_view> program::ptx_lines() const {
  std::vector<std::string_view> lines = split(ptx_text, '\0');
  lines.pop_back();  // drops the text after the last zero byte
  return lines;
}

std::optional<program::place> program::source_of(std::uint32_t section, std::uint64_t pc) const {
  const line_row* row = source.find(sections[section].elf_index, pc);
  if (row == nullptr || row->file == 0) return std::nullopt;
  return place{source.files[row->file], row->line, source.files[row->outer_file], row->outer_line};
}

std::vector<std::uint32_t> program::function_sections() const {
  std::vector<bool> holds_kernel(sections.size());
  for (const kernel& k : kernels) holds_kernel[k.section] = true;
  std::vector<std::uint32_t> list;
  for (std::uint32_t n = 0; n < sections.size(); ++n)
    if (!holds_kernel[n]) list.push_back(n);
  return list;
}

std::optional<std::uint32_t> program::section_at(std::uint64_t address) const {
  for (std::uint32_t n = 0; n < sections.size(); ++n)
    if (address >= sections[n].address && address - sections[n].address < sections[n].bytes.size()) return n;
  return std::nullopt;
}

const code_function* code_section::function_at(std::uint64_t offset) const {
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const code_function& f) {
    return offset >= f.offset && offset - f.offset < f.bytes;
  });
  return found != functions.end() ? &*found : nullptr;
}

std::vector<frame> program::frames_of(std::uint32_t section, std::uint64_t pc) const {
  const code_section& in = sections[section];
  const code_function* const own = in.function_at(pc);
  const std::string owner = own != nullptr ? own->name : function_of(in);
  const line_row* row = source.find_innermost(in.elf_index, pc);
  if (row == nullptr || row->file == 0) return {{owner, "", 0}};
  std::vector<frame> frames;
  std::uint32_t in_file = row->file, line = row->line;
  for (std::uint32_t n = row->call; n != 0; n = source.calls[n].outer) {
    const inlined_call& c = source.calls[n];
    frames.push_back(
        {c.function == 0 ? "an inlined function" : source.functions[c.function], source.files[in_file], line});
    in_file = c.file;
    line = c.line;
  }
  frames.push_back({owner, source.files[in_file], line});
  return frames;
}

std::uint32_t program::ptx_line_of(std::uint32_t section, std::uint64_t pc) const {
  const line_row* row = ptx.find(sections[section].elf_index, pc);
  return row == nullptr ? 0 : row->line;
}

}  // namespace bankwise::cubin
