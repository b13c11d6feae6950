# Makes the same calls as JAX's plugin when it starts, and when it launches kernels one by one and as a graph.
#   jax.py LIBCUDA CUBIN
from libraries import *

driver, code = Library(sys.argv[1]), open(sys.argv[2], "rb").read()
driver.cuInit(c_uint(0))
print("driver", number(driver.cuDriverGetVersion), "devices", number(driver.cuDeviceGetCount))
device = number(driver.cuDeviceGet, 0)
name, bus = ctypes.create_string_buffer(256), ctypes.create_string_buffer(64)
driver.cuDeviceGetName(name, 255, device)
driver.cuDeviceGetPCIBusId(bus, 64, device)
limits = 75, 76, 16, 39, 1, 8, 97, 106, 12, 10, 38, 13
print("name", name.value.decode().split(" ")[0], [number(driver.cuDeviceGetAttribute, a, device) for a in limits])
print("memory", number(driver.cuDeviceTotalMem_v2, device, kind=c_size_t) > 2**30)

# Uses the active context, or makes a context with flags.
flags, active = c_uint(), c_int()
driver.cuDevicePrimaryCtxGetState(device, byref(flags), byref(active))
driver.cuDevicePrimaryCtxSetFlags_v2(device, c_uint(0))
context = c_void_p(number(driver.cuDevicePrimaryCtxRetain, device, kind=c_void_p))
driver.cuCtxSetCurrent(context)
print("active before", active.value, "current", number(driver.cuCtxGetCurrent, kind=c_void_p) == context.value)
least, greatest = c_int(), c_int()
driver.cuCtxGetStreamPriorityRange(byref(least), byref(greatest))
streams = [c_void_p(number(driver.cuStreamCreateWithPriority, c_uint(1), p.value, kind=c_void_p)) for p in (least, greatest)]

# Allocates most of the memory at once, as JAX does for its own allocator, and loads kernels from a fatbin.
free, total = c_size_t(), c_size_t()
driver.cuMemGetInfo_v2(byref(free), byref(total))
arena = number(driver.cuMemAlloc_v2, c_size_t(free.value * 3 // 4), kind=c_void_p)
base, size = c_void_p(), c_size_t()
driver.cuMemGetAddressRange_v2(byref(base), byref(size), c_void_p(arena + 4096))
print("arena", base.value == arena, size.value == free.value * 3 // 4)
module = c_void_p(number(driver.cuModuleLoadFatBinary, fatbin_of(code), kind=c_void_p))
function = c_void_p(number(driver.cuModuleGetFunction, module, b"_Z15transpose_plainPfPKfi", kind=c_void_p))
print("registers", number(driver.cuFuncGetAttribute, 4, function) > 0, "shared", number(driver.cuFuncGetAttribute, 1, function))
driver.cuFuncSetCacheConfig(function, c_int(1))
print("blocks", number(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor, function, 256, c_size_t(0)))

staged = number(driver.cuMemHostAlloc, c_size_t(ctypes.sizeof(values)), c_uint(1), kind=c_void_p)
ctypes.memmove(staged, values, ctypes.sizeof(values))
bytes_of_values = c_size_t(ctypes.sizeof(values))
given, out, again = (c_void_p(arena + n * ctypes.sizeof(values)) for n in range(3))
copied = c_void_p(number(driver.cuEventCreate, c_uint(2), kind=c_void_p))
driver.cuMemcpyHtoDAsync_v2(given, c_void_p(staged), bytes_of_values, streams[1])
driver.cuEventRecord(copied, streams[1])
driver.cuStreamWaitEvent(streams[0], copied, c_uint(0))
driver.cuLaunchKernel(function, 2, 2, 1, 32, 8, 1, 0, streams[0], pointers_to(out, given, c_int(side)), None)
told = []
callback = ctypes.CFUNCTYPE(None, c_void_p)(lambda _: told.append(1))
driver.cuLaunchHostFunc(streams[0], callback, None)
driver.cuStreamSynchronize(streams[0])
got = (ctypes.c_float * len(values))()
driver.cuMemcpyDtoHAsync_v2(got, out, bytes_of_values, streams[0])
driver.cuStreamSynchronize(streams[0])
print("transposed", is_transposed(got), "told", len(told))


# A command buffer is a graph that is built node by node. It is launched, and launched again with a different argument.
class KernelNode(ctypes.Structure):
    _fields_ = [("function", c_void_p), ("grid", c_uint * 3), ("block", c_uint * 3), ("shared", c_uint),
                ("arguments", c_void_p), ("extra", c_void_p), ("kernel", c_void_p), ("context", c_void_p)]


def node_of(to, of):
    arguments = pointers_to(to, of, c_int(side))
    node = KernelNode(function.value, (c_uint * 3)(2, 2, 1), (c_uint * 3)(32, 8, 1), 0, ctypes.addressof(arguments))
    node.kept = arguments
    return node


graph = c_void_p(number(driver.cuGraphCreate, c_uint(0), kind=c_void_p))
first = c_void_p(number(driver.cuGraphAddKernelNode_v2, graph, None, c_size_t(0), byref(node_of(out, given)), kind=c_void_p))
second = c_void_p(number(driver.cuGraphAddKernelNode_v2, graph, byref(first), c_size_t(1), byref(node_of(again, out)), kind=c_void_p))
ready = c_void_p(number(driver.cuGraphInstantiateWithFlags, graph, ctypes.c_ulonglong(0), kind=c_void_p))
driver.cuGraphLaunch(ready, streams[0])
driver.cuMemcpyDtoHAsync_v2(got, again, bytes_of_values, streams[0])
driver.cuStreamSynchronize(streams[0])
print("twice transposed", list(got) == list(values))
driver.cuGraphExecKernelNodeSetParams_v2(ready, second, byref(node_of(again, given)))
driver.cuGraphLaunch(ready, streams[0])
driver.cuMemcpyDtoHAsync_v2(got, again, bytes_of_values, streams[0])
driver.cuStreamSynchronize(streams[0])
print("transposed", is_transposed(got))
driver.cuGraphExecDestroy(ready)
driver.cuGraphDestroy(graph)
driver.cuModuleUnload(module)
