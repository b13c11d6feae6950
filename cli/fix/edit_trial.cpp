#include "cli/fix/edit_trial.hpp"

#include <optional>
#include <utility>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/system/scratch_folder.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "cli/fix/edited_kernels.hpp"
#include "cli/fix/run_comparison.hpp"
#include "cli/line/output.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"

namespace bankwise::cli {

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

namespace {

constexpr const char* restored_text = "\nbankwise restored the sources";

// Restores the sources. If this fails, adds the failure to the error `why`.
diagnostic restored(const std::vector<edited_source>& sources, diagnostic why) {
  if (const auto written = write_sources(sources, true); !written)
    why.message += formatted("\nat least one source could not be restored: {}", written.error().message);
  else
    forget_sources(sources);
  return why;
}

}  // namespace

diagnostic taken_back(const std::vector<edited_source>& sources, diagnostic why) {
  why = restored(sources, std::move(why));
  why.message += restored_text;
  return why;
}

namespace {

// Returns the files that the program writes without the edits. For this, restores the sources, runs the program, and
// makes the edits again.
result<file_contents> files_without_edits(const edit_trial& t, const std::vector<edited_source>& sources) {
  const auto put = [&](bool back) -> result<done> {
    if (auto written = write_sources(sources, back); !written || t.command.empty()) return written;
    return build(t.command);
  };
  if (const auto restored = put(true); !restored) return restored.error();
  auto run = run_measured(t.flags, t.program, false);
  if (!run) return run.error();
  if (const auto edited = put(false); !edited) return edited.error();
  return std::move(run->files);
}

// Runs the edited program.
result<measured_run> run_of(const edit_trial& t, const file_contents& files) {
  auto run = run_measured(t.flags, t.program, false, files);
  if (run && t.skips_copies) run->copies.clear();
  return run;
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

// A run of the edited program whose results are those of the run before.
struct equal_run {
  measured_run run;
  std::string equal;  // sentences about what is equal, and about what was not compared
};

// Writes the edits, and builds, runs and compares the program. Returns an error if the results differ. Leaves the edits
// in the sources.
result<equal_run> run_edited(const edit_trial& t, const std::vector<edited_source>& sources, measured_run& before) {
  if (const auto written = write_sources(sources, false); !written) return written.error();
  if (!t.command.empty())
    if (const auto built = build(t.command); !built) return built.error();
  auto after = run_of(t, before.files);
  if (!after) return after.error();
  const std::string& program = t.program[0];
  if (after->ends != before.ends)
    return diagnostic{formatted("{} ends differently after the edit: {}", program,
                                after->ends.empty() ? "with exit status 0" : after->ends.front())};
  std::string ignored = t.skips_copies ? "\nNot compared: copies to the host (--skip-copies)." : "";
  if (!are_equal(before, *after)) {
    // If output differs between two runs of the same program, it is not a result. A second run of the edited program
    // shows which output differs between runs.
    auto again = run_of(t, before.files);
    if (!again) return again.error();
    run_comparison compared = compare_runs(before, *after, *again);
    if (compared.is_of_file_list) {
      // A missing or additional file may come from another process that writes in the same folder. So the program runs
      // again without the edits.
      const auto files = files_without_edits(t, sources);
      if (!files) return files.error();
      for (const std::string& name : drop_unsteady_files(before, *after, *again, *files))
        ignored += formatted("\nNot compared: the file {}, because {} does not write it in every run.", name, program);
      compared = compare_runs(before, *after, *again);
    }
    if (!compared.difference.empty())
      return diagnostic{
          formatted("after the edit, {} computes something different: it {}", program, compared.difference)};
    for (const std::string& where : compared.ignored)
      ignored += formatted(
          "\nNot compared: numbers in {} that are times or that differ between runs of the same program.", where);
  }
  return equal_run{std::move(*after), what_is_equal(before) + ignored};
}

// Returns why edits are not kept although the results are equal. Returns an empty string if they are kept.
std::string not_better(const edit_plan& p, const std::vector<std::size_t>& edits, const report& before,
                       const report& after) {
  for (const std::size_t n : edits) {
    const planned_delay* const d = p.delay_of(n);
    std::string why = d != nullptr ? saves_no_time(*d, before, after) : saves_nothing(p, n, before, after);
    if (!why.empty()) return why;
  }
  const std::vector<edited_kernel> kernels = edited_kernels(p, edits, before, after);
  if (std::string broken = broken_prediction(kernels); !broken.empty()) return broken;
  return costs_more_sectors(kernels);
}

// Returns the doubts about edits that were not kept, because a doubt is probably the reason.
std::string doubts_of(const edit_plan& p, const std::vector<std::size_t>& edits) {
  std::string text;
  for (const std::size_t n : edits) {
    if (p.delay_of(n) != nullptr) continue;
    for (const edit::by_hand& b : p.edits[n].edit.doubts)
      text += formatted("\nthe edit was in doubt: line {}, {}", b.line, b.what);
  }
  return text;
}

// Makes the edits `more` after the edits `kept`. Restores the sources if the edits are not kept.
result<equal_run> attempt(const edit_trial& t, const std::vector<std::size_t>& kept,
                          const std::vector<std::size_t>& more, measured_run& before) {
  const std::vector<edited_source> sources = sources_with(t.plan, kept, more);
  if (const auto noted = note_sources(sources); !noted) return noted.error();
  auto run = run_edited(t, sources, before);
  if (stop_signal().load() != 0) {
    const int signal = static_cast<int>(stop_signal().load());
    return restored(sources, diagnostic{formatted("stopped by {}", signal_name(signal))});
  }
  if (!run) {
    diagnostic why = run.error();
    why.message += doubts_of(t.plan, more);
    return restored(sources, std::move(why));
  }
  if (std::string why = not_better(t.plan, more, before.counts, run->run.counts); !why.empty())
    return restored(sources, diagnostic{std::move(why)});
  forget_sources(sources);
  return run;
}

// Builds the program from the restored sources.
diagnostic built_again(const edit_trial& t, diagnostic why) {
  if (t.command.empty() || stop_signal().load() != 0) return why;
  if (const auto built = build(t.command); !built)
    why.message += formatted(", but the restored sources do not build: {}", built.error().message);
  return why;
}

result<int> show_kept(const edit_plan& p, const std::vector<std::size_t>& kept, const report& before,
                      const equal_run& after, const std::string& others, const style& paint) {
  const std::vector<edited_kernel> kernels = edited_kernels(p, kept, before, after.run.counts);
  const auto written = write_plain(
      "",
      formatted("\n{}{}{}\n{}\n{}", table_of(kernels, paint), time_of_edits(kernels, before, after.run.counts),
                changed_sectors(kernels), after.equal, others),
      paint);
  return written ? result<int>(exit_clean) : written.error();
}

std::string title_of(const edit_trial& t, std::size_t edit) {
  const planned_delay* const d = t.plan.delay_of(edit);
  return d != nullptr ? d->title() : t.plan.edits[edit].title;
}

// Tries each edit by itself, after the edits that were already kept.
result<int> try_singly(const edit_trial& t, const std::vector<std::size_t>& made, measured_run& before,
                       const style& paint) {
  std::vector<std::size_t> kept;
  std::optional<equal_run> now;
  std::string others;
  bool is_last_undone = false;
  for (const std::size_t n : made) {
    auto run = attempt(t, kept, {n}, now ? now->run : before);
    is_last_undone = !run;
    if (run) {
      kept.push_back(n);
      now = std::move(*run);
    } else if (stop_signal().load() != 0) {
      // After a signal, the sources are as they were before the first trial.
      return taken_back(sources_with(t.plan, {}, kept), run.error());
    } else {
      others += formatted("\nNot kept: {}: {}.", title_of(t, n), run.error().message);
    }
  }
  if (!now) {
    const diagnostic none{formatted("none of the {} edits is kept{}{}", made.size(), others, restored_text)};
    return built_again(t, none);
  }
  if (is_last_undone && !t.command.empty())
    if (const auto built = build(t.command); !built) return built.error();
  return show_kept(t.plan, kept, before.counts, *now, others.empty() ? "" : others.substr(1) + "\n", paint);
}

// Whether several edits of delays change one kernel. Each of them must save time, so they are not tried together.
bool share_kernels(const edit_plan& p, const std::vector<std::size_t>& made) {
  for (std::size_t i = 0; i < made.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const planned_delay *const a = p.delay_of(made[i]), *const b = p.delay_of(made[k]);
      if (a != nullptr && b != nullptr && a->shares_kernel_with(*b)) return true;
    }
  return false;
}

}  // namespace

result<int> try_edits(const edit_trial& t, measured_run before, const style& paint) {
  if (t.skips_copies) before.copies.clear();
  const std::vector<std::size_t> made = edits_made(t.plan);
  if (share_kernels(t.plan, made)) {
    const auto told =
        write_plain("", "\nSeveral edits change the same kernel, so bankwise tries each edit by itself.\n", paint);
    return told ? try_singly(t, made, before, paint) : told.error();
  }
  auto together = attempt(t, {}, made, before);
  if (together) return show_kept(t.plan, made, before.counts, *together, "", paint);
  if (made.size() == 1 || stop_signal().load() != 0) {
    diagnostic why = together.error();
    why.message += restored_text;
    return built_again(t, std::move(why));
  }
  const auto told =
      write_plain("",
                  formatted("\nThe {} edits together are not kept: {}.\nbankwise tries each edit by itself.\n",
                            made.size(), together.error().message),
                  paint);
  if (!told) return told.error();
  return try_singly(t, made, before, paint);
}

}  // namespace bankwise::cli
