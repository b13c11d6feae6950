#include "runtime/stream/stream.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/launch/operation_races.hpp"
#include "runtime/stream/in_flight.hpp"

namespace bankwise::cuda {

namespace {

void end_capture(state& s, const graph* g) {
  const auto leave = [&](stream& on) {
    if (on.capture != g) return;
    on.capture = nullptr;
    on.owns_capture = false;
    on.last.clear();
  };
  leave(s.default_stream);
  for (const auto& [handle, on] : s.streams) leave(*on);
  for (const auto& [handle, e] : s.events)
    if (e->capture == g) {
      e->capture = nullptr;
      e->last.clear();
    }
}

enum capture_status : int { not_capturing, capturing, invalidated };

}  // namespace

error create_stream(state& s, stream** handle, unsigned flags, int priority) {
  if (handle == nullptr || flags > 1) return cudaErrorInvalidValue;
  auto made = std::make_unique<stream>();
  made->flags = flags;
  made->priority = std::clamp(priority, greatest_priority, least_priority);
  made->id = s.next_id++;
  made->owner = current_context();
  *handle = made.get();
  s.streams[*handle] = std::move(made);
  return cudaSuccess;
}

error destroy_stream(state& s, stream* handle) {
  const auto at = s.streams.find(handle);
  if (at == s.streams.end()) return cudaErrorInvalidResourceHandle;
  the_operation_races().forget_stream(at->second->id);
  s.streams.erase(at);
  return cudaSuccess;
}

namespace {

constexpr int access_window = 1, synchronization = 3, priority_of_stream = 8, domain_map = 9, domain = 10;

bool has_attribute(int which) {
  return which == access_window || which == synchronization || (which >= priority_of_stream && which <= domain);
}

}  // namespace

error tell_attribute(const stream& on, int which, attribute_value* value) {
  if (value == nullptr || !has_attribute(which)) return cudaErrorInvalidValue;
  *value = {};
  if (which == synchronization) value->bytes[0] = 1;  // value that NVIDIA's driver returns by default
  if (which == domain_map) value->bytes[1] = 1;       // domains 0 and 1
  if (which == priority_of_stream) std::memcpy(value->bytes, &on.priority, sizeof on.priority);
  if (const auto set = on.attributes.find(which); set != on.attributes.end()) *value = set->second;
  return cudaSuccess;
}

error set_attribute(stream& on, int which, const attribute_value* value) {
  int number = 0;
  if (value == nullptr || !has_attribute(which)) return cudaErrorInvalidValue;
  std::memcpy(&number, value->bytes, sizeof number);
  if (which == synchronization && (number < 1 || number > 4)) return cudaErrorInvalidValue;
  if (which == priority_of_stream) on.priority = std::clamp(number, greatest_priority, least_priority);
  on.attributes[which] = *value;
  return cudaSuccess;
}

error copy_attributes(stream& to, const stream& from) {
  to.attributes = from.attributes;
  to.priority = from.priority;
  return cudaSuccess;
}

error wait_for(state& s, stream& on) {
  if (on.capture != nullptr) {
    on.capture->invalid = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  return finish(s, on);
}

error query(state& s, stream& on) {
  if (on.capture != nullptr) return wait_for(s, on);
  if (!s.flying.all.empty()) go_on(s);
  if (is_busy(s, on)) return cudaErrorNotReady;
  the_operation_races().await(s, on.id, kind_of(s, on));
  return s.sticky;
}

error wait_for_all(state& s) {
  const auto captures = [](const auto& on) { return on.second->capture != nullptr; };
  const bool captured =
      s.default_stream.capture != nullptr || std::any_of(s.streams.begin(), s.streams.end(), captures);
  if (!captured) return finish_all(s);
  if (s.default_stream.capture != nullptr) s.default_stream.capture->invalid = true;
  for (const auto& [handle, on] : s.streams)
    if (on->capture != nullptr) on->capture->invalid = true;
  return cudaErrorStreamCaptureUnsupported;
}

error create_event(state& s, event** handle, unsigned flags) {
  if (handle == nullptr || flags > 7) return cudaErrorInvalidValue;
  auto made = std::make_unique<event>();
  made->timed = (flags & untimed_event) == 0;
  made->interprocess = (flags & interprocess_event) != 0;
  if (made->interprocess && made->timed) return cudaErrorInvalidValue;
  *handle = made.get();
  s.events[*handle] = std::move(made);
  return cudaSuccess;
}

error record(state& s, event& e, stream* handle, bool external) {
  stream* on = find_stream(s, handle);
  if (on == nullptr) return cudaErrorInvalidResourceHandle;
  if (on->capture == nullptr) {
    e.capture = nullptr;
    return begin(s, *on, recording{&e});
  }
  if (external) {
    on->last = {add_node(s, *on->capture, recording{&e}, on->last)};
    return cudaSuccess;
  }
  e.capture = on->capture;
  e.last = on->last;
  return cudaSuccess;
}

error wait_for(state& s, event& e) {
  if (e.capture == nullptr) return finish(s, e);
  e.capture->invalid = true;
  return cudaErrorCapturedEvent;
}

error query(state& s, event& e) {
  if (e.capture != nullptr) return wait_for(s, e);
  if (!s.flying.all.empty()) go_on(s);
  if (is_busy(s, e)) return cudaErrorNotReady;
  the_operation_races().await(s, e);
  return s.sticky;
}

error destroy_event(state& s, event* handle) {
  if (!s.events.contains(handle)) return cudaErrorInvalidResourceHandle;
  forget(s, *handle);
  s.events.erase(handle);
  return cudaSuccess;
}

error wait_in(state& s, stream* handle, event& e, bool external) {
  stream* on = find_stream(s, handle);
  if (on == nullptr) return cudaErrorInvalidResourceHandle;
  if (external && on->capture != nullptr) {
    on->last = {add_node(s, *on->capture, waiting{&e}, on->last)};
    return cudaSuccess;
  }
  if (e.capture == nullptr && on->capture != nullptr) return cudaErrorStreamCaptureIsolation;
  if (e.capture == nullptr) {
    begin_wait(s, *on, e);
    return cudaSuccess;
  }
  if (on->capture != nullptr && on->capture != e.capture) return cudaErrorStreamCaptureMerge;
  on->capture = e.capture;
  for (node* n : e.last)
    if (std::find(on->last.begin(), on->last.end(), n) == on->last.end()) on->last.push_back(n);
  return cudaSuccess;
}

error elapsed_time(state& s, float* milliseconds, event* from, event* to) {
  if (!s.events.contains(from)) return cudaErrorInvalidResourceHandle;
  if (milliseconds == nullptr) return cudaErrorInvalidValue;
  if (s.events.contains(to) && (is_busy(s, *from) || is_busy(s, *to))) return cudaErrorNotReady;
  if (!s.events.contains(to) || !from->timed || !to->timed || !from->recorded || !to->recorded)
    return cudaErrorInvalidResourceHandle;
  the_operation_races().await(s, *to);
  *milliseconds = static_cast<float>((to->at.as_is - from->at.as_is) / 1e6);
  return cudaSuccess;
}

error begin_capture(state& s, stream* handle) {
  stream* on = find_stream(s, handle);
  if (on == nullptr) return cudaErrorInvalidResourceHandle;
  if (on == &s.default_stream) return cudaErrorStreamCaptureUnsupported;
  if (on->capture != nullptr) return cudaErrorIllegalState;
  auto made = std::make_unique<graph>();
  made->id = s.next_id++;
  on->capture = made.get();
  on->owns_capture = true;
  s.graphs[on->capture] = std::move(made);
  return cudaSuccess;
}

error begin_capture(state&, stream& on, graph* into, node* const* after, std::size_t count) {
  if (on.capture != nullptr) return cudaErrorIllegalState;
  if (find_graph(into) == nullptr) return cudaErrorInvalidValue;
  on.capture = into;
  on.owns_capture = true;
  on.last.assign(after, after + count);
  return cudaSuccess;
}

error end_capture(state& s, stream& on, graph** made) {
  if (made != nullptr) *made = nullptr;
  if (on.capture == nullptr) return cudaErrorIllegalState;
  if (!on.owns_capture) return cudaErrorStreamCaptureUnmatched;
  graph* const g = on.capture;
  end_capture(s, g);
  if (g->invalid) {
    if (made != nullptr) *made = nullptr;
    g->invalid = false;
    return cudaErrorStreamCaptureInvalidated;
  }
  if (made != nullptr) *made = g;
  return cudaSuccess;
}

error tell_capture(stream& on, int* status, unsigned long long* id, graph** g, node* const** last, const void** edges,
                   std::size_t* count) {
  if (status == nullptr) return cudaErrorInvalidValue;
  *status = on.capture == nullptr ? not_capturing : on.capture->invalid ? invalidated : capturing;
  if (*status != capturing) return cudaSuccess;
  if (id != nullptr) *id = on.capture->id;
  if (g != nullptr) *g = on.capture;
  if (last != nullptr) *last = on.last.data();
  if (edges != nullptr) *edges = nullptr;
  if (count != nullptr) *count = on.last.size();
  return cudaSuccess;
}

error change_dependencies(stream& on, node** nodes, std::size_t count, bool in_place) {
  if (on.capture == nullptr) return cudaErrorIllegalState;
  if (in_place) on.last.clear();
  for (std::size_t i = 0; i < count; ++i) on.last.push_back(nodes[i]);
  return cudaSuccess;
}

}  // namespace bankwise::cuda
