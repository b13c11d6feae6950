// How many bytes a lane loads, stores or returns.
//
//     LDS.64 8     LDG.E.U8 1     ATOMG.E.ADD.F32.FTZ.RN 4     REDG.E.ADD.F16x4.RN 8
#pragma once

#include "sass/row.hpp"

namespace bankwise::sass {

// For an instruction whose row has a size field. 0 if the encoding of the size is unused.
unsigned access_bytes(const row_fields& f);

inline constexpr unsigned bytes_of_256_bits = 32;
// A bit for each word of 256 loaded bits that has a register.
unsigned kept_words(const row_fields& f);

}  // namespace bankwise::sass
