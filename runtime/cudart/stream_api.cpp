// Entry points: streams, events, functions of the host, capture. Almost everything runs at the call, so that streams are in order
// with each other and waiting is over at once; the rest is in flight (in_flight.hpp).
#include <utility>

#include "runtime/cudart/runtime_call.hpp"
#include "runtime/stream/stream.hpp"

using namespace bankwise::cuda;

namespace {

template <class Body>
error with_stream(stream* handle, Body body) {
  return guarded([&](state& s) { return on_stream(s, handle, body); });
}

template <class Body>
error with_event(event* handle, Body body) {
  return guarded([&](state& s) { return on_event(s, handle, body); });
}

template <class T>
error put(T* where, T value) {
  if (where == nullptr) return cudaErrorInvalidValue;
  *where = value;
  return cudaSuccess;
}

error capture_info(stream* handle, int* status, unsigned long long* id, graph** g, node* const** last,
                   const void** edges, std::size_t* count) {
  return with_stream(handle, [&](state&, stream& on) { return tell_capture(on, status, id, g, last, edges, count); });
}

error update_dependencies(stream* handle, node** nodes, std::size_t count, unsigned flags) {
  return with_stream(handle, [&](state&, stream& on) { return change_dependencies(on, nodes, count, flags == 1); });
}

}  // namespace

// --- streams

CUDA_API error cudaStreamCreateWithPriority(stream** handle, unsigned flags, int priority) {
  return guarded([&](state& s) { return create_stream(s, handle, flags, priority); });
}
CUDA_API error cudaStreamCreateWithFlags(stream** handle, unsigned flags) {
  return cudaStreamCreateWithPriority(handle, flags, 0);
}
CUDA_API error cudaStreamCreate(stream** handle) { return cudaStreamCreateWithPriority(handle, 0, 0); }
CUDA_API error cudaStreamDestroy(stream* handle) {
  return guarded([&](state& s) { return s.streams.erase(handle) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}
CUDA_API error cudaStreamSynchronize(stream* handle) {
  return with_stream(handle, [](state& s, stream& on) { return wait_for(s, on); });
}
CUDA_API error cudaStreamQuery(stream* handle) {
  return with_stream(handle, [](state& s, stream& on) { return query(s, on); });
}
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
  return guarded([&](state&) {
    if (least != nullptr) *least = least_priority;
    if (greatest != nullptr) *greatest = greatest_priority;
    return cudaSuccess;
  });
}
CUDA_API error cudaStreamCopyAttributes(stream* to, stream* from) {
  return with_stream(to, [&](state& s, stream& one) {
    return on_stream(s, from, [&](state&, stream& other) { return copy_attributes(one, other); });
  });
}
CUDA_API error cudaStreamSetAttribute(stream* handle, int which, const attribute_value* value) {
  return with_stream(handle, [&](state&, stream& on) { return set_attribute(on, which, value); });
}
CUDA_API error cudaStreamGetAttribute(stream* handle, int which, attribute_value* value) {
  return with_stream(handle, [&](state&, stream& on) { return tell_attribute(on, which, value); });
}

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
  return guarded([&](state& s) { return create_event(s, handle, flags); });
}
CUDA_API error cudaEventCreate(event** handle) { return cudaEventCreateWithFlags(handle, 0); }
CUDA_API error cudaEventDestroy(event* handle) {
  return guarded([&](state& s) { return destroy_event(s, handle); });
}
CUDA_API error cudaEventRecordWithFlags(event* handle, stream* on, unsigned flags) {
  return with_event(handle, [&](state& s, event& e) { return record(s, e, on, flags == 1); });
}
CUDA_API error cudaEventRecord(event* handle, stream* on) { return cudaEventRecordWithFlags(handle, on, 0); }
CUDA_API error cudaEventSynchronize(event* handle) {
  return with_event(handle, [](state& s, event& e) { return wait_for(s, e); });
}
CUDA_API error cudaEventQuery(event* handle) {
  return with_event(handle, [](state& s, event& e) { return query(s, e); });
}
CUDA_API error cudaEventElapsedTime(float* milliseconds, event* from, event* to) {
  return guarded([&](state& s) { return elapsed_time(s, milliseconds, from, to); });
}
#if BANKWISE_CUDART == 12
CUDA_API error cudaEventElapsedTime_v2(float* milliseconds, event* from, event* to) {
  return cudaEventElapsedTime(milliseconds, from, to);
}
#endif
CUDA_API error cudaStreamWaitEvent(stream* handle, event* what, unsigned flags) {
  return with_event(what, [&](state& s, event& e) { return wait_in(s, handle, e, flags == 1); });
}

// --- capture

CUDA_API error cudaStreamBeginCapture(stream* handle, int) {
  return guarded([&](state& s) { return begin_capture(s, handle); });
}
CUDA_API error cudaStreamBeginCaptureToGraph(stream* handle, graph* into, node* const* after, const void*,
                                             std::size_t count, int) {
  return with_stream(handle, [&](state& s, stream& on) { return begin_capture(s, on, into, after, count); });
}
CUDA_API error cudaStreamEndCapture(stream* handle, graph** made) {
  return with_stream(handle, [&](state& s, stream& on) { return end_capture(s, on, made); });
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
