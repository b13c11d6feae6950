#include "runtime/stream/shared_event.hpp"

#include <unistd.h>

#include <cstring>

#include "runtime/stream/stream.hpp"

namespace bankwise::cuda {

namespace {

struct event_handle {
  char mark[8] = {'b', 'a', 'n', 'k', 'e', 'v', 'n', 't'};
  std::int32_t process = 0;
};

}  // namespace

error export_event(state& s, shared_handle* handle, event* e) {
  if (!s.events.contains(e) || !e->interprocess) return cudaErrorInvalidResourceHandle;
  if (handle == nullptr) return cudaErrorInvalidValue;
  const event_handle made{.process = static_cast<std::int32_t>(::getpid())};
  *handle = {};
  std::memcpy(handle->bytes, &made, sizeof made);
  return cudaSuccess;
}

// Makes an event from a handle of another process. The other process only recorded the event after its work had ended.
// So this process does not wait for the event.
error import_event(state& s, event** e, const shared_handle& handle) {
  event_handle given;
  std::memcpy(&given, handle.bytes, sizeof given);
  if (e == nullptr || std::memcmp(given.mark, event_handle().mark, sizeof given.mark) != 0)
    return cudaErrorInvalidValue;
  if (given.process == ::getpid()) return cudaErrorDeviceUninitialized;
  return create_event(s, e, interprocess_event | untimed_event);
}

}  // namespace bankwise::cuda
