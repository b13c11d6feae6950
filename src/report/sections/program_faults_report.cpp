#include "report/sections/program_faults_report.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

struct fault_sums {
  std::uint64_t errors = 0, races = 0, leaks = 0, leaked_bytes = 0, copies = 0, unawaited = 0;
};

fault_sums fault_sums_of(const report& r) {
  fault_sums s;
  for (const program_fault& f : r.program_faults) switch (f.kind) {
      case program_fault_kind::leak: s.leaks += f.calls, s.leaked_bytes += f.bytes; break;
      case program_fault_kind::unwritten_copy: s.copies += f.calls; break;
      case program_fault_kind::unawaited: s.unawaited += f.calls; break;
      case program_fault_kind::stream_race:
      case program_fault_kind::host_race: s.races += f.calls; break;
      default: s.errors += f.calls;
    }
  return s;
}

// Returns "12 MB", "3 kB" or "17 bytes".
std::string bytes_in_units(std::uint64_t bytes) {
  if (bytes >= 10'000'000) return formatted("{} MB", grouped((bytes + 500'000) / 1'000'000));
  return bytes >= 10'000 ? formatted("{} kB", grouped((bytes + 500) / 1000)) : count_of(bytes, "byte");
}

std::string leaked_words(const fault_sums& s) {
  return formatted("leaked {}, {}", count_of(s.leaks, "allocation"), bytes_in_units(s.leaked_bytes));
}

std::string fault_amount(const program_fault& f) {
  if (f.kind == program_fault_kind::leak)
    return formatted("{}, {}", count_of(f.calls, "allocation"), count_of(f.bytes, "byte"));
  if (f.kind != program_fault_kind::freed_twice && f.kind != program_fault_kind::bad_free)
    return formatted("{}, {}", count_of(f.calls, "call"), count_of(f.bytes, "byte"));
  return count_of(f.calls, "call");
}

bool is_checked_for_memory(const report& r) {
  return std::any_of(r.launches.begin(), r.launches.end(), [](const launch_report& l) { return l.checked.memory; });
}

}  // namespace

std::string program_faults_text(const report& r, const style& s, std::size_t& left) {
  if (r.program_faults.empty()) return {};
  std::string text = formatted("{}: {}\n", s.strong("calls of the program"), program_faults_sentence(r));
  std::size_t n = 0;
  for (const program_fault& f : r.program_faults) {
    if (left == 0) return text + formatted("\n... and {} more\n", r.program_faults.size() - n);
    --left;
    const program_fault_words& w = words_of(f.kind);
    text += formatted("\n{} {}{}: {}\n   {}{}\n", s.strong(formatted("{}.", ++n)), w.is_warning ? "warning: " : "",
                      w.is_warning ? std::string(w.title) : s.bad(std::string(w.title)), fault_amount(f),
                      f.function.empty() ? "" : formatted("{}: ", f.function), f.memory);
    for (const std::string& line : f.trail) text += formatted("   {}\n", line);
    text += formatted("   {}\n", std::string(w.hint));
  }
  return text;
}

std::string program_faults_sentence(const report& r) {
  const fault_sums s = fault_sums_of(r);
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (s.errors != 0) add(count_of(s.errors, "memory error"));
  if (s.races != 0) add(count_of(s.races, "race of operations", "races of operations"));
  if (s.leaks != 0) add(leaked_words(s));
  if (s.copies != 0) add(count_of(s.copies, "copy of unwritten bytes", "copies of unwritten bytes"));
  if (s.unawaited != 0) add(count_of(s.unawaited, "result that was not awaited", "results that were not awaited"));
  return text;
}

bool has_program_error(const report& r) {
  const fault_sums s = fault_sums_of(r);
  return s.errors + s.races != 0 || (is_checked_for_memory(r) && !r.ignored_errors.empty());
}

}  // namespace bankwise
