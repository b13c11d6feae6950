// Tests the parts of `bankwise record` that do not need a GPU: the schedule, the spool, the report, and the recorder
// with a simulated API instead of NVIDIA's API.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "base/system/files.hpp"
#include "base/system/scratch_folder.hpp"
#include "base/text.hpp"
#include "gpu/record/environment.hpp"
#include "gpu/record/fold_spool.hpp"
#include "gpu/record/recorder.hpp"
#include "gpu/record/schedule.hpp"
#include "gpu/record/spool.hpp"
#include "model/fold.hpp"
#include "report/forms/site_table.hpp"
#include "report/json/read_report.hpp"
#include "report/json/write_report.hpp"
#include "report/text/run_report.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"
#include "support/launch_table.hpp"

namespace bankwise {
namespace {

using namespace record;

// --- schedule

std::string choices(const schedule_options& o, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& launches) {
  // R: recorded. =: recorded often enough. .: another kernel. -: not chosen for another reason.
  schedule s(o);
  std::string text;
  std::map<std::uint64_t, std::uint64_t> recorded;
  for (const auto& [shape, kind] : launches) {
    const record::choice c = s.next(kind != 9, kind != 8, recorded[shape], shape);
    if (c == record::choice::record) ++recorded[shape];
    text += c == record::choice::record            ? 'R'
            : c == record::choice::seen_enough     ? '='
            : c == record::choice::not_this_kernel ? '.'
                                                   : '-';
  }
  return text;
}

TEST(Schedule, ChoosesLaunches) {
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> same(6, {0, 0});
  EXPECT_EQ(choices({}, same), "R=====");
  EXPECT_EQ(choices({.each = 2}, same), "RR====");
  EXPECT_EQ(choices({.each = 0}, same), "RRRRRR");
  EXPECT_EQ(choices({.skip = 2, .each = 0}, same), "--RRRR");
  EXPECT_EQ(choices({.skip = 1, .count = 3, .each = 0}, same), "-RRR--");
  EXPECT_EQ(choices({.shapes = 2}, {{0, 0}, {1, 0}, {2, 0}, {0, 0}}), "RR==");
  EXPECT_EQ(choices({.shapes = 0}, {{0, 0}, {1, 0}, {9, 0}, {0, 0}}), "RRR=");
  // Other kernels, and launches outside of the range, are not counted.
  EXPECT_EQ(choices({.skip = 1, .each = 0}, {{0, 9}, {0, 8}, {0, 0}, {0, 9}, {0, 0}}), ".--.R");
}

TEST(Schedule, PassesThroughTheEnvironment) {
  const schedule_options o{"regex:a;b|c", 1, 2, 3, 4, 15, "step; one"};
  const auto back = parse_schedule(to_line(o));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, o);
  for (const char* wrong : {"", ";;;;;", ";a;0;0;0;0;", "6;0;0;0;0;0;", ";0;0;0;0;4294967296;", ";0;0;0;0;0;;"})
    EXPECT_FALSE(parse_schedule(wrong)) << wrong;
}

TEST(Schedule, FindsKernelsByName) {
  const std::string mangled = "_Z9transposeILi0EEvPfPKfi";  // void transpose<0>(float*, float const*, int)
  for (const char* pattern :
       {"", "transpose", "transpose<0>", "_Z9transposeILi0EEvPfPKfi", "regex:^trans", "regex:transpose<[01]>"})
    EXPECT_TRUE(kernel_filter::make(pattern)->matches(mangled)) << pattern;
  for (const char* pattern : {"trans", "transpose<1>", "regex:^pose", "regex:<1>"})
    EXPECT_FALSE(kernel_filter::make(pattern)->matches(mangled)) << pattern;
  EXPECT_FALSE(kernel_filter::make("regex:("));
  EXPECT_TRUE(waits_for_others("ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
  EXPECT_FALSE(waits_for_others("transpose"));
}

TEST(Environment, NamesFiles) {
  EXPECT_EQ(expand_name("a.%p.%h.%r.json", "12", "node", "3"), "a.12.node.3.json");
  EXPECT_EQ(expand_name("%r%%p%x%", "12", "node", ""), "0%p%x%");
}

// --- spool

std::unique_ptr<launch_table> table_of_one(u32 pc) {
  auto t = std::make_unique<launch_table>();
  std::memset(static_cast<void*>(t->patterns), poison, sizeof t->patterns);
  t->head.last_pattern = least_patterns - 1;
  t->head.dynamic_shared_bytes = 64;
  pattern& p = t->patterns[5];
  p.pc = pc;
  p.mask = 0xffff;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) p.address[lane] = lane < 16 ? 1024 + 128 * lane : free_pc;
  t->counts[5] = 3;
  t->counts[2 * least_patterns + 5] = 4;  // another shard
  return t;
}

std::string written_spool(const std::string& folder, const std::function<void(spool_writer&)>& write) {
  const std::string file = folder + "/spool.1";
  spool_writer out;
  EXPECT_TRUE(out.open(file));
  write(out);
  return file;
}

TEST(Spool, GivesBackWhatWasWritten) {
  const scratch_folder folder;
  const std::string file = written_spool(folder.path(), [](spool_writer& out) {
    out.process(7, "/bin/app", "node", "1");
    out.module(0, "cubin", 5);
    out.config(0, {0, 2, {3, 2, 1}, {32, 1, 1}, {}, "_Z1kv"});
    out.function({0, 0x7f0000001000, 0x200, "_Z1kv"});
    out.table(0, *table_of_one(0x1010));
    out.failure("something");
    *out.counts(0) = {9, 1, 0};
    EXPECT_EQ(out.counts(most_configs), nullptr);
  });
  const auto bytes = read_file(file), counts = read_file(file + ".counts");
  ASSERT_TRUE(bytes && counts);
  const auto s = read_spool(bytes_of(*bytes), bytes_of(*counts), file);
  ASSERT_TRUE(s) << to_text(s.error());
  EXPECT_EQ(s->pid, 7u);
  EXPECT_EQ(s->program + s->host + s->rank, "/bin/appnode1");
  EXPECT_EQ(s->modules.at(0), "cubin");
  EXPECT_EQ(s->functions.at(0).pc, 0x7f0000001000u);
  EXPECT_EQ(s->configs.at(0).grid, (std::array<std::uint32_t, 3>{3, 2, 1}));
  EXPECT_EQ(s->counts.at(0).seen, 9u);
  EXPECT_EQ(s->failures.at(0), "something");
  EXPECT_FALSE(s->is_cut);
  const table_record& t = s->tables.at(0);
  EXPECT_EQ(t.dynamic_shared_bytes, 64u);
  ASSERT_EQ(t.patterns.size(), 1u);
  EXPECT_EQ(t.patterns[0].count, 7u);
  EXPECT_EQ(t.patterns[0].first.address[15], 1024u + 128 * 15);
  EXPECT_EQ(t.patterns[0].first.address[16], 0u);  // lane 16 is inactive

  // A process can end between any two bytes. All complete records are kept.
  for (std::size_t n = 0; n < bytes->size(); ++n) {
    const auto cut = read_spool(bytes_of(*bytes).first(n), bytes_of(*counts), file);
    EXPECT_EQ(static_cast<bool>(cut), n >= sizeof spool_magic) << n;
  }
}

// --- from a spool to a report

// Makes the counts that a device would return for an emulated launch.
spool spool_of(const std::string& cubin, const launch_report& l) {
  spool s;
  s.program = "app";
  s.modules[0] = test::read_text(test::source_path(cubin));
  s.functions.push_back({0, 0x7f12fffff000, 0x10000, l.mangled});  // the lower half of the address wraps around
  s.configs.push_back({0, 0, l.grid, l.block, {}, l.mangled});
  s.counts.push_back({5, 1, 0});
  table_record t;
  for (const site& one : l.sites)
    for (const recorded_access& a : one.accesses) {
      seen_pattern p;
      p.pc = static_cast<std::uint32_t>(0x7f12fffff000 + one.pc);
      p.count = a.count;
      p.first = a.what;
      for (u32 lane = 0; lane < lanes_per_warp; ++lane)
        if ((p.first.mask >> lane & 1) != 0) p.first.address[lane] += 1024;  // the system reserves these bytes
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) p.source[lane] = lane * one.op.op.width_bytes;
      t.patterns.push_back(p);
    }
  s.tables.push_back(std::move(t));
  return s;
}

TEST(Fold, GivesTheReportThatTheEmulatorGives) {
  for (const test::kernel_launch& what : {test::kernel_launch{.cubin = "examples/transpose.cubin",
                                         .kernel = "transpose_plain",
                                         .grid = {4, 4, 1},
                                         .block = {32, 8, 1},
                                         .arguments = {"out:f32[16384]", "f32[16384]=iota", "i32=128"},
                                         .keep_accesses = 100000},
                                          test::kernel_launch{.cubin = "examples/mma_tile.cubin",
                                          .kernel = "mma_plain",
                                          .block = {128, 1, 1},
                                          .arguments = {"out:f32[4096]", "f16[4096]=zero", "f16[4096]=zero"},
                                          .keep_accesses = 100000},
                                          test::kernel_launch{.cubin = "examples/histogram.cubin",
                                          .kernel = "histogram_weighted",
                                          .grid = {4, 1, 1},
                                          .block = {256, 1, 1},
                                          .arguments = {"out:u32[256]", "u8[4096]=random:1", "i32=4096"},
                                          .keep_accesses = 100000}}) {
    SCOPED_TRACE(what.kernel);
    const auto ran = test::run_kernel(what);
    ASSERT_TRUE(ran) << to_text(ran.error());
    const auto folded = fold_spool(spool_of(what.cubin, ran->launch()), "test");
    ASSERT_TRUE(folded) << to_text(folded.error());
    EXPECT_TRUE(folded->problems.empty());
    ASSERT_EQ(folded->what.launches.size(), 1u);
    const launch_report& l = folded->what.launches[0];
    EXPECT_EQ(l.launches_seen, 5u);
    EXPECT_EQ(l.lost_accesses, 0u);
    EXPECT_EQ(l.ctas_executed, ran->launch().ctas_executed);
    std::size_t at = 0;
    for (const site& want : ran->launch().sites) {
      const site& got = l.sites.at(at++);
      EXPECT_EQ(got.pc, want.pc);
      EXPECT_EQ(got.sass, want.sass);
      EXPECT_EQ(got.executed, want.executed) << got.sass;
      EXPECT_EQ(got.lanes, want.lanes) << got.sass;
      EXPECT_FALSE(got.executed_at_least);
      EXPECT_EQ(got.op.spelling, want.op.spelling);
      EXPECT_EQ(got.line, want.line);
      EXPECT_EQ(got.wavefronts, want.wavefronts) << got.sass;
      EXPECT_EQ(got.ideal, want.ideal);
      EXPECT_EQ(got.reachable, want.reachable);
      EXPECT_EQ(got.cycles, want.cycles);
      EXPECT_EQ(got.best_cycles, want.best_cycles);
      EXPECT_EQ(got.worst_cost.wavefronts, want.worst_cost.wavefronts);
    }
    EXPECT_EQ(at, l.sites.size());
    // The report can be read again.
    const std::string json = to_json(folded->what);
    const auto back = read_report(json, "report.json");
    ASSERT_TRUE(back) << to_text(back.error());
    EXPECT_EQ(to_json(*back), json);
  }
}

// If nothing shows how often a guarded instruction was issued, the recorded count is a lower bound. Every format of the
// report says so.
TEST(Fold, SaysWhatIsALowerBound) {
  const auto rows = test::read_launches("examples/triton");
  const auto row = std::find_if(rows.begin(), rows.end(), [](const auto& r) { return r.program == "attention"; });
  ASSERT_NE(row, rows.end());
  test::kernel_launch what = row->launch;
  what.keep_accesses = 100000;
  const auto ran = test::run_kernel(what);
  ASSERT_TRUE(ran) << to_text(ran.error());
  const spool whole = spool_of(what.cubin, ran->launch());
  const auto exact = fold_spool(whole, "test");
  ASSERT_TRUE(exact);
  EXPECT_EQ(to_text(exact->what, {}, {}).find("may be more"), std::string::npos);
  EXPECT_EQ(to_json(exact->what).find("executed_at_least"), std::string::npos);

  // Removes the accesses without a guard. The remaining accesses are in a loop.
  spool s = whole;
  std::set<std::uint64_t> without_guard;
  for (const site& one : ran->launch().sites)
    if (!one.sass.starts_with('@')) without_guard.insert(one.pc);
  std::erase_if(s.tables[0].patterns, [&](const seen_pattern& p) {
    return without_guard.contains(static_cast<std::uint32_t>(p.pc - s.functions[0].pc));
  });
  const auto folded = fold_spool(s, "test");
  ASSERT_TRUE(folded);
  std::size_t lower_bounds = 0;
  for (const site& got : folded->what.launches.at(0).sites) {
    const auto want = std::find_if(ran->launch().sites.begin(), ran->launch().sites.end(),
                                   [&](const site& one) { return one.pc == got.pc; });
    ASSERT_NE(want, ran->launch().sites.end());
    EXPECT_LE(got.executed, want->executed);
    EXPECT_LE(got.lanes, want->lanes);
    EXPECT_EQ(got.wavefronts, want->wavefronts);
    if (!got.executed_at_least) {
      EXPECT_EQ(got.executed, want->executed) << got.sass;
    }
    lower_bounds += got.executed_at_least ? 1 : 0;
  }
  EXPECT_NE(lower_bounds, 0u);
  const std::string text = to_text(folded->what, {}, {}), csv = to_csv(folded->what), json = to_json(folded->what);
  EXPECT_NE(text.find(grouped(folded->what.launches[0].sum.executed) + "+ "), std::string::npos) << text;
  EXPECT_NE(text.find("is a lower bound"), std::string::npos);
  EXPECT_NE(csv.find("x1,1,1,0,"), std::string::npos);  // count, executed_at_least, partial
  EXPECT_NE(json.find("\"executed_at_least\": true"), std::string::npos);
  const auto back = read_report(json, "report.json");
  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(to_json(*back), json);
  EXPECT_FALSE(same_result(folded->what.launches[0], exact->what.launches[0]));
}

TEST(Fold, CountsWhatItCannotPlace) {
  const auto ran = test::run_kernel({.cubin = "examples/transpose.cubin",
                                     .kernel = "transpose_plain",
                                     .grid = {1, 1, 1},
                                     .block = {32, 8, 1},
                                     .arguments = {"out:f32[1024]", "f32[1024]=iota", "i32=32"},
                                     .keep_accesses = 1000});
  ASSERT_TRUE(ran);
  spool s = spool_of("examples/transpose.cubin", ran->launch());
  s.tables[0].patterns[0].pc += 4;                      // a pc between two instructions
  s.tables[0].patterns[1].first.address[0] = 0x900000;  // an address outside of shared memory
  s.tables[0].lost = 100;
  const std::uint64_t lost = 100 + s.tables[0].patterns[0].count + s.tables[0].patterns[1].count;
  s.configs.push_back({0, 0, {7, 1, 1}, {32, 1, 1}, {}, "_Z5otherv"});
  s.counts.push_back({3, 0, 1});
  s.is_cut = true;
  const auto folded = fold_spool(s, "test");
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->what.launches.at(0).lost_accesses, lost);
  ASSERT_EQ(folded->what.not_recorded.size(), 1u);
  EXPECT_EQ(folded->what.not_recorded[0].kernel, "other()");
  EXPECT_EQ(folded->problems.size(), 2u);  // the launch that failed, and the missing end of the file
  EXPECT_NE(to_text(folded->what, {}, {}).find("lost"), std::string::npos);
  s.modules[0] = "no cubin";
  const auto unreadable = fold_spool(s, "test");
  ASSERT_TRUE(unreadable);
  EXPECT_TRUE(unreadable->what.launches.empty());
}

// --- the recorder

// A simulated device. Its memory is the host's memory, and a launch is a function that fills the table.
struct fake_device {
  std::vector<std::string> calls;
  launch_table* table = nullptr;
  bool fails = false;
} device;

sanitizer_api fake_api() {
  sanitizer_api a;
  a.AddPatches = [](const void*, handle) -> std::uint32_t { return device.calls.emplace_back("add"), 0; };
  a.PatchInstructions = [](std::uint32_t, handle, const char*) -> std::uint32_t { return 0; };
  a.PatchModule = [](handle) -> std::uint32_t { return device.calls.emplace_back("patch"), 0; };
  a.UnpatchModule = [](handle) -> std::uint32_t { return device.calls.emplace_back("unpatch"), 0; };
  a.SetLaunchCallbackData = [](handle, handle, handle, const void* data) -> std::uint32_t {
    device.table = static_cast<launch_table*>(const_cast<void*>(data));
    return device.calls.emplace_back("launch"), 0;
  };
  a.GetFunctionPcAndSize = [](handle, const char* name, std::uint64_t* pc, std::uint64_t* bytes) -> std::uint32_t {
    *pc = 0x7f0000001000;
    *bytes = 0x1000;
    return std::strstr(name, "transpose") != nullptr ? 0 : 1;
  };
  a.Alloc = [](handle, void** p, std::size_t bytes) -> std::uint32_t { return *p = std::calloc(1, bytes), 0; };
  a.Free = [](handle, void* p) -> std::uint32_t { return std::free(p), 0; };
  a.AllocHost = a.Alloc;
  a.FreeHost = a.Free;
  a.Memset = [](void* p, int value, std::size_t bytes, handle) -> std::uint32_t {
    return std::memset(p, value, bytes), 0;
  };
  a.MemcpyHostToDeviceAsync = [](void* to, void* from, std::size_t bytes, handle) -> std::uint32_t {
    return std::memcpy(to, from, bytes), 0;
  };
  a.MemcpyDeviceToHost = a.MemcpyHostToDeviceAsync;
  a.StreamSynchronize = [](handle) -> std::uint32_t { return device.fails ? 999 : 0; };
  a.GetResultString = [](std::uint32_t, const char** text) -> std::uint32_t { return *text = "a fault", 0; };
  return a;
}

handle as_handle(std::uintptr_t n) { return reinterpret_cast<handle>(n); }

struct recording {
  scratch_folder folder;
  spool_writer out;
  std::unique_ptr<recorder> r;
  std::string cubin = test::read_text(test::source_path("examples/transpose.cubin"));
  std::string kernel = "_Z15transpose_plainPfPKfi";

  explicit recording(const schedule_options& o) {
    device = {};
    EXPECT_TRUE(out.open(folder.path() + "/spool.1"));
    r = std::make_unique<recorder>(
        fake_api(), out, o, *kernel_filter::make(o.kernel), "patches", [] { return true; },
        [](handle) { return false; });
  }
  void event(domain d, auto e, const void* data) { r->on_event(d, static_cast<std::uint32_t>(e), data); }
  void load() {
    const module_data m{as_handle(1), as_handle(2), cubin.size(), cubin.data()};
    event(domain::resource, resource_event::module_loaded, &m);
  }
  void launch(
      std::uint32_t grid, const std::function<void()>& runs = [] {}) {
    const launch_arguments arguments{as_handle(3), {grid, 1, 1}, {32, 8, 1}, 0, as_handle(4)};
    const call_data call{0, "cuLaunchKernel", &arguments, nullptr, kernel.c_str(), as_handle(1)};
    event(domain::driver, driver_call::launch_kernel, &call);
    launch_data l{};
    l.context = as_handle(1);
    l.module = as_handle(2);
    l.function = as_handle(3);
    l.stream_handle = as_handle(4);
    l.launch = as_handle(5);
    l.name = kernel.c_str();
    l.grid[0] = grid;
    l.block[0] = 32;
    l.block[1] = 8;
    l.grid[1] = l.grid[2] = l.block[2] = 1;
    event(domain::launch, launch_event::begin, &l);
    runs();
    event(domain::launch, launch_event::end, &l);
  }
  spool read() {
    const std::string file = folder.path() + "/spool.1";
    const auto bytes = read_file(file), counts = read_file(file + ".counts");
    const auto s = read_spool(bytes_of(*bytes), bytes_of(*counts), file);
    EXPECT_TRUE(s);
    return s ? *s : spool{};
  }
};

void count_one() {
  ASSERT_NE(device.table, nullptr);
  EXPECT_EQ(device.table->patterns[0].pc, free_pc);
  EXPECT_EQ(device.table->counts[0], 0u);
  EXPECT_EQ(device.table->head.code_begin, 0x1000u);
  EXPECT_GT(device.table->head.instructions, 10u);
  pattern& p = device.table->patterns[0];
  p.pc = 0x1000;
  p.mask = 1;
  p.address[0] = 1024;
  device.table->counts[0] = 2;
}

TEST(Recorder, RecordsTheFirstLaunchAndThenTakesThePatchesAway) {
  recording app({});
  app.load();
  app.launch(4, count_one);
  for (int i = 0; i < 10; ++i) app.launch(4);
  app.launch(5, count_one);
  app.launch(5);
  EXPECT_EQ(device.calls,
            (std::vector<std::string>{"add", "patch", "launch", "unpatch", "patch", "launch", "unpatch"}));
  const spool s = app.read();
  ASSERT_EQ(s.tables.size(), 2u);
  EXPECT_EQ(s.tables[0].patterns.at(0).count, 2u);
  ASSERT_EQ(s.configs.size(), 2u);
  EXPECT_EQ(s.counts[0].seen, 11u);
  EXPECT_EQ(s.counts[0].recorded, 1u);
  EXPECT_EQ(s.counts[1].seen, 2u);
  EXPECT_EQ(s.functions.at(0).mangled, app.kernel);
  EXPECT_TRUE(s.failures.empty());
}

TEST(Recorder, LosesNothingButTheLaunchThatFaults) {
  recording app({.each = 0});
  app.load();
  app.launch(4, count_one);
  app.launch(4, [] { device.fails = true; });
  const spool s = app.read();
  EXPECT_EQ(s.tables.size(), 1u);
  EXPECT_EQ(s.counts[0].seen, 2u);
  EXPECT_EQ(s.counts[0].recorded, 1u);
  EXPECT_EQ(s.counts[0].failed, 1u);
  ASSERT_EQ(s.failures.size(), 1u);
  EXPECT_NE(s.failures[0].find("a fault"), std::string::npos);
}

TEST(Recorder, LeavesKernelsAloneThatAreNotAskedFor) {
  recording app({.kernel = "another"});
  app.load();
  app.launch(4);
  EXPECT_TRUE(device.calls.empty());
  EXPECT_EQ(app.read().counts.at(0).seen, 1u);
}

TEST(Recorder, ForgetsAContextThatGoes) {
  recording app({.each = 0});
  app.load();
  app.launch(4, count_one);
  const context_data c{as_handle(1), 0};
  app.event(domain::resource, resource_event::context_destroy_starting, &c);
  app.launch(4);  // launches code of a module that was unloaded
  app.load();     // loads code into a new context with the same handle
  app.launch(4, count_one);
  EXPECT_EQ(app.read().tables.size(), 2u);
  EXPECT_EQ(device.calls, (std::vector<std::string>{"add", "patch", "launch", "add", "patch", "launch"}));
}

// The recorder does not wait for a graph whose context was destroyed after the launch. This is also true if a new
// context has the same handle.
TEST(Recorder, ForgetsGraphsOfAContextThatGoes) {
  recording app({.each = 0});
  app.load();
  graph_node_data n{};
  n.graph = as_handle(8);
  n.launch.context = as_handle(1);
  n.launch.module = as_handle(2);
  n.launch.name = app.kernel.c_str();
  for (auto* extent : {n.launch.grid, n.launch.block}) std::fill(extent, extent + 3, 1);
  app.event(domain::graphs, graph_event::node_launch_begin, &n);
  const context_data c{as_handle(1), 0};
  app.event(domain::resource, resource_event::context_destroy_starting, &c);
  const graph_data g{as_handle(1), nullptr, nullptr, as_handle(8)};
  app.event(domain::graphs, graph_event::launch_end, &g);
  EXPECT_EQ(app.read().tables.size(), 0u);
  EXPECT_EQ(app.read().counts.at(0).failed, 1u);
}

// The same code is loaded at a different address. So the recorder writes the new address of the kernel.
TEST(Recorder, DescribesCodeThatIsLoadedAgain) {
  recording app({.each = 0});
  app.load();
  app.launch(4, count_one);
  const module_data m{as_handle(1), as_handle(2), 0, nullptr};
  app.event(domain::resource, resource_event::module_unload_starting, &m);
  app.load();
  app.launch(4, count_one);
  EXPECT_EQ(app.read().functions.size(), 2u);
  EXPECT_EQ(app.read().tables.size(), 2u);
}

// --- the disk

TEST(Spool, IsAnotherFileWhereOneIsThere) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/spool.1";
  spool_writer first, second;
  ASSERT_TRUE(first.open(path) && second.open(path));
  EXPECT_TRUE(first.failure("one") && second.failure("two"));
  for (const auto& [file, text] : {std::pair{path, "one"}, {path + ".1", "two"}}) {
    const auto bytes = read_file(file);
    const auto s = read_spool(bytes_of(*bytes), {}, file);
    ASSERT_TRUE(s) << file;
    EXPECT_EQ(s->failures, std::vector<std::string>{text});
  }
}

// If the table of a launch cannot be written, the launch counts as not recorded.
TEST(Spool, CountsWhatFoundNoRoom) {
  recording app({.each = 0});
  app.load();
  app.launch(4, count_one);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit less = before;
  less.rlim_cur = std::filesystem::file_size(app.folder.path() + "/spool.1") + 10;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &less), 0);
  app.launch(4, count_one);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  app.launch(4, count_one);  // nothing after an incomplete record could be read
  const spool s = app.read();
  EXPECT_EQ(s.tables.size(), 1u);
  EXPECT_EQ(s.counts[0].recorded, 1u);
  EXPECT_EQ(s.counts[0].failed, 2u);
  EXPECT_EQ(s.unwritten, 2u);
  EXPECT_TRUE(s.is_cut);
}

}  // namespace
}  // namespace bankwise
