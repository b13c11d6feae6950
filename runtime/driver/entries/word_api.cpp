// Entry points of the driver: words of memory that streams write and wait for.
#include "runtime/driver/call.hpp"
#include "runtime/stream/operation.hpp"

using namespace bankwise::cuda;

namespace {

driver_status run_words(stream* on, const memory_operation* what, unsigned count, unsigned flags,
                        const char* entry = __builtin_FUNCTION()) {
  return stream_call(
      on,
      [&](state& s) {
        word_operations all;
        const error e = flags == 0 ? make_words(s, what, count, all) : cudaErrorInvalidValue;
        return e == cudaSuccess ? enqueue(s, on, std::move(all)) : e;
      },
      entry);
}
driver_status run_word(stream* on, memory_operation_kind kind, device_pointer at, std::uint64_t value, unsigned flags,
                       const char* entry = __builtin_FUNCTION()) {
  memory_operation o{};
  o.word = {kind, at, value, flags, 0};
  return run_words(on, &o, 1, 0, entry);
}

}  // namespace

CUDA_API driver_status cuStreamWaitValue32(stream* on, device_pointer at, std::uint32_t value, unsigned flags) {
  return run_word(on, wait_32, at, value, flags);
}
CUDA_API driver_status cuStreamWaitValue64(stream* on, device_pointer at, std::uint64_t value, unsigned flags) {
  return run_word(on, wait_64, at, value, flags);
}
CUDA_API driver_status cuStreamWriteValue32(stream* on, device_pointer at, std::uint32_t value, unsigned flags) {
  return run_word(on, write_32, at, value, flags);
}
CUDA_API driver_status cuStreamWriteValue64(stream* on, device_pointer at, std::uint64_t value, unsigned flags) {
  return run_word(on, write_64, at, value, flags);
}
CUDA_API driver_status cuStreamBatchMemOp(stream* on, unsigned count, memory_operation* what, unsigned flags) {
  return run_words(on, what, count, flags);
}
CUDA_API driver_status cuStreamWaitValue32_v2(stream* on, device_pointer at, std::uint32_t value, unsigned flags) {
  return run_word(on, wait_32, at, value, flags);
}
CUDA_API driver_status cuStreamWaitValue64_v2(stream* on, device_pointer at, std::uint64_t value, unsigned flags) {
  return run_word(on, wait_64, at, value, flags);
}
CUDA_API driver_status cuStreamWriteValue32_v2(stream* on, device_pointer at, std::uint32_t value, unsigned flags) {
  return run_word(on, write_32, at, value, flags);
}
CUDA_API driver_status cuStreamWriteValue64_v2(stream* on, device_pointer at, std::uint64_t value, unsigned flags) {
  return run_word(on, write_64, at, value, flags);
}
CUDA_API driver_status cuStreamBatchMemOp_v2(stream* on, unsigned count, memory_operation* what, unsigned flags) {
  return run_words(on, what, count, flags);
}
