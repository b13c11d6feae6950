// What the stand-in knows of one process: its modules, memory, streams and what its launches cost.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cubin/program.hpp"
#include "cuda_abi.hpp"
#include "emulate/memory.hpp"
#include "profile/profile.hpp"

namespace bankwise::cuda {

struct module;

// A kernel as the program names it: by the address of its stub on the host.
struct function {
  module* owner = nullptr;
  std::string name;                       // mangled
  const cubin::kernel* kernel = nullptr;  // once the module is loaded
  std::uint32_t max_dynamic_shared_bytes = 0;
  int carveout = -1;
};

// A __device__, __constant__ or __managed__ variable.
struct variable {
  module* owner = nullptr;
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  // once the module is loaded
  void** managed = nullptr;   // the program's pointer to it
};

// A fatbin of the program. Loaded when it is first needed.
struct module {
  byte_span fatbin;
  bool loaded = false;
  error status = cudaSuccess;  // of loading
  std::optional<cubin::program> program;
  std::vector<function*> functions;
  std::vector<variable*> variables;
};

enum class memory_kind : std::uint8_t { device, host, managed, registered };
struct allocation {
  std::uint64_t bytes = 0;
  memory_kind kind = memory_kind::device;
  unsigned flags = 0;
};

struct event {
  bool recorded = false, timed = true;
  double nanoseconds = 0;
  struct graph* capture = nullptr;  // recorded in a stream that is captured
  std::vector<struct node*> last;   // what stood before it there
};

struct stream {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  struct graph* capture = nullptr;  // records what would run
  bool owns_capture = false;        // it began the capture
  std::vector<struct node*> last;   // of the capture: what comes next depends on these
};

struct state {
  std::recursive_mutex mutex;
  long process = 0;  // that this state belongs to: a fork writes no report
  error sticky = cudaSuccess;

  std::vector<std::unique_ptr<module>> modules;
  std::map<const void*, std::unique_ptr<function>> functions;  // by stub
  std::map<const void*, std::unique_ptr<variable>> variables;  // by shadow on the host
  cubin::address_bases next_bases;
  std::uint64_t next_constants;

  emulate::device_memory memory;
  std::map<std::uint64_t, allocation> allocations;

  stream default_stream;
  std::map<stream*, std::unique_ptr<stream>> streams;
  std::map<event*, std::unique_ptr<event>> events;
  std::map<struct graph*, std::unique_ptr<struct graph>> graphs;
  std::map<struct graph_exec*, std::unique_ptr<struct graph_exec>> execs;
  unsigned long long next_id = 1;
  double nanoseconds = 0;  // of the device's clock

  std::map<int, std::size_t> limits;
  report done;
  std::string report_file;  // empty: nobody asked. Behind a launch that failed, a file NAME.fault stands beside it
  bool keep_accesses = false;
  std::uint64_t budget = 0;  // 0: the emulator's own
  unsigned threads = 0;

  state();
};

// Made when first asked for, never destroyed: programs call the runtime until their very end.
state& the_state();

// The error that the thread's last failing call left.
extern thread_local error last_error;

// Says it on standard error, as everything that a person should know.
void say(const std::string& text);

// Loads a module with everything that is registered for it.
error load(state& s, module& m);
function* find_function(state& s, const void* stub);  // or null; loads its module
variable* find_variable(state& s, const void* shadow);

stream* find_stream(state& s, stream* handle);  // null: no such stream

void write_report(state& s);
// For the one who reads the report: a launch failed.
void write_fault(const state& s, const std::string& what);

// The body of an entry point: one thread at a time, errors remembered, and after a fault nothing but that.
template <class Body>
error guarded(Body body) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  if (s.sticky != cudaSuccess) return last_error = s.sticky;
  error e = cudaErrorUnknown;
  try {
    e = body(s);
  } catch (const std::bad_alloc&) {
    e = cudaErrorMemoryAllocation;
  } catch (const std::exception& x) {
    say(std::string("internal error: ") + x.what());
  }
  if (e != cudaSuccess) last_error = e;
  return e;
}

}  // namespace bankwise::cuda
