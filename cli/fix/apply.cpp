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
#include "cli/fix/edited_kernels.hpp"
#include "cli/fix/fix.hpp"
#include "cli/fix/run_comparison.hpp"
#include "cli/line/output.hpp"
#include "cli/line/program_words.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"
#include "cli/present.hpp"
#include "cli/run/measured_run.hpp"
#include "cli/run/source_files.hpp"
#include "report/json/reading/read_report.hpp"
#include "report/sections/other_instructions_report.hpp"

namespace bankwise::cli {

namespace {

namespace fs = std::filesystem;

result<done> write_all(const std::vector<edited_file>& files, bool back) {
  for (const edited_file& f : files) {
    const auto there = read_file(f.path);
    if (!there) return there.error();
    const std::string now = changed(f.before, f.changes);
    if (*there != (back ? now : f.before) && *there != (back ? f.before : now))
      return diagnostic{
          formatted("{} changed after bankwise had read it, so bankwise did not write the file", f.shown)};
    const auto written = write_file(f.path, back ? f.before : now);
    if (!written) return written.error();
  }
  return done{};
}

std::vector<journaled_edit> journal_of(const std::vector<edited_file>& files) {
  std::vector<journaled_edit> all;
  for (const edited_file& f : files) all.push_back({f.path, f.before, changed(f.before, f.changes)});
  return all;
}

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

// Runs a command with the shell, in the working folder.
result<done> build(const std::string& command) {
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  const std::string heard = formatted("{}/heard", scratch.path());
  const auto status = run_and_hear({"/bin/sh", "-c", command}, heard, &stop_signal());
  if (!status) return status.error();
  if (const auto signal = stop_signal().load(); signal != 0)
    return diagnostic{formatted("stopped by {}", signal_name(static_cast<int>(signal)))};
  if (*status == 0) return done{};
  const auto text = read_file(heard);
  return diagnostic{formatted("'{}' exited with {}\n{}", command, *status, text ? std::string(trim(*text)) : "")};
}

// Restores the sources and builds again. Returns the error `why`. If restoring or building also fails, adds this
// failure to the error.
diagnostic taken_back(const edit_plan& p, const std::string& command, diagnostic why, bool build_again) {
  why.message += "\nbankwise restored the sources";
  if (const auto written = write_all(p.files, true); !written) {
    why.message += formatted(", but at least one source could not be restored: {}", written.error().message);
    return why;
  }
  close_journal(journal_of(p.files));
  if (build_again && !command.empty() && stop_signal().load() == 0) {
    const auto built = build(command);
    if (!built) why.message += formatted(", but the restored sources do not build: {}", built.error().message);
  }
  return why;
}

bool holds_report(const std::vector<std::string>& words) { return words.size() == 1 && words[0].ends_with(".json"); }

// Returns the files that the program writes without the edits. For this, restores the sources, runs the program, and
// applies the edits again.
result<file_contents> files_without_edits(const arguments& args, const edit_plan& p, const std::string& command,
                                          const std::vector<std::string>& flags) {
  const auto put = [&](bool back) -> result<done> {
    if (auto written = write_all(p.files, back); !written || command.empty()) return written;
    return build(command);
  };
  if (const auto restored = put(true); !restored) return restored.error();
  auto run = run_measured(flags, args.positional, false);
  if (!run) return run.error();
  if (const auto edited = put(false); !edited) return edited.error();
  return std::move(run->files);
}

// Returns a sentence about the results that are equal in `before` and in the run with the edits.
std::string what_is_equal(const measured_run& before) {
  std::string same = "After the edit, the program printed the same output";
  if (!before.files.empty()) same += " and wrote the same files";
  if (!before.copies.empty())
    same += formatted(", and {}{} to the host had the same contents", grouped(before.copies.size()),
                      before.copies.size() == 1 ? " copy" : " copies");
  return formatted("{}.", same);
}

result<int> try_edits(const arguments& args, const edit_plan& p, measured_run before,
                      const std::vector<std::string>& flags, const style& paint) {
  const std::string command = args.value("check").value_or("");
  if (const auto noted = open_journal(journal_of(p.files)); !noted) return noted.error();
  if (const auto written = write_all(p.files, false); !written) return taken_back(p, "", written.error(), false);
  if (!command.empty())
    if (const auto built = build(command); !built) return taken_back(p, "", built.error(), false);
  auto after = run_measured(flags, args.positional, false, before.files);
  if (!after) return taken_back(p, command, after.error(), true);
  const std::string& program = args.positional[0];
  if (after->ends != before.ends)
    return taken_back(p, command,
                      diagnostic{formatted("{} ends differently after the edit: {}", program,
                                           after->ends.empty() ? "with exit status 0" : after->ends.front())},
                      true);
  std::string ignored;
  if (!are_equal(before, *after)) {
    // If output differs between two runs of the same program, it is not a result. A second run of the edited program
    // shows which output differs between runs.
    auto again = run_measured(flags, args.positional, false, before.files);
    if (!again) return taken_back(p, command, again.error(), true);
    run_comparison compared = compare_runs(before, *after, *again);
    if (compared.is_of_file_list) {
      // A missing or additional file may come from another process that writes in the same folder. So the program runs
      // again without the edits.
      const auto files = files_without_edits(args, p, command, flags);
      if (!files) return taken_back(p, command, files.error(), true);
      for (const std::string& name : drop_unsteady_files(before, *after, *again, *files))
        ignored += formatted("\nNot compared: the file {}, because {} does not write it in every run.", name, program);
      compared = compare_runs(before, *after, *again);
    }
    if (!compared.difference.empty())
      return taken_back(
          p, command,
          diagnostic{formatted("after the edit, {} computes something different: it {}", program, compared.difference)},
          true);
    for (const std::string& where : compared.ignored)
      ignored += formatted(
          "\nNot compared: numbers in {} that are times or that differ between runs of the same program.", where);
  }
  const std::string same = what_is_equal(before) + ignored;
  const auto of_edits = [&](const report& r) {
    std::uint64_t sum = 0;
    for (const kernel_sum& k : sums_of(r))
      for (const edit::planned_edit& e : p.edits)
        if (e.edit.refused.empty() && std::any_of(e.questions.begin(), e.questions.end(), [&](std::size_t i) {
              return before.counts.launches[p.questions[i].launch].mangled == k.mangled;
            })) {
          sum += k.wavefronts;
          break;
        }
    return sum;
  };
  const std::uint64_t was = of_edits(before.counts), is = of_edits(after->counts);
  if (is >= was)
    return taken_back(p, command,
                      diagnostic{formatted("the edits do not save wavefronts: the kernels take {} wavefronts with "
                                           "the edits, and {} wavefronts without the edits",
                                           grouped(is), grouped(was))},
                      true);
  const std::vector<edited_kernel> kernels = edited_kernels(p.questions, p.edits, before.counts, after->counts);
  if (const std::string broken = broken_prediction(kernels); !broken.empty())
    return taken_back(p, command, diagnostic{broken}, true);
  if (const std::string costly = costs_more_sectors(kernels); !costly.empty())
    return taken_back(p, command, diagnostic{costly}, true);
  if (stop_signal().load() != 0)
    return taken_back(
        p, command, diagnostic{formatted("stopped by {}", signal_name(static_cast<int>(stop_signal().load())))}, false);
  close_journal(journal_of(p.files));
  const auto written =
      write_plain("",
                  formatted("\n{}{}{}\n{}\n", table_of(kernels, paint),
                            time_of_edits(kernels, before.counts, after->counts), changed_sectors(kernels), same),
                  paint);
  return written ? result<int>(exit_clean) : written.error();
}

}  // namespace

bool wants_edit(const arguments& args) { return args.has("patch") || args.has("apply") || args.has("check"); }

result<int> apply_fixes(const arguments& args) {
  const std::vector<std::string>& words = args.positional;
  const bool from_report = holds_report(words),
             checks = args.has("check") || (!words.empty() && words[0].ends_with(".cu"));
  if (args.has("patch") && args.has("apply"))
    return diagnostic{"--patch prints the edits that --apply makes. Pass only one of these flags"};
  if (args.has("check") && !args.has("apply"))
    return diagnostic{"--check builds the edited sources, so it needs --apply"};
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
    if (p->edits.empty() && p->without_source.empty()) {
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
  if (checks) return try_edits(args, *p, std::move(before), flags, *paint);
  if (const auto written = write_all(p->files, false); !written) return taken_back(*p, "", written.error(), false);
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
