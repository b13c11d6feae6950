// Straight-line code of a kernel as machine code of this CPU: block_runner calls it instead of the handlers.
//
//     LDS R4, [R8]            its handler is called
//     FFMA R0, R4, R2, R0     vfmadd231ps, on the lanes that one vector register holds at a time
//     FFMA R1, R4, R3, R1
//     @P0 BRA ...             its handler is called, and a jump leaves the piece
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulate/block/access_memo.hpp"
#include "emulate/code/micro_op.hpp"

namespace bankwise::emulate {

// The data that a piece works on.
struct piece_frame {
  worker* m = nullptr;
  std::uint32_t* registers = nullptr;  // of the warp
  std::uint32_t* predicates = nullptr;
  std::uint32_t* uniform = nullptr;
  std::uint32_t* uniform_predicates = nullptr;
  std::unique_ptr<access_memos>* memos = nullptr;  // of worker
  std::byte* shared = nullptr;                     // of the block
  std::uint32_t repeat_mask = 0;                   // of worker
  std::uint32_t lanes = 0;                         // of the path
};

// How a piece ended: the number of executed instructions, and the result of the last handler; step::next if there is
// none.
struct piece_end {
  std::uint32_t passed;
  std::uint32_t last;
};
static_assert(sizeof(piece_end) == 8);  // returned in one register

struct piece {
  piece_end (*run)(piece_frame*) = nullptr;
  std::uint32_t count = 0;  // instructions, at most
};

}  // namespace bankwise::emulate
