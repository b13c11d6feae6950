// The driver's functions for launches, and for words of memory that streams write or wait for.
#include "runtime/driver/call.hpp"
#include "runtime/driver/entries/entries.hpp"
#include "runtime/driver/launch_config.hpp"
#include "runtime/stream/operation.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

error try_launch(state& s, const function* handle, const launch_shape& shape, stream* on, void** arguments,
                 void** extra, function*& f) {
  if (const error e = find_kernel(s, handle, f); e != cudaSuccess) return e;
  if (arguments != nullptr && extra != nullptr) return cudaErrorInvalidValue;
  call c;
  byte_span parameters;
  error e = extra != nullptr ? read_extra(extra, parameters) : cudaSuccess;
  if (e == cudaSuccess) e = extra != nullptr ? make_call(*f, shape, parameters, c) : make_call(*f, shape, arguments, c);
  return e == cudaSuccess ? enqueue(s, on, std::move(c)) : e;
}
error launch(state& s, const function* handle, const launch_shape& shape, stream* on, void** arguments, void** extra) {
  function* f = nullptr;
  const error e = try_launch(s, handle, shape, on, arguments, extra, f);
  return refuse(s, f, shape, e, false);
}
error launch_configured(state& s, const driver_launch_config* config, const function* handle, void** arguments,
                        void** extra) {
  launch_shape shape;
  const error e = read_config(config, shape);
  return e == cudaSuccess ? launch(s, handle, shape, config->on, arguments, extra)
                          : refuse(s, find_function(s, handle), shape, e, false);
}

error call_host(state& s, stream* on, const host_call& c) {
  return c.plain != nullptr || c.with_stream != nullptr ? enqueue(s, on, c) : cudaErrorInvalidValue;
}

error run_words(state& s, stream* on, const memory_operation* what, unsigned count, unsigned flags) {
  word_operations all;
  const error e = flags == 0 ? make_words(s, what, count, all) : cudaErrorInvalidValue;
  return e == cudaSuccess ? enqueue(s, on, std::move(all)) : e;
}
error run_word(state& s, stream* on, memory_operation_kind kind, device_pointer at, std::uint64_t value,
               unsigned flags) {
  memory_operation o{};
  o.word = {kind, at, value, flags, 0};
  return run_words(s, on, &o, 1, 0);
}

}  // namespace

#define ENTRIES "runtime/driver/entries/launch_api.def"
#include "runtime/driver/entries/entry_functions.def"
