// Which operation on shared memory an instruction is, without executing it.
#pragma once

#include <cstdint>
#include <vector>

#include "bankwise/access.hpp"
#include "cubin/program.hpp"
#include "emulate/machine.hpp"
#include "sass/instruction.hpp"

namespace bankwise::emulate {

inline bool compares_and_swaps(sass::opcode op) {
  return op == sass::opcode::ATOMS_CAS || op == sass::opcode::ATOMS_CAST || op == sass::opcode::ATOM_CAS ||
         op == sass::opcode::ATOMG_CAS;
}
// A compare-and-swap that serves one lane of a bank; the program's loop tries the others again.
inline bool spins(const micro_op& u) {
  return u.op == sass::opcode::ATOMS_CAST || (u.op == sass::opcode::ATOMS_CAS && (u.mode & 1) != 0);
}
inline operation atomic_operation(const micro_op& u) {
  if (compares_and_swaps(u.op)) return spins(u) ? cas_spin(u.bytes) : cas(u.bytes);
  return u.flag2 || u.d == sass::register_zero ? red(u.bytes) : atom(u.bytes);
}
// cp.async: past L1, or through it.
inline operation copy_operation(const micro_op& u) {
  return u.bytes == 16 && !u.ins.bit(81) ? cp_async_cg() : cp_async(u.bytes);
}

// The operation of each instruction of a section of code. Generic ones have that of their lanes in shared memory. Width 0:
// it does not touch shared memory, or not by addresses of lanes.
std::vector<operation> shared_operations(const cubin::program& p, std::uint32_t section);

// Whether it can touch shared memory by addresses of its lanes.
bool may_touch_shared(const sass::instruction& i);

}  // namespace bankwise::emulate
