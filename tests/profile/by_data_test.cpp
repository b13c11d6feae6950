// Tests arrays whose elements the data select. Compares the predicted savings with the kernels of
// examples/fixes/by_data.cu. Also compares made-up inputs with real inputs.
//
// BANKWISE_REBASE=1 by_data_test rewrites data/tables/by_data.csv
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "advise/data_remedies.hpp"
#include "advise/kernel_question.hpp"
#include "base/text.hpp"
#include "report/sections/data_remedy_report.hpp"
#include "support/document_tables.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"
#include "support/launch_table.hpp"
#include "support/measured.hpp"
#include "support/predicted_factors.hpp"

namespace bankwise {
namespace {

using advise::data_remedies;
using advise::data_remedy;
using advise::data_remedy_kind;
using test::before;

struct example {
  std::string kernel, what;
  test::kernel_launch launch;
  test::kernel_run run;
};

test::kernel_run run(test::kernel_launch launch) {
  launch.keep_accesses = std::size_t{1} << 17;
  auto made = test::run_kernel(launch);
  EXPECT_TRUE(made) << launch.kernel << ": " << to_text(made.error());
  if (!made) std::abort();
  return std::move(*made);
}

const std::vector<example>& examples() {
  static const auto all = [] {
    std::vector<example> made;
    for (test::launch_row& row : test::read_launches("examples/fixes"))
      if (row.program == "by_data") made.push_back({row.launch.kernel, row.more.at(0), row.launch, run(row.launch)});
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

data_remedies remedies(const test::kernel_run& of) {
  const auto arrays = advise::read_arrays(of.launch(), of.whole.on, {});
  EXPECT_TRUE(arrays);
  EXPECT_EQ(arrays->size(), 1u);
  return advise::find_data_remedies(arrays->front().what);
}

const data_remedy& promise_for(const data_remedies& d, const std::string& kernel) {
  const bool shuffles = kernel.ends_with("_shuffled");
  const u32 copies = kernel.starts_with("codes") ? 16 : 32, instead_of = kernel.starts_with("bytes") ? 8 : 1;
  for (const data_remedy& r : d.list)
    if (shuffles ? r.kind == data_remedy_kind::shuffle
                 : r.kind == data_remedy_kind::copies && r.copies == copies && r.instead_of == instead_of)
      return r;
  ADD_FAILURE() << kernel;
  std::abort();
}

TEST(ByData, TheOthersComputeWhatTheFirstComputes) {
  for (const example& one : examples()) {
    SCOPED_TRACE(one.kernel);
    EXPECT_EQ(one.run.buffers.at(0), find(before(one.kernel)).run.buffers.at(0));
  }
  const auto in = find("lookup_before").run.buffer<unsigned>(2), table = find("lookup_before").run.buffer<unsigned>(1);
  const auto looked_up = find("lookup_before").run.buffer<unsigned>(0);
  std::vector<unsigned> counts(8 * 256);
  for (std::size_t i = 0; i < in.size(); ++i) {
    unsigned sum = 0;
    for (int shift = 0; shift < 32; shift += 8) {
      sum ^= table[in[i] >> shift & 255];
      ++counts[i / 4 / 256 % 8 * 256 + (in[i] >> shift & 255)];
    }
    EXPECT_EQ(looked_up[i], sum);
    EXPECT_EQ(find("codes_before").run.buffer<double>(0)[i], in[i] % 32);
  }
  EXPECT_EQ(find("bytes_before").run.buffer<unsigned>(0), counts);
}

TEST(ByData, TheOthersCostWhatIsPromised) {
  for (const example& one : examples()) {
    if (one.kernel == before(one.kernel)) continue;
    SCOPED_TRACE(one.kernel);
    const test::kernel_run& first = find(before(one.kernel)).run;
    const data_remedies d = remedies(first);
    EXPECT_EQ(d.list.at(0).wavefronts.at(0), first.launch().sum.wavefronts);
    const data_remedy& promise = promise_for(d, one.kernel);
    if (promise.kind == data_remedy_kind::shuffle) {
      EXPECT_EQ(one.run.launch().sum.wavefronts, 0u);
      EXPECT_EQ(promise.wavefronts.at(0), 2u * 32 * 1024 / 32) << "two shuffles for each of 32 K doubles, by 32 lanes";
    } else {
      EXPECT_EQ(one.run.launch().sum.wavefronts, promise.wavefronts.at(0));
      EXPECT_EQ(one.run.launch().static_shared_bytes, promise.bytes);
    }
  }
}

// The CPU sorts the data. Then the emulator must count the predicted number of wavefronts. (In the histogram, a warp
// accesses the four bytes of each word one after another.)
TEST(ByData, SortedInputCostsWhatIsPromised) {
  const example& one = find("codes_before");
  test::kernel_launch sorted = one.launch;
  auto words = one.run.buffer<unsigned>(2);
  for (unsigned& w : words) w %= 32;
  std::sort(words.begin(), words.end());
  sorted.files["sorted"] = test::bytes_of(words);
  sorted.arguments.at(2) = "u32[]=file:sorted";
  const data_remedies d = remedies(one.run);
  const auto promise =
      std::find_if(d.list.begin(), d.list.end(), [](const data_remedy& r) { return r.kind == data_remedy_kind::sort; });
  ASSERT_NE(promise, d.list.end());
  // Lanes share a word depending on how the work is divided among warps. So the counts differ slightly.
  EXPECT_NEAR(static_cast<double>(run(sorted).launch().sum.wavefronts), static_cast<double>(promise->wavefronts.at(0)),
              64);
}

// Random words are uniform. So this test makes skewed words: each byte is an element of a shuffled sequence.
TEST(ByData, MadeUpInputsCostWhatSuchInputsCost) {
  for (const char* kernel : {"bytes_before", "lookup_before", "codes_before"}) {
    SCOPED_TRACE(kernel);
    const example& one = find(kernel);
    const data_remedy as_it_is = remedies(one.run).list.at(0);
    const auto count = [](std::uint64_t n) { return static_cast<double>(n); };
    EXPECT_NEAR(count(as_it_is.wavefronts.at(1)), count(as_it_is.wavefronts.at(0)),
                0.02 * count(as_it_is.wavefronts.at(0)));

    const std::size_t of = std::string(kernel) == "codes_before" ? 32 : 256, last = one.launch.arguments.size() - 2;
    std::vector<double> up_to;
    double sum = 0;
    for (std::size_t n = 1; n <= of; ++n) up_to.push_back(sum += 1.0 / static_cast<double>(n));
    std::uint64_t state = 12345;
    const auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u, state >> 33; };
    std::vector<unsigned> order(of), words(32 * 1024);
    for (std::size_t n = 0; n < of; ++n) order[n] = static_cast<unsigned>(n);
    for (std::size_t n = of; n > 1; --n) std::swap(order[n - 1], order[next() % n]);
    for (unsigned& word : words)
      for (int byte = 0; byte < 4; ++byte) {
        const double at = static_cast<double>(next()) * 0x1p-31 * sum;
        const auto rank = static_cast<std::size_t>(std::upper_bound(up_to.begin(), up_to.end(), at) - up_to.begin());
        word = word << 8 | order[std::min(rank, of - 1)];
      }
    test::kernel_launch skewed = one.launch;
    skewed.files["skewed"] = test::bytes_of(words);
    skewed.arguments.at(last) = "u32[]=file:skewed";
    // Chance determines which words most lanes access, and whether these words share a bank.
    const double there = count(run(skewed).launch().sum.wavefronts);
    EXPECT_NEAR(count(as_it_is.wavefronts.at(2)), there, 0.08 * there);
  }
}

// --- counts and times of an H100

std::map<std::string, test::timed_kernel> read_measured() { return test::read_timed("data/sm_90/fix_by_data.csv"); }

TEST(ByData, TheEmulatorCountsWhatTheH100Did) {
  const auto counted = read_measured();
  EXPECT_EQ(counted.size(), examples().size());
  for (const example& one : examples())
    EXPECT_EQ(one.run.launch().sum.wavefronts, counted.at(one.kernel).wavefronts) << one.kernel;
}

TEST(ByData, TheTableIsCurrent) {
  const auto on_gpu = read_measured();
  std::string table =
      "| kernel | method | bytes | promised by `_before` | uniform | skewed | emulator | H100 | H100, µs | H100, cycles | predicted |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const example& one : examples()) {
    const data_remedies d = remedies(find(before(one.kernel)).run);
    const bool is_before = one.kernel == before(one.kernel);
    const data_remedy& r = is_before ? d.list.at(0) : promise_for(d, one.kernel);
    const test::timed_kernel& m = on_gpu.at(one.kernel);
    table += "| " + one.kernel + " | " + one.what + " | " + grouped(one.run.launch().static_shared_bytes) + " | " +
             (is_before ? "" : grouped(r.wavefronts.at(0))) + " | " + grouped(r.wavefronts.at(1)) + " | " +
             grouped(r.wavefronts.at(2)) + " | " + grouped(one.run.launch().sum.wavefronts) + " | " +
             grouped(m.wavefronts) + " | " + m.microseconds + " | " +
             test::predicted_factors(one.kernel, before(one.kernel)) + " |\n";
  }
  test::expect_as_csv("data/tables/by_data.csv", table);
}

}  // namespace
}  // namespace bankwise
