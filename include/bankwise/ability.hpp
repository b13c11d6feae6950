// The features of each architecture's instruction set, in one table.
//
//     can(110, ability::tensor_copy)        true
//     can(number_of("sm_10"), ...)          false: a GPU of 2006
//
// arch.hpp contains the evidence for the rules of these features.
#pragma once

#include "bankwise/config.hpp"

namespace bankwise {

// The abilities. Abilities of older architectures come first.
enum class ability : u8 {
  ldmatrix,
  copy_async,  // cp.async
  barrier,     // mbarrier
  redux,       // redux.sync of integers
  stmatrix,
  cluster,      // thread block clusters, and access to other blocks' shared memory
  bulk_copy,    // cp.async.bulk
  tensor_copy,  // cp.async.bulk.tensor (TMA), including its swizzles
  wgmma,
  byte_matrix,  // ldmatrix and stmatrix of 8-bit elements
  tcgen05,
  redux_float,  // redux.sync of floats
};
inline constexpr u32 abilities = 12;

// An ability. All architectures with numbers from `first` to `last` have it.
struct ability_row {
  ability what;
  const char* name;
  u16 first, last;
  bool accelerated;  // whether nvcc needs the target of a feature set: sm_NNa, or sm_NNf from sm_100 on
};

// The table of the abilities. Its numbers are from PTX ISA 9.0, section "Target ISA Notes" of each instruction. ptxas
// 13.0 agrees with this table.
inline constexpr u16 no_last_arch = 0xffff;
inline constexpr ability_row ability_table[] = {
    {ability::ldmatrix, "ldmatrix", 75, no_last_arch, false},
    {ability::copy_async, "cp.async", 80, no_last_arch, false},
    {ability::barrier, "mbarrier", 80, no_last_arch, false},
    {ability::redux, "redux", 80, no_last_arch, false},
    {ability::stmatrix, "stmatrix", 90, no_last_arch, false},
    {ability::cluster, "clusters", 90, no_last_arch, false},
    {ability::bulk_copy, "bulk copies", 90, no_last_arch, false},
    {ability::tensor_copy, "TMA", 90, no_last_arch, false},
    {ability::wgmma, "wgmma", 90, 90, true},
    {ability::byte_matrix, "8-bit matrices", 100, no_last_arch, true},
    {ability::tcgen05, "tcgen05", 100, 110, true},
    {ability::redux_float, "redux of floats", 100, 103, true},
};

// Returns the table's row for an ability.
BANKWISE_HD constexpr const ability_row& row_of(ability what) { return ability_table[static_cast<u32>(what)]; }

// Whether code for the architecture sm_<number> can use the ability.
BANKWISE_HD constexpr bool can(u32 number, ability what) {
  return number >= row_of(what).first && number <= row_of(what).last;
}

// The parts of an architecture's name: "sm_90" is {90, 0, 0}, "sm_100f" {100, 0, 'f'}, "sm_35.8" {35, 8, 0}.
struct arch_name {
  u32 number;      // 0 if the name does not belong to an architecture, for example for a custom machine
  u32 bank_bytes;  // width of Kepler's banks, if the name selects a mode; 0 for the default mode
  char features;   // nvcc's suffix for a feature set, 'a' or 'f'; the suffix does not affect shared memory
};
BANKWISE_HD constexpr arch_name parse_arch_name(const char* text) {
  const char* c = text;
  for (const char* prefix = "sm_"; *prefix != '\0'; ++prefix, ++c)
    if (*c != *prefix) return {0, 0, '\0'};
  arch_name n{0, 0, '\0'};
  for (; *c >= (n.number == 0 ? '1' : '0') && *c <= '9' && n.number < 1000; ++c)
    n.number = n.number * 10 + static_cast<u32>(*c - '0');
  if (n.number != 0 && *c == '.' && c[1] >= '1' && c[1] <= '9') {
    n.bank_bytes = static_cast<u32>(c[1] - '0');
    c += 2;
  }
  if (*c == 'a' || *c == 'f') n.features = *c++;
  return *c == '\0' ? n : arch_name{0, 0, '\0'};
}

// Returns the number in an architecture's name: 90 for "sm_90a", 35 for "sm_35.8". Returns 0 for an unknown name.
// can(0, ...) is false for every ability.
BANKWISE_HD constexpr u32 number_of(const char* name) { return parse_arch_name(name).number; }

}  // namespace bankwise
