// The rows of a warp's registers, by which decoded instructions name their operands, and the number of constant banks.
//
//     FADD R2, R1, RZ      a = row 1, b = zero_row, d = row 2
#pragma once

#include <cstdint>

namespace bankwise::emulate {

// rows 0 to 254 are R0 to R254; zero_row is never written; writes to RZ go to trash_row
inline constexpr unsigned register_rows = 266;
inline constexpr unsigned zero_row = 255;
inline constexpr unsigned trash_row =
    256;  // first of the rows that receive unused results; a result can have several words
inline constexpr unsigned rpc_row = 264;  // the first of two rows with the words of Rpc
inline constexpr unsigned constant_banks = 18;

using row = std::uint32_t[32];
struct alignas(64) lane_row {
  row at;
};

}  // namespace bankwise::emulate
