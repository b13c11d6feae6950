// Decides how to execute a kernel if its accesses are counted and its results are not needed: which instructions are
// executed, and whether one block can represent a class of blocks.
//
//     auto code = std::make_shared<counting_code>(code_to_count(program, kernel));
//     if (code->possible) launch.counting = code;
//
// The counts are equal to the counts of a complete run. But a run that only counts leaves wrong results in global
// memory. Such a run also misses faults of accesses to global memory if no shared-memory access depends on these
// accesses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cubin/program.hpp"
#include "emulate/block/racing_code.hpp"
#include "emulate/counting/block_flow.hpp"
#include "sass/flow/slice.hpp"

namespace bankwise::emulate {

// Whether accesses to global memory are reported to listeners.
enum class told_global : std::uint8_t {
  no,
  // reported if this requires no further blocks and no further results
  where_cheap,
  yes,
};

struct counting_code {
  bool possible = false;  // if false, all instructions are executed
  std::string why_not;    // reason why counting is not possible, such as "it calls malloc"
  sass::slice needed;
  // Whether the run skips accesses to global memory (or shared memory), because no needed value comes from there.
  bool leaves_global = false, leaves_shared = false;
  // whether the run skips accesses to tensor memory, because no needed value comes from there
  bool leaves_tensors = false;
  // Whether one block of each class is enough, because blocks need no values from other blocks.
  bool by_class = false;
  bool tells_global = false;                  // whether accesses to global memory are also reported
  std::vector<emulate::followed> follows;     // the instructions that block_class.hpp follows
  std::shared_ptr<const racing_code> racing;  // the watched instructions, also for a complete run (launch::racing)
};

// The control flow of a kernel. The program must outlive the result.
sass::code_flow flow_of(const cubin::program& p, const cubin::kernel& k);

counting_code code_to_count(const cubin::program& p, const cubin::kernel& k, told_global global = told_global::no);
// Returns the counting code of a kernel from its control flow.
counting_code code_to_count(const sass::code_flow& flow, told_global global = told_global::no);

}  // namespace bankwise::emulate
