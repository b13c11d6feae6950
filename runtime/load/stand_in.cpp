#include "runtime/load/stand_in.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/format.hpp"
#include "runtime/load/host_file.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::size_t longest_name = 4096, most_versions = 65536;

// The parts of a file's name. For "libcudart-d0da41ae.so.13.0.96", the parts are "cudart" and "13.0.96". Tools that
// make wheels add the hash to the name.
struct library_name {
  std::string_view library, version;
};

std::optional<library_name> parse(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);  // if there is no slash, npos + 1 is 0
  if (!name.starts_with("lib")) return std::nullopt;
  name.remove_prefix(3);
  const std::size_t end = name.find(".so");
  if (end == std::string_view::npos) return std::nullopt;
  library_name parsed{name.substr(0, end), name.substr(end + 3)};
  if (!parsed.version.empty()) {
    if (parsed.version[0] != '.') return std::nullopt;
    parsed.version.remove_prefix(1);
    if (parsed.version.empty() || parsed.version.find_first_not_of("0123456789.") != std::string_view::npos)
      return std::nullopt;
  }
  if (const std::size_t dash = parsed.library.rfind('-'); dash != std::string_view::npos) {
    const std::string_view hash = parsed.library.substr(dash + 1);
    const bool is_hash = hash.size() >= 6 && hash.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    if (!is_hash && parsed.library != "nvidia-ml") return std::nullopt;
    if (is_hash) parsed.library = parsed.library.substr(0, dash);
  }
  return parsed;
}

// The dynamic section of a program or library, and the names in it.
struct dynamic_section {
  host_file file;
  std::vector<Elf64_Dyn> entries;
  std::uint64_t names = 0;  // address of the string table

  // Returns the bytes from an address of the loaded file to the end of its segment.
  byte_span at(std::uint64_t address) const {
    const Elf64_Phdr* const p = segment_at(file, address);
    return p == nullptr ? byte_span() : bytes_at(file, address, p->p_filesz - (address - p->p_vaddr));
  }
  std::string_view name(std::uint64_t offset) const {
    const byte_span strings = at(names);
    if (offset >= strings.size()) return {};
    return byte_reader(strings.subspan(offset, std::min<std::uint64_t>(strings.size() - offset, longest_name)))
        .c_string();
  }
  std::uint64_t value(std::int64_t tag) const {
    const auto e = std::find_if(entries.begin(), entries.end(), [&](const Elf64_Dyn& d) { return d.d_tag == tag; });
    return e == entries.end() ? 0 : e->d_un.d_val;
  }
};

dynamic_section read_dynamic_section(byte_span bytes) {
  dynamic_section found;
  if (const auto file = read_host_file(bytes)) found.file = *file;
  const std::vector<Elf64_Phdr>& segments = found.file.segments;
  const auto dynamic =
      std::find_if(segments.begin(), segments.end(), [](const Elf64_Phdr& p) { return p.p_type == PT_DYNAMIC; });
  if (dynamic == segments.end() || !inside(bytes, dynamic->p_offset, dynamic->p_filesz)) return found;
  byte_reader entries(bytes.subspan(dynamic->p_offset, dynamic->p_filesz));
  for (;;) {
    const auto entry = entries.read<Elf64_Dyn>();
    if (entries.failed() || entry.d_tag == DT_NULL) break;
    found.entries.push_back(entry);
  }
  found.names = found.value(DT_STRTAB);
  return found;
}

}  // namespace

std::string_view stand_in_of(std::string_view path) {
  const auto name = parse(path);
  if (!name) return {};
  // The file name of a driver has the driver's version, but there is only one stand-in for this library.
  if (name->library == "cuda") return "libcuda.so.1";
  if (name->library == "nvidia-ml") return "libnvidia-ml.so.1";
  const std::string_view major = name->version.substr(0, name->version.find('.'));
  for (const std::string_view ours : all_stand_ins)
    if (const auto one = parse(ours); one->library == name->library && one->version == major) return ours;
  return {};
}

bool is_without_version(std::string_view path) {
  const auto name = parse(path);
  return name && name->version.empty() && name->library != "cuda" && name->library != "nvidia-ml" &&
         std::any_of(std::begin(all_stand_ins), std::end(all_stand_ins),
                     [&](std::string_view ours) { return parse(ours)->library == name->library; });
}

std::string how_to_get(std::string_view stand_in, std::string_view folder) {
  const std::string_view library = parse(stand_in)->library;
  const bool is_math = library != "cuda" && library != "cudart" && library != "nccl" && library != "nvidia-ml";
  while (folder.ends_with('/')) folder.remove_suffix(1);
  if (!folder.ends_with("/bankwise/injected"))
    return is_math ? "is not built. Run scripts/setup math, which builds the replacements for CUDA's math libraries"
                   : "is not built. Run scripts/setup";
  if (!is_math) return formatted("is missing in {}. Install bankwise again", folder);
  return folder.ends_with("/program/lib/bankwise/injected")
             ? "is in a separate wheel. To install this wheel, run pip install 'bankwise[math]'"
             : "is in a separate package. Install bankwise-cuda-math";
}

std::string_view soname_of(byte_span file) {
  const dynamic_section d = read_dynamic_section(file);
  const std::uint64_t offset = d.value(DT_SONAME);  // the string at offset 0 is empty
  return offset != 0 ? d.name(offset) : std::string_view();
}

std::vector<needed_name> needed_names(byte_span file) {
  const dynamic_section d = read_dynamic_section(file);
  std::vector<needed_name> found;
  const auto add = [&](std::uint64_t offset) {
    if (const std::string_view name = d.name(offset); !name.empty()) found.push_back({name, d.names + offset});
  };
  for (const Elf64_Dyn& e : d.entries)
    if (e.d_tag == DT_NEEDED) add(e.d_un.d_val);
  byte_span versions = d.at(d.value(DT_VERNEED));
  for (std::uint64_t left = std::min<std::uint64_t>(d.value(DT_VERNEEDNUM), most_versions); left > 0; --left) {
    byte_reader r(versions);
    const auto version = r.read<Elf64_Verneed>();
    if (r.failed()) break;
    add(version.vn_file);
    if (version.vn_next == 0 || version.vn_next >= versions.size()) break;
    versions = versions.subspan(version.vn_next);
  }
  std::sort(found.begin(), found.end(),
            [](const needed_name& a, const needed_name& b) { return a.address < b.address; });
  found.erase(std::unique(found.begin(), found.end(),
                          [](const needed_name& a, const needed_name& b) { return a.address == b.address; }),
              found.end());
  return found;
}

}  // namespace bankwise::cuda
