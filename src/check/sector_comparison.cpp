#include "check/sector_comparison.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "check/saturate.hpp"

namespace bankwise::check {

namespace {

// The sum of the predicted counts of the sites on one machine instruction, or on one line.
struct predicted_sectors {
  std::vector<const global_site*> sites;
  global_counts sum;

  void add(const global_site& s) {
    sites.push_back(&s);
    sum += s;
  }
};

// The key of a row: the offset of an instruction, or a source line.
struct row_key {
  std::uint64_t pc = 0;
  std::string file;
  std::uint32_t line = 0;

  friend auto operator<=>(const row_key&, const row_key&) = default;
};

std::string key_place(const row_key& k, bool by_line) {
  return by_line ? (k.file.empty() ? "" : formatted("{}:", k.file)) + std::to_string(k.line)
                 : formatted("0x{}", hex(k.pc));
}

// Returns the reason for a difference, or an empty string if there is none. If several reasons apply, returns the most
// certain reason.
std::string reason_for_sectors(const predicted_sectors& p, const compared_row& r) {
  const auto same = [&](measure m) { return count_in(r.measured, m).value_or(r.predicted.at(m)) == r.predicted.at(m); };
  if (std::all_of(std::begin(compared_global), std::end(compared_global), same)) return {};
  if (!same(measure::global_executed))
    return formatted(
        "{} executions were measured, and {} predicted. The measured program had different arguments, different data "
        "or a different build",
        grouped(r.measured.at(measure::global_executed)), grouped(p.sum.executed));
  if (std::any_of(p.sites.begin(), p.sites.end(), [](const global_site* s) { return s->generic; }))
    return "this is a generic access. The sectors include only lanes with an address in global memory";
  if (same(measure::sectors) && same(measure::tag_requests)) return "the numbers of ideal sectors differ";
  return "the data are different, or the memory begins at a different offset within a sector or line";
}

compared_row sectors_row_of(const row_key& key, bool by_line, const predicted_sectors* p, const measured_row* m) {
  compared_row r = make_row(key_place(key, by_line), p == nullptr ? nullptr : p->sites.front(), m);
  for (const measure one : compared_global)
    if (p != nullptr) r.predicted[one] = row_of(one).of_global->value(p->sum);
  if (m != nullptr) {
    r.measured[measure::sectors] = m->sectors;
    if (m->sectors_ideal) r.measured[measure::sectors_ideal] = *m->sectors_ideal;
    if (m->tag_requests) r.measured[measure::tag_requests] = *m->tag_requests;
    // The measured executions of a line are not compared, because they include instructions that do not access global
    // memory.
    if (m->executed && !by_line) r.measured[measure::global_executed] = *m->executed;
  }
  r.because = p == nullptr && by_line
                  ? "the prediction has no access to global memory on this line. Either the compiler assigned the "
                    "access to another line, or the arguments differ"
              : p == nullptr
                  ? "the prediction did not execute this instruction, because the arguments or the data are different"
              : m == nullptr ? "not in the measurement"
                             : reason_for_sectors(*p, r);
  return r;
}

// Whether the measured code differs from the code of the report. If it differs, comparison.cpp prints a note.
bool is_other_code(const std::map<row_key, predicted_sectors>& sites,
                   const std::map<row_key, const measured_row*>& rows) {
  return std::any_of(sites.begin(), sites.end(), [&](const auto& one) {
    const auto it = rows.find(one.first);
    return it != rows.end() && !it->second->sass.empty() &&
           opcode_of(it->second->sass) != opcode_of(one.second.sites.front()->sass);
  });
}

// --- the counters of a launch

using kinds = std::initializer_list<global_kind>;

// Whether the site is a cp.async.cg, whose copies bypass L1.
bool is_past_l1(const global_site& s) {
  return s.kind == global_kind::copy && s.sass.find(".BYPASS") != std::string::npos;
}
bool is_one_of(const global_site& s, kinds of) { return std::find(of.begin(), of.end(), s.kind) != of.end(); }

constexpr kinds all_kinds = {global_kind::load, global_kind::store, global_kind::atomic, global_kind::reduction,
                             global_kind::copy};
// On sm_90, the counters of loads include cp.async.
constexpr kinds load_kinds = {global_kind::load, global_kind::copy}, store_kinds = {global_kind::store},
                atomic_kinds = {global_kind::atomic}, reduction_kinds = {global_kind::reduction},
                copy_kinds = {global_kind::copy}, texture_kinds = {global_kind::texture_read},
                surface_kinds = {global_kind::surface_load, global_kind::surface_store, global_kind::surface_reduction},
                tex_kinds = {global_kind::texture_read, global_kind::surface_load, global_kind::surface_store,
                             global_kind::surface_reduction};

struct global_counter {
  std::string_view metric;  // name without the suffix .sum of newer versions
  const kinds& of;
  std::uint64_t global_counts::*count;
  std::string_view because;     // known reason for a difference
  bool leaves_past_l1 = false;  // whether the counter omits copies that bypass L1
};

std::uint64_t global_sum_of(const launch_report& l, const global_counter& c) {
  std::uint64_t sum = 0;
  for (const global_site& s : l.global_sites)
    if (is_one_of(s, c.of) && !(c.leaves_past_l1 && is_past_l1(s))) sum = plus(sum, s.*c.count);
  return sum;
}

constexpr std::string_view by_page_model =
    "this counter follows the model of Nsight Compute's source page, which differs from the hardware. Compare the "
    "counts of --page source instead";
constexpr std::string_view by_input =
    "the arguments or data are different, or the memory begins at a different offset within a sector";
constexpr std::string_view by_shared_words =
    "lanes of an atomic share a word. The counter counts one sector for each of these lanes, but the source page and "
    "bankwise count one sector for all of these lanes";

constexpr std::string_view by_generic_lanes =
    "the lanes of a generic instruction access several kinds of memory. The source page and bankwise count the lanes "
    "of each kind separately, but the counter does not";
constexpr std::string_view by_copies_past_l1 =
    "cp.async.cg bypasses L1. This counter includes only some sectors of these copies. bankwise does not count sectors "
    "of these copies here";
constexpr std::string_view by_retries =
    "this is a loop around a compare-and-swap, and the number of retries depends on timing";

constexpr global_counter global_counters[] = {
    {"memory_l2_theoretical_sectors_global", all_kinds, &global_counts::sectors, by_page_model},
    {"memory_l2_theoretical_sectors_global_ideal", all_kinds, &global_counts::sectors_ideal, by_page_model},
    {"memory_l1_tag_requests_global", all_kinds, &global_counts::tag_requests, by_page_model},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld", load_kinds, &global_counts::requests, by_input},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st", store_kinds, &global_counts::requests, by_input},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom", atomic_kinds, &global_counts::requests, by_input},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red", reduction_kinds, &global_counts::requests, by_input},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts", copy_kinds, &global_counts::requests, by_input},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld", load_kinds, &global_counts::sectors, by_input, true},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st", store_kinds, &global_counts::sectors, by_input},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom", atomic_kinds, &global_counts::sectors, by_shared_words},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_red", reduction_kinds, &global_counts::sectors, by_shared_words},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts", copy_kinds, &global_counts::sectors, by_input},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access", copy_kinds, &global_counts::sectors, by_input,
     true},
    {"l1tex__t_requests_pipe_tex", tex_kinds, &global_counts::requests, by_input},
    {"l1tex__t_requests_pipe_tex_mem_texture", texture_kinds, &global_counts::requests, by_input},
    {"l1tex__t_requests_pipe_tex_mem_surface", surface_kinds, &global_counts::requests, by_input},
    {"l1tex__t_sectors_pipe_tex", tex_kinds, &global_counts::sectors, by_input},
    {"l1tex__t_sectors_pipe_tex_mem_texture", texture_kinds, &global_counts::sectors, by_input},
    {"l1tex__t_sectors_pipe_tex_mem_surface", surface_kinds, &global_counts::sectors, by_input},
    {"l1tex__t_set_accesses_pipe_tex", tex_kinds, &global_counts::tag_requests, by_input},
};

// Returns the reason why a counter differs, and whether this reason explains a counter that is too high.
std::pair<std::string_view, bool> reason_of_difference(const launch_report& l, const global_counter& c) {
  const auto any = [&](auto is_it) {
    return std::any_of(l.global_sites.begin(), l.global_sites.end(),
                       [&](const global_site& s) { return is_one_of(s, c.of) && is_it(s); });
  };
  if (c.leaves_past_l1 && any(is_past_l1)) return {by_copies_past_l1, true};
  // Whether some lanes of the instruction access a different memory.
  const auto is_divided = [&](const global_site& s) {
    const auto is_it = [&](const instruction_place& o) { return o.pc == s.pc && o.function == s.function; };
    return s.generic && (std::any_of(l.sites.begin(), l.sites.end(), is_it) ||
                         std::count_if(l.global_sites.begin(), l.global_sites.end(), is_it) > 1);
  };
  if (any(is_divided)) return {by_generic_lanes, true};
  if (c.count == &global_counts::requests &&
      any([](const global_site& s) { return s.sass.find("CAS") != std::string::npos; }))
    return {by_retries, false};
  // For atomics, the source page differs from the counter.
  return {c.because, c.because == by_shared_words};
}

}  // namespace

void compare_sectors(const launch_report& l, const measured_launch& m, compared_launch& c) {
  if (!l.global_counted) {
    if (std::any_of(m.rows.begin(), m.rows.end(), [](const measured_row& r) { return r.sectors != 0; }))
      c.notes.push_back(formatted("the report has no sectors of global memory. Make the report again with {}",
                                  worded(setting::global, "on")));
    return;
  }
  const bool by_line = !m.rows.front().pc;
  std::map<row_key, const measured_row*> rows;
  for (const measured_row& r : m.rows)
    rows.try_emplace(by_line ? row_key{0, r.file, r.line} : row_key{*r.pc, {}, 0}, &r);
  std::map<row_key, predicted_sectors> sites;
  for (const global_site& s : l.global_sites) {
    if (!is_global(s.kind) || (!by_line && !s.function.empty())) continue;
    row_key key = by_line ? row_key{0, base_name(s.file), s.line} : row_key{s.pc, {}, 0};
    // If the file does not name a source, the lines belong to the kernel's only source.
    if (by_line && !rows.contains(key) && rows.contains({0, {}, s.line})) key.file.clear();
    sites[key].add(s);
  }
  if (!by_line && is_other_code(sites, rows)) return;
  for (const auto& [key, p] : sites) {
    const auto it = rows.find(key);
    c.global_rows.push_back(sectors_row_of(key, by_line, &p, it == rows.end() ? nullptr : it->second));
  }
  for (const auto& [key, row] : rows)
    if (row->sectors != 0 && !sites.contains(key)) c.global_rows.push_back(sectors_row_of(key, by_line, nullptr, row));
}

void compare_global_counters(const launch_report& l, const measured_launch& m, compared_launch& c) {
  if (!l.global_counted) return;
  for (const global_counter& known : global_counters) {
    const auto it = find_metric(m, known.metric);
    if (it == m.metrics.end()) continue;
    compared_counter one{it->first, global_sum_of(l, known), it->second, {}};
    if (one.predicted != one.measured) {
      const auto [because, explains] = reason_of_difference(l, known);
      one.because = std::string(because);
      one.attributed = one.measured > one.predicted && explains;
    }
    c.counters.push_back(std::move(one));
  }
}

}  // namespace bankwise::check
