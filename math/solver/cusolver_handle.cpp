// Handles of cuSOLVER for dense and for sparse matrices, and their settings. The parameters of Jacobi's methods are
// stored but not used, because other methods compute the results.
#include "math/common/library_version.hpp"
#include "math/common/objects.hpp"
#include "math/solver/cusolver_entries.hpp"

using namespace bankwise::math;
using bankwise::cuda::stream;

namespace {

struct solver_handle : handle {
  int deterministic = 1, math = 1, emulation = 0;
};
struct jacobi_info {
  double tolerance = 0;
  int sweeps = 100, sorts = 1;
};
struct parameters {};

using library = statuses<solver_invalid_value, solver_alloc_failed>;

}  // namespace

CUDA_API int cusolverGetProperty(int which, int* value) { return library::put_version(which, value, library_version); }
CUDA_API int cusolverGetVersion(int* version) { return library::put(version, number_of(library_version, 1000)); }

CUDA_API int cusolverDnCreate(solver_handle** made) { return library::make(made); }
CUDA_API int cusolverDnDestroy(solver_handle* h) { return library::close(h); }
CUDA_API int cusolverDnSetStream(solver_handle* h, stream* on) { return library::set(h, &handle::on, on); }
CUDA_API int cusolverDnGetStream(solver_handle* h, stream** on) { return library::get(h, &handle::on, on); }
CUDA_API int cusolverDnSetDeterministicMode(solver_handle* h, int mode) {
  if (mode != 1 && mode != 2) return solver_invalid_value;
  return library::set(h, &solver_handle::deterministic, mode);
}
CUDA_API int cusolverDnGetDeterministicMode(solver_handle* h, int* mode) {
  return library::get(h, &solver_handle::deterministic, mode);
}
CUDA_API int cusolverDnSetMathMode(solver_handle* h, int mode) { return library::set(h, &solver_handle::math, mode); }
CUDA_API int cusolverDnGetMathMode(solver_handle* h, int* mode) { return library::get(h, &solver_handle::math, mode); }
CUDA_API int cusolverDnSetEmulationStrategy(solver_handle* h, int strategy) {
  return library::set(h, &solver_handle::emulation, strategy);
}
CUDA_API int cusolverDnGetEmulationStrategy(solver_handle* h, int* strategy) {
  return library::get(h, &solver_handle::emulation, strategy);
}

CUDA_API int cusolverDnCreateParams(parameters** made) { return library::make(made); }
CUDA_API int cusolverDnDestroyParams(parameters* p) { return library::destroy(p); }
CUDA_API int cusolverDnSetAdvOptions(parameters* p, int, int algorithm) {
  return p == nullptr || algorithm < 0 || algorithm > 2 ? solver_invalid_value : solved;
}

// Functions for the object that contains the settings of syevj (eigenvalues) or gesvdj (singular values). A program can
// also query the number of sweeps and the residual of the last call. Both are always 0.
#define JACOBI(NAME, KIND)                                                                           \
  CUDA_API int cusolverDnCreate##NAME##Info(jacobi_info** made) { return library::make(made); }      \
  CUDA_API int cusolverDnDestroy##NAME##Info(jacobi_info* i) { return library::destroy(i); }         \
  CUDA_API int cusolverDnX##KIND##SetTolerance(jacobi_info* i, double tolerance) {                   \
    return library::set(i, &jacobi_info::tolerance, tolerance);                                      \
  }                                                                                                  \
  CUDA_API int cusolverDnX##KIND##SetMaxSweeps(jacobi_info* i, int sweeps) {                         \
    return library::set(i, &jacobi_info::sweeps, sweeps);                                            \
  }                                                                                                  \
  CUDA_API int cusolverDnX##KIND##SetSortEig(jacobi_info* i, int sorts) {                            \
    return library::set(i, &jacobi_info::sorts, sorts);                                              \
  }                                                                                                  \
  CUDA_API int cusolverDnX##KIND##GetResidual(solver_handle* h, jacobi_info* i, double* residual) {  \
    return h == nullptr || i == nullptr ? int{solver_not_initialized} : library::put(residual, 0.0); \
  }                                                                                                  \
  CUDA_API int cusolverDnX##KIND##GetSweeps(solver_handle* h, jacobi_info* i, int* sweeps) {         \
    return h == nullptr || i == nullptr ? int{solver_not_initialized} : library::put(sweeps, 0);     \
  }
JACOBI(Syevj, syevj)
JACOBI(Gesvdj, gesvdj)

CUDA_API int cusolverDnLoggerSetLevel(int) { return solved; }
CUDA_API int cusolverDnLoggerSetMask(int) { return solved; }
CUDA_API int cusolverDnLoggerForceDisable() { return solved; }

CUDA_API int cusolverSpCreate(handle** made) { return library::make(made); }
CUDA_API int cusolverSpDestroy(handle* h) { return library::close(h); }
CUDA_API int cusolverSpSetStream(handle* h, stream* on) { return library::set(h, &handle::on, on); }
CUDA_API int cusolverSpGetStream(handle* h, stream** on) { return library::get(h, &handle::on, on); }
