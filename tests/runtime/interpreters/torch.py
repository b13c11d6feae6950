# Makes the same calls as PyTorch from `import torch` to the first results, in the same order. PyTorch loads its runtime
# by an absolute path.
#   torch.py LIBCUDART VERSION CUBIN
import os
import threading

from libraries import *

path, major, cubin = sys.argv[1], int(sys.argv[2]), open(sys.argv[3], "rb").read()
runtime = Library(path)

# When libtorch_cuda.so is loaded, the library registers its kernels.
fatbin = ctypes.create_string_buffer(fatbin_of(cubin))
wrapper = (ctypes.c_uint64 * 3)(0x1466243B1, ctypes.addressof(fatbin), 0)
register = runtime.file.__cudaRegisterFatBinary
register.restype = c_void_p
handle = c_void_p(register(byref(wrapper)))
stub = ctypes.create_string_buffer(1)
name = b"_Z15transpose_plainPfPKfi"
runtime.__cudaRegisterFunction(handle, stub, name, name, c_int(-1), None, None, None, None, None)
runtime.file.__cudaRegisterFatBinaryEnd(handle)

# Imitates torch.cuda.is_available(). If NVML is installed, PyTorch counts the devices that the environment variable
# permits.
print("visible", os.environ["CUDA_VISIBLE_DEVICES"])
print("devices", number(runtime.cudaGetDeviceCount))
# Like torch._C._cuda_init(), checks whether there is a context without making one.
driver = Library("libcuda.so.1")


def active():
    flags, is_active = c_uint(), c_int()
    driver.cuDevicePrimaryCtxGetState(0, byref(flags), byref(is_active))
    return is_active.value


print("active", active())
for wanted in ("cuDeviceGetAttribute", "cuMemAddressReserve", "cuMemRelease", "cuMemMap", "cuMemAddressFree", "cuMemSetAccess",
               "cuMemUnmap", "cuMemCreate", "cuMemGetAllocationGranularity", "cuMemExportToShareableHandle",
               "cuMemsetD32Async", "cuStreamWriteValue32", "cuGetErrorString", "cuMemGetAddressRange"):
    address, found = c_void_p(), c_int(-1)
    runtime.cudaGetDriverEntryPointByVersion(wanted.encode(), byref(address), c_uint(12000), ctypes.c_ulonglong(0), byref(found))
    if not address or found.value != 0:
        sys.exit(f"cannot find {wanted}")
print("active", active())

properties = ctypes.create_string_buffer(4096)
(runtime.cudaGetDeviceProperties_v2 if major == 12 else runtime.cudaGetDeviceProperties)(properties, 0)
print("name", properties.value.decode().split(" ")[0], "driver", number(runtime.cudaDriverGetVersion))
least, greatest = c_int(), c_int()
runtime.cudaDeviceGetStreamPriorityRange(byref(least), byref(greatest))

# Imitates PyTorch's caching allocator, in streams that may be captured.
stream = c_void_p()
mode = c_int(2)
runtime.cudaThreadExchangeStreamCaptureMode(byref(mode))
pool = number(runtime.cudaMalloc, c_size_t(2 << 20), kind=c_void_p)
runtime.cudaThreadExchangeStreamCaptureMode(byref(mode))
print("mode", mode.value, "active", active())
in_other_thread = []
thread = threading.Thread(target=lambda: in_other_thread.append(active()))
thread.start()
thread.join()
print("active elsewhere", in_other_thread[0])
is_capturing = c_int(-1)
runtime.cudaStreamIsCapturing(stream, byref(is_capturing))
free, total = c_size_t(), c_size_t()
runtime.cudaMemGetInfo(byref(free), byref(total))
print("capturing", is_capturing.value, "memory", 0 < free.value <= total.value)

# One kernel.
out, given, n = c_void_p(pool), c_void_p(pool + (1 << 20)), c_int(side)
size = c_size_t(ctypes.sizeof(values))
runtime.cudaMemcpyAsync(given, values, size, 1, stream)
runtime.cudaStreamSynchronize(stream)
attributes = ctypes.create_string_buffer(256)
runtime.cudaFuncGetAttributes(attributes, stub)
blocks = c_int()
runtime.cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(byref(blocks), stub, 256, c_size_t(0), 0)
print("blocks", blocks.value)


class Dim3(ctypes.Structure):
    _fields_ = [("x", c_uint), ("y", c_uint), ("z", c_uint)]


runtime.cudaLaunchKernel(stub, Dim3(2, 2, 1), Dim3(32, 8, 1), pointers_to(out, given, n), c_size_t(0), stream)
runtime.cudaGetLastError()
event = c_void_p()
runtime.cudaEventCreateWithFlags(byref(event), 2)
runtime.cudaEventRecord(event, stream)
runtime.cudaEventQuery(event)
got = (ctypes.c_float * len(values))()
runtime.cudaMemcpyAsync(got, out, size, 2, stream)
runtime.cudaStreamSynchronize(stream)
print("transposed", is_transposed(got))
