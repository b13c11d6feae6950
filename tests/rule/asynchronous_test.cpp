// Compares the rule of asynchronous_cost.hpp with the counts of an H100: every row of data/sm_90/asynchronous.csv.zst,
// wgmma.csv and wgmma_clocks.csv. The test computes the cost of an operation from the text of the row.
#include "bankwise/asynchronous_cost.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "bankwise/wavefronts.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/load_cubin.hpp"
#include "emulate/memory/tensor_map.hpp"
#include "model/fold.hpp"
#include "model/time_bound.hpp"
#include "profile/profile_launch.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"
#include "support/numbers.hpp"
#include "support/table.hpp"

namespace bankwise {
namespace {

// The example at the beginning of asynchronous_cost.hpp, and the limits of the wgmma family.
static_assert(analyze(wgmma(96, true)).wavefronts == 40 && analyze(wgmma(96, true)).cycles == 48);
static_assert(analyze(wgmma(8, true)).wavefronts == 18 && analyze(wgmma(8, true)).tensor_cycles == 4);
static_assert(analyze(wgmma(256, false)).wavefronts == 64 && analyze(wgmma(256, false)).cycles == 128);
static_assert(valid(wgmma(256, true)) && !valid(wgmma(264, true)) && !valid(wgmma(12, true)) && !valid(wgmma(0, true)));
static_assert(valid(bulk_copy(true, 48)) && !valid(bulk_copy(true, 8)) && !valid(async_of(async_kind::none)));
static_assert(analyze(wgmma(16, true, true)).wavefronts == 24 && analyze(wgmma(128, true, true)).cycles == 80);
static_assert(wgmma(64, true) == wgmma(64, true) && wgmma(64, true) != wgmma(64, false));

using numbers = std::vector<std::uint64_t>;

// Returns the numbers in a text in their order: "m64n8k16" -> 64, 8, 16.
numbers numbers_in(std::string_view text) {
  numbers list;
  bool in_number = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !in_number) list.push_back(0);
    if (digit) list.back() = list.back() * 10 + static_cast<std::uint64_t>(c - '0');
    in_number = digit;
  }
  return list;
}

struct row {
  std::string what, parameters;
  u32 mask = 0;
  std::map<std::string, std::int64_t> count;  // counters by column; counters that were not measured are missing

  bool is_bare() const { return parameters == "nothing but what stands around it"; }
  bool has(std::string_view word) const { return what.find(word) != std::string::npos; }
  bool begins(std::string_view word) const { return what.starts_with(word); }
};

std::vector<row> table(const std::string& text, const std::string& name) {
  std::vector<row> rows;
  for (const test::table_row& from : test::read_table(text, name)) {
    row& r = rows.emplace_back();
    for (const auto& [column, value] : from) {
      if (column == "what")
        r.what = value;
      else if (column == "parameters")
        r.parameters = value;
      else if (column == "mask")
        r.mask = static_cast<u32>(parse_u64("0x" + value).value());
      else if (!value.empty())
        r.count[column] = static_cast<std::int64_t>(parse_u64(value).value());
    }
  }
  return rows;
}

const std::vector<row>& measured() {
  static const std::vector<row> rows =
      table(test::read_zstd(test::source_path("data/sm_90/asynchronous.csv.zst")), "asynchronous.csv");
  return rows;
}

// Returns the counter that the rule names, such as "op_gmma".
std::string counter_of(const async_cost& c) {
  return c.counter == async_counter::gmma ? "op_gmma" : c.counter == async_counter::misc ? "op_misc" : "op_atom";
}

// The counters also include other instructions of a launch. In each program, the counts of these instructions are the
// same in every row, whatever the parameters are.
class surroundings {
 public:
  // `rest` is the part of a counter that the rule does not explain.
  void expect_same(const row& r, const std::string& counter, std::int64_t rest) {
    const auto [at, is_new] = first_.try_emplace(counter, rest);
    EXPECT_EQ(rest, at->second) << r.what << ": " << r.parameters << ": " << counter << " is " << r.count.at(counter);
    if (!is_new) ++compared_;
  }
  int compared() const { return compared_; }

 private:
  std::map<std::string, std::int64_t> first_;
  int compared_ = 0;
};

const char* const wavefront_counters[] = {"wavefronts", "op_ld", "op_st", "op_atom", "op_misc", "op_gmma", "conflicts"};

// A launch executes the operation `times` times. The counter that the rule names and the counter "wavefronts" contain
// the wavefronts of these operations. All counters also contain the wavefronts of the surrounding instructions.
void expect_wavefronts(surroundings& around, const row& r, const async_cost& cost, std::int64_t times) {
  for (const char* counter : wavefront_counters) {
    if (!r.count.contains(counter)) continue;  // for bulk copies, only the sum of the counters was measured
    const bool counted = cost.wavefronts != 0 && (counter == counter_of(cost) || counter == std::string("wavefronts"));
    around.expect_same(r, counter, r.count.at(counter) - (counted ? times * cost.wavefronts : 0));
  }
}

// The table has 374 launches of one warp group, with 64 equal wgmma each. The launches cover all layout types, strides,
// start addresses and majors.
TEST(Asynchronous, OperandsOfWgmma) {
  std::map<bool, surroundings> around;  // counts of the surrounding instructions; key: whether A is in shared memory
  int rows = 0;
  for (const row& r : measured()) {
    if (!r.begins("wgmma.")) continue;
    ++rows;
    const numbers shape = numbers_in(r.what);  // M (64), N, K, and the number 16 from the type's name
    const bool a_in_shared = !r.has(".a_registers");
    const async_operation op = wgmma(static_cast<u32>(shape[1]), a_in_shared);
    ASSERT_TRUE(valid(op)) << r.what;
    EXPECT_EQ(shape[2] * shape[3] / 8, op.k_bytes) << r.what;
    const auto times = static_cast<std::int64_t>(numbers_in(r.parameters).back());
    const async_cost cost = analyze(op);
    expect_wavefronts(around[a_in_shared], r, cost, times);
    EXPECT_EQ(r.count.at("op_gmma"), times * cost.wavefronts) << r.what << ": " << r.parameters;
    around[a_in_shared].expect_same(r, "bank_reads",
                                    r.count.at("bank_reads") - times * static_cast<std::int64_t>(cost.bank_reads));
    EXPECT_EQ(r.count.at("conflicts"), 0);
  }
  EXPECT_EQ(rows, 374);
}

// The surrounding instructions also write to banks, and their number of writes varies a little between launches. The
// possible numbers are in `writes_around`. They are known from launches in which no copy writes to shared memory.
void expect_copies(const std::vector<std::string>& in, const std::vector<std::string>& out, bool by_tensor,
                   int expected) {
  std::set<std::int64_t> writes_around;
  std::map<std::string, surroundings> around;
  int rows = 0;
  const auto is_one_of = [](const row& r, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), r.what) != names.end();
  };
  for (const row& r : measured())
    if (is_one_of(r, out) || (is_one_of(r, in) && r.is_bare())) writes_around.insert(r.count.at("bank_writes"));
  EXPECT_LE(writes_around.size(), 5u);
  for (const row& r : measured()) {
    const bool to_shared = is_one_of(r, in);
    if (!to_shared && !is_one_of(r, out)) continue;
    ++rows;
    async_operation op = bulk_copy(to_shared, 0);
    std::int64_t times = 0;
    if (const numbers n = numbers_in(r.parameters); !r.is_bare() && by_tensor) {
      op = tensor_copy(to_shared, n[0] * n[1] * n[2]);  // element, box
      times = static_cast<std::int64_t>(n[4]);
    } else if (!r.is_bare()) {
      op = bulk_copy(to_shared, n[1]);
      times = static_cast<std::int64_t>(n[2]);
    }
    EXPECT_TRUE(valid(op)) << r.parameters;
    const async_cost cost = analyze(op);
    expect_wavefronts(around[r.what], r, cost, times);
    around[r.what].expect_same(r, "bank_reads",
                               r.count.at("bank_reads") - times * static_cast<std::int64_t>(cost.bank_reads));
    const std::int64_t writes = r.count.at("bank_writes") - times * static_cast<std::int64_t>(cost.bank_writes);
    EXPECT_TRUE(writes_around.contains(writes)) << r.what << ": " << r.parameters << " leaves " << writes;
    EXPECT_EQ(r.count.at("conflicts"), 0);
  }
  EXPECT_EQ(rows, expected);
}
TEST(Asynchronous, CopiesByTma) { expect_copies({"tma.load"}, {"tma.store"}, true, 152); }
TEST(Asynchronous, BulkCopies) {
  expect_copies({"bulk.global_to_shared"}, {"bulk.shared_to_global", "bulk.reduce_add_u32"}, false, 87);
}

std::set<std::uint64_t> distinct_addresses(const row& r) {
  const numbers address = numbers_in(r.parameters);
  std::set<std::uint64_t> distinct;
  for (u32 lane = 0; lane < 32; ++lane)
    if ((r.mask >> lane & 1) != 0) distinct.insert(address.at(lane));
  return distinct;
}

// Every kernel first initialises its mbarriers, one for each address. At the end, the kernel's warp exits.
TEST(Asynchronous, Mbarriers) {
  int rows = 0;
  for (const row& r : measured()) {
    if (!r.begins("mb_")) continue;
    ++rows;
    const auto barriers = static_cast<std::int64_t>(distinct_addresses(r).size());
    const async_cost init = analyze(async_of(async_kind::barrier_init)), end = analyze(async_of(async_kind::warp_end)),
                     other = analyze(async_of(async_kind::barrier));
    EXPECT_EQ(counter_of(init), "op_misc");
    EXPECT_EQ(r.count.at("op_misc"), barriers * init.wavefronts + end.wavefronts + 32 * other.wavefronts) << r.what;
    for (const char* counter : {"op_ld", "op_st", "op_atom", "op_gmma", "conflicts"})
      EXPECT_EQ(r.count.at(counter), 0) << r.what;
    EXPECT_EQ(r.count.at("wavefronts"), r.count.at("op_misc")) << r.what;
  }
  EXPECT_EQ(rows, 270);
}

TEST(Asynchronous, MemoryOfAnotherBlock) {
  static const std::map<std::string, async_kind> kinds = {{"dld", async_kind::remote_load},
                                                          {"dst", async_kind::remote_store},
                                                          {"datom_add", async_kind::remote_atomic},
                                                          {"dred_add", async_kind::remote_atomic},
                                                          {"st_async", async_kind::remote_store_async},
                                                          {"datom_cas", async_kind::remote_compare_and_swap}};
  std::map<std::string, surroundings> around;
  int rows = 0;
  for (const row& r : measured()) {
    if (!r.begins("another block: ")) continue;
    const std::string name = r.what.substr(std::string("another block: ").size());
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return name.starts_with(k.first); });
    ASSERT_NE(kind, kinds.end()) << name;
    ++rows;
    expect_wavefronts(around[name], r, analyze(async_of(kind->second)), r.is_bare() ? 0 : 1);
  }
  EXPECT_EQ(rows, 11 * 31);
}

// A block can access its own memory through an address in the cluster. Such an access costs the same as without a
// cluster, and its phases also merge.
TEST(Asynchronous, OwnMemoryInACluster) {
  static const std::map<std::string, operation> kinds = {{"dself_ld32", ld(4)},
                                                         {"dself_ld128", ld(16)},
                                                         {"dself_st32", st(4)},
                                                         {"dself_st128", st(16)},
                                                         {"dself_atom_add_u32", atom(4)}};
  std::map<std::string, surroundings> around;
  int rows = 0;
  for (const row& r : measured()) {
    if (!r.begins("own block: ")) continue;
    ++rows;
    const std::string name = r.what.substr(std::string("own block: ").size());
    const operation op = kinds.at(name);
    const numbers address = r.is_bare() ? numbers(32) : numbers_in(r.parameters);
    const u32 expected = r.is_bare() ? 0
                                     : wavefronts(make_access(
                                           op, [&](u32 t) { return address.at(t); }, r.mask));
    const std::string counter = op.kind == op_kind::load ? "op_ld" : op.kind == op_kind::store ? "op_st" : "op_atom";
    for (const char* c : {"wavefronts", "op_ld", "op_st", "op_atom", "op_misc", "op_gmma"})
      around[name].expect_same(r, c, r.count.at(c) - (c == counter || c == std::string("wavefronts") ? expected : 0));
  }
  EXPECT_EQ(rows, 5 * 31);
}

TEST(Asynchronous, EveryRowIsOneOfThese) { EXPECT_EQ(measured().size(), 374u + 152 + 87 + 270 + 341 + 155); }

// Tests Nsight Compute's source pages of 85 kernels for all types, and of 42 kernels with a sparse A. Each wgmma was
// executed by four warps.
void expect_wgmma_of(const char* file, bool sparse, int expected_rows) {
  const std::string text = test::read_text(test::source_path(std::string("data/sm_90/") + file));
  csv_reader csv(text, file);
  csv.next().value();  // skips the header: kernel, sass, executed, wavefronts, ideal
  int rows = 0;
  while (auto fields = csv.next().value()) {
    ++rows;
    const std::string sass((*fields)[1].text);
    const auto number = [&](std::size_t i) { return parse_u64((*fields)[i].text).value(); };
    // In "HGMMA.64x16x16.F32 R24, R32, gdesc[UR4], R24, gsb0", A is in registers.
    const std::string operands = sass.substr(sass.find(' '));
    const bool a_in_shared = operands.find("gdesc") < operands.find(',', operands.find(',') + 1);
    const async_cost cost = analyze(wgmma(static_cast<u32>(numbers_in(sass)[1]), a_in_shared, sparse));
    EXPECT_EQ(number(2), warps_per_group);
    EXPECT_EQ(number(3), cost.page_wavefronts) << sass;
    EXPECT_EQ(number(4), cost.page_wavefronts) << sass;
  }
  EXPECT_EQ(rows, expected_rows);
}
TEST(Asynchronous, WgmmaAsNsightComputeHasIt) {
  expect_wgmma_of("wgmma.csv", false, 85);
  expect_wgmma_of("sparse_wgmma.csv", true, 42);
}

// 64 wgmma run in sequence. Each wgmma takes the rule's clocks. The latency of the last wgmma is added once.
TEST(Asynchronous, ClocksOfWgmma) {
  const std::string text = test::read_text(test::source_path("data/sm_90/wgmma_clocks.csv"));
  csv_reader csv(text, "wgmma_clocks.csv");
  csv.next().value();  // layout, clocks
  int rows = 0;
  while (auto fields = csv.next().value()) {
    ++rows;
    const std::string layout((*fields)[0].text);  // "s128_at16_n64"
    const auto columns = static_cast<u32>(numbers_in(layout).back());
    const double clocks = std::stod(std::string((*fields)[1].text));
    const double latency = 64 * (clocks - analyze(wgmma(columns, true)).cycles);
    EXPECT_GE(latency, 0) << layout;
    EXPECT_LT(latency, 64) << layout;
  }
  EXPECT_EQ(rows, 79);
}

// --- the sites of a report ---

// Reads data/sm_90/source_page.csv: each instruction of a kernel, with its text and the columns executed, lanes,
// wavefronts and ideal.
std::map<std::uint64_t, std::pair<std::string, numbers>> page_of(const std::string& kernel) {
  const std::string text = test::read_text(test::source_path("data/sm_90/source_page.csv"));
  csv_reader csv(text, "source_page.csv");
  csv.next().value();  // skips the header
  std::map<std::uint64_t, std::pair<std::string, numbers>> rows;
  while (auto f = csv.next().value()) {
    if ((*f)[2].text != kernel) continue;
    auto& [sass, counts] = rows[parse_u64((*f)[5].text).value()];
    sass = (*f)[6].text;
    for (std::size_t i = 8; i < 12; ++i) counts.push_back(parse_u64((*f)[i].text).value());
  }
  return rows;
}

// Every site is on the page. Every instruction of the page that accesses shared memory is a site. Only chance
// determines how often a warp tests an mbarrier while the warp waits.
void expect_page(const launch_report& l) {
  auto page = page_of(l.name);
  ASSERT_FALSE(page.empty());
  for (const site& s : l.sites) {
    const bool waits = s.sass.find("PHASECHK") != std::string::npos;
    const auto row = page.find(s.pc);
    if (row == page.end() && waits) continue;
    ASSERT_NE(row, page.end()) << s.sass;
    EXPECT_EQ(s.sass, row->second.first);
    const numbers ours = {s.executed, s.lanes, s.wavefronts, s.ideal};
    for (std::size_t i = waits ? 2 : 0; i < ours.size(); ++i) EXPECT_EQ(ours[i], row->second.second[i]) << s.sass;
    page.erase(row);
  }
  for (const auto& [pc, row] : page)
    EXPECT_TRUE(row.first.starts_with("UCGABAR") || row.first.starts_with("UTMACMDFLUSH"))
        << row.first << " is not a site";
}

// The two kernels of examples/hopper/ have the same results, and their wgmma cost the same. Only the accesses of the
// threads cost less in one of the kernels.
TEST(AsynchronousSites, LayoutsMatterToStoresAndNotToWgmma) {
  const std::size_t side = 64;
  const std::vector<float> a = test::small_numbers(side * side, 4), b = test::small_numbers(side * side, 5);
  std::vector<float> expected(side * side);
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j)
      for (std::size_t k = 0; k < side; ++k) expected[i * side + j] += a[i * side + k] * b[j * side + k];
  std::map<std::string, std::uint64_t> by_wgmma, by_lanes, removable_of;
  for (const char* kernel : {"wgmma_plain", "wgmma_swizzled"}) {
    const auto run =
        test::run_kernel({.cubin = "examples/hopper/wgmma_tile.cubin",
                          .kernel = kernel,
                          .block = {128, 1, 1},
                          .arguments = {"out:f32[64*64]", "f16[]=file:a", "f16[]=file:b"},
                          .files = {{"a", test::bytes_of(test::to_half(a))}, {"b", test::bytes_of(test::to_half(b))}}});
    ASSERT_TRUE(run) << to_text(run.error());
    EXPECT_EQ(run->buffer<float>(0), expected);
    for (const site& s : run->launch().sites) {
      (is_access(s) ? by_lanes : by_wgmma)[kernel] += s.wavefronts;
      removable_of[kernel] += removable(s);
    }
    const time_bound bound = bound_of(run->launch());
    EXPECT_EQ(bound.tensor_cycles, side / 16 * analyze(wgmma(side, true)).tensor_cycles);
  }
  EXPECT_EQ(by_wgmma["wgmma_plain"], side / 16 * analyze(wgmma(side, true)).wavefronts);
  EXPECT_EQ(by_wgmma["wgmma_plain"], by_wgmma["wgmma_swizzled"]);
  EXPECT_EQ(by_lanes["wgmma_plain"] - by_lanes["wgmma_swizzled"], removable_of["wgmma_plain"]);
  EXPECT_EQ(removable_of["wgmma_swizzled"], 0u);
}

// An instruction whose guard is false is executed but reads nothing. The counts of executed blocks are scaled up to all
// blocks, as for accesses.
TEST(AsynchronousSites, AreFoldedAndScaledAsAccessesAre) {
  test::kernel_launch what{.cubin = "tests/kernels/waiting.cubin",
                           .kernel = "copies_bulk",
                           .grid = {6, 1, 1},
                           .block = {256, 1, 1},
                           .arguments = {"i32[256]=iota", "out:i32[256]", "i32=1024"}};
  const auto all = test::run_kernel(what);
  what.ctas = 2;
  const auto sample = test::run_kernel(what);
  what.ctas = 0;
  what.threads = 5;
  const auto threads = test::run_kernel(what);
  ASSERT_TRUE(all && sample && threads);
  EXPECT_TRUE(same_result(all->launch(), threads->launch()));
  ASSERT_EQ(all->launch().sites.size(), sample->launch().sites.size());
  std::uint64_t in = 0, out = 0;
  for (std::size_t i = 0; i < all->launch().sites.size(); ++i) {
    const site &a = all->launch().sites[i], &b = sample->launch().sites[i];
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.async, b.async);
    if (a.async.kind == async_kind::bulk_copy) (a.async.to_shared ? in : out) += a.bytes;
  }
  EXPECT_EQ(in, 6u * 1024);
  EXPECT_EQ(out, 6u * 1024);
}

struct page_case {
  const char* kernel;
  u32 blocks, threads, shared;
  std::vector<std::string> arguments;
  std::set<std::string> operations;  // operations without lanes
};

// Kernels of tests/kernels/asynchronous.cu, launched as in the measurement.
class AsynchronousPage : public testing::TestWithParam<page_case> {};

TEST_P(AsynchronousPage, IsWhatNsightComputeHas) {
  const page_case& c = GetParam();
  const auto run = test::run_kernel({.cubin = "tests/kernels/asynchronous.cubin",
                                     .kernel = c.kernel,
                                     .grid = {c.blocks, 1, 1},
                                     .block = {c.threads, 1, 1},
                                     .shared = c.shared,
                                     .arguments = c.arguments});
  ASSERT_TRUE(run) << to_text(run.error());
  expect_page(run->launch());
  std::set<std::string> operations;
  for (const site& s : run->launch().sites)
    if (!is_access(s)) operations.insert(s.op.spelling);
  EXPECT_EQ(operations, c.operations);
}

INSTANTIATE_TEST_SUITE_P(
    Of, AsynchronousPage,
    testing::Values(
        page_case{"barriers", 1, 64, 0, {}, {"mbarrier", "mbarrier.init"}},
        page_case{
            "bulk", 1, 64, 8192, {"u8[4096]=random:1", "out:u8[4096]"}, {"cp.async.bulk", "mbarrier", "mbarrier.init"}},
        page_case{
            "other_block",
            2,
            32,
            0,
            {},
            {"atom.cas.cluster", "atom.cluster", "ld.cluster", "mbarrier", "mbarrier.init", "st.async", "st.cluster"}},
        page_case{"own_block", 2, 32, 0, {}, {"mbarrier", "mbarrier.init"}},
        page_case{"bulk_across", 2, 32, 16384, {}, {"cp.async.bulk", "mbarrier", "mbarrier.init"}}),
    [](const auto& c) { return std::string(c.param.kernel); });

// A box of 32 x 64 words is copied into shared memory, copied back, and added to existing values.
TEST(AsynchronousSites, TensorCopiesAsNsightComputeHasThem) {
  const std::vector<std::byte> bytes = test::read_bytes(test::source_path("tests/kernels/asynchronous.cubin"));
  const auto program = cubin::load_cubin(bytes, "asynchronous.cubin");
  ASSERT_TRUE(program) << to_text(program.error());
  const auto kernel = cubin::find_kernel(*program, "tensor");
  ASSERT_TRUE(kernel) << to_text(kernel.error());
  emulate::device_memory memory;
  ASSERT_TRUE(emulate::load_variables(*program, memory));
  emulate::launch l;
  l.program = &*program;
  l.kernel = *kernel;
  l.block = {64, 1, 1};
  l.dynamic_shared_bytes = 16384;
  l.parameters.resize(cubin::parameter_bytes(**kernel));
  for (const cubin::parameter& p : (*kernel)->params) {
    emulate::tensor_map map;
    map.type = emulate::tensor_type::u32;
    map.dimensions = 2;
    map.swizzle = emulate::tensor_swizzle::bytes_128;
    map.address = memory.allocate(256 * 1024, "matrix").value();
    map.size = {256, 256};
    map.stride = {4, 1024};
    map.box = {32, 64};
    map.element_stride = {1, 1};
    ASSERT_EQ(emulate::problem_of(map), std::nullopt);
    const auto words = emulate::encode(map);
    std::memcpy(l.parameters.data() + p.offset, words.data(), emulate::tensor_map_bytes);
  }
  const auto report = profile_launch(l, memory, *parse_machine("sm_90"));
  ASSERT_TRUE(report) << to_text(report.error());
  expect_page(*report);
  std::vector<bool> to_shared;
  for (const site& s : report->sites) {
    if (s.async.kind != async_kind::tensor_copy) continue;
    EXPECT_EQ(s.op.spelling, "cp.async.bulk.tensor");
    EXPECT_EQ(s.bytes, 32u * 64 * 4) << s.sass;
    to_shared.push_back(s.async.to_shared);
  }
  EXPECT_EQ(to_shared, (std::vector<bool>{true, false, false}));
}

}  // namespace
}  // namespace bankwise
