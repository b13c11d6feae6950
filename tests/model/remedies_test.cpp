// Tests sites whose lanes and warps access one word. The kernels of examples/fixes/contention.cu apply the remedies.
// Compares the predicted savings with these kernels, and with the counts of these kernels on an H100.
//
// BANKWISE_REBASE=1 remedies_test rewrites data/tables/remedies.csv
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "base/csv.hpp"
#include "base/random_numbers.hpp"
#include "base/text.hpp"
#include "model/remedies.hpp"
#include "support/document_tables.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"
#include "support/launch_table.hpp"
#include "support/numbers.hpp"
#include "support/predicted_factors.hpp"

namespace bankwise {
namespace {

using test::before;

struct example {
  std::string kernel, what;
  test::kernel_run run;
};

// Returns the words that the program uses, which are u32[COUNT]=random:1.
std::vector<unsigned> words() {
  std::vector<unsigned> all;
  for (std::uint64_t i = 0; i < 8 * 256; ++i)
    all.push_back(static_cast<unsigned>(mixed_bits(0x2545f4914f6cdd1d + (i + 1) * random_step)));
  return all;
}

std::vector<float> values() {
  std::vector<float> all;
  for (const unsigned word : words()) all.push_back(static_cast<float>(word >> 8 & 7));
  return all;
}

const std::vector<example>& examples() {
  static const auto all = [] {
    std::vector<example> made;
    for (test::launch_row& row : test::read_launches("examples/fixes")) {
      if (row.program != "contention") continue;
      row.launch.files["values"] = test::bytes_of(values());
      for (std::string& a : row.launch.arguments)
        if (a.starts_with("f32") && a.find("random") != std::string::npos) a = "f32[]=file:values";
      auto run = test::run_kernel(row.launch);
      EXPECT_TRUE(run) << row.launch.kernel << ": " << to_text(run.error());
      if (run) made.push_back({row.launch.kernel, row.more.at(0), std::move(*run)});
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

// Returns the only atomic at which lanes retry or queue.
const site& atomic_of(const test::kernel_run& run) {
  for (const site& s : run.launch().sites)
    if (s.sass.starts_with("ATOMS.CAS") || s.sass.starts_with("ATOMS.ADD")) return s;
  ADD_FAILURE() << "the launch has no atomic with retries or queues";
  std::abort();
}
bool is_loop(const site& s) { return s.sass.starts_with("ATOMS.CAS"); }
// Returns the cost of an atomic in the unit that its remedies use: executions for a loop, otherwise wavefronts.
std::uint64_t cost_of(const site& s) { return is_loop(s) ? s.executed : s.wavefronts; }

std::optional<remedy> promise_for(const std::string& kernel) {
  const std::string how = kernel.substr(kernel.find('_') + 1);
  const remedy_kind kind = how == "combined"         ? remedy_kind::combine
                           : how == "warps"          ? remedy_kind::copy_a_warp
                           : how == "combined_warps" ? remedy_kind::combine_and_copy_a_warp
                                                     : remedy_kind::copy_a_lane;
  const test::kernel_run& run = find(before(kernel)).run;
  for (const remedy& one : remedies_of(run.launch(), atomic_of(run)))
    if (one.what == kind) return one;
  return {};
}

TEST(Remedies, ComputeWhatTheFirstComputes) {
  const std::vector<float> in = values();
  const std::vector<unsigned> data = words();
  for (const example& one : examples()) {
    SCOPED_TRACE(one.kernel);
    EXPECT_EQ(one.run.buffers.at(0), find(before(one.kernel)).run.buffers.at(0));
    for (std::size_t block = 0; block < 8; ++block) {
      float sum = 0, squares = 0, peak = 0;
      std::vector<unsigned> bins(64);
      for (std::size_t i = block * 256; i < (block + 1) * 256; ++i) {
        sum += in[i];
        squares += in[i] * in[i];
        peak = std::max(peak, in[i]);
        bins[(data[i] & 255) * (data[i] >> 8 & 255) >> 10] += data[i] >> 16 & 15;
      }
      const auto result = [&] { return one.run.buffer<float>(0).at(block); };
      if (one.kernel.starts_with("sum")) {
        EXPECT_EQ(result(), sum);
      }
      if (one.kernel.starts_with("peak")) {
        EXPECT_EQ(result(), peak);
      }
      if (one.kernel.starts_with("lock")) {
        EXPECT_EQ(result(), sum + squares);
      }
      for (std::size_t bin = 0; bin < 64; ++bin) {
        if (one.kernel.starts_with("bins")) {
          EXPECT_EQ(one.run.buffer<unsigned>(0).at(block * 64 + bin), bins[bin]);
        }
        if (one.kernel.starts_with("weights")) {
          EXPECT_EQ(one.run.buffer<float>(0).at(block * 64 + bin), static_cast<float>(bins[bin]));
        }
      }
    }
  }
}

TEST(Remedies, CostWhatTheReportPromises) {
  std::size_t promised = 0;
  for (const example& one : examples()) {
    if (one.kernel == before(one.kernel)) continue;
    SCOPED_TRACE(one.kernel);
    const auto promise = promise_for(one.kernel);
    ASSERT_TRUE(promise);
    EXPECT_GE(cost_of(atomic_of(one.run)), promise->least);
    if (promise->bounded) {
      EXPECT_LE(cost_of(atomic_of(one.run)), promise->most);
    }
    ++promised;
  }
  EXPECT_EQ(promised, examples().size() - 5);
}

// Each of eight warps has one lane that accesses the word. If the warps arrive together, all warps take 8 + 7 + ... + 1
// rounds in total. Otherwise they take 8 rounds.
TEST(Remedies, AreCountedWithTheAddressesOfTheLaunch) {
  const test::kernel_run& run = find("sum_before").run;
  const auto list = remedies_of(run.launch(), atomic_of(run));
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0].least, 8u * 8);
  EXPECT_EQ(list[0].most, 8u * (8 * 9 / 2));
  EXPECT_EQ(list[1].least, 8u * 8 * 32);
  EXPECT_EQ(list[1].further_bytes, 7u * 4);
  EXPECT_EQ(list[2].most, 8u * 8);
  EXPECT_EQ(list[3].further_bytes, 31u * 4);
  // Counts the wavefronts that remain if only one lane of a warp accesses each word. The count comes from the data.
  const std::vector<unsigned> data = words();
  std::uint64_t wavefronts = 0;
  for (std::size_t warp = 0; warp < 64; ++warp) {
    unsigned present[64] = {}, banks[32] = {};
    for (std::size_t i = warp * 32; i < (warp + 1) * 32; ++i) present[(data[i] & 255) * (data[i] >> 8 & 255) >> 10] = 1;
    for (std::size_t bin = 0; bin < 64; ++bin) banks[bin % 32] += present[bin];
    wavefronts += *std::max_element(std::begin(banks), std::end(banks));
  }
  EXPECT_EQ(promise_for("bins_combined")->least, wavefronts);
  EXPECT_EQ(promise_for("bins_lanes")->least, 64u);
}

// --- counts of an H100 for the same launches

struct measured {
  std::uint64_t page_executed = 0, page_wavefronts = 0, executed = 0, wavefronts = 0;
  double microseconds = 0;
};

std::map<std::string, measured> read_measured() {
  const std::string path = test::source_path("data/sm_90/fix_contention.csv"), text = test::read_text(path);
  csv_reader reader(text, path);
  reader.next().value();
  std::map<std::string, measured> all;
  for (auto row = reader.next(); row && *row; row = reader.next()) {
    const auto number = [&](std::size_t i) { return parse_u64((**row)[i].text).value(); };
    all[std::string((**row)[0].text)] = {number(1), number(2), number(3), number(4),
                                         std::stod(std::string((**row)[5].text))};
  }
  return all;
}

// If nothing depends on the order of warps, the prediction is exact. Otherwise, the count is within the predicted
// range. Locks have no prediction.
TEST(Remedies, ArePromisedAsTheH100Counted) {
  const auto counted = read_measured();
  EXPECT_EQ(counted.size(), examples().size());
  for (const example& one : examples()) {
    SCOPED_TRACE(one.kernel);
    const measured& m = counted.at(one.kernel);
    if (one.kernel == before(one.kernel)) continue;
    const remedy promise = promise_for(one.kernel).value();
    for (const bool page : {false, true}) {
      const std::uint64_t theirs =
          promise.of_rounds ? (page ? m.page_executed : m.executed) : (page ? m.page_wavefronts : m.wavefronts);
      EXPECT_GE(theirs, promise.least);
      if (promise.bounded) {
        EXPECT_LE(theirs, promise.most);
      }
    }
  }
}

std::string text_of(const remedy& r) {
  return (r.bounded ? "" : "at least ") + grouped(r.least) +
         (r.bounded && r.most != r.least ? " to " + grouped(r.most) : "");
}

TEST(Remedies, TheTableIsCurrent) {
  const auto counted = read_measured();
  std::string table =
      "| kernel | method | unit | promised by `_before` | emulator | H100, source page | H100, counter | H100, µs | H100, cycles | predicted |\n"
      "|---|---|---|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const example& one : examples()) {
    const site& atomic = atomic_of(one.run);
    const measured& m = counted.at(one.kernel);
    const bool rounds = is_loop(atomic);
    // The counter also includes the releases of a lock. Each thread that took the lock releases it once.
    std::uint64_t others = 0;
    for (const site& s : one.run.launch().sites) others += rounds && s.sass.starts_with("ATOMS.EXCH") ? s.executed : 0;
    const auto promise = one.kernel == before(one.kernel) ? std::nullopt : promise_for(one.kernel);
    table += "| " + one.kernel + " | " + one.what + " | " + (rounds ? "rounds" : "wavefronts") + " | " +
             (promise ? text_of(*promise) : "") + " | " + grouped(cost_of(atomic)) + " | " +
             grouped((rounds ? m.page_executed : m.page_wavefronts) - others) + " | " +
             grouped((rounds ? m.executed : m.wavefronts) - others) + " | " + fixed(m.microseconds, 1) + " | " +
             test::predicted_factors(one.kernel, before(one.kernel)) + " |\n";
  }
  test::expect_as_csv("data/tables/remedies.csv", table);
}

}  // namespace
}  // namespace bankwise
