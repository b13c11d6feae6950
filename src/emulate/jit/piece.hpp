// A piece is straight-line code of a kernel that was compiled to machine code of this CPU. block_runner calls the piece
// instead of the handlers.
//
//     LDS R4, [R8]            AVX-512 code if the access repeats a remembered access; otherwise, its handler is called
//     FFMA R0, R4, R2, R0     vfmadd231ps, on the lanes that one vector register holds at a time
//     FFMA R1, R4, R3, R1
//     @P0 BRA ...             its handler is called, and a jump leaves the piece
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulate/block/access_memo.hpp"
#include "emulate/code/micro_op.hpp"

namespace bankwise::emulate {

// The data that the code of a piece accesses.
struct piece_frame {
  worker* m = nullptr;
  std::uint32_t* registers = nullptr;
  std::uint32_t* predicates = nullptr;
  std::uint32_t* uniform = nullptr;
  std::uint32_t* uniform_predicates = nullptr;
  std::unique_ptr<access_memos>* memos = nullptr;  // worker::memos
  std::byte* shared = nullptr;
  std::uint32_t repeat_mask = 0;  // worker::repeat_mask
  std::uint32_t lanes = 0;
};

// How a piece ended: the number of executed instructions, and the result of the last handler. The result is step::next
// if no handler was called.
struct piece_end {
  std::uint32_t passed;
  std::uint32_t last;
};
static_assert(sizeof(piece_end) == 8);  // size of one register, so that a function can return the result in a register

struct piece {
  piece_end (*run)(piece_frame*) = nullptr;
  std::uint32_t count = 0;  // largest number of instructions that one call executes
};

}  // namespace bankwise::emulate
