// Finds the instructions that access global memory or stacks at addresses from their lanes. Also finds the instructions
// that access texels.
//
//     LDG, STG, ATOMG, REDG, LD, LDGSTS, STL    true
//     UTMALDG, TEX                              false: a whole box, or texels
#pragma once

#include "sass/opcode.hpp"

namespace bankwise::sass {

// Whether the instruction accesses global memory or a stack, possibly through a generic address.
inline bool may_touch_global(opcode op) {
  const opcode_traits& t = traits_of(op);
  return t.unit == unit::memory && (touches(t.space, space::global) || touches(t.space, space::local));
}

// Whether the instruction reads a texture, or accesses a surface.
inline bool may_touch_texels(opcode op) {
  const opcode_traits& t = traits_of(op);
  return t.unit == unit::texture && t.action != action::other;
}

}  // namespace bankwise::sass
