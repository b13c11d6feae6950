# Cases for Numba: kernels that use shared memory.
import numpy

if not hasattr(numpy, "row_stack"):
    numpy.row_stack = numpy.vstack  # Numba 0.68 uses row_stack, which numpy 2.5 no longer has

from numba import cuda, float32, int32

from cases import case, main


@cuda.jit
def transpose_kernel(given, result):
    tile = cuda.shared.array((32, 32), float32)
    x, y = cuda.grid(2)
    tile[cuda.threadIdx.y, cuda.threadIdx.x] = given[y, x]
    cuda.syncthreads()
    result[cuda.blockIdx.x * 32 + cuda.threadIdx.y, cuda.blockIdx.y * 32 + cuda.threadIdx.x] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


@case
def transpose():
    a = numpy.random.default_rng(1).random((96, 96), numpy.float32)
    result = cuda.device_array_like(a)
    transpose_kernel[(3, 3), (32, 32)](cuda.to_device(a), result)
    return result.copy_to_host()


@cuda.jit
def histogram_kernel(given, result):
    counts = cuda.shared.array(64, int32)
    if cuda.threadIdx.x < 64:
        counts[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), given.size, cuda.gridsize(1)):
        cuda.atomic.add(counts, given[i], 1)
    cuda.syncthreads()
    if cuda.threadIdx.x < 64:
        cuda.atomic.add(result, cuda.threadIdx.x, counts[cuda.threadIdx.x])


@case
def histogram():
    a = numpy.random.default_rng(1).integers(0, 64, 20000).astype(numpy.int32)
    result = cuda.to_device(numpy.zeros(64, numpy.int32))
    histogram_kernel[4, 128](cuda.to_device(a), result)
    return result.copy_to_host()


@case
def reduction():
    total = cuda.reduce(lambda a, b: a + b)
    return total(numpy.arange(10000, dtype=numpy.float64))


main()
