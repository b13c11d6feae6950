// Modules of machine code that a program registers or loads, with their kernels and variables.
#pragma once

#include <array>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cubin/program.hpp"
#include "emulate/counting/counting.hpp"
#include "emulate/launch/launch.hpp"
#include "model/time/predicted_time.hpp"
#include "runtime/device/cuda_abi.hpp"
#include "runtime/launch/jit.hpp"
#include "sass/flow/code_flow.hpp"
#include "sass/flow/inputs.hpp"

namespace bankwise::cuda {

struct state;
struct module;

// A kernel. The program identifies it by the address of its stub on the host, or by the address of this structure. The
// address of this structure is also the program's cudaKernel_t, CUkernel or CUfunction.
struct function {
  module* owner = nullptr;
  std::string name;                       // mangled
  const cubin::kernel* kernel = nullptr;  // kernel in the code; null until the module is loaded
  std::uint32_t max_dynamic_shared_bytes = 0;
  int carveout = -1;
  bool was_used = false;        // whether the GPU has its code, which it gets when the program first uses the kernel
  bool large_clusters = false;  // whether clusters may exceed the size that all GPUs of the architecture support
  // Cluster size from the function's attributes, for launches without a cluster size. Without a cluster, the size is
  // all zeros.
  std::array<std::uint32_t, 3> cluster{};
  // Facts about the code, computed by the first launch that needs them (code_facts.hpp).
  std::optional<sass::code_flow> flow;
  std::shared_ptr<const emulate::counting_code> counting;
  std::optional<sass::global_pointers> pointers;
  std::optional<bool> may_wait;   // result of emulate::may_wait_for_others
  std::optional<bool> has_clock;  // result of timing::reads_clock
  std::optional<bool> computes_sleeps;
  // A recent launch whose counts depend only on its arguments and the constants. If a later launch is equal, it is not
  // counted again.
  struct counted_launch {
    emulate::launch how;
    std::string constants;  // contents of the constant banks
    std::size_t in_report = 0;
    time_in_program time;  // on the device's clock
  };
  std::list<counted_launch> counted;
  // The launches whose races on shared memory were searched. Key: the sides of the block.
  struct watched_launches {
    unsigned count = 0;
    bool raced = false;  // whether a race was found
  };
  std::map<std::array<std::uint32_t, 3>, watched_launches> watched;
};

// A __device__, __constant__ or __managed__ variable.
struct variable {
  module* owner = nullptr;
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  // device address; 0 until the module is loaded
  void** managed = nullptr;   // address of the program's pointer to a __managed__ variable
};

struct module {
  byte_span image;  // fatbin, cubin or PTX, as the program passed it
  bool loaded = false;
  bool was_used = false;       // whether the GPU has the module: see function::was_used
  error status = cudaSuccess;  // result of loading the module
  std::optional<cubin::program> program;
  std::vector<std::unique_ptr<function>> functions;
  std::vector<std::unique_ptr<variable>> variables;
  std::vector<std::uint64_t> constants;  // device addresses of the module's constant banks
  struct context* owner = nullptr;       // driver context that owns the module; null if the module stays loaded
};

// Adds a module. On first use, the module is loaded with all functions and variables that were added to it.
module& add_module(state& s, byte_span image);
// Adds a function. If `stub` is null, the program names the function only by the address of its structure.
function& add_function(state& s, module& m, const void* stub, std::string name);
variable& add_variable(state& s, module& m, const void* shadow, std::string name, std::uint64_t bytes);

// Loads a module, with all functions and variables that were added to it, into the emulator's memory.
error load(state& s, module& m);
// Makes a module with all kernels and variables of the image, and loads it. Adds messages of the PTX compiler to `log`.
// If loading fails, prints the reason on standard error, sets `why`, and returns null.
module* load_module(state& s, byte_span image, const jit_options& jit, std::string& log, error& why);
// Releases the memory of a module, and removes its functions and variables. None of its launches may be in flight.
void unload(state& s, module& m);

// Adds the host's time for bringing the kernel to the GPU, if the program uses it for the first time.
void note_first_use(state& s, function& f);

// Loads the module of the function; returns null if there is no such function.
function* find_function(state& s, const void* stub);
variable* find_variable(state& s, const void* shadow);
function* find_function(const module& m, std::string_view name);  // `m` must be loaded before this call
variable* find_variable(const module& m, std::string_view name);
function& function_of(state& s, module& m, const cubin::kernel& k);

// Returns the bytes of an image that a program passes without the size of the image. The image is a cubin, a fatbin,
// PTX with a zero byte at its end, or the record that nvcc puts around a fatbin. Returns nothing if `address` points to
// none of these.
byte_span image_at(const void* address);

}  // namespace bankwise::cuda
