# Cases for CuPy: its own kernels, and kernels that we pass as strings.
import cupy
import numpy

from cases import case, main


def random(*shape, dtype=numpy.float32, seed=1):
    return cupy.asarray(numpy.random.default_rng(seed).standard_normal(shape).astype(dtype))


@case
def elementwise_kernel():
    f = cupy.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_difference")
    return f(random(1000, 7), random(1, 7, seed=2))


@case
def reduction_kernel():
    length = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "length")
    return [length(random(5000)), length(random(40, 300), axis=1)]


@case
def raw_kernel():
    source = r"""
    extern "C" __global__ void transpose(const float* in, float* out, int n) {
      __shared__ float tile[32][32];
      int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
      tile[threadIdx.y][threadIdx.x] = in[y * n + x];
      __syncthreads();
      out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
    }"""
    a = random(96, 96)
    result = cupy.empty_like(a)
    cupy.RawKernel(source, "transpose", options=("-lineinfo",))((3, 3), (32, 32), (a, result, numpy.int32(96)))
    return result


@case
def raw_module():
    source = r"""
    __constant__ float factor;
    template <typename T> __global__ void scale(T* a, int n) {
      extern __shared__ char bytes[];
      T* row = reinterpret_cast<T*>(bytes);
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      row[threadIdx.x] = i < n ? a[i] : T(0);
      __syncthreads();
      if (i < n) a[i] = row[blockDim.x - 1 - threadIdx.x] * T(factor);
    }"""
    m = cupy.RawModule(code=source, options=("-std=c++14",), name_expressions=["scale<float>", "scale<double>"])
    where = m.get_global("factor")
    where.copy_from_host(numpy.array([2.5], numpy.float32).ctypes.data_as(__import__("ctypes").c_void_p), 4)
    a, b = random(1024), random(1024, dtype=numpy.float64)
    m.get_function("scale<float>")((8,), (128,), (a, numpy.int32(1024)), shared_mem=512)
    m.get_function("scale<double>")((8,), (128,), (b, numpy.int32(1024)), shared_mem=1024)
    return [a, b]


@case
def fused():
    @cupy.fuse()
    def f(x, y):
        return cupy.sum(cupy.exp(-x * x) * y)

    return f(random(3000), random(3000, seed=2))


@case
def arrays():
    a = random(50, 60)
    return [a + 1, a.T.copy(), a.sum(0), a.mean(1), a.max(), a.argmin(1), cupy.sort(a, 1), cupy.argsort(a[0]), cupy.cumsum(a, 1), a[a > 1], cupy.unique((a * 3).astype(int)),
            cupy.where(a > 0, a, 0), cupy.histogram(a, 20)[0], cupy.arange(100) % 7, cupy.linspace(0, 1, 33), cupy.concatenate([a, a])]


@case
def products():
    a = random(40, 50)
    return [a @ a.T, cupy.dot(a, a[0]), cupy.tensordot(random(3, 4, 5), random(5, 4, 2), axes=([2, 1], [0, 1])), random(30, 30, dtype=numpy.float64) @ random(30, 30, dtype=numpy.float64)]


@case
def random_numbers():
    g = cupy.random.Generator(cupy.random.Philox4x3210(3))
    return [g.random(1000), g.standard_normal(500), g.integers(0, 100, 500)]


@case
def random_numbers_of_the_library():
    cupy.random.seed(3)
    return [cupy.random.rand(1000), cupy.random.randn(500)]


@case
def transforms_of_fourier():
    return [cupy.fft.fft(random(4, 120)), cupy.fft.rfft2(random(16, 24))]


def positive(n, dtype=numpy.float32):
    a = random(n, n, dtype=dtype)
    return a @ a.T + cupy.eye(n, dtype=dtype)


@case
def factors_and_systems():
    results = []
    for dtype in (numpy.float32, numpy.float64):
        a, b = positive(15, dtype), random(15, 2, dtype=dtype, seed=2)
        q, r = cupy.linalg.qr(random(20, 8, dtype=dtype))
        results += [cupy.linalg.cholesky(a), cupy.linalg.solve(a, b), cupy.linalg.inv(a), cupy.linalg.det(a), q @ r, abs(r), cupy.linalg.slogdet(a)[1],
                    cupy.linalg.lstsq(random(20, 5, dtype=dtype), random(20, 2, dtype=dtype, seed=2), rcond=None)[0], cupy.linalg.pinv(random(9, 4, dtype=dtype))]
    batch = cupy.stack([positive(6), positive(6) * 2])
    return results + [cupy.linalg.cholesky(batch), cupy.linalg.inv(batch), cupy.linalg.solve(batch, random(2, 6, 3)), cupy.linalg.matrix_rank(random(9, 4))]


@case
def eigenvalues_and_singular_values():
    results = []
    for a in (random(12, 12), random(12, 12, dtype=numpy.float64), random(3, 8, 8)):
        a = a + a.swapaxes(-1, -2)
        w, v = cupy.linalg.eigh(a)
        results += [w, (v * w[..., None, :]) @ v.swapaxes(-1, -2), cupy.linalg.eigvalsh(a)]
    for a in (random(20, 7), random(7, 20), random(3, 10, 6)):
        u, s, vt = cupy.linalg.svd(a, full_matrices=False)
        results += [s, (u * s[..., None, :]) @ vt]
    return results + [cupy.linalg.norm(random(8, 9), 2), cupy.linalg.cond(random(8, 8))]


def thinned(*shape, seed=1):
    return cupy.where(random(*shape, seed=seed + 50) > 0.7, random(*shape, seed=seed), 0)


@case
def sparse_matrices():
    from cupyx.scipy import sparse
    a, b = sparse.csr_matrix(thinned(20, 30)), sparse.csr_matrix(thinned(20, 30, seed=2))
    x = random(30, 4)
    return [a @ x, a @ x[:, 0], (a @ b.T).toarray(), (a + b).toarray(), (2 * a - b).toarray(), a.T.tocsr().toarray(), a.tocsc().toarray(), a.tocoo().toarray(), a.sum(0), a.multiply(b).toarray(),
            sparse.coo_matrix(thinned(9, 5)).tocsr().indices, a[3:7].toarray(), abs(a).max(), sparse.csr_matrix(thinned(40, 40)).diagonal()]


@case
def sparse_systems():
    from cupyx.scipy import sparse
    from cupyx.scipy.sparse import linalg
    dense = thinned(30, 30).astype(numpy.float64) + 8 * cupy.eye(30)
    a, symmetric, b = sparse.csr_matrix(dense), sparse.csr_matrix(dense + dense.T), random(30, dtype=numpy.float64)
    return [linalg.spsolve(a, b), linalg.cg(symmetric, b)[0], linalg.gmres(a, b)[0], linalg.spsolve_triangular(sparse.csr_matrix(cupy.tril(dense)), b), linalg.lsqr(a, b)[0],
            cupy.sort(linalg.eigsh(symmetric, k=4)[0]), linalg.svds(a, k=3, return_singular_vectors=False)]


@case
def device_properties():
    p = cupy.cuda.runtime.getDeviceProperties(0)
    return [p["multiProcessorCount"], p["sharedMemPerBlockOptin"], p["warpSize"], p["major"], p["regsPerMultiprocessor"]]


main()
