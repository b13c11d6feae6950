// cuRAND's functions for the host. A generator fills device memory in its stream, or host memory.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <memory>

#include "base/format.hpp"
#include "math/common/routine.hpp"
#include "math/random/random_streams.hpp"
#include "math/random/sobol.hpp"

using namespace bankwise::math;

namespace {

enum curand_status : int {
  done,
  uninitialized = 101,
  allocation_failed = 102,
  wrong_type = 103,
  out_of_range = 104,
  not_a_multiple = 105,
  launch_failed = 201,
  unknown_feature = 204,
};

}  // namespace

// The object of a generator. The program's curandGenerator_t points to this object.
struct curand_generator {
  int type = xorwow, order = default_order;
  bool of_host = false;
  std::uint64_t seed = 0, offset = 0;
  unsigned dimensions = 1;
  bankwise::cuda::stream* on = nullptr;
  std::shared_ptr<std::optional<random_stream>> position =
      std::make_shared<std::optional<random_stream>>();  // created on first use
};

namespace {

bool is_quasi(int type) { return type >= default_quasi; }

int refuse(const char* what) {
  bankwise::cuda::say(bankwise::formatted("bankwise's cuRAND does not support {} yet, so the call returns {}", what,
                                          int{unknown_feature}));
  return unknown_feature;
}

const char* missing_type(int type) {
  switch (type) {
    case mtgp32: return "CURAND_RNG_PSEUDO_MTGP32";
    case mt19937: return "CURAND_RNG_PSEUDO_MT19937";
    case scrambled_sobol32: return "CURAND_RNG_QUASI_SCRAMBLED_SOBOL32";
    case scrambled_sobol64: return "CURAND_RNG_QUASI_SCRAMBLED_SOBOL64";
    default: return nullptr;
  }
}

int create(curand_generator** made, int type, bool of_host) {
  if (made == nullptr) return out_of_range;
  if (type == default_pseudo) type = xorwow;
  if (type == default_quasi) type = sobol32;
  if (const char* name = missing_type(type)) return refuse(name);
  if (type != xorwow && type != mrg32k3a && type != philox && type != sobol32 && type != sobol64) return wrong_type;
  *made = new (std::nothrow) curand_generator;
  if (*made == nullptr) return allocation_failed;
  (*made)->type = type;
  (*made)->of_host = of_host;
  if (is_quasi(type)) (*made)->order = quasi_order;
  return done;
}

// Fills memory with random numbers. fill(s, numbers, count) writes the next `count` numbers of the random_stream s.
template <class T, class Fill>
int generate(curand_generator* g, const char* name, T* to, std::size_t count, Fill fill) {
  if (g == nullptr) return uninitialized;
  if (count == 0) return done;
  if (to == nullptr) return out_of_range;
  if (count % g->dimensions != 0) return not_a_multiple;
  const auto next = [position = g->position, type = g->type, order = g->order, seed = g->seed, offset = g->offset,
                     dimensions = g->dimensions, fill, count](T* numbers) {
    if (!*position) *position = random_stream::make(type, order, seed, offset, dimensions);
    fill(**position, numbers, count);
  };
  try {
    if (g->of_host) {
      next(to);
      return done;
    }
    handle h;
    h.on = g->on;
    routine r(&h, name);
    const auto where = r.writes(to, static_cast<index_t>(count));
    const status s = r.begin([=] {
      auto numbers = std::make_shared<std::vector<T>>(count);
      next(numbers->data());
      return [=](const view& v) { std::memcpy(where.at(v), numbers->data(), count * sizeof(T)); };
    });
    return s == success ? done : s == alloc_failed ? allocation_failed : launch_failed;
  } catch (const std::bad_alloc&) {
    return allocation_failed;
  }
}

template <class T>
int generate_normal(curand_generator* g, const char* name, T* to, std::size_t count, T mean, T deviation,
                    bool logarithmic) {
  if (g == nullptr) return uninitialized;
  if (is_quasi(g->type)) return refuse("a normal distribution from a quasirandom generator");
  if (count % 2 != 0) return not_a_multiple;
  return generate(g, name, to, count, [=](random_stream& s, T* numbers, std::size_t n) {
    s.normal(numbers, n, mean, deviation, logarithmic);
  });
}

int restart(curand_generator* g) {
  g->position = std::make_shared<std::optional<random_stream>>();
  return done;
}

// --- direction numbers in the form that programs expect: 20,000 dimensions, one after another

constexpr std::size_t all_dimensions = 20000;
enum direction_set : int { directions_32 = 101, scrambled_directions_32, directions_64, scrambled_directions_64 };

// Returns a table of direction numbers. Memory after the known dimensions is not readable, so that a program cannot use
// invalid numbers.
template <class T>
const T* make_directions() {
  constexpr std::size_t bits = 8 * sizeof(T), known = sobol_dimensions * bits * sizeof(T),
                        all = all_dimensions * bits * sizeof(T);
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)),
                    readable = (known + page - 1) / page * page;
  void* const begin = ::mmap(nullptr, readable + all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED || ::mprotect(begin, readable, PROT_READ | PROT_WRITE) != 0) return nullptr;
  T* const table = reinterpret_cast<T*>(static_cast<std::byte*>(begin) + readable - known);
  for (unsigned d = 0; d < sobol_dimensions; ++d) {
    const auto directions = sobol_directions(d, bits);
    for (std::size_t i = 0; i < bits; ++i) table[d * bits + i] = static_cast<T>(directions[i]);
  }
  ::mprotect(begin, readable, PROT_READ);
  return table;
}
template <class T>
int give_directions(const T** vectors, const T* table, int set, int own, const char* scrambled) {
  if (vectors == nullptr || (set != own && set != own + 1)) return out_of_range;
  if (set != own) return refuse(scrambled);
  if (table == nullptr) return allocation_failed;
  *vectors = table;
  return done;
}

constexpr int major = 10, minor = 4, patch = 0;

}  // namespace

CUDA_API int curandCreateGenerator(curand_generator** made, int type) { return create(made, type, false); }
CUDA_API int curandCreateGeneratorHost(curand_generator** made, int type) { return create(made, type, true); }
CUDA_API int curandDestroyGenerator(curand_generator* g) {
  if (g == nullptr) return uninitialized;
  delete g;
  return done;
}
CUDA_API int curandGetVersion(int* version) {
  if (version == nullptr) return out_of_range;
  *version = major * 1000 + minor * 100 + patch;
  return done;
}
CUDA_API int curandGetProperty(int which, int* value) {
  if (value == nullptr || which < 0 || which > 2) return out_of_range;
  *value = which == 0 ? major : which == 1 ? minor : patch;
  return done;
}
CUDA_API int curandSetStream(curand_generator* g, bankwise::cuda::stream* on) {
  if (g == nullptr) return uninitialized;
  g->on = on;
  return done;
}
CUDA_API int curandSetPseudoRandomGeneratorSeed(curand_generator* g, unsigned long long seed) {
  if (g == nullptr) return uninitialized;
  if (is_quasi(g->type)) return wrong_type;
  g->seed = seed;
  return restart(g);
}
CUDA_API int curandSetGeneratorOffset(curand_generator* g, unsigned long long offset) {
  if (g == nullptr) return uninitialized;
  g->offset = offset;
  return restart(g);
}
CUDA_API int curandSetGeneratorOrdering(curand_generator* g, int order) {
  if (g == nullptr) return uninitialized;
  if (is_quasi(g->type) ? order != quasi_order : order < best_order || order > dynamic_order) return out_of_range;
  if (order == dynamic_order) return refuse("CURAND_ORDERING_PSEUDO_DYNAMIC");
  if (order == seeded_order && g->type != xorwow) return out_of_range;
  g->order = order;
  return restart(g);
}
CUDA_API int curandSetQuasiRandomGeneratorDimensions(curand_generator* g, unsigned dimensions) {
  if (g == nullptr) return uninitialized;
  if (!is_quasi(g->type)) return wrong_type;
  if (dimensions == 0 || dimensions > 20000) return out_of_range;
  if (dimensions > sobol_dimensions) return refuse("a quasirandom generator of more than 21 dimensions");
  g->dimensions = dimensions;
  return restart(g);
}
CUDA_API int curandGetDirectionVectors32(const std::uint32_t** vectors, int set) {
  static const std::uint32_t* const table = make_directions<std::uint32_t>();
  return give_directions(vectors, table, set, directions_32, "CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6");
}
CUDA_API int curandGetDirectionVectors64(const std::uint64_t** vectors, int set) {
  static const std::uint64_t* const table = make_directions<std::uint64_t>();
  return give_directions(vectors, table, set, directions_64, "CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6");
}
CUDA_API int curandGenerateSeeds(curand_generator* g) { return g == nullptr ? uninitialized : done; }

CUDA_API int curandGenerate(curand_generator* g, std::uint32_t* to, std::size_t count) {
  if (g != nullptr && g->type == sobol64) return wrong_type;
  return generate(g, __func__, to, count, [](random_stream& s, std::uint32_t* n, std::size_t k) { s.words(n, k); });
}
CUDA_API int curandGenerateLongLong(curand_generator* g, std::uint64_t* to, std::size_t count) {
  if (g != nullptr && g->type != sobol64) return wrong_type;
  return generate(g, __func__, to, count,
                  [](random_stream& s, std::uint64_t* n, std::size_t k) { s.long_words(n, k); });
}
CUDA_API int curandGenerateUniform(curand_generator* g, float* to, std::size_t count) {
  return generate(g, __func__, to, count, [](random_stream& s, float* n, std::size_t k) { s.uniform(n, k); });
}
CUDA_API int curandGenerateUniformDouble(curand_generator* g, double* to, std::size_t count) {
  return generate(g, __func__, to, count, [](random_stream& s, double* n, std::size_t k) { s.uniform(n, k); });
}
CUDA_API int curandGenerateNormal(curand_generator* g, float* to, std::size_t count, float mean, float deviation) {
  return generate_normal(g, __func__, to, count, mean, deviation, false);
}
CUDA_API int curandGenerateNormalDouble(curand_generator* g, double* to, std::size_t count, double mean,
                                        double deviation) {
  return generate_normal(g, __func__, to, count, mean, deviation, false);
}
CUDA_API int curandGenerateLogNormal(curand_generator* g, float* to, std::size_t count, float mean, float deviation) {
  return generate_normal(g, __func__, to, count, mean, deviation, true);
}
CUDA_API int curandGenerateLogNormalDouble(curand_generator* g, double* to, std::size_t count, double mean,
                                           double deviation) {
  return generate_normal(g, __func__, to, count, mean, deviation, true);
}
