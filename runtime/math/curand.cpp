// cuRAND's functions for the host: generators that fill memory of the device, in its streams, or of the host.
#include <atomic>
#include <memory>

#include "math/random_streams.hpp"
#include "math/routine.hpp"
#include "state.hpp"

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

// One generator, as programs hold it.
struct curand_generator {
  int type = xorwow, order = default_order;
  bool of_host = false;
  std::uint64_t seed = 0, offset = 0;
  bankwise::cuda::stream* on = nullptr;
  std::shared_ptr<std::optional<random_stream>> position =
      std::make_shared<std::optional<random_stream>>();  // made when first used
};

namespace {

bool is_quasi(int type) { return type >= default_quasi; }

int refuse(const char* what) {
  bankwise::cuda::say(std::string(what) + " is not in bankwise's cuRAND yet: it returns " +
                      std::to_string(unknown_feature) + ", not supported");
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

// fill(stream, numbers) writes `count` of them.
template <class T, class Fill>
int generate(curand_generator* g, const char* name, T* to, std::size_t count, Fill fill) {
  if (g == nullptr) return uninitialized;
  if (count == 0) return done;
  if (to == nullptr) return out_of_range;
  const auto next = [position = g->position, type = g->type, order = g->order, seed = g->seed, offset = g->offset, fill,
                     count](T* numbers) {
    if (!*position) *position = random_stream::make(type, order, seed, offset);
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
  if (is_quasi(g->type)) return refuse("a normal distribution of a quasirandom generator");
  if (count % 2 != 0) return not_a_multiple;
  return generate(g, name, to, count, [=](random_stream& s, T* numbers, std::size_t n) {
    s.normal(numbers, n, mean, deviation, logarithmic);
  });
}

int restart(curand_generator* g) {
  g->position = std::make_shared<std::optional<random_stream>>();
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
  return dimensions == 1 ? int{done} : refuse("a quasirandom generator of several dimensions");
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
