// Tests requests, sectors and lines in the report of kernels that read textures and access surfaces.
#include <gtest/gtest.h>

#include "emulate/memory/memory.hpp"
#include "profile/profile_launch.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

constexpr std::uint32_t handle = 5, other_handle = 6;

// Makes an object of 64 x 64 floats in the memory of the first argument.
emulate::texture object_in(std::uint64_t address, bool is_surface) {
  emulate::texture t;
  t.is_surface = is_surface;
  t.format = {emulate::texel_kind::floating, 32, 1};
  t.levels = {{address, 64, 64, 1, 256, 256 * 64}};
  return t;
}

launch_report report_of(const char* kernel, std::vector<std::string> arguments, const auto& make_objects) {
  launch_report found;
  const auto ran =
      test::prepare_kernel({.cubin = "tests/kernels/texels.cubin",
                            .kernel = kernel,
                            .grid = {2, 1, 1},
                            .block = {32, 1, 1},
                            .arguments = std::move(arguments)},
                           [&](emulate::launch l, emulate::device_memory& memory, const auto&) -> result<done> {
                             make_objects(memory);
                             l.counts_global = true;
                             auto report = profile_launch(l, memory, *find_machine("sm_90"));
                             if (!report) return report.error();
                             found = std::move(*report);
                             return done{};
                           });
  EXPECT_TRUE(ran) << to_text(ran.error());
  return found;
}

using numbers = std::array<std::uint64_t, 6>;
numbers numbers_of(const global_site& s) {
  return {s.executed, s.requests, s.sectors, s.sectors_ideal, s.tag_requests, s.bytes};
}

// Returns the sites of textures and surfaces.
std::vector<global_site> texel_sites(const launch_report& l) {
  std::vector<global_site> all;
  for (const global_site& s : l.global_sites)
    if (!is_global(s.kind)) all.push_back(s);
  return all;
}

TEST(TextureCounts, FetchesOfLinearMemoryWithAGuard) {
  const launch_report l =
      report_of("fetches", {"out:f32[4096]", "u64=5", "u32=12"}, [](emulate::device_memory& memory) {
        emulate::texture t = object_in(0x700000000000, false);
        t.shape = emulate::texture_shape::one;
        t.is_linear_memory = true;
        t.levels = {{0x700000000000, 4096, 1, 1, 16384, 16384}};
        memory.textures[handle] = t;
      });
  const std::vector<global_site> sites = texel_sites(l);
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_EQ(sites[0].kind, global_kind::texture_read);
  EXPECT_EQ(memory_of(sites[0].kind), memory_kind::texture);
  EXPECT_EQ(sites[0].width_bytes, 4u);
  EXPECT_EQ(sites[0].line, 3u);
  // In each warp, 12 lanes are active. These lanes make two requests of up to 8 lanes.
  EXPECT_EQ(numbers_of(sites[0]), (numbers{2, 4, 4, 4, 4, 96}));
  EXPECT_EQ(sum_of(l.global_sites).requests, 2u) << "only the stores access global memory";
  EXPECT_EQ(sum_of(l.global_sites, memory_kind::texture).sectors, 4u);
}

TEST(TextureCounts, ReadsOfAnArray) {
  const launch_report l = report_of("reads_a_row", {"out:f32[4096]", "u64=5"}, [](emulate::device_memory& memory) {
    memory.textures[handle] = object_in(0x700000000000, false);
  });
  const std::vector<global_site> sites = texel_sites(l);
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_EQ(numbers_of(sites[0]), (numbers{2, 16, 16, 16, 16, 256}));
}

TEST(TextureCounts, SurfacesReadAndWritten) {
  const launch_report l = report_of("copies_a_column", {"u64=5", "u64=6"}, [](emulate::device_memory& memory) {
    const auto room = memory.allocate(2 * 16384, "two surfaces");
    memory.textures[handle] = object_in(*room, true);
    memory.textures[other_handle] = object_in(*room + 16384, true);
  });
  const std::vector<global_site> sites = texel_sites(l);
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_EQ(sites[0].kind, global_kind::surface_load);
  EXPECT_EQ(sites[1].kind, global_kind::surface_store);
  for (const global_site& s : sites) EXPECT_EQ(numbers_of(s), (numbers{2, 8, 32, 8, 16, 256})) << s.sass;
}

}  // namespace
}  // namespace bankwise
