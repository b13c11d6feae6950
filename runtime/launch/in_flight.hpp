// Operations of streams that have begun but not ended, and operations that wait for them: a kernel that waits for the
// host or for another stream, a stream that waits for a word in memory, an event that has not been recorded. Everything
// else runs at its call (operation.hpp), so mostly nothing is in flight.
//
//     wait<<<1, 1, 0, a>>>(flag)      is in flight: its blocks read the flag and change nothing
//     next<<<1, 1, 0, a>>>()          is in flight after it
//     other<<<1, 1, 0, b>>>()         runs at the call
//     *flag = 1                       a thread of our own sees it after a while, or
//     cudaStreamSynchronize(a)        this does, at once
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

// How streams are in order with each other.
enum class stream_kind : std::uint8_t { legacy_default, blocking, non_blocking };

struct in_flight {
  std::uint64_t number = 0;  // in the order of calls
  unsigned long long stream = 0;
  stream_kind kind = stream_kind::blocking;
  operation what;
  std::vector<std::uint64_t> after;     // others that must have ended first: of an event, or nodes of a graph
  std::vector<std::byte> bytes;         // of the host, that a copy had at the call
  std::unique_ptr<parked_work> parked;  // it has begun
  bool runs = false;                    // in some thread, just now
  bool in_graph = false;                // a node of a graph with branches, which may wait for another
  error* told = nullptr;                // where its result goes while its call continues
};

struct in_flight_list {
  std::list<in_flight> all;  // in the order of calls
  std::uint64_t next = 1;
  unsigned waiting_threads = 0;  // threads of the program that wait for some of these
  bool polled = false;           // a thread continues with them
};

// Runs it now, or in the order of the stream after pending work. The stream is not being captured.
error begin(state& s, stream& on, operation o);
// The stream waits for the event, if that is not recorded yet.
void begin_wait(state& s, stream& on, const event& e);
// Goes on with each that can. True: some has done something.
bool go_on(state& s);

// Whether another launch has begun and not ended, in addition to the running one.
bool is_any_parked(const state& s);
// Whether something is in flight that the program would wait for.
bool is_busy(const state& s, const stream& on);
bool is_busy(const state& s, const event& e);
// Returns when the work has ended. The lock is released while it waits.
error finish(state& s, const stream& on);
error finish(state& s, const event& e);
error finish_all(state& s);

// An event goes, before it is recorded.
void forget(state& s, const event& e);
// Ends operations that can end, and stops the rest.
void stop_all(state& s);

}  // namespace bankwise::cuda
