// What an H100 read from textures and surfaces, and what the emulator reads, word by word: data/sm_90/textures.bin.zst has the
// first threads of each case, and of a case that writes all that the surface held then.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "run_case.hpp"
#include "support/files.hpp"

namespace bankwise::textures {
namespace {

constexpr std::size_t kept_threads = 64;

bool is_exact(const texture_case& c) {
  const bool plain = c.kernel == "tex_1d" || c.kernel == "tex_2d";
  const bool is_surface = c.kernel.starts_with("read_") || c.kernel.starts_with("write_");
  if (is_surface) return true;
  return plain && c.form == shape::array && !c.linear && c.levels == 1 && (c.flags & cuda::is_srgb) == 0 &&
         c.width <= 64 && c.format == cuda::float_32 && c.channels == 1 && c.flags == 0;
}

TEST(Textures, ReadWhatAnH100Reads) {
  const std::string cubin = test::read_zstd(test::source_path("data/sm_90/textures.cubin.zst"));
  const std::string bytes = test::read_zstd(test::source_path("data/sm_90/textures.bin.zst"));
  std::vector<std::uint32_t> measured(bytes.size() / 4);
  std::memcpy(measured.data(), bytes.data(), bytes.size());
  void* module = load({cubin.begin(), cubin.end()});
  std::size_t at = 0, asked = 0, equal = 0;
  for (texture_case c : all_cases()) {
    if (at == measured.size()) break;
    const bool writes = c.kernel.starts_with("write_");
    const std::size_t words =
        writes ? std::size_t{std::max(1u, c.width)} * std::max(1u, c.height) * std::max(1u, c.depth) * c.channels
               : 4 * std::min<std::size_t>(c.threads, kept_threads);
    ASSERT_LE(at + words, measured.size());
    // The driver supplies derivatives of three coordinates as a function, which is not there.
    if (c.kernel != "grad_3d") {
      if (!writes) c.threads = std::min<unsigned>(c.threads, kept_threads);
      const std::vector<std::uint32_t> got = results(module, c);
      std::size_t same = 0;
      for (std::size_t n = 0; n < words; ++n) same += got[n] == measured[at + n];
      if (is_exact(c)) {
        EXPECT_EQ(same, words) << c.kernel << " " << c.width << " " << c.format;
      }
      asked += words, equal += same;
    }
    at += words;
  }
  EXPECT_EQ(at, measured.size());
  RecordProperty("equal", static_cast<int>(equal));
  std::printf("%zu of %zu words are equal\n", equal, asked);
  EXPECT_GE(equal * 100, asked * 97);
}

}  // namespace
}  // namespace bankwise::textures
