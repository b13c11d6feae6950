# JAX: what XLA compiles, and a kernel of Pallas.
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
def pallas():
    from jax.experimental import pallas as pl

    def kernel(a, b, result):
        result[...] = a[...] + 2 * b[...]

    add = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((256,), jnp.float32), grid=(4,), in_specs=[pl.BlockSpec((64,), lambda i: (i,))] * 2,
                         out_specs=pl.BlockSpec((64,), lambda i: (i,)))
    return add(random(256), random(256, seed=2))


main()
