// Modules of machine code: registered or loaded by a program, with their kernels and variables.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cubin/program.hpp"
#include "emulate/counting/counting.hpp"
#include "emulate/launch/launch.hpp"
#include "runtime/device/cuda_abi.hpp"
#include "runtime/launch/jit.hpp"
#include "sass/flow/code_flow.hpp"
#include "sass/flow/inputs.hpp"

namespace bankwise::cuda {

struct state;
struct module;

// A kernel by the names that the program uses: the address of its stub on the host, or the address of this struct,
// which is a cudaKernel_t, CUkernel and CUfunction.
struct function {
  module* owner = nullptr;
  std::string name;                       // mangled
  const cubin::kernel* kernel = nullptr;  // once the module is loaded
  std::uint32_t max_dynamic_shared_bytes = 0;
  int carveout = -1;
  bool large_clusters = false;  // allows clusters with more blocks than every machine of the architecture supports
  // The cluster that a launch must have, if the code does not set it; zeros for none.
  std::array<std::uint32_t, 3> cluster{};
  // What its code says, found at the first launch that needs it (code_facts.hpp).
  std::optional<sass::code_flow> flow;
  std::optional<std::vector<sass::dependence>> dependences;
  std::shared_ptr<const emulate::counting_code> counting;
  std::optional<sass::global_pointers> pointers;
  std::optional<bool> may_wait;  // emulate::may_wait_for_others
  // The last launches whose counts depend only on their arguments and constants, and their indices in the report.
  struct counted_launch {
    emulate::launch how;
    std::string constants;  // the contents of the constant banks
    std::size_t in_report = 0;
    double nanoseconds = 0;  // of the device's clock
  };
  std::list<counted_launch> counted;
};

// A __device__, __constant__ or __managed__ variable.
struct variable {
  module* owner = nullptr;
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  // once the module is loaded
  void** managed = nullptr;   // the program's pointer to it
};

struct module {
  byte_span image;  // a fatbin, cubin or PTX of the program
  bool loaded = false;
  error status = cudaSuccess;  // result of loading
  std::optional<cubin::program> program;
  std::vector<std::unique_ptr<function>> functions;
  std::vector<std::unique_ptr<variable>> variables;
  std::vector<std::uint64_t> constants;  // addresses of its constant banks
  struct context* owner = nullptr;       // the driver's context that owns it; null if it stays loaded
};

// Adds a module that is loaded on first use, with everything that is added to it before.
module& add_module(state& s, byte_span image);
// `stub` may be null: the function is also known by its own address.
function& add_function(state& s, module& m, const void* stub, std::string name);
variable& add_variable(state& s, module& m, const void* shadow, std::string name, std::uint64_t bytes);

// Places it in the memory of the process, with everything that was added to it.
error load(state& s, module& m);
// Loads a separate module with everything in it. Messages of a PTX compiler are added to `log`. Null if it fails: the
// reason is in `why` and on standard error.
module* load_module(state& s, byte_span image, const jit_options& jit, std::string& log, error& why);
// Releases its memory and forgets its functions and variables.
void unload(state& s, module& m);

function* find_function(state& s, const void* stub);  // or null; loads its module
variable* find_variable(state& s, const void* shadow);
function* find_function(const module& m, std::string_view name);  // of a loaded module
variable* find_variable(const module& m, std::string_view name);
function& function_of(state& s, module& m, const cubin::kernel& k);

// The size of an image that is passed without its size: a cubin, a fatbin or PTX text with a zero byte at its end, or
// the record that nvcc puts around a fatbin. Empty if it is none of these.
byte_span image_at(const void* address);

}  // namespace bankwise::cuda
