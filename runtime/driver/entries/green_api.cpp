// Entry points of the driver: parts of a device's multiprocessors (green contexts). Blocks are placed as on the whole device:
// what a kernel does does not depend on where.
#include <algorithm>
#include <memory>

#include "runtime/device/device.hpp"
#include "runtime/driver/device_call.hpp"
#include "runtime/stream/stream.hpp"

using namespace bankwise::cuda;

namespace {

constexpr int multiprocessors_resource = 1;
constexpr unsigned scheduled_together = 8, alone = 2;  // multiprocessors that a part is made of, on Hopper

device_resource whole() { return {multiprocessors_resource, {}, {the_device().gpu.multiprocessors}, {}}; }

bool is_green(const state& s, const green_context* g) {
  return std::any_of(s.green.begin(), s.green.end(), [&](const auto& owned) { return owned.get() == g; });
}

template <class Body>
driver_status with_green(green_context* g, Body body, const char* entry = __builtin_FUNCTION()) {
  return driver_call([&](state& s) { return is_green(s, g) ? body(s, *g) : cudaErrorDeviceUninitialized; }, entry);
}

}  // namespace

CUDA_API driver_status cuDeviceGetDevResource(int device, device_resource* to, int type) {
  return with_device(
      device, [&](state&) { return type == multiprocessors_resource ? put(to, whole()) : cudaErrorInvalidValue; });
}
CUDA_API driver_status cuCtxGetDevResource(context* c, device_resource* to, int type) {
  return driver_call([&](state& s) {
    if (!is_context(s, c)) return cudaErrorDeviceUninitialized;
    return type == multiprocessors_resource ? put(to, whole()) : cudaErrorInvalidValue;
  });
}
CUDA_API driver_status cuDevSmResourceSplitByCount(device_resource* parts, unsigned* count, const device_resource* of,
                                                   device_resource* rest, unsigned flags, unsigned least) {
  return driver_call([&](state&) {
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
  });
}
// A description is the number of multiprocessors.
CUDA_API driver_status cuDevResourceGenerateDesc(std::uintptr_t* description, device_resource* parts, unsigned count) {
  return driver_call([&](state&) {
    if (parts == nullptr || count == 0) return cudaErrorInvalidValue;
    std::uintptr_t all = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (parts[i].type != multiprocessors_resource) return cudaErrorInvalidResourceType;
      all += parts[i].sm.count;
    }
    return put(description, all);
  });
}

CUDA_API driver_status cuGreenCtxCreate(green_context** made, std::uintptr_t description, int device, unsigned flags) {
  return with_device(device, [&](state& s) {
    constexpr unsigned default_stream = 1;
    if (made == nullptr || flags != default_stream || description == 0 ||
        description > the_device().gpu.multiprocessors)
      return cudaErrorInvalidValue;
    auto g = std::make_unique<green_context>();
    g->id = s.next_id++;
    g->multiprocessors = static_cast<unsigned>(description);
    *made = g.get();
    s.green.push_back(std::move(g));
    return cudaSuccess;
  });
}
CUDA_API driver_status cuGreenCtxDestroy(green_context* g) {
  return with_green(g, [&](state& s, green_context&) {
    for (const auto& [handle, on] : s.streams)
      if (on->green == g) on->green = nullptr;
    if (g->as_context != nullptr) destroy_context(s, g->as_context);
    std::erase_if(s.green, [&](const auto& owned) { return owned.get() == g; });
    return cudaSuccess;
  });
}
CUDA_API driver_status cuCtxFromGreenCtx(context** c, green_context* g) {
  return with_green(g, [&](state& s, green_context& one) {
    if (one.as_context == nullptr) one.as_context = make_context(s, 0);
    return put(c, one.as_context);
  });
}
CUDA_API driver_status cuGreenCtxGetDevResource(green_context* g, device_resource* to, int type) {
  return with_green(g, [&](state&, green_context& one) {
    device_resource part = whole();
    part.sm.count = one.multiprocessors;
    return type == multiprocessors_resource ? put(to, part) : cudaErrorInvalidValue;
  });
}
CUDA_API driver_status cuGreenCtxGetId(green_context* g, unsigned long long* id) {
  return with_green(g, [&](state&, green_context& one) { return put(id, one.id); });
}
CUDA_API driver_status cuGreenCtxStreamCreate(stream** made, green_context* g, unsigned flags, int priority) {
  return with_green(g, [&](state& s, green_context&) {
    constexpr unsigned non_blocking = 1;
    if (flags != non_blocking) return cudaErrorInvalidValue;
    const error e = create_stream(s, made, flags, priority);
    if (e == cudaSuccess) (*made)->green = g;
    return e;
  });
}
CUDA_API driver_status cuStreamGetGreenCtx(stream* handle, green_context** g) {
  return stream_call(
      handle, [&](state& s) { return on_stream(s, handle, [&](state&, stream& on) { return put(g, on.green); }); });
}
CUDA_API driver_status cuStreamGetCtx_v2(stream* handle, context** c, green_context** g) {
  return stream_call(handle, [&](state& s) {
    return on_stream(s, handle, [&](state&, stream& on) {
      if (g != nullptr) *g = on.green;
      return put(c, on.green != nullptr ? nullptr : context_of(on));
    });
  });
}
// All that was begun before has been executed.
CUDA_API driver_status cuGreenCtxRecordEvent(green_context* g, event* e) {
  return with_green(g, [&](state& s, green_context&) {
    return on_event(s, e, [](state& in, event& what) { return record(in, what, nullptr, false); });
  });
}
CUDA_API driver_status cuGreenCtxWaitEvent(green_context* g, event* e) {
  return with_green(g, [&](state& s, green_context&) {
    return on_event(s, e, [](state& in, event& what) { return wait_for(in, what); });
  });
}
CUDA_API driver_status cuCtxRecordEvent(context* c, event* e) {
  return driver_call([&](state& s) {
    if (!is_context(s, c)) return cudaErrorDeviceUninitialized;
    return on_event(s, e, [](state& in, event& what) { return record(in, what, nullptr, false); });
  });
}
CUDA_API driver_status cuCtxWaitEvent(context* c, event* e) {
  return driver_call([&](state& s) {
    if (!is_context(s, c)) return cudaErrorDeviceUninitialized;
    return on_event(s, e, [](state& in, event& what) { return wait_for(in, what); });
  });
}
CUDA_API driver_status cuDeviceGetExecAffinitySupport(int* supported, int, int device) {
  return with_device(device, [&](state&) { return put(supported, 0); });
}
CUDA_API driver_status cuCtxGetExecAffinity(execution_affinity* to, int type) {
  return context_call([&](state&) {
    return type == 0 ? put(to, execution_affinity{0, the_device().gpu.multiprocessors}) : cudaErrorInvalidValue;
  });
}
