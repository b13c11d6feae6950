#include "cubin/line_table.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "cubin/names/demangler.hpp"

namespace bankwise::cubin {

namespace {

constexpr std::size_t most_rows = 1u << 24;
constexpr std::int64_t most_line = std::int64_t{1} << 40;

// Standard opcodes of the DWARF line-number program.
enum : std::uint8_t {
  op_copy = 1,
  op_advance_pc,
  op_advance_line,
  op_set_file,
  op_set_column,
  op_negate_stmt,
  op_set_basic_block,
  op_const_add_pc,
  op_fixed_advance_pc,
};
// Extended opcodes.
enum : std::uint8_t { ext_end_sequence = 1, ext_set_address = 2, ext_inlined_call = 0x90 };

struct header {
  std::uint8_t minimum_instruction = 1;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;
  std::uint8_t opcode_base = 1;
  std::vector<std::uint8_t> operand_counts;
  std::vector<std::uint32_t> files;
};

// Returns the value of a byte in nvcc's notation, "\\303". Returns nothing if the text has a different form.
std::optional<char> spelled_byte(std::string_view s) {
  const auto is_digit = [&](std::size_t i, char most) { return s[i] >= '0' && s[i] <= most; };
  if (s.size() < 4 || s[0] != '\\' || !is_digit(1, '3') || s[1] < '2' || !is_digit(2, '7') || !is_digit(3, '7'))
    return std::nullopt;
  return static_cast<char>((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
}

std::string with_spelled_bytes(std::string_view s) {
  std::string text;
  for (std::size_t i = 0; i < s.size();) {
    const auto byte = spelled_byte(s.substr(i));
    text += byte ? *byte : s[i];
    i += byte ? 4 : 1;
  }
  return text;
}

// The folder may end with slashes.
std::string join(std::string_view directory, std::string_view file) {
  while (directory.size() > 1 && directory.ends_with('/')) directory.remove_suffix(1);
  if (directory.empty() || file.starts_with('/')) return std::string(file);
  return formatted("{}/{}", directory, file);
}

}  // namespace

std::string source_path(std::string_view directory, std::string_view file) {
  // ptxas splits the path at the last backslash. The folder "/a/\\303" and the name "251.cu" therefore mean
  // "/a/\\303\\251.cu".
  const std::string rejoined = formatted("{}\\{}", directory, file);
  const bool was_cut = directory.size() >= 4 && spelled_byte(directory.substr(directory.size() - 4)) &&
                       spelled_byte(formatted("\\{}", file.substr(0, 3)));
  std::string path = with_spelled_bytes(was_cut ? rejoined : join(directory, file));
  return path == printable(path) ? path : join(directory, file);
}

namespace {

class reader {
 public:
  reader(const elf_image& image, const elf_section& section, line_table& table) : section_(section), table_(table) {
    table_.files.emplace_back();
    table_.functions.emplace_back();
    table_.calls.emplace_back();
    if (const elf_section* names = image.find(".debug_str")) names_ = names->bytes;
    for (const elf_relocation& r : image.relocations_of(section))
      if (r.symbol < image.symbols.size())
        functions_[r.offset] = {image.symbols[r.symbol].section,
                                image.symbols[r.symbol].value + static_cast<std::uint64_t>(r.addend)};
  }

  // Reads every line program of the section. Returns the error, or null.
  const char* run() {
    std::uint64_t at = 0;
    while (at + 4 < section_.bytes.size()) {
      byte_reader r(section_.bytes, at);
      const std::uint32_t length = r.u32();
      if (length >= 0xfffffff0u) return "64-bit DWARF line programs are not supported";
      if (!inside(section_.bytes, r.at(), length)) return "a line program reaches past the end of the section";
      const std::uint64_t end = r.at() + length;
      if (const char* wrong = program(section_.bytes.first(end), r.at())) return wrong;
      at = end;
    }
    for (auto& [section, rows] : table_.by_section)
      std::stable_sort(rows.begin(), rows.end(), [](const line_row& a, const line_row& b) { return a.pc < b.pc; });
    return nullptr;
  }

 private:
  struct function_start {
    std::uint32_t section;
    std::uint64_t offset;
  };

  std::uint32_t file_index(const std::string& path) {
    const auto [it, fresh] = file_of_.try_emplace(path, static_cast<std::uint32_t>(table_.files.size()));
    if (fresh) table_.files.push_back(printable(path));
    return it->second;
  }

  // Returns the index of the function whose mangled name is at this offset of .debug_str.
  std::uint32_t function_at(std::uint64_t offset) {
    const auto [it, fresh] = function_of_.try_emplace(offset, 0);
    if (fresh)
      if (const std::string mangled = name_at(offset); !mangled.empty()) {
        it->second = static_cast<std::uint32_t>(table_.functions.size());
        table_.functions.push_back(demangled(mangled).value_or(mangled));
      }
    return it->second;
  }

  // Returns the text that begins at this offset of .debug_str. Returns an empty text if no text begins there.
  std::string name_at(std::uint64_t offset) const {
    if (offset >= names_.size() || (offset != 0 && names_[offset - 1] != std::byte{0})) return {};
    byte_reader r(names_, offset);
    const std::string_view name = r.c_string();
    return r.failed() ? std::string() : printable(name);
  }

  std::uint32_t call_index(const line_row& from, std::uint64_t name) {
    const auto [it, fresh] =
        call_of_.try_emplace({from.file, from.line, from.call, name}, static_cast<std::uint32_t>(table_.calls.size()));
    if (fresh) table_.calls.push_back({function_at(name), from.file, from.line, from.call});
    return it->second;
  }

  const char* read_header(byte_reader& r, header& h) {
    const std::uint16_t version = r.u16();
    if (version < 2 || version > 4) return "only versions 2 to 4 of DWARF line programs are supported";
    const std::uint64_t header_length = r.u32();
    const std::uint64_t program_begin = r.at() + header_length;
    h.minimum_instruction = r.u8();
    if (version >= 4) r.u8();
    r.u8();  // default_is_stmt
    h.line_base = static_cast<std::int8_t>(r.u8());
    h.line_range = r.u8();
    h.opcode_base = r.u8();
    if (h.line_range == 0 || h.opcode_base == 0) return "a line program has an impossible header";
    for (std::uint8_t i = 1; i < h.opcode_base; ++i) h.operand_counts.push_back(r.u8());
    std::vector<std::string_view> directories{""};
    for (;;) {
      const std::string_view d = r.c_string();
      if (r.failed() || d.empty()) break;
      directories.push_back(d);
    }
    h.files.push_back(0);
    for (;;) {
      const std::string_view f = r.c_string();
      if (r.failed() || f.empty()) break;
      const std::uint64_t directory = r.uleb();
      r.uleb();
      r.uleb();
      h.files.push_back(file_index(source_path(directory < directories.size() ? directories[directory] : "", f)));
    }
    if (r.failed() || program_begin < r.at()) return "a line program has a damaged header";
    r.skip(program_begin - r.at());
    return r.failed() ? "a line program has a damaged header" : nullptr;
  }

  const char* program(byte_span bytes, std::uint64_t begin) {
    byte_reader r(bytes, begin);
    header h;
    if (const char* wrong = read_header(r, h)) return wrong;
    std::uint64_t address = 0;
    std::int64_t line = 1;
    std::uint64_t file = 1;
    std::uint32_t section = 0;
    // row of this sequence that called the function, counted from 1; 0 if the line was not inlined
    std::uint64_t caller = 0;
    std::uint64_t callee = 0;  // offset of the called function's name in .debug_str
    std::vector<line_row> sequence;
    const auto emit = [&] {
      const std::uint32_t f = file < h.files.size() ? h.files[file] : 0;
      line_row row{address, f, static_cast<std::uint32_t>(std::max<std::int64_t>(line, 0))};
      // A caller's row precedes the rows of its calls, so the callers are already resolved.
      const bool inlined = caller != 0 && caller <= sequence.size();
      row.outer_file = inlined ? sequence[caller - 1].outer_file : row.file;
      row.outer_line = inlined ? sequence[caller - 1].outer_line : row.line;
      row.call = inlined ? call_index(sequence[caller - 1], callee) : 0;
      sequence.push_back(row);
      if (section != 0) table_.by_section[section].push_back(row);
      ++rows_;
    };
    while (!r.at_end()) {
      if (rows_ > most_rows) return "a line program has more than 16 million rows";
      const std::uint8_t op = r.u8();
      if (op >= h.opcode_base) {
        const std::uint8_t adjusted = static_cast<std::uint8_t>(op - h.opcode_base);
        address += static_cast<std::uint64_t>(adjusted / h.line_range) * h.minimum_instruction;
        line += h.line_base + adjusted % h.line_range;
        emit();
        continue;
      }
      switch (op) {
        case 0: {
          const std::uint64_t length = r.uleb();
          const std::uint64_t body = r.at();
          if (length == 0 || !inside(bytes, body, length)) return "a line program is damaged";
          const std::uint8_t extended = r.u8();
          if (extended == ext_end_sequence) {
            address = 0, line = 1, file = 1, section = 0, caller = 0;
            sequence.clear();
          } else if (extended == ext_inlined_call) {
            caller = r.uleb();
            callee = r.at() < body + length ? r.uleb() : ~std::uint64_t{0};
          } else if (extended == ext_set_address) {
            const std::uint64_t at = r.at();
            address = r.u64();
            if (const auto it = functions_.find(at); it != functions_.end()) {
              section = it->second.section;
              address += it->second.offset;
            }
          }
          r = byte_reader(bytes, body + length);
          break;
        }
        case op_copy: emit(); break;
        case op_advance_pc: address += r.uleb() * h.minimum_instruction; break;
        case op_advance_line: line += std::clamp<std::int64_t>(r.sleb(), -2 * most_line, 2 * most_line); break;
        case op_set_file: file = r.uleb(); break;
        case op_set_column: r.uleb(); break;
        case op_const_add_pc:
          address += static_cast<std::uint64_t>((255 - h.opcode_base) / h.line_range) * h.minimum_instruction;
          break;
        case op_fixed_advance_pc: address += r.u16(); break;
        default:
          for (unsigned i = 0; i < (op - 1u < h.operand_counts.size() ? h.operand_counts[op - 1u] : 0); ++i) r.uleb();
          break;
      }
      if (r.failed()) return "a line program is damaged";
      if (line < -most_line || line > most_line)
        return "a line program has a file number or a line that is out of range";
    }
    return nullptr;
  }

  const elf_section& section_;
  line_table& table_;
  std::map<std::uint64_t, function_start> functions_;  // the key is the offset of the relocated address
  std::map<std::string, std::uint32_t> file_of_;
  std::map<std::uint64_t, std::uint32_t> function_of_;  // the key is the offset of the function's name
  byte_span names_;
  std::map<std::array<std::uint64_t, 4>, std::uint32_t> call_of_;  // the key is the file, line, outer call and name
  std::size_t rows_ = 0;
};

}  // namespace

const line_row* line_table::find_innermost(std::uint32_t section, std::uint64_t pc) const {
  const auto it = by_section.find(section);
  if (it == by_section.end()) return nullptr;
  const auto after = std::upper_bound(it->second.begin(), it->second.end(), pc,
                                      [](std::uint64_t p, const line_row& r) { return p < r.pc; });
  return after == it->second.begin() ? nullptr : &*(after - 1);
}

const line_row* line_table::find(std::uint32_t section, std::uint64_t pc) const {
  const line_row* last = find_innermost(section, pc);
  if (last == nullptr) return nullptr;
  const std::vector<line_row>& rows = by_section.at(section);
  return &*std::lower_bound(rows.begin(), rows.end(), last->pc,
                            [](const line_row& r, std::uint64_t p) { return r.pc < p; });
}

result<line_table> read_line_table(const elf_image& image, std::string_view section_name, const std::string& name) {
  line_table table;
  const elf_section* section = image.find(section_name);
  if (section == nullptr) return table;
  if (const char* wrong = reader(image, *section, table).run())
    return diagnostic{formatted("{}: {}", section_name, wrong),
                      {.file = name, .byte = section->offset},
                      "the file is truncated or damaged. Compile the file again"};
  return table;
}

}  // namespace bankwise::cubin
