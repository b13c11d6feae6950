// Defines entry points of cuSPARSE. Each entry point declares the memory that it reads and writes, and passes its
// operation to the stream.
#pragma once

#include "math/sparse/sparse_legacy.hpp"

namespace bankwise::math {

inline int sparse_status_of(status s) {
  switch (s) {
    case success: return sparse_success;
    case not_initialized: return sparse_not_initialized;
    case alloc_failed: return sparse_alloc_failed;
    case invalid_value: return sparse_invalid_value;
    case not_supported: return sparse_not_supported;
    case zero_pivot: return sparse_zero_pivot;
    case execution_failed: break;
  }
  return sparse_execution_failed;
}

// Sets the size of an unused buffer. The size is not 0, because programs may check that their pointer to the buffer is
// not null.
template <class I>
status small_buffer(I* bytes) {
  if (bytes == nullptr) return invalid_value;
  *bytes = 16;
  return success;
}

inline status small_buffers(std::size_t* one, std::size_t* other, std::size_t* third) {
  for (std::size_t* bytes : {one, other, third})
    if (const status s = small_buffer(bytes); s != success) return s;
  return success;
}

// The contents of a solver's descriptor, copied when the solver is called.
struct solver_description {
  std::shared_ptr<const solver_values> newer;
  sparse_matrix seen;  // the matrix that was analysed
};
struct product_description {
  std::shared_ptr<sparse_result> result = std::make_shared<sparse_result>();
};

template <class... P>
bool are_there(const P*... p) {
  return ((p != nullptr) && ...);
}

}  // namespace bankwise::math

#define ENTRY(name, parameters, call)                                                                            \
  CUDA_API int name parameters {                                                                                 \
    return bankwise::math::sparse_status_of(bankwise::math::attempt(                                             \
        h, #name, [&]([[maybe_unused]] bankwise::math::routine& r) -> bankwise::math::status { return call; })); \
  }
