#include "check/comparison.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "base/text.hpp"
#include "check/saturate.hpp"
#include "check/sector_comparison.hpp"

namespace bankwise::check {

namespace {

constexpr std::size_t most_notes = 20;

bool touches_shared(std::string_view sass) {
  for (const char* op :
       {"LDS", "STS", "ATOMS", "LDSM", "STSM", "LDGSTS", "LD", "ST", "ATOM", "HGMMA", "QGMMA", "IGMMA", "BGMMA"})
    if (opcode_of(sass) == op) return true;
  return false;
}

// The sum of the predicted counts of the sites on one machine instruction, or on one line.
struct prediction {
  std::vector<const site*> sites;
  counts sum;

  void add(const site& s) {
    sites.push_back(&s);
    for (const count_row& c : count_rows)
      if (c.member != nullptr) sum.*c.member = plus(sum.*c.member, s.*c.member);
  }
  bool any(auto what) const {
    return std::any_of(sites.begin(), sites.end(), [&](const site* s) { return what(*s); });
  }
};

// Whether the instruction contains P0, either as its guard or as an operand.
bool names_p0(const std::string& sass) {
  return sass.starts_with("@P0 ") || sass.starts_with("@!P0 ") || sass.ends_with(", P0") || sass.ends_with(", !P0");
}

bool is_wide_load(const site& s) { return is_access(s) && s.op.op.kind == op_kind::load && s.op.op.width_bytes >= 8; }

bool same_executed(const prediction& p, const measured_row& m) {
  const bool at_least = p.any([](const site& s) { return s.executed_at_least; });
  return !m.executed || *m.executed == p.sum.executed || (at_least && *m.executed > p.sum.executed);
}

// Returns the reason for a difference. If several reasons apply, returns the most certain reason.
std::string reason_of(const prediction& p, const measured_row& m) {
  if (!same_executed(p, m) && p.any([](const site& s) { return s.async.kind == async_kind::barrier; }))
    return formatted(
        "{} executions were measured, and {} predicted, because the number of times that a warp polls "
        "an mbarrier depends on timing",
        grouped(*m.executed), grouped(p.sum.executed));
  if (!same_executed(p, m))
    return formatted(
        "{} executions were measured, and {} predicted. The measured program had different arguments, different data "
        "or a different build",
        grouped(*m.executed), grouped(p.sum.executed));
  if (p.any([](const site& s) { return s.open_accesses != 0; }))
    return "this is a cp.async whose source addresses were not recorded, so the prediction assumes contiguous "
           "addresses";
  if (p.any([](const site& s) { return s.op.op.kind == op_kind::copy_async_cg && names_p0(s.sass); }))
    return "this is a cp.async.cg with the predicate P0. Nsight Compute assumes that P0 is false in these copies";
  if (p.any([](const site& s) { return opcode_of(s.sass) == "LD" || opcode_of(s.sass) == "ST"; }))
    return "this is a generic access. The wavefronts include only lanes with an address in shared memory";
  if (p.any([](const site& s) {
        return is_access(s) && (s.op.op.kind == op_kind::cas_spin || s.op.op.kind == op_kind::compare_and_swap);
      }))
    return "this is a loop around a compare-and-swap, and the number of retries depends on timing";
  if (m.lanes && *m.lanes != p.sum.lanes)
    return formatted("{} lanes are active instead of {}, because the data are different", grouped(*m.lanes),
                     grouped(p.sum.lanes));
  if (p.any(is_wide_load)) {
    if (m.wavefronts == times(p.sum.wavefronts, 2) || p.sum.wavefronts == times(m.wavefronts, 2))
      return "half-warps or quarter-warps are served together (merged) in the predicted count or in the measured "
             "count, but not in both";
  }
  if (p.any([](const site& s) { return is_access(s) && s.op.op.kind == op_kind::atomic; }) &&
      m.wavefronts != p.sum.wavefronts)
    return "this is an atomic, whose addresses may depend on data or on the order of warps";
  return m.wavefronts == p.sum.wavefronts
             ? "the numbers of ideal wavefronts differ"
             : "bankwise cannot explain this difference. Please report the difference, and "
               "include the kernel";
}

bool same(const prediction& p, const measured_row& m) {
  return m.wavefronts == p.sum.wavefronts && same_executed(p, m) && m.ideal.value_or(p.sum.ideal) == p.sum.ideal;
}

// Whether the measured number is the number of the source page's model. The hardware takes a different number of
// wavefronts.
bool same_on_page(const prediction& p, const measured_row& m) {
  return m.wavefronts == p.sum.ncu_wavefronts && same_executed(p, m) &&
         m.ideal.value_or(p.sum.ncu_ideal) == p.sum.ncu_ideal;
}

constexpr std::string_view page_model =
    "the source page of Nsight Compute uses its own model. The hardware takes the predicted number of wavefronts";

void explain(compared_row& r, const prediction& p, const measured_row& m) {
  if (same(p, m)) return;
  r.by_page = same_on_page(p, m);
  r.because = r.by_page ? std::string(page_model) : reason_of(p, m);
}

compared_row row_of(const std::string& place, const prediction* p, const measured_row* m) {
  compared_row r = make_row(place, p == nullptr ? nullptr : p->sites.front(), m);
  for (const measure one : compared_shared)
    if (p != nullptr) r.predicted[one] = bankwise::row_of(one).of_site->value(p->sum);
  if (m == nullptr) return r;
  r.measured[measure::wavefronts] = m->wavefronts;
  if (m->executed) r.measured[measure::executed] = *m->executed;
  if (m->ideal) r.measured[measure::ideal] = *m->ideal;
  return r;
}

void compare_instructions(const launch_report& l, const measured_launch& m, compared_launch& c) {
  std::map<std::uint64_t, const measured_row*> rows;
  for (const measured_row& r : m.rows) rows.try_emplace(*r.pc, &r);
  std::map<std::uint64_t, prediction> sites;
  std::size_t in_functions = 0, other_code = 0;
  for (const site& s : l.sites) {
    if (!s.function.empty()) {
      ++in_functions;
      continue;
    }
    sites[s.pc].add(s);
    if (const auto it = rows.find(s.pc);
        it != rows.end() && !it->second->sass.empty() && opcode_of(it->second->sass) != opcode_of(s.sass))
      ++other_code;
  }
  if (in_functions != 0)
    c.notes.push_back(
        formatted("{} instructions of called functions are not compared, because the offsets of these instructions are "
                  "not relative to the beginning of the kernel",
                  grouped(in_functions)));
  if (other_code != 0) {
    c.notes.push_back(
        formatted("the machine code differs ({}{}: compile both programs with the same nvcc and the same flags",
                  grouped(other_code), other_code == 1 ? " instruction differs)" : " instructions differ)"));
    return;
  }
  for (const auto& [pc, p] : sites) {
    const auto it = rows.find(pc);
    const measured_row* other = it == rows.end() ? nullptr : it->second;
    // Measurements may omit rows without wavefronts, so that a missing row is not a difference.
    if (other == nullptr && p.sum.wavefronts == 0 && !p.any(is_access)) continue;
    compared_row r = row_of(formatted("0x{}", hex(pc)), &p, other);
    if (other == nullptr)
      r.because = "not in the measurement";
    else
      explain(r, p, *other);
    c.rows.push_back(std::move(r));
  }
  for (const auto& [pc, row] : rows) {
    if (sites.contains(pc) || row->wavefronts == 0) continue;
    compared_row r = row_of(formatted("0x{}", hex(pc)), nullptr, row);
    r.because = touches_shared(row->sass) || row->sass.empty()
                    ? "the prediction did not execute this instruction, because the arguments or the data are different"
                    : "bankwise does not count this instruction as an access to shared memory";
    c.rows.push_back(std::move(r));
  }
}

void compare_lines(const launch_report& l, const measured_launch& m, compared_launch& c) {
  std::map<std::pair<std::string, std::uint32_t>, prediction> lines;
  for (const site& s : l.sites) lines[{base_name(s.file), s.line}].add(s);
  for (const measured_row& row : m.rows) {
    // If the file does not name a source, the lines belong to the kernel's only source.
    auto it = lines.find({row.file, row.line});
    if (it == lines.end() && row.file.empty())
      it = std::find_if(lines.begin(), lines.end(), [&](const auto& e) { return e.first.second == row.line; });
    if (it == lines.end() && row.wavefronts == 0) continue;
    const prediction* p = it == lines.end() ? nullptr : &it->second;
    const std::string file = p != nullptr ? it->first.first : row.file;
    measured_row counted = row;
    // The measured executions, lanes and bytes of a line are not compared, because they include instructions that do
    // not access shared memory.
    counted.executed.reset();
    counted.lanes.reset();
    compared_row r = row_of((file.empty() ? "" : formatted("{}:", file)) + std::to_string(row.line), p, &counted);
    if (p == nullptr)
      r.because =
          "the prediction has no shared-memory access on this line. Either the compiler assigned the access to "
          "another line, or the arguments differ";
    else
      explain(r, *p, counted);
    c.rows.push_back(std::move(r));
    if (it != lines.end()) lines.erase(it);
  }
  for (const auto& [key, p] : lines) {
    compared_row r = row_of(formatted("{}:{}", key.first, key.second), &p, nullptr);
    r.because = "not in the measurement";
    c.rows.push_back(std::move(r));
  }
}

// --- the counters of a launch

bool is_one_of(const site& s, op_kind a, op_kind b) { return is_access(s) && (s.op.op.kind == a || s.op.op.kind == b); }
bool is_load(const site& s) { return is_one_of(s, op_kind::load, op_kind::ldmatrix); }
bool is_store(const site& s) { return is_one_of(s, op_kind::store, op_kind::stmatrix); }
bool is_copy(const site& s) { return is_one_of(s, op_kind::copy_async, op_kind::copy_async_cg); }
bool is_atomic(const site& s) { return is_access(s) && !is_load(s) && !is_store(s) && !is_copy(s); }
bool is_wgmma(const site& s) { return s.async.kind == async_kind::wgmma; }
bool is_any(const site&) { return true; }

struct counter {
  std::string_view metric;  // name without the suffix .sum of newer versions
  bool (*which)(const site&);
  // The number is this count minus the second count, or this count if the second count is null.
  std::uint64_t counts::*count;
  std::uint64_t counts::*less;
  std::string_view because;
  bool has_model = false;  // whether the source page shows this number by its own model
};

// Returns the predicted value of a counter. `by_page`: by the model of the source page.
std::uint64_t value_of(const launch_report& l, const counter& c, bool by_page) {
  const auto of_page = [&](std::uint64_t counts::*count) {
    return !by_page ? count : count == &counts::wavefronts ? &counts::ncu_wavefronts : &counts::ncu_ideal;
  };
  std::uint64_t sum = 0;
  for (const site& s : l.sites)
    if (c.which(s)) sum = plus(sum, s.*of_page(c.count) - (c.less == nullptr ? 0 : s.*of_page(c.less)));
  return sum;
}

constexpr std::string_view arbitration =
    "this counter includes the cycles that are lost to other users of the same banks, such as global loads, fills of "
    "L1, cp.async and tensor cores";
constexpr std::string_view lost_turns =
    "the conflict counter is higher by the same number. These cycles are lost to other users of the same banks";
constexpr std::string_view other_kernels =
    "this counter includes accesses to global memory, so it is not 0 even for a kernel without shared memory";
constexpr std::string_view model =
    "this counter follows the model of Nsight Compute's source page, which differs from the hardware. Compare the "
    "counts of --page source instead";
constexpr std::string_view pipe = "the arguments or data are different, or accesses are missing in the prediction";

constexpr counter counters[] = {
    {"memory_l1_wavefronts_shared", is_any, &counts::wavefronts, nullptr, model, true},
    {"memory_l1_wavefronts_shared_ideal", is_any, &counts::ideal, nullptr, model, true},
    {"derived__memory_l1_wavefronts_shared_excessive", is_any, &counts::wavefronts, &counts::ideal, model, true},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared", is_any, &counts::wavefronts, nullptr, pipe},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", is_load, &counts::wavefronts, nullptr, pipe},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st", is_store, &counts::wavefronts, nullptr, pipe},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom", is_atomic, &counts::wavefronts, nullptr, pipe},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ldgsts", is_copy, &counts::wavefronts, nullptr, pipe},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma", is_wgmma, &counts::wavefronts, nullptr, pipe},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared", is_any, &counts::wavefronts, &counts::ideal, arbitration},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld", is_load, &counts::wavefronts, &counts::ideal, arbitration},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st", is_store, &counts::wavefronts, &counts::ideal,
     arbitration},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom", is_atomic, &counts::wavefronts, &counts::ideal,
     arbitration},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts", is_copy, &counts::wavefronts, &counts::ideal,
     arbitration},
};

// Returns the suffix of a metric: "_op_ld" for "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld". Related metrics have
// the same suffix.
std::string_view ending_of(std::string_view metric) {
  const std::string_view shared = "mem_shared";
  const std::size_t at = metric.find(shared);
  return at == std::string_view::npos ? metric : metric.substr(at + shared.size());
}

// Attributes the excess of a counter to other instructions. On an H100, the GPU counts 4,957 store wavefronts more for
// matrixMul than the stores take, and also 4,957 conflicts. 16,881 of all wavefronts of matrixMul are not caused by a
// load, store or atomic of shared memory. A kernel that only copies global memory has 32,768 such wavefronts.
void attribute(std::vector<compared_counter>& list) {
  const auto find = [&](std::string_view prefix, std::string_view ending) -> const compared_counter* {
    for (const compared_counter& c : list)
      if (std::string_view(c.metric).starts_with(prefix) && ending_of(c.metric) == ending) return &c;
    return nullptr;
  };
  const auto surplus = [](const compared_counter& c) { return c.measured - c.predicted; };
  const auto by_instruction = std::find_if(list.begin(), list.end(), [](const compared_counter& c) {
    return c.metric.starts_with("memory_l1_wavefronts_shared") && c.metric.find("ideal") == std::string::npos;
  });
  const bool instructions_agree =
      by_instruction != list.end() && (by_instruction->because.empty() || by_instruction->by_page);
  for (compared_counter& c : list) {
    if (c.measured <= c.predicted) continue;
    const std::string_view ending = ending_of(c.metric);
    const bool counts_conflicts = c.metric.starts_with("l1tex__data_bank_conflicts");
    const compared_counter* const other =
        find(counts_conflicts ? "l1tex__data_pipe" : "l1tex__data_bank_conflicts", ending);
    if (!c.metric.starts_with("l1tex__data_")) continue;
    const bool of_all = ending.find("_op_") == std::string_view::npos;
    const bool same_surplus = other != nullptr && other->measured > other->predicted && surplus(*other) == surplus(c);
    c.attributed = instructions_agree || same_surplus;
    if (!c.attributed || counts_conflicts) continue;
    c.because = of_all ? other_kernels : same_surplus ? lost_turns : arbitration;
  }
}

void compare_counters(const launch_report& l, const measured_launch& m, compared_launch& c) {
  for (const counter& known : counters) {
    const auto it = find_metric(m, known.metric);
    if (it == m.metrics.end()) continue;
    compared_counter one{it->first, value_of(l, known, false), it->second, {}};
    if (one.predicted != one.measured)
      one.because = one.measured < one.predicted && known.because == arbitration
                        ? "the counter is lower than the excess, because the counter omits some wavefronts of wide "
                          "accesses"
                        : std::string(known.because);
    one.by_page = one.predicted != one.measured && known.has_model && one.measured == value_of(l, known, true);
    if (one.by_page) one.because = page_model;
    c.counters.push_back(std::move(one));
  }
  attribute(c.counters);
  compare_global_counters(l, m, c);
  if (const auto it = m.metrics.find(std::string(elapsed_cycles_metric)); it != m.metrics.end() && l.time)
    c.time = {l.time.gpu, l.time.cycles, l.time.cycles_low, l.time.cycles_high, it->second};
}

bool has_size_of(const launch_report& l, const measured_launch& m) {
  return m.grid.value_or(l.grid) == l.grid && m.block.value_or(l.block) == l.block;
}

}  // namespace

std::string_view opcode_of(std::string_view sass) {
  sass = trim(sass);
  if (sass.starts_with('@')) sass = trim(sass.substr(std::min(sass.find(' '), sass.size())));
  return sass.substr(0, sass.find_first_of(". "));
}

std::map<std::string, std::uint64_t>::const_iterator find_metric(const measured_launch& m, std::string_view name) {
  const auto it = m.metrics.find(formatted("{}.sum", name));
  return it != m.metrics.end() ? it : m.metrics.find(std::string(name));
}

std::optional<std::uint64_t> count_in(const page_counts& c, measure m) {
  const auto it = c.find(m);
  return it == c.end() ? std::nullopt : std::optional(it->second);
}

compared_row make_row(const std::string& place, const instruction_place* at, const measured_row* m) {
  compared_row r;
  r.place = place;
  if (at != nullptr) {
    r.sass = at->sass;
    r.file = base_name(at->file);
    r.line = at->line;
  }
  if (m == nullptr) return r;
  if (r.sass.empty()) r.sass = m->sass;
  if (r.line == 0) {
    r.file = m->file;
    r.line = m->line;
  }
  return r;
}

comparison compare(const report& r, const std::vector<measured_launch>& measured) {
  comparison all;
  const auto note = [&](const std::string& text) {
    if (all.notes.size() == most_notes) all.notes.push_back("...");
    if (all.notes.size() < most_notes) all.notes.push_back(text);
  };
  std::vector<bool> used(measured.size(), false);
  std::map<std::string, std::vector<std::size_t>> by_name;
  for (std::size_t i = 0; i < measured.size(); ++i) by_name[bare_name(measured[i].kernel)].push_back(i);
  for (const launch_report& l : r.launches) {
    compared_launch c;
    c.kernel = l.kernel;
    // A file may contain a launch twice: as a table of instructions and as a row of counters.
    bool rows = false, totals = false;
    auto named = by_name.find(l.name);
    if (named == by_name.end()) named = by_name.find(l.mangled);
    for (const std::size_t i : named == by_name.end() ? std::vector<std::size_t>{} : named->second) {
      const measured_launch& m = measured[i];
      if (rows && totals) break;
      if (used[i] || !has_size_of(l, m)) continue;
      if (!m.rows.empty() && !rows) {
        rows = used[i] = true;
        if (!m.counts_wavefronts)
          ;  // this is the source page of a kernel that does not use shared memory
        else if (m.rows.front().pc)
          compare_instructions(l, m, c);
        else
          compare_lines(l, m, c);
        if (m.counts_sectors) compare_sectors(l, m, c);
      }
      if (!m.metrics.empty() && !totals) {
        totals = used[i] = true;
        compare_counters(l, m, c);
      }
    }
    if (!rows && !totals) {
      note(formatted("{} was not measured, or was measured with a different grid or block", l.name));
      continue;
    }
    for (const compared_row& row : c.rows) ++(row.equal() ? all.equal : row.by_page ? all.by_page : all.different);
    for (const compared_row& row : c.global_rows) ++(row.equal() ? all.equal : all.different);
    for (const compared_counter& one : c.counters)
      ++(one.because.empty() ? all.equal : one.attributed ? all.attributed : one.by_page ? all.by_page : all.different);
    all.launches.push_back(std::move(c));
  }
  // For each kernel: the number of measured launches that the report does not contain, and the line of the first of
  // them in the CSV file.
  std::map<std::string, std::pair<std::size_t, std::uint32_t>> left;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    if (used[i]) continue;
    const auto [it, is_new] = left.try_emplace(bare_name(measured[i].kernel), 0, measured[i].file_line);
    if (is_new) order.push_back(it->first);
    ++it->second.first;
  }
  for (const std::string& name : order) {
    const auto& [launches, line] = left.at(name);
    note(launches == 1 ? formatted("the CSV file has a launch of {} (line {}), but the report does not", name, line)
                       : formatted("the CSV file has {} launches of {} (from line {}), but the report does not",
                                   grouped(launches), name, line));
  }
  return all;
}

}  // namespace bankwise::check
