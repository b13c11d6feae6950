// Entry points of the driver: streams, events, capture.
#include <utility>

#include "runtime/driver/call.hpp"
#include "runtime/stream/stream.hpp"

using namespace bankwise::cuda;

namespace {

template <class Body>
driver_status with_stream(stream* handle, Body body, const char* entry = __builtin_FUNCTION()) {
  return stream_call(
      handle, [&](state& s) { return on_stream(s, handle, body); }, entry);
}

// An event has a context of its own, as a stream has.
template <class Body>
driver_status with_event(event* handle, Body body, const char* entry = __builtin_FUNCTION()) {
  return driver_call([&](state& s) { return on_event(s, handle, body); }, entry);
}
template <class Body>
driver_status with_both(stream* on, event* handle, Body body, const char* entry = __builtin_FUNCTION()) {
  return stream_call(
      on, [&](state& s) { return on_event(s, handle, body); }, entry);
}

driver_status destroy_stream(stream* handle) {
  return driver_call(
      [&](state& s) { return s.streams.erase(handle) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}
driver_status destroy_event(event* handle) {
  return driver_call([&](state& s) { return destroy_event(s, handle); });
}
driver_status tell_time(float* milliseconds, event* from, event* to) {
  return driver_call([&](state& s) { return elapsed_time(s, milliseconds, from, to); });
}
driver_status capture_info(stream* handle, int* status, unsigned long long* id, graph** g, node* const** last,
                           const void** edges, std::size_t* count) {
  return with_stream(handle, [&](state&, stream& on) { return tell_capture(on, status, id, g, last, edges, count); });
}

}  // namespace

// --- streams

CUDA_API driver_status cuStreamCreateWithPriority(stream** handle, unsigned flags, int priority) {
  return context_call([&](state& s) { return create_stream(s, handle, flags, priority); });
}
CUDA_API driver_status cuStreamCreate(stream** handle, unsigned flags) {
  return cuStreamCreateWithPriority(handle, flags, 0);
}
CUDA_API driver_status cuStreamDestroy(stream* handle) { return destroy_stream(handle); }
CUDA_API driver_status cuStreamDestroy_v2(stream* handle) { return destroy_stream(handle); }
CUDA_API driver_status cuStreamSynchronize(stream* handle) {
  return with_stream(handle, [](state& s, stream& on) { return wait_for(s, on); });
}
CUDA_API driver_status cuStreamQuery(stream* handle) {
  return with_stream(handle, [](state& s, stream& on) { return query(s, on); });
}
CUDA_API driver_status cuStreamGetFlags(stream* handle, unsigned* flags) {
  return with_stream(handle, [&](state&, stream& on) { return put(flags, on.flags); });
}
CUDA_API driver_status cuStreamGetPriority(stream* handle, int* priority) {
  return with_stream(handle, [&](state&, stream& on) { return put(priority, on.priority); });
}
CUDA_API driver_status cuStreamGetId(stream* handle, unsigned long long* id) {
  return with_stream(handle, [&](state&, stream& on) { return put(id, on.id); });
}
CUDA_API driver_status cuStreamGetDevice(stream* handle, int* device) {
  return with_stream(handle, [&](state&, stream&) { return put(device, 0); });
}
CUDA_API driver_status cuStreamGetCtx(stream* handle, context** c) {
  return with_stream(handle, [&](state&, stream& on) { return put(c, context_of(on)); });
}
CUDA_API driver_status cuStreamCopyAttributes(stream* to, stream* from) {
  return with_stream(to, [&](state& s, stream& one) {
    return on_stream(s, from, [&](state&, stream& other) { return copy_attributes(one, other); });
  });
}
CUDA_API driver_status cuStreamSetAttribute(stream* handle, int which, const attribute_value* value) {
  return with_stream(handle, [&](state&, stream& on) { return set_attribute(on, which, value); });
}
CUDA_API driver_status cuStreamGetAttribute(stream* handle, int which, attribute_value* value) {
  return with_stream(handle, [&](state&, stream& on) { return tell_attribute(on, which, value); });
}
CUDA_API driver_status cuStreamAttachMemAsync(stream*, device_pointer, std::size_t, unsigned) { return CUDA_SUCCESS; }
CUDA_API driver_status cuStreamAddCallback(stream* on, stream_callback called, void* data, unsigned) {
  return stream_call(on, [&](state& s) {
    return called != nullptr ? enqueue(s, on, host_call{nullptr, called, on, data}) : cudaErrorInvalidValue;
  });
}

// --- events

CUDA_API driver_status cuEventCreate(event** handle, unsigned flags) {
  return context_call([&](state& s) { return create_event(s, handle, flags); });
}
CUDA_API driver_status cuEventDestroy(event* handle) { return destroy_event(handle); }
CUDA_API driver_status cuEventDestroy_v2(event* handle) { return destroy_event(handle); }
CUDA_API driver_status cuEventRecordWithFlags(event* handle, stream* on, unsigned flags) {
  return with_both(on, handle, [&](state& s, event& e) { return record(s, e, on, flags == 1); });
}
CUDA_API driver_status cuEventRecord(event* handle, stream* on) { return cuEventRecordWithFlags(handle, on, 0); }
CUDA_API driver_status cuEventSynchronize(event* handle) {
  return with_event(handle, [](state& s, event& e) { return wait_for(s, e); });
}
CUDA_API driver_status cuEventQuery(event* handle) {
  return with_event(handle, [](state& s, event& e) { return query(s, e); });
}
CUDA_API driver_status cuEventElapsedTime(float* milliseconds, event* from, event* to) {
  return tell_time(milliseconds, from, to);
}
CUDA_API driver_status cuEventElapsedTime_v2(float* milliseconds, event* from, event* to) {
  return tell_time(milliseconds, from, to);
}
CUDA_API driver_status cuStreamWaitEvent(stream* on, event* what, unsigned flags) {
  return with_both(on, what, [&](state& s, event& e) { return wait_in(s, on, e, flags == 1); });
}

// --- capture

CUDA_API driver_status cuStreamBeginCapture(stream* handle) {
  return stream_call(handle, [&](state& s) { return begin_capture(s, handle); });
}
CUDA_API driver_status cuStreamBeginCapture_v2(stream* handle, int) { return cuStreamBeginCapture(handle); }
CUDA_API driver_status cuStreamBeginCaptureToGraph(stream* handle, graph* into, node* const* after, const void*,
                                                   std::size_t count, int) {
  return with_stream(handle, [&](state& s, stream& on) { return begin_capture(s, on, into, after, count); });
}
CUDA_API driver_status cuStreamEndCapture(stream* handle, graph** made) {
  return with_stream(handle, [&](state& s, stream& on) { return end_capture(s, on, made); });
}
CUDA_API driver_status cuStreamIsCapturing(stream* handle, int* status) {
  return capture_info(handle, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}
CUDA_API driver_status cuStreamGetCaptureInfo(stream* handle, int* status, unsigned long long* id) {
  return capture_info(handle, status, id, nullptr, nullptr, nullptr, nullptr);
}
CUDA_API driver_status cuStreamGetCaptureInfo_v2(stream* handle, int* status, unsigned long long* id, graph** g,
                                                 node* const** last, std::size_t* count) {
  return capture_info(handle, status, id, g, last, nullptr, count);
}
CUDA_API driver_status cuStreamGetCaptureInfo_v3(stream* handle, int* status, unsigned long long* id, graph** g,
                                                 node* const** last, const void** edges, std::size_t* count) {
  return capture_info(handle, status, id, g, last, edges, count);
}
CUDA_API driver_status cuStreamUpdateCaptureDependencies(stream* handle, node** nodes, std::size_t count,
                                                         unsigned flags) {
  return with_stream(handle, [&](state&, stream& on) { return change_dependencies(on, nodes, count, flags == 1); });
}
CUDA_API driver_status cuStreamUpdateCaptureDependencies_v2(stream* handle, node** nodes, const void*,
                                                            std::size_t count, unsigned flags) {
  return cuStreamUpdateCaptureDependencies(handle, nodes, count, flags);
}
CUDA_API driver_status cuThreadExchangeStreamCaptureMode(int* mode) {
  thread_local int current = 0;
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, current);
  return CUDA_SUCCESS;
}
