// The number of bytes that a lane loads or stores.
//
//     LDS.64 8     LDG.E.U8 1     ATOMG.E.ADD.F32.FTZ.RN 4     REDG.E.ADD.F16x4.RN 8
#pragma once

#include "sass/row.hpp"

namespace bankwise::sass {

// Returns 0 if this value of the size field is unused. The instruction's row must have a size field.
unsigned access_bytes(const row_fields& f);

// For ATOMS.POPC.INC and ATOMS.ARRIVE: whether the instruction arrives at an mbarrier.
bool arrives_at_mbarrier(const row_fields& f);

inline constexpr unsigned bytes_of_256_bits = 32;
// For a load of eight words: returns a mask of the words that are loaded into a register.
unsigned kept_words(const row_fields& f);

}  // namespace bankwise::sass
