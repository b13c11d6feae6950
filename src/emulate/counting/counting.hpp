// A kernel whose accesses are counted and whose results are not needed: which of its instructions are executed, and
// whether blocks fall into classes that behave alike.
//
//     auto code = std::make_shared<counting_code>(code_to_count(program, kernel));
//     if (code->possible) launch.counting = code;
//
// Counts are those of a complete run, bit for bit. Such a run finds no faults of accesses to global memory on which no
// shared-memory access depends. Its results in global memory are not those of the kernel.
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
  // only if the run needs no more blocks for it, and no results on which no shared-memory access depends
  where_cheap,
  yes,
};

struct counting_code {
  bool possible = false;  // otherwise all of it is executed
  std::string why_not;    // "it calls malloc"
  sass::slice needed;
  // No needed value comes from global memory, or from shared memory, so the run does not access that memory.
  bool leaves_global = false, leaves_shared = false;
  bool leaves_tensors = false;  // nor from tensor memory
  // One block of each class is enough: no needed value of a block was stored by another block.
  bool by_class = false;
  bool tells_global = false;                  // accesses to global memory are also reported
  std::vector<emulate::followed> follows;     // inputs of that analysis
  std::shared_ptr<const racing_code> racing;  // the watched code, for any run (launch::racing)
};

// The kernel's control flow. The program must outlive it.
sass::code_flow flow_of(const cubin::program& p, const cubin::kernel& k);

// The parts of global memory that a kernel reads and writes, by its parameters.
sass::global_pointers pointers_of(const cubin::program& p, const cubin::kernel& k);

counting_code code_to_count(const cubin::program& p, const cubin::kernel& k, told_global global = told_global::no);
// From the kernel's flow.
counting_code code_to_count(const sass::code_flow& flow, told_global global = told_global::no);

}  // namespace bankwise::emulate
