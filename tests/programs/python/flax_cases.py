# Cases for Flax: small networks on JAX, and steps of training.
import os

# otherwise, XLA measures kernels to select the fastest one, which takes half a minute without a GPU
os.environ.setdefault("XLA_FLAGS", "--xla_gpu_autotune_level=0")

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy
import optax

from cases import case, main


class Perceptron(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.LayerNorm()(nn.relu(nn.Dense(48)(x)))
        return nn.Dense(5)(x)


class Convolutions(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.max_pool(nn.relu(nn.Conv(8, (3, 3))(x)), (2, 2), (2, 2))
        return nn.Dense(5)(x.reshape(x.shape[0], -1))


def train(model, x, steps):
    labels = jnp.arange(x.shape[0]) % 5
    state = model.init(jax.random.key(0), x)
    optimizer = optax.adam(1e-2)
    moments = optimizer.init(state)

    def loss(p):
        return optax.softmax_cross_entropy_with_integer_labels(model.apply(p, x), labels).mean()

    @jax.jit
    def step(p, m):
        value, slope = jax.value_and_grad(loss)(p)
        change, m = optimizer.update(slope, m)
        return optax.apply_updates(p, change), m, value

    values = []
    for _ in range(steps):
        state, moments, value = step(state, moments)
        values.append(value)
    return jnp.stack(values)


def random(*shape):
    return jnp.asarray(numpy.random.default_rng(1).standard_normal(shape).astype(numpy.float32))


@case
def perceptron():
    return train(Perceptron(), random(32, 20), 5)


@case
def convolutions():
    return train(Convolutions(), random(8, 12, 12, 3), 3)


main()
