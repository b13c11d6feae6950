#include "cli/tune/variant_run.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "check/finding_kinds.hpp"
#include "cli/line/own_program.hpp"
#include "cli/line/program_words.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"
#include "report/sections/time_report.hpp"
#include "timing/timed_gpu.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;
using row_json = nlohmann::json;
using tune::outcome;

namespace {

constexpr std::size_t most_error = 2000;
constexpr double most_microseconds = 1e12;  // a longer time is that of a damaged report

std::string own_program() {
  std::error_code ec;
  return fs::read_symlink("/proc/self/exe", ec).string();
}

// Returns the error that the child printed, without the name of the scratch files.
std::string error_in(const std::string& told, int status) {
  constexpr std::string_view begin = "error: ";
  const std::size_t at = told.find(begin);
  std::string text = at == std::string::npos ? std::string(trim(told)) : told.substr(at + begin.size());
  if (text.empty())
    text = status < 0 ? "bankwise run was ended by a signal" : formatted("bankwise run exited with status {}", status);
  return printable_lines(trim(text.substr(0, most_error)));
}

std::uint64_t number_of(const row_json& j, const char* key) {
  const auto at = j.is_object() ? j.find(key) : j.end();
  return at != j.end() && at->is_number_unsigned() ? at->get<std::uint64_t>() : 0;
}
double real_of(const row_json& j, const char* key) {
  const auto at = j.is_object() ? j.find(key) : j.end();
  return at != j.end() && at->is_number() ? at->get<double>() : 0;
}
std::string text_of(const row_json& j, const char* key) {
  const auto at = j.is_object() ? j.find(key) : j.end();
  return at != j.end() && at->is_string() ? printable(at->get<std::string>()) : "";
}
const row_json& member_of(const row_json& j, const char* key) {
  static const row_json nothing;
  const auto at = j.is_object() ? j.find(key) : j.end();
  return at != j.end() ? *at : nothing;
}

std::string words_of_finding(const row_json& f) {
  const std::string id = text_of(f, "id"), path = text_of(f, "path");
  const check::finding_kind* const kind = check::find_kind(id);
  std::string words = kind != nullptr ? formatted("{}: {}", id, kind->title) : id;
  if (!path.empty()) words += formatted(", {}:{}", base_name(path), number_of(f, "line"));
  return words;
}

// Adds up the launches of a report.
void read_launches(const row_json& report, tune::tuned_row& row) {
  tune::gpu_time time;
  double longest = -1;
  for (const row_json& l : member_of(report, "launches")) {
    const std::uint64_t count = std::max<std::uint64_t>(1, number_of(l, "count"));
    const row_json& predicted = member_of(l, "time");
    const double cycles = real_of(predicted, "cycles"), microseconds = real_of(predicted, "microseconds");
    if (!(cycles > 0) || !(microseconds > 0)) {
      row.is = outcome::no_time;
      row.reason = formatted("the time of {} was not predicted", text_of(l, "name"));
      return;
    }
    const double all = microseconds * static_cast<double>(count);
    time.microseconds += all;
    time.low += all * real_of(predicted, "cycles_low") / cycles;
    time.high += all * real_of(predicted, "cycles_high") / cycles;
    row.launches += count;
    row.wavefronts += number_of(member_of(l, "totals"), "wavefronts") * count;
    row.sectors += number_of(member_of(l, "global_totals"), "sectors") * count;
    if (all <= longest) continue;
    longest = all;
    time.bound = words_of_resource(text_of(predicted, "bound"));
    time.occupancy = static_cast<std::uint32_t>(std::min<std::uint64_t>(100, number_of(predicted, "occupancy")));
    row.registers = number_of(l, "registers");
    row.shared_bytes = number_of(l, "shared_bytes");
  }
  if (row.launches == 0) {
    row.is = outcome::not_run;
    row.reason = "no kernel was launched";
    return;
  }
  if (!(time.microseconds < most_microseconds)) {
    row.is = outcome::no_time;
    row.reason = formatted("the predicted time is above {} seconds", fixed(most_microseconds / 1e6, 0));
    return;
  }
  if (const row_json& findings = member_of(report, "findings"); findings.is_array() && !findings.empty()) {
    time.finding = words_of_finding(findings[0]);
    time.saving = std::min(real_of(findings[0], "saved_microseconds"), most_microseconds);
  }
  // Nanoseconds are precise enough, and readable in JSON.
  for (double* part : {&time.microseconds, &time.low, &time.high, &time.saving})
    *part = std::round(*part * 1000) / 1000;
  row.times.push_back(std::move(time));
}

// The words of the child, without the file for its report.
result<std::vector<std::string>> words_of_run(const tune_request& r, std::size_t index, const variant& v,
                                              const asked_gpu& gpu) {
  auto words = launch_words(r, r.all.configurations[index]);
  if (!words) return words;
  if (!gpu.word.empty()) words->insert(words->begin(), {"--gpu", gpu.word});
  if (r.is_program)
    *std::find(words->begin(), words->end(), "") = v.file;
  else
    words->insert(words->begin(), v.file);
  return words;
}

}  // namespace

variant_run run_variant(const tune_request& r, std::size_t index, const variant& v, const asked_gpu& gpu,
                        bool keeps_results, unsigned threads, const std::string& folder) {
  variant_run run;
  run.row.index = index;
  run.row.what = r.all.configurations[index];
  const auto fail = [&](outcome is, std::string reason) {
    run.row.is = is;
    run.row.reason = std::move(reason);
    return run;
  };
  const auto ours = words_of_run(r, index, v, gpu);
  if (!ours) return fail(outcome::not_run, ours.error().message);
  const std::string saved = formatted("{}/report.json", folder), said = formatted("{}/said", folder),
                    told = formatted("{}/told", folder);
  // A shell keeps standard output and standard error apart. Several programs cannot share standard input.
  const std::string apart = "told=$1; shift; exec \"$@\" 2>\"$told\" </dev/null";
  std::vector<std::string> words{"/bin/sh", "-c", apart, "sh", told, own_program(), "run"};
  words.insert(words.end(), {"--format", "json", "-o", saved, "--threads", std::to_string(threads)});
  // Also if the environment turns predictions off for other runs.
  words.insert(words.end(), {"--time-model", "on"});
  if (keeps_results && !r.is_program) {
    const auto list = argument_words(r, r.all.configurations[index]);
    if (list) run.results.places = result_places(*list);
    for (std::size_t i = 0; i < run.results.places.size(); ++i)
      words.insert(words.end(), {"--dump", formatted("{}={}/buffer{}", run.results.places[i].place, folder, i)});
  }
  words.insert(words.end(), ours->begin(), ours->end());
  std::error_code ec;
  fs::remove(saved, ec);
  auto variables = variables_of(r, r.all.configurations[index]);
  const auto status = run_and_hear(words, said, &stop_signal(), {}, r.is_program ? variables : decltype(variables){});
  if (!status) return fail(outcome::not_run, status.error().message);
  const auto heard = read_file(told);
  if (*status != exit_clean && *status != exit_findings)
    return fail(outcome::not_run, error_in(heard ? *heard : "", *status));
  const auto text = read_file(saved);
  if (!text) return fail(outcome::not_run, r.is_program ? "the program launched no kernel" : text.error().message);
  read_launches(row_json::parse(*text, nullptr, false), run.row);
  if (!keeps_results) return run;
  for (std::size_t i = 0; i < run.results.places.size(); ++i) {
    const std::string file = formatted("{}/buffer{}", folder, i);
    auto bytes = read_file(file);
    if (!bytes) return fail(outcome::not_run, bytes.error().message);
    run.results.bytes.push_back(std::move(*bytes));
    fs::remove(file, ec);
  }
  if (r.is_program)
    if (auto printed = read_file(said)) run.results.printed = std::move(*printed);
  return run;
}

std::string run_key(const tune_request& r, std::size_t index, const variant& v, const asked_gpu& gpu) {
  const auto& own = hash_of_own_program();
  if (!own) return "";
  std::vector<std::string> parts{"run", *own, v.key, gpu.title, r.is_program ? "program" : "kernel"};
  if (timing::is_parameter_file(gpu.word)) parts.push_back(file_key(gpu.word));
  auto words = launch_words(r, r.all.configurations[index]);
  if (!words) return "";
  for (const std::string& word : *words) {
    parts.push_back(word);
    std::error_code ec;
    if (r.is_program && fs::is_regular_file(word, ec)) parts.push_back(file_key(word));
  }
  if (r.is_program) {
    for (const auto& [name, value] : variables_of(r, r.all.configurations[index]))
      parts.push_back(formatted("{}={}", name, value));
    return content_key(parts);
  }
  const auto list = argument_words(r, r.all.configurations[index]);
  if (!list) return "";
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto a = parse_argument((*list)[i], i + 1);
    if (!a) return "";
    for (const std::string& file : files_of(*a)) {
      parts.push_back(file_key(file));
      if (parts.back().empty()) return "";  // it cannot be read, so the run may succeed later
    }
  }
  return content_key(parts);
}

std::string text_of_row(const tune::tuned_row& row) {
  row_json j{{"outcome", static_cast<int>(row.is)},
             {"reason", row.reason},
             {"registers", row.registers},
             {"shared_bytes", row.shared_bytes},
             {"wavefronts", row.wavefronts},
             {"sectors", row.sectors},
             {"launches", row.launches}};
  for (const tune::gpu_time& t : row.times)
    j["time"] = {{"microseconds", t.microseconds}, {"low", t.low},         {"high", t.high},    {"bound", t.bound},
                 {"occupancy", t.occupancy},       {"finding", t.finding}, {"saving", t.saving}};
  return j.dump(-1, ' ', false, row_json::error_handler_t::replace);
}

std::optional<tune::tuned_row> read_row(const std::string& text) {
  const row_json j = row_json::parse(text, nullptr, false);
  if (!j.is_object() || !j.contains("outcome")) return std::nullopt;
  const std::uint64_t is = number_of(j, "outcome");
  if (is > static_cast<std::uint64_t>(outcome::no_time)) return std::nullopt;
  tune::tuned_row row;
  row.is = static_cast<outcome>(is);
  row.reason = j.contains("reason") && j["reason"].is_string() ? j["reason"].get<std::string>() : "";
  row.registers = number_of(j, "registers");
  row.shared_bytes = number_of(j, "shared_bytes");
  row.wavefronts = number_of(j, "wavefronts");
  row.sectors = number_of(j, "sectors");
  row.launches = number_of(j, "launches");
  const row_json& t = member_of(j, "time");
  if (row.is == outcome::ranked && !t.is_object()) return std::nullopt;
  if (t.is_object())
    row.times.push_back({real_of(t, "microseconds"), real_of(t, "low"), real_of(t, "high"), text_of(t, "bound"),
                         static_cast<std::uint32_t>(number_of(t, "occupancy")), text_of(t, "finding"),
                         real_of(t, "saving")});
  return row;
}

}  // namespace bankwise::cli
