// Executes the patches of `bankwise record` on the CPU. For a list of accesses, the counts of the patches equal the
// counts of the rule.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "bankwise/wavefronts.hpp"
#include "base/bytes.hpp"
#include "cubin/load_cubin.hpp"
#include "cubin/program.hpp"
#include "expr/names/operation_names.hpp"
#include "gpu/record/fold_spool.hpp"
#include "gpu/record/launch_table.hpp"
#include "gpu/record/spool.hpp"
#include "sass/fields/shared_operation.hpp"
#include "support/examples.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"
#include "support/launch_table.hpp"

namespace bankwise {
namespace {

using namespace record;

constexpr u32 first_pc = 0x7000;

// The sums over all accesses of an instruction.
struct sums {
  std::uint64_t executed = 0;
  std::array<std::uint64_t, figures> of{};

  void add(const access& a, std::uint64_t times) {
    const cost c = analyze(a);
    const u32 floor = shares_words(a.op.kind) ? c.reachable : layout_floor(a);
    const u32 best = lanes_used(a) == 0 ? 0 : std::max({floor, c.passes, return_cycles(a.op)});
    executed += times;
    const u32 numbers[] = {count_lanes(a.mask), c.wavefronts, c.ideal, c.reachable, c.passes, c.cycles, floor, best};
    for (u32 i = 0; i < figures; ++i) of[i] += times * numbers[i];
  }
  bool operator==(const sums&) const = default;
};

std::ostream& operator<<(std::ostream& out, const sums& s) {
  out << "executed " << s.executed << ", lanes wavefronts ideal reachable passes cycles floor best";
  for (const std::uint64_t n : s.of) out << " " << n;
  return out;
}

struct listed {
  access what{};  // makes an access with the operation of instruction `index`
  u32 index = 0;
  std::array<u32, lanes_per_warp> source{};
};

table_record run_patches(const std::vector<operation>& operations, const std::vector<listed>& list, u32 times = 1,
                         u32 room = least_patterns, u32 known = ~0u, u32 blocks = 1, u32 skip_blocks = 0) {
  std::string table(sizeof(launch_table), '\0');
  auto* const t = reinterpret_cast<launch_table*>(table.data());
  std::memset(t->patterns, poison, sizeof t->patterns);
  t->head.last_pattern = room - 1;
  t->head.code_begin = first_pc;
  t->head.instructions = std::min(known, static_cast<u32>(operations.size()));
  t->head.skip_blocks = skip_blocks;
  std::vector<u32> words;
  for (const listed& l : list) {
    const op_kind kind = operations[l.index].kind;
    words.push_back(first_pc + 16 * l.index);
    words.push_back(l.what.mask);
    words.push_back(is_matrix(kind) ? 1 : is_copy(kind) ? 2 : 0);
    words.insert(words.end(), std::begin(l.what.address), std::end(l.what.address));
    words.insert(words.end(), l.source.begin(), l.source.end());
  }
  const auto run = test::run_kernel(
      {.cubin = PATCHED_CUBIN,
       .kernel = "patched",
       .grid = {blocks, 1, 1},
       .block = {128, 1, 1},
       .arguments = {"u8[" + std::to_string(table.size()) + "]=file:table",
                     "u8[" + std::to_string(operations.size() * sizeof(operation)) + "]=file:operations",
                     "u32[" + std::to_string(words.size()) + "]=file:list", "u32=" + std::to_string(list.size()),
                     "u32=" + std::to_string(times)},
       .files = {{"table", table}, {"operations", test::bytes_of(operations)}, {"list", test::bytes_of(words)}}});
  EXPECT_TRUE(run) << to_text(run.error());
  if (!run) return {};
  // Writes a record to a spool, and reads it back.
  const auto filled = std::make_unique<launch_table>();
  std::memcpy(static_cast<void*>(filled.get()), run->buffers[0].data(), sizeof *filled);
  std::string file(spool_magic, sizeof spool_magic);
  const auto record = [&](record_kind kind, const std::string& payload) {
    const record_header h{kind, 0, payload.size()};
    file.append(reinterpret_cast<const char*>(&h), sizeof h);
    file += payload;
  };
  std::string config(4 + 8 + 36 + 4, '\0');
  for (int i = 0; i < 6; ++i) config[12 + 4 * i] = 1;  // fields of the grid and the block
  record(record_kind::config, config);
  record(record_kind::table, table_payload(0, *filled));
  const auto s = read_spool(bytes_of(file), {}, "spool");
  EXPECT_TRUE(s) << to_text(s.error());
  return s && s->tables.size() == 1 ? s->tables[0] : table_record{};
}

std::map<u32, sums> sums_of(const std::vector<operation>& operations, const table_record& t) {
  std::map<u32, sums> all;
  for (const seen_pattern& p : t.patterns) {
    access a = p.first;
    a.op = operations.at((p.pc - first_pc) / 16);
    all[p.pc].add(a, p.count);
  }
  for (const other& o : t.others) {
    sums& s = all[o.pc];
    s.executed += o.executed;
    for (u32 i = 0; i < figures; ++i) s.of[i] += o.sum[i];
  }
  return all;
}

std::map<u32, sums> expected(const std::vector<operation>& operations, const std::vector<listed>& list, u32 times = 1) {
  std::map<u32, sums> all;
  for (const listed& l : list) {
    access a = l.what;
    a.op = operations[l.index];
    all[first_pc + 16 * l.index].add(a, times);
  }
  return all;
}

const std::vector<operation> every_operation = {
    ld(1),  ld(2),       ld(4),       ld(8),       ld(16),      st(1),       st(2),       st(4),   st(8),
    st(16), ldmatrix(1), ldmatrix(2), ldmatrix(4), stmatrix(1), stmatrix(2), stmatrix(4), atom(4), atom(8),
    red(4), red(8),      cas(4),      cas(8),      cas_spin(4), cas_spin(8), popc_inc()};

// Returns an access with a mask and addresses as in real kernels, or with random ones.
access random_access(std::mt19937& random, operation op) {
  const auto below = [&](u32 n) { return static_cast<u32>(random() % n); };
  const u32 words = op.width_bytes < 4 ? 1 : op.width_bytes / 4u, unit = op.width_bytes;
  const u32 kind = below(6), stride = 1 + below(40), rows = 1 + below(8), some = static_cast<u32>(random());
  access a = make_access(op, [&](u32 lane) {
    switch (kind) {
      case 0: return lane * stride * unit;
      case 1: return lane / rows * stride * unit;
      case 2: return (lane ^ some % 32) * unit;
      case 3: return lane % rows * 4 * words * stride;
      case 4: return below(64) * unit;
      default: return below(4096) * unit;
    }
  });
  const u32 shapes[] = {full_mask, full_mask, 0xffffu, 0xfu, 0x55555555u, static_cast<u32>(random()), 1u << below(32)};
  a.mask = shapes[below(7)];
  return a.mask != 0 ? a : make_access(op, [](u32) { return 0u; });
}

TEST(Patch, CountsWhatRepeats) {
  std::vector<listed> list;
  for (u32 i = 0; i < every_operation.size(); ++i)
    for (u32 shift = 0; shift < 4; ++shift)
      list.push_back({make_access(every_operation[i], [&](u32 lane) { return (lane + shift) * 16; }), i, {}});
  const table_record t = run_patches(every_operation, list, 50);
  EXPECT_EQ(t.patterns.size(), every_operation.size());  // an access that is shifted by whole words is the same pattern
  EXPECT_TRUE(t.others.empty());
  EXPECT_EQ(lost_accesses(t), 0u);
  EXPECT_EQ(sums_of(every_operation, t), expected(every_operation, list, 50));
}

TEST(Patch, JudgesByTheRuleWhatFindsNoRoom) {
  std::mt19937 random(1);
  std::vector<listed> list;
  for (u32 i = 0; i < every_operation.size(); ++i)
    for (int n = 0; n < 200; ++n) list.push_back({random_access(random, every_operation[i]), i, {}});
  const table_record t = run_patches(every_operation, list);
  EXPECT_EQ(lost_accesses(t), 0u);
  EXPECT_GT(t.others.size(), 15u);
  const auto got = sums_of(every_operation, t), want = expected(every_operation, list);
  for (u32 i = 0; i < every_operation.size(); ++i) {
    const u32 pc = first_pc + 16 * i;
    EXPECT_EQ(got.at(pc), want.at(pc)) << spell(every_operation[i]);
  }
  // The worst access of each instruction is kept, among the patterns or as an example.
  for (u32 i = 0; i < every_operation.size(); ++i) {
    u32 worst = 0, kept = 0;
    const auto removable_of = [&](access a) {
      a.op = every_operation[i];
      return analyze(a).wavefronts - analyze(a).reachable;
    };
    for (const listed& l : list)
      if (l.index == i) worst = std::max(worst, removable_of(l.what));
    for (const seen_pattern& p : t.patterns)
      if (p.pc == first_pc + 16 * i) kept = std::max(kept, removable_of(p.first));
    for (const seen_example& e : t.examples)
      if (e.pc == first_pc + 16 * i) kept = std::max(kept, removable_of(e.what));
    EXPECT_EQ(kept, worst) << spell(every_operation[i]);
  }
}

TEST(Patch, TellsCopiesApartByTheirSources) {
  const std::vector<operation> operations = {cp_async(16)};
  std::vector<listed> list;
  for (u32 i = 0; i < 400; ++i) {
    listed l{make_access(
                 operations[0], [&](u32 lane) { return lane * 16 + i % 4 * 512; }, 0x000f000f),
             0,
             {}};
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      l.source[lane] = 0xff000000 + i * 64 + lane % 16 * 16 + lane / 16 * 5120;
    list.push_back(l);
  }
  const table_record t = run_patches(operations, list);
  EXPECT_EQ(t.patterns.size(), 2u);  // one copy at the start of a line, the other in the middle of a line
  EXPECT_EQ(lost_accesses(t), 0u);
  EXPECT_EQ(sums_of(operations, t), expected(operations, list));
}

TEST(Patch, JudgesCopiesThatFindNoRoomWithoutTheirSources) {
  const std::vector<operation> operations = {cp_async(4)};
  std::mt19937 random(2);
  std::vector<listed> list;
  for (int i = 0; i < 300; ++i) {
    listed l{random_access(random, operations[0]), 0, {}};
    for (u32& source : l.source) source = static_cast<u32>(random() % 1024 * 4);
    list.push_back(l);
  }
  const table_record t = run_patches(operations, list);
  EXPECT_EQ(lost_accesses(t), 0u);
  EXPECT_EQ(t.others.size(), 1u);
  EXPECT_EQ(sums_of(operations, t), expected(operations, list));
}

TEST(Patch, KeepsAsTheyCameWhatTheHostDidNotTellOf) {
  const std::vector<operation> all = {st(4)};
  std::mt19937 random(3);
  std::vector<listed> list;
  for (int i = 0; i < 200; ++i) list.push_back({random_access(random, all[0]), 0, {}});
  const table_record t = run_patches(all, list, 1, least_patterns, 0);
  EXPECT_EQ(lost_accesses(t), 0u);
  EXPECT_TRUE(t.others.empty());
  EXPECT_GT(t.strays_seen, 50u);
  EXPECT_EQ(sums_of(all, t), expected(all, list));
}

TEST(Patch, RecordsSomeBlocks) {
  const std::vector<operation> operations = {ld(4)};
  const std::vector<listed> list = {{make_access(ld(4), [](u32 lane) { return lane * 4; }), 0, {}}};
  const table_record t = run_patches(operations, list, 3, least_patterns, 1, 8, 3);
  ASSERT_EQ(t.patterns.size(), 1u);
  EXPECT_EQ(t.patterns[0].count, 2u * 3);  // the recorder samples blocks 0 and 4 of eight blocks
}

// For real kernels, the patches report accesses through the table and the spool. The reported accesses equal the
// accesses of the emulator, also for executions in which no lane passes the guard.
TEST(Patch, GivesTheReportOfALaunch) {
  std::vector<test::kernel_launch> all;
  for (const test::launch_row& row : test::read_launches("examples/triton"))
    if (row.program == "softmax" || row.program == "sort" || row.program == "matmul_f16_stages")
      all.push_back(row.launch);
  for (const test::example& e : test::all_examples())
    if (e.launch.kernel.starts_with("reduce") || e.launch.kernel.starts_with("histogram")) all.push_back(e.launch);
  ASSERT_EQ(all.size(), 7u);
  for (test::kernel_launch& what : all) {
    SCOPED_TRACE(what.cubin + " " + what.kernel);
    what.keep_accesses = std::size_t{1} << 20;
    const auto ran = test::run_kernel(what);
    ASSERT_TRUE(ran) << to_text(ran.error());
    const launch_report& l = ran->launch();
    ASSERT_EQ(l.accesses_kept, l.accesses_seen);
    spool s;
    s.modules[0] = test::read_text(test::source_path(what.cubin));
    const auto program = cubin::load_cubin(bytes_of(s.modules[0]), what.cubin);
    ASSERT_TRUE(program);
    const auto k = std::find_if(program->kernels.begin(), program->kernels.end(),
                                [&](const cubin::kernel& one) { return one.mangled == l.mangled; });
    ASSERT_NE(k, program->kernels.end());
    const std::vector<operation> operations =
        sass::shared_operations(program->sections[k->section].bytes, sass::isa_of(program->sm));
    std::vector<listed> list;
    for (const site& one : l.sites)
      for (const recorded_access& a : one.accesses) {
        listed add{a.what, static_cast<u32>((k->offset + one.pc) / 16), {}};
        for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
          add.what.address[lane] += k->reserved_shared_bytes;
          add.source[lane] = lane * one.op.op.width_bytes;
        }
        list.insert(list.end(), a.count, add);
      }
    s.configs.push_back({0, 0, l.grid, l.block, {}, l.mangled});
    s.counts.push_back({1, 1, 0});
    s.functions.push_back({0, first_pc + k->offset, k->code_bytes, l.mangled});
    s.tables.push_back(run_patches(operations, list, 1, most_patterns));
    ASSERT_EQ(lost_accesses(s.tables[0]), 0u);
    const auto folded = fold_spool(s, "test");
    ASSERT_TRUE(folded) << to_text(folded.error());
    EXPECT_TRUE(folded->problems.empty());
    const std::vector<site>& got = folded->what.launches.at(0).sites;
    ASSERT_EQ(got.size(), l.sites.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].pc, l.sites[i].pc);
      EXPECT_FALSE(got[i].executed_at_least) << got[i].sass;
      EXPECT_EQ(got[i].executed, l.sites[i].executed) << got[i].sass;
      EXPECT_EQ(got[i].lanes, l.sites[i].lanes) << got[i].sass;
      if (is_copy(got[i].op.op.kind)) continue;  // the emulator's trace does not contain the sources of copies
      EXPECT_EQ(got[i].wavefronts, l.sites[i].wavefronts) << got[i].sass;
      EXPECT_EQ(got[i].ideal, l.sites[i].ideal) << got[i].sass;
    }
  }
}

}  // namespace
}  // namespace bankwise
