#include "cubin/names/demangler.hpp"

#include "cubin/names/name_parser.hpp"
#include "cubin/names/name_printer.hpp"

namespace bankwise::cubin {

std::optional<std::string> demangled(std::string_view mangled) {
  if (!mangled.starts_with("_Z") || mangled.size() > most_mangled_bytes) return std::nullopt;
  const auto parsed = names::parse(mangled.substr(2));
  return parsed ? names::print(*parsed->root, most_demangled_bytes) : std::nullopt;
}

}  // namespace bankwise::cubin
