// The calls that the libraries in math/ make into the driver.
#include "runtime/library_call.hpp"

#include <mutex>

#include "base/format.hpp"
#include "runtime/cudart/runtime_call.hpp"
#include "runtime/formatted_by_driver.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/stream/operation.hpp"
#include "runtime/stream/ordered_memory.hpp"

namespace bankwise::cuda {

namespace {

// Runs the body of a call from a library in math/, and converts the error to an outcome.
template <class Body>
outcome for_library(Body body) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  switch (answer_of(s, body)) {
    case cudaSuccess: return outcome::done;
    case cudaErrorMemoryAllocation: return outcome::out_of_memory;
    case cudaErrorInvalidValue: return outcome::invalid;
    default: return outcome::failed;
  }
}

}  // namespace

outcome call_library(stream* on, library_call c) {
  return for_library([&](state& s) {
    const stream* const found = find_stream(s, on);
    if (found != nullptr && found->capture != nullptr && !c.host_results.empty())
      return cudaErrorStreamCaptureUnsupported;
    return enqueue(s, on, std::move(c));
  });
}

outcome copy_for_library(void* to, const void* from, std::size_t rows, std::size_t row_bytes, std::size_t to_pitch,
                         std::size_t from_pitch, stream* on) {
  return for_library([&](state& s) {
    copy c = row(to, from, row_bytes, by_address);
    c.height = rows;
    c.to_pitch = to_pitch;
    c.from_pitch = from_pitch;
    return enqueue(s, on, c);
  });
}

outcome allocate_for_library(void** pointer, std::size_t bytes) {
  return for_library([&](state& s) { return place_on_device(s, pointer, bytes); });
}

outcome release_for_library(void* pointer) {
  return for_library([&](state& s) { return release_when_idle(s, pointer, false); });
}

int missing_entry(std::atomic<bool>& is_reported, const char* name, const char* library, int not_supported) {
  if (!is_reported.exchange(true))
    say(formatted("the function {} is not in bankwise's {} yet, so the call returns {} (not supported)", name, library,
                  not_supported));
  return not_supported;
}

std::string formatted_values(std::string_view pattern, const format_detail::value* values, std::size_t count) {
  return format_detail::join(pattern, values, count);
}

}  // namespace bankwise::cuda
