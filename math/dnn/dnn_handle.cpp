// cuDNN's handles, versions and error messages.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>

#include "base/format.hpp"
#include "math/dnn/dnn_call.hpp"

using namespace bankwise::dnn;

namespace {

thread_local std::string last_error;

struct status_name {
  int number;
  const char* name;
};
constexpr status_name all_statuses[] = {
    {0, "CUDNN_STATUS_SUCCESS"},
    {1001, "CUDNN_STATUS_NOT_INITIALIZED"},
    {1002, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"},
    {1003, "CUDNN_STATUS_SERIALIZATION_VERSION_MISMATCH"},
    {1004, "CUDNN_STATUS_DEPRECATED"},
    {1005, "CUDNN_STATUS_LICENSE_ERROR"},
    {1006, "CUDNN_STATUS_RUNTIME_IN_PROGRESS"},
    {1007, "CUDNN_STATUS_RUNTIME_FP_OVERFLOW"},
    {1008, "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED"},
    {2000, "CUDNN_STATUS_BAD_PARAM"},
    {2001, "CUDNN_STATUS_INVALID_VALUE"},
    {2002, "CUDNN_STATUS_BAD_PARAM_NULL_POINTER"},
    {2003, "CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER"},
    {2004, "CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED"},
    {2005, "CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND"},
    {2006, "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT"},
    {2007, "CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH"},
    {2008, "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH"},
    {2009, "CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES"},
    {2010, "CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE"},
    {2011, "CUDNN_STATUS_BAD_PARAM_CUDA_GRAPH_MISMATCH"},
    {2012, "CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE"},
    {3000, "CUDNN_STATUS_NOT_SUPPORTED"},
    {3001, "CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN"},
    {3002, "CUDNN_STATUS_NOT_SUPPORTED_SHAPE"},
    {3003, "CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE"},
    {3004, "CUDNN_STATUS_NOT_SUPPORTED_LAYOUT"},
    {3007, "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH"},
    {4000, "CUDNN_STATUS_INTERNAL_ERROR"},
    {4003, "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED"},
    {4004, "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"},
    {5000, "CUDNN_STATUS_EXECUTION_FAILED"},
    {5001, "CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER"},
    {5003, "CUDNN_STATUS_EXECUTION_FAILED_CUDART"},
};

}  // namespace

namespace bankwise::dnn {

namespace {

status say_once(const std::string& what, const std::string& message, status answer) {
  static std::mutex& mutex = *new std::mutex;
  static std::set<std::string>& said = *new std::set<std::string>;
  last_error = what;
  const std::lock_guard lock(mutex);
  if (said.insert(what).second) cuda::say(bankwise::formatted("{}, so the call returns {}", message, int{answer}));
  return answer;
}

}  // namespace

status refuse(const std::string& what, status answer) {
  return say_once(what, bankwise::formatted("bankwise's cuDNN does not support {} yet", what), answer);
}

status reject(const std::string& what, status answer) {
  return say_once(what, bankwise::formatted("bankwise's cuDNN: {}", what), answer);
}

}  // namespace bankwise::dnn

CUDA_API std::size_t cudnnGetVersion() { return version; }
CUDA_API std::size_t cudnnGetMaxDeviceVersion() { return 1200; }
CUDA_API std::size_t cudnnGetCudartVersion() { return 13000; }
CUDA_API int cudnnGetProperty(int which, int* value) {
  if (value == nullptr) return bad_param_null;
  if (which < 0 || which > 2) return bad_param;
  *value = static_cast<int>(which == 0 ? version / 10000 : which == 1 ? version / 100 % 100 : version % 100);
  return success;
}
CUDA_API int cudnnGraphVersionCheck() { return success; }
CUDA_API int cudnnOpsVersionCheck() { return success; }
CUDA_API int cudnnCnnVersionCheck() { return success; }
CUDA_API int cudnnAdvVersionCheck() { return success; }

CUDA_API const char* cudnnGetErrorString(int number) {
  for (const status_name& s : all_statuses)
    if (s.number == number) return s.name;
  // If a status has no row, its name is that of its group.
  for (const status_name& s : all_statuses)
    if (s.number == number / 1000 * 1000) return s.name;
  return "CUDNN_STATUS_UNKNOWN";
}
CUDA_API void cudnnGetLastErrorString(char* message, std::size_t most) {
  if (message == nullptr || most == 0) return;
  const std::size_t length = std::min(most - 1, last_error.size());
  std::memcpy(message, last_error.data(), length);
  message[length] = '\0';
  last_error.clear();
}
CUDA_API int cudnnQueryRuntimeError(const handle* h, int* state, int, void*) {
  if (h == nullptr || state == nullptr) return bad_param_null;
  *state = success;
  return success;
}
// The callback is never called, because errors are printed immediately.
CUDA_API int cudnnSetCallback(unsigned, void*, void*) { return success; }
CUDA_API int cudnnGetCallback(unsigned* mask, void** data, void** function) {
  give(mask, 0u);
  give(data, nullptr);
  give(function, nullptr);
  return success;
}

CUDA_API int cudnnCreate(handle** made) { return create(made); }
CUDA_API int cudnnDestroy(handle* h) { return h == nullptr ? bad_param_null : destroy(h); }
CUDA_API int cudnnSetStream(handle* h, bankwise::cuda::stream* on) {
  if (h == nullptr) return bad_param_null;
  h->on = on;
  return success;
}
CUDA_API int cudnnGetStream(const handle* h, bankwise::cuda::stream** on) {
  if (h == nullptr || on == nullptr) return bad_param_null;
  *on = h->on;
  return success;
}
