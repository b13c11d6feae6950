// Tests the assertions for users' tests, and their messages.
#include "bankwise/testing.hpp"

#include <gtest/gtest-spi.h>

#include <stdexcept>
#include <string>

#include "bankwise/bankwise.hpp"

namespace {

using bankwise::by_lane;
using bankwise::element;
using bankwise::ld;
using bankwise::u32;

const auto column = by_lane(ld(4), [](u32 t) { return element{t, 0}; });

// Compares the message of a failing statement, except its first line, which repeats the statement.
#define EXPECT_SAYS(statement, text)                                                              \
  do {                                                                                            \
    ::testing::TestPartResultArray failures;                                                      \
    {                                                                                             \
      ::testing::ScopedFakeTestPartResultReporter catch_them(                                     \
          ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures); \
      statement;                                                                                  \
    }                                                                                             \
    ASSERT_EQ(failures.size(), 1);                                                                \
    EXPECT_EQ(without_first_line(failures.GetTestPartResult(0).message()), text);                 \
  } while (false)

// Some versions of GoogleTest end a message without a line break after our last line. Other versions add a line break.
std::string without_first_line(std::string s) {
  s.erase(s.find_last_not_of('\n') + 1);
  return s.substr(s.find('\n') + 1) + '\n';
}

TEST(Testing, WhatIsRightPasses) {
  EXPECT_WAVEFRONTS(bankwise::make_access(ld(4), [](u32 t) { return t * 132; }), 1);
  EXPECT_WAVEFRONTS(by_lane(ld(16), [](u32 t) { return t * 16; }), 4);
  EXPECT_WAVEFRONTS(bankwise::tile_layout{4, 128}, column, 32);
  EXPECT_WAVEFRONTS(bankwise::tile_layout{4, 132}, column, 1);
  EXPECT_CONFLICT_FREE(bankwise::tile_layout{4, 132}, column);
  EXPECT_CONFLICT_FREE(bankwise::make_access(ld(4), [](u32 t) { return t * 4; }));
  ASSERT_WAVEFRONTS(by_lane(ld(4), [](u32) { return 0; }), 1);
  ASSERT_CONFLICT_FREE(by_lane(ld(4), [](u32 t) { return t * 4; }));
}

TEST(Testing, ALayoutIsWhateverCanBeCalled) {
  // If an access has byte offsets, the layout is called with a byte offset, as for a swizzle. If an access has
  // elements, the layout is called with the row and the column.
  const auto rows = by_lane(bankwise::ldmatrix(1), [](u32 t) { return t * 128; });
  EXPECT_WAVEFRONTS(rows, 8);
  EXPECT_WAVEFRONTS(bankwise::swizzle{3, 4, 3}, rows, 1);
  EXPECT_WAVEFRONTS(bankwise::swizzle{3, 4, 3},
                    bankwise::make_access(bankwise::ldmatrix(1), [](u32 t) { return t * 128; }), 1);
  EXPECT_CONFLICT_FREE([](int row, int k) { return (row * 32 + (k ^ row)) * 4; }, column);
}

TEST(Testing, InactiveLanesAreNotAsked) {
  const auto first_half = by_lane(
      ld(4), [](u32 t) { return t < 16 ? t * 128 : throw std::runtime_error("lane " + std::to_string(t)); }, 0xffff);
  EXPECT_WAVEFRONTS(first_half, 16);
}

TEST(Testing, OtherMachinesAreAnArgument) {
  EXPECT_WAVEFRONTS(by_lane(ld(4), [](u32 t) { return t * 8; }), 1, bankwise::kepler_model(8));
  EXPECT_WAVEFRONTS(bankwise::tile_layout{4, 128}, column, 16, bankwise::kepler_model(4));
  EXPECT_CONFLICT_FREE(by_lane(ld(4), [](u32 t) { return t * 8; }), bankwise::kepler_model(8));
}

TEST(Testing, AFailureShowsWhatWasAsked) {
  ::testing::TestPartResultArray failures;
  {
    ::testing::ScopedFakeTestPartResultReporter catch_them(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    EXPECT_CONFLICT_FREE(bankwise::tile_layout{4, 128}, column);
  }
  ASSERT_EQ(failures.size(), 1);
  EXPECT_FALSE(failures.GetTestPartResult(0).fatally_failed());
  const std::string message = failures.GetTestPartResult(0).message();
  EXPECT_EQ(message.substr(0, message.find('\n')), "EXPECT_CONFLICT_FREE(bankwise::tile_layout{4, 128}, column)");
}

TEST(Testing, AConflictNamesItsLanesAndWords) {
  EXPECT_SAYS(EXPECT_WAVEFRONTS(bankwise::tile_layout{4, 128}, column, 1), R"(  takes 32 wavefronts, 1 expected
  ld.b32 of 32 lanes, 32 banks of 4 bytes: 1 is reachable, a layout can save up to 31
  phase 0, lanes 0-31: bank 0 must serve 32 words
    word 0      bytes 0-3          lane 0
    word 32     bytes 128-131      lane 1
    word 64     bytes 256-259      lane 2
    word 96     bytes 384-387      lane 3
    word 128    bytes 512-515      lane 4
    word 160    bytes 640-643      lane 5
    word 192    bytes 768-771      lane 6
    word 224    bytes 896-899      lane 7
    ... and 24 words more
)");
  EXPECT_SAYS(EXPECT_CONFLICT_FREE(by_lane(
                  ld(4), [](u32 t) { return t / 8 * 128; }, 0xff00ff)),
              R"(  takes 2 wavefronts
  ld.b32 of 16 lanes, 32 banks of 4 bytes: 1 is reachable, a layout can save up to 1
  phase 0, lanes 0-7, 16-23: bank 0 must serve 2 words
    word 0      bytes 0-3          lanes 0-7
    word 64     bytes 256-259      lanes 16-23
)");
}

TEST(Testing, PhasesAreListed) {
  EXPECT_SAYS(EXPECT_WAVEFRONTS(by_lane(ld(16), [](u32 t) { return t < 8 ? t * 16 : t * 64; }), 4),
              R"(  takes 13 wavefronts, 4 expected
  ld.b128 of 32 lanes, 32 banks of 4 bytes: 4 are reachable, a layout can save up to 9
  phase 1, lanes 8-15: bank 0 must serve 4 words
    word 128    bytes 512-515      lane 8
    word 160    bytes 640-643      lane 10
    word 192    bytes 768-771      lane 12
    word 224    bytes 896-899      lane 14
  wavefronts by phase: 1, 4, 4, 4
)");
}

TEST(Testing, LanesThatCannotShareQueue) {
  EXPECT_SAYS(EXPECT_CONFLICT_FREE(by_lane(bankwise::atom(4), [](u32 t) { return t % 4 * 4; })),
              R"(  takes 8 wavefronts
  atom.b32 of 32 lanes, 32 banks of 4 bytes: 1 is reachable; fewer than 8 wavefronts are possible only if fewer lanes want the same word
  phase 0, lanes 0-31: bank 0 must serve 1 word
    word 0      bytes 0-3          lanes 0, 4, 8, 12, 16, 20, 24, 28, one after another
)");
  EXPECT_SAYS(EXPECT_WAVEFRONTS(by_lane(bankwise::cas(4), [](u32 t) { return t % 4 * 128; }), 2),
              R"(  takes 64 wavefronts, 2 expected
  atom.cas.b32 of 32 lanes, 32 banks of 4 bytes: 2 are reachable, a layout can save up to 48; fewer than 16 wavefronts are possible only if fewer lanes want the same word
  phase 0, lanes 0-31: bank 0 must serve 4 words
    word 0      bytes 0-3          lanes 0, 4, 8, 12, 16, 20, 24, 28, one after another
    word 32     bytes 128-131      lanes 1, 5, 9, 13, 17, 21, 25, 29, one after another
    word 64     bytes 256-259      lanes 2, 6, 10, 14, 18, 22, 26, 30, one after another
    word 96     bytes 384-387      lanes 3, 7, 11, 15, 19, 23, 27, 31, one after another
  a compare-and-swap accesses each bank twice
)");
}

TEST(Testing, FewerThanExpectedFails) {
  EXPECT_SAYS(EXPECT_WAVEFRONTS(by_lane(ld(4), [](u32 t) { return t * 4; }), 2), R"(  takes 1 wavefront, 2 expected
  ld.b32 of 32 lanes, 32 banks of 4 bytes: 1 is reachable
)");
}

TEST(Testing, WhatTheHardwareRefusesFails) {
  EXPECT_SAYS(EXPECT_WAVEFRONTS(by_lane(ld(4), [](u32 t) { return t * 6; }), 2),
              "  lane 1: byte offset 6 is not a multiple of 4, the width of ld.b32, so the hardware faults\n");
  EXPECT_SAYS(EXPECT_CONFLICT_FREE(by_lane(ld(12), [](u32 t) { return t * 12; })), "  unknown operation: ld.b96\n");
}

TEST(Testing, OperationsAreNamedAsInPtx) {
  using namespace bankwise;
  const std::pair<operation, const char*> names[] = {{ld(1), "ld.b8"},
                                                     {st(8), "st.b64"},
                                                     {ldmatrix(4), "ldmatrix.x4"},
                                                     {stmatrix(2), "stmatrix.x2"},
                                                     {atom(8), "atom.b64"},
                                                     {red(4), "red.b32"},
                                                     {cas(4), "atom.cas.b32"},
                                                     {cas_spin(4), "atom.cas.spin.b32"},
                                                     {popc_inc(), "popc.inc"},
                                                     {cp_async(8), "cp.async.b64"},
                                                     {cp_async_cg(), "cp.async.cg.b128"}};
  for (const auto& [op, name] : names) EXPECT_EQ(detail::operation_text(op), name);
  operation none = ld(4);
  none.kind = static_cast<op_kind>(99);
  EXPECT_EQ(detail::operation_text(none), "operation 99");
}

}  // namespace
