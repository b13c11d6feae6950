# Cases for diffrax: solvers of differential equations on JAX. Their loops run on the device, and JAX reuses buffers between the steps.
import os

# otherwise, XLA measures kernels to select the fastest one, which takes half a minute without a GPU
os.environ.setdefault("XLA_FLAGS", "--xla_gpu_autotune_level=0")

import diffrax
import jax
import jax.numpy as jnp

from cases import case, main


def solve(solver, **options):
    term = diffrax.ODETerm(lambda t, y, args: jnp.array([y[1], (1 - y[0] ** 2) * y[1] - y[0]]))
    times = diffrax.SaveAt(ts=jnp.linspace(0.0, 3.0, 7))
    return diffrax.diffeqsolve(term, solver, 0.0, 3.0, 0.05, jnp.array([2.0, 0.0]), saveat=times, max_steps=400, **options)


@case
def fixed_steps():
    return solve(diffrax.Heun()).ys


@case
def adaptive_steps():
    return solve(diffrax.Tsit5(), stepsize_controller=diffrax.PIDController(rtol=1e-4, atol=1e-6)).ys


@case
def gradient():
    def loss(rate):
        term = diffrax.ODETerm(lambda t, y, args: -args * y)
        return diffrax.diffeqsolve(term, diffrax.Heun(), 0.0, 1.0, 0.1, jnp.array([1.0]), args=rate, max_steps=20).ys[0, 0]

    return jax.grad(loss)(jnp.array(0.7))


main()
