// Operations of streams that are in flight: they have begun and not ended, or they wait for an operation in flight.
// Examples are a kernel that waits for the host or for another stream, a stream that waits for a word in memory, and a
// stream that waits for an event that is not recorded. All other operations run during their call (operation.hpp). So
// usually, no operation is in flight.
//
//     wait<<<1, 1, 0, a>>>(flag)      is in flight: its blocks read the flag and change nothing
//     next<<<1, 1, 0, a>>>()          is in flight, because it follows `wait` in stream a
//     other<<<1, 1, 0, b>>>()         runs during the call
//     *flag = 1                       a thread of the stand-in notices the flag after a while, or
//     cudaStreamSynchronize(a)        continues the kernel at once
//
// If branches of a graph may wait for each other, each node of the graph is in flight separately. The stream then has a
// mark before the nodes and a mark after them.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "runtime/launch/parked_work.hpp"
#include "runtime/stream/operation.hpp"

namespace bankwise::cuda {

struct in_flight {
  std::uint64_t number = 0;  // number of the operation, in the order of calls
  unsigned long long stream = 0;
  stream_facts facts = {};
  stream_kind kind = stream_kind::blocking;
  operation what;
  std::vector<std::uint64_t> after;     // numbers of the operations that must end before this operation starts
  std::vector<std::byte> bytes;         // bytes of the host that a copy reads, saved during the call
  std::unique_ptr<parked_work> parked;  // work of the operation; set when it has begun
  moment issued, begins;  // on the program's clock: the time of the call, and the end of the operations `after`
  bool runs = false;      // whether a thread is running the operation
  bool in_graph = false;  // whether the operation is a node of a graph with branches
  error* told = nullptr;  // where to store the result; null after the call has returned
};

struct in_flight_list {
  std::list<in_flight> all;  // operations in the order of calls
  std::uint64_t next = 1;
  unsigned waiting_threads = 0;  // number of threads of the program that wait for operations of this list
  bool polled = false;           // whether a thread of the stand-in continues the operations
};

// Runs an operation now if the stream is idle, otherwise after the pending work of the stream. The stream must not be
// captured.
error begin(state& s, stream& on, operation o);
// Makes the stream wait for the event, unless the event is already recorded.
void begin_wait(state& s, stream& on, const event& e);
// A prefetch of managed memory, which only takes time on the timeline.
void begin_prefetch(state& s, stream& on, std::uint64_t address, std::uint64_t bytes, bool to_device);
// Continues every operation that can continue. Returns true if at least one operation made progress.
bool go_on(state& s);

stream_kind kind_of(const state& s, const stream& on);
// Whether the stream or event depends on an operation in flight. A call that waits for the stream or event would then
// block.
bool is_busy(const state& s, const stream& on);
bool is_busy(const state& s, const event& e);
// Waits until the work of the stream, of the event's stream or of all streams has ended. Releases the lock while
// waiting.
error finish(state& s, const stream& on);
error finish(state& s, const event& e);
error finish_all(state& s);

// Call this when an event is destroyed, even if the event is not recorded yet.
void forget(state& s, const event& e);
// Ends all operations that can end, then stops the remaining operations.
void stop_all(state& s);

}  // namespace bankwise::cuda
