// Compares single instructions with the hardware's counts: atomics that are loops, and loads, stores and atomics
// through generic pointers. Some of these pointers point to other memory (tests/kernels/instructions.cu,
// data/sm_90/instructions.csv.zst).
#include <gtest/gtest.h>

#include <map>

#include "bankwise/wavefronts.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

struct row {
  std::string kernel;
  u32 mask = 0, elsewhere = 0;
  std::uint64_t ld = 0, st = 0, atom = 0;
  access what{};
};

std::vector<row> measured() {
  static const std::string text = test::read_zstd(test::source_path("data/sm_90/instructions.csv.zst"));
  csv_reader csv(text, "instructions.csv");
  csv.next().value();  // the header
  std::vector<row> rows;
  while (auto fields = csv.next().value()) {
    const auto number = [&](std::size_t i, const char* prefix = "") {
      return parse_u64(prefix + std::string((*fields)[i].text)).value();
    };
    row r{std::string((*fields)[0].text),
          static_cast<u32>(number(1, "0x")),
          static_cast<u32>(number(2, "0x")),
          number(3),
          number(4),
          number(5),
          {}};
    r.what.mask = r.mask & ~r.elsewhere;
    for (u32 i = 0; i < 32; ++i) r.what.address[i] = static_cast<u32>(number(6 + i));
    rows.push_back(std::move(r));
  }
  return rows;
}

constexpr u32 shared_bytes = 48 * 1024;  // as in instructions.cu, which clears this memory with stores of 16 bytes

TEST(Instructions, CostWhatTheHardwareCounted) {
  std::map<std::string, std::pair<int, int>> equal;  // by kernel: number of rows that agree, and number of all rows
  for (const row& r : measured()) {
    // The emulator does not execute these instructions. The next test predicts their counts.
    if (r.kernel.ends_with("_b128") && r.kernel.starts_with("atom")) continue;
    std::vector<u32> words{r.mask, r.elsewhere};
    words.insert(words.end(), std::begin(r.what.address), std::end(r.what.address));
    const auto run = test::run_kernel({.cubin = "tests/kernels/instructions.cubin",
                                       .kernel = r.kernel,
                                       .shared = shared_bytes,
                                       .arguments = {"u8[136]=file:row", "out:u32[1024]", "u8[4096]=zero", "i32=1"},
                                       .files = {{"row", test::bytes_of(words)}}});
    ASSERT_TRUE(run) << to_text(run.error());
    std::uint64_t ld = 0, st = 0, atom = 0;
    for (const site& s : run->launch().sites) {
      const op_kind kind = s.op.op.kind;
      (kind == op_kind::load ? ld : kind == op_kind::store ? st : atom) += s.wavefronts;
    }
    // An atomic through a generic pointer takes one pass, and a compare-and-swap takes two passes, even if no lane
    // accesses shared memory. In this case, the atomic does not count as an access to shared memory and is in no
    // report. A float atomic begins with such an atomic, which determines the lanes that must execute the loop.
    if (r.kernel.starts_with("generic") && r.what.mask == 0 && r.atom != 0)
      atom += r.kernel == "generic_atom_cas_b32" ? 2 : 1;
    const bool same = ld == r.ld && st == r.st && atom == r.atom;
    equal[r.kernel].first += same;
    ++equal[r.kernel].second;
    EXPECT_TRUE(same) << r.kernel << " mask " << hex(r.mask, 8) << " elsewhere " << hex(r.elsewhere, 8) << ": ld " << ld
                      << " of " << r.ld << ", st " << st << " of " << r.st << ", atom " << atom << " of " << r.atom;
  }
  EXPECT_EQ(equal.size(), 33u);
  for (const auto& [kernel, n] : equal) EXPECT_EQ(n.first, n.second) << kernel;
}

// 128-bit exchanges and compare-and-swaps have four phases. Lanes that access the same word wait for each other, as
// with 64 bits.
TEST(Instructions, AtomicsOf128BitsFollowTheRuleToo) {
  int rows = 0;
  for (const row& r : measured()) {
    const bool exchange = r.kernel == "atom_exch_b128";
    if (!exchange && r.kernel != "atom_cas_b128") continue;
    access a = r.what;
    a.op = {exchange ? op_kind::atomic : op_kind::compare_and_swap, 16, 0, true, false};
    EXPECT_EQ(wavefronts(a), r.atom) << r.kernel;
    ++rows;
  }
  EXPECT_EQ(rows, 120);
}

}  // namespace
}  // namespace bankwise
