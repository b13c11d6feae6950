// A kernel whose accesses are counted and whose results nobody wants: which of its instructions are executed, and
// whether blocks fall into classes that do the same.
//
//     auto code = std::make_shared<counting_code>(code_to_count(program, kernel));
//     if (code->possible) launch.counting = code;
//
// Counts are those of a whole run, bit for bit. What such a run does not look for are faults of accesses to global
// memory that nothing on shared memory depends on; what it leaves in global memory is not the kernel's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cubin/program.hpp"
#include "emulate/block/racing_code.hpp"
#include "emulate/counting/block_flow.hpp"
#include "sass/flow/pointers.hpp"
#include "sass/flow/slice.hpp"

namespace bankwise::emulate {

// Whether accesses to global memory are reported to listeners.
enum class told_global : std::uint8_t {
  no,
  where_cheap,  // not where that makes a run execute more blocks, or results that nothing on shared memory depends on
  yes,
};

struct counting_code {
  bool possible = false;  // else all of it is executed
  std::string why_not;    // "it calls malloc"
  sass::slice needed;
  // Nothing that is needed comes from global memory, or from shared memory: the run leaves it alone.
  bool leaves_global = false, leaves_shared = false;
  // One block of each class is enough: nothing that one block needs is what another stored.
  bool by_class = false;
  bool tells_global = false;                  // accesses to global memory are also reported
  std::vector<emulate::followed> follows;     // what is looked at for that
  std::shared_ptr<const racing_code> racing;  // what is watched, of any run (launch::racing)
};

// What a kernel reads and writes in global memory, by its parameters.
sass::global_pointers pointers_of(const cubin::program& p, const cubin::kernel& k);

counting_code code_to_count(const cubin::program& p, const cubin::kernel& k, told_global global = told_global::no);

}  // namespace bankwise::emulate
