# Cases for cuda.core, NVIDIA's Python package, from the source of a kernel to its launch.
import numpy
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

from cases import case, main

SOURCE = r"""
extern "C" __global__ void reverse(float* a) {
  __shared__ float row[256];
  row[threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  a[blockIdx.x * 256 + threadIdx.x] = row[255 - threadIdx.x];
}"""


@case
def reverse():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    options = ProgramOptions(arch="sm_" + "".join(str(n) for n in device.compute_capability), lineinfo=True)
    kernel = Program(SOURCE, "c++", options).compile("cubin").get_kernel("reverse")
    host = device.memory_resource.allocate(4096, stream=stream)
    pinned = __import__("cuda.core", fromlist=["x"]).LegacyPinnedMemoryResource().allocate(4096)
    values = numpy.from_dlpack(pinned).view(numpy.float32)
    values[:] = numpy.arange(1024, dtype=numpy.float32)
    host.copy_from(pinned, stream=stream)
    launch(stream, LaunchConfig(grid=4, block=256), kernel, host)
    pinned.copy_from(host, stream=stream)
    stream.sync()
    return values.copy()


main()
