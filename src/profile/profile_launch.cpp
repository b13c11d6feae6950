#include "profile/profile_launch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "emulate/counting/counting.hpp"
#include "emulate/launch/listeners.hpp"
#include "model/causes/causes.hpp"
#include "profile/arrays.hpp"
#include "profile/cluster_races.hpp"
#include "profile/code/dependences.hpp"
#include "profile/code/kept_facts.hpp"
#include "profile/code/not_executed.hpp"
#include "profile/code/value_flow.hpp"
#include "profile/collect.hpp"
#include "profile/estimate.hpp"
#include "profile/first_blocks.hpp"
#include "profile/found_faults.hpp"
#include "profile/global_counts.hpp"
#include "profile/global_races.hpp"
#include "profile/hazards.hpp"
#include "profile/launch_time.hpp"
#include "profile/memory_checker.hpp"
#include "profile/race_watch.hpp"
#include "profile/sample_collector.hpp"
#include "profile/schedules.hpp"
#include "profile/sites.hpp"
#include "profile/sync_checker.hpp"
#include "profile/trace.hpp"
#include "profile/unused_reads.hpp"
#include "timing/clocks/launch_clocks.hpp"
#include "timing/trace_launch.hpp"

namespace bankwise {

namespace {

// The checkers of a launch other than the one for shared memory.
struct other_checks {
  void listen(emulate::launch_hooks& hooks, const checks& wanted, emulate::device_memory& memory) {
    if (wanted.memory || wanted.uninitialised)
      of_memory.emplace(hooks, [&, wanted] { return std::make_unique<memory_checker>(wanted, memory); });
    if (wanted.synchronisation) of_sync.emplace(hooks, [] { return std::make_unique<sync_checker>(); });
  }
  void report(const emulate::launch& l, const emulate::device_memory& memory, std::vector<hazard>& to) {
    loaded_values code(*l.program, *l.kernel);
    if (of_memory) add_memory_hazards(l, memory, of_memory->sum()->found(code), to);
    if (of_sync) add_sync_hazards(l, of_sync->sum()->found(code), to);
  }
  std::optional<emulate::listeners_of<memory_checker>> of_memory;
  std::optional<emulate::listeners_of<sync_checker>> of_sync;
};

early_end::reason reason_of(emulate::stop_reason stopped) {
  using reason = early_end::reason;
  switch (stopped) {
    case emulate::stop_reason::none: break;
    case emulate::stop_reason::interrupted: return reason::interrupted;
    case emulate::stop_reason::budget: return reason::budget;
    case emulate::stop_reason::time: return reason::time;
  }
  return reason::none;
}

// If the blocks of a class behave alike, only one block of each class is executed. This may take the time limit divided
// by share_of_classes. If it takes longer, the launch has too many classes, and a sample of its blocks is executed.
constexpr int share_of_classes = 4;

// Scales the counts of distinct accesses from `counted` executions to `all` executions.
void raise(std::vector<recorded_access>& accesses, std::uint64_t all, std::uint64_t counted) {
  std::uint64_t seen = 0, raised = 0;
  for (recorded_access& a : accesses) {
    seen += a.count;
    a.count = scaled(seen, all, counted) - raised;
    raised += a.count;
  }
}

// The collectors of a launch. If the launch may become a sample, the collectors keep the counts of each block.
struct counting {
  counting(emulate::launch_hooks& hooks, const emulate::launch& l, const machine& on) {
    const cubin::code_section& code = l.program->sections[l.kernel->section];
    const bool repeats = emulate::runs_by_class(l);
    if (!repeats && (l.time || l.most_blocks != 0))
      by_block.emplace(hooks, [&l, &on, &code] {
        return std::make_unique<sample_collector>(on, code.address, code.bytes.size(), l.grid, emulate::cluster_of(l));
      });
    else
      all_blocks.emplace(hooks, [&on, &code, repeats] {
        return std::make_unique<collector>(on, code.address, code.bytes.size(), repeats);
      });
  }
  std::optional<emulate::listeners_of<collector>> all_blocks;
  std::optional<emulate::listeners_of<sample_collector>> by_block;
};

// The collectors of a launch's accesses to global memory.
struct global_counting {
  global_counting(emulate::launch_hooks& hooks, const emulate::launch& l) {
    const cubin::code_section& code = l.program->sections[l.kernel->section];
    const bool repeats = emulate::runs_by_class(l);
    if (!repeats && (l.time || l.most_blocks != 0))
      by_block.emplace(hooks, [&l, &code] {
        return std::make_unique<global_sample_collector>(code.address, code.bytes.size(), l.grid,
                                                         emulate::cluster_of(l));
      });
    else
      all_blocks.emplace(hooks, [&code, repeats] {
        return std::make_unique<global_collector>(code.address, code.bytes.size(), repeats);
      });
  }
  void report(launch_report& r, const cubin::program& p, const cubin::kernel& k) {
    r.global_counted = true;
    if (all_blocks) {
      r.global_sites = global_sites_of(p, k, *all_blocks->sum());
      return;
    }
    const auto sum = by_block->sum();
    if (!r.scaled) {
      r.global_sites = global_sites_of(p, k, *sum);
      return;
    }
    r.global_sites = global_sites_of(p, k, *sum, [&](global_site& s, std::uint64_t pc) { sum->estimate(s, pc); });
    r.global_within = sum->intervals();
    const global_counts all = sum_of(r.global_sites);
    for (std::size_t i = 0; i < std::size(global_count_rows); ++i)
      include(r.global_within[i], global_count_rows[i].value(all));
  }
  std::optional<emulate::listeners_of<global_collector>> all_blocks;
  std::optional<emulate::listeners_of<global_sample_collector>> by_block;
};

// The recorders of a launch's accesses and values. They record all blocks, or only the first blocks.
struct tracers {
  void listen(emulate::launch_hooks& hooks, traced_blocks traced, u32 shared_bytes, const cubin::code_section& code,
              std::size_t most, u32 own_begin, u32 dynamic_begin, bool repeats) {
    const std::uint64_t begin = code.address, bytes = code.bytes.size();
    if (traced == traced_blocks::all) {
      flow.emplace(hooks, [=] { return std::make_unique<value_flow>(shared_bytes, begin, bytes); });
      trace.emplace(
          hooks, [=] { return std::make_unique<access_trace>(most, own_begin, dynamic_begin, begin, bytes, repeats); });
      return;
    }
    first_flow.emplace(
        hooks, [=] { return std::make_unique<of_first_blocks<value_flow>>(repeats, shared_bytes, begin, bytes); });
    first_trace.emplace(hooks, [=] {
      return std::make_unique<of_first_blocks<access_trace>>(repeats, most, own_begin, dynamic_begin, begin, bytes,
                                                             repeats);
    });
  }
  struct heard {
    access_trace trace;
    value_flow flow;
    bool is_cut = false;
  };
  heard sum(std::uint64_t blocks_ran) {
    if (trace) return {std::move(*trace->sum()), std::move(*flow->sum())};
    const auto first = first_trace->sum();
    return {first->heard(), first_flow->sum()->heard(), first->is_cut(blocks_ran)};
  }

  std::optional<emulate::listeners_of<access_trace>> trace;
  std::optional<emulate::listeners_of<value_flow>> flow;
  std::optional<emulate::listeners_of<of_first_blocks<access_trace>>> first_trace;
  std::optional<emulate::listeners_of<of_first_blocks<value_flow>>> first_flow;
};

// Whether warps of a block can race on shared memory, and only barriers of the block order them.
bool may_watch_races(const emulate::launch& l, const report_contents& wanted) {
  const auto [x, y, z] = emulate::cluster_of(l);
  return !wanted.hazards.any() && x * y * z == 1 && l.block[0] * l.block[1] * l.block[2] > 32 &&
         l.kernel->static_shared_bytes + l.dynamic_shared_bytes != 0;
}

}  // namespace

namespace {

result<launch_report> profile_counts(const emulate::launch& l, emulate::device_memory& memory, const machine& on,
                                     const emulate::launch_hooks& also, const report_contents& wanted) {
  const cubin::program& p = *l.program;
  const cubin::kernel& k = *l.kernel;
  const cubin::code_section& code = p.sections[k.section];
  const u32 own_begin = k.reserved_shared_bytes, dynamic_begin = own_begin + k.static_shared_bytes;
  const bool repeats = emulate::runs_by_class(l);
  emulate::launch_hooks hooks = also;
  std::optional<counting> counters;
  if (!wanted.only_time) counters.emplace(hooks, l, on);
  tracers trace;
  if (wanted.accesses != 0)
    trace.listen(hooks, wanted.traced, dynamic_begin + l.dynamic_shared_bytes, code, wanted.accesses, own_begin,
                 dynamic_begin, repeats);
  std::optional<global_counting> global;
  if (l.counts_global && (!emulate::counts_only(l) || l.counting->tells_global)) global.emplace(hooks, l);
  std::optional<emulate::listeners_of<hazard_checker>> checking;
  const auto parts = wanted.hazards.shared() ? find_atomic_parts(p, k) : nullptr;
  other_checks others;
  others.listen(hooks, wanted.hazards, memory);
  if (wanted.hazards.shared())
    checking.emplace(hooks, [&] {
      return std::make_unique<hazard_checker>(wanted.hazards, l.block[0] * l.block[1] * l.block[2],
                                              dynamic_begin + l.dynamic_shared_bytes, own_begin, *parts);
    });
  std::optional<emulate::listeners_of<cluster_race_checker>> checking_clusters;
  if (wanted.hazards.races && cluster_race_checker::applies_to(l))
    checking_clusters.emplace(hooks, [&] {
      return std::make_unique<cluster_race_checker>(l, dynamic_begin + l.dynamic_shared_bytes, own_begin, *parts);
    });
  const auto of_blocks = wanted.hazards.races ? record_global_accesses(l, memory) : nullptr;
  std::optional<emulate::listeners_of<global_race_checker>> checking_blocks;
  if (of_blocks != nullptr)
    checking_blocks.emplace(hooks, [&] { return std::make_unique<global_race_checker>(of_blocks); });
  std::optional<emulate::listeners_of<race_watch>> watching;
  if (wanted.watches_races && may_watch_races(l, wanted))
    watching.emplace(hooks, [&] {
      return std::make_unique<race_watch>(p, k, dynamic_begin + l.dynamic_shared_bytes,
                                          !emulate::counts_only(l) || !l.counting->leaves_shared);
    });
  const auto begun = std::chrono::steady_clock::now();
  emulate::launch tried = l;
  tried.tells_all_order |= wanted.hazards.races || wanted.hazards.uninitialised;
  tried.checks_synchronisation |= wanted.hazards.synchronisation;
  if (l.time && repeats) tried.time->until = l.time->begins / share_of_classes;
  const auto ran = emulate::run_launch(tried, memory, hooks);
  if (repeats && ran && ran->stopped == emulate::stop_reason::time) {
    // There are too many classes for the time limit, so a sample is executed in the remaining time.
    tried = l;
    auto one_by_one = std::make_shared<emulate::counting_code>(*l.counting);
    one_by_one->by_class = false;
    tried.counting = std::move(one_by_one);
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begun;
    for (auto* end : {&tried.time->begins, &tried.time->until})
      *end = std::max(*end - took, std::chrono::nanoseconds(0));
    return profile_counts(tried, memory, on, also, wanted);
  }
  if (!ran) return ran.error();
  if (ran->raced) {
    tried.interleaves = true;
    return profile_counts(tried, memory, on, also, wanted);
  }
  __extension__ using product = unsigned __int128;
  const std::uint64_t standing_for = ran->stopped == emulate::stop_reason::none ? blocks_of(l.grid) : ran->counted;
  if (product{ran->sum.warp_instructions} * standing_for >
      product{emulate::most_instructions} * std::max<std::uint64_t>(ran->counted, 1))
    return diagnostic{
        formatted("kernel {}: {} blocks execute more than {} warp instructions, which is the limit of a report", k.name,
                  grouped(blocks_of(l.grid)), grouped(emulate::most_instructions)),
        {},
        formatted("launch a smaller {}. If all blocks do the same work, a small grid shows the cost of a block",
                  worded(setting::grid))};

  launch_report r = begin_report(k, l.grid, l.block, l.dynamic_shared_bytes);
  r.checked = wanted.hazards;
  if (checking) r.hazards = hazards_of(l, checking->sum()->found());
  if (checking_clusters) add_cluster_hazards(l, checking_clusters->sum()->found(), r.hazards);
  others.report(l, memory, r.hazards);
  if (watching)
    if (const auto watched = watching->sum(); !watched->found().empty()) r.hazards = hazards_of(l, watched->found());
  r.ctas_executed = ran->blocks;
  r.counted_alone = emulate::counts_only(l);
  if (ran->stopped != emulate::stop_reason::none) {
    r.partial.why = reason_of(ran->stopped);
    r.ctas_begun = ran->begun;
    r.stopped_at = ran->stopped_at;
  }
  // The counts of a stopped launch cannot be scaled.
  const std::uint64_t sample = r.partial ? 1 : ran->counted, grid = r.partial ? 1 : blocks_of(l.grid);
  r.scaled = sample != grid;
  r.timed = r.scaled && l.time;
  static_cast<whole_counts&>(r.sum) = ran->sum;
  if (wanted.only_time) return r;
  r.out_of_bounds = out_of_bounds_of(l, ran->out_of_bounds);
  r.block_races = block_races_of(l, ran->races);
  if (of_blocks != nullptr) r.block_races = block_races_of(l, memory, races_in(*of_blocks));
  for (out_of_bounds_access& a : r.out_of_bounds) {
    a.count = scaled(a.count, grid, sample);
    a.lanes = scaled(a.lanes, grid, sample);
  }

  const std::unique_ptr<sample_collector> by_block = counters->by_block ? counters->by_block->sum() : nullptr;
  const std::unique_ptr<collector> all_blocks = counters->all_blocks ? counters->all_blocks->sum() : nullptr;
  collector& counted = by_block ? *by_block : *all_blocks;
  std::vector<std::uint64_t> pcs;
  if (!r.scaled) {
    pcs = add_sites(r, p, k, on, counted.tallies());
  } else {
    const block_samples<shared_numbers>& blocks = by_block->blocks();
    pcs = add_sites(r, p, k, on, counted.tallies(), [&](site& s, std::uint64_t pc) { by_block->estimate(s, pc); });
    r.within = blocks.intervals_of(blocks.launch());
    for (std::size_t i = 0; i < std::size(total_rows); ++i) include(r.within[i], r.sum.*total_rows[i].member);
    const estimate instructions = estimate_of(blocks.strata(), ran->instructions);
    scale(static_cast<whole_counts&>(r.sum), instructions.value,
          std::max<std::uint64_t>(ran->sum.warp_instructions, 1));
    r.sum.warp_instructions = instructions.value;
    r.within.push_back(instructions.within);
  }
  if (global) global->report(r, p, k);
  if (wanted.accesses != 0) {
    const auto [kept, flow, is_cut] = trace.sum(ran->blocks);
    r.has_accesses = true;
    std::uint64_t kept_of_sample = 0;
    std::vector<touched_bytes> touched;
    std::vector<std::uint32_t> webs;
    for (std::size_t i = 0; i < r.sites.size(); ++i) {
      r.sites[i].accesses = kept.accesses_of(pcs[i]);
      std::vector<recorded_access>& accesses = r.sites[i].accesses;
      for (const recorded_access& a : accesses) kept_of_sample += a.count;
      if (r.scaled) raise(accesses, r.sites[i].executed, counted.tallies().at(pcs[i]).executed);
      for (const recorded_access& a : accesses) r.accesses_kept += a.count;
      touched.push_back(kept.touched_by(pcs[i]));
      webs.push_back(flow.web_of(pcs[i]));
      const passed_values passed = flow.passed_by(pcs[i]);
      r.sites[i].passed = {scaled(passed.words, grid, sample), scaled(passed.to_other_warps, grid, sample),
                           scaled(passed.shuffles, grid, sample)};
    }
    r.accesses_seen = r.accesses_kept + scaled(kept.seen() - kept_of_sample, grid, sample);
    // All accesses were counted, but some were not kept.
    if (is_cut) r.accesses_seen = std::max(r.accesses_seen, r.sum.executed);
    r.arrays = find_arrays(read_declarations(p, k.mangled), k.static_shared_bytes, r.sites, touched, webs);
    r.not_executed = not_executed(p, k, r.sites);
  }
  add_dependences(r, p, k);
  number_causes(r);
  return r;
}

}  // namespace

report_contents contents_of(const run_options& o, bool looks) {
  return {.accesses = o.keeps_accesses ? most_accesses
                      : looks          ? most_accesses_to_look
                                       : 0,
          .traced = o.keeps_accesses ? traced_blocks::all : traced_blocks::first,
          .hazards = o.wanted(),
          .schedules = o.schedules,
          .needs_time = {}};
}

namespace {

void forget_reads(launch_report& r, const emulate::launch& l, const std::set<std::uint64_t>& unused) {
  for (const std::uint64_t pc : unused) {
    const code_place place = place_of(l, pc);
    std::erase_if(r.hazards, [&](const hazard& h) {
      return h.kind == hazard_kind::uninitialised && h.memory == hazard_memory::shared &&
             static_cast<const code_place&>(h.second) == place;
    });
  }
}

bool sees_clock(const emulate::launch& l) {
  static kept_facts<bool>& all = *new kept_facts<bool>;  // a report may be written after the end of main
  return *all.of(*l.program, *l.kernel, timing::reads_clock);
}

using launch_clocks_ptr = std::unique_ptr<timing::launch_clocks>;

// Returns the clocks that the kernel reads, or null.
launch_clocks_ptr read_clocks_of(const emulate::launch& l, const emulate::device_memory& memory, const machine& on,
                                 const report_contents& wanted) {
  return sees_clock(l) ? timing::launch_clocks::make(l, memory, on.model, wanted.in_program) : nullptr;
}

void add_recorded_time(launch_report& r, timing::launch_trace& t, const timing::launch_recording& from,
                       const emulate::launch& l, const machine& on, const report_contents& wanted,
                       predicted_part part) {
  if (part == predicted_part::none) return;
  add_time(r, t, l, on,
           {.trace = wanted.accesses != 0,
            .in_program = wanted.in_program,
            .savings = part == predicted_part::savings,
            .only_time = wanted.only_time});
  if (wanted.only_time && !from.fault().message.empty())
    r.time.doubts.insert(r.time.doubts.begin(), formatted("a fault ended its trace: {}", from.fault().message));
}

// Executes the launch, and predicts its time if it is wanted. `hooks` has the clocks.
result<launch_report> profile_timed(const emulate::launch& l, emulate::device_memory& memory, const machine& on,
                                    const emulate::launch_hooks& hooks, const timing::launch_clocks* clocks,
                                    const report_contents& wanted) {
  using clock = std::chrono::steady_clock;
  const auto waited = [&] { return clocks != nullptr ? clocks->least_clocks() : 0; };
  const auto note_clocks = [&](launch_report& r) {
    r.waited_cycles = static_cast<std::uint64_t>(waited());
    if (clocks != nullptr) r.seen_cycles = static_cast<std::uint64_t>(std::ceil(clocks->seen_clocks()));
  };
  if (!l.predicts_time) {
    auto r = profile_counts(l, memory, on, hooks, wanted);
    if (r) note_clocks(*r);
    return r;
  }
  const clock::time_point begun = clock::now();
  timing::launch_recording recording(l, memory, on.model);
  emulate::launch_hooks recorded = hooks;
  const timing::recording_time when = timing::recording_time_of(l);
  if (when == timing::recording_time::while_it_runs) recorded.recorders = &recording;
  const diagnostic stopped_at =
      when == timing::recording_time::before ? recording.rehearse(memory, hooks) : diagnostic();
  std::chrono::nanoseconds took = clock::now() - begun;
  auto r = profile_counts(l, memory, on, recorded, wanted);
  if (!r) return r;
  // A user who stops a launch before its first block wants to know where the rehearsal was.
  if (r->partial && r->ctas_executed == 0 && !stopped_at.message.empty()) r->stopped_at = stopped_at;
  const clock::time_point ran_at = clock::now();
  note_clocks(*r);
  if (auto trace = recording.trace()) {
    trace->least_cycles = waited();
    const predicted_part part = wanted.needs_time ? wanted.needs_time(*r, *trace) : predicted_part::savings;
    add_recorded_time(*r, *trace, recording, l, on, wanted, part);
  } else {
    r->time_missing = when == timing::recording_time::before ? unpredicted::not_traced : unpredicted::not_executed;
  }
  took += clock::now() - ran_at;
  r->prediction_nanoseconds = static_cast<std::uint64_t>(took.count());
  return r;
}

}  // namespace

result<launch_report> profile_launch(const emulate::launch& l, emulate::device_memory& memory, const machine& on,
                                     const emulate::launch_hooks& also, const report_contents& wanted) {
  if (wanted.schedules != 0) {
    report_contents once = wanted;
    once.schedules = 0;
    // In another order, a kernel sees other times, so its results may differ without a fault.
    auto tried = sees_clock(l) ? schedule_results() : try_schedules(l, memory, also, wanted.schedules);
    auto r = profile_launch(l, memory, on, also, once);
    if (r) r->orders_tried = tried.orders, r->other_results = std::move(tried.others);
    return r;
  }
  const launch_clocks_ptr clocks = read_clocks_of(l, memory, on, wanted);
  emulate::launch_hooks hooks = also;
  hooks.clocks = clocks.get();
  std::set<std::uint64_t> unused;
  if (wanted.hazards.uninitialised) unused = unused_unwritten_reads(l, memory, hooks);
  auto r = profile_timed(l, memory, on, hooks, clocks.get(), wanted);
  if (r) forget_reads(*r, l, unused);
  return r;
}

void add_time_afterwards(launch_report& r, const emulate::launch& l, emulate::device_memory& memory, const machine& on,
                         const emulate::launch_hooks& hooks, const report_contents& wanted, predicted_part part) {
  using clock = std::chrono::steady_clock;
  const clock::time_point begun = clock::now();
  timing::launch_recording recording(l, memory, on.model);
  const launch_clocks_ptr clocks = read_clocks_of(l, memory, on, wanted);
  emulate::launch_hooks with_clocks = hooks;
  with_clocks.clocks = clocks.get();
  recording.rehearse(memory, with_clocks);
  if (auto trace = recording.trace())
    add_recorded_time(r, *trace, recording, l, on, wanted, part);
  else
    r.time_missing = unpredicted::not_traced;
  r.prediction_nanoseconds += static_cast<std::uint64_t>(std::chrono::nanoseconds(clock::now() - begun).count());
}

void forget_accesses(launch_report& l) {
  l.has_accesses = false;
  l.time_trace.clear();
  l.arrays.clear();
  l.not_executed.clear();
  for (site& s : l.sites) s.accesses.clear();
}

}  // namespace bankwise
