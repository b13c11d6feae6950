// Compares values read from textures and surfaces with the values that an H100 read, word by word, for every mode.
// data/sm_90/textures.bin.zst has the first threads of each case. For a case that writes, the file has the resulting
// surface.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/csv.hpp"
#include "descriptors.hpp"
#include "driver_functions.hpp"
#include "run_case.hpp"
#include "support/files.hpp"

namespace bankwise::textures {
namespace {

// Returns the mode of a case, as it is named in docs/reference/exactness.md.
std::string mode_of(const texture_case& c) {
  const auto is = [&](const char* part) { return c.kernel.starts_with(part); };
  if (writes(c) || is("read")) return "surfaces: reads, writes, conversions, reductions";
  if (is("query")) return "sizes of textures and surfaces";
  if (has(c, "fetch")) return "whole positions";
  if (has(c, "gather")) return "gathers";
  if (c.anisotropy > 1) return "anisotropic";
  if (is("grad")) return "levels from derivatives";
  if (c.linear && (c.flags & cuda::is_srgb) != 0 && c.format == cuda::unsigned_8) return "sRGB, filtered";
  if (has(c, "cube")) return c.flags & cuda::is_seamless ? "cubes, seamless" : "cubes";
  if (c.levels > 1 && c.between) return "between levels";
  if (!c.linear) return "points, borders, sRGB, one of the levels";
  return std::string("linear, ") + (has(c, "3d") ? "3D" : has(c, "2d") ? "2D" : "1D");
}
struct count {
  std::size_t equal = 0, asked = 0;
};

TEST(Textures, ReadWhatAnH100Reads) {
  const std::string cubin = test::read_zstd(test::source_path("data/sm_90/textures.cubin.zst"));
  const std::string bytes = test::read_zstd(test::source_path("data/sm_90/textures.bin.zst"));
  const std::string page = test::read_text(test::source_path("docs/reference/exactness.md"));
  std::vector<std::uint32_t> measured(bytes.size() / 4);
  std::memcpy(measured.data(), bytes.data(), bytes.size());
  cuda::module* const module = load({cubin.begin(), cubin.end()});
  std::size_t at = 0;
  std::map<std::string, count> modes;
  for (texture_case c : read_cases(test::read_text(test::source_path("tests/textures/cases.txt")))) {
    c.threads = kept_threads(c);
    const std::size_t texels = std::size_t{std::max(1u, c.width)} * std::max(1u, c.height) * std::max(1u, c.depth);
    const std::size_t words =
        writes(c) ? (texels * c.channels * bytes_of(c.format) + 3) / 4 : std::size_t{4} * c.threads;
    ASSERT_LE(at + words, measured.size());
    // For derivatives of three coordinates, the driver supplies a function that the emulator does not have.
    if (c.kernel != "grad_3d") {
      const std::vector<std::uint32_t> got = results(module, c);
      ASSERT_EQ(got.size(), words) << c.kernel;
      count& mode = modes[mode_of(c)];
      for (std::size_t n = 0; n < words; ++n) mode.equal += got[n] == measured[at + n];
      mode.asked += words;
    }
    at += words;
  }
  EXPECT_EQ(at, measured.size());
  count all;
  for (const auto& [name, mode] : modes) {
    const std::string row =
        "| " + name + " | " + std::to_string(mode.equal) + " of " + std::to_string(mode.asked) + " |";
    std::puts(row.c_str());
    EXPECT_NE(page.find(row), std::string::npos) << "not in docs/reference/exactness.md: " << row;
    all.equal += mode.equal, all.asked += mode.asked;
  }
  std::printf("%zu of %zu words are equal\n", all.equal, all.asked);
}

TEST(Textures, AnswerDescriptorsAsADriver) {
  const std::string rows = test::read_text(test::source_path("data/sm_90/texture_descriptors.csv"));
  const std::string page = test::read_text(test::source_path("docs/reference/exactness.md"));
  csv_reader answers(rows, "texture_descriptors.csv");
  answers.next().value();
  start();
  std::size_t equal = 0, asked = 0;
  for (const descriptor_case& c : all_descriptors()) {
    const auto row = answers.next().value();
    ASSERT_TRUE(row) << "the results have no row for " << c.name;
    ASSERT_EQ((*row)[0].text, c.name);
    const std::string theirs((*row)[1].text), ours = c.answer();
    equal += theirs == ours;
    ++asked;
    if (theirs != ours) std::printf("%s: %s, here %s\n", c.name.c_str(), theirs.c_str(), ours.c_str());
  }
  EXPECT_FALSE(answers.next().value());
  const std::string told = std::to_string(equal) + " of " + std::to_string(asked) + " descriptors";
  EXPECT_NE(page.find(told), std::string::npos) << "not in docs/reference/exactness.md: " << told;
}

// A driver does not check whether the memory of a texture exists. Texels in existing memory can be read, and reads of
// other texels are faults.
TEST(Textures, OfMoreMemoryThanThereIs) {
  const std::string cubin = test::read_zstd(test::source_path("data/sm_90/textures.cubin.zst"));
  cuda::module* const module = load({cubin.begin(), cubin.end()});
  constexpr std::size_t texels = 64;
  std::vector<std::uint32_t> numbers(texels);
  for (std::size_t n = 0; n < texels; ++n) numbers[n] = static_cast<std::uint32_t>(100 + n);
  cuda::device_pointer memory = 0, in = 0, out = 0;
  ASSERT_EQ(cuMemAlloc_v2(&memory, texels * 4), 0);
  ASSERT_EQ(cuMemAlloc_v2(&in, 4 * 32), 0);
  ASSERT_EQ(cuMemAlloc_v2(&out, 4 * 16), 0);
  ASSERT_EQ(cuMemcpyHtoD_v2(memory, numbers.data(), texels * 4), 0);
  std::int32_t places[4][8] = {{5, 0}, {2, 1}, {63, 0}, {0, 3}};
  ASSERT_EQ(cuMemcpyHtoD_v2(in, places, sizeof places), 0);
  const auto read = [&](const char* name, const cuda::resource_descriptor& from) {
    cuda::texture_descriptor how{};
    for (int& mode : how.address_mode) mode = 1;
    how.flags = cuda::reads_integers;
    unsigned long long object = 0;
    EXPECT_EQ(cuTexObjectCreate(&object, &from, &how, nullptr), 0);
    cuda::function* kernel = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&kernel, module, name), 0);
    int threads = 4;
    void* arguments[] = {&object, &in, &out, &threads};
    EXPECT_EQ(cuLaunchKernel(kernel, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr), 0);
    std::uint32_t words[16] = {};
    EXPECT_EQ(cuMemcpyDtoH_v2(words, out, sizeof words), 0);
    EXPECT_EQ(cuTexObjectDestroy(object), 0);
    return std::vector<std::uint32_t>{words[0], words[4], words[8], words[12]};
  };
  using words = std::vector<std::uint32_t>;
  cuda::resource_descriptor linear{}, pitch{};
  linear.kind = cuda::linear_resource;
  linear.linear = {memory, cuda::unsigned_32, 1, std::size_t{1} << 30};
  EXPECT_EQ(read("fetch_1d", linear), (words{105, 102, 163, 100}));
  linear.linear.bytes = 3;
  EXPECT_EQ(read("fetch_1d", linear), (words{0, 0, 0, 0}));
  pitch.kind = cuda::pitch_2d_resource;
  pitch.pitch_2d = {memory, cuda::unsigned_32, 1, 16, 1000, 64};
  EXPECT_EQ(read("fetch_2d", pitch), (words{105, 118, 0, 148}));
  pitch.pitch_2d.width = 0;
  EXPECT_EQ(read("fetch_2d", pitch), (words{0, 0, 0, 0}));
  EXPECT_EQ(read("tex_2d", pitch), (words{0, 0, 0, 0}));
  EXPECT_EQ(read("gather_r", pitch), (words{0, 0, 0, 0}));
  for (const auto p : {memory, in, out}) EXPECT_EQ(cuMemFree_v2(p), 0);
}

}  // namespace
}  // namespace bankwise::textures
