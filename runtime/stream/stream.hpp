// Streams and events. Almost every operation ends before its call returns. So no stream overtakes another stream, and a
// wait ends at once. A captured stream records its operations as nodes of a graph.
#pragma once

#include "runtime/device/context.hpp"
#include "runtime/device/state.hpp"
#include "runtime/stream/graph.hpp"
#include "runtime/stream/thread_stream.hpp"

namespace bankwise::cuda {

inline constexpr int least_priority = 0, greatest_priority = -5;

// Calls body(s, stream) or body(s, event) if the handle is valid, otherwise returns an error.
template <class Body>
error on_stream(state& s, stream* handle, Body body) {
  stream* on = find_stream(s, handle);
  return on == nullptr ? cudaErrorInvalidResourceHandle : body(s, *on);
}
template <class Body>
error on_event(state& s, event* handle, Body body) {
  return s.events.contains(handle) ? body(s, *handle) : cudaErrorInvalidResourceHandle;
}

// Returns the context in which the stream was made. For a default stream, returns the current context.
inline context* context_of(const stream& on) { return on.owner != nullptr ? on.owner : current_context(); }
error create_stream(state& s, stream** handle, unsigned flags, int priority);
error destroy_stream(state& s, stream* handle);
// Waits until all operations of a stream have ended. If the stream is captured, returns an error and makes the capture
// invalid.
error wait_for(state& s, stream& on);
// Returns success if all operations of the stream have ended, else cudaErrorNotReady.
error query(state& s, stream& on);
error wait_for_all(state& s);
// Attributes of a stream, such as the access policy, the synchronization and the priority. These attributes are stored,
// but have no effect.
error tell_attribute(const stream& on, int which, attribute_value* value);
error set_attribute(stream& on, int which, const attribute_value* value);
error copy_attributes(stream& to, const stream& from);

inline constexpr unsigned untimed_event = 2, interprocess_event = 4;
error create_event(state& s, event** handle, unsigned flags);
// Records an event. If `external` is set and the stream is captured, adds a node to the graph that records the event.
error record(state& s, event& e, stream* handle, bool external);
error wait_for(state& s, event& e);
error query(state& s, event& e);
error destroy_event(state& s, event* handle);
error wait_in(state& s, stream* handle, event& e, bool external);
error elapsed_time(state& s, float* milliseconds, event* from, event* to);

error begin_capture(state& s, stream* handle);
error begin_capture(state& s, stream& on, graph* into, node* const* after, std::size_t count);
error end_capture(state& s, stream& on, graph** made);
error tell_capture(stream& on, int* status, unsigned long long* id, graph** g, node* const** last, const void** edges,
                   std::size_t* count);
// Makes the next operation of a captured stream depend on these nodes. If `in_place` is set, these nodes replace the
// earlier dependencies. Otherwise, the earlier dependencies stay.
error change_dependencies(stream& on, node** nodes, std::size_t count, bool in_place);

}  // namespace bankwise::cuda
