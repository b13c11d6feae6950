// Entry points: streams, events, functions of the host, capture. Everything runs at the call, so streams are in order with
// each other and waiting is over at once.
#include <algorithm>

#include "graph.hpp"
#include "operation.hpp"

using namespace bankwise::cuda;

namespace {

template <class Body>
error with_stream(stream* handle, Body body) {
  return guarded([&](state& s) {
    stream* on = find_stream(s, handle);
    return on == nullptr ? cudaErrorInvalidResourceHandle : body(s, *on);
  });
}

template <class Body>
error with_event(event* handle, Body body) {
  return guarded(
      [&](state& s) { return s.events.contains(handle) ? body(s, *handle) : cudaErrorInvalidResourceHandle; });
}

template <class T>
error put(T* where, T value) {
  if (where == nullptr) return cudaErrorInvalidValue;
  *where = value;
  return cudaSuccess;
}

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

enum capture_status : int { not_capturing, capturing };
constexpr int least_priority = 0, greatest_priority = -5;

error capture_info(stream* handle, int* status, unsigned long long* id, graph** g, node* const** last,
                   const void** edges, std::size_t* count) {
  return with_stream(handle, [&](state&, stream& on) {
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = on.capture != nullptr ? capturing : not_capturing;
    if (on.capture == nullptr) return cudaSuccess;
    if (id != nullptr) *id = on.capture->id;
    if (g != nullptr) *g = on.capture;
    if (last != nullptr) *last = on.last.data();
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = on.last.size();
    return cudaSuccess;
  });
}

error update_dependencies(stream* handle, node** nodes, std::size_t count, unsigned flags) {
  return with_stream(handle, [&](state&, stream& on) {
    if (on.capture == nullptr) return cudaErrorIllegalState;
    if (flags == 1) on.last.clear();  // set; else add
    for (std::size_t i = 0; i < count; ++i) on.last.push_back(nodes[i]);
    return cudaSuccess;
  });
}

}  // namespace

// --- streams

CUDA_API error cudaStreamCreateWithPriority(stream** handle, unsigned flags, int priority) {
  return guarded([&](state& s) {
    if (handle == nullptr || flags > 1) return cudaErrorInvalidValue;
    auto made = std::make_unique<stream>();
    made->flags = flags;
    made->priority = std::clamp(priority, greatest_priority, least_priority);
    made->id = s.next_id++;
    *handle = made.get();
    s.streams[*handle] = std::move(made);
    return cudaSuccess;
  });
}
CUDA_API error cudaStreamCreateWithFlags(stream** handle, unsigned flags) {
  return cudaStreamCreateWithPriority(handle, flags, 0);
}
CUDA_API error cudaStreamCreate(stream** handle) { return cudaStreamCreateWithPriority(handle, 0, 0); }
CUDA_API error cudaStreamDestroy(stream* handle) {
  return guarded([&](state& s) { return s.streams.erase(handle) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}
CUDA_API error cudaStreamSynchronize(stream* handle) {
  return with_stream(handle, [](state&, stream& on) {
    return on.capture != nullptr ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
  });
}
CUDA_API error cudaStreamQuery(stream* handle) { return cudaStreamSynchronize(handle); }
CUDA_API error cudaStreamGetFlags(stream* handle, unsigned* flags) {
  return with_stream(handle, [&](state&, stream& on) { return put(flags, on.flags); });
}
CUDA_API error cudaStreamGetPriority(stream* handle, int* priority) {
  return with_stream(handle, [&](state&, stream& on) { return put(priority, on.priority); });
}
CUDA_API error cudaStreamGetId(stream* handle, unsigned long long* id) {
  return with_stream(handle, [&](state&, stream& on) { return put(id, on.id); });
}
CUDA_API error cudaStreamGetDevice(stream* handle, int* device) {
  return with_stream(handle, [&](state&, stream&) { return put(device, 0); });
}
CUDA_API error cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = least_priority;
  if (greatest != nullptr) *greatest = greatest_priority;
  return cudaSuccess;
}
// Hints about caches and order.
CUDA_API error cudaStreamCopyAttributes(stream*, stream*) { return cudaSuccess; }
CUDA_API error cudaStreamSetAttribute(stream*, int, const void*) { return cudaSuccess; }

CUDA_API error cudaLaunchHostFunc(stream* on, host_function function, void* data) {
  if (function == nullptr) return last_error = cudaErrorInvalidValue;
  return enqueue(on, host_call{function, nullptr, on, data});
}
CUDA_API error cudaStreamAddCallback(stream* on, stream_callback function, void* data, unsigned) {
  if (function == nullptr) return last_error = cudaErrorInvalidValue;
  return enqueue(on, host_call{nullptr, function, on, data});
}

// --- events

CUDA_API error cudaEventCreateWithFlags(event** handle, unsigned flags) {
  return guarded([&](state& s) {
    if (handle == nullptr || flags > 7) return cudaErrorInvalidValue;
    auto made = std::make_unique<event>();
    made->timed = (flags & 2) == 0;
    *handle = made.get();
    s.events[*handle] = std::move(made);
    return cudaSuccess;
  });
}
CUDA_API error cudaEventCreate(event** handle) { return cudaEventCreateWithFlags(handle, 0); }
CUDA_API error cudaEventDestroy(event* handle) {
  return guarded([&](state& s) { return s.events.erase(handle) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}
CUDA_API error cudaEventRecordWithFlags(event* handle, stream* on_handle, unsigned flags) {
  return with_event(handle, [&](state& s, event& e) {
    stream* on = find_stream(s, on_handle);
    if (on == nullptr) return cudaErrorInvalidResourceHandle;
    if (on->capture == nullptr) {
      e.capture = nullptr;
      return perform(s, recording{&e});
    }
    if (flags == 1) {  // external: a node of the graph
      on->last = {add_node(s, *on->capture, recording{&e}, on->last)};
      return cudaSuccess;
    }
    e.capture = on->capture;
    e.last = on->last;
    return cudaSuccess;
  });
}
CUDA_API error cudaEventRecord(event* handle, stream* on) { return cudaEventRecordWithFlags(handle, on, 0); }
CUDA_API error cudaEventSynchronize(event* handle) {
  return with_event(handle,
                    [](state&, event& e) { return e.capture != nullptr ? cudaErrorCapturedEvent : cudaSuccess; });
}
CUDA_API error cudaEventQuery(event* handle) { return cudaEventSynchronize(handle); }
CUDA_API error cudaEventElapsedTime(float* milliseconds, event* from, event* to) {
  return with_event(from, [&](state& s, event& begin) {
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    if (!s.events.contains(to) || !begin.timed || !to->timed || !begin.recorded || !to->recorded)
      return cudaErrorInvalidResourceHandle;
    *milliseconds = static_cast<float>((to->nanoseconds - begin.nanoseconds) / 1e6);
    return cudaSuccess;
  });
}
#if BANKWISE_CUDART == 12
CUDA_API error cudaEventElapsedTime_v2(float* milliseconds, event* from, event* to) {
  return cudaEventElapsedTime(milliseconds, from, to);
}
#endif
CUDA_API error cudaStreamWaitEvent(stream* handle, event* what, unsigned flags) {
  return with_event(what, [&](state& s, event& e) {
    stream* on = find_stream(s, handle);
    if (on == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags == 1 && on->capture != nullptr) {
      on->last = {add_node(s, *on->capture, waiting{&e}, on->last)};
      return cudaSuccess;
    }
    if (e.capture == nullptr) return on->capture != nullptr ? cudaErrorStreamCaptureIsolation : cudaSuccess;
    if (on->capture != nullptr && on->capture != e.capture) return cudaErrorStreamCaptureMerge;
    on->capture = e.capture;
    for (node* n : e.last)
      if (std::find(on->last.begin(), on->last.end(), n) == on->last.end()) on->last.push_back(n);
    return cudaSuccess;
  });
}

// --- capture

CUDA_API error cudaStreamBeginCapture(stream* handle, int) {
  return with_stream(handle, [&](state& s, stream& on) {
    if (&on == &s.default_stream && handle != reinterpret_cast<stream*>(2)) return cudaErrorStreamCaptureUnsupported;
    if (on.capture != nullptr) return cudaErrorIllegalState;
    auto made = std::make_unique<graph>();
    made->id = s.next_id++;
    on.capture = made.get();
    on.owns_capture = true;
    s.graphs[on.capture] = std::move(made);
    return cudaSuccess;
  });
}
CUDA_API error cudaStreamBeginCaptureToGraph(stream* handle, graph* into, node* const* after, const void*,
                                             std::size_t count, int) {
  return with_stream(handle, [&](state& s, stream& on) {
    if (on.capture != nullptr) return cudaErrorIllegalState;
    if (!s.graphs.contains(into)) return cudaErrorInvalidValue;
    on.capture = into;
    on.owns_capture = true;
    on.last.assign(after, after + count);
    return cudaSuccess;
  });
}
CUDA_API error cudaStreamEndCapture(stream* handle, graph** made) {
  return with_stream(handle, [&](state& s, stream& on) {
    if (made == nullptr) return cudaErrorInvalidValue;
    *made = nullptr;
    if (on.capture == nullptr) return cudaErrorIllegalState;
    if (!on.owns_capture) return cudaErrorStreamCaptureUnmatched;
    *made = on.capture;
    end_capture(s, *made);
    return cudaSuccess;
  });
}
CUDA_API error cudaStreamIsCapturing(stream* handle, int* status) {
  return capture_info(handle, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}
CUDA_API error cudaThreadExchangeStreamCaptureMode(int* mode) {
  thread_local int current = 0;
  if (mode == nullptr) return last_error = cudaErrorInvalidValue;
  std::swap(*mode, current);
  return cudaSuccess;
}
#if BANKWISE_CUDART == 12
CUDA_API error cudaStreamGetCaptureInfo(stream* handle, int* status, unsigned long long* id) {
  return capture_info(handle, status, id, nullptr, nullptr, nullptr, nullptr);
}
CUDA_API error cudaStreamGetCaptureInfo_v2(stream* handle, int* status, unsigned long long* id, graph** g,
                                           node* const** last, std::size_t* count) {
  return capture_info(handle, status, id, g, last, nullptr, count);
}
CUDA_API error cudaStreamGetCaptureInfo_v3(stream* handle, int* status, unsigned long long* id, graph** g,
                                           node* const** last, const void** edges, std::size_t* count) {
  return capture_info(handle, status, id, g, last, edges, count);
}
CUDA_API error cudaStreamUpdateCaptureDependencies(stream* handle, node** nodes, std::size_t count, unsigned flags) {
  return update_dependencies(handle, nodes, count, flags);
}
CUDA_API error cudaStreamUpdateCaptureDependencies_v2(stream* handle, node** nodes, const void*, std::size_t count,
                                                      unsigned flags) {
  return update_dependencies(handle, nodes, count, flags);
}
#else
CUDA_API error cudaStreamGetCaptureInfo(stream* handle, int* status, unsigned long long* id, graph** g,
                                        node* const** last, const void** edges, std::size_t* count) {
  return capture_info(handle, status, id, g, last, edges, count);
}
CUDA_API error cudaStreamUpdateCaptureDependencies(stream* handle, node** nodes, const void*, std::size_t count,
                                                   unsigned flags) {
  return update_dependencies(handle, nodes, count, flags);
}
#endif
