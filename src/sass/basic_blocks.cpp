#include "sass/basic_blocks.hpp"

#include "sass/instruction.hpp"
#include "sass/print.hpp"

namespace bankwise::sass {

namespace {

constexpr std::uint64_t instruction_bytes = 16;

enum class flow : std::uint8_t {
  next,
  meets,    // lanes may wait for others here, or let them come by
  ends,     // some lanes go on elsewhere, or nowhere
  unknown,  // they go anywhere
};

flow flow_of(const instruction& i) {
  const opcode_info* const info = i.info();
  if (info == nullptr) return flow::unknown;
  switch (info->op) {
    case opcode::BRX:
    case opcode::BRXU: return flow::unknown;
    case opcode::BRA:
    case opcode::BRA_U:
    case opcode::CALL_REL:
    case opcode::CALL_REL_R:
    case opcode::CALL_ABS:
    case opcode::CALL_ABS_R:
    case opcode::RET:
    case opcode::EXIT:
    case opcode::KILL:
    case opcode::BPT: return flow::ends;
    case opcode::WARPSYNC_R:
    case opcode::WARPSYNC_I: return i.bit(86) ? flow::ends : flow::meets;  // .COLLECTIVE names a place
    case opcode::BSYNC:
    case opcode::BREAK:
    case opcode::YIELD:
    case opcode::NANOSLEEP_R:
    case opcode::NANOSLEEP_I:
    case opcode::BAR_RR:
    case opcode::BAR_RI:
    case opcode::BAR_IR:
    case opcode::BAR_II:
    case opcode::UCGABAR_WAIT:
    case opcode::ENDCOLLECTIVE: return flow::meets;
    default: return flow::next;
  }
}

bool names_place(opcode op) {
  switch (op) {
    case opcode::BRA:
    case opcode::BRA_U:
    case opcode::CALL_REL:
    case opcode::WARPSYNC_R:
    case opcode::WARPSYNC_I:
    case opcode::BSSY:
    case opcode::LEPC: return true;
    default: return false;
  }
}
bool calls_or_returns(opcode op) {
  switch (op) {
    case opcode::CALL_REL:
    case opcode::CALL_REL_R:
    case opcode::CALL_ABS:
    case opcode::CALL_ABS_R:
    case opcode::RET: return true;
    default: return false;
  }
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
    is_known = is_known && flows[n] != flow::unknown;
    if (!is_known) break;
    const opcode op = i.info()->op;
    has_calls = has_calls || calls_or_returns(op);
    if (!names_place(op)) continue;
    const std::uint64_t target = branch_target(i, n * instruction_bytes);
    if (target / instruction_bytes < count) s.is_target[target / instruction_bytes] = true;
  }
  // An address to return to is a number in the code: that of the place in the section, or of the place in memory.
  for (std::size_t n = 0; n < count && is_known && has_calls; ++n) {
    const instruction i = instruction_at(n);
    for (const unsigned at : {24u, 32u})
      for (const std::uint64_t base : {std::uint64_t{0}, address}) {
        const auto offset = static_cast<std::uint32_t>(i.bits(at, 32) - base);
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

std::optional<std::pair<std::uint64_t, std::uint64_t>> loop_around(byte_span code, isa set, std::uint64_t offset) {
  std::optional<std::pair<std::uint64_t, std::uint64_t>> innermost;
  for (std::uint64_t at = offset; at + instruction_bytes <= code.size(); at += instruction_bytes) {
    const instruction i = load_instruction(code.data() + at, set);
    if (i.info() == nullptr || (i.info()->op != opcode::BRA && i.info()->op != opcode::BRA_U)) continue;
    const std::uint64_t target = branch_target(i, at);
    if (target <= offset && (!innermost || target > innermost->first)) innermost = {target, at};
  }
  return innermost;
}

}  // namespace bankwise::sass
