// Makes CUDA's structure of device properties from the table of device attributes.
#include <cstring>
#include <type_traits>

#include "runtime/cudart/properties.hpp"
#include "runtime/device/device.hpp"

namespace bankwise::cuda {

namespace {

enum attribute_name : int {
#define ATTRIBUTE(number, name, value) name = number,
#include "runtime/device/device_attributes.def"
#undef ATTRIBUTE
};

int number_of(int attribute_number) {
  int value = 0;
  attribute(attribute_number, value);
  return value;
}

}  // namespace

void describe(device_properties& p) {
  std::memset(&p, 0, sizeof p);
  std::strcpy(p.name, device_name().c_str());
  std::memcpy(p.uuid, device_uuid(), sizeof p.uuid);
  p.totalGlobalMem[0] = device_memory_bytes();
  const auto set = [](auto& field, attribute_name a) {
    field[0] = static_cast<std::remove_reference_t<decltype(field[0])>>(number_of(a));
  };
  set(p.sharedMemPerBlock, MaxSharedMemoryPerBlock);
  set(p.regsPerBlock, MaxRegistersPerBlock);
  set(p.warpSize, WarpSize);
  set(p.memPitch, MaxPitch);
  set(p.maxThreadsPerBlock, MaxThreadsPerBlock);
  for (int i = 0; i < 3; ++i) {
    p.maxThreadsDim[i] = number_of(MaxBlockDimX + i);
    p.maxGridSize[i] = number_of(MaxGridDimX + i);
  }
#if BANKWISE_CUDART == 12
  set(p.clockRate, ClockRate);
  set(p.memoryClockRate, MemoryClockRate);
  set(p.deviceOverlap, GpuOverlap);
  set(p.singleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio);
#endif
  set(p.totalConstMem, TotalConstantMemory);
  set(p.major, ComputeCapabilityMajor);
  set(p.minor, ComputeCapabilityMinor);
  set(p.textureAlignment, TextureAlignment);
  set(p.texturePitchAlignment, TexturePitchAlignment);
  set(p.multiProcessorCount, MultiProcessorCount);
  set(p.canMapHostMemory, CanMapHostMemory);
  set(p.maxTexture1D, MaxTexture1DWidth);
  p.maxTexture2D[0] = number_of(MaxTexture2DWidth);
  p.maxTexture2D[1] = number_of(MaxTexture2DHeight);
  for (int i = 0; i < 3; ++i) p.maxTexture3D[i] = number_of(MaxTexture3DWidth + i);
  set(p.maxTexture1DLayered, MaxTexture1DLayeredWidth);
  p.maxTexture1DLayered[1] = number_of(MaxTexture1DLayeredLayers);
  for (int i = 0; i < 3; ++i) p.maxTexture2DLayered[i] = number_of(MaxTexture2DLayeredWidth + i);
  set(p.surfaceAlignment, SurfaceAlignment);
  set(p.concurrentKernels, ConcurrentKernels);
  set(p.integrated, Integrated);
  set(p.ECCEnabled, EccEnabled);
  set(p.pciBusID, PciBusId);
  set(p.asyncEngineCount, AsyncEngineCount);
  set(p.unifiedAddressing, UnifiedAddressing);
  set(p.memoryBusWidth, GlobalMemoryBusWidth);
  set(p.l2CacheSize, L2CacheSize);
  set(p.maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor);
  set(p.streamPrioritiesSupported, StreamPrioritiesSupported);
  set(p.globalL1CacheSupported, GlobalL1CacheSupported);
  set(p.localL1CacheSupported, LocalL1CacheSupported);
  set(p.persistingL2CacheMaxSize, MaxPersistingL2CacheSize);
  set(p.accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize);
  set(p.sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor);
  set(p.regsPerMultiprocessor, MaxRegistersPerMultiprocessor);
  set(p.managedMemory, ManagedMemory);
  set(p.hostNativeAtomicSupported, HostNativeAtomicSupported);
  set(p.concurrentManagedAccess, ConcurrentManagedAccess);
  set(p.computePreemptionSupported, ComputePreemptionSupported);
  set(p.canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem);
  set(p.cooperativeLaunch, CooperativeLaunch);
  set(p.sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin);
  set(p.directManagedMemAccessFromHost, DirectManagedMemAccessFromHost);
  set(p.maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor);
  set(p.reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock);
  set(p.hostRegisterSupported, HostRegisterSupported);
  set(p.hostRegisterReadOnlySupported, HostRegisterReadOnlySupported);
  set(p.memoryPoolsSupported, MemoryPoolsSupported);
}

}  // namespace bankwise::cuda
