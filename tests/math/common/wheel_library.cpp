// Imitates the BLAS of a Python wheel: Fortran functions with different names and 64-bit integers.
#include <cstdint>

extern "C" {
int threads_of_wheel = 5;
int scipy_openblas_get_num_threads64_() { return threads_of_wheel; }
void scipy_openblas_set_num_threads64_(int count) { threads_of_wheel = count; }
// Computes sums = factor * (1 + ... + count) if the word is "S", otherwise 0.
void scipy_dtriangular_64_(const char* word, const std::int64_t* count, const double* factor, double* sum,
                           std::size_t letters) {
  *sum = *word == 'S' && letters == 1 ? *factor * static_cast<double>(*count * (*count + 1) / 2) : 0;
}
}
