// Tests changes other than layouts: other threads in a warp, a transposed array, and shuffles. Compares the predictions
// with the kernels of examples/fixes/moves.cu, which contain the changes.
//
// BANKWISE_REBASE=1 moves_test rewrites data/tables/moves.csv
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "advise/kernel_question.hpp"
#include "advise/turned_array.hpp"
#include "advise/warp_shapes.hpp"
#include "base/text.hpp"
#include "profile/profile_launch.hpp"
#include "support/document_tables.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"
#include "support/launch_table.hpp"
#include "support/measured.hpp"
#include "support/numbers.hpp"
#include "support/predicted_factors.hpp"

namespace bankwise {
namespace {

using test::before;
struct example {
  std::string kernel, what;
  test::kernel_launch launch;
  test::kernel_run run;
};

const std::vector<example>& examples() {
  static const auto all = [] {
    std::vector<example> made;
    for (test::launch_row& row : test::read_launches("examples/fixes")) {
      if (row.program != "moves") continue;
      row.launch.keep_accesses = std::size_t{1} << 17;
      // Sums of small numbers are exact in any order.
      for (std::size_t n = 1; n < row.launch.arguments.size(); ++n) {
        const std::string text = row.launch.arguments[n], name = "numbers" + std::to_string(n);
        const auto a = parse_argument(text, n + 1);
        if (!a || a->fill != kernel_argument::fill_kind::random) continue;
        row.launch.files[name] = test::bytes_of(test::small_numbers(a->count, a->seed));
        row.launch.arguments[n] = "f32[]=file:" + name;
      }
      auto run = test::run_kernel(row.launch);
      EXPECT_TRUE(run) << row.launch.kernel << ": " << to_text(run.error());
      if (!run) std::abort();
      made.push_back({row.launch.kernel, row.more.at(0), row.launch, std::move(*run)});
    }
    return made;
  }();
  return all;
}

const example& find(const std::string& kernel) {
  for (const example& one : examples())
    if (one.kernel == kernel) return one;
  ADD_FAILURE() << kernel;
  std::abort();
}

// The result of the launch with other threads in each warp: the wavefronts, and whether memory is the same after the
// launch.
struct tried_warps {
  std::uint64_t wavefronts = 0;
  bool same_memory = false;
};
tried_warps with_warps(const example& of, const emulate::warp_shape& shape) {
  tried_warps tried;
  const auto ran = test::prepare_kernel(
      of.launch,
      [&](emulate::launch l, emulate::device_memory& memory, const placed_arguments& placed) -> result<done> {
        l.warps = shape;
        const auto profiled = profile_launch(l, memory, of.run.whole.on);
        if (!profiled) return profiled.error();
        tried.wavefronts = profiled->sum.wavefronts;
        const std::string& left = of.run.buffers.at(0);
        tried.same_memory =
            std::memcmp(memory.bytes_at(placed.each.at(0).address, left.size()), left.data(), left.size()) == 0;
        return done{};
      });
  EXPECT_TRUE(ran) << to_text(ran.error());
  return tried;
}

const advise::kernel_array& array_of(const example& e) {
  static std::map<std::string, std::vector<advise::kernel_array>> known;
  auto& arrays = known[e.kernel];
  if (arrays.empty()) {
    auto read = advise::read_arrays(e.run.launch(), e.run.whole.on, {});
    EXPECT_TRUE(read);
    EXPECT_EQ(read->size(), 1u);
    arrays = std::move(*read);
  }
  return arrays.front();
}

// Returns the array as the source declares it: float tile[128][8].
advise::problem declared(const advise::kernel_array& a) {
  advise::problem p = a.what;
  p.element_bytes = 4;
  p.pitch_bytes = 32;
  return p;
}

// Returns the predicted number of wavefronts or shuffles for a kernel. A shuffle uses the pipe for the same time as a
// wavefront.
std::uint64_t promise_for(const std::string& kernel) {
  const example& first = find(before(kernel));
  if (kernel == "warps_rectangles") return with_warps(first, {32, 8}).wavefronts;
  if (kernel == "column_turned") return advise::turn(declared(array_of(first))).value().best.wavefronts;
  return array_of(first).through.shuffles;
}

TEST(Moves, TheOthersComputeWhatTheFirstComputes) {
  for (const example& one : examples())
    EXPECT_EQ(one.run.buffers.at(0), find(before(one.kernel)).run.buffers.at(0)) << one.kernel;
  const auto in = find("warps_before").run.buffer<float>(1), out = find("warps_before").run.buffer<float>(0);
  for (std::size_t r = 0; r < 256; ++r)
    for (std::size_t c = 0; c < 256; ++c) ASSERT_EQ(out[c * 256 + r], in[r * 256 + c]);
  const auto values = find("prefix_before").run.buffer<float>(1), sums = find("prefix_before").run.buffer<float>(0);
  float sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(sums[i], sum = i % 32 == 0 ? values[i] : sum + values[i]);
}

TEST(Moves, TheOthersCostWhatIsPromised) {
  EXPECT_EQ(find("warps_rectangles").run.launch().sum.wavefronts, promise_for("warps_rectangles"));
  EXPECT_TRUE(with_warps(find("warps_before"), {32, 8}).same_memory);
  EXPECT_EQ(find("column_turned").run.launch().sum.wavefronts, promise_for("column_turned"));
  // 64 K values are exchanged in 5 steps. In each step, one shuffle moves 32 values.
  EXPECT_EQ(promise_for("prefix_shuffled"), 5u * 65536 / 32);
  EXPECT_EQ(find("prefix_shuffled").run.launch().sum.wavefronts, 0u);
}

// For the other kernels, the report suggests no changes of these kinds.
TEST(Moves, NothingElseIsPromised) {
  EXPECT_EQ(array_of(find("warps_before")).through.shuffles, 0u);
  EXPECT_EQ(array_of(find("column_before")).through.shuffles, 0u);
  EXPECT_FALSE(advise::turn(array_of(find("warps_before")).what));
  EXPECT_TRUE(with_warps(find("prefix_before"), {64, 8}).same_memory);     // uses only threadIdx
  EXPECT_FALSE(with_warps(find("prefix_shuffled"), {64, 8}).same_memory);  // shuffles between the lanes of a warp
}

// --- counts and times of an H100

std::map<std::string, test::timed_kernel> read_measured() { return test::read_timed("data/sm_90/fix_moves.csv"); }

TEST(Moves, TheEmulatorCountsWhatTheH100Did) {
  const auto counted = read_measured();
  EXPECT_EQ(counted.size(), examples().size());
  for (const example& one : examples())
    EXPECT_EQ(one.run.launch().sum.wavefronts, counted.at(one.kernel).wavefronts) << one.kernel;
}

TEST(Moves, TheTableIsCurrent) {
  const auto on_gpu = read_measured();
  std::string table =
      "| kernel | method | promised by `_before` | emulator | H100 | H100, µs | against before | H100, cycles | predicted |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const example& one : examples()) {
    const bool is_before = one.kernel == before(one.kernel);
    const test::timed_kernel& m = on_gpu.at(one.kernel);
    const double was = std::stod(on_gpu.at(before(one.kernel)).microseconds), is = std::stod(m.microseconds);
    table +=
        "| " + one.kernel + " | " + one.what + " | " +
        (is_before ? "" : grouped(promise_for(one.kernel)) + (one.kernel.ends_with("_shuffled") ? " shuffles" : "")) +
        " | " + grouped(one.run.launch().sum.wavefronts) + " | " + grouped(m.wavefronts) + " | " + m.microseconds +
        " | " + (is_before ? "" : fixed(was / is, 2) + "x") + " | " +
        test::predicted_factors(one.kernel, before(one.kernel)) + " |\n";
  }
  test::expect_as_csv("data/tables/moves.csv", table);
}

}  // namespace
}  // namespace bankwise
