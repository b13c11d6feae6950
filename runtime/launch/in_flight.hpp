// Operations of streams that have begun and not ended, and operations that wait for such operations. Examples are a
// kernel that waits for the host or for another stream, a stream that waits for a word in memory, and an event that has
// not been recorded. All other operations run during their call (operation.hpp), so usually nothing is in flight.
//
//     wait<<<1, 1, 0, a>>>(flag)      is in flight: its blocks read the flag and change nothing
//     next<<<1, 1, 0, a>>>()          is in flight after it
//     other<<<1, 1, 0, b>>>()         runs during the call
//     *flag = 1                       a thread of the stand-in sees it after a while, or
//     cudaStreamSynchronize(a)        continues the kernel at once
//
// If branches of a graph may wait for each other, each node of the graph is in flight separately. In the stream, a mark
// precedes the nodes, and another mark follows them.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "runtime/stream/operation.hpp"
#include "runtime/stream/parked_work.hpp"

namespace bankwise::cuda {

// How a stream is ordered with respect to other streams.
enum class stream_kind : std::uint8_t { legacy_default, blocking, non_blocking };

struct in_flight {
  std::uint64_t number = 0;  // in the order of calls
  unsigned long long stream = 0;
  stream_kind kind = stream_kind::blocking;
  operation what;
  std::vector<std::uint64_t> after;     // operations that must end before this operation starts
  std::vector<std::byte> bytes;         // the host's bytes that a copy found at the call
  std::unique_ptr<parked_work> parked;  // set once the operation has begun
  bool runs = false;                    // whether a thread is running the operation
  bool in_graph = false;                // whether the operation is a node of a graph with branches
  error* told = nullptr;                // where to store the result while the call has not returned
};

struct in_flight_list {
  std::list<in_flight> all;  // in the order of calls
  std::uint64_t next = 1;
  unsigned waiting_threads = 0;  // threads of the program that wait for operations of this list
  bool polled = false;           // whether a thread of the stand-in continues the operations
};

// Runs an operation now, or after the pending work of the stream. The stream must not be in a capture.
error begin(state& s, stream& on, operation o);
// If the event is not recorded yet, makes the stream wait for it.
void begin_wait(state& s, stream& on, const event& e);
// Continues each operation that can continue. Returns true if there was progress.
bool go_on(state& s);

// Whether a launch other than the running one has begun and not ended.
bool is_any_parked(const state& s);
// Whether the stream or event depends on an operation in flight, so that the program would wait.
bool is_busy(const state& s, const stream& on);
bool is_busy(const state& s, const event& e);
// Waits until the work of the stream has ended. Releases the lock while waiting.
error finish(state& s, const stream& on);
error finish(state& s, const event& e);
error finish_all(state& s);

// Call this when an event is destroyed. The event may not be recorded yet.
void forget(state& s, const event& e);
// Ends the operations that can end, and stops the others.
void stop_all(state& s);

}  // namespace bankwise::cuda
