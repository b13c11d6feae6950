#include "profile/code/place.hpp"

#include "cubin/kernel_names.hpp"
#include "sass/instruction.hpp"
#include "sass/print/print.hpp"

namespace bankwise {

std::optional<cubin::program::place> source_at(const cubin::program& p, std::uint64_t pc) {
  const auto section = p.section_at(pc);
  return section ? p.source_of(*section, pc - p.sections[*section].address) : std::nullopt;
}

std::optional<std::pair<byte_span, std::uint64_t>> set_place(instruction_place& s, const cubin::program& p,
                                                             const cubin::kernel& k, std::uint64_t pc) {
  const auto section = p.section_at(pc);
  if (!section) return std::nullopt;
  const cubin::code_section& in = p.sections[*section];
  const std::uint64_t at = pc - in.address;
  s.pc = at;
  const sass::instruction i = sass::load_instruction(in.bytes.data() + at, sass::isa_of(p.sm));
  if (*section == k.section)
    s.pc -= k.offset;
  else
    s.function = cubin::function_of(in);
  s.sass = sass::to_text(i, s.pc, p.sm);
  if (const auto place = p.source_of(*section, at)) {
    s.file = place->file;
    s.line = place->line;
    s.outer_file = place->outer_file;
    s.outer_line = place->outer_line;
  }
  s.ptx_line = p.ptx_line_of(*section, at);
  return std::pair{byte_span(in.bytes), at};
}

}  // namespace bankwise
