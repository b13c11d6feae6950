#include "profile/code/code.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "cubin/kernel_names.hpp"
#include "sass/print/print.hpp"

namespace bankwise {

namespace {

// Reads the instructions of a kernel's sections. All sections share one list of source files.
class code_reader {
 public:
  code_reader(const cubin::program& p, std::vector<std::string>& files, std::size_t ptx_lines)
      : p_(p), files_(files), ptx_lines_(ptx_lines) {}

  // Reads the instructions from `begin` to `end` of the section. Their pcs are relative to `begin`.
  std::vector<code_line> read(std::uint32_t section, std::uint64_t begin, std::uint64_t end) {
    const cubin::code_section& code = p_.sections[section];
    end = std::min<std::uint64_t>(end, code.bytes.size());
    const auto instruction_at = [&](std::uint64_t at) {
      return sass::load_instruction(code.bytes.data() + at, sass::isa_of(p_.sm));
    };
    // Drops the NOPs at the end of the section, as nvdisasm does.
    while (end >= begin + 2 * std::uint64_t{cubin::instruction_bytes} &&
           sass::is_nop(instruction_at(end - cubin::instruction_bytes)))
      end -= cubin::instruction_bytes;
    std::vector<code_line> list;
    for (std::uint64_t at = begin; at + cubin::instruction_bytes <= end; at += cubin::instruction_bytes) {
      code_line& l = list.emplace_back();
      l.pc = at - begin;
      l.sass = sass::to_text_with_reuse(instruction_at(at), l.pc, p_.sm);
      if (const auto place = p_.source_of(section, at)) {
        l.file = index_of(place->file);
        l.line = place->line;
      }
      l.ptx_line = p_.ptx_line_of(section, at);
      if (l.ptx_line > ptx_lines_) l.ptx_line = 0;
    }
    return list;
  }

 private:
  std::int32_t index_of(const std::string& file) {
    const auto [it, fresh] = index_.try_emplace(file, static_cast<std::int32_t>(files_.size()));
    if (fresh) files_.push_back(file);
    return it->second;
  }

  const cubin::program& p_;
  std::vector<std::string>& files_;
  std::size_t ptx_lines_;
  std::map<std::string, std::int32_t> index_;
};

// Whether a line of PTX begins a function: ".visible .entry _Z9transposePfPKf(", ".func  (.param .b32 func_retval0)
// _Z5squarei("
bool begins_function(std::string_view ptx_line) {
  return ptx_line.starts_with('.') &&
         (ptx_line.find(".entry ") != std::string_view::npos || ptx_line.find(".func ") != std::string_view::npos);
}

// Returns the text of the functions that contain used lines. All other lines become empty, so that line numbers stay
// the same. A cubin may contain hundreds of other functions.
std::vector<std::string> text_in_use(const std::vector<std::string_view>& lines, const std::set<std::uint32_t>& used) {
  std::vector<std::string> text;
  for (std::size_t begin = 0, end = 0; begin < lines.size(); begin = end) {
    end = begin + 1;
    while (end < lines.size() && !begins_function(lines[end])) ++end;
    const auto first = used.upper_bound(static_cast<std::uint32_t>(begin));  // line numbers begin at 1
    if (first == used.end()) break;
    if (*first > end) continue;
    text.resize(begin);
    for (std::size_t i = begin; i < end; ++i) text.emplace_back(lines[i]);
  }
  return text;
}

}  // namespace

kernel_code describe_code(const cubin::program& p, const cubin::kernel& k, const launch_report& l) {
  const std::vector<std::string_view> ptx = p.ptx_lines();
  kernel_code c;
  c.mangled = k.mangled;
  code_reader reader(p, c.files, ptx.size());
  c.instructions = reader.read(k.section, k.offset, std::uint64_t{k.offset} + k.code_bytes);
  std::set<std::string> called;
  for (const site& s : l.sites)
    if (!s.function.empty()) called.insert(s.function);
  for (const global_site& s : l.global_sites)
    if (!s.function.empty()) called.insert(s.function);
  for (std::uint32_t n = 0; n < p.sections.size() && !called.empty(); ++n) {
    if (n == k.section) continue;
    const std::string name = cubin::function_of(p.sections[n]);
    if (called.erase(name) != 0) c.functions.push_back({name, reader.read(n, 0, p.sections[n].bytes.size())});
  }

  std::set<std::uint32_t> used;
  const auto use = [&](const std::vector<code_line>& list) {
    for (const code_line& line : list)
      if (line.ptx_line != 0) used.insert(line.ptx_line);
  };
  use(c.instructions);
  for (const function_code& f : c.functions) use(f.instructions);
  c.ptx = text_in_use(ptx, used);
  return c;
}

}  // namespace bankwise
