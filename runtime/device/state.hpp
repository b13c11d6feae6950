// The stand-in's state of one process: its modules, memory, streams and the costs of its launches.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/system/run_control.hpp"
#include "emulate/code/kept_code.hpp"
#include "emulate/memory/memory.hpp"
#include "model/fold.hpp"
#include "model/report.hpp"
#include "model/run_options.hpp"
#include "runtime/device/context.hpp"
#include "runtime/device/cuda_abi.hpp"
#include "runtime/device/noted_calls.hpp"
#include "runtime/device/state_mutex.hpp"
#include "runtime/launch/launch_predictions.hpp"
#include "runtime/launch/module.hpp"
#include "runtime/launch/pending.hpp"
#include "runtime/launch/time_share.hpp"
#include "runtime/memory/host_copies.hpp"
#include "runtime/memory/sharing.hpp"
#include "runtime/memory/texture_object.hpp"
#include "runtime/memory/virtual_memory.hpp"
#include "timing/trace/accel_sim_trace.hpp"

namespace bankwise::cuda {

// Constants of modules: the device sees them at these addresses.
inline constexpr std::uint64_t constant_base = 0x0000'7d00'0000'0000;

enum class allocation_kind : std::uint8_t { device, host, managed, registered };
struct allocation {
  std::uint64_t bytes = 0;
  allocation_kind kind = allocation_kind::device;
  unsigned flags = 0;
  const context* owner = nullptr;  // the context that was current
  bool of_graph = false;
  bool of_shared_pool = false;
  struct pool* from = nullptr;  // the pool that counts it
  // For memory that other processes use: its file, and the address of the mapping.
  int file = -1;
  std::byte* host = nullptr;
};

struct event {
  std::uint64_t awaited = 0;  // the pending operation that records it (in_flight.hpp); 0 if there is none
  bool recorded = false, timed = true, interprocess = false;
  double nanoseconds = 0;
  struct graph* capture = nullptr;  // the graph of the capture in which it was recorded
  std::vector<struct node*> last;   // the nodes before it in the stream
};

struct stream {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  struct graph* capture = nullptr;  // records what would run
  bool owns_capture = false;        // it began the capture
  std::vector<struct node*> last;   // in the capture: the next operation depends on these
  struct green_context* green = nullptr;
  context* owner = nullptr;                   // the context in which it was made; null for the default stream
  long thread = 0;                            // the thread whose default stream it is (thread_stream.hpp); 0 if none
  std::map<int, attribute_value> attributes;  // as set
};

// A part of the multiprocessors; its work is placed on all of them.
struct green_context {
  unsigned long long id = 0;
  unsigned multiprocessors = 0;
  context* as_context = nullptr;
};

// The number that decides whether a part of a graph runs; kernels set it.
struct condition {
  unsigned long long of_graph = 0;  // its id, which copies keep
  unsigned initial = 0, value = 0;
  bool begins_anew = false;  // set to `initial` when the graph is launched
  bool decides = false;      // a node uses it
};

inline constexpr int stack_limit = 0, heap_limit = 2;  // cudaLimit

struct state {
  state_mutex mutex;
  long process = 0;  // the process that owns this state: a forked child writes no report
  error sticky = cudaSuccess;

  bool driver_ready = false;  // cuInit or the runtime was called
  context primary;
  std::vector<std::unique_ptr<context>> contexts;  // others
  std::vector<std::unique_ptr<green_context>> green;

  std::vector<std::unique_ptr<module>> modules;
  std::shared_ptr<emulate::kept_code> kept = std::make_shared<emulate::kept_code>();  // code of their kernels

  std::map<const void*, function*> functions;  // by stub, and by its own address
  std::map<const void*, variable*> variables;  // by shadow on the host
  cubin::address_bases next_bases;
  std::uint64_t next_constants = constant_base;

  emulate::device_memory memory;
  std::map<std::uint64_t, allocation> allocations;
  std::uint64_t most_graph_bytes = 0;  // the most bytes that graphs had allocated at the same time

  std::map<std::uint64_t, reservation> reservations;  // by first address
  std::map<physical_memory*, std::unique_ptr<physical_memory>> physical;
  std::map<std::uint64_t, imported_memory> imported;  // by first address
  // memory is shared with other processes, which may read it at any time
  bool shares = false;

  std::map<const void*, std::unique_ptr<array>> arrays;
  std::map<const void*, std::unique_ptr<mipmapped_array>> mipmapped_arrays;
  std::map<unsigned long long, object_descriptors> objects;  // of textures and surfaces
  std::uint32_t next_object = 1;

  stream default_stream;
  std::map<stream*, std::unique_ptr<stream>> streams;
  std::map<event*, std::unique_ptr<event>> events;
  std::map<struct graph*, std::unique_ptr<struct graph>> graphs;
  std::map<struct graph_exec*, std::unique_ptr<struct graph_exec>> execs;
  std::map<unsigned long long, condition> conditions;  // by handle
  unsigned long long next_id = 1;
  double nanoseconds = 0;  // of the device's clock

  struct in_flight_list& flying;            // operations of streams that have begun but not ended
  std::vector<pending_operation> pending;   // launches whose results are not needed yet, in order
  struct pending_touches pending_touches;   // used by all of them
  std::uint64_t room_for_small = 1u << 23;  // limit of warp instructions that are computed without being needed
  std::size_t kept_bytes = 0;               // bytes of the host that these keep
  // freed allocations that these still use, with their addresses
  std::map<std::uint64_t, std::vector<std::uint64_t>> given_up;

  std::map<int, std::size_t> limits;  // of cudaDeviceSetLimit
  report done;
  launch_finder known;                                           // of its launches
  std::size_t report_bytes = 0;                                  // approximate size of its text
  std::vector<noted_call> calls;                                 // before the first launch
  std::optional<std::chrono::steady_clock::time_point> written;  // time of the last report
  std::chrono::steady_clock::duration writing{};                 // how long it took to write it
  host_copies copies;
  std::string report_file;  // empty if none was requested. After a failed launch, there is also a file NAME.fault
  launch_predictions predictions;                  // predictions of how long its launches take
  std::optional<timing::accel_sim_folder> traces;  // traces of its launches, for Accel-Sim
  std::map<std::string, unsigned> looked_at;       // launches whose accesses were kept for a quick search, by kernel
  run_options options;
  std::uint64_t executed = 0;  // warp instructions of all launches so far
  time_share time;             // for all launches
  bool sampled = false;        // some launch was sampled: memory does not have all results of its kernel
  attached_control control;    // connection to the bankwise that runs this program
  // main of the program has returned, and its last report is written, except for launches after main
  bool ended = false;
  bool answered = false;       // bankwise ends the run, and the last report is written
  std::uint64_t launched = 0;  // kernels
  std::uint64_t reported = 0;  // the kernels launched before the last report

  state();
};

// Created on first use, never destroyed: programs call the runtime until their very end.
state& the_state();

// Prints a message for the user on standard error.
void say(const std::string& text);

// cudaLimit by number.
error set_limit(state& s, int which, std::size_t value);
error get_limit(const state& s, int which, std::size_t* value);
// Releases memory and streams, as for a reset of the device; modules stay.
void reset(state& s);

// The default stream, in calls that wait (operation.hpp, enqueue).
inline stream* const until_done = reinterpret_cast<stream*>(~std::uintptr_t{0});
stream* find_stream(state& s, stream* handle);  // null if there is no such stream

// Counts a kernel that is about to run. Returns how many there were, including this one.
std::uint64_t count_launch(state& s);
void write_report(state& s);
// Writes the report while the program runs, so that a killed program leaves one.
void write_report_now_and_then(state& s);
// The signal with which bankwise ends the run; 0 if it continues.
int stop_asked(const state& s);
// Writes the last report, and waits until bankwise sends the signal to the program. The caller holds the lock.
void answer_stop(state& s);
// Tells the reader of the report that a launch failed.
void write_fault(const state& s, const std::string& what);

}  // namespace bankwise::cuda
