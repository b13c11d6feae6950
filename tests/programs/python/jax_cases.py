# Cases for JAX: code that XLA compiles, and a kernel of Pallas.
import os

# otherwise, XLA measures kernels to select the fastest one, which takes half a minute without a GPU
os.environ.setdefault("XLA_FLAGS", "--xla_gpu_autotune_level=0")

import jax
import jax.numpy as jnp
import numpy

from cases import case, main


def random(*shape, seed=1):
    return jnp.asarray(numpy.random.default_rng(seed).standard_normal(shape).astype(numpy.float32))


@case
def pointwise():
    assert jax.devices()[0].platform == "gpu", jax.devices()
    return jax.jit(lambda a: jnp.exp(-a * a) + jnp.tanh(a))(random(3000))


@case
def softmax():
    return jax.jit(lambda a: jax.nn.softmax(a, 1))(random(40, 700))


@case
def product():
    return jax.jit(lambda a, b: a @ b)(random(64, 80), random(80, 48, seed=2))


@case
def gradient():
    return jax.jit(jax.grad(lambda a: jnp.sum(jnp.sin(a) ** 2)))(random(3000))


@case
def convolution():
    def convolve(x, w):
        return jax.lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"),
                                            precision=jax.lax.Precision.HIGHEST)

    x, w = random(2, 3, 17, 16), random(8, 3, 3, 3, seed=2)
    return [jax.jit(convolve)(x, w), *jax.jit(jax.grad(lambda a, b: jnp.sum(convolve(a, b) ** 2), (0, 1)))(x, w)]


@case
def attention_of_cudnn():
    q, k, v = (random(2, 32, 4, 64, seed=s).astype(jnp.float16) for s in (1, 2, 3))

    def attend(a, b, c):
        return jax.nn.dot_product_attention(a, b, c, is_causal=True, implementation="cudnn")

    return [jax.jit(attend)(q, k, v), *jax.jit(jax.grad(lambda a, b, c: jnp.sum(attend(a, b, c).astype(jnp.float32) ** 2), (0, 1, 2)))(q, k, v)]


@case
def pallas():
    from jax.experimental import pallas as pl

    def kernel(a, b, result):
        result[...] = a[...] + 2 * b[...]

    add = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((256,), jnp.float32), grid=(4,), in_specs=[pl.BlockSpec((64,), lambda i: (i,))] * 2,
                         out_specs=pl.BlockSpec((64,), lambda i: (i,)))
    return add(random(256), random(256, seed=2))


@case
def factors_and_systems():
    a, b = random(12, 12), random(12, 2, seed=2)
    p = a @ a.T + jnp.eye(12)
    q, r = jnp.linalg.qr(random(20, 7))
    return [jnp.linalg.cholesky(p), jnp.linalg.solve(p, b), jnp.linalg.inv(p), jnp.linalg.det(p), jax.scipy.linalg.lu_factor(p)[0], q @ r, abs(r), jnp.linalg.lstsq(random(20, 5), random(20, 2, seed=2))[0],
            jax.scipy.linalg.solve_triangular(jnp.tril(p), b, lower=True), jnp.linalg.cholesky(jnp.stack([p, 2 * p])), jnp.linalg.solve(jnp.stack([p, 2 * p]), jnp.stack([b, b])),
            jax.lax.linalg.tridiagonal_solve(*(random(1, 9, seed=s) + (5 if s == 2 else 0) for s in (1, 2, 3)), random(1, 9, 2, seed=4))]


@case
def eigenvalues_and_singular_values():
    results = []
    for a in (random(12, 12), random(3, 8, 8), random(2, 40, 40)):
        a = a + jnp.swapaxes(a, -1, -2)
        w, v = jnp.linalg.eigh(a)
        results += [w, (v * w[..., None, :]) @ jnp.swapaxes(v, -1, -2)]
    for a in (random(20, 7), random(7, 20), random(3, 10, 6)):
        u, s, vt = jnp.linalg.svd(a, full_matrices=False)
        results += [s, (u * s[..., None, :]) @ vt]
    return results


@case
def sparse_products():
    from jax.experimental import sparse
    a = jnp.where(random(20, 30, seed=5) > 0.7, random(20, 30), 0)
    return [sparse.BCOO.fromdense(a) @ random(30, 4, seed=2), sparse.CSR.fromdense(a) @ random(30, 4, seed=2), sparse.COO.fromdense(a) @ random(30, seed=2), sparse.CSR.fromdense(a).todense()]


main()
