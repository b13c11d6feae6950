// Tests how a cubin is loaded as a program.
#include "cubin/load_cubin.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "cubin/kernel_names.hpp"
#include "support/files.hpp"

namespace bankwise::cubin {
namespace {

std::vector<std::byte> bytes_of_file(const char* name) { return test::read_bytes(test::source_path(name)); }

TEST(LoadCubin, HasKernelsWithWhatTheirLaunchNeeds) {
  const auto p = load_cubin(bytes_of_file("examples/transpose.cubin"), "transpose.cubin");
  ASSERT_TRUE(p) << to_text(p.error());
  EXPECT_EQ(p->sm, 90u);
  EXPECT_FALSE(p->linked);
  const auto k = find_kernel(*p, "transpose_plain");
  ASSERT_TRUE(k) << to_text(k.error());
  EXPECT_EQ((*k)->full_name, "transpose_plain(float*, float const*, int)");
  EXPECT_EQ((*k)->static_shared_bytes, 32u * 32 * 4);
  EXPECT_EQ((*k)->reserved_shared_bytes, 1024u);
  ASSERT_EQ((*k)->params.size(), 3u);
  EXPECT_EQ((*k)->params[1].offset, 8u);
  EXPECT_EQ(parameter_bytes(**k), 20u);
}

// Two programs in one memory have different addresses. The code of the programs differs only in instructions that
// contain an address.
TEST(LoadCubin, AddressesBeginWhereTheyAreAskedTo) {
  const auto bytes = bytes_of_file("fuzz/corpus/cubin/linked.cubin");
  const auto here = load_cubin(bytes, "a"), there = load_cubin(bytes, "a", {.code = code_base + (1u << 20)});
  ASSERT_TRUE(here && there);
  bool moved = false;
  ASSERT_EQ(here->sections.size(), there->sections.size());
  for (std::size_t i = 0; i < here->sections.size(); ++i) {
    EXPECT_EQ(there->sections[i].address - here->sections[i].address, 1u << 20);
    moved = moved || there->sections[i].bytes != here->sections[i].bytes;
  }
  EXPECT_TRUE(moved);
}

// The relocations of txq.channel_order in a module. The test writes these relocations over others.
TEST(LoadCubin, QueriesOfFormatsAreRefused) {
  auto bytes = bytes_of_file("fuzz/corpus/cubin/linked.cubin");
  const auto read = [&]<class T>(std::size_t at, T) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  constexpr std::uint32_t with_addends = 4, query = 55;
  const auto headers = read(40, std::uint64_t());
  for (std::uint16_t n = 0; n < read(60, std::uint16_t()); ++n) {
    const std::size_t header = headers + n * std::size_t{64};
    if (read(header + 4, std::uint32_t()) != with_addends) continue;
    for (std::size_t at = 0; at < read(header + 32, std::uint64_t()); at += 24)
      std::memcpy(bytes.data() + read(header + 24, std::uint64_t()) + at + 8, &query, sizeof query);
  }
  const auto p = load_cubin(bytes, "a");
  ASSERT_FALSE(p);
  EXPECT_NE(p.error().message.find("bankwise executes only queries of the sizes"), std::string::npos)
      << p.error().message;
}

TEST(LoadCubin, WhatIsNoneIsRefused) {
  EXPECT_EQ(load_cubin(test::read_bytes("/proc/self/exe"), "a").error().message,
            "a is an ELF file, but not machine code for a GPU");
  auto object = bytes_of_file("examples/transpose.cubin");
  const std::uint16_t relocatable = 1;
  std::memcpy(object.data() + 16, &relocatable, sizeof relocatable);  // e_type
  EXPECT_EQ(load_cubin(object, "a").error().message, "a is not linked, because it was compiled with -rdc=true or -dc");
}

}  // namespace
}  // namespace bankwise::cubin
