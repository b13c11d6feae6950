#include "cli/fix/planned_delays.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"
#include "cubin/occupancy.hpp"
#include "model/sectors/sector_lines.hpp"
#include "report/sections/time_report.hpp"
#include "timing/gpu.hpp"

namespace bankwise::cli {

namespace {

using source_line = std::pair<std::string, std::uint32_t>;

std::uint64_t threads_of(const launch_report& l) {
  std::uint64_t n = 1;
  for (const std::uint64_t side : l.block) n *= side;
  return n;
}

// Returns the lines of a place: its own, and for an inlined function the line of the kernel that calls it.
std::vector<source_line> lines_of(const instruction_place& p) {
  std::vector<source_line> all;
  if (!p.file.empty() && p.line != 0) all.emplace_back(p.file, p.line);
  if (!p.outer_file.empty() && p.outer_line != 0) all.emplace_back(p.outer_file, p.outer_line);
  return all;
}

// Returns lines of the kernel's own code.
std::vector<source_line> lines_of_kernel(const launch_report& l) {
  std::vector<source_line> all;
  const auto add = [&](const instruction_place& p) {
    const std::vector<source_line> its = lines_of(p);
    if (p.function.empty() && !its.empty()) all.push_back(its.back());
  };
  for (const site& s : l.sites) add(s);
  for (const global_site& s : l.global_sites) add(s);
  for (const delay& d : l.time.delays) add(d.place);
  return all;
}

// Returns the first of the lines whose file may be edited, or else the last of them.
source_line line_to_edit(const std::vector<source_line>& lines,
                         const std::function<bool(const std::string& file)>& is_editable) {
  for (const source_line& at : lines)
    if (is_editable(at.first)) return at;
  return lines.empty() ? source_line() : lines.back();
}

// What the launches of a kernel have in common. Instances of a template have the same name and the same code.
struct launches_of_name {
  std::uint64_t most_threads = 0;
  bool has_shapes = false;         // whether grids or blocks differ
  bool may_need_barriers = false;  // whether a launch with several warps does not have the delay needless_barriers
  xyz grid{}, block{};
};
using kernel_launches = std::map<std::string, launches_of_name>;

kernel_launches launches_by_name(const report& r) {
  constexpr std::uint64_t warp = 32;
  kernel_launches all;
  for (const launch_report& l : r.launches) {
    const auto [at, is_first] = all.try_emplace(l.name);
    launches_of_name& n = at->second;
    if (is_first) n.grid = l.grid, n.block = l.block;
    n.has_shapes |= n.grid != l.grid || n.block != l.block;
    n.most_threads = std::max(n.most_threads, threads_of(l));
    const bool has_it = std::any_of(l.time.delays.begin(), l.time.delays.end(),
                                    [](const delay& d) { return d.is == delay_kind::needless_barriers && d.now == 0; });
    n.may_need_barriers |= threads_of(l) > warp && !has_it;
  }
  return all;
}

// Returns why other launches of the same code forbid the edit, or an empty string.
std::string forbidden_by_others(edit::delay_edit_kind by, const launch_report& l, const launches_of_name& all) {
  if (by == edit::delay_edit_kind::bounds && all.most_threads > threads_of(l))
    return formatted("another launch of {} has blocks of {}", l.name, count_of(all.most_threads, "thread"));
  if (by == edit::delay_edit_kind::barriers && all.may_need_barriers)
    return formatted("another launch of {} may need its barriers", l.name);
  return {};
}

// Returns the number of blocks of the launch that the GPU executes at the same time. Returns 0 if it is unknown.
std::uint64_t wave_of(const launch_report& l) {
  const timing::gpu_description* const on = timing::find_gpu(l.time.gpu);
  if (on == nullptr) return 0;
  const auto resident = cubin::blocks_per_multiprocessor(
      formatted("sm_{}", on->sm),
      {static_cast<std::uint32_t>(threads_of(l)), l.registers, l.static_shared_bytes + l.dynamic_shared_bytes});
  return resident ? resident->blocks * static_cast<std::uint64_t>(on->multiprocessors) : 0;
}

// Whether a file can be C++. Line tables of other compilers name sources of other languages.
bool is_cpp(const std::string& file) {
  constexpr std::string_view endings[] = {".cu", ".cuh", ".h",   ".hh",  ".hpp", ".hxx", ".c",
                                          ".cc", ".cpp", ".cxx", ".inc", ".inl", ".ipp", ".tpp"};
  return std::any_of(std::begin(endings), std::end(endings), [&](std::string_view e) { return file.ends_with(e); });
}

// Returns the kernel's name with its namespaces, such as "sums::add" of "void sums::add<int>(int*)".
std::string whole_name(const launch_report& l) {
  std::size_t at = l.kernel.find(l.name);
  for (; at != std::string::npos; at = l.kernel.find(l.name, at + 1)) {
    const char next = at + l.name.size() < l.kernel.size() ? l.kernel[at + l.name.size()] : '(';
    if ((next == '(' || next == '<') && (at == 0 || l.kernel[at - 1] == ' ' || l.kernel[at - 1] == ':')) break;
  }
  if (at == std::string::npos) return l.name;
  std::string name = l.kernel.substr(0, at + l.name.size());
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (std::size_t i = name.find(unnamed); i != std::string::npos; i = name.find(unnamed))
    name.erase(i, unnamed.size());
  return name.substr(name.rfind(' ') + 1);
}

// Whether loads on the delay's line can be parts of wider ones: in the recorded accesses, all lanes of one of them are
// at multiples of twice their width.
bool has_aligned_loads(const delay& d, const launch_report& l) {
  std::size_t loads = 0;
  bool is_aligned = false;
  for (const global_site& s : l.global_sites) {
    if (s.kind != global_kind::load || s.width_bytes > 8 || s.file != d.place.file || s.line != d.place.line) continue;
    ++loads;
    bool has_all = s.worst.mask != 0;
    for (std::size_t lane = 0; lane < s.worst.address.size(); ++lane)
      if ((s.worst.mask >> lane & 1) != 0) has_all &= s.worst.address[lane] % (2 * s.width_bytes) == 0;
    is_aligned |= has_all;
  }
  return loads >= 2 && is_aligned;
}

// What all plans of a report need.
struct plan_input {
  const source_files& sources;
  const std::function<bool(const std::string& file)>& is_editable;
  kernel_launches by_name;
  bool may_risk;
};

// Adds the edit at this line to the plan.
void plan_at(planned_delay& p, const source_line& at, const launch_report& l, const plan_input& in) {
  std::tie(p.file, p.line) = at;
  const auto text = p.file.empty() ? std::nullopt : in.sources.text(p.file);
  if (!text) {
    p.edit.refused = p.file.empty() ? "the binary has no line tables" : formatted("{} was not found", p.file);
  } else if (!is_cpp(p.file)) {
    p.edit.refused = formatted("{} is not a C++ source", base_name(p.file));
  } else {
    const edit::edited_launch of{l.grid, l.block, wave_of(l), in.by_name.at(l.name).has_shapes};
    p.edit = edit::edit_delay(*text, *p.by, p.what, p.line, whole_name(l), of);
    if (!p.is_made() || !p.what.is_of_launch()) return;
    const auto end = text->begin() + static_cast<std::ptrdiff_t>(p.edit.changes.front().begin);
    p.line = static_cast<std::uint32_t>(std::count(text->begin(), end, '\n') + 1);
  }
}

planned_delay plan_of(const delay& d, edit::delay_edit_kind by, const launch_report& l, const plan_input& in) {
  planned_delay p{d, {&l}, {}, 0, {}, by};
  const std::vector<source_line> lines = d.is_of_launch() ? lines_of_kernel(l) : lines_of(d.place);
  const source_line at = line_to_edit(lines, in.is_editable);
  std::tie(p.file, p.line) = at;
  if (p.edit.refused = forbidden_by_others(by, l, in.by_name.at(l.name)); !p.edit.refused.empty()) return p;
  if (!in.may_risk && edit::needs_check(by)) {
    p.edit.refused = "fix makes this edit only if it can check the results: pass --check";
    return p;
  }
  if (by == edit::delay_edit_kind::barriers && d.now != 0) {
    p.edit.refused = formatted("the warps of each {} threads exchange values, so __syncwarp() is not enough", d.now);
    return p;
  }
  if (by == edit::delay_edit_kind::alignment && !has_aligned_loads(d, l)) {
    p.edit.refused = "the recorded loads of this line are not neighbours, or not aligned for wider loads";
    return p;
  }
  plan_at(p, at, l, in);
  // The loop around an inlined function may be in its caller.
  if (by == edit::delay_edit_kind::unrolling && !p.is_made() && lines.size() > 1 && lines.back() != at) {
    planned_delay of_caller{d, {&l}, {}, 0, {}, by};
    plan_at(of_caller, lines.back(), l, in);
    if (of_caller.is_made()) return of_caller;
  }
  return p;
}

// Returns the plans of a delay: each edit that can be made, or else the first one with the reason why it cannot.
std::vector<planned_delay> plans_of(const delay& d, const launch_report& l, const plan_input& in) {
  std::vector<planned_delay> all;
  for (const edit::delay_edit_kind by : edit::edits_of(d.is)) {
    planned_delay p = plan_of(d, by, l, in);
    if (!all.empty() && !all.front().is_made() && p.is_made()) all.clear();
    if (all.empty() || p.is_made()) all.push_back(std::move(p));
  }
  if (all.empty()) {
    planned_delay& p = all.emplace_back(planned_delay{d, {&l}, {}, 0, {}, std::nullopt});
    std::tie(p.file, p.line) = line_to_edit(d.is_of_launch() ? lines_of_kernel(l) : lines_of(d.place), in.is_editable);
    p.edit.refused = "fix has no edit for this kind of delay";
  }
  return all;
}

// Lanes that are far from each other, although those of the other axis may be neighbours, as a delay of the launch. It
// saves at most what the accesses cost. Returns nothing if they cost less than one in `least` of the time.
std::optional<delay> distant_lanes(const launch_report& l) {
  constexpr std::uint64_t least = 20;
  if (l.block[0] < 2 || l.block[1] < 2) return std::nullopt;
  delay d;
  d.is = delay_kind::count;
  const global_site* worst = nullptr;
  for (const global_site& s : l.global_sites) {
    const sector_problem is = reason_of(l, s).is;
    if (is == sector_problem::none || is == sector_problem::misaligned || is_minor(is)) continue;
    d.saved_cycles += s.saved_cycles;
    if (worst == nullptr || s.saved_cycles > worst->saved_cycles) worst = &s;
  }
  if (worst == nullptr || d.saved_cycles * least < l.time.cycles) return std::nullopt;
  d.place = *worst;
  return d;
}

// What makes two delays of launches have the same plans.
using plan_key = std::tuple<delay_kind, std::string, std::uint32_t, std::string, std::uint64_t, std::uint64_t,
                            std::string, std::string, std::string, xyz, xyz>;
plan_key key_of(const delay& d, const launch_report& l, const launches_of_name& all) {
  // If the launches of a kernel have several shapes, edits only depend on the number of threads.
  const xyz grid = all.has_shapes ? xyz{} : l.grid;
  const xyz block = all.has_shapes ? xyz{static_cast<std::uint32_t>(threads_of(l)), 1, 1} : l.block;
  return {d.is,      d.place.file, d.place.line, d.place.function, d.place.pc, d.then, d.about, d.limit,
          l.mangled, grid,         block};
}

bool are_same(const planned_delay& a, const planned_delay& b) {
  if (a.by != b.by || a.file != b.file || a.edit.refused != b.edit.refused) return false;
  if (a.is_made()) return a.edit.changes == b.edit.changes;  // one edit may remove several delays
  if (a.what.is != b.what.is) return false;
  return a.line == b.line && a.launches.front()->name == b.launches.front()->name;
}

// Returns the cycles that a delay costs all equal launches.
std::uint64_t cost_of(const planned_delay& p) { return p.what.order_cycles() * p.launches.front()->count; }

std::string place_of(const planned_delay& p, const source_files& sources) {
  if (p.file.empty() || (p.what.is_of_launch() && !p.is_made())) return {};
  return formatted("{}:{}", sources.path_from_root(p.file), p.line);
}

std::string kernels_of(const planned_delay& p) {
  std::vector<std::string> names;
  for (const launch_report* l : p.launches)
    if (std::find(names.begin(), names.end(), l->name) == names.end()) names.push_back(l->name);
  return enumerated(names);
}

}  // namespace

bool planned_delay::has_kernel(const std::string& mangled) const {
  return std::any_of(launches.begin(), launches.end(), [&](const launch_report* l) { return l->mangled == mangled; });
}

bool planned_delay::shares_kernel_with(const planned_delay& other) const {
  return std::any_of(launches.begin(), launches.end(),
                     [&](const launch_report* l) { return other.has_kernel(l->mangled); });
}

std::string planned_delay::title() const {
  const bool is_only = by && edit::edits_of(what.is).size() == 1;
  const std::string_view name = what.is == delay_kind::count ? "distant_lanes" : name_of(what.is);
  return formatted("{}{} of {}, line {}", name, is_only || !by ? "" : formatted(" ({})", edit::name_of(*by)),
                   kernels_of(*this), line);
}

std::vector<planned_delay> plan_delays(const report& r, const source_files& sources,
                                       const std::function<bool(const launch_report& l)>& is_wanted,
                                       const std::function<bool(const std::string& file)>& is_editable, bool may_risk) {
  const plan_input in{sources, is_editable, launches_by_name(r), may_risk};
  std::vector<planned_delay> all;
  std::map<plan_key, std::vector<std::size_t>> known;  // indices of plans
  const auto add = [&](planned_delay p) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const planned_delay& x) { return are_same(x, p); });
    if (same == all.end()) {
      all.push_back(std::move(p));
      return all.size() - 1;
    }
    if (cost_of(p) > cost_of(*same)) std::swap(*same, p);
    same->launches.insert(same->launches.end(), p.launches.begin(), p.launches.end());
    return static_cast<std::size_t>(same - all.begin());
  };
  const auto add_delay = [&](const delay& d, const launch_report& l) {
    const auto [at, is_new] = known.try_emplace(key_of(d, l, in.by_name.at(l.name)));
    if (!is_new) {
      for (const std::size_t n : at->second) {
        planned_delay p = all[n];
        p.what = d;
        p.launches = {&l};
        if (cost_of(p) > cost_of(all[n])) std::swap(all[n], p);
        all[n].launches.insert(all[n].launches.end(), p.launches.begin(), p.launches.end());
      }
      return;
    }
    const bool is_new_kind = d.is == delay_kind::count;
    std::vector<planned_delay> plans;
    if (is_new_kind)
      plans.push_back(plan_of(d, edit::delay_edit_kind::axes, l, in));
    else
      plans = plans_of(d, l, in);
    // Without a replay, only a run of the edited program tells whether an edit saves time.
    if (is_new_kind || d.saved_cycles == 0) std::erase_if(plans, [](const planned_delay& p) { return !p.is_made(); });
    for (planned_delay& p : plans) at->second.push_back(add(std::move(p)));
  };
  for (const launch_report& l : r.launches) {
    if (!is_wanted(l)) continue;
    for (const delay& d : l.time.delays) add_delay(d, l);
    if (const auto lanes = distant_lanes(l)) add_delay(*lanes, l);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const planned_delay& a, const planned_delay& b) { return cost_of(a) > cost_of(b); });
  return all;
}

std::string delays_text(const std::vector<planned_delay>& all, const source_files& sources) {
  std::string text;
  for (const planned_delay& p : all) {
    const std::string place = place_of(p, sources);
    text += formatted("{}{}{}: {}\n", place, place.empty() ? "" : "  ", kernels_of(p),
                      p.what.is == delay_kind::count ? "neighbouring lanes access distant elements" : why_of(p.what));
    const predicted_time& t = p.launches.front()->time;
    if (!p.is_made()) {
      text += formatted("   no edit: {}\n   by hand: {}\n", p.edit.refused, remedy_of(p.what));
      continue;
    }
    text += formatted("   {}\n", p.edit.words);
    for (const std::string& line : p.edit.lines) text += formatted("     {}\n", line);
    if (p.what.saved_cycles != 0)
      text +=
          formatted("   removing the delay {}\n", saved_text(t, t.cycles - std::min(t.cycles, p.what.saved_cycles)));
    if (const std::string_view risk = edit::risk_of(*p.by); !risk.empty()) text += formatted("   note: {}\n", risk);
  }
  return text;
}

}  // namespace bankwise::cli
