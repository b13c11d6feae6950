// The state of the stand-ins in one process, as plain values: modules, memory, streams, and the costs of the launches.
// The folders above this one define the values that are only declared here.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/system/run_control.hpp"
#include "cubin/program.hpp"
#include "emulate/memory/memory.hpp"
#include "model/fold.hpp"
#include "model/report.hpp"
#include "model/run_options.hpp"
#include "runtime/clock/l2_contents.hpp"
#include "runtime/clock/program_clock.hpp"
#include "runtime/device/allocations.hpp"
#include "runtime/device/context.hpp"
#include "runtime/device/cuda_abi.hpp"
#include "runtime/device/host_copies.hpp"
#include "runtime/device/memory_faults.hpp"
#include "runtime/device/noted_calls.hpp"
#include "runtime/device/noted_errors.hpp"
#include "runtime/device/state_mutex.hpp"
#include "runtime/device/time_share.hpp"
#include "timing/trace/accel_sim_trace.hpp"

namespace bankwise::emulate {
class kept_code;
}

namespace bankwise::cuda {

struct array;
struct function;
struct mipmapped_array;
struct module;
struct pending_operation;
struct pending_touches;
struct variable;
class launch_predictions;

// First device address for the constant banks of modules.
inline constexpr std::uint64_t constant_base = 0x0000'7d00'0000'0000;

struct event {
  std::uint64_t awaited = 0;  // number of the pending operation that records the event, or 0
  bool recorded = false, timed = true, interprocess = false;
  moment at;                        // time on the program's clock
  struct graph* capture = nullptr;  // graph of the capture that recorded the event
  std::vector<struct node*> last;   // nodes before the event in its stream, if a capture recorded it
};

struct stream {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  struct graph* capture = nullptr;  // graph of the current capture, or null
  bool owns_capture = false;        // whether the current capture began on this stream
  std::vector<struct node*> last;   // nodes on which the next operation depends, during a capture
  struct green_context* green = nullptr;
  context* owner = nullptr;                   // context of the stream; null for the default stream
  long thread = 0;                            // id of the thread, if this is the default stream of a thread; else 0
  std::map<int, attribute_value> attributes;  // attributes that the program set
};

// A green context: a part of the multiprocessors. In bankwise, its blocks run on all multiprocessors.
struct green_context {
  unsigned long long id = 0;
  unsigned multiprocessors = 0;
  context* as_context = nullptr;
};

// A number that kernels set. The number determines whether a part of a graph runs.
struct condition {
  unsigned long long of_graph = 0;  // id that the graph and its copies share
  unsigned initial = 0, value = 0;
  bool begins_anew = false;  // whether each launch of the graph sets the value to `initial`
  bool decides = false;      // whether a node uses the condition
};

inline constexpr int stack_limit = 0, heap_limit = 2;  // numbers of limits in cudaLimit

// A store for the decoded code of kernels, which has no code yet. The store's header is large, so few files read it.
std::shared_ptr<emulate::kept_code> without_code();

struct state {
  state_mutex mutex;
  long process = 0;  // id of the process that owns this state; a forked child has another id and writes no report
  error sticky = cudaSuccess;

  bool driver_ready = false;  // whether the program called cuInit or the runtime
  context primary;
  std::vector<std::unique_ptr<context>> contexts;  // all contexts except the primary context
  std::vector<std::unique_ptr<green_context>> green;

  std::vector<std::unique_ptr<module>> modules;
  std::shared_ptr<emulate::kept_code> kept = without_code();  // decoded code of all kernels

  std::map<const void*, function*> functions;  // key: address of the kernel's stub, or of the function
  std::map<const void*, variable*> variables;  // key: address of the variable on the host
  cubin::address_bases next_bases;
  std::uint64_t next_constants = constant_base;

  emulate::device_memory memory;
  std::map<std::uint64_t, allocation> allocations;
  std::uint64_t mapped_room = 0;       // bytes that the device has mapped on the timeline for further small allocations
  std::uint64_t pinned_room = 0;       // the same of pinned memory of the host
  std::uint64_t most_graph_bytes = 0;  // largest number of bytes that graphs had allocated at the same time

  std::map<std::uint64_t, reservation> reservations;  // key: first device address of the range
  std::map<physical_memory*, std::unique_ptr<physical_memory>> physical;
  std::map<std::uint64_t, imported_memory> imported;  // key: first device address of the memory
  // Whether other processes share memory with this process. Other processes may read the memory at any time.
  bool shares = false;

  std::map<const void*, std::unique_ptr<array>> arrays;
  std::map<const void*, std::unique_ptr<mipmapped_array>> mipmapped_arrays;
  std::map<unsigned long long, object_descriptors> objects;  // descriptors of texture and surface objects
  std::uint32_t next_object = 1;

  stream default_stream;
  std::map<stream*, std::unique_ptr<stream>> streams;
  std::map<event*, std::unique_ptr<event>> events;
  std::map<struct graph*, std::unique_ptr<struct graph>> graphs;
  std::map<struct graph_exec*, std::unique_ptr<struct graph_exec>> execs;
  std::map<unsigned long long, condition> conditions;  // key: handle
  unsigned long long next_id = 1;
  program_clock clock;
  l2_contents l2;

  struct in_flight_list& flying;           // operations of streams that have begun and not ended
  unsigned parked = 0;                     // number of launches that have begun, have not ended and are not running now
  std::vector<pending_operation> pending;  // operations whose results are not needed yet, in the order of their calls
  struct pending_touches& pending_touches;  // allocations that pending operations use
  // Remaining budget of warp instructions for all small pending launches together.
  std::uint64_t room_for_small = 1u << 23;
  std::size_t kept_bytes = 0;  // bytes of the host that pending copies keep
  // Allocations that the program freed while pending operations used them. Key: first address; value: call sites.
  std::map<std::uint64_t, std::vector<std::uint64_t>> given_up;

  std::map<int, std::size_t> limits;  // limits that cudaDeviceSetLimit set
  report done;
  launch_finder known;           // finds equal launches in the report
  std::size_t report_bytes = 0;  // approximate size of the report's text
  noted_errors errors;
  std::vector<noted_fault> faults;
  std::vector<noted_call> calls;                                 // calls before the first launch
  std::optional<std::chrono::steady_clock::time_point> written;  // time at which the report was last written
  std::chrono::steady_clock::duration writing{};                 // how long the last write of the report took
  host_copies copies;
  std::string report_file;  // name of the report file; empty if no report was requested
  launch_predictions& predictions;
  std::optional<timing::accel_sim_folder> traces;  // traces of launches, for Accel-Sim
  std::map<std::string, unsigned> looked_at;       // key: kernel; value: number of launches whose accesses were kept
  run_options options;
  std::uint64_t executed = 0;  // number of warp instructions of all launches so far
  time_share time;             // divides the time limit of --time among the launches
  bool sampled = false;        // whether only a sample of a launch ran, so that some results are missing
  attached_control control;    // connection to the bankwise process that runs this program
  // Whether main has returned and the last report is written. If a launch follows, the report is written again.
  bool ended = false;
  bool answered = false;  // whether bankwise has ended the run and the last report is written
  std::uint64_t launched = 0;
  std::uint64_t reported = 0;  // value of `launched` when the report was last written

  state();
};

// Returns the state, which is made on first use. The state is never destroyed, because programs call the runtime until
// their very end.
state& the_state();

// Tells bankwise that a trace of a launch could not be written.
void note_trace_failure(const state& s);
// Prints a message for the user on standard error.
void say(const std::string& text);

// Sets the limit whose number in cudaLimit is `which`.
error set_limit(state& s, int which, std::size_t value);
error get_limit(const state& s, int which, std::size_t* value);

// Whether another stream, another process or the host may do something while the device works.
bool has_others(const state& s);
// Whether there is a launch that has begun, has not ended and is not running now.
inline bool is_any_parked(const state& s) { return s.parked != 0; }

}  // namespace bankwise::cuda
