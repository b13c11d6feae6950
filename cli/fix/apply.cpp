// Applies the edits of `fix`. All edits are computed before the first file is written. If a step fails, the sources are
// restored.
#include "cli/fix/apply.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

#include "base/format.hpp"
#include "base/system/file_lock.hpp"
#include "base/system/files.hpp"
#include "base/system/scratch_folder.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "base/text_change.hpp"
#include "cli/fix/edit_journal.hpp"
#include "cli/fix/edit_plan.hpp"
#include "cli/fix/edit_trial.hpp"
#include "cli/fix/edited_sources.hpp"
#include "cli/fix/fix.hpp"
#include "cli/fix/measured_run.hpp"
#include "cli/input/source_files.hpp"
#include "cli/line/output.hpp"
#include "cli/line/program_words.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"
#include "report/json/read_report.hpp"
#include "report/sections/other_instructions_report.hpp"

namespace bankwise::cli {

namespace {

namespace fs = std::filesystem;

// Restores sources that still have the edits of a bankwise process that was killed. Returns the paths of these sources.
std::vector<std::string> restore_left_edits(const arguments& args, const std::vector<edited_file>& files) {
  std::error_code ec;
  std::vector<std::string> folders = {fs::current_path(ec).string(), root_of(args).string()};
  for (const std::string& word : args.positional)
    if (fs::is_regular_file(word, ec)) folders.push_back(fs::canonical(word, ec).parent_path().string());
  for (const edited_file& f : files) folders.push_back(fs::path(f.path).parent_path().string());
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  std::vector<std::string> restored;
  for (const std::string& folder : folders)
    for (std::string& file : restore_abandoned(folder)) restored.push_back(std::move(file));
  return restored;
}

bool holds_report(const std::vector<std::string>& words) { return words.size() == 1 && words[0].ends_with(".json"); }

}  // namespace

bool wants_edit(const arguments& args) {
  return args.has("patch") || args.has("apply") || args.has("check") || args.has("skip-copies");
}

result<int> apply_fixes(const arguments& args) {
  const std::vector<std::string>& words = args.positional;
  const bool from_report = holds_report(words),
             checks = args.has("check") || (!words.empty() && words[0].ends_with(".cu"));
  if (args.has("patch") && args.has("apply"))
    return diagnostic{"--patch prints the edits that --apply makes. Pass only one of these flags"};
  if (args.has("check") && !args.has("apply"))
    return diagnostic{"--check builds the edited sources, so it needs --apply"};
  if (args.has("skip-copies") && !args.has("apply"))
    return diagnostic{"--skip-copies is about the comparison of two runs, so it needs --apply"};
  if (args.has("format") || args.has("output"))
    return diagnostic{"--format and -o apply to the list of layouts. Edits are always printed as text",
                      {},
                      "bankwise fix report.json --patch >fix.patch"};
  if (!words.empty() && args.names_program)
    if (const auto missing = refuse_missing(words[0])) return *missing;
  if (words.empty() || (!from_report && kind_of_input(words[0]) == input_kind::kernels))
    return diagnostic{"bankwise fix --apply needs a report, a .cu file, or -- and a program with its arguments",
                      {},
                      "bankwise fix --apply --check 'make' -- ./app 1024"};
  if (from_report && args.has("check"))
    return diagnostic{formatted("--check runs a program before and after the edit, but {} is a report", words[0]),
                      {},
                      "bankwise fix --apply --check 'make' -- ./app 1024"};
  if (const auto wrong = refuse_root(args)) return *wrong;
  const auto paint = output_style(args);
  if (!paint) return paint.error();
  const stop_on_signals stops(true);
  // Only one bankwise process at a time edits the sources of a folder. If another process has the lock, this process
  // waits, and then reads the edited sources.
  std::optional<file_lock> alone;
  if (args.has("apply")) {
    const std::string root = root_of(args).string();
    auto taken = file_lock::take_folder(root, stop_signal(), [&] {
      tell(formatted("waiting for another bankwise process, which is editing sources in {}", root));
    });
    if (!taken) return taken.error();
    alone.emplace(std::move(*taken));
  }
  if (const auto restored = restore_left_edits(args, {}); !restored.empty()) {
    if (const auto command = args.value("check")) {
      if (const auto built = build(*command); !built) return built.error();
    } else if (from_report || !words[0].ends_with(".cu")) {
      return diagnostic{
          "bankwise restored a source that an earlier run had edited, but the program may have been built from the "
          "edited source",
          {},
          "build the program again"};
    }
  }

  std::vector<std::string> flags;
  if (const auto arch = args.value("arch")) flags.insert(flags.end(), {"--arch", *arch});
  for (const std::string& word : args.all("nvcc")) flags.push_back(formatted("--nvcc={}", word));
  measured_run before;
  if (from_report) {
    const auto text = read_file(words[0]);
    if (!text) return text.error();
    auto r = read_report(*text, words[0]);
    if (!r) return r.error();
    before.counts = std::move(*r);
  } else {
    auto run = run_measured(flags, words, true);
    if (!run) return run.error();
    before = std::move(*run);
  }
  const source_files sources(args, words[0]);
  const auto p = make_plan(args, before.counts, sources, checks && args.has("apply"));
  if (!p) return p.error();
  if (const int signal = static_cast<int>(stop_signal().load()); signal != 0) {
    tell(formatted("stopped by {} during the search for layouts. No source was changed", signal_name(signal)));
    return exit_of(signal);
  }
  if (const auto restored = restore_left_edits(args, p->files); !restored.empty())
    return diagnostic{
        "bankwise restored a source that an earlier run had edited, but the program that just ran was "
        "built from the edited source",
        {},
        "build the program again, and repeat this command"};
  const bool is_named = from_report || words[0].find('/') != std::string::npos;
  if (is_named && !words[0].ends_with(".cu"))
    if (const auto newer = refuse_newer(*p, sources, words[0])) return *newer;
  const std::string text = plan_text(*p, sources);
  if (p->files.empty()) {
    if (!p->has_refused()) {
      tell("no edit is needed: no layout of a shared array saves enough wavefronts");
      if (!text.empty()) std::fputs(plain(text).c_str(), stderr);
      return exit_clean;
    }
    std::fputs(plain(text).c_str(), stderr);
    return diagnostic{"no source was changed, because bankwise fix cannot make any of the edits automatically"};
  }
  if (args.has("patch")) {
    std::string patch;
    for (const edited_file& f : p->files) patch += unified_patch(f.shown, f.before, f.changes);
    std::fputs(plain(text).c_str(), stderr);
    const auto written = write_file("", patch);
    return written ? result<int>(exit_clean) : written.error();
  }
  if (const auto told = write_plain("", text, *paint); !told) return told.error();
  if (checks)
    return try_edits({*p, args.positional, args.value("check").value_or(""), flags, args.has("skip-copies")},
                     std::move(before), *paint);
  const std::vector<edited_source> edited = sources_with(*p, {}, edits_made(*p));
  if (const auto written = write_sources(edited, false); !written) return taken_back(edited, written.error());
  std::string names;
  for (const edited_file& f : p->files) names += (names.empty() ? "" : ", ") + f.shown;
  const auto told = write_plain("",
                                formatted("\nChanged files: {}. Build the program and run it again to check the "
                                          "edits.\n",
                                          names),
                                *paint);
  return told ? result<int>(exit_clean) : told.error();
}

}  // namespace bankwise::cli
