// Builds blocks, strands and loops. The opcodes' rows in opcodes.def tell where lanes continue.
#include "sass/flow/basic_blocks.hpp"

#include "sass/instruction.hpp"
#include "sass/operand/branch.hpp"
#include "sass/row.hpp"

namespace bankwise::sass {

namespace {

flow flow_of(const instruction& i) {
  const opcode_info* const info = i.info();
  if (info == nullptr) return flow::anywhere;
  const opcode_traits& t = traits_of(info->op);
  // WARPSYNC.COLLECTIVE names the address of code that other lanes execute.
  return t.flow == flow::meets && t.names_place && row_fields(i).flag(".COLLECTIVE") ? flow::ends : t.flow;
}

}  // namespace

straight_code basic_blocks(byte_span code, isa set, std::uint64_t address) {
  const std::size_t count = code.size() / instruction_bytes;
  const auto instruction_at = [&](std::size_t n) { return load_instruction(code.data() + n * instruction_bytes, set); };
  straight_code s;
  s.block.resize(count);
  s.strand.resize(count);
  s.is_target.resize(count);
  std::vector<flow> flows(count);
  bool is_known = true, has_calls = false;
  for (std::size_t n = 0; n < count; ++n) {
    const instruction i = instruction_at(n);
    flows[n] = flow_of(i);
    is_known = is_known && flows[n] != flow::anywhere;
    if (!is_known) break;
    const opcode op = i.info()->op;
    has_calls = has_calls || traits_of(op).calls_or_returns;
    if (!traits_of(op).names_place) continue;
    const std::uint64_t target = branch_target(i, n * instruction_bytes);
    if (target / instruction_bytes < count) s.is_target[target / instruction_bytes] = true;
  }
  // A number in the code may be a return address. Such an address is an offset in the section, or an address in memory.
  for (std::size_t n = 0; n < count && is_known && has_calls; ++n) {
    const instruction i = instruction_at(n);
    for (const std::uint32_t number : i.possible_addresses())
      for (const std::uint64_t base : {std::uint64_t{0}, address}) {
        const auto offset = static_cast<std::uint32_t>(number - base);
        if (offset % instruction_bytes == 0 && offset / instruction_bytes < count)
          s.is_target[offset / instruction_bytes] = true;
      }
  }
  std::uint32_t block = 0, strand = 0;
  for (std::uint32_t n = 0; n < count; ++n) {
    if (!is_known) s.is_target[n] = true;
    if (s.is_target[n] || (n != 0 && flows[n - 1] == flow::ends)) block = strand = n;
    if (n != 0 && flows[n - 1] == flow::meets) strand = n;
    s.block[n] = block;
    s.strand[n] = strand;
  }
  return s;
}

std::optional<std::uint64_t> loop_begin(const instruction& i, std::uint64_t at) {
  if (i.info() == nullptr || (i.info()->op != opcode::BRA && i.info()->op != opcode::BRA_U)) return std::nullopt;
  const std::uint64_t target = branch_target(i, at);
  return target <= at ? std::optional(target) : std::nullopt;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> loop_around(byte_span code, isa set, std::uint64_t offset) {
  std::optional<std::pair<std::uint64_t, std::uint64_t>> innermost;
  for (std::uint64_t at = offset; at + instruction_bytes <= code.size(); at += instruction_bytes) {
    const auto begin = loop_begin(load_instruction(code.data() + at, set), at);
    if (begin && *begin <= offset && (!innermost || *begin > innermost->first)) innermost = {*begin, at};
  }
  return innermost;
}

}  // namespace bankwise::sass
