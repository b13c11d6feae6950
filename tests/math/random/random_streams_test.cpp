// Compares the numbers of cuRAND's generators with NVIDIA's numbers, bit for bit. NVIDIA's host generators run without
// a GPU. If NVIDIA's library is not installed, the test compares with recorded numbers.
#include "math/random/random_streams.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>

#include "math/random/sobol.hpp"

namespace bankwise::math {
namespace {

TEST(RandomStreams, BeginAsNvidiaS) {
  const auto first = [](int type, int order, std::uint64_t seed) {
    auto s = random_stream::make(type, order, seed, 0);
    std::vector<std::uint32_t> words(4);
    s->words(words.data(), words.size());
    return words;
  };
  using words = std::vector<std::uint32_t>;
  EXPECT_EQ(first(xorwow, default_order, 0), (words{3179217846, 3955638199, 167591721, 4161663997}));
  EXPECT_EQ(first(xorwow, seeded_order, 0), (words{3179217846, 556161208, 2690511793, 1382193628}));
  EXPECT_EQ(first(xorwow, default_order, 5), (words{1388865699, 4190861580, 1026520588, 1248001722}));
  EXPECT_EQ(first(mrg32k3a, default_order, 0), (words{545508615, 341016064, 1125210161, 2161280324}));
  EXPECT_EQ(first(philox, default_order, 0), (words{1713891541, 3781805453, 3159862348, 2600524760}));
  EXPECT_EQ(first(philox, default_order, 5), (words{3289868317, 299389332, 4225117243, 4147765880}));
  EXPECT_EQ(first(sobol32, quasi_order, 0), (words{0, 2147483648, 3221225472, 1073741824}));
  auto two = random_stream::make(sobol32, quasi_order, 0, 0, 2);
  words both(6);
  two->words(both.data(), both.size());
  EXPECT_EQ(both, (words{0, 2147483648, 3221225472, 0, 2147483648, 1073741824}));
  EXPECT_FALSE(random_stream::make(mt19937, default_order, 0, 0));
}

#ifdef REAL_CURAND
struct real_generator;
struct real_library {
  void* library = ::dlopen(REAL_CURAND, RTLD_NOW | RTLD_LOCAL);
  template <class... A>
  int call(const char* name, A... arguments) const {
    auto* const f = reinterpret_cast<int (*)(A...)>(::dlsym(library, name));
    return f == nullptr ? -1 : f(arguments...);
  }
};

template <class T>
void expect_same(const std::vector<T>& ours, const std::vector<T>& real, const std::string& what) {
  for (std::size_t i = 0; i < ours.size(); ++i)
    ASSERT_EQ(std::memcmp(&ours[i], &real[i], sizeof(T)), 0) << what << ", number " << i;
}

struct question {
  int type, order;
  std::uint64_t seed, offset;
  unsigned dimensions = 1;
};

void compare(const real_library& real, const question& q) {
  const std::string what = "type " + std::to_string(q.type) + ", order " + std::to_string(q.order) + ", seed " +
                           std::to_string(q.seed) + ", offset " + std::to_string(q.offset) + ", dimensions " +
                           std::to_string(q.dimensions);
  real_generator* g = nullptr;
  ASSERT_EQ(real.call("curandCreateGeneratorHost", &g, q.type), 0);
  ASSERT_EQ(real.call("curandSetGeneratorOrdering", g, q.order), 0);
  if (q.type < default_quasi) {
    ASSERT_EQ(real.call("curandSetPseudoRandomGeneratorSeed", g, static_cast<unsigned long long>(q.seed)), 0);
  } else {
    ASSERT_EQ(real.call("curandSetQuasiRandomGeneratorDimensions", g, q.dimensions), 0);
  }
  ASSERT_EQ(real.call("curandSetGeneratorOffset", g, static_cast<unsigned long long>(q.offset)), 0);
  auto s = random_stream::make(q.type, q.order, q.seed, q.offset, q.dimensions);
  ASSERT_TRUE(s);
  // Generates numbers of one kind after another. The number of generated numbers is never a multiple of a block size.
  const std::size_t count = 90002 / q.dimensions * q.dimensions;
  std::vector<std::uint32_t> words(count), real_words(count);
  std::vector<float> floats(count), real_floats(count);
  std::vector<double> doubles(count), real_doubles(count);
  for (int round = 0; round < 2; ++round) {
    if (q.type != sobol64) {
      s->words(words.data(), count);
      ASSERT_EQ(real.call("curandGenerate", g, real_words.data(), count), 0);
      expect_same(words, real_words, what + ", words");
    }
    s->uniform(floats.data(), count);
    ASSERT_EQ(real.call("curandGenerateUniform", g, real_floats.data(), count), 0);
    expect_same(floats, real_floats, what + ", uniform floats");
    s->uniform(doubles.data(), count);
    ASSERT_EQ(real.call("curandGenerateUniformDouble", g, real_doubles.data(), count), 0);
    expect_same(doubles, real_doubles, what + ", uniform doubles");
    if (q.type >= default_quasi) continue;
    s->normal(floats.data(), count, 1.5f, 2.5f, round == 1);
    ASSERT_EQ(real.call(round == 1 ? "curandGenerateLogNormal" : "curandGenerateNormal", g, real_floats.data(), count,
                        1.5f, 2.5f),
              0);
    expect_same(floats, real_floats, what + ", normal floats");
    s->normal(doubles.data(), count, 1.5, 2.5, round == 1);
    ASSERT_EQ(real.call(round == 1 ? "curandGenerateLogNormalDouble" : "curandGenerateNormalDouble", g,
                        real_doubles.data(), count, 1.5, 2.5),
              0);
    expect_same(doubles, real_doubles, what + ", normal doubles");
  }
  real.call("curandDestroyGenerator", g);
}

TEST(RandomStreams, AreNvidiaS) {
  const real_library real;
  ASSERT_NE(real.library, nullptr) << ::dlerror();
  struct start {
    std::uint64_t seed, offset;
  };
  for (const start from : {start{0, 0}, start{1234567890123, 4098}, start{7, 123456790}}) {
    for (const int type : {xorwow, mrg32k3a, philox}) compare(real, {type, default_order, from.seed, from.offset});
    compare(real, {mrg32k3a, legacy_order, from.seed, from.offset});
    compare(real, {xorwow, seeded_order, from.seed, from.offset});
    for (const int type : {sobol32, sobol64})
      for (const unsigned dimensions : {1u, 2u, 7u, sobol_dimensions})
        compare(real, {type, quasi_order, 0, from.offset, dimensions});
  }
}
#endif

}  // namespace
}  // namespace bankwise::math
