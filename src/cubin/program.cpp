#include "cubin/program.hpp"

#include <cxxabi.h>
#include <regex.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "base/text.hpp"
#include "cubin/fatbin.hpp"

namespace bankwise::cubin {

namespace {

constexpr std::uint8_t symbol_object = 1, symbol_function = 2, other_entry = 0x10;
// How an address is put in: as data, in an instruction as a word of it at bit 32, or there in units of 4 bytes, 8 bits at bit
// 16 and 47 at 34. What a generic pointer is for, and what a function that may be launched, is an address like any other.
enum class relocation_form : std::uint8_t { data_32, data_64, low_at_32, high_at_32, call };
constexpr std::pair<std::uint32_t, relocation_form> relocations[] = {
    {1, relocation_form::data_32},     {2, relocation_form::data_64},    {3, relocation_form::data_32},
    {4, relocation_form::data_64},     {35, relocation_form::data_64},   {56, relocation_form::low_at_32},
    {57, relocation_form::high_at_32}, {62, relocation_form::low_at_32}, {63, relocation_form::high_at_32},
    {75, relocation_form::call},
};

std::optional<relocation_form> form_of(std::uint32_t type) {
  for (const auto& [known, form] : relocations)
    if (known == type) return form;
  return std::nullopt;
}

constexpr std::uint64_t most_data_bytes = std::uint64_t{1} << 32;
constexpr std::uint16_t elf_relocatable = 1;
// CUDA's limit is 32,764 bytes in all.
constexpr std::uint32_t most_params = 1 << 15, most_param_bytes = 1 << 15;
constexpr std::string_view ptx_text_name = ".nv_debug_ptx_txt";
// Text beyond these is left out: it is only for reading.
constexpr std::size_t most_ptx_bytes = std::size_t{1} << 26, most_ptx_lines = std::size_t{1} << 22;

// Attributes of .nv.info sections: u8 format, u8 attribute, then a u16 value or (format 4) a u16 size and bytes.
enum attribute : std::uint8_t {
  attribute_max_threads = 0x05,
  attribute_param_bank = 0x0a,
  attribute_frame_size = 0x11,
  attribute_min_stack = 0x12,
  attribute_param_info = 0x17,
  attribute_registers = 0x2f,
  attribute_cluster = 0x3d,
  attribute_large_param_info = 0x45,  // of kernels with more than 4,096 bytes of parameters
};

std::uint64_t align_up(std::uint64_t n, std::uint64_t a) { return a <= 1 ? n : (n + a - 1) / a * a; }

class loader {
 public:
  loader(const elf_image& elf, const std::string& name, const address_bases& bases)
      : elf_(elf), name_(name), place_(elf.sections.size(), 0) {
    p_.file = name;
    p_.bases = bases;
  }

  result<program> run() {
    // CUDA's ELF ABI 8 keeps the architecture in bits 8 to 15 of the flags, older ones in bits 0 to 7.
    p_.sm = elf_.abi_version >= 8 ? elf_.flags >> 8 & 0xff : elf_.flags & 0xff;
    place_sections();
    if (wrong_) return *wrong_;
    for (const elf_symbol& s : elf_.symbols)
      if (s.type == symbol_function && (s.other & other_entry) != 0 && s.section != 0) add_kernel(s);
    add_functions();
    read_info(elf_.find(".nv.info"), nullptr);
    for (kernel& k : p_.kernels) {
      k.params.clear();
      read_info(elf_.find(".nv.info." + k.mangled), &k);
    }
    relocate_all();
    add_variables();
    if (wrong_) return *wrong_;
    auto source = read_line_table(elf_, ".debug_line", name_);
    if (!source) return source.error();
    p_.source = std::move(*source);
    auto ptx = read_line_table(elf_, ".nv_debug_line_sass", name_);
    if (!ptx) return ptx.error();
    p_.ptx = std::move(*ptx);
    add_ptx_text();
    p_.linked = is_linked();
    return std::move(p_);
  }

 private:
  void fail(const std::string& what, std::uint64_t byte,
            const std::string& hint = "the file is truncated or damaged; compile it again") {
    if (!wrong_) wrong_ = diagnostic{what, {.file = name_, .byte = byte}, hint};
  }

  void place_sections() {
    std::uint64_t code = p_.bases.code, data = p_.bases.data;
    for (std::size_t i = 0; i < elf_.sections.size(); ++i) {
      const elf_section& s = elf_.sections[i];
      if (s.name.starts_with(".text.")) {
        if (s.bytes.size() % instruction_bytes != 0)
          return fail("section " + s.name + " is not a whole number of instructions", s.offset);
        code = align_up(code, 128);
        place_[i] = code;
        section_index_[static_cast<std::uint32_t>(i)] = p_.sections.size();
        p_.sections.push_back({s.name, static_cast<std::uint32_t>(i), code, {s.bytes.begin(), s.bytes.end()}, {}});
        code += s.bytes.size();
      } else if (s.name == ".nv.global" || s.name == ".nv.global.init" || s.name.starts_with(".nv.global.init.")) {
        if (s.size > most_data_bytes) return fail("section " + s.name + " is larger than 4 GiB", s.offset);
        data = align_up(data, std::max<std::uint64_t>(256, std::min<std::uint64_t>(s.alignment, 4096)));
        place_[i] = data;
        segment_of_[static_cast<std::uint32_t>(i)] = p_.data.size();
        p_.data.push_back({data, s.size, {s.bytes.begin(), s.bytes.end()}});
        data += s.size;
      }
    }
  }

  void add_kernel(const elf_symbol& s) {
    const auto it = section_index_.find(s.section);
    if (it == section_index_.end() || !inside(elf_.sections[s.section].bytes, s.value, s.size) ||
        s.value % instruction_bytes != 0)
      return fail("kernel " + s.name + " lies outside its section", 0);
    kernel k;
    k.mangled = s.name;
    k.full_name = demangle(s.name);
    k.name = bare_name(k.full_name);
    k.section = static_cast<std::uint32_t>(it->second);
    k.offset = static_cast<std::uint32_t>(s.value);
    k.code_bytes = static_cast<std::uint32_t>(s.size);
    k.registers = elf_.sections[s.section].info >> 24;  // replaced by .nv.info where that has it
    if (p_.sm >= 90) k.reserved_shared_bytes = 1024;
    if (const elf_section* shared = elf_.find(".nv.shared." + s.name)) {
      if (shared->size > (1u << 20))
        return fail("kernel " + s.name + " declares more than 1 MiB of shared memory", shared->offset);
      const auto bytes = static_cast<std::uint32_t>(shared->size);
      k.static_shared_bytes = bytes >= k.reserved_shared_bytes ? bytes - k.reserved_shared_bytes : bytes;
    }
    // Its own constant banks: .nv.constant2.NAME and the like. Bank 0 is made for each launch.
    for (const elf_section& c : elf_.sections)
      if (const auto bank = bank_of(c.name, s.name); bank && *bank != 0) k.banks.push_back({*bank, relocated(c)});
    p_.kernels.push_back(std::move(k));
  }

  // A function that only one kernel calls is named behind it: "$_Z6kernelPf$_Z4deepPf".
  void add_functions() {
    for (const elf_symbol& s : elf_.symbols) {
      const auto it = section_index_.find(s.section);
      if (s.type != symbol_function || it == section_index_.end()) continue;
      std::string_view name = s.name;
      if (name.starts_with('$')) name.remove_prefix(name.rfind('$') + 1);
      p_.sections[it->second].functions.push_back({s.value, s.size, demangle(std::string(name))});
    }
    // Those inside others come first, as lookups want it.
    for (code_section& s : p_.sections)
      std::stable_sort(s.functions.begin(), s.functions.end(),
                       [](const code_function& a, const code_function& b) { return a.bytes < b.bytes; });
  }

  // ".nv.constant3" -> 3; with a kernel's name, ".nv.constant2.NAME" -> 2.
  static std::optional<std::uint32_t> bank_of(std::string_view section, std::string_view kernel_name) {
    constexpr std::string_view prefix = ".nv.constant";
    if (!section.starts_with(prefix)) return std::nullopt;
    section.remove_prefix(prefix.size());
    const std::size_t dot = section.find('.');
    const std::string_view owner = dot == std::string_view::npos ? std::string_view{} : section.substr(dot + 1);
    const auto bank = parse_u64(section.substr(0, dot));
    if (!bank || *bank > 17 || owner != kernel_name) return std::nullopt;
    return static_cast<std::uint32_t>(*bank);
  }

  kernel* kernel_of_symbol(std::uint32_t symbol) {
    if (symbol >= elf_.symbols.size()) return nullptr;
    for (kernel& k : p_.kernels)
      if (k.mangled == elf_.symbols[symbol].name) return &k;
    return nullptr;
  }

  void read_info(const elf_section* section, kernel* owner) {
    if (section == nullptr) return;
    byte_reader r(section->bytes);
    while (!r.at_end() && !r.failed()) {
      const std::uint8_t format = r.u8(), what = r.u8();
      const std::uint16_t value = r.u16();
      const byte_span body = format == 4 ? r.take(value) : byte_span{};
      if (r.failed()) return fail("section " + section->name + " is damaged", section->offset);
      apply(what, byte_reader(body), owner);
    }
  }

  void apply(std::uint8_t what, byte_reader body, kernel* owner) {
    switch (what) {
      case attribute_registers:
      case attribute_frame_size:
      case attribute_min_stack: {
        const std::uint32_t symbol = body.u32(), n = body.u32();
        if (kernel* k = kernel_of_symbol(symbol))
          (what == attribute_registers    ? k->registers
           : what == attribute_frame_size ? k->frame_bytes
                                          : k->stack_bytes) = n;
        break;
      }
      case attribute_max_threads: {
        const std::uint64_t x = body.u32(), y = body.u32(), z = body.u32();
        if (owner != nullptr)
          owner->max_threads = static_cast<std::uint32_t>(
              std::clamp<std::uint64_t>(x * std::max<std::uint64_t>(y, 1) * std::max<std::uint64_t>(z, 1), 1, 1024));
        break;
      }
      case attribute_cluster: {
        const std::uint32_t x = body.u32(), y = body.u32(), z = body.u32();
        if (owner != nullptr && x != 0) owner->cluster = {x, y, z};
        break;
      }
      case attribute_param_bank: {
        body.u32();
        if (owner != nullptr) owner->param_base = body.u16();
        break;
      }
      case attribute_param_info:
      case attribute_large_param_info: {
        body.u32();
        const std::uint32_t ordinal = body.u16(), offset = body.u16(), size = body.u32();
        const std::uint32_t bytes = what == attribute_param_info ? size >> 18 : size;
        if (owner == nullptr || ordinal > most_params || bytes > most_param_bytes) break;
        if (owner->params.size() <= ordinal) owner->params.resize(ordinal + 1);
        owner->params[ordinal] = {offset, bytes};
        break;
      }
      default: break;  // scheduling hints, barriers, instruction offsets: nothing that a launch needs
    }
  }

  // The device address of a symbol.
  std::uint64_t address_of(const elf_symbol& s) {
    if (s.section != 0 && s.section < place_.size()) return place_[s.section] + s.value;
    const auto it = std::find(p_.externals.begin(), p_.externals.end(), s.name);
    const auto index = static_cast<std::uint64_t>(it - p_.externals.begin());
    if (it == p_.externals.end()) p_.externals.push_back(s.name);
    return p_.bases.external + index * instruction_bytes;
  }

  std::vector<std::byte> relocated(const elf_section& s) {
    std::vector<std::byte> bytes(s.bytes.begin(), s.bytes.end());
    relocate(s, bytes);
    return bytes;
  }

  void relocate(const elf_section& s, std::vector<std::byte>& bytes) {
    for (const elf_relocation& r : elf_.relocations_of(s)) {
      const auto form = form_of(r.type);
      if (!form)
        return fail(
            "section " + s.name + " has a relocation of type " + std::to_string(r.type) + ", which is not known",
            s.offset, "is the file linked? compile without -rdc=true, or link with nvcc -cubin");
      const bool in_code = *form != relocation_form::data_32 && *form != relocation_form::data_64;
      const std::size_t width = in_code ? instruction_bytes : *form == relocation_form::data_32 ? 4 : 8;
      if (r.symbol >= elf_.symbols.size() || r.offset > bytes.size() || bytes.size() - r.offset < width)
        return fail("section " + s.name + " has a damaged relocation", s.offset);
      const std::uint64_t value = address_of(elf_.symbols[r.symbol]) + static_cast<std::uint64_t>(r.addend);
      if (in_code)
        relocate_instruction(bytes.data() + r.offset, *form, value);
      else
        std::memcpy(bytes.data() + r.offset, &value, width);
    }
  }

  static void relocate_instruction(std::byte* at, relocation_form form, std::uint64_t value) {
    std::uint64_t low = 0, high = 0;
    std::memcpy(&low, at, 8);
    std::memcpy(&high, at + 8, 8);
    if (form == relocation_form::call) {
      const std::uint64_t words = value / 4, upper = words >> 8;
      low = (low & ~(std::uint64_t{0xff} << 16) & ~(~std::uint64_t{0} << 34)) | (words & 0xff) << 16 | upper << 34;
      high = (high & ~((std::uint64_t{1} << 17) - 1)) | (upper >> 30 & ((std::uint64_t{1} << 17) - 1));
    } else {
      const std::uint64_t word = form == relocation_form::low_at_32 ? value & 0xffffffff : value >> 32;
      low = (low & 0xffffffff) | word << 32;
    }
    std::memcpy(at, &low, 8);
    std::memcpy(at + 8, &high, 8);
  }

  void relocate_all() {
    for (code_section& s : p_.sections) relocate(elf_.sections[s.elf_index], s.bytes);
    for (const auto& [index, segment] : segment_of_) relocate(elf_.sections[index], p_.data[segment].init);
    for (const elf_section& s : elf_.sections)
      if (const auto bank = bank_of(s.name, "")) p_.banks.push_back({*bank, relocated(s)});
  }

  void add_variables() {
    for (const elf_symbol& s : elf_.symbols) {
      if (s.type != symbol_object || s.section == 0 || s.section >= elf_.sections.size()) continue;
      const auto bank = bank_of(elf_.sections[s.section].name, "");
      if (bank)
        p_.variables.push_back({s.name, s.value, s.size, bank});
      else if (segment_of_.contains(s.section))
        p_.variables.push_back({s.name, place_[s.section] + s.value, s.size, std::nullopt});
    }
  }

  // The notes name the tools that made the file.
  bool is_linked() const {
    static constexpr std::string_view linker = "nvlink";
    const elf_section* notes = elf_.find(".note.nv.tkinfo");
    return std::any_of(elf_.sections.begin(), elf_.sections.end(),
                       [](const elf_section& s) {
                         return s.name.starts_with(ptx_text_name) && s.name.size() > ptx_text_name.size();
                       }) ||
           (notes != nullptr &&
            std::string_view(reinterpret_cast<const char*>(notes->bytes.data()), notes->bytes.size()).find(linker) !=
                std::string_view::npos);
  }

  // A cubin linked from several has a text of each, ".nv_debug_ptx_txt.1251242543", and its line table names the one
  // that it means; otherwise it names none. They become one text, one behind the other.
  void add_ptx_text() {
    std::map<std::string_view, std::uint32_t> lines_before;
    std::size_t lines = 0;
    std::string text;
    for (const elf_section& s : elf_.sections) {
      if (!s.name.starts_with(ptx_text_name) || s.bytes.empty()) continue;
      if (!lines_before.try_emplace(s.name, static_cast<std::uint32_t>(lines)).second) continue;
      if (s.bytes.size() >= most_ptx_bytes - text.size()) return;
      const std::size_t before = text.size();
      text.append(reinterpret_cast<const char*>(s.bytes.data()), s.bytes.size());
      if (text.back() != '\0') text += '\0';
      lines +=
          static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(before), text.end(), '\0'));
      if (lines > most_ptx_lines) return;
    }
    if (text.empty()) return;
    p_.ptx_text = std::move(text);
    for (auto& [section, rows] : p_.ptx.by_section)
      for (line_row& row : rows) {
        const std::string& named = p_.ptx.files[row.file];
        const auto it = lines_before.find(named.empty() ? ptx_text_name : named);
        row.line = it == lines_before.end() ? 0 : row.line + it->second;
      }
  }

  const elf_image& elf_;
  const std::string& name_;
  program p_;
  std::vector<std::uint64_t> place_;                    // device address by ELF section
  std::map<std::uint32_t, std::size_t> section_index_;  // ELF section -> program::sections
  std::map<std::uint32_t, std::size_t> segment_of_;     // ELF section -> program::data
  std::optional<diagnostic> wrong_;
};

// An extended regular expression of POSIX: std::regex overflows the stack on long names.
class posix_regex {
 public:
  explicit posix_regex(const std::string& text)
      : status_(regcomp(&expression_, text.c_str(), REG_EXTENDED | REG_NOSUB)) {}
  ~posix_regex() {
    if (status_ == 0) regfree(&expression_);
  }
  posix_regex(const posix_regex&) = delete;
  posix_regex& operator=(const posix_regex&) = delete;

  // What is wrong with the expression; empty: nothing.
  std::string error() const {
    char text[128] = "";
    if (status_ != 0) regerror(status_, &expression_, text, sizeof text);
    return text;
  }
  bool is_in(const std::string& text) const { return regexec(&expression_, text.c_str(), 0, nullptr, 0) == 0; }

 private:
  regex_t expression_;
  int status_;
};

std::string without_blanks(std::string s) {
  s.erase(std::remove(s.begin(), s.end(), ' '), s.end());
  return s;
}

std::string image_list(const std::vector<fatbin_image>& images) {
  std::string s;
  for (const fatbin_image& i : images)
    s += (s.empty() ? "" : ", ") + std::string(i.kind == image_kind::elf ? "sm_" : "PTX for sm_") +
         std::to_string(i.sm) + (i.arch_specific ? "a" : "");
  return s.empty() ? "nothing" : s;
}

// The images in a host program or object.
result<std::vector<fatbin_image>> images_of(const elf_image& elf, const std::string& name) {
  std::vector<fatbin_image> images;
  for (const char* section : {".nv_fatbin", "__nv_relfatbin"})
    if (const elf_section* s = elf.find(section)) {
      auto some = read_fatbins(s->bytes, name, s->offset);
      if (!some) return some.error();
      std::move(some->begin(), some->end(), std::back_inserter(images));
    }
  if (images.empty())
    return diagnostic{name + " has no CUDA code in it", {.file = name}, "its section .nv_fatbin is missing or empty"};
  return images;
}

diagnostic no_code_for(const std::vector<fatbin_image>& images, const std::string& name, std::uint32_t sm) {
  const bool any =
      std::any_of(images.begin(), images.end(), [](const fatbin_image& i) { return i.kind == image_kind::elf; });
  const std::string wanted = "sm_" + std::to_string(sm == 0 ? 90 : sm);
  return {name + " has no machine code for " + (sm == 0 ? "any architecture" : wanted),
          {.file = name},
          "it holds " + image_list(images) + "; compile with nvcc -arch=" + wanted +
              (any ? ", or choose one with --arch" : ", which makes machine code, and not -arch=compute_...")};
}

result<program> load_from_fatbins(const std::vector<fatbin_image>& images, const std::string& name, std::uint32_t sm,
                                  const address_bases& bases) {
  const fatbin_image* best = nullptr;
  for (const fatbin_image& i : images)
    if (i.kind == image_kind::elf && (sm == 0 || i.sm == sm) &&
        (best == nullptr || (i.sm >= best->sm && best->sm != 90) || (i.sm == 90 && sm == 0)))
      best = &i;
  if (best == nullptr) return no_code_for(images, name, sm);
  // Several translation units of the same architecture: the images are loaded as one program only if there is one.
  const auto same = std::count_if(images.begin(), images.end(), [&](const fatbin_image& i) {
    return i.kind == image_kind::elf && i.sm == best->sm && i.arch_specific == best->arch_specific;
  });
  if (same == 1) return load_cubin(best->bytes, name, bases);
  result<program> chosen = diagnostic{name + " has no kernels", {.file = name}};
  for (const fatbin_image& i : images) {
    if (i.kind != image_kind::elf || i.sm != best->sm || i.arch_specific != best->arch_specific) continue;
    auto p = load_cubin(i.bytes, name, bases);
    if (!p) return p;
    if (p->kernels.empty()) continue;
    if (chosen)
      return diagnostic{name + " holds kernels of several translation units",
                        {.file = name},
                        "compile the one that is wanted with nvcc -cubin and run that"};
    chosen = std::move(p);
  }
  return chosen;
}

}  // namespace

std::string demangle(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return mangled;  // "f" is a name, and not the type float
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && text ? std::string(text.get()) : mangled;
}

std::string function_of(const code_section& section) {
  const std::string_view name = section.name, prefix = ".text.";
  return demangle(std::string(name.starts_with(prefix) ? name.substr(prefix.size()) : name));
}

std::size_t parameter_bytes(const kernel& k) {
  std::size_t bytes = 0;
  for (const parameter& p : k.params) bytes = std::max<std::size_t>(bytes, std::size_t{p.offset} + p.bytes);
  return bytes;
}

std::string bare_name(const std::string& full_name) {
  // Cut the parameters and the template arguments, then everything before the last blank or :: outside of <>.
  int depth = 0;
  std::size_t end = full_name.size(), begin = 0;
  for (std::size_t i = 0; i < full_name.size(); ++i) {
    const char c = full_name[i];
    if (c == '(' && depth == 0 && !full_name.substr(i).starts_with("(anonymous namespace)")) {
      end = i;
      break;
    }
    if (c == '(' && depth == 0) i += std::string_view("(anonymous namespace)").size() - 1;
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth == 0 && (c == ' ' || c == ':')) begin = i + 1;
  }
  std::string name = full_name.substr(begin, end > begin ? end - begin : 0);
  name = name.substr(0, name.find('<'));
  return name.empty() ? full_name : name;
}

std::vector<std::string_view> program::ptx_lines() const {
  std::vector<std::string_view> lines = split(ptx_text, '\0');
  lines.pop_back();  // what stands behind the last zero byte
  return lines;
}

std::optional<program::place> program::source_of(std::uint32_t section, std::uint64_t pc) const {
  const line_row* row = source.find(sections[section].elf_index, pc);
  if (row == nullptr || row->file == 0) return std::nullopt;
  return place{source.files[row->file], row->line, source.files[row->outer_file], row->outer_line};
}

std::optional<std::uint32_t> program::section_at(std::uint64_t address) const {
  for (std::uint32_t n = 0; n < sections.size(); ++n)
    if (address >= sections[n].address && address - sections[n].address < sections[n].bytes.size()) return n;
  return std::nullopt;
}

std::vector<frame> program::frames_of(std::uint32_t section, std::uint64_t pc) const {
  const code_section& in = sections[section];
  const auto holds = [&](const code_function& f) { return pc >= f.offset && pc - f.offset < f.bytes; };
  const auto own = std::find_if(in.functions.begin(), in.functions.end(), holds);
  const std::string owner = own != in.functions.end() ? own->name : function_of(in);
  const line_row* row = source.find_innermost(in.elf_index, pc);
  if (row == nullptr || row->file == 0) return {{owner, "", 0}};
  std::vector<frame> frames;
  std::uint32_t in_file = row->file, line = row->line;
  for (std::uint32_t n = row->call; n != 0; n = source.calls[n].outer) {
    const inlined_call& c = source.calls[n];
    frames.push_back({c.function.empty() ? "an inlined function" : demangle(c.function), source.files[in_file], line});
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

result<program> load_cubin(byte_span bytes, const std::string& name, const address_bases& bases) {
  const auto elf = read_elf(bytes, name);
  if (!elf) return elf.error();
  if (elf->machine != machine_cuda)
    return diagnostic{
        name + " is an ELF file, but not machine code for a GPU", {.file = name}, "expected what nvcc -cubin writes"};
  std::uint16_t type = 0;
  std::memcpy(&type, bytes.data() + 16, sizeof type);
  if (type == elf_relocatable)
    return diagnostic{name + " is not linked: it was compiled with -rdc=true or -dc",
                      {.file = name},
                      "compile it with nvcc -cubin and without -rdc=true"};
  return loader(*elf, name, bases).run();
}

result<program> load(byte_span bytes, const std::string& name, std::uint32_t sm, const address_bases& bases) {
  if (is_fatbin(bytes)) {
    const auto images = read_fatbins(bytes, name);
    if (!images) return images.error();
    return load_from_fatbins(*images, name, sm, bases);
  }
  if (!is_elf(bytes))
    return diagnostic{name + " is neither a cubin, nor a fatbin, nor a program with one in it",
                      {.file = name},
                      "bankwise run takes .cu, .ptx, .cubin and .fatbin files"};
  const auto elf = read_elf(bytes, name);
  if (!elf) return elf.error();
  if (elf->machine == machine_cuda) {
    auto p = load_cubin(bytes, name, bases);
    if (p && sm != 0 && p->sm != sm)
      return diagnostic{name + " is compiled for sm_" + std::to_string(p->sm) + ", not sm_" + std::to_string(sm),
                        {.file = name},
                        "compile it with nvcc -arch=sm_" + std::to_string(sm)};
    return p;
  }
  const auto images = images_of(*elf, name);
  if (!images) return images.error();
  return load_from_fatbins(*images, name, sm, bases);
}

result<std::vector<program>> load_all(byte_span bytes, const std::string& name, std::uint32_t sm) {
  const auto elf = read_elf(bytes, name);
  if (!elf) return elf.error();
  const auto images = images_of(*elf, name);
  if (!images) return images.error();
  std::vector<program> all;
  std::optional<diagnostic> why_not;
  for (const fatbin_image& i : *images) {
    if (i.kind != image_kind::elf || i.sm != sm) continue;
    auto p = load_cubin(i.bytes, name);
    // Perhaps an object for the device linker: what it became stands beside it.
    if (p)
      all.push_back(std::move(*p));
    else if (!why_not)
      why_not = p.error();
  }
  if (all.empty()) return why_not ? *why_not : no_code_for(*images, name, sm);
  return all;
}

bool has_ptx(byte_span bytes, const std::string& name, std::uint32_t sm) {
  const auto elf = read_elf(bytes, name);
  if (!elf) return false;
  const auto images = images_of(*elf, name);
  return images && std::any_of(images->begin(), images->end(),
                               [&](const fatbin_image& i) { return i.kind == image_kind::ptx && i.sm <= sm; });
}

result<const kernel*> find_kernel(const program& p, const std::string& pattern) {
  std::vector<std::string> names;
  for (const kernel& k : p.kernels) names.push_back(k.full_name == k.mangled ? k.name : k.full_name);
  const auto listed = [&](const std::vector<std::string>& some) {
    std::string s;
    for (std::size_t i = 0; i < some.size() && i < 12; ++i) s += "\n    " + some[i];
    if (some.size() > 12) s += "\n    ... and " + std::to_string(some.size() - 12) + " more";
    return s;
  };
  if (p.kernels.empty()) return diagnostic{p.file + " has no kernels", {.file = p.file}};
  std::vector<const kernel*> found;
  std::string_view expression = pattern;
  if (expression.starts_with("regex:")) expression.remove_prefix(6);
  if (pattern.empty()) {
    for (const kernel& k : p.kernels) found.push_back(&k);
  } else if (expression.size() == pattern.size()) {
    for (const kernel& k : p.kernels)
      if (k.name == pattern || k.full_name == pattern || k.mangled == pattern) found.push_back(&k);
    // "tr_pad<0>": the full name without return type and parameters; blanks do not matter.
    if (found.empty()) {
      const std::string start = without_blanks(pattern) + "(";
      for (const kernel& k : p.kernels)
        if (without_blanks(k.full_name).starts_with(start) ||
            without_blanks(k.full_name.substr(k.full_name.find(' ') + 1)).starts_with(start))
          found.push_back(&k);
    }
  }
  // What is no name is an expression, with "regex:" before it or without.
  if (found.empty() && !expression.empty()) {
    if (expression.size() > 1000) return diagnostic{"-k: the expression is longer than 1,000 characters"};
    const posix_regex matcher{std::string(expression)};
    if (!matcher.error().empty() && expression.size() != pattern.size())
      return diagnostic{"-k " + pattern + ": " + matcher.error()};
    for (const kernel& k : p.kernels)
      if (matcher.error().empty() && (matcher.is_in(k.full_name) || matcher.is_in(k.mangled))) found.push_back(&k);
  }
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    std::vector<std::string> bare, near;
    for (const kernel& k : p.kernels) bare.push_back(k.name);
    for (const std::string& name : nearest(expression, bare, 3))
      for (std::size_t i = 0; i < bare.size(); ++i)
        if (bare[i] == name && std::find(near.begin(), near.end(), names[i]) == near.end()) near.push_back(names[i]);
    return diagnostic{"no kernel " + pattern + " in " + p.file,
                      {},
                      near.empty() ? "there are:" + listed(names) : "did you mean:" + listed(near)};
  }
  std::vector<std::string> several;
  for (const kernel* k : found) several.push_back(k->full_name);
  return diagnostic{pattern.empty() ? p.file + " has " + std::to_string(found.size()) + " kernels; choose one with -k"
                                    : "-k " + pattern + " names " + std::to_string(found.size()) + " kernels",
                    {},
                    "there are:" + listed(several)};
}

}  // namespace bankwise::cubin
