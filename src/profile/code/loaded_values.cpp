#include "profile/code/loaded_values.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "sass/fields/fields.hpp"

namespace bankwise {

namespace {

using sass::opcode;

using neighbours = std::vector<std::uint32_t> sass::flow_node::*;

// Returns for each node whether it is one of these nodes, or can be reached from them by their neighbours, and theirs, on a
// way without the node `without`.
std::vector<bool> reached(const sass::code_flow& flow, std::vector<std::uint32_t> open, neighbours to,
                          std::size_t without = ~std::size_t{0}) {
  std::vector<bool> seen(flow.nodes.size());
  while (!open.empty()) {
    const std::uint32_t n = open.back();
    open.pop_back();
    if (n == without || seen[n]) continue;
    seen[n] = true;
    const auto& more = flow.nodes[n].*to;
    open.insert(open.end(), more.begin(), more.end());
  }
  return seen;
}

// Whether an instruction only moves a value, or selects one of several values.
bool only_moves(opcode op) { return op == opcode::MOV || op == opcode::SEL || op == opcode::FSEL; }

// Whether the result depends on all bytes of a register. Others may take bytes or halves out of it.
bool needs_all_bytes(const sass::instruction& i, opcode op) {
  switch (op) {
    case opcode::IADD3:
    case opcode::VIADD:
    case opcode::IMAD:
    case opcode::IMAD_WIDE:
    case opcode::ISETP:
    case opcode::FADD:
    case opcode::FMUL:
    case opcode::FFMA:
    case opcode::FMNMX:
    case opcode::FSETP:
    case opcode::MUFU:
    case opcode::I2FP:
    case opcode::DADD:
    case opcode::DMUL:
    case opcode::DFMA:
    case opcode::DSETP: return true;
    case opcode::SHF: {
      constexpr std::uint64_t by_immediate = 4, bits_of_byte = 8;
      return i.bits(9, 3) == by_immediate && i.bits(32, 32) < bits_of_byte;
    }
    default: return false;
  }
}

struct uses_of_place {
  bool anywhere = false, computed = false, entirely = false;
};

uses_of_place uses_from(const sass::code_flow& flow, std::size_t load, std::size_t place, bool local) {
  uses_of_place found;
  std::vector<bool> seen(flow.nodes.size());
  std::vector<std::uint32_t> open(flow.nodes[load].next);
  while (!open.empty() && !found.entirely) {
    const std::uint32_t n = open.back();
    open.pop_back();
    if (seen[n]) continue;
    seen[n] = true;
    const sass::flow_node& at = flow.nodes[n];
    const bool is_kept_on_stack = local && (at.op == opcode::STL || at.op == opcode::STL_U);
    if (at.reads[place] || at.leaves) {
      found.anywhere = true;
      found.computed |= !only_moves(at.op);
      found.entirely |= at.reads[place] && needs_all_bytes(flow.instruction_at(n), at.op);
    }
    found.anywhere |= at.data[place] && !is_kept_on_stack;
    if (at.writes[place] && !at.kept[place]) continue;
    open.insert(open.end(), at.next.begin(), at.next.end());
  }
  return found;
}

}  // namespace

const sass::code_flow* loaded_values::flow_at(std::uint64_t pc, std::size_t& node) {
  const cubin::code_section& s = program_.sections[kernel_.section];
  if (pc < s.address || pc - s.address >= s.bytes.size()) return nullptr;
  if (flow_ == nullptr)
    flow_ = std::make_unique<sass::code_flow>(
        sass::flow_of_code(s.bytes, sass::isa_of(program_.sm), kernel_.offset, s.address));
  node = (pc - s.address) / sass::instruction_bytes;
  return flow_->complete && node < flow_->nodes.size() ? flow_.get() : nullptr;
}

value_uses loaded_values::of_load(std::uint64_t pc, bool local) {
  constexpr value_uses unknown{.anywhere = ~std::uint32_t{0}};
  std::size_t node = 0;
  const sass::code_flow* const flow = flow_at(pc, node);
  if (flow == nullptr) return unknown;
  const sass::fields f = sass::fields_of(flow->instruction_at(node));
  const auto* const load = std::get_if<sass::memory_access>(&f);
  if (load == nullptr || load->bytes > 16) return unknown;
  value_uses all;
  for (unsigned k = 0; k < std::max(load->bytes / 4u, 1u); ++k) {
    if (load->result == sass::register_zero) continue;
    const std::size_t place = sass::first_place(sass::file::vector) + load->result + k;
    const uses_of_place u = uses_from(*flow, node, place, local);
    all.anywhere |= static_cast<std::uint32_t>(u.anywhere) << k;
    all.computed |= static_cast<std::uint32_t>(u.computed) << k;
    all.entirely |= static_cast<std::uint32_t>(u.entirely) << k;
  }
  return all;
}

bool loaded_values::has_work_after_both_ways(std::uint64_t barrier) {
  std::size_t at = 0;
  const sass::code_flow* const flow = flow_at(barrier, at);
  if (flow == nullptr || kernel_.offset / sass::instruction_bytes >= flow->nodes.size()) return false;
  const auto entry = static_cast<std::uint32_t>(kernel_.offset / sass::instruction_bytes);
  const std::vector<bool> after = reached(*flow, flow->nodes[at].next, &sass::flow_node::next, at),
                          around = reached(*flow, {entry}, &sass::flow_node::next, at),
                          before = reached(*flow, flow->nodes[at].from, &sass::flow_node::from, at);
  for (std::size_t n = 0; n < flow->nodes.size(); ++n) {
    const sass::flow_node& one = flow->nodes[n];
    const bool does_something = one.traits.action != sass::action::none || one.traits.unit != sass::unit::control;
    if (after[n] && around[n] && !before[n] && does_something && one.op != sass::opcode::NOP) return true;
  }
  return false;
}

bool loaded_values::loops_after(std::uint64_t pc) {
  std::size_t begin = 0;
  const sass::code_flow* const flow = flow_at(pc, begin);
  if (flow == nullptr) return false;
  // A depth-first search that comes back to a node of its own way has found a loop.
  enum class state : std::uint8_t { unseen, open, done };
  std::vector<state> at(flow->nodes.size(), state::unseen);
  std::vector<std::pair<std::uint32_t, std::size_t>> way{{static_cast<std::uint32_t>(begin), 0}};
  at[begin] = state::open;
  while (!way.empty()) {
    auto& [n, tried] = way.back();
    const auto& next = flow->nodes[n].next;
    if (tried == next.size()) {
      at[n] = state::done;
      way.pop_back();
      continue;
    }
    const std::uint32_t to = next[tried++];
    if (at[to] == state::open && to != n) return true;
    if (at[to] != state::unseen) continue;
    at[to] = state::open;
    way.emplace_back(to, 0);
  }
  return false;
}

bool loaded_values::comes_to(std::uint64_t from, std::uint64_t to) {
  std::size_t begin = 0, end = 0;
  const sass::code_flow* const flow = flow_at(from, begin);
  if (flow == nullptr || flow_at(to, end) == nullptr) return false;
  return reached(*flow, flow->nodes[begin].next, &sass::flow_node::next)[end];
}

bool loaded_values::is_result_needed(std::uint64_t pc) {
  std::size_t node = 0;
  const sass::code_flow* const flow = flow_at(pc, node);
  if (flow == nullptr) return false;
  const sass::places results = flow->nodes[node].writes;
  // The predicate of the shuffle is not its result.
  std::size_t place = sass::first_place(sass::file::vector);
  while (place < sass::first_place(sass::file::vector) + sass::register_zero && !results[place]) ++place;
  if (!results[place]) return false;
  for (std::size_t n = node; flow->nodes[n].next.size() == 1 && flow->nodes[n].next[0] == n + 1;) {
    const sass::flow_node& at = flow->nodes[++n];
    if (at.reads[place] || at.data[place]) return at.under == sass::no_guard && !only_moves(at.op);
    if (at.writes[place]) return false;
  }
  return false;
}

}  // namespace bankwise
