// Compares the kernels of examples/published/ with totals that their authors counted on a GPU. The kernels were written
// from published descriptions.
//
// BANKWISE_REBASE=1 published_kernels_test rewrites the table of docs/reference/published.md
#include <gtest/gtest.h>

#include <cmath>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "support/document_tables.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

struct published_total {
  std::string gpu, cubin, kernel, counted;
  std::uint64_t blocks = 0;
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::vector<std::string> arguments;
  std::uint64_t published = 0;
};

std::vector<published_total> read_published_totals() {
  const std::string path = test::source_path("data/published/kernels.csv"), text = test::read_text(path);
  csv_reader reader(text, path);
  std::vector<published_total> all;
  if (!reader.next()) return all;  // the header
  for (auto row = reader.next(); row && *row; row = reader.next()) {
    const auto field = [&](std::size_t i) { return std::string_view((**row).at(i).text); };
    published_total t{std::string(field(0)), std::string(field(1)), std::string(field(2)), std::string(field(6))};
    t.blocks = parse_u64(field(3)).value();
    std::size_t axis = 0;
    for (const std::string_view length : split(field(4), 'x'))
      t.block.at(axis++) = static_cast<std::uint32_t>(parse_u64(length).value());
    for (const std::string_view argument : split(field(5), ' ')) t.arguments.emplace_back(argument);
    t.published = parse_u64(field(7)).value();
    all.push_back(std::move(t));
  }
  return all;
}

// The sums for one block, multiplied by the number of blocks, because all blocks do the same work.
struct summed_cost {
  std::uint64_t conflicts = 0;   // conflicts of all accesses except asynchronous copies, which have their own counter
  std::uint64_t wavefronts = 0;  // number of wavefronts, counted as clocks of the shared pipe
};

summed_cost summed_cost_of(const published_total& t) {
  test::kernel_launch l{.cubin = "examples/published/" + t.cubin + ".cubin", .kernel = t.kernel};
  l.block = t.block;
  l.arguments = t.arguments;
  const auto run = test::run_kernel(l);
  EXPECT_TRUE(run) << to_text(run.error());
  summed_cost sum;
  if (!run) return sum;
  for (const site& s : run->launch().sites) {
    sum.wavefronts += s.cycles * t.blocks;
    if (s.sass.find("LDGSTS") == std::string::npos) sum.conflicts += (s.wavefronts - s.ideal) * t.blocks;
  }
  return sum;
}

// The allowed relative difference. Counters of L1 also count the time for which warps wait for each other, and the
// sources round their numbers.
constexpr double near_totals = 0.03;

std::string totals_table() {
  std::string out =
      "| GPU | kernel | counter | published | bankwise |\n"
      "|---|---|---|---:|---:|\n";
  for (const published_total& t : read_published_totals()) {
    const summed_cost c = summed_cost_of(t);
    out += "| " + t.gpu + " | " + t.kernel + " | " + t.counted + " | " + grouped(t.published) + " | " +
           grouped(t.counted == "conflicts" ? c.conflicts : c.wavefronts) + " |\n";
  }
  return out;
}

TEST(PublishedKernels, CostWhatOthersCounted) {
  const std::vector<published_total> all = read_published_totals();
  EXPECT_EQ(all.size(), 8u);
  for (const published_total& t : all) {
    SCOPED_TRACE(t.kernel + ", " + t.counted);
    const summed_cost c = summed_cost_of(t);
    const std::uint64_t ours = t.counted == "conflicts" ? c.conflicts : c.wavefronts;
    EXPECT_NEAR(static_cast<double>(ours), static_cast<double>(t.published),
                near_totals * static_cast<double>(c.wavefronts));
    // Small totals contain no waiting and are not rounded. So these totals must be equal.
    if (t.published < 1'000'000 && ours != 0) {
      EXPECT_EQ(ours, t.published);
    }
  }
}

TEST(PublishedKernels, TheTableOfTheDocumentIsCurrent) {
  test::expect_in_document("docs/reference/published.md", "<!-- table: published_kernels_test -->\n",
                           "<!-- end of table -->\n", totals_table());
}

}  // namespace
}  // namespace bankwise
