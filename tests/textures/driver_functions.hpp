// What these tests and programs call of the driver and the runtime that they are linked with: the machine's, or ours.
#pragma once

#include "runtime/driver/abi.hpp"

namespace bankwise::textures {

using namespace cuda;

extern "C" {
int cuArray3DCreate_v2(void**, const array_3d_descriptor*);
int cuArray3DGetDescriptor_v2(array_3d_descriptor*, void*);
int cuArrayDestroy(void*);
int cuCtxSetCurrent(void*);
int cuCtxSynchronize();
int cuDevicePrimaryCtxRetain(void**, int);
int cuInit(unsigned);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
int cuMemAllocPitch_v2(device_pointer*, std::size_t*, std::size_t, std::size_t, unsigned);
int cuMemAlloc_v2(device_pointer*, std::size_t);
int cuMemFree_v2(device_pointer);
int cuMemcpy2D_v2(const driver_copy_2d*);
int cuMemcpy3D_v2(const driver_copy_3d*);
int cuMemcpyDtoH_v2(void*, device_pointer, std::size_t);
int cuMemcpyHtoD_v2(device_pointer, const void*, std::size_t);
int cuMemsetD8_v2(device_pointer, unsigned char, std::size_t);
int cuMipmappedArrayCreate(void**, const array_3d_descriptor*, unsigned);
int cuMipmappedArrayDestroy(void*);
int cuMipmappedArrayGetLevel(void**, void*, unsigned);
int cuModuleGetFunction(void**, void*, const char*);
int cuModuleLoadData(void**, const void*);
int cuSurfObjectCreate(unsigned long long*, const resource_descriptor*);
int cuSurfObjectDestroy(unsigned long long);
int cuSurfObjectGetResourceDesc(resource_descriptor*, unsigned long long);
int cuTexObjectCreate(unsigned long long*, const resource_descriptor*, const texture_descriptor*,
                      const view_descriptor*);
int cuTexObjectDestroy(unsigned long long);
int cuTexObjectGetResourceDesc(resource_descriptor*, unsigned long long);
int cuTexObjectGetResourceViewDesc(view_descriptor*, unsigned long long);
int cuTexObjectGetTextureDesc(texture_descriptor*, unsigned long long);
int cudaCreateSurfaceObject(unsigned long long*, const runtime_resource*);
int cudaCreateTextureObject(unsigned long long*, const runtime_resource*, const runtime_texture*,
                            const view_descriptor*);
int cudaDestroySurfaceObject(unsigned long long);
int cudaDestroyTextureObject(unsigned long long);
int cudaFreeArray(void*);
int cudaGetLastError();
int cudaGetTextureObjectResourceViewDesc(view_descriptor*, unsigned long long);
int cudaMalloc3DArray(void**, const channel_format*, extent, unsigned);
}

}  // namespace bankwise::textures
