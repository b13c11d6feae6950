// bankwise init: writes a bankwise.toml, or adds a run to it. The budget of the run is its current cost.
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/format.hpp"
#include "base/system/file_lock.hpp"
#include "base/system/files.hpp"
#include "base/text.hpp"
#include "check/amounts.hpp"
#include "check/config_edit.hpp"
#include "cli/check/project_runs.hpp"
#include "cli/input/saved_report.hpp"
#include "cli/line/output.hpp"
#include "cli/line/program_words.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"

namespace bankwise::cli {

namespace {

namespace fs = std::filesystem;

// The input of a command: a file or a program, and the kernel in -k.
struct run_target {
  std::string input, kernel;

  friend bool operator==(const run_target&, const run_target&) = default;
};
run_target target_of(const std::vector<std::string>& words) {
  const program_words parts = part_words(words, *find_verb("run"));
  run_target t{parts.input, {}};
  for (std::size_t i = 0; i < parts.ours.size(); ++i) {
    const std::string& word = parts.ours[i];
    for (const std::string_view flag : {"-k", "--kernel"}) {
      if (word == flag && i + 1 < parts.ours.size()) t.kernel = parts.ours[i + 1];
      if (word.starts_with(formatted("{}=", flag))) t.kernel = word.substr(flag.size() + 1);
    }
  }
  return t;
}

// Returns a name for a run: the kernel of -k, or otherwise the file or program. Dashes replace characters that are not
// allowed in file names. If another run has this name, a number is appended.
std::string name_of_run(const run_target& t, const std::vector<check::run_entry>& others) {
  const std::string name = t.kernel.empty() ? fs::path(t.input).stem().string() : t.kernel;
  std::string plain;
  for (const char c : name)
    plain += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ? c : '-';
  plain = plain.substr(std::min(plain.find_first_not_of('-'), plain.size()), 100);
  if (plain.empty()) plain = "run";
  const auto is_taken = [&](const std::string& wanted) {
    return std::any_of(others.begin(), others.end(), [&](const check::run_entry& r) { return r.name == wanted; });
  };
  std::string free = plain;
  for (int n = 2; is_taken(free); ++n) free = formatted("{}-{}", plain, n);
  return free;
}

// Returns the run that `init` updates: the run with the name in --name, or the run with the same program and kernel.
// Returns null if `init` adds a new run.
result<const check::run_entry*> run_before(const arguments& args, const check::config& known, const project& p,
                                           const run_target& t) {
  const auto name = args.value("name");
  for (const check::run_entry& r : known.runs) {
    if (name && r.name != *name) continue;
    const auto words = words_of(p, r);
    const bool same = words && target_of(*words) == t;
    if (same) return &r;
    if (name)
      return diagnostic{formatted("{} already has a run with the name {} for a different program", known.name, r.name),
                        {.file = known.name, .line = r.config_line},
                        "choose a different --name, or remove the existing run"};
  }
  return nullptr;
}

struct kernel_cost {
  check::amounts most;
  bool estimated = false, counts_sectors = true, has_time = true;
};
// Returns the highest cost of a launch of each instance of a kernel.
std::map<check::kernel_names, kernel_cost> costs_of(const report& r) {
  std::map<check::kernel_names, kernel_cost> all;
  for (const launch_report& l : r.launches) {
    kernel_cost& c = all[check::names_of(l)];
    c.has_time &= static_cast<bool>(l.time);
    const check::amounts sum = check::amounts_of(l);
    for (const limit_row& row : limit_rows) c.most[row.of].is = std::max(c.most[row.of].is, sum[row.of].is);
    c.counts_sectors &= l.global_counted;
    c.estimated |= l.scaled;
  }
  return all;
}

// Returns the limits of an instance. Each limit is the present cost.
check::new_budget budget_of(const check::kernel_names& kernel, const kernel_cost& c) {
  check::new_budget b{kernel, {}};
  for (const limit_row& row : limit_rows) {
    const bool is_time = row_of(row.of).record == measure_record::time;
    const bool is_known = is_time ? c.has_time : c.counts_sectors || !row_of(row.of).is_of_sectors();
    if (is_known && (row.init || is_time)) b.limits.push_back({&row, c.most[row.of].is});
  }
  return b;
}
bool is_free(const check::new_budget& b) {
  return std::all_of(b.limits.begin(), b.limits.end(), [](const check::limit& l) { return l.most == 0; });
}

// A configuration and its text. The text of a new file has a default first line.
struct config_text {
  std::string text;
  check::config known;
};
result<config_text> read_config_file(const std::string& file) {
  config_text c;
  std::error_code ec;
  if (fs::exists(file, ec)) {
    const auto before = read_file(file);
    if (!before) return before.error();
    auto known = check::read_config(*before, file);
    if (!known) return known.error();
    c.known = std::move(*known);
    c.text = *before;
    if (!c.text.empty() && c.text.back() != '\n') c.text += '\n';
  }
  c.known.name = file;
  if (trim(c.text).empty())
    c.text = "fail-on = \"budget\"  # \"new\": also for findings that are not in the baseline\n";
  return c;
}

}  // namespace

result<int> init(const arguments& args) {
  if (args.positional.empty())
    return diagnostic{"bankwise init needs a program or a kernel's file",
                      {},
                      "pass the arguments of `bankwise run`: bankwise init ./app 64"};
  const std::string file = args.value("config").value_or(usual_config);
  const stop_on_signals stops;
  auto first = read_config_file(file);
  if (!first) return first.error();
  std::vector<std::string> words{args.positional[0]};
  words.insert(words.end(), args.of_program.begin(), args.of_program.end());
  check::run_entry run;
  for (const std::string& w : words) run.command += (run.command.empty() ? "" : " ") + shell_word(w);
  const run_target target = target_of(words);
  const auto entry_of = [&] {
    return formatted("[[run]]\nname = {}\ncommand = {}\n", check::in_toml(run.name), check::in_toml(run.command));
  };
  // The name and the command are checked as in `bankwise check`, so that users see an error before anything runs.
  run.name = args.value("name").value_or("run");
  auto asked = check::read_config(entry_of(), file);
  if (!asked) return diagnostic{asked.error().message, {}, asked.error().hint};

  // While the lock is held, other processes wait before they write this file.
  const auto lock = lock_config(file, first->known);
  if (!lock) return lock.error();
  auto before = read_config_file(file);
  if (!before) return before.error();
  const project in_folder{.folder = folder_of_config(file), .asked = &before->known};
  const auto same = run_before(args, before->known, in_folder, target);
  if (!same) return same.error();
  run.name = *same != nullptr ? (*same)->name : args.value("name").value_or(name_of_run(target, before->known.runs));
  asked = check::read_config(entry_of(), file);
  if (!asked) return diagnostic{asked.error().message, {}, asked.error().hint};
  asked->cache = before->known.cache;
  asked->name.clear();  // no file has the run yet, so errors must not name the file
  if (*same != nullptr) asked->runs[0].inputs = (*same)->inputs;
  const auto made = make_reports({.folder = folder_of_config(file), .asked = &*asked});
  if (!made) return made.error();
  const report* const r = &made->front().what;
  if (const auto partial = refuse_partial(*r, made->front().file)) return *partial;
  std::string notes;
  std::vector<check::new_budget> budgets;
  for (const auto& [kernel, cost] : costs_of(*r)) {
    check::new_budget b = budget_of(kernel, cost);
    if (cost.estimated)
      notes += formatted("note: the counts of {} are estimated, so no budget was written for this kernel\n",
                         kernel.instance);
    else if (!is_free(b) || *same != nullptr)
      budgets.push_back(std::move(b));
  }
  // The file is read again, because users may have changed it meanwhile.
  auto now = read_config_file(file);
  if (!now) return now.error();
  const auto there = std::find_if(now->known.runs.begin(), now->known.runs.end(),
                                  [&](const check::run_entry& one) { return one.name == run.name; });
  std::string text = now->text;
  std::string said = formatted("{}: the run ", file);
  if (there == now->known.runs.end()) {
    // A blank line separates the run from the text before it.
    text += formatted("\n{}", entry_of());
    run.config_line = static_cast<std::uint32_t>(std::count(now->text.begin(), now->text.end(), '\n')) + 2;
    std::erase_if(budgets, is_free);
  } else {
    if (there->command != run.command)
      notes += formatted(
          "note: the previous command of the run was: {}. To keep both commands, add a second run with --name\n",
          there->command);
    run.config_line = there->config_line;
    said = formatted("{}: updated the run ", file);
  }
  text = check::with_run(std::move(text), now->known, run, budgets);
  const auto whole = check::read_config(text, file);
  if (!whole) return whole.error();
  if (const auto written = write_file(file, text); !written) return written.error();
  const auto told = write_plain(
      "", formatted("{}{}. {}. bankwise check fails if the cost grows\n{}", said, run.name,
                    budgets.size() == 1
                        ? std::string("The budget of the run is the current cost of its kernel")
                        : formatted("The budgets of the run are the current costs of its {} kernels", budgets.size()),
                    notes));
  return told ? result<int>(exit_clean) : told.error();
}

}  // namespace bankwise::cli
