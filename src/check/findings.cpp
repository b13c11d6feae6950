#include "check/findings.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"
#include "check/saturate.hpp"
#include "findings/finding.hpp"
#include "model/instances.hpp"
#include "model/remedies.hpp"
#include "model/sectors/sector_reason.hpp"

namespace bankwise::check {

namespace {

using findings::problem;

// Returns the beginning of a message, such as "ld.b32 of transpose: 1,024 wavefronts for 32 executions; ".
std::string took(const finding& f) {
  return formatted("{} of {}: {} for {}; ", f.operation, f.instance, count_of(f.wavefronts, "wavefront"),
                   count_of(f.executed, "execution"));
}
std::string tell_conflicts(const finding& f, const std::string&) {
  return formatted("{}{} of these wavefronts can be removed by a layout", took(f), grouped(f.amount));
}
std::string tell_queue(const finding& f, const std::string&) {
  return formatted("{}{} of these wavefronts occur because lanes queue for one word", took(f), grouped(f.amount));
}
std::string tell_copies(const finding& f, const std::string&) {
  return formatted(
      "{}{} of these wavefronts are above the minimum for the copied bytes, but they do not delay other accesses",
      took(f), grouped(f.amount));
}
std::string tell_about(const finding& f, const std::string& about) {
  return formatted("{} of {}: {}", f.operation, f.instance, about);
}
std::string tell_instance(const finding& f, const std::string& about) { return formatted("{}: {}", f.instance, about); }
std::string tell_out_of_bounds(const finding& f, const std::string& about) {
  if (f.operation.empty()) return formatted("{}: {}", f.instance, about);  // an access to the heap of device code
  return formatted("{} by {}, {}: {}", f.operation, f.instance, count_of(f.executed, "execution"), about);
}

// How the findings of one kind, with their messages, are made from the findings of launches.
struct gathered_kind {
  std::string_view id;
  std::optional<problem> what;  // nothing for accesses out of bounds and hazards
  std::string (*tell)(const finding& f, const std::string& about);
};
constexpr gathered_kind gathered_kinds[] = {
    {removable_conflict, problem::conflict, tell_conflicts},
    {word_queue, problem::word_queue, tell_queue},
    {copy_past_l1, problem::copy_past_l1, tell_copies},
    {retry_loop, problem::lane_retries, tell_about},
    {contention, problem::warp_retries, tell_about},
    {out_of_bounds, std::nullopt, tell_out_of_bounds},
    {uninitialised_read, std::nullopt, tell_instance},
    {race, std::nullopt, tell_instance},
    {wrong_synchronisation, std::nullopt, tell_instance},
    {doubtful_synchronisation, std::nullopt, tell_instance},
    {other_results, std::nullopt, tell_instance},
    {uncoalesced, problem::uncoalesced, tell_about},
    {misaligned, problem::misaligned, tell_about},
    {local_memory, problem::local_memory, tell_about},
    {strided, problem::strided, tell_about},
    {used_in_parts, problem::used_in_parts, tell_about},
    {loaded_again, problem::loaded_again, tell_about},
    {local_in_loop, problem::local_in_loop, tell_about},
#define DELAY(name, id) {name, problem::name, tell_instance},
#include "model/time/delays.def"
};

const gathered_kind& gathered_kind_of(std::optional<problem> what) {
  return *std::find_if(std::begin(gathered_kinds), std::end(gathered_kinds),
                       [&](const gathered_kind& k) { return k.what == what; });
}

const gathered_kind& gathered_kind_of(std::string_view id) {
  return *std::find_if(std::begin(gathered_kinds), std::end(gathered_kinds),
                       [&](const gathered_kind& k) { return k.id == id; });
}

const gathered_kind& gathered_kind_of(const hazard& h) { return gathered_kind_of(kind_of(h)); }

// Returns the range of an amount. If the sample has no intervals, the range is unlimited.
interval amounts_of(problem what, const launch_report& l, const site& s) {
  const std::uint64_t amount = findings::amount_of(s, what);
  if (!l.scaled) return {amount, amount};
  const measure waste = findings::waste_of(what);
  const interval* const known = waste == measure::none ? nullptr : row_of(waste).in(s.within);
  return known != nullptr ? *known : interval{0, ~std::uint64_t{0}};
}

// Returns the end of a message, such as "; estimated from a sample, between 90 and 120".
std::string estimate_of(const finding& f) {
  if (!f.estimated) return "";
  return formatted("; estimated from a sample{}",
                   f.amount_high == ~std::uint64_t{0}
                       ? std::string()
                       : formatted(", between {} and {}", grouped(f.amount_low), grouped(f.amount_high)));
}

// Returns a sentence about remedies, such as "If the lanes of a warp that update one word are combined first: 64
// rounds; with one copy per warp: ..."
std::string with_remedies(const launch_report& l, const site& s) {
  std::string found = remedies_sentence(l, s);
  if (!found.empty()) found.front() = found.front() == 'i' ? 'I' : 'W';
  return found;
}

// Adds the change that was found for a conflict: the layout of the array, or other instructions if they save more.
void add_change(const launch_report& l, const findings::finding& from, finding& f) {
  const findings::known_changes known = findings::changes_for(l, from);
  if (known.are_instructions_better()) {
    f.fix = formatted("{} (needs {})", known.instructions->verdict, known.instructions->needs);
  } else if (known.layout != nullptr && !known.layout->code.empty()) {
    f.fix = formatted("{}: {}", known.layout->array, known.layout->verdict);
    if (known.layout->is_slower())
      f.fix +=
          ". With this layout, the launch is predicted to be slower, because the new index takes more instructions";
    else
      f.fix_code = known.layout->code;
  }
}

// A finding to which sites of launches are added.
struct gathering {
  finding f;
  gathering* cause = nullptr;  // another one with the same cause, or null
  const gathered_kind* how = nullptr;
  std::set<std::string> operations;
  std::uint64_t worst = 0;
  std::string about;         // text about the worst instruction, for kinds whose message contains such a text
  std::string why, remedy;   // for global memory: the reason for the worst instruction's sectors, and the remedy
  global_counts sum;         // counts of global memory
  std::uint64_t leaves = 0;  // sectors that remain if each instruction gets its own remedy
};

gathering& first_of_cause(gathering& g) {
  gathering* first = &g;
  while (first->cause != nullptr) first = first->cause;
  return *first;
}
void join_causes(gathering& a, gathering& b) {
  gathering &first = first_of_cause(a), &other = first_of_cause(b);
  if (&first != &other) other.cause = &first;
}

std::string place_of(const out_of_bounds_access& a) {
  const bool is_global = a.memory == bounded_memory::global;
  return formatted("block ({}), thread ({}), {}{}", triple(a.block), triple(a.thread),
                   is_global ? "address 0x" : "shared offset ", is_global ? hex(a.address) : grouped(a.offset));
}

// Adds so many accesses at a place. Returns whether this is the worst place until now.
bool add_accesses(const code_place& at, std::uint64_t amount, gathering& g) {
  finding& f = g.f;
  f.file = at.file;
  f.line = at.line;
  if (f.text.empty()) f.text = at.text;
  f.amount = plus(f.amount, amount);
  f.executed = plus(f.executed, amount);
  if (amount <= g.worst) return false;
  g.worst = amount;
  f.pc = at.pc;
  f.sass = at.sass;
  return true;
}

void gather(std::uint64_t launches, const out_of_bounds_access& a, gathering& g) {
  g.operations.insert(
      formatted("{} of {} of {} memory", name_of(a.direction), count_of(a.bytes, "byte"), name_of(a.memory)));
  if (!add_accesses(a.place, times(a.count, launches), g)) return;
  g.about = formatted("{}, in {}", a.nearest, place_of(a));
  for (const std::string& step : a.trail) g.about += formatted("; {}", step);
}

// Adds a hazard at the place of its second access.
void gather(std::uint64_t launches, const hazard& h, gathering& g) {
  if (!add_accesses(h.second, times(h.count, launches), g)) return;
  const bool is_one_place = h.first.pc == h.second.pc && h.first.function == h.second.function;
  g.about = formatted(
      "{}, in block ({}), thread ({}){}{}; {}", title_of(h), triple(h.block), triple(h.second.thread),
      is_one_place || h.first.line == 0
          ? ""
          : formatted(", and thread ({}) at {}:{}", triple(h.first.thread), base_name(h.first.file), h.first.line),
      h.detail.empty() ? "" : formatted(": {}", h.detail), hint_of(h));
}

// Adds a race between blocks at the place of its second access.
void gather(std::uint64_t launches, const block_race& b, gathering& g) {
  if (!add_accesses(b.second, times(b.count, launches), g)) return;
  g.about =
      formatted("{}, in {}{}; {}", title_of(b), block_and_thread(b.second_block, b.second_thread),
                b.first.line == 0 ? ""
                                  : formatted(", and {} at {}:{}", block_and_thread(b.first_block, b.first_thread),
                                              base_name(b.first.file), b.first.line),
                hint_of(b));
}

// Adds an order with other results. It has no place in the source.
void gather(std::uint64_t launches, const other_result& o, gathering& g) {
  finding& f = g.f;
  f.elsewhere = "the launch";
  f.amount = plus(f.amount, launches);
  f.executed = plus(f.executed, launches);
  if (g.about.empty()) g.about = formatted("{}; {}", title_of(o), order_of(o));
}

// Sets the worst instruction of a finding.
void set_place(const instruction_place& at, finding& f) {
  f.pc = at.pc;
  f.sass = at.sass;
  const bool is_inlined = at.outer_line != 0 && (at.outer_line != at.line || at.outer_file != at.file);
  f.outer_file = is_inlined ? at.outer_file : "";
  f.outer_line = is_inlined ? at.outer_line : 0;
}

// Returns the range of the sectors that the remedy saves. The remedy is assumed to save the same share of the sectors
// at both ends of the range.
interval saved_within(const launch_report& l, const global_site& s, const sector_reason& why) {
  const std::uint64_t saved = s.sectors - std::min(s.sectors, why.leaves);
  if (!l.scaled) return {saved, saved};
  if (why.leaves == s.sectors_ideal)
    if (const interval* known = row_of(measure::excess_sectors).in(s.within)) return *known;
  if (const interval* known = row_of(measure::sectors).in(s.within); known != nullptr && s.sectors != 0)
    return {scaled(saved, known->low, s.sectors), scaled(saved, known->high, s.sectors)};
  return {1, ~std::uint64_t{0}};
}

void gather(std::uint64_t launches, const delay& d, gathering& g) {
  finding& f = g.f;
  f.is_delay = true;
  f.file = d.place.file;
  f.line = d.place.line;
  if (f.text.empty()) f.text = d.place.text;
  const std::uint64_t amount = times(d.saved_cycles, launches);
  f.amount = plus(f.amount, amount);
  f.executed = plus(f.executed, launches);
  if (!g.about.empty() && amount <= g.worst) return;
  g.worst = amount;
  set_place(d.place, f);
  g.about = why_of(d);
  f.fix = remedy_of(d);
}

std::string fix_of_sectors(const finding& f) {
  return formatted("{}: {} instead of {}", f.remedy, count_of(f.sectors_left, "sector"), grouped(f.sectors));
}

// Adds an instruction on global memory, and the sectors that its remedy saves.
void gather(std::uint64_t launches, const std::pair<const global_site&, const sector_reason&>& what, gathering& g) {
  const auto& [s, reason] = what;
  finding& f = g.f;
  f.file = s.file;
  f.line = s.line;
  if (f.text.empty()) f.text = s.text;
  g.operations.insert(formatted("{}.b{}", name_of(s.kind), s.width_bytes * 8));
  const std::uint64_t amount = times(s.sectors - std::min(s.sectors, reason.leaves), launches);
  f.amount = plus(f.amount, amount);
  f.executed = plus(f.executed, times(s.requests, launches));
  f.of_sectors = true;
  g.sum.sectors = plus(g.sum.sectors, times(s.sectors, launches));
  g.sum.sectors_ideal = plus(g.sum.sectors_ideal, times(s.sectors_ideal, launches));
  g.leaves = plus(g.leaves, times(reason.leaves, launches));
  if (amount >= g.worst) {
    g.why = reason.why;
    g.remedy = reason.remedy;
    set_place(s, f);
  }
  g.worst = std::max(g.worst, amount);
  g.about = formatted(
      "{} for {}{}; {}", count_of(g.sum.sectors, "sector"), count_of(f.executed, "execution"),
      is_local(s.kind) ? "" : formatted(", but {} would be enough for these bytes", grouped(g.sum.sectors_ideal)),
      g.why);
  f.remedy = g.remedy;
  f.sectors = g.sum.sectors;
  f.sectors_left = g.leaves;
  f.fix = fix_of_sectors(f);
}

}  // namespace

std::string_view kind_of(const hazard& h) {
  return h.kind == hazard_kind::uninitialised        ? uninitialised_read
         : h.kind == hazard_kind::outside_heap_block ? out_of_bounds
         : h.is_warning()                            ? doubtful_synchronisation
         : is_race(h.kind)                           ? race
                                                     : wrong_synchronisation;
}

std::string_view kind_of(const program_fault& p) { return words_of(p.kind).is_warning ? doubtful_call : wrong_call; }

std::string_view check_of(const program_fault& p) {
  switch (p.kind) {
    case program_fault_kind::stream_race:
    case program_fault_kind::host_race:
    case program_fault_kind::unawaited: return "race";
    case program_fault_kind::unwritten_copy: return "init";
    case program_fault_kind::freed_twice:
    case program_fault_kind::bad_free:
    case program_fault_kind::bad_copy:
    case program_fault_kind::leak: break;
  }
  return "memory";
}

std::string fingerprint_of(const std::vector<std::string>& parts) {
  std::uint64_t h = 0xcbf29ce484222325;
  const auto add = [&](unsigned char c) { h = (h ^ c) * 0x100000001b3; };
  for (const std::string& p : parts) {
    for (const char c : p) add(static_cast<unsigned char>(c));
    add(0);
  }
  return hex(h, 16);
}

std::string squeezed(std::string_view text) {
  std::string s;
  bool gap = false;
  for (const char c : trim(text)) {
    if (c == ' ' || c == '\t') {
      gap = true;
      continue;
    }
    if (gap) s += ' ';
    gap = false;
    s += c;
  }
  return s;
}

std::string code_of(std::string_view text) {
  std::string s = squeezed(text);
  std::size_t end = s.find("bankwise:");
  if (end == std::string::npos) return s;
  for (const std::string_view opening : {"//", "/*", "#"})
    if (const std::size_t at = s.rfind(opening, end);
        at != std::string::npos && trim(s.substr(at + opening.size(), end - at - opening.size())).empty())
      return squeezed(std::string_view(s).substr(0, at));
  return s;
}

std::string place_of(const finding& i) {
  if (!i.elsewhere.empty()) return i.elsewhere;
  if (i.is_delay && i.sass.empty()) return "the launch";
  return i.line == 0 ? (i.file.empty() ? formatted("pc 0x{}", hex(i.pc)) : base_name(i.file))
                     : formatted("{}:{}", base_name(i.file), i.line);
}

namespace {

void add_range(const launch_report& l, const interval& within, finding& f) {
  f.estimated |= l.scaled;
  f.amount_low = plus(f.amount_low, times(within.low, l.count));
  f.amount_high = plus(f.amount_high, times(within.high, l.count));
}

// Adds an instruction to the finding of its line.
void gather(const launch_report& l, const site& s, gathering& g) {
  finding& f = g.f;
  const problem what = *g.how->what;
  const std::uint64_t amount = times(findings::amount_of(s, what), l.count);
  f.file = s.file;
  f.line = s.line;
  if (f.text.empty()) f.text = s.text;
  f.amount = plus(f.amount, amount);
  add_range(l, amounts_of(what, l, s), f);
  f.executed = plus(f.executed, times(s.executed, l.count));
  f.wavefronts = plus(f.wavefronts, times(s.wavefronts, l.count));
  f.reachable = plus(f.reachable, times(s.reachable, l.count));
  f.holds = g.operations.empty() ? validity_of(s) : std::min(f.holds, validity_of(s));
  g.operations.insert(s.op.spelling);
  const bool retries = findings::measure_of(what) == measure::rounds;
  if (retries) g.about = retries_sentence(s.again);
  if (amount <= g.worst) return;
  if (retries || what == problem::word_queue) f.fix = with_remedies(l, s);
  g.worst = amount;
  set_place(s, f);
}

// Whether a finding follows the others: a hint that saves no time that is known.
bool is_last(const finding& f) { return f.what->level == severity::note && f.order_cycles == 0; }

// Returns the predicted time of a kernel, without the list of the lines at which warps wait.
predicted_time time_of_kernel(const std::vector<const launch_report*>& launches) {
  predicted_time t = time_of_launches(launches);
  t.lines.clear();
  t.waits = {};
  return t;
}

// Returns the finding about the small launches of a program. Its kernel is the one with most of them.
std::optional<finding> finding_of_small(const report& r) {
  if (!r.small || r.launches.empty()) return std::nullopt;
  const auto named = std::find_if(r.launches.begin(), r.launches.end(), [&](const launch_report& l) {
    return !r.small.kernels.empty() && l.name == r.small.kernels[0];
  });
  const launch_report& l = named != r.launches.end() ? *named : r.launches[0];
  finding f;
  f.what = find_kind(many_launches);
  f.kernel = l.kernel;
  f.instance = shown_name(l);
  f.is_delay = true;
  f.elsewhere = "the program";
  f.amount = f.amount_low = f.amount_high = r.small.saved();
  f.executed = r.small.launches;
  f.message = formatted("{}: {} of {} are lost between the launches", why_of(r.small), grouped(r.small.saved()),
                        count_of(r.small.nanoseconds, "nanosecond"));
  f.fix = remedy_of(r.small);
  f.fingerprint = fingerprint_of({std::string(many_launches), f.kernel});
  if (!l.time) return f;
  // The time of the program in the launch's cycles, so that all findings have the same unit.
  f.time.gpu = l.time.gpu;
  f.time.nanoseconds = r.small.nanoseconds;
  const auto cycles_of = [&](std::uint64_t nanoseconds) {
    return scaled(nanoseconds, l.time.cycles, std::max<std::uint64_t>(1, l.time.nanoseconds));
  };
  f.time.cycles = cycles_of(r.small.nanoseconds);
  f.saved_cycles = f.order_cycles = cycles_of(r.small.saved());
  return f;
}

finding finding_of_call(std::string_view id, const std::string& function, std::uint64_t calls, std::string message,
                        const std::vector<std::string>& trail,
                        std::map<std::vector<std::string>, std::size_t>& equal_ones) {
  finding f;
  f.what = find_kind(id);
  f.elsewhere = "the program";
  f.operation = function;
  f.amount = f.amount_low = f.amount_high = f.executed = calls;
  f.message = std::move(message);
  for (const std::string& step : trail) f.message += formatted("; {}", step);
  // The first words of the trail name the calling function. Numbers of lines and addresses change with other lines.
  const std::string from = trail.empty() ? std::string() : trail[0].substr(0, trail[0].find(','));
  const std::vector<std::string> parts = {std::string(id), function, from};
  f.fingerprint = fingerprint_of({id.data(), function, from, std::to_string(equal_ones[parts]++)});
  return f;
}

// Returns the findings about calls of the program, which belong to no kernel.
std::vector<finding> findings_of_calls(const report& r) {
  std::vector<finding> list;
  std::map<std::vector<std::string>, std::size_t> equal_ones;
  for (const program_fault& p : r.program_faults) {
    const program_fault_words& w = words_of(p.kind);
    list.push_back(
        finding_of_call(w.is_warning ? doubtful_call : wrong_call, p.function, p.calls,
                        formatted("{}: {}{}{}; {}", w.title, p.function.empty() ? "" : formatted("{}: ", p.function),
                                  p.memory, p.bytes == 0 ? "" : formatted(", {}", count_of(p.bytes, "byte")), w.hint),
                        p.trail, equal_ones));
    list.back().found_by = check_of(p);
  }
  const bool is_checked =
      std::any_of(r.launches.begin(), r.launches.end(), [](const launch_report& l) { return l.checked.memory; });
  if (is_checked)
    for (const failed_calls& c : r.ignored_errors) {
      list.push_back(
          finding_of_call(wrong_call, c.function, c.calls,
                          formatted("{} returned {}, and the program did not look at the error", c.function, c.error),
                          c.trail, equal_ones));
      list.back().found_by = "memory";
    }
  return list;
}

}  // namespace

std::vector<finding> findings_of(const report& r) {
  // Index of each finding. The key consists of kernel, file, line, kind, and pc if there is no line. Kernels are in the
  // order of the launches.
  std::map<std::string, std::size_t> order;
  std::vector<std::vector<const launch_report*>> launches;  // of each kernel
  std::map<std::tuple<std::size_t, std::string, std::uint32_t, std::uint64_t, std::string_view>, gathering> all;
  for (const launch_report& l : r.launches) {
    const std::size_t kernel = order.try_emplace(l.kernel, order.size()).first->second;
    launches.resize(order.size());
    launches[kernel].push_back(&l);
    const auto gathering_at = [&](const gathered_kind& k, const std::string& file, std::uint32_t line,
                                  std::uint64_t pc) -> gathering& {
      gathering& g = all[{kernel, file, line, line == 0 ? pc : 0, k.id}];
      g.how = &k;
      g.f.what = find_kind(k.id);
      g.f.kernel = l.kernel;
      g.f.instance = shown_name(l);
      return g;
    };
    std::map<std::uint32_t, gathering*> causes;
    for (const findings::finding& from : findings::of_lines(l)) {
      const gathered_kind& k = gathered_kind_of(from.what);
      const instruction_place& at = findings::place_of(l, from);
      gathering& g = gathering_at(k, at.file, at.line, at.pc);
      if (const std::uint32_t cause = findings::cause_of(l, from); cause != 0)
        join_causes(g, *causes.try_emplace(cause, &g).first->second);
      if (findings::is_timed(from.what)) {
        g.f.saved_cycles = plus(g.f.saved_cycles, times(from.saved_cycles, l.count));
        g.f.order_cycles = plus(g.f.order_cycles, times(from.order_cycles, l.count));
      }
      if (from.what == problem::conflict && g.f.fix.empty()) add_change(l, from, g.f);
      for (const std::size_t i : from.sites) {
        if (from.is_delay()) {
          const delay& d = l.time.delays[i];
          gather(l.count, d, g);
          add_range(l, {d.saved_cycles, d.saved_cycles}, g.f);
          continue;
        }
        if (!from.is_of_sectors()) {
          gather(l, l.sites[i], g);
          continue;
        }
        const global_site& s = l.global_sites[i];
        const sector_reason why = reason_of(l, s);
        gather(l.count, std::pair<const global_site&, const sector_reason&>(s, why), g);
        add_range(l, saved_within(l, s, why), g.f);
      }
    }
    // For these counts, a sample has no intervals.
    for (const out_of_bounds_access& a : l.out_of_bounds) {
      gathering& g = gathering_at(gathered_kind_of(std::nullopt), a.place.file, a.place.line, a.place.pc);
      gather(l.count, a, g);
      add_range(l, l.scaled ? interval{1, ~std::uint64_t{0}} : interval{a.count, a.count}, g.f);
    }
    if (l.checked.races)
      for (const block_race& of_blocks : l.block_races) {
        gathering& g = gathering_at(gathered_kind_of(of_blocks.is_warning() ? doubtful_synchronisation : race),
                                    of_blocks.second.file, of_blocks.second.line, of_blocks.second.pc);
        gather(l.count, of_blocks, g);
        g.f.also_at.emplace(of_blocks.first.file, of_blocks.first.line);
        add_range(l, {of_blocks.count, of_blocks.count}, g.f);
      }
    for (const other_result& o : l.other_results) {
      if (o.only_rounding) continue;
      gathering& g = gathering_at(gathered_kind_of(other_results), "", 0, 0);
      gather(l.count, o, g);
      add_range(l, {1, 1}, g.f);
    }
    // Without checks, the hazards are only races that were seen in the first blocks.
    if (l.checked.any())
      for (const hazard& h : l.hazards) {
        gathering& g = gathering_at(gathered_kind_of(h), h.second.file, h.second.line, h.second.pc);
        gather(l.count, h, g);
        g.f.also_at.emplace(h.first.file, h.first.line);
        add_range(l, l.scaled ? interval{1, ~std::uint64_t{0}} : interval{h.count, h.count}, g.f);
      }
  }

  std::vector<finding> list;
  std::map<std::vector<std::string>, std::size_t> equal_ones;
  std::map<std::size_t, predicted_time> times_of;
  std::vector<const gathering*> causes;  // of each finding
  std::map<const gathering*, std::size_t> members;
  for (auto& [key, g] : all) {
    finding& f = g.f;
    if (g.how->what && findings::is_timed(*g.how->what) && (!f.is_delay || f.saved_cycles != 0)) {
      const std::size_t kernel = std::get<0>(key);
      const auto [time, is_new] = times_of.try_emplace(kernel);
      if (is_new) time->second = time_of_kernel(launches[kernel]);
      f.time = time->second;
    }
    for (const std::string& o : g.operations) f.operation += (f.operation.empty() ? "" : ", ") + o;
    // If the text of a line is unknown, the line's number identifies it.
    std::vector<std::string> parts = {std::string(f.what->id), f.kernel, f.operation,
                                      f.text.empty() ? place_of(f) : code_of(f.text)};
    parts.push_back(std::to_string(equal_ones[parts]++));
    f.fingerprint = fingerprint_of(parts);
    f.message = g.how->tell(f, g.about) + estimate_of(f);
    causes.push_back(&first_of_cause(g));
    ++members[causes.back()];
    list.push_back(std::move(f));
  }
  // The first finding of a cause names it.
  std::map<const gathering*, std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (members[causes[i]] > 1) list[i].cause = names.try_emplace(causes[i], list[i].fingerprint).first->second;
  if (auto f = finding_of_small(r)) list.push_back(std::move(*f));
  for (finding& f : findings_of_calls(r)) list.push_back(std::move(f));
  std::stable_sort(list.begin(), list.end(), [&](const finding& a, const finding& b) {
    const auto rank = [&](const finding& f) {
      const auto kernel = order.find(f.kernel);  // the calls of the program come after all kernels
      return std::tuple(kernel == order.end() ? order.size() : kernel->second, is_last(f), ~f.order_cycles, ~f.amount);
    };
    return rank(a) < rank(b);
  });
  return list;
}

namespace {

std::string lines_text(const finding& head, bool is_same) {
  std::set<std::string> places;
  for (const finding& f : head.also)
    if ((f.what == head.what) == is_same)
      places.insert(is_same ? place_of(f) : formatted("{} ({})", place_of(f), f.what->id));
  if (is_same) places.erase(place_of(head));
  std::string text;
  for (const std::string& p : places) text += (text.empty() ? "" : ", ") + p;
  return text;
}

// Adds a finding of the same cause.
void join(finding& to, finding more) {
  to.saved_cycles = plus(to.saved_cycles, more.saved_cycles);
  to.order_cycles = plus(to.order_cycles, more.order_cycles);
  if (!to.time) to.time = more.time;
  if (to.of_sectors == more.of_sectors && to.is_delay == more.is_delay) {
    for (const auto member :
         {&finding::amount, &finding::amount_low, &finding::amount_high, &finding::executed, &finding::wavefronts,
          &finding::reachable, &finding::sectors, &finding::sectors_left, &finding::amount_before})
      to.*member = plus(to.*member, more.*member);
    to.estimated |= more.estimated;
    if (to.of_sectors) to.fix = fix_of_sectors(to);
  }
  if (to.fix_code.empty() && !more.fix_code.empty() && to.what == more.what) {
    to.fix = more.fix;
    to.fix_code = more.fix_code;
  }
  to.also.push_back(std::move(more));
}

}  // namespace

std::vector<finding> joined(std::vector<finding> list) {
  const auto is_note = [](const finding& f) { return f.what->level == severity::note && !f.suppressed; };
  using key = std::tuple<std::string, novelty, std::optional<std::string>, bool>;
  const auto key_of = [](const finding& f) { return key(f.cause, f.compared, f.suppressed, f.fails); };
  // A note joins any finding of its cause, and is first only among notes.
  std::vector<finding> all;
  std::vector<std::size_t> order;  // where each of them was
  std::map<key, std::size_t> places;
  std::map<std::string, std::size_t> of_causes;
  for (const bool notes : {false, true})
    for (std::size_t i = 0; i < list.size(); ++i) {
      finding& f = list[i];
      if (f.what == nullptr || is_note(f) != notes) continue;
      const auto there = f.cause.empty() ? places.end() : places.find(key_of(f));
      const auto any = f.cause.empty() || !notes ? of_causes.end() : of_causes.find(f.cause);
      if (any != of_causes.end()) {
        join(all[any->second], std::exchange(f, {}));
      } else if (there != places.end()) {
        join(all[there->second], std::exchange(f, {}));
      } else {
        if (!f.cause.empty()) {
          places.emplace(key_of(f), all.size());
          of_causes.try_emplace(f.cause, all.size());
        }
        all.push_back(std::exchange(f, {}));
        order.push_back(i);
      }
    }
  for (finding& f : all) {
    if (f.also.empty()) continue;
    const std::string lines = lines_text(f, true), others = lines_text(f, false);
    if (!lines.empty()) f.message += formatted("; also {}", lines);
    if (!others.empty()) f.message += formatted("; the same change removes {}", others);
  }
  std::vector<std::size_t> sorted(all.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return order[a] < order[b]; });
  list.clear();
  for (const std::size_t i : sorted) list.push_back(std::move(all[i]));
  return list;
}

std::vector<finding> by_saving(std::vector<finding> list) {
  std::stable_sort(list.begin(), list.end(), [](const finding& a, const finding& b) {
    const auto rank = [](const finding& f) { return std::tuple(is_last(f), ~f.order_cycles, ~f.amount); };
    return rank(a) < rank(b);
  });
  return list;
}

}  // namespace bankwise::check
