#include "cli/fix/edit_plan.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "base/line_tables.hpp"
#include "base/text.hpp"
#include "cli/fix/fix.hpp"
#include "cli/input/selected_kernels.hpp"
#include "cli/line/stop_signals.hpp"
#include "model/time_bound.hpp"
#include "report/sections/other_instructions_report.hpp"
#include "report/sections/time_report.hpp"
#include "report/text/layout_code.hpp"
#include "rule/clocks.hpp"

namespace bankwise::cli {

namespace {

namespace fs = std::filesystem;

}  // namespace

fs::path root_of(const arguments& args) {
  std::error_code ec;
  if (const auto root = args.value("root")) return fs::weakly_canonical(*root, ec);
  const fs::path here = fs::current_path(ec);
  for (fs::path at = here; !at.empty(); at = at.parent_path()) {
    if (fs::exists(at / ".git", ec)) return at;
    if (at == at.root_path()) break;
  }
  return here;
}

namespace {

// Returns the path relative to the root, or nothing if the file is not below the root.
std::optional<std::string> path_from(const fs::path& root, const fs::path& file) {
  const fs::path relative = file.lexically_relative(root);
  if (relative.empty() || *relative.begin() == "..") return std::nullopt;
  return relative.generic_string();
}

// The place of a source: its canonical path, and its path from the root, if it is below the root.
struct source_place {
  fs::path path;
  std::optional<std::string> shown;
};
// Returns nothing if the source is not found.
std::optional<source_place> place_of(const fs::path& root, const source_files& sources, const std::string& file) {
  const auto found = sources.find(file);
  if (!found) return std::nullopt;
  std::error_code ec;
  fs::path path = fs::canonical(*found, ec);
  if (ec) return std::nullopt;
  auto shown = path_from(root, path);
  return source_place{std::move(path), std::move(shown)};
}

// Whether a source is found, and is below the root.
bool may_edit(const fs::path& root, const source_files& sources, const std::string& file) {
  const auto at = place_of(root, sources, file);
  return at && at->shown;
}

// The sources that get edits, by path.
class file_edits {
 public:
  file_edits(fs::path root, const source_files& sources) : root_(std::move(root)), sources_(sources) {}

  // Adds the changes of edit n. Returns why the file cannot get the edit, or an empty string.
  std::string add(const std::string& file, std::size_t n, const std::vector<text_change>& changes, bool may_overlap) {
    const auto at = place_of(root_, sources_, file);
    const auto text = sources_.text(file);
    if (!at || !text) return {};
    const std::string path = at->path.string();
    if (!at->shown)
      return formatted("{} is outside of {}. --root FOLDER sets the folder that may be edited", path, root_.string());
    const auto before = files_.find(path);
    std::vector<text_change> all = before == files_.end() ? std::vector<text_change>() : before->second.changes;
    all.insert(all.end(), changes.begin(), changes.end());
    if (!in_order(all) && !may_overlap) return "another edit changes the same part of the source";
    edited_file& f = files_[path];
    f.path = path;
    f.shown = *at->shown;
    f.before = *text;
    f.changes.insert(f.changes.end(), changes.begin(), changes.end());
    f.by_edit.emplace_back(n, changes);
    return {};
  }

  std::map<std::string, edited_file>& all() { return files_; }

 private:
  fs::path root_;
  const source_files& sources_;
  std::map<std::string, edited_file> files_;
};

}  // namespace

bool edit_plan::has_refused() const {
  return !edits.empty() || !without_source.empty() ||
         std::any_of(delays.begin(), delays.end(), [](const planned_delay& d) { return d.by.has_value(); });
}

result<edit_plan> make_plan(const arguments& args, const report& r, const source_files& sources, bool allow_doubts) {
  const auto shapes = read_shapes(args);
  if (!shapes) return shapes.error();
  const auto pattern = args.value("kernel");
  const auto kept = pattern ? select_kernels(r, "the report", *pattern) : selected_kernels();
  if (!kept) return kept.error();
  const auto is_wanted = [&](const launch_report& l) { return !pattern || kept->has(l); };
  edit_plan p;
  for (std::size_t n = 0; n < r.launches.size(); ++n) {
    const launch_report& l = r.launches[n];
    if (!l.has_accesses)
      return diagnostic{"the report does not contain the accesses",
                        {},
                        "make the report again with bankwise run --accesses --format json"};
    if (stop_signal() != 0) break;
    if (!is_wanted(l)) continue;
    auto advised = advise_launch(l, r.on, *shapes, sources);
    if (!advised) return advised.error();
    for (const advise::other_instructions& o : advised->others) p.moves.push_back(summary_of(o));
    for (advice_report& a : advised->arrays) {
      std::string said = verdict(a);
      edit::array_question q = question_of(l, n, a, sources);
      const bool wins = !q.found.answers.empty() && q.found.answers.front().plain;
      if (q.file.empty() && wins) p.without_source.emplace_back(p.questions.size(), std::move(said));
      p.questions.push_back(std::move(q));
      p.launches.push_back(&l);
      p.most_clocks_won.push_back(a.most_clocks_won);
      p.notes.push_back(std::move(a.notes));
    }
  }
  advise::effort again = edit::effort_again;
  again.stop = &stop_signal();
  p.edits = edit::plan_edits(
      p.questions, allow_doubts, [&](const std::string& file) { return sources.text(file); }, again);
  const fs::path root = root_of(args);
  p.delays = plan_delays(
      r, sources, is_wanted, [&](const std::string& file) { return may_edit(root, sources, file); },
      allow_doubts || !args.has("apply"));
  file_edits files(root, sources);
  for (std::size_t n = 0; n < p.edits.size(); ++n) {
    edit::array_edit& e = p.edits[n].edit;
    if (!e.refused.empty()) continue;
    e.refused = files.add(p.edits[n].file, n, e.changes, true);
    if (!e.refused.empty()) e.changes.clear();
  }
  for (std::size_t n = 0; n < p.delays.size(); ++n) {
    edit::delay_edit& e = p.delays[n].edit;
    if (!p.delays[n].is_made()) continue;
    e.refused = files.add(p.delays[n].file, p.edits.size() + n, e.changes, false);
  }
  for (auto& [path, f] : files.all()) {
    if (!in_order(f.changes))
      return diagnostic{formatted("two edits of {} would change the same index", f.shown),
                        {},
                        "pass -k KERNEL to make only the edits of one kernel"};
    p.files.push_back(std::move(f));
  }
  return p;
}

bool can_edit(std::vector<edit::array_question>& questions, const source_files& sources, const fs::path& root,
              bool allow_doubts) {
  const auto text = [&](const std::string& file) { return sources.text(file); };
  advise::effort effort = quick_effort;
  effort.explains = false;
  effort.stop = &stop_signal();
  const auto edits = edit::plan_edits(questions, allow_doubts, text, effort);
  return std::any_of(edits.begin(), edits.end(), [&](const edit::planned_edit& e) {
    return e.edit.refused.empty() && !e.edit.changes.empty() && may_edit(root, sources, e.file);
  });
}

bool can_edit_delay(const report& r, const source_files& sources, const fs::path& root, bool may_risk) {
  const auto all = plan_delays(
      r, sources, [](const launch_report&) { return true; },
      [&](const std::string& file) { return may_edit(root, sources, file); }, may_risk);
  return std::any_of(all.begin(), all.end(),
                     [&](const planned_delay& d) { return d.is_made() && may_edit(root, sources, d.file); });
}

std::optional<diagnostic> refuse_newer(const edit_plan& p, const source_files& sources, const std::string& built) {
  std::error_code ec;
  const auto then = fs::last_write_time(built, ec);
  if (ec) return std::nullopt;
  std::vector<std::string> files;
  for (const edit::planned_edit& e : p.edits) files.push_back(e.file);
  for (const planned_delay& d : p.delays)
    if (d.by && !d.file.empty()) files.push_back(d.file);
  for (const std::string& file : files) {
    const auto path = sources.find(file);
    if (path && fs::last_write_time(*path, ec) > then && !ec)
      return diagnostic{formatted("{} was changed after {} was made, so line numbers may be wrong",
                                  sources.path_from_root(file), built),
                        {},
                        built.ends_with(".json") ? "make the report again" : "build the program again"};
  }
  return std::nullopt;
}

namespace {

std::string lower_bound(std::uint64_t promised, std::uint64_t floor) {
  return promised == floor ? ", the lower bound" : formatted("; the lower bound is {}", grouped(floor));
}

// Returns the kernels of an edit, such as "scan, scan_bcao".
std::string kernels_of(const edit_plan& p, const edit::planned_edit& e) {
  std::vector<std::string> names;
  for (const std::size_t i : e.questions)
    if (std::find(names.begin(), names.end(), p.questions[i].kernel) == names.end())
      names.push_back(p.questions[i].kernel);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Whether the saving of an edit is predicted: all launches that the edit affects have a predicted time.
bool have_times(const edit_plan& p, const edit::planned_edit& e) {
  return std::all_of(e.questions.begin(), e.questions.end(),
                     [&](std::size_t i) { return static_cast<bool>(p.launches[i]->time); });
}

// Returns "this edit saves under 1% of this kernel's time, which is bound by DRAM", for example. Returns an empty
// string if the edit may save more.
std::string no_predicted_saving(const edit_plan& p, const edit::planned_edit& e) {
  std::vector<const launch_report*> seen;
  for (const std::size_t i : e.questions)
    if (std::find(seen.begin(), seen.end(), p.launches[i]) == seen.end()) seen.push_back(p.launches[i]);
  const predicted_time all = time_of_launches(seen);
  if (!all || all.cycles_without_conflicts == 0) return {};
  const std::string text = saved_text(all, all.cycles_without_conflicts);
  return text.starts_with("saves under") ? formatted("this edit {}", text) : "";
}

// Returns "the edit saves wavefronts but no time, because issuing instructions takes 4,352 clocks, and shared memory
// takes only 2,048 clocks", for example. Returns an empty string if the edit may save clocks.
std::string no_time_saved(const edit_plan& p, const edit::planned_edit& e) {
  if (have_times(p, e)) return no_predicted_saving(p, e);
  std::uint64_t shared = 0, issue = 0, tensor = 0;
  for (std::size_t k = 0; k < e.questions.size(); ++k) {
    const std::size_t i = e.questions[k];
    const edit::array_question& q = p.questions[i];
    const time_bound b = bound_of(*p.launches[i]);
    const std::uint64_t was = q.found.before.wavefronts + q.found.before.of_data;
    const std::uint64_t freed = clocks_of(was - std::min(was, e.after[k]), q.what.on.model);
    if (b.shared_cycles == 0) return {};
    if (b.shared_cycles > std::max(b.issue_cycles, b.tensor_cycles) && std::min(freed, p.most_clocks_won[i]) != 0)
      return {};
    shared += b.shared_cycles * q.count;
    issue += b.issue_cycles * q.count;
    tensor += b.tensor_cycles * q.count;
  }
  return formatted("the edit saves wavefronts but no time, because {}", longer_part(shared, issue, tensor));
}

// Returns a text about the improvements that `fix` finds but does not write into sources.
std::string moves_text(const edit_plan& p) {
  return to_text(
      p.moves, style{}, false,
      "you can also replace these instructions by other instructions that cost less. bankwise fix cannot write "
      "these edits");
}

}  // namespace

std::string plan_text(const edit_plan& p, const source_files& sources) {
  std::string text;
  for (const edit::planned_edit& e : p.edits) {
    const bool made = e.edit.refused.empty();
    text += formatted("{}:{}  {}  {}: ", sources.path_from_root(e.file), e.declared.line, kernels_of(p, e), e.title);
    text += e.promised == e.before ? formatted("{} wavefronts\n", grouped(e.before))
                                   : formatted("{} wavefronts instead of {}{}\n", grouped(e.promised),
                                               grouped(e.before), lower_bound(e.promised, e.floor));
    if (made) {
      text += formatted("   {}\n", e.edit.words);
      for (const std::string& line : e.edit.lines) text += formatted("     {}\n", line);
    } else {
      text += formatted("   no edit: {}\n", e.edit.refused);
    }
    for (const edit::passed_over& o : e.others) {
      const edit::array_question& q = p.questions[o.question];
      text +=
          formatted("   for {}, the first layout of the report is {}. The edit does not use this layout, because {}\n",
                    q.kernel, code_of(q.shape, q.what, o.first).summary, o.why);
    }
    if (const std::string longer = made ? no_time_saved(p, e) : ""; !longer.empty())
      text += formatted("   {}\n", longer);
    if (e.at_most > e.promised) {
      std::string lines;
      for (const std::uint32_t line : e.read_again) lines += (lines.empty() ? "" : ", ") + std::to_string(line);
      text += formatted(
          "   note: line{}{}: the compiler keeps elements of the array in registers here. After the edit, the compiler "
          "may read the elements from shared memory again. The accesses to the array then take up to {} wavefronts in "
          "total\n",
          e.read_again.size() == 1 ? " " : "s ", lines, grouped(e.at_most));
    }
    const edit::array_question& q = p.questions[e.question];
    if (!made && !q.found.answers.empty() && q.found.answers[e.answer].plain) {
      const layout_code code = code_of(q.shape, q.what, q.found.answers[e.answer]);
      // The layout may suit only this one of several kernels or launches, so the number of this one is printed.
      const bool is_of_one = e.promised == e.before;
      text += formatted(
          "   by hand{}:\n{}",
          is_of_one ? formatted(", in {} alone ({} wavefronts instead of {})", p.questions[e.question].kernel,
                                grouped(q.found.answers[e.answer].wavefronts), grouped(q.found.before.wavefronts))
                    : "",
          indented(code.edit.empty() ? code.cuda : code.edit, "     "));
      const auto source = sources.text(e.file);
      if (source && source->find("cute/") != std::string::npos && !code.cute.empty())
        text += formatted("   CuTe    {}\n", code.cute);
      if (!code.hardware.empty()) text += formatted("   TMA     {}\n", code.hardware);
    }
    if (made && !e.edit.doubts.empty())
      text +=
          "   bankwise cannot prove that this edit keeps the results, so it will compare the results of two runs:\n";
    for (const edit::by_hand& b : e.edit.doubts)
      text += formatted("   {}{}, {}\n", made ? "look at: " : "line: ", b.line, b.what);
    for (const std::string& note : p.notes[e.question])
      if (!note.starts_with("the search does not see") && !note.starts_with("the array is accessed on"))
        text += formatted("   note: {}\n", note);
  }
  for (const auto& [other, said] : p.without_source) {
    const edit::array_question& q = p.questions[other];
    const layout_code code = code_of(q.shape, q.what, q.found.answers.front());
    text += formatted(
        "{}  {}: {}\n   no edit: {}\n   by hand:\n{}", q.kernel, q.title, said,
        q.what.dynamic
            ? std::string("the code divides dynamic shared memory into arrays itself")
            : formatted("no source has the declaration of the array. Compile with line tables ({})", line_table_flag),
        indented(code.edit.empty() ? code.cuda : code.edit, "     "));
  }
  text += delays_text(p.delays, sources);
  const std::string moves = moves_text(p);
  return text + (text.empty() || moves.empty() ? "" : "\n") + moves;
}

}  // namespace bankwise::cli
