// The forms of F2FP. F2FP packs two floats into one register, converts one float, or unpacks floats.
#pragma once

#include "sass/instruction.hpp"
#include "sass/modifiers.hpp"

namespace bankwise::sass {

struct pack_form {
  pack_source from = pack_source::f32;
  pack_target to = pack_target::f16;
  bool unpacks = false;      // .UNPACK_B
  bool packs_b = false;      // .PACK_B: packs only b
  bool merges_one = false;   // .MERGE_C: the result consists of b and one half of c
  bool merges_pair = false;  // .PACK_AB_MERGE_C: the result consists of a, b and one half of c

  bool has_c = false;  // whether the result contains a part of c

  // Whether the source format has at most 8 bits.
  bool from_small() const { return from != pack_source::f32 && from != pack_source::f16 && from != pack_source::bf16; }
  bool to_small() const { return to >= pack_target::e5m2; }
  bool has_a() const { return !unpacks && !packs_b && !merges_one; }
};

pack_form pack_form_of(const instruction& i);

}  // namespace bankwise::sass
