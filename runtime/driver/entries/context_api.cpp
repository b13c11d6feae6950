// The driver's functions for contexts, the primary context, and green contexts (parts of the multiprocessors). The
// blocks of a green context run on all multiprocessors, because the results of a kernel do not depend on its
// multiprocessors.
#include <algorithm>
#include <memory>

#include "runtime/device/device.hpp"
#include "runtime/driver/entries/entries.hpp"
#include "runtime/driver/handles.hpp"
#include "runtime/process/process.hpp"

using namespace bankwise::cuda;

namespace {

constexpr unsigned api_version = 3020;  // API version of all contexts since CUDA 3.2
constexpr int banks_of_four_bytes = 1;

template <class T>
error set(T& where, T value) {
  where = value;
  return cudaSuccess;
}

// Returns `c`, or the current context if `c` is null. Returns null if there is no such context.
context* context_or_current(state& s, context* c) {
  if (c == nullptr) return current_context();
  return is_context(s, c) ? c : nullptr;
}
template <class Body>
driver_status with_context(const char* entry, context* handle, Body body) {
  return driver_call(entry, [&](state& s) {
    context* c = context_or_current(s, handle);
    return c != nullptr ? body(s, *c) : cudaErrorDeviceUninitialized;
  });
}

error create_context(state& s, context** made, unsigned flags) {
  if (made == nullptr) return cudaErrorInvalidValue;
  *made = make_context(s, flags);
  push_context(*made);
  return cudaSuccess;
}
error destroy(state& s, context* c) {
  if (c == nullptr) return cudaErrorInvalidValue;
  return destroy_context(s, c) ? cudaSuccess : cudaErrorDeviceUninitialized;
}
error push(const state& s, context* c) {
  if (!is_context(s, c)) return cudaErrorDeviceUninitialized;
  push_context(c);
  return cudaSuccess;
}
error pop(context** c) {
  context* popped = pop_context();
  if (c != nullptr) *c = popped;
  return cudaSuccess;
}
error make_current(const state& s, context* c) {
  if (c != nullptr && !is_context(s, c)) return cudaErrorDeviceUninitialized;
  set_context(c);
  return cudaSuccess;
}
error tell_priorities(int* least, int* greatest) {
  if (least != nullptr) *least = least_priority;
  if (greatest != nullptr) *greatest = greatest_priority;
  return cudaSuccess;
}

error retain_primary(state& s, context** c) {
  ++s.primary.retained;
  return put(c, &s.primary);
}
error release_primary(state& s) {
  if (s.primary.retained == 0) return cudaErrorDeviceUninitialized;
  --s.primary.retained;
  return cudaSuccess;
}
error reset_primary(state& s) {
  reset(s);
  s.primary.retained = 0;
  return cudaSuccess;
}
error tell_primary(const state& s, unsigned* flags, int* active) {
  if (flags != nullptr) *flags = s.primary.flags;
  return put(active, s.primary.retained != 0 || s.primary.in_use ? 1 : 0);
}

// Records an event for the work of a context. The event is recorded in the default stream, so it does not wait for
// operations in flight in non-blocking streams.
error record_all(state& s, event* e) {
  return on_event(s, e, [](state& in, event& what) { return record(in, what, nullptr, false); });
}
error wait_in_all(state& s, event* e) {
  return on_event(s, e, [](state& in, event& what) { return wait_for(in, what); });
}

// --- green contexts: parts of the multiprocessors

constexpr int multiprocessors_resource = 1;
// Multiprocessors in one unit of a green context on Hopper: 8, or 2 if the program passes the flag
// `ignores_scheduling`.
constexpr unsigned scheduled_together = 8, alone = 2;

device_resource multiprocessors(unsigned count) { return {multiprocessors_resource, {}, {count}, {}}; }
device_resource whole() { return multiprocessors(the_device().gpu.multiprocessors); }
device_resource part_of(const green_context& g) { return multiprocessors(g.multiprocessors); }
error tell_resource(device_resource* to, int type, const device_resource& what) {
  return type == multiprocessors_resource ? put(to, what) : cudaErrorInvalidValue;
}

template <class Body>
driver_status with_green(const char* entry, const green_context* handle, Body body) {
  return driver_call(entry, [&](state& s) {
    const auto found = std::find_if(s.green.begin(), s.green.end(), [&](const auto& g) { return g.get() == handle; });
    return found != s.green.end() ? body(s, **found) : cudaErrorDeviceUninitialized;
  });
}

error split(device_resource* parts, unsigned* count, const device_resource* of, device_resource* rest, unsigned flags,
            unsigned least) {
  constexpr unsigned ignores_scheduling = 1, most_flags = 3;
  if (count == nullptr || of == nullptr || of->type != multiprocessors_resource || flags > most_flags)
    return cudaErrorInvalidValue;
  const unsigned all = of->sm.count, unit = (flags & ignores_scheduling) != 0 ? alone : scheduled_together;
  if (least > all || all == 0) return cudaErrorInvalidResourceConfiguration;
  const unsigned size = std::min(all, (std::max(least, 1u) + unit - 1) / unit * unit);
  const unsigned most = all / size;
  *count = parts != nullptr ? std::min(*count, most) : most;
  if (parts == nullptr) return cudaSuccess;
  for (unsigned i = 0; i < *count; ++i) {
    parts[i] = *of;
    parts[i].sm.count = size;
  }
  if (rest != nullptr) {
    *rest = *of;
    rest->sm.count = all - *count * size;
  }
  return cudaSuccess;
}
// Makes a resource descriptor: the number of multiprocessors, as the value of a pointer.
error describe(void** description, const device_resource* parts, unsigned count) {
  if (parts == nullptr || count == 0) return cudaErrorInvalidValue;
  std::uintptr_t all = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (parts[i].type != multiprocessors_resource) return cudaErrorInvalidResourceType;
    all += parts[i].sm.count;
  }
  return put(description, reinterpret_cast<void*>(all));
}

error create_green(state& s, green_context** made, const void* description, unsigned flags) {
  const auto count = reinterpret_cast<std::uintptr_t>(description);
  constexpr unsigned default_stream = 1;
  if (made == nullptr || flags != default_stream || count == 0 || count > the_device().gpu.multiprocessors)
    return cudaErrorInvalidValue;
  auto g = std::make_unique<green_context>();
  g->id = s.next_id++;
  g->multiprocessors = static_cast<unsigned>(count);
  *made = g.get();
  s.green.push_back(std::move(g));
  return cudaSuccess;
}
error destroy_green(state& s, const green_context& g) {
  for (const auto& [handle, on] : s.streams)
    if (on->green == &g) on->green = nullptr;
  if (g.as_context != nullptr) destroy_context(s, g.as_context);
  std::erase_if(s.green, [&](const auto& owned) { return owned.get() == &g; });
  return cudaSuccess;
}
context* context_of_green(state& s, green_context& g) {
  if (g.as_context == nullptr) g.as_context = make_context(s, 0);
  return g.as_context;
}
error create_green_stream(state& s, stream** made, green_context& g, unsigned flags, int priority) {
  constexpr unsigned non_blocking = 1;
  if (flags != non_blocking) return cudaErrorInvalidValue;
  const error e = create_stream(s, made, flags, priority);
  if (e == cudaSuccess) (*made)->green = &g;
  return e;
}
error tell_contexts(const stream& on, context** c, green_context** g) {
  if (g != nullptr) *g = on.green;
  return put(c, on.green != nullptr ? nullptr : context_of(on));
}

}  // namespace

#define ENTRIES "runtime/driver/entries/context_api.def"
#include "runtime/driver/entries/entry_functions.def"
