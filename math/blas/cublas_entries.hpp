// Defines the entry points of a family of functions from a table. Each entry point passes its operation to the stream.
#pragma once

#include "math/blas/any_vectors.hpp"
#include "math/blas/reflectors.hpp"
#include "math/blas/stored_matrix.hpp"
#include "math/blas/triangles.hpp"
#include "math/blas/vectors.hpp"

#define ENTRY(name, parameters, call)                                                      \
  CUDA_API int name parameters {                                                           \
    return attempt(h, #name, [&]([[maybe_unused]] routine& r) -> status { return call; }); \
  }
