#include "emulate/launch/guardrails.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace bankwise::emulate {

namespace {

constexpr std::string_view prefix = "__cuda_sm10x_tcgen05_guardrail_trap_";

// ptxas 13.0 uses these names for the checks.
constexpr guardrail guardrails[] = {
    {"unallocated_columns_being_dealloced", "tcgen05.dealloc frees columns of tensor memory that are not allocated",
     "free columns only once, in one warp. The check does not know which warp freed the columns first"},
    {"col_being_dealloced_not_returned_by_alloc", "tcgen05.dealloc frees columns that tcgen05.alloc did not return",
     "pass the address that tcgen05.alloc wrote to shared memory"},
    {"unallocated_columns_access", "an instruction accesses columns of tensor memory that are not allocated",
     "compare the columns of the access with the columns that tcgen05.alloc returned"},
    {"access_out_of_physical_bounds", "an instruction accesses columns past the 512 columns of tensor memory",
     "compare the columns of the access with the columns that tcgen05.alloc returned"},
    {"allocation_granularity_invalid", "tcgen05.alloc allocates an invalid number of columns",
     "the number of columns must be 32, 64, 128, 256 or 512"},
    {"phase_invalid_during_alloc", "tcgen05.alloc follows tcgen05.relinquish_alloc_permit",
     "allocate all columns before the block gives up its right to allocate"},
    {"current_warp_owner_invalid", "a warp accesses lanes of tensor memory that belong to another warp",
     "warp n of a warpgroup can access only the lanes 32 n to 32 n + 31"},
    {"invalid_datapath_alignment", "the matrix of a tcgen05.mma starts at an invalid lane of tensor memory",
     "the PTX manual lists the lanes where a matrix of each shape can start"},
    {"sparse_mismatch_between_idesc_mod", "the instruction descriptor of a tcgen05.mma contradicts the modifier .sp",
     "set the bit for sparse matrices in the instruction descriptor if, and only if, the instruction has .sp"},
    {"sp_used_in_unsupported_env", "tcgen05.mma.sp has a kind that this target does not support",
     "compile for the target of the GPU itself, such as sm_100a"},
};

}  // namespace

const guardrail* guardrail_at(const cubin::program& p, std::uint64_t pc) {
  const auto section = p.section_at(pc);
  if (!section) return nullptr;
  const cubin::code_section& s = p.sections[*section];
  const cubin::code_function* const f = s.function_at(pc - s.address);
  if (f == nullptr || !f->name.starts_with(prefix)) return nullptr;
  const std::string_view name = std::string_view(f->name).substr(prefix.size());
  const auto found = std::find_if(std::begin(guardrails), std::end(guardrails),
                                  [&](const guardrail& g) { return g.function == name; });
  return found != std::end(guardrails) ? &*found : nullptr;
}

}  // namespace bankwise::emulate
