// What F2FP does: packs two floats into one register, converts one in place, or unpacks.
#pragma once

#include "sass/row.hpp"

namespace bankwise::sass {

struct pack_form {
  std::uint8_t from = 0;     // 0 F32, 1 F16, 2 E5M2, 3 E4M3
  std::uint8_t to = 0;       // 0 F16, 1 BF16, 3 TF32, 4 E5M2, 5 E4M3
  bool unpacks = false;      // .UNPACK_B
  bool packs_b = false;      // .PACK_B: b alone
  bool merges_one = false;   // .MERGE_C: b beside a half of c
  bool merges_pair = false;  // .PACK_AB_MERGE_C: a and b beside a half of c

  bool has_c = false;  // some of c stays

  bool has_a() const { return !unpacks && !packs_b && !merges_one; }
};

inline pack_form pack_form_of(const instruction& i) {
  const row_fields f(i);
  const auto pack = f.value("pack");
  const bool merge = f.flag("merge");
  pack_form p;
  p.from = f.byte("from");
  p.to = static_cast<std::uint8_t>(f.value("to_low") | f.value("to_high") << 1);
  p.unpacks = p.from != 0;
  p.packs_b = !p.unpacks && pack == 1;
  p.merges_one = merge && pack == 0;
  p.merges_pair = pack == 2;
  p.has_c = p.merges_one || p.merges_pair;
  return p;
}

}  // namespace bankwise::sass
