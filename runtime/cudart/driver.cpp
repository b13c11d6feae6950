// Entry points of the runtime that only call the driver. Enumerators have the same values in the runtime and in the
// driver, so no conversion is needed.
#include "runtime/cudart/define_entries.hpp"

using namespace bankwise::cuda;

namespace {

error set_kernel_attribute(function* kernel, function_attribute which, int value, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  return pass_to(cuKernelSetAttribute)(which, value, kernel, device);
}

#if BANKWISE_CUDART == 12
// Sets the index of the failed copy to the value for "none", because the driver of CUDA 13 does not report which copy
// failed.
void tell_none(std::size_t* failed) {
  if (failed != nullptr) *failed = ~std::size_t{0};
}
error copy_batch(void** to, void** from, const std::size_t* bytes, std::size_t count, batch_attributes* attributes,
                 std::size_t* first, std::size_t attribute_count, std::size_t* failed, stream* on) {
  tell_none(failed);
  return pass_to(cuMemcpyBatchAsync_v2)(to, from, bytes, count, attributes, first, attribute_count, on);
}
error copy_boxes(std::size_t count, box_copy* all, std::size_t* failed, unsigned long long flags, stream* on) {
  tell_none(failed);
  return pass_to(cuMemcpy3DBatchAsync_v2)(count, all, flags, on);
}
memory_location location_of(int device) { return device >= 0 ? memory_location{1, device} : memory_location{2, 0}; }
#endif

}  // namespace

#include "runtime/cudart/entries/driver.def"
