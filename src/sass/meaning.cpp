// The evidence for the meaning of each instruction. All instructions of sm_90 were measured, except those in the table
// below. meaning_test compares the table with the probes.
#include "sass/meaning.hpp"

#include <array>

#include "sass/opcode.hpp"

namespace bankwise::sass {

namespace {

struct unmeasured_row {
  opcode op;
  meaning level;
};
// The evidence for the instructions of sm_90 that were not measured.
constexpr unmeasured_row unmeasured[] = {
    {opcode::UIMAD_HI, meaning::assumed},      {opcode::UP2UR, meaning::assumed},
    {opcode::UR2UP, meaning::assumed},         {opcode::ULDC_U, meaning::documented},
    {opcode::CALL_ABS_R, meaning::documented}, {opcode::BRA_U, meaning::documented},
    {opcode::LEPC, meaning::assumed},          {opcode::KILL, meaning::assumed},
    {opcode::PREEXIT, meaning::documented},    {opcode::ACQBULK, meaning::documented},
    {opcode::BAR_IR, meaning::documented},     {opcode::USETMAXREG, meaning::documented},
    {opcode::STG_R, meaning::documented},      {opcode::UBLKPF, meaning::documented},
    {opcode::UTMAPF, meaning::documented},     {opcode::UTMAPF_U, meaning::documented},
    {opcode::TEX_C, meaning::documented},      {opcode::TEX_B, meaning::documented},
    {opcode::TLD_C, meaning::documented},      {opcode::TLD_B, meaning::documented},
    {opcode::TLD4_C, meaning::documented},     {opcode::TLD4_B, meaning::documented},
    {opcode::TXD_C, meaning::documented},      {opcode::TXD_B, meaning::documented},
    {opcode::SULD_C, meaning::documented},     {opcode::SULD_B, meaning::documented},
    {opcode::SUST_C, meaning::documented},     {opcode::SUST_B, meaning::documented},
    {opcode::SURED_C, meaning::documented},    {opcode::SUST_P_C, meaning::documented},
    {opcode::TXQ_C, meaning::documented},      {opcode::SUATOM, meaning::documented},
};

meaning find_meaning(opcode op) {
  for (const unmeasured_row& row : unmeasured)
    if (row.op == op) return row.level;
  for (const opcode_info& row : all_rows())
    if (row.op == op && row.first <= isa::hopper && row.last >= isa::hopper) return meaning::measured;
  // An operation of the uniform datapath is assumed to do the same as the corresponding operation on lanes.
  return traits_of(op).twin != opcode::count ? meaning::assumed : meaning::documented;
}

}  // namespace

const char* name_of(meaning m) {
  switch (m) {
    case meaning::assumed: return "assumed";
    case meaning::documented: return "documented";
    case meaning::measured: return "measured";
  }
  return "?";
}

meaning meaning_of(opcode op) {
  // An array has no destructor, so it can be used while global objects are destroyed. A program may launch kernels at
  // that time.
  constexpr std::size_t count = static_cast<std::size_t>(opcode::count);
  static const std::array<meaning, count> all = [] {
    std::array<meaning, count> found{};
    for (std::size_t n = 0; n < count; ++n) found[n] = find_meaning(static_cast<opcode>(n));
    return found;
  }();
  return all[static_cast<std::size_t>(op)];
}

}  // namespace bankwise::sass
