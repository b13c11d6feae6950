# Makes the same calls as CuPy when it starts and launches a RawKernel. CuPy uses the runtime for memory, and the driver
# for modules.
#   cupy.py LIBCUDART CUBIN
from libraries import *

runtime, driver, cubin = Library(sys.argv[1]), Library("libcuda.so.1"), open(sys.argv[2], "rb").read()
print("versions", number(runtime.cudaRuntimeGetVersion), number(runtime.cudaDriverGetVersion))
print("devices", number(runtime.cudaGetDeviceCount), "device", number(runtime.cudaGetDevice))
print("compute capability", number(runtime.cudaDeviceGetAttribute, 75, 0), number(runtime.cudaDeviceGetAttribute, 76, 0))
# CuPy calls the driver before there is a context. Its calls of the runtime then make the context.
print("current", number(driver.cuCtxGetCurrent, kind=c_void_p))
runtime.cudaFree(None)
print("current", number(driver.cuCtxGetCurrent, kind=c_void_p) is not None)
module, function = c_void_p(), c_void_p()
driver.cuModuleLoadData(byref(module), cubin)
driver.cuModuleGetFunction(byref(function), module, b"_Z15transpose_plainPfPKfi")
size = c_size_t(ctypes.sizeof(values))
stream, event = c_void_p(), c_void_p()
runtime.cudaStreamCreateWithFlags(byref(stream), 1)
memory = number(runtime.cudaMalloc, c_size_t(2 * size.value), kind=c_void_p)
given, out = c_void_p(memory), c_void_p(memory + size.value)
pinned = number(runtime.cudaHostAlloc, size, 0, kind=c_void_p)
ctypes.memmove(pinned, values, size.value)
runtime.cudaMemcpyAsync(given, c_void_p(pinned), size, 1, stream)
attributes = (ctypes.c_uint64 * 16)()
runtime.cudaPointerGetAttributes(attributes, given)
print("device memory", (attributes[0] & 0xFFFFFFFF, attributes[0] >> 32, attributes[1] == memory))
driver.cuLaunchKernel(function, 2, 2, 1, 32, 8, 1, 0, stream, pointers_to(out, given, c_int(side)), None)
runtime.cudaEventCreateWithFlags(byref(event), 2)
runtime.cudaEventRecord(event, stream)
runtime.cudaStreamWaitEvent(None, event, 0)
got = (ctypes.c_float * len(values))()
runtime.cudaMemcpy(got, out, size, 4)
print("transposed", is_transposed(got))

# Uses the pool for asynchronous allocations.
pool = number(runtime.cudaDeviceGetDefaultMemPool, 0, kind=c_void_p)
piece = number(runtime.cudaMallocAsync, c_size_t(4096), stream, kind=c_void_p)
runtime.cudaMemPoolTrimTo(c_void_p(pool), c_size_t(0))
runtime.cudaFreeAsync(c_void_p(piece), stream)
runtime.cudaFreeHost(c_void_p(pinned))
runtime.cudaFree(given)
