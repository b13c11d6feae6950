// Names of machines: names in the table of arch.hpp, usual names of GPUs, and names of machines that the user defines.
//
//     sm_90     a row of arch.hpp, with the basis of its rules
//     cdna3     a GPU from AMD
//     10x4      10 banks of 4 bytes
//     RTX 4090  a GPU of the table, by its usual name
//     64x4:64,32,16    waves of 64 lanes: at least half of the lanes are served together
//     32x4:32,16,8     32 banks of 4 bytes; 32 lanes are served together at up to 4 bytes a lane, 16 at 8, 8 at 16
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bankwise/arch.hpp"
#include "base/flag_values.hpp"
#include "base/result.hpp"
#include "expr/names/operation_names.hpp"

namespace bankwise {

// A machine. Its name is a name in the table of arch.hpp, "NxM" for N banks of M bytes, or "NxM:A,B,C". The numbers A,
// B and C are the numbers of lanes in a phase.
struct machine {
  std::string name;
  std::string family;
  bank_model model{};
  const rulebook* rules = nullptr;
  const async_rulebook* async_rules = &no_async_rules;
  u32 wave_lanes = lanes_per_warp;  // 32, or 64 if an access is one half of a wave
  // number of lanes in a phase if a phase is larger than half a wave; 0 for the phases of the model
  u32 phase_lanes[3] = {};
  bool of_amd = false;
};
result<machine> parse_machine(std::string_view name);
// Finds a machine by its name, or by the usual name of a GPU (gpu_names.hpp): "RTX 4090", "8.9", "MI300X", "gfx1151".
result<machine> find_machine(std::string_view name);
// Returns the machine of --arch. Without this flag, returns sm_90. --phases sets the phases, and requires a machine
// named NxM. Errors contain the name of the flag.
result<machine> read_machine(const flag_values& flags);

// Returns why this machine has no rule for this operation, or nothing if there is a rule.
std::optional<diagnostic> unsupported(const machine& m, operation op);
std::optional<diagnostic> unsupported(const machine& m, const named_operation& op);

}  // namespace bankwise
