// bankwise init: a first bankwise.toml, of a run and of what it costs today.
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.hpp"
#include "base/text.hpp"
#include "output.hpp"
#include "project_runs.hpp"
#include "saved_report.hpp"
#include "stop_signals.hpp"
#include "verbs.hpp"

namespace bankwise::cli {

namespace {

namespace fs = std::filesystem;

std::string in_toml(std::string_view text) {
  std::string s = "\"";
  for (const char c : text) s += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return s + "\"";
}

// Of the kernel that -k names, else of the file or program; letters that a file's name may have. A number behind it where
// there is a run of that name.
std::string name_of_run(const arguments& args, const std::vector<check::run_entry>& others) {
  std::string name = fs::path(args.positional[0]).stem().string();
  for (std::size_t i = 0; i + 1 < args.behind.size(); ++i)
    if (args.behind[i] == "-k" || args.behind[i] == "--kernel") name = args.behind[i + 1];
  std::string plain;
  for (const char c : name)
    plain += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ? c : '-';
  plain = plain.substr(std::min(plain.find_first_not_of('-'), plain.size()), 100);
  if (plain.empty()) plain = "run";
  const auto is_taken = [&](const std::string& wanted) {
    return std::any_of(others.begin(), others.end(), [&](const check::run_entry& r) { return r.name == wanted; });
  };
  std::string free = plain;
  for (int n = 2; is_taken(free); ++n) free = plain + "-" + std::to_string(n);
  return free;
}

struct kernel_cost {
  std::uint64_t wavefronts = 0, removable = 0;
  bool estimated = false;
};
// The most that a launch of each kernel costs, by its bare name.
std::map<std::string, kernel_cost> costs_of(const report& r) {
  std::map<std::string, kernel_cost> all;
  for (const launch_report& l : r.launches) {
    kernel_cost& c = all[l.name];
    c.wavefronts = std::max(c.wavefronts, l.sum.wavefronts);
    c.removable = std::max(c.removable, l.sum.removable);
    c.estimated |= l.scaled;
  }
  return all;
}

}  // namespace

result<int> init(const arguments& args) {
  if (args.positional.empty())
    return diagnostic{
        "bankwise init: what is to be run?", {}, "what stands behind `bankwise run`: bankwise init ./app 64"};
  const std::string file = args.value("config").value_or(usual_config);
  std::string text;
  std::error_code ec;
  check::config known;
  if (fs::exists(file, ec)) {
    const auto before = read_file(file);
    if (!before) return before.error();
    auto c = check::read_config(*before, file);
    if (!c) return c.error();
    known = std::move(*c);
    text = *before;
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += '\n';
  }
  if (text.empty()) text = "fail-on = \"budget\"  # \"new\": also for findings that are in no baseline\n\n";
  check::run_entry run;
  run.name = args.value("name").value_or(name_of_run(args, known.runs));
  for (const check::run_entry& other : known.runs)
    if (other.name == run.name)
      return diagnostic{file + " has a run of the name " + run.name, {}, "--name is for another"};
  run.command = shell_word(args.positional[0]);
  for (const std::string& w : args.behind) run.command += " " + shell_word(w);
  std::string entry = "[[run]]\nname = " + in_toml(run.name) + "\ncommand = " + in_toml(run.command) + "\n";
  // As check will read it: a name or a command that it refuses is refused before anything runs.
  auto asked = check::read_config(entry, file);
  if (!asked) return diagnostic{asked.error().message, {}, asked.error().hint};
  asked->cache = known.cache;
  asked->name.clear();  // it is in no file yet
  const stop_on_signals stops;
  const auto made = make_reports({.folder = folder_of_config(file), .asked = &*asked});
  if (!made) return made.error();
  const auto r = load_whole_report(made->front().file);
  if (!r) return r.error();
  std::string notes;
  std::size_t budgets = 0;
  for (const auto& [kernel, cost] : costs_of(*r)) {
    if (cost.estimated) {
      notes += "note: " + kernel + " was estimated, so it has no budget\n";
      continue;
    }
    if (cost.wavefronts == 0) continue;
    entry += "[[run.budget]]\nkernel = " + in_toml(kernel) + "\nwavefronts = " + std::to_string(cost.wavefronts) +
             "\nremovable = " + std::to_string(cost.removable) + "\n";
    ++budgets;
  }
  const auto whole = check::read_config(text + entry, file);
  if (!whole) return whole.error();
  if (const auto written = write_file(file, text + entry); !written) return written.error();
  const auto told =
      write_plain("", file + ": the run " + run.name + ", with what " +
                          (budgets == 1 ? std::string("a kernel costs") : std::to_string(budgets) + " kernels cost") +
                          " today as " + (budgets == 1 ? "its budget" : "their budgets") +
                          "; bankwise check holds it there\n" + notes);
  return told ? result<int>(exit_clean) : told.error();
}

}  // namespace bankwise::cli
