# Makes the same calls as Triton's driver when it loads and launches a kernel: in a process whose runtime made the
# context, and in a thread without a context.
#   triton.py LIBCUDART CUBIN
import random
import threading

from libraries import *

runtime, cubin = Library(sys.argv[1]), open(sys.argv[2], "rb").read()
rows, columns = 8, 1000
data = (ctypes.c_float * (rows * columns))(*(random.random() for _ in range(rows * columns)))
given = number(runtime.cudaMalloc, c_size_t(ctypes.sizeof(data)), kind=c_void_p)
out = number(runtime.cudaMalloc, c_size_t(ctypes.sizeof(data)), kind=c_void_p)
runtime.cudaMemcpy(c_void_p(given), data, c_size_t(ctypes.sizeof(data)), 1)
driver = Library("libcuda.so.1")


class Attribute(ctypes.Structure):
    _fields_ = [("id", c_int), ("pad", c_int), ("value", c_int * 16)]


class Config(ctypes.Structure):
    _fields_ = [("grid", c_uint * 3), ("block", c_uint * 3), ("shared", c_uint), ("stream", c_void_p),
                ("attributes", c_void_p), ("count", c_uint)]


def attribute(which):
    return number(driver.cuDeviceGetAttribute, which, 0)


def run():
    device = number(driver.cuDeviceGet, 0)
    # attributes: opt-in shared memory, registers, multiprocessors, lanes; then clocks and bus
    print("device", device, [attribute(a) for a in (97, 12, 16, 10)], all(attribute(a) > 0 for a in (13, 36, 37)))
    context = c_void_p()
    driver.cuCtxGetCurrent(byref(context))
    print("context", context.value)
    driver.cuDevicePrimaryCtxRetain(byref(context), 0)
    driver.cuCtxSetCurrent(context)
    module, function = c_void_p(), c_void_p()
    driver.cuModuleLoadData(byref(module), cubin)
    driver.cuModuleGetFunction(byref(function), module, b"softmax")
    registers, local, threads = (number(driver.cuFuncGetAttribute, a, function) for a in (4, 3, 0))
    print("registers", registers > 0, "local", local, "threads", threads)
    driver.cuFuncSetCacheConfig(function, 1)
    driver.cuFuncSetAttribute(function, 8, attribute(97) - number(driver.cuFuncGetAttribute, 1, function))
    pointers = []
    for p in (out, given):
        pointer = c_void_p()
        driver.cuPointerGetAttribute(byref(pointer), 3, c_void_p(p))
        pointers.append(pointer)
    launch = driver.file.cuLaunchKernelEx
    cooperative = Attribute(2, 0, (c_int * 16)(0))
    serialized = Attribute(6, 0, (c_int * 16)(1))
    both = (Attribute * 2)(cooperative, serialized)
    config = Config((c_uint * 3)(rows, 1, 1), (c_uint * 3)(128, 1, 1), 16, None, ctypes.addressof(both), 2)
    arguments = (*pointers, c_int(columns), c_int(columns), c_void_p(), c_void_p())
    print("launched", launch(byref(config), function, pointers_to(*arguments), None))
    host = c_void_p()
    print("of the host", driver.file.cuPointerGetAttribute(byref(host), 3, c_void_p(ctypes.addressof(data))))


thread = threading.Thread(target=run)
thread.start()
thread.join()
got = (ctypes.c_float * len(data))()
runtime.cudaMemcpy(got, c_void_p(out), c_size_t(ctypes.sizeof(data)), 2)
print("sums to one", all(abs(sum(got[r * columns:(r + 1) * columns]) - 1) < 1e-4 for r in range(rows)))
