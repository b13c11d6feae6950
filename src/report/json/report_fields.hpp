// The fields of a report, of a launch and of a site. The writer, the reader and the schema use them.
#pragma once

#include "model/remedies.hpp"
#include "model/shared_traffic.hpp"
#include "report/json/field.hpp"

namespace bankwise {

inline constexpr const char* exactness_type = R"({"enum": ["exact", "estimated", "partial"]})";
inline constexpr const char* schema_name = "bankwise.report/1";

const fields<report>& report_fields();
const fields<launch_report>& launch_fields();
const fields<launch_report>& totals_fields();
const fields<site>& site_fields();
const fields<site>& worst_fields();
const fields<recorded_access>& access_fields();
const fields<sass::dependence>& dependence_fields();
const fields<retries>& retries_fields();
const fields<remedy>& remedy_fields();
const fields<code_place>& code_place_fields();
const fields<thread_place>& thread_place_fields();
const fields<hazard>& hazard_fields();
const fields<other_result>& other_result_fields();
const fields<block_race>& block_race_fields();
const fields<out_of_bounds_access>& out_of_bounds_fields();
const fields<shared_traffic>& shared_traffic_fields();
const fields<shared_array>& array_fields();
const fields<unrecorded_launches>& unrecorded_fields();
const fields<failed_launches>& failed_fields();
const fields<library_use>& library_use_fields();
const fields<small_launches>& small_launches_fields();
const fields<program_timeline>& timeline_fields();
const fields<timeline_part>& timeline_part_fields();
const fields<timeline_operation>& timeline_operation_fields();
const fields<refused_launches>& refused_fields();
const fields<failed_calls>& failed_call_fields();
const fields<program_fault>& program_fault_fields();
const fields<std::vector<interval>>& intervals_fields();
const fields<std::vector<interval>>& global_intervals_fields();  // a field for each row of global_count_rows
const fields<launch_report>& estimate_fields();

// Reads the architecture of a report, and one of its launches, whose architecture must be known.
void read_machine(report_reader& r, const node& n, report& to);
void read_launch(report_reader& r, const node& launches, const parsed_json& value, report& to);

// Reads the places in the key "sites", which advice_report.cpp writes. A place is the function and pc of an
// instruction, or only the pc.
std::vector<std::pair<std::string, std::uint64_t>> read_places_of_code(json_reader& r, const node& n);
known_fix read_fix(json_reader& r, const node& n);
// Reads what sections/other_instructions_report.cpp writes.
known_move read_move(json_reader& r, const node& n);

// Three fields with the reason why a launch or the whole program is incomplete.
template <class T>
field<T> partial_form() {
  return form<T>(flag_type, [](const T&) { return true; }).read([](report_reader& r, const node& n, T& t) {
    using reason = early_end::reason;
    if (!r.flag(n, "partial")) return;
    const std::string given = r.text(n, "partial_reason");
    for (const reason one : {reason::interrupted, reason::budget, reason::total_budget, reason::time, reason::fault})
      if (given == name_of(one)) t.partial.why = one;
    if (!t.partial)
      r.refuse(r.value_at(n, "partial_reason"),
               "expected \"interrupted\", \"budget\", \"total_budget\", \"time\" or \"fault\"");
    if (r.has(n, "signal")) t.partial.signal = r.text(n, "signal");
  });
}
template <class T>
field<T> partial_reason_form() {
  return form<T>(R"({"enum": ["interrupted", "budget", "total_budget", "time", "fault"]})",
                 [](const T& t) { return name_of(t.partial.why); });
}
template <class T>
field<T> signal_form() {
  return form<T>(text_type, [](const T& t) { return t.partial.signal; }).given([](const T& t) {
    return t.partial && !t.partial.signal.empty();
  });
}

}  // namespace bankwise
