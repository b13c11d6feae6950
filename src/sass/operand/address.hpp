// The address in a memory instruction: registers and an offset. The instruction's row names the form of the address.
//
//     LDS.128 R4, [R2.X4+UR5+0x100]         base R2, shift 2, uniform UR5, offset 0x100
//     LDG.E R4, desc[UR6][R2.64+0x8]        base R2 and R3 (wide), descriptor UR6, offset 8
//     LDC R4, c[0x3][R2+0x10]               bank 3, base R2, offset 0x10
#pragma once

#include <cstdint>
#include <string_view>

#include "sass/instruction.hpp"

namespace bankwise::sass {

// `marked`: whether the address has this register depends on bit 91
enum class uniform_use : std::uint8_t { never, marked, always };

// The positions of the parts of an address. If there is a uniform register, the offset has another position.
struct address_form {
  std::string_view name;
  std::uint8_t base_at = 24;
  bool uniform_base = false;
  bool scaled = false;  // whether bits 78-79 contain the scale
  std::uint8_t uniform_at = 0;
  uniform_use uses = uniform_use::never;
  bool global = false;  // whether a flag selects 64-bit addresses; the uniform register may be a descriptor
  bool local = false;   // whether the uniform register may be a descriptor
  std::uint8_t offset_at = 40, offset_bits = 24;
  std::uint8_t plain_offset_at = 40, plain_offset_bits = 24;
  std::uint8_t offset_unit = 1;  // in bytes
  bool constant = false;         // whether the address is in a constant bank; the bank's number is at bit 54
  bool has_base = true;
};

// clang-format off
inline constexpr address_form address_forms[] = {
    {.name = "shared"           , .scaled = true},
    {.name = "shared_load"      , .scaled = true, .uniform_at = 32, .uses = uniform_use::marked},
    {.name = "shared_uniform"   , .scaled = true, .uniform_at = 64, .uses = uniform_use::always},
    {.name = "matrix_load"      , .uniform_at = 32, .uses = uniform_use::marked},
    {.name = "matrix_store"     , .uniform_at = 64, .uses = uniform_use::marked},
    {.name = "barrier"          , .uniform_at = 64, .uses = uniform_use::always},
    {.name = "uniform"          , .uniform_base = true},
    {.name = "stack"            },
    {.name = "local"            , .uniform_at = 32, .uses = uniform_use::marked, .local = true},
    {.name = "local_uniform"    , .uniform_at = 64, .uses = uniform_use::always, .local = true},
    {.name = "global"           , .uniform_at = 32, .uses = uniform_use::marked, .global = true, .plain_offset_at = 32, .plain_offset_bits = 32},
    {.name = "global_or_plain"  , .uniform_at = 32, .uses = uniform_use::marked, .global = true},
    {.name = "global_plain"     , .global = true},
    {.name = "global_long"      , .global = true, .plain_offset_at = 32, .plain_offset_bits = 32},
    {.name = "global_store"     , .uniform_at = 64, .uses = uniform_use::marked, .global = true},
    {.name = "global_wide"      , .uniform_at = 32, .uses = uniform_use::marked, .global = true, .offset_bits = 17, .plain_offset_bits = 17, .offset_unit = 32},
    {.name = "global_wide_store", .uniform_at = 64, .uses = uniform_use::marked, .global = true, .offset_bits = 17, .plain_offset_bits = 17, .offset_unit = 32},
    {.name = "copy_target"      , .base_at = 16, .plain_offset_at = 44, .plain_offset_bits = 20},
    {.name = "copy_source"      , .uniform_at = 64, .uses = uniform_use::marked, .global = true, .offset_at = 32, .offset_bits = 12, .plain_offset_at = 32, .plain_offset_bits = 12},
    {.name = "constant"         , .constant = true, .has_base = false},
    {.name = "constant_register", .plain_offset_at = 38, .plain_offset_bits = 16, .constant = true},
    {.name = "constant_uniform" , .uniform_base = true, .plain_offset_at = 38, .plain_offset_bits = 16, .constant = true},
    {.name = "constant_uniform_long", .uniform_base = true, .plain_offset_at = 37, .plain_offset_bits = 17, .constant = true},
};
// clang-format on

constexpr const address_form* find_form(std::string_view name) {
  for (const address_form& f : address_forms)
    if (f.name == name) return &f;
  return nullptr;
}

struct address {
  std::int64_t offset = 0;            // in bytes
  std::uint8_t base = register_zero;  // number of a register or uniform register
  std::uint8_t uniform = uniform_register_zero;
  std::uint8_t shift = 0;  // number of bits by which the base is shifted to the left
  std::uint8_t bank = 0;
  bool uniform_base = false;
  bool wide = false;  // whether the base is a pair of registers
  // whether the uniform register is added to the address; for global memory, a pair of registers is added
  bool adds_uniform = false;
  bool has_descriptor = false;  // whether the uniform register is the first of a pair that describes the memory
};
address address_of(const instruction& i, const address_form& form);

}  // namespace bankwise::sass
