// Loads a cubin in this order: sections get their addresses, kernels get their properties, and relocations are applied.
#include "cubin/load_cubin.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/format.hpp"
#include "base/text.hpp"
#include "cubin/elf_image.hpp"
#include "cubin/kernel_info.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/ptx_text.hpp"
#include "cubin/relocation.hpp"

namespace bankwise::cubin {

namespace {

constexpr std::uint8_t other_entry = 0x10;
constexpr std::uint64_t most_data_bytes = std::uint64_t{1} << 32;
constexpr std::uint16_t elf_relocatable = 1;

std::uint64_t align_up(std::uint64_t n, std::uint64_t a) { return a <= 1 ? n : (n + a - 1) / a * a; }

class loader {
 public:
  loader(const elf_image& elf, const std::string& name, const address_bases& bases)
      : elf_(elf), name_(name), place_(elf.sections.size(), 0) {
    p_.file = name;
    p_.bases = bases;
  }

  result<program> run() {
    // In CUDA's ELF ABI 8, bits 8 to 15 of the flags contain the architecture. In older versions, bits 0 to 7 contain
    // the architecture.
    p_.sm = elf_.abi_version >= 8 ? elf_.flags >> 8 & 0xff : elf_.flags & 0xff;
    place_sections();
    if (wrong_) return *wrong_;
    for (const elf_symbol& s : elf_.symbols)
      if (s.type == symbol_type::function && (s.other & other_entry) != 0 && s.section != 0) add_kernel(s);
    add_functions();
    read_info(".nv.info", nullptr);
    for (kernel& k : p_.kernels) {
      k.params.clear();
      read_info(formatted(".nv.info.{}", k.mangled), &k);
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
    p_.ptx_text = join_ptx_texts(elf_, p_.ptx);
    p_.linked = is_linked(elf_);
    return std::move(p_);
  }

 private:
  void fail(diagnostic d) {
    if (!wrong_) wrong_ = std::move(d);
  }
  void fail(const std::string& what, std::uint64_t byte) { fail(damaged(name_, what, byte)); }

  void read_info(const std::string& section, kernel* owner) {
    if (const elf_section* s = elf_.find(section); s != nullptr && !wrong_)
      wrong_ = read_kernel_info(elf_, *s, name_, p_.kernels, owner);
  }

  void place_sections() {
    std::uint64_t code = p_.bases.code, data = p_.bases.data;
    for (std::size_t i = 0; i < elf_.sections.size(); ++i) {
      const elf_section& s = elf_.sections[i];
      if (s.name.starts_with(".text.")) {
        if (s.bytes.size() % instruction_bytes != 0)
          return fail(formatted("the size of section {} is not a multiple of 16 bytes, which is the size of an "
                                "instruction",
                                s.name),
                      s.offset);
        code = align_up(code, 128);
        place_[i] = code;
        section_index_[static_cast<std::uint32_t>(i)] = p_.sections.size();
        p_.sections.push_back({s.name, static_cast<std::uint32_t>(i), code, {s.bytes.begin(), s.bytes.end()}, {}});
        code += s.bytes.size();
      } else if (s.name == ".nv.global" || s.name == ".nv.global.init" || s.name.starts_with(".nv.global.init.")) {
        if (s.size > most_data_bytes) return fail(formatted("section {} is larger than 4 GiB", s.name), s.offset);
        const auto index = static_cast<std::uint32_t>(i);
        runs_[index] = runs_of(index, align_up(data, std::clamp<std::uint64_t>(s.alignment, variable_alignment, 4096)));
        const data_run &first = runs_[index].front(), &last = runs_[index].back();
        place_[i] = first.to;
        segment_of_[index] = p_.data.size();
        data = last.to + last.bytes;
        p_.data.push_back({first.to, data - first.to, {}});
      }
    }
  }

  // A range of bytes that stay together in a section of variables. `to` is its device address.
  struct data_run {
    std::uint64_t from = 0, bytes = 0, to = 0;
  };
  static constexpr std::uint64_t variable_alignment = 256;

  // The driver places each variable at a multiple of 256 bytes (measured on an H100), regardless of the variable's
  // offset in the section. Bytes that belong to no variable also stay together.
  std::vector<data_run> runs_of(std::uint32_t section, std::uint64_t to) const {
    const std::uint64_t size = elf_.sections[section].size;
    std::map<std::uint64_t, std::uint64_t> ends;  // key: beginning of a range; value: end of this range
    for (const elf_symbol& s : elf_.symbols)
      if (s.section == section && s.type != symbol_type::section && s.size != 0 && s.value < size)
        ends[s.value] = std::max(ends[s.value], s.value + std::min(s.size, size - s.value));
    std::vector<data_run> runs;
    const auto add = [&](std::uint64_t from, std::uint64_t end) {
      runs.push_back({from, end - from, align_up(to, variable_alignment)});
      to = runs.back().to + runs.back().bytes;
    };
    std::uint64_t done = 0;
    for (auto at = ends.begin(); at != ends.end();) {
      const std::uint64_t from = at->first;
      std::uint64_t end = at->second;
      for (++at; at != ends.end() && at->first < end; ++at) end = std::max(end, at->second);
      if (done < from) add(done, from);
      add(from, end);
      done = end;
    }
    if (done < size || runs.empty()) add(done, size);
    return runs;
  }

  // Returns the device address of an offset in a section.
  std::uint64_t address_in(std::uint32_t section, std::uint64_t offset) const {
    const auto runs = runs_.find(section);
    if (runs == runs_.end()) return place_[section] + offset;
    const auto after = std::upper_bound(runs->second.begin(), runs->second.end(), offset,
                                        [](std::uint64_t n, const data_run& r) { return n < r.from; });
    const data_run& run = after == runs->second.begin() ? *after : *std::prev(after);
    return run.to + (offset - run.from);
  }

  void add_kernel(const elf_symbol& s) {
    const auto it = section_index_.find(s.section);
    if (it == section_index_.end() || !inside(elf_.sections[s.section].bytes, s.value, s.size) ||
        s.value % instruction_bytes != 0)
      return fail(formatted("kernel {} is outside its section", s.name), 0);
    kernel k;
    k.mangled = s.name;
    k.full_name = demangle(s.name);
    k.name = bare_name(k.full_name);
    k.section = static_cast<std::uint32_t>(it->second);
    k.offset = static_cast<std::uint32_t>(s.value);
    k.code_bytes = static_cast<std::uint32_t>(s.size);
    k.registers = elf_.sections[s.section].info >> 24;  // the attribute in .nv.info has priority, if it exists
    if (p_.sm >= 90) k.reserved_shared_bytes = 1024;
    if (const elf_section* shared = elf_.find(formatted(".nv.shared.{}", s.name))) {
      if (shared->size > (1u << 20))
        return fail(formatted("kernel {} declares more than 1 MiB of shared memory", s.name), shared->offset);
      const auto bytes = static_cast<std::uint32_t>(shared->size);
      k.static_shared_bytes = bytes >= k.reserved_shared_bytes ? bytes - k.reserved_shared_bytes : bytes;
    }
    // Reads the kernel's own constant banks from sections such as .nv.constant2.NAME. Each launch makes its own bank 0.
    for (const elf_section& c : elf_.sections)
      if (const auto bank = bank_of(c.name, s.name); bank && *bank != 0) k.banks.push_back({*bank, relocated(c)});
    p_.kernels.push_back(std::move(k));
  }

  // If only one kernel calls a function, the function's symbol begins with the kernel's name: "$_Z6kernelPf$_Z4deepPf".
  void add_functions() {
    for (const elf_symbol& s : elf_.symbols) {
      const auto it = section_index_.find(s.section);
      if (s.type != symbol_type::function || it == section_index_.end()) continue;
      std::string_view name = s.name;
      if (name.starts_with('$')) name.remove_prefix(name.rfind('$') + 1);
      p_.sections[it->second].functions.push_back({s.value, s.size, demangle(std::string(name))});
    }
    // Sorts functions by size. Inner functions must come first for lookups.
    for (code_section& s : p_.sections)
      std::stable_sort(s.functions.begin(), s.functions.end(),
                       [](const code_function& a, const code_function& b) { return a.bytes < b.bytes; });
  }

  // Returns the number of the bank in a section's name, such as 3 for ".nv.constant3". The section of a kernel's own
  // bank also contains the kernel's name, as in ".nv.constant2.NAME".
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

  // Returns the device address of a symbol plus `addend` bytes.
  std::uint64_t address_of(const elf_symbol& s, std::uint64_t addend) {
    if (s.section != 0 && s.section < place_.size())
      return s.type == symbol_type::section ? address_in(s.section, s.value + addend)
                                            : address_in(s.section, s.value) + addend;
    const auto it = std::find(p_.externals.begin(), p_.externals.end(), s.name);
    const auto index = static_cast<std::uint64_t>(it - p_.externals.begin());
    if (it == p_.externals.end()) p_.externals.push_back(s.name);
    return p_.bases.external + index * instruction_bytes + addend;
  }

  std::vector<std::byte> relocated(const elf_section& s) {
    std::vector<std::byte> bytes(s.bytes.begin(), s.bytes.end());
    relocate(s, bytes);
    return bytes;
  }

  void relocate(const elf_section& s, std::vector<std::byte>& bytes) {
    for (const elf_relocation& r : elf_.relocations_of(s)) {
      const auto form = form_of(r.type);
      if (r.type == texture_query)
        return fail(
            {formatted("the code in section {} queries the format, order, modes, layers or levels of a texture or "
                       "surface. bankwise executes only queries of the sizes of a texture or surface",
                       s.name),
             {.file = name_, .byte = s.offset},
             "NVIDIA's driver also refuses this code. Pass these values to the kernel as parameters"});
      if (!form)
        return fail({formatted("section {} has a relocation of unknown type {}", s.name, r.type),
                     {.file = name_, .byte = s.offset},
                     "the file is probably not linked. Compile without -rdc=true, or link with nvcc -cubin"});
      if (r.symbol >= elf_.symbols.size() || r.offset > bytes.size() || bytes.size() - r.offset < bytes_of(*form))
        return fail(formatted("section {} has a damaged relocation", s.name), s.offset);
      const std::uint64_t value = address_of(elf_.symbols[r.symbol], static_cast<std::uint64_t>(r.addend));
      put_address(bytes.data() + r.offset, *form, value);
    }
  }

  // Returns the initial bytes of a section, with each range at its device address.
  std::vector<std::byte> spread(std::uint32_t section, const data_segment& segment,
                                const std::vector<std::byte>& bytes) const {
    std::vector<std::byte> all;
    for (const data_run& r : runs_.at(section)) {
      if (r.from >= bytes.size()) break;
      const std::uint64_t at = r.to - segment.address, count = std::min<std::uint64_t>(r.bytes, bytes.size() - r.from);
      all.resize(at + count);
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(r.from), count,
                  all.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return all;
  }

  void relocate_all() {
    for (code_section& s : p_.sections) relocate(elf_.sections[s.elf_index], s.bytes);
    for (const auto& [index, segment] : segment_of_)
      p_.data[segment].init = spread(index, p_.data[segment], relocated(elf_.sections[index]));
    for (const elf_section& s : elf_.sections)
      if (const auto bank = bank_of(s.name, "")) p_.banks.push_back({*bank, relocated(s)});
  }

  void add_variables() {
    for (const elf_symbol& s : elf_.symbols) {
      if (s.type != symbol_type::object || s.section == 0 || s.section >= elf_.sections.size()) continue;
      const auto bank = bank_of(elf_.sections[s.section].name, "");
      if (bank)
        p_.variables.push_back({s.name, s.value, s.size, bank});
      else if (segment_of_.contains(s.section))
        p_.variables.push_back({s.name, address_in(s.section, s.value), s.size, std::nullopt});
    }
  }

  const elf_image& elf_;
  const std::string& name_;
  program p_;
  std::vector<std::uint64_t> place_;                     // device address of each ELF section
  std::map<std::uint32_t, std::size_t> section_index_;   // for each ELF section: index in program::sections
  std::map<std::uint32_t, std::size_t> segment_of_;      // for each ELF section: index in program::data
  std::map<std::uint32_t, std::vector<data_run>> runs_;  // for each ELF section of variables: its ranges, in order
  std::optional<diagnostic> wrong_;
};

}  // namespace

result<program> load_cubin(byte_span bytes, const std::string& name, const address_bases& bases) {
  const auto elf = read_elf(bytes, name);
  if (!elf) return elf.error();
  if (elf->machine != machine_cuda)
    return diagnostic{formatted("{} is an ELF file, but not machine code for a GPU", name),
                      {.file = name},
                      "pass a file that nvcc -cubin wrote"};
  std::uint16_t type = 0;
  std::memcpy(&type, bytes.data() + 16, sizeof type);
  if (type == elf_relocatable)
    return diagnostic{formatted("{} is not linked, because it was compiled with -rdc=true or -dc", name),
                      {.file = name},
                      "compile the source with nvcc -cubin and without -rdc=true"};
  return loader(*elf, name, bases).run();
}

}  // namespace bankwise::cubin
