// The driver's functions for streams, events and capture.
#include <utility>

#include "runtime/driver/entries/entries.hpp"
#include "runtime/driver/handles.hpp"

using namespace bankwise::cuda;

namespace {

// Like a stream, an event belongs to the context in which it was made. So there need not be a current context.
template <class Body>
driver_status with_event(const char* entry, event* handle, Body body) {
  return driver_call(entry, [&](state& s) { return on_event(s, handle, body); });
}
template <class Body>
driver_status with_event_in_order(const char* entry, event* handle, const stream* on, Body body) {
  return stream_call(entry, on, [&](state& s) { return on_event(s, handle, body); });
}

driver_status exchange_capture_mode(int* mode) {
  thread_local int current = 0;
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, current);
  return CUDA_SUCCESS;
}

}  // namespace

#define ENTRIES "runtime/driver/entries/stream_api.def"
#include "runtime/driver/entries/entry_functions.def"
