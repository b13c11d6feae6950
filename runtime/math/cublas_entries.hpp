// Entry points of a family, from its table: each puts its operation together and hands it to the stream.
#pragma once

#include "math/any_vectors.hpp"
#include "math/reflectors.hpp"
#include "math/stored_matrix.hpp"
#include "math/triangles.hpp"
#include "math/vectors.hpp"

#define ENTRY(name, parameters, call)                                                      \
  CUDA_API int name parameters {                                                           \
    return attempt(h, #name, [&]([[maybe_unused]] routine& r) -> status { return call; }); \
  }
