// The instructions of a function. For each instruction: where lanes continue, what it reads, and what it writes.
//
//     0x00  S2R R0, SR_TID.X              next 0x10
//     0x10  ISETP.GE P0, PT, R0, 0x20     next 0x20
//     0x20  @P0 BRA 0x00                  next 0x00 and 0x30
//     0x30  EXIT
//
// Analyses of the flow of values (slice.hpp, pointers.hpp) follow these edges. A register contains the target of a
// return instruction, so a return has many successors: the instruction after every call, and every address of the code
// that occurs as a number in the code.
//
// A stack word counts as a register if no code takes its address, because ptxas spills registers to such words.
//
//     IADD3 R1, R1, -0x20, RZ             the only change of R1
//     STL.64 [R1+0x8], R4                 moves R4 and R5 to words 2 and 3
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "sass/instruction.hpp"
#include "sass/operand/operands.hpp"

namespace bankwise::sass {

// A place is something that an instruction can write. Places are numbered in this order: registers, uniform registers,
// predicates, uniform predicates, convergence barriers, the return address, words of the stack.
inline constexpr std::size_t stack_words = 512;
inline constexpr std::size_t place_count = 256 + 256 + 8 + 8 + 32 + 2 + stack_words;
using places = std::bitset<place_count>;
std::size_t first_place(file f);
void add_place(places& to, const operand& o);

// A condition on lanes: a predicate is true or false. The numbers of guards are in the order P0, !P0, P1 ... !P6, UP0,
// !UP0 ...
using guard = std::uint8_t;
inline constexpr guard no_guard = 0xff;  // nothing is known about the lanes
constexpr guard guard_of(bool uniform, unsigned predicate, bool negated) {
  if (predicate >= predicate_true) return no_guard;
  return static_cast<guard>(((uniform ? predicate_true : 0) + predicate) * 2 + (negated ? 1 : 0));
}
constexpr guard opposite(guard g) { return g == no_guard ? no_guard : static_cast<guard>(g ^ 1); }
std::size_t place_of(guard g);

struct flow_node {
  opcode op = opcode::NOP;
  opcode_traits traits;
  // places that the instruction reads: guard, address, and all other registers except `data`
  places reads;
  places data;  // the value that a store or an atomic writes to memory; not included in `reads`
  places writes;
  places kept;         // written places that may keep their old value
  bool kills = false;  // whether all lanes lose the old values of the written places
  // The guard of the lanes that the instruction reads and writes. no_guard if lanes depend on each other.
  guard under = no_guard;
  // the guard of lanes that branch, and the guard of lanes that do not branch
  guard if_jumped = no_guard, if_passed = no_guard;
  bool reached = false;
  bool leaves = false;  // whether the instruction calls code outside of this section; such code is unknown
  // whether the instruction copies values between registers and stack words; `slot` is the first stack word
  bool is_spill = false;
  std::uint16_t slot = 0;
  std::vector<std::uint32_t> next, from;  // successors and predecessors, as indices
};

struct code_flow {
  byte_span code;             // the code of the section; it must exist as long as this object
  std::uint32_t entry = 0;    // index of the first instruction
  std::uint64_t address = 0;  // address of the section's first byte, as the code's jumps count it
  isa set{};
  std::vector<flow_node> nodes;      // one node for each instruction of the section; empty if the section is too long
  std::vector<std::uint32_t> order;  // indices of reachable instructions
  // Whether all instructions and all their successors are known, apart from calls to code outside of this section. If
  // false, the code cannot be analysed.
  bool complete = false;
  // Whether the code would be complete without WARPSYNC.COLLECTIVE, where lanes at different places exchange values.
  bool is_followed = false;
  bool has_calls_out = false;  // whether some lanes call code outside of this section
  bool spills = false;         // whether local memory contains only spilled registers

  // For nodes after the nodes of the code: the instruction from which the node is copied (call_copies.hpp).
  std::vector<std::uint32_t> copy_of = {};

  std::size_t original(std::size_t n) const {
    const std::size_t own = nodes.size() - copy_of.size();
    return n < own ? n : copy_of[n - own];
  }
  // Returns the guard of lanes that go from instruction `from` to instruction `to`.
  guard held_on_way(std::uint32_t from, std::uint32_t to) const {
    return original(to) == original(from) + 1 ? nodes[from].if_passed : nodes[from].if_jumped;
  }
  instruction instruction_at(std::size_t n) const {
    return load_instruction(code.data() + original(n) * instruction_bytes, set);
  }
};

// Returns the flow of the function that begins at byte `entry` of a section. `address`: address of the section's first
// byte, as the code's jumps count it.
code_flow flow_of_code(byte_span code, isa set, std::uint64_t entry, std::uint64_t address = 0);

// The instructions that an analysis must examine: first all reachable instructions, and later the instructions whose
// inputs have changed.
//
//     for (work_list work(code); const auto n = work.take();) ... work.put(code.nodes[*n].next[0]);
class work_list {
 public:
  enum class order { forward, backward };
  explicit work_list(const code_flow& code, order o = order::forward) : waits_(code.nodes.size(), true) {
    if (o == order::forward)
      open_.assign(code.order.begin(), code.order.end());
    else
      open_.assign(code.order.rbegin(), code.order.rend());
  }
  // Returns nothing if no instruction is left to examine.
  std::optional<std::uint32_t> take() {
    if (open_.empty()) return {};
    const std::uint32_t n = open_.front();
    open_.pop_front();
    waits_[n] = false;
    return n;
  }
  void put(std::uint32_t n) {
    if (!waits_[n]) open_.push_back(n);
    waits_[n] = true;
  }

 private:
  std::deque<std::uint32_t> open_;
  std::vector<bool> waits_;
};

}  // namespace bankwise::sass
