// Finds the values that are the same in each round of a loop, as long as memory does not change.
#include "sass/flow/spin_loops.hpp"

#include <algorithm>
#include <variant>

#include "sass/fields/fields.hpp"
#include "sass/flow/back_jumps.hpp"
#include "sass/operand/operands.hpp"

namespace bankwise::sass {

namespace {

// A longer loop is assumed to do more than waiting.
constexpr std::size_t longest_loop = 64;

struct looped {
  reads_and_writes registers;
  opcode_traits traits;
  bool is_plain_load = false;  // whether the instruction is a plain load from global memory
  bool varies = false;
};

// Returns the instructions of a loop. Returns nothing if the loop changes global memory or has unknown code.
std::vector<looped> read_loop(byte_span code, isa set, std::size_t first, std::size_t last) {
  std::vector<looped> body;
  for (std::size_t n = first; n <= last; ++n) {
    const instruction i = load_instruction(code.data() + n * instruction_bytes, set);
    const opcode_info* const info = i.info();
    if (info == nullptr) return {};
    looped& l = body.emplace_back();
    l.traits = traits_of(info->op);
    l.registers = reads_and_writes_of(i);
    const bool is_global = touches(l.traits.space, space::global);
    if (is_global && l.traits.action != action::load && l.traits.action != action::none) return {};
    const fields f = fields_of(i);
    if (const auto* const access = std::get_if<memory_access>(&f); access != nullptr && is_global)
      l.is_plain_load = !access->strong;
    l.varies = true;
  }
  return body;
}

// Marks the instructions with operands that may change between rounds. Values from plain loads count as unchanged.
void find_same(std::vector<looped>& body) {
  for (bool changed = true; changed;) {
    register_set varying;
    for (const looped& l : body)
      if (l.varies) join(varying, l.registers.writes);
    changed = false;
    for (looped& l : body) {
      const bool is_special =
          l.traits.action != action::none && !l.is_plain_load && !touches(l.traits.space, space::constant);
      if (!l.varies || is_special || overlap(l.registers.reads, varying)) continue;
      l.varies = false;
      changed = true;
    }
  }
}

void add_spinning(const std::vector<looped>& body, std::size_t first, std::vector<std::uint32_t>& found) {
  register_set varying, loaded;
  for (const looped& l : body) {
    if (l.varies) join(varying, l.registers.writes);
    if (!l.varies && l.is_plain_load) join(loaded, l.registers.writes);
  }
  for (std::size_t round = 0; round < body.size(); ++round) {
    const register_set before = loaded;
    for (const looped& l : body)
      if (!l.varies && overlap(l.registers.reads, loaded)) join(loaded, l.registers.writes);
    if (before == loaded) break;
  }
  const bool decides = std::any_of(body.begin(), body.end(), [&](const looped& l) {
    return l.traits.flow != flow::next && overlap(l.registers.reads, loaded) && !overlap(l.registers.reads, varying);
  });
  if (!decides) return;
  for (std::size_t n = 0; n < body.size(); ++n)
    if (body[n].is_plain_load && !body[n].varies) found.push_back(static_cast<std::uint32_t>(first + n));
}

}  // namespace

std::vector<std::uint32_t> spinning_loads(byte_span code, isa set, std::size_t first, std::size_t last) {
  std::vector<std::uint32_t> found;
  if (first > last || last - first >= longest_loop || (last + 1) * instruction_bytes > code.size()) return found;
  std::vector<looped> body = read_loop(code, set, first, last);
  if (std::none_of(body.begin(), body.end(), [](const looped& l) { return l.is_plain_load; })) return found;
  find_same(body);
  add_spinning(body, first, found);
  return found;
}

std::vector<std::uint32_t> spinning_loads(byte_span code, isa set) {
  std::vector<std::uint32_t> found;
  each_back_jump(code, set, [&](std::size_t first, std::size_t last) {
    for (const std::uint32_t load : spinning_loads(code, set, first, last)) found.push_back(load);
  });
  return found;
}

}  // namespace bankwise::sass
