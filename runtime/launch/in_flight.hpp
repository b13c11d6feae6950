// Operations of streams that have begun but not ended, and operations that wait for them: a kernel that waits for the
// host or for another stream, a stream that waits for a word in memory, an event that has not been recorded. Everything
// else runs at its call (operation.hpp), so usually nothing is in flight.
//
//     wait<<<1, 1, 0, a>>>(flag)      is in flight: its blocks read the flag and change nothing
//     next<<<1, 1, 0, a>>>()          is in flight after it
//     other<<<1, 1, 0, b>>>()         runs at the call
//     *flag = 1                       a thread of our own sees it after a while, or
//     cudaStreamSynchronize(a)        continues it at once
//
// A graph whose branches may wait for each other is in flight node by node, between two marks in its stream.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "runtime/stream/operation.hpp"
#include "runtime/stream/parked_work.hpp"

namespace bankwise::cuda {

// How a stream is ordered with other streams.
enum class stream_kind : std::uint8_t { legacy_default, blocking, non_blocking };

struct in_flight {
  std::uint64_t number = 0;  // in the order of calls
  unsigned long long stream = 0;
  stream_kind kind = stream_kind::blocking;
  operation what;
  std::vector<std::uint64_t> after;     // operations that must end first: those of an event, or nodes of a graph
  std::vector<std::byte> bytes;         // the host's bytes that a copy found at the call
  std::unique_ptr<parked_work> parked;  // it has begun
  bool runs = false;                    // a thread is running it now
  bool in_graph = false;                // a node of a graph with branches, which may wait for another
  error* told = nullptr;                // where to store its result while its call continues
};

struct in_flight_list {
  std::list<in_flight> all;  // in the order of calls
  std::uint64_t next = 1;
  unsigned waiting_threads = 0;  // number of threads of the program that wait for some of these
  bool polled = false;           // a separate thread continues them
};

// Runs an operation now, or in the order of the stream after pending work. The stream is not being captured.
error begin(state& s, stream& on, operation o);
// Makes the stream wait for the event, if it is not recorded yet.
void begin_wait(state& s, stream& on, const event& e);
// Continues each operation that can continue. True if there was progress.
bool go_on(state& s);

// Whether another launch has begun and not ended, in addition to the running one.
bool is_any_parked(const state& s);
// Whether something is in flight for which the program would wait.
bool is_busy(const state& s, const stream& on);
bool is_busy(const state& s, const event& e);
// Returns when the stream's work has ended. The lock is released while it waits.
error finish(state& s, const stream& on);
error finish(state& s, const event& e);
error finish_all(state& s);

// Call it when an event is destroyed, perhaps before it is recorded.
void forget(state& s, const event& e);
// Ends operations that can end, and stops the rest.
void stop_all(state& s);

}  // namespace bankwise::cuda
