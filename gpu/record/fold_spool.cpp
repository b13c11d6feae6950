#include "fold_spool.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/format.hpp"
#include "base/text.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/load_cubin.hpp"
#include "cubin/program.hpp"
#include "issue_counts.hpp"
#include "model/fold.hpp"
#include "profile/code/code.hpp"
#include "profile/code/dependences.hpp"
#include "profile/profile_launch.hpp"
#include "profile/sites.hpp"
#include "sass/fields/shared_operation.hpp"

namespace bankwise::record {

namespace {

// Largest size of a block's shared memory, in bytes.
constexpr std::uint64_t shared_memory_limit = std::uint64_t{1} << 18;
constexpr std::uint64_t most_counted = std::uint64_t{1} << 48;  // limit of each count in a report

struct loaded_module {
  cubin::program program;
  // Key: section of code; value: operation of each instruction.
  std::map<std::uint32_t, std::vector<operation>> operations;

  const std::vector<operation>& operations_of(std::uint32_t section) {
    const auto [it, is_new] = operations.try_emplace(section);
    if (is_new) it->second = sass::shared_operations(program.sections[section].bytes, sass::isa_of(program.sm));
    return it->second;
  }
};

struct place {
  std::uint64_t address = 0;  // address of the instruction in the cubin
  operation op{};
};

// Finds the instruction whose pc has the lower half `pc`, in the kernel or in a function that the kernel calls.
std::optional<place> find_place(const spool& s, std::uint32_t module, loaded_module& m, std::uint32_t pc) {
  for (const function_record& f : s.functions) {
    const std::uint32_t offset = pc - static_cast<std::uint32_t>(f.pc);
    if (f.module != module || offset >= f.bytes) continue;
    for (std::uint32_t n = 0; n < m.program.sections.size(); ++n) {
      const cubin::code_section& code = m.program.sections[n];
      std::uint64_t begin = 0;
      bool found = code.name == formatted(".text.{}", f.mangled);
      for (const cubin::kernel& k : m.program.kernels)
        if (k.section == n && k.mangled == f.mangled) {
          begin = k.offset;
          found = true;
        }
      if (!found) continue;
      const std::vector<operation>& all = m.operations_of(n);
      const std::uint64_t index = (begin + offset) / cubin::instruction_bytes;
      if (offset % cubin::instruction_bytes != 0 || index >= all.size() || !valid(all[index])) return std::nullopt;
      return place{code.address + begin + offset, all[index]};
    }
  }
  return std::nullopt;
}

// Whether the hardware can execute the access without a fault.
bool is_possible(const access& a) {
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    if ((lanes_used(a) >> lane & 1) != 0 && a.address[lane] > shared_memory_limit - a.op.width_bytes) return false;
  return a.mask != 0 && first_misaligned_lane(a) == lanes_per_warp;
}

void add_other(collector::tally& to, const other& o) {
  const auto sum = [&](figure f) { return o.sum[static_cast<u32>(f)]; };
  to.executed += o.executed;
  to.lanes += sum(figure::lanes);
  to.wavefronts += sum(figure::wavefronts);
  to.ideal += sum(figure::ideal);
  to.reachable += sum(figure::reachable);
  to.passes += sum(figure::passes);
  to.cycles += sum(figure::cycles);
  to.layout_floor += sum(figure::layout_floor);
  to.best_cycles += sum(figure::best_cycles);
}

// Adds executions that the API did not report because the guard was false for some or all lanes.
void complete_counts(std::map<std::uint64_t, collector::tally>& seen, loaded_module& m, const cubin::kernel& k,
                     const launch_report& r) {
  const std::uint64_t threads = std::uint64_t{r.block[0]} * r.block[1] * r.block[2],
                      warps = (threads + lanes_per_warp - 1) / lanes_per_warp;
  const std::pair<std::uint32_t, issue_count> entry{k.offset / cubin::instruction_bytes,
                                                    {r.ctas_executed * warps, r.ctas_executed * threads}};
  for (std::uint32_t n = 0; n < m.program.sections.size(); ++n) {
    const cubin::code_section& code = m.program.sections[n];
    issue_counts heard;
    for (auto it = seen.lower_bound(code.address); it != seen.end() && it->first < code.address + code.bytes.size();
         ++it) {
      collector::tally& t = it->second;
      const std::uint64_t at = it->first - code.address;
      heard[static_cast<std::uint32_t>(at / cubin::instruction_bytes)] = {t.executed, t.lanes};
      t.generic = is_generic(sass::load_instruction(code.bytes.data() + at, sass::isa_of(m.program.sm)));
      if (!t.generic) continue;
      t.shared_executed = t.executed;
      t.shared_lanes = t.lanes;
    }
    if (heard.empty() && n != k.section) continue;
    const std::vector<operation>& operations = m.operations_of(n);
    for (const auto& [index, c] :
         complete(code, m.program.sm, operations, heard, n == k.section ? &entry : nullptr, r.lost_accesses == 0)) {
      collector::tally& tally = seen[code.address + std::uint64_t{index} * cubin::instruction_bytes];
      tally.op = operations[index];
      tally.executed = c.executed;
      tally.lanes = c.lanes;
      tally.executed_at_least = c.at_least;
    }
  }
}

std::uint64_t blocks_recorded(const config_record& c, std::uint32_t skip) {
  const std::uint64_t all = std::uint64_t{c.grid[0]} * c.grid[1] * c.grid[2], period = std::uint64_t{skip} + 1;
  return std::min((all + period - 1) / period, most_counted);
}

launch_report fold_table(const spool& s, const table_record& t, const config_record& c, loaded_module& m,
                         const cubin::kernel& k, const machine& on) {
  const std::uint64_t room = shared_memory_limit - k.static_shared_bytes;
  launch_report r = begin_report(k, c.grid, c.block,
                                 static_cast<std::uint32_t>(std::min<std::uint64_t>(t.dynamic_shared_bytes, room)));
  r.ctas_executed = blocks_recorded(c, t.skip_blocks);
  r.block_period = std::uint64_t{t.skip_blocks} + 1;
  r.lost_accesses = lost_accesses(t);

  // The order of patterns in the table depends on which warp was first. Patterns are sorted, so that reports of equal
  // runs are equal.
  std::vector<const seen_pattern*> patterns;
  for (const seen_pattern& p : t.patterns) patterns.push_back(&p);
  std::sort(patterns.begin(), patterns.end(), [](const seen_pattern* a, const seen_pattern* b) {
    if (a->pc != b->pc) return a->pc < b->pc;
    if (a->first.mask != b->first.mask) return a->first.mask > b->first.mask;
    return std::lexicographical_compare(std::begin(a->first.address), std::end(a->first.address),
                                        std::begin(b->first.address), std::end(b->first.address));
  });
  std::map<std::uint64_t, collector::tally> seen;
  for (const seen_pattern* p : patterns) {
    const auto at = find_place(s, c.module, m, p->pc);
    access a = p->first;
    if (at) a.op = at->op;
    if (!at || !is_possible(a)) {
      r.lost_accesses += p->count;
      continue;
    }
    collector::tally& tally = seen[at->address];
    tally.op = at->op;
    tally.executed += p->count;
    tally.lanes += p->count * count_lanes(a.mask);
    copy_source from{};
    std::copy(p->source.begin(), p->source.end(), from.address);
    tally.add(a, is_copy(a.op.kind) ? &from : nullptr, p->count, 0, on);
  }
  for (const other& o : t.others) {
    const auto at = find_place(s, c.module, m, o.pc);
    if (!at) {
      r.lost_accesses += o.executed;
      continue;
    }
    collector::tally& tally = seen[at->address];
    tally.op = at->op;
    add_other(tally, o);
    if (is_copy(at->op.kind)) tally.open_accesses += o.executed;  // the sources of these copies are unknown
  }
  for (const seen_example& e : t.examples) {
    const auto at = find_place(s, c.module, m, e.pc);
    access a = e.what;
    if (at) a.op = at->op;
    if (!at || !is_possible(a)) continue;
    seen[at->address].add(a, nullptr, 0, 1, on);
  }
  complete_counts(seen, m, k, r);
  add_sites(r, m.program, k, on, seen);
  add_dependences(r, m.program, k);
  return r;
}

// Whether two accesses are equal except for a shift by whole words.
bool same_shape(const access& a, const access& b) {
  if (a.op != b.op || a.mask != b.mask) return false;
  std::optional<u32> shift;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    if ((a.mask >> lane & 1) == 0) continue;
    const u32 distance = b.address[lane] - a.address[lane];
    if (distance % 4 != 0 || shift.value_or(distance) != distance) return false;
    shift = distance;
  }
  return true;
}

// The first access of a pattern is random. All equal launches get the worst accesses of the first of these launches,
// because the launches would otherwise differ in the report.
void share_worst(const report& r, launch_report& l) {
  for (const launch_report& before : r.launches) {
    if (before.mangled != l.mangled || before.grid != l.grid || before.block != l.block ||
        before.sites.size() != l.sites.size())
      continue;
    for (std::size_t i = 0; i < l.sites.size(); ++i)
      if (before.sites[i].pc == l.sites[i].pc && same_shape(before.sites[i].worst, l.sites[i].worst))
        l.sites[i].worst = before.sites[i].worst;
  }
}

}  // namespace

result<folded_spool> fold_spool(const spool& s, const std::string& name, bool with_code) {
  folded_spool f;
  report& r = f.what;
  r.origin = "recorded";
  std::map<std::uint32_t, std::optional<loaded_module>> modules;
  std::set<std::string> told;
  const auto tell = [&](const std::string& problem) {
    if (told.insert(problem).second) f.problems.push_back(problem);
  };
  for (const std::string& failure : s.failures) tell(failure);
  if (s.unwritten != 0)
    tell(formatted("the recording of {} stopped, because the disk of TMPDIR is full or the recording was deleted",
                   s.program));
  else if (s.is_cut)
    tell(formatted("the recording of {} is incomplete, because the last part of the file is missing", s.program));

  launch_finder known;
  std::vector<bool> has_launch(s.configs.size());
  for (const table_record& t : s.tables) {
    const config_record& c = s.configs[t.config];
    const auto [it, is_new] = modules.try_emplace(c.module);
    if (is_new) {
      const auto cubin = s.modules.find(c.module);
      auto p = cubin != s.modules.end()
                   ? cubin::load_cubin(bytes_of(cubin->second), formatted("a module of {}", s.program))
                   : result<cubin::program>(diagnostic{"the code of a kernel is missing in the recording"});
      if (p)
        it->second = loaded_module{std::move(*p), {}};
      else
        tell(formatted("{}: {}", cubin::demangle(c.mangled), p.error().message));
    }
    if (!it->second) continue;
    cubin::program& p = it->second->program;
    const auto k =
        std::find_if(p.kernels.begin(), p.kernels.end(), [&](const auto& one) { return one.mangled == c.mangled; });
    if (k == p.kernels.end()) {
      tell(formatted("the code of the loaded module does not contain the kernel {}", cubin::demangle(c.mangled)));
      continue;
    }
    if (k->static_shared_bytes > shared_memory_limit) {
      tell(formatted(
          "{}: the kernel has {} bytes of static shared memory, but bankwise supports at most {} bytes for a block. "
          "The report omits this launch",
          cubin::demangle(c.mangled), grouped(k->static_shared_bytes), grouped(shared_memory_limit)));
      continue;
    }
    const std::string arch = formatted("sm_{}", p.sm);
    if (r.arch.empty()) {
      auto on = parse_machine(arch);
      if (!on) return on.error();
      r.arch = arch;
      r.on = std::move(*on);
    } else if (r.arch != arch) {
      return diagnostic{
          formatted("{} contains code for {} and for {}. Wavefronts of different architectures cannot be added", name,
                    r.arch, arch),
          {.file = name},
          "-k regex:EXPR can record the kernels of one architecture"};
    }
    launch_report l = fold_table(s, t, c, *it->second, *k, r.on);
    has_launch[t.config] = true;
    l.launches_seen = std::clamp<std::uint64_t>(s.counts[t.config].seen, 1, most_counted);
    share_worst(r, l);
    if (with_code &&
        std::none_of(r.code.begin(), r.code.end(), [&](const kernel_code& one) { return one.mangled == k->mangled; }))
      r.code.push_back(describe_code(p, *k, l));
    known.add_launch(r, std::move(l));
  }
  for (std::size_t i = 0; i < s.configs.size(); ++i) {
    const config_counts& n = s.counts[i];
    const config_record& c = s.configs[i];
    if (n.failed != 0)
      tell(formatted("{}: {}{} failed, and the counts are lost", cubin::demangle(c.mangled), grouped(n.failed),
                     n.failed == 1 ? " launch" : " launches"));
    if (has_launch[i] || n.seen == 0) continue;
    const std::string full = cubin::demangle(c.mangled);
    r.not_recorded.push_back({full, c.grid, c.block, n.seen, n.recorded != 0});
  }
  if (r.arch.empty()) {  // without accesses, the machine does not matter
    r.arch = "sm_90";
    r.on = *parse_machine(r.arch);
  }
  return f;
}

}  // namespace bankwise::record
