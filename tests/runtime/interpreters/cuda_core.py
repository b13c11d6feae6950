# Makes the same calls as cuda.core when it starts, loads a kernel and launches the kernel. cuda.core only uses
# functions of the driver, and calls each function by its address.
#   cuda_core.py LIBCUDA CUBIN
from libraries import *


class Entries(Library):
    """Finds functions as cuda.bindings does: cuGetProcAddress returns the address, for the version that introduced
    each."""

    since = {"cuKernelGetParamInfo": 12040, "cuEventElapsedTime": 12080}

    def __getattr__(self, name):
        address, found = c_void_p(), c_int()
        status = self.file.cuGetProcAddress_v2(name.encode(), byref(address), self.since.get(name, 12000), ctypes.c_uint64(1), byref(found))
        if status != 0 or found.value != 0 or not address.value:
            sys.exit(f"{name}: {status}, {found.value}")
        function = ctypes.CFUNCTYPE(c_int)(address.value)

        def call(*arguments):
            result = function(*arguments)
            if result != 0:
                sys.exit(f"{name} returns {result}")

        return call


class Attribute(ctypes.Structure):
    _fields_ = [("id", c_int), ("pad", c_int), ("value", ctypes.c_byte * 64)]


class Launch(ctypes.Structure):
    _fields_ = [("grid", c_uint * 3), ("block", c_uint * 3), ("shared", c_uint), ("stream", c_void_p),
                ("attributes", ctypes.POINTER(Attribute)), ("count", c_uint)]


driver, code = Entries(sys.argv[1]), open(sys.argv[2], "rb").read()

# Device(0).set_current()
driver.cuInit(c_uint(0))
print("driver", number(driver.cuDriverGetVersion), "devices", number(driver.cuDeviceGetCount))
device = number(driver.cuDeviceGet, 0)
print("compute capability", [number(driver.cuDeviceGetAttribute, a, device) for a in (75, 76)])
context = number(driver.cuDevicePrimaryCtxRetain, device, kind=c_void_p)
driver.cuCtxSetCurrent(c_void_p(context))
print("current", number(driver.cuCtxGetCurrent, kind=c_void_p) == context, number(driver.cuCtxGetDevice))

# Imitates device.create_stream(). The stream's memory comes from a pool that keeps freed memory.
low, high = c_int(), c_int()
driver.cuCtxGetStreamPriorityRange(byref(low), byref(high))
stream = c_void_p(number(driver.cuStreamCreateWithPriority, c_uint(1), high, kind=c_void_p))
print("pools", number(driver.cuDeviceGetAttribute, 115, device))
pool = c_void_p(number(driver.cuDeviceGetMemPool, device, kind=c_void_p))
driver.cuMemPoolSetAttribute(pool, 4, byref(ctypes.c_uint64(2**64 - 1)))

# Imitates ObjectCode.from_cubin(code).get_kernel(name).
library = c_void_p()
driver.cuLibraryLoadData(byref(library), code, None, None, c_uint(0), None, None, c_uint(0))
kernel = c_void_p(number(driver.cuLibraryGetKernel, library, b"_Z15transpose_plainPfPKfi", kind=c_void_p))
print("kernel", [number(driver.cuKernelGetAttribute, a, kernel, device) for a in (0, 1, 3)])
parameters = []
offset, size = c_size_t(), c_size_t()
for n in range(3):
    driver.cuKernelGetParamInfo(kernel, c_size_t(n), byref(offset), byref(size))
    parameters.append((offset.value, size.value))
print("parameters", parameters)

# Imitates launch(stream, LaunchConfig(grid=(2, 2), block=(32, 8)), kernel, out, given, side) between two events.
bytes_of_values = c_size_t(ctypes.sizeof(values))
allocated = [c_void_p(number(driver.cuMemAllocFromPoolAsync, bytes_of_values, pool, stream, kind=c_void_p)) for _ in range(2)]
driver.cuMemcpyAsync(allocated[0], ctypes.cast(values, c_void_p), bytes_of_values, stream)
events = [c_void_p(number(driver.cuEventCreate, c_uint(0), kind=c_void_p)) for _ in range(2)]
driver.cuEventRecord(events[0], stream)
config = Launch((c_uint * 3)(2, 2, 1), (c_uint * 3)(32, 8, 1), 0, stream, None, 0)
driver.cuLaunchKernelEx(byref(config), kernel, pointers_to(allocated[1], allocated[0], c_int(side)), None)
driver.cuEventRecord(events[1], stream)
driver.cuEventSynchronize(events[1])
print("time", number(driver.cuEventElapsedTime, *events, kind=ctypes.c_float) >= 0)
got = (ctypes.c_float * len(values))()
driver.cuMemcpyAsync(ctypes.cast(got, c_void_p), allocated[1], bytes_of_values, stream)
driver.cuStreamSynchronize(stream)
print("transposed", is_transposed(got))
for at in allocated:
    driver.cuMemFreeAsync(at, stream)
driver.cuStreamDestroy(stream)
driver.cuLibraryUnload(library)
