// The runtime's functions for streams, events, host functions and capture. Almost every operation ends before its call
// returns. So no stream overtakes another stream, and a wait ends at once. The list in in_flight.hpp contains the
// operations that have not ended.
#include <utility>

#include "runtime/cudart/define_entries.hpp"
#include "runtime/stream/operation.hpp"
#include "runtime/stream/stream.hpp"

using namespace bankwise::cuda;

namespace {

error copy_attributes(state& s, stream& to, stream* from) {
  return on_stream(s, from, [&](state&, stream& other) { return bankwise::cuda::copy_attributes(to, other); });
}
error tell_captured(stream& on, int* status, unsigned long long* id = nullptr, graph** g = nullptr,
                    node* const** last = nullptr, const edge_data** edges = nullptr, std::size_t* count = nullptr) {
  return tell_capture(on, status, id, g, last, reinterpret_cast<const void**>(edges), count);
}
error exchange_capture_mode(int* mode) {
  thread_local int current = 0;
  if (mode == nullptr) return last_error = cudaErrorInvalidValue;
  std::swap(*mode, current);
  return cudaSuccess;
}

}  // namespace

// Evaluates the expression `status`, in which `on` is the stream of the parameter `handle`, or `e` is its event.
#define OF_STREAM(status) on_stream(s, handle, [&](state&, [[maybe_unused]] stream& on) -> error { return status; })
#define OF_EVENT(status) on_event(s, handle, [&](state&, event& e) -> error { return status; })

#include "runtime/cudart/entries/streams.def"
