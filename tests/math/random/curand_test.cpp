// Tests cuRAND's functions, and their order in a stream. random_streams_test compares the generated numbers.
#include "math/common/device_memory.hpp"
#include "math/random/random_streams.hpp"

using namespace bankwise::math;
template <class T>
using on_device = bankwise::test::on_device<T>;

struct curand_generator;
extern "C" {
int curandCreateGenerator(curand_generator**, int);
int curandCreateGeneratorHost(curand_generator**, int);
int curandDestroyGenerator(curand_generator*);
int curandSetPseudoRandomGeneratorSeed(curand_generator*, unsigned long long);
int curandSetGeneratorOffset(curand_generator*, unsigned long long);
int curandSetGeneratorOrdering(curand_generator*, int);
int curandSetQuasiRandomGeneratorDimensions(curand_generator*, unsigned);
int curandGetDirectionVectors32(const std::uint32_t**, int);
int curandGetDirectionVectors64(const std::uint64_t**, int);
int curandGenerate(curand_generator*, std::uint32_t*, std::size_t);
int curandGenerateLongLong(curand_generator*, std::uint64_t*, std::size_t);
int curandGenerateUniform(curand_generator*, float*, std::size_t);
int curandGenerateNormal(curand_generator*, float*, std::size_t, float, float);
int curandGeneratePoisson();
}

namespace {

TEST(Curand, GoesOnWhereTheLastCallEnded) {
  for (const int type : {xorwow, mrg32k3a, philox}) {
    curand_generator *device = nullptr, *host = nullptr;
    ASSERT_EQ(curandCreateGenerator(&device, type), 0);
    ASSERT_EQ(curandCreateGeneratorHost(&host, type), 0);
    for (curand_generator* g : {device, host}) ASSERT_EQ(curandSetPseudoRandomGeneratorSeed(g, 42), 0);
    const on_device<float> first(std::vector<float>(1000)), second(std::vector<float>(1000));
    ASSERT_EQ(curandGenerateUniform(device, first, 1000), 0);
    ASSERT_EQ(curandGenerateNormal(device, second, 1000, 10, 2), 0);
    // The test reads the second result first.
    std::vector<float> uniform(1000), normal(1000);
    ASSERT_EQ(curandGenerateUniform(host, uniform.data(), 1000), 0);
    ASSERT_EQ(curandGenerateNormal(host, normal.data(), 1000, 10, 2), 0);
    EXPECT_EQ(second.read(), normal);
    EXPECT_EQ(first.read(), uniform);
    double sum = 0;
    for (const float x : normal) sum += x;
    EXPECT_NEAR(sum / 1000, 10, 0.3);
    EXPECT_EQ(curandDestroyGenerator(device), 0);
    EXPECT_EQ(curandDestroyGenerator(host), 0);
  }
}

TEST(Curand, GivesDirections) {
  const std::uint32_t* narrow = nullptr;
  const std::uint64_t* wide = nullptr;
  ASSERT_EQ(curandGetDirectionVectors32(&narrow, 101), 0);
  ASSERT_EQ(curandGetDirectionVectors64(&wide, 103), 0);
  // The second number in a sequence equals the first direction number.
  curand_generator* g = nullptr;
  ASSERT_EQ(curandCreateGeneratorHost(&g, default_quasi), 0);
  ASSERT_EQ(curandSetQuasiRandomGeneratorDimensions(g, 21), 0);
  std::vector<std::uint32_t> words(21 * 4);
  EXPECT_EQ(curandGenerate(g, words.data(), 20), 105);
  ASSERT_EQ(curandGenerate(g, words.data(), words.size()), 0);
  for (std::size_t d = 0; d < 21; ++d) {
    EXPECT_EQ(words[4 * d + 1], narrow[32 * d]);
    EXPECT_EQ(words[4 * d + 2], narrow[32 * d] ^ narrow[32 * d + 1]);
    EXPECT_EQ(wide[64 * d + 1] >> 32, narrow[32 * d + 1]);
  }
  EXPECT_DEATH(static_cast<void>(*const_cast<const volatile std::uint32_t*>(narrow + 32 * 21)), "");
  testing::internal::CaptureStderr();
  EXPECT_EQ(curandGetDirectionVectors32(&narrow, 102), 204);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(curandGetDirectionVectors32(&narrow, 103), 104);
  EXPECT_EQ(curandGetDirectionVectors32(nullptr, 101), 104);
  EXPECT_EQ(curandDestroyGenerator(g), 0);
}

TEST(Curand, RefusesWhatItCannotMakeEqual) {
  curand_generator* g = nullptr;
  testing::internal::CaptureStderr();
  for (const int type : {mtgp32, mt19937, scrambled_sobol32, scrambled_sobol64})
    EXPECT_EQ(curandCreateGenerator(&g, type), 204);
  EXPECT_EQ(curandGeneratePoisson(), 204);
  ASSERT_EQ(curandCreateGenerator(&g, default_quasi), 0);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(g, 1), 0);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(g, 22), 204);
  EXPECT_EQ(curandSetQuasiRandomGeneratorDimensions(g, 20001), 104);
  const std::string said = testing::internal::GetCapturedStderr();
  for (const char* name :
       {"does not support CURAND_RNG_PSEUDO_MT19937", "curandGeneratePoisson is not in",
        "does not support a quasirandom generator of more than 21 dimensions"})
    EXPECT_NE(said.find(name), std::string::npos) << said;
  EXPECT_EQ(curandSetPseudoRandomGeneratorSeed(g, 1), 103);
  EXPECT_EQ(curandCreateGenerator(&g, 1), 103);
  ASSERT_EQ(curandCreateGenerator(&g, default_pseudo), 0);
  const on_device<float> x(std::vector<float>(3));
  EXPECT_EQ(curandGenerateNormal(g, x, 3, 0, 1), 105);
  EXPECT_EQ(curandGenerateLongLong(g, nullptr, 1), 103);
  EXPECT_EQ(curandGenerate(nullptr, nullptr, 1), 101);
}

}  // namespace
