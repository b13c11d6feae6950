#include "runtime/device/state.hpp"

#include <algorithm>

#include "base/printable.hpp"

namespace bankwise::cuda {

void note_trace_failure(const state& s) {
  if (s.control.control != nullptr) s.control.control->traces_failed.store(1);
}

void say(const std::string& text) { bankwise::tell(text); }

namespace {

constexpr int limit_count = 7;

}  // namespace

error set_limit(state& s, int which, std::size_t value) {
  if (which < 0 || which >= limit_count) return cudaErrorUnsupportedLimit;
  if (which == stack_limit && value > (512u << 10)) return cudaErrorInvalidValue;
  s.limits[which] = value;
  if (which == heap_limit) s.memory.heap_bytes = value;
  return cudaSuccess;
}

error get_limit(const state& s, int which, std::size_t* value) {
  static constexpr std::size_t defaults[limit_count] = {1024, 8u << 20, 8u << 20, 0, 2048, 64, 0};
  if (value == nullptr) return cudaErrorInvalidValue;
  if (which < 0 || which >= limit_count) return cudaErrorUnsupportedLimit;
  const auto it = s.limits.find(which);
  *value = it != s.limits.end() ? it->second : defaults[which];
  return cudaSuccess;
}

bool has_others(const state& s) {
  return !s.streams.empty() || s.shares || std::any_of(s.allocations.begin(), s.allocations.end(), [](const auto& a) {
    return a.second.kind != allocation_kind::device;
  });
}

}  // namespace bankwise::cuda
