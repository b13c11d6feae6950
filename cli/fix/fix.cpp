// bankwise fix: finds the layout of an array with the lowest cost.
#include "cli/fix/fix.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "advise/kernel_question.hpp"
#include "advise/search/evaluator.hpp"
#include "advise/structures.hpp"
#include "advise/tile_question.hpp"
#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/system/progress_line.hpp"
#include "base/text.hpp"
#include "cli/fix/apply.hpp"
#include "cli/fix/measured_run.hpp"
#include "cli/fix/saved_time.hpp"
#include "cli/line/output.hpp"
#include "cli/line/program_words.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/terminal.hpp"
#include "cli/line/verbs.hpp"
#include "edit/array_edit.hpp"
#include "expr/parse/declaration.hpp"
#include "model/instances.hpp"
#include "model/source_lines.hpp"
#include "model/time_bound.hpp"
#include "report/json/read_report.hpp"
#include "report/sections/other_instructions_report.hpp"
#include "report/text/run_report.hpp"
#include "source/declaration.hpp"

namespace bankwise::cli {

namespace {

std::string title_of(const advise::tile& t) {
  if (t.declared.name.empty()) return "shared memory";
  std::string title = formatted("{} {}", t.declared.type, t.declared.name);
  for (const std::uint64_t n : t.declared.extents) title += formatted("[{}]", n);
  return title;
}

using fix_answer = launch_advice;  // answer for the launches of a report, or for the arrays on the command line

std::uint64_t won_by(const advice_report& r) {
  return r.found.answers.empty() ? 0 : r.found.before.wavefronts - r.found.answers.front().wavefronts;
}

// Returns the cycles that the best answer saves in the launch, or 0 if they are not predicted.
std::uint64_t time_won_by(const advice_report& r) {
  if (!r.time || r.cycles_by_answer.empty()) return 0;
  return r.time.cycles - std::min(r.time.cycles, r.cycles_by_answer.front());
}

// Sorts arrays by saved time, or by saved wavefronts if no time is predicted.
void sort_by_time(std::vector<advice_report>& arrays) {
  std::stable_sort(arrays.begin(), arrays.end(), [](const auto& a, const auto& b) {
    return std::pair(time_won_by(a), won_by(a)) > std::pair(time_won_by(b), won_by(b));
  });
}

result<fix_answer> advise_tiles(const arguments& args) {
  const auto tiles = advise::read_tiles(args, args.positional);
  if (!tiles) return tiles.error();
  std::vector<advice_report> reports;
  progress_line progress("layouts");
  for (const advise::tile& t : *tiles) {
    advise::advice found =
        advise::advise(t.what, {.stop = &stop_signal()},
                       [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); });
    if (stop_signal() != 0) break;
    reports.push_back({.title = title_of(t), .array = t.array, .what = t.what, .found = std::move(found)});
  }
  return fix_answer{std::move(reports), {}};
}

// Finds a launch of the same kernel in each of the other reports.
result<std::vector<tried_launch>> launches_like(const launch_report& l,
                                                const std::vector<std::pair<std::string, report>>& others) {
  std::vector<tried_launch> found;
  for (const auto& [name, r] : others) {
    const auto at = std::find_if(r.launches.begin(), r.launches.end(), [&](const launch_report& other) {
      return other.kernel == l.kernel && other.block == l.block && other.has_accesses;
    });
    if (at == r.launches.end())
      return diagnostic{
          formatted("--try-input {}: this report has no launch of {} with the same block and the same accesses", name,
                    l.kernel),
          {},
          "run the same command with bankwise run --accesses --format json, and change only the input"};
    found.push_back({name, *at});
  }
  return found;
}

result<fix_answer> advise_launches(const arguments& args, const report& r, const std::string& file) {
  const auto shapes = read_shapes(args);
  if (!shapes) return shapes.error();
  fix_answer all;
  source_files sources(args, file);
  std::vector<std::pair<std::string, bankwise::report>> others;
  for (const std::string& other : args.all("try-input")) {
    const auto other_text = read_file(other);
    if (!other_text) return other_text.error();
    auto read = read_report(*other_text, other);
    if (!read) return read.error();
    others.emplace_back(base_name(other), std::move(*read));
  }
  for (const launch_report& l : r.launches) {
    if (!l.has_accesses)
      return diagnostic{formatted("{}: the report does not contain the accesses", file),
                        {},
                        "make the report again with bankwise run --accesses --format json"};
    const auto tried = launches_like(l, others);
    if (!tried) return tried.error();
    auto found = advise_launch(l, r.on, *shapes, sources, *tried);
    if (!found) return found.error();
    for (advice_report& a : found->arrays) all.arrays.push_back(std::move(a));
    for (advise::other_instructions& o : found->others) all.others.push_back(std::move(o));
    if (stop_signal() != 0) break;
  }
  sort_by_time(all.arrays);
  return all;
}

result<fix_answer> advise_report(const arguments& args) {
  for (const char* flag : {"block", "warp", "type", "registers", "shared", "arch", "grid", "cluster", "arg"})
    if (args.has(flag))
      return diagnostic{
          formatted("--{} applies only to accesses on the command line, but the input is a report, which has its own "
                    "accesses",
                    flag)};
  const std::string& file = args.positional[0];
  const auto text = read_file(file);
  if (!text) return text.error();
  const auto r = read_report(*text, file);
  if (!r) return r.error();
  return advise_launches(args, *r, file);
}

// Runs the program as `bankwise run` does, and searches for fixes for its launches.
result<fix_answer> advise_program(const arguments& args) {
  for (const char* flag : {"warp", "type", "registers", "phases"})
    if (args.has(flag))
      return diagnostic{
          formatted("--{} applies only to accesses on the command line, but {} is a program or a kernel file", flag,
                    args.positional[0])};
  if (const auto missing = refuse_missing(args.positional[0])) return *missing;
  std::vector<std::string> flags;
  for (const char* flag : {"arch", "kernel", "grid", "block", "cluster", "shared", "arg", "nvcc"})
    for (const std::string& value : args.all(flag)) flags.push_back(formatted("--{}={}", flag, value));
  if (args.has("cooperative")) flags.emplace_back("--cooperative");
  const auto ran = run_measured(flags, args.positional, true);
  if (!ran) return ran.error();
  for (const std::string& said : ran->ends) tell(said);
  if (const std::string note = default_arch_note(ran->counts); !note.empty()) tell(formatted("note: {}", note));
  return advise_launches(args, ran->counts, args.positional[0]);
}

// Returns the text of the headers in `folder` that the source includes by #include "name".
std::string headers_of(const std::string& text, const std::string& folder) {
  std::string headers;
  for (const std::string_view line : split(text, '\n')) {
    std::string_view rest = trim(line);
    if (!rest.starts_with('#') || !trim(rest.substr(1)).starts_with("include")) continue;
    const std::size_t open = rest.find('"'), close = rest.find('"', open + 1);
    if (open == std::string_view::npos || close == std::string_view::npos) continue;
    const std::string name(rest.substr(open + 1, close - open - 1));
    std::error_code ec;
    constexpr std::uintmax_t most_header_bytes = std::uintmax_t{1} << 20;
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    if (!std::filesystem::is_regular_file(path, ec) || std::filesystem::file_size(path, ec) > most_header_bytes)
      continue;
    if (const auto header = read_file(path.string())) headers += formatted("{}\n", *header);
  }
  return headers;
}

// Returns the declaration in a source. Its constants may be in headers next to the source. The element type may be
// unknown.
std::optional<expr::array_decl> declaration_in(const std::string& text, source::declaration_wanted wanted,
                                               const source_files& sources, const std::string& file) {
  if (auto found = source::find_declaration(text, wanted)) return found;
  if (const auto declared = source::find_declared(text, wanted.name, {wanted.before_line}))
    if (auto shape = source::plain_shape(*declared, wanted.bytes)) return shape;
  const auto path = sources.find(file);
  const std::string headers = path ? headers_of(text, path->parent_path().string()) : std::string();
  if (headers.empty()) return std::nullopt;
  if (wanted.before_line != 0)
    wanted.before_line += static_cast<std::uint32_t>(std::count(headers.begin(), headers.end(), '\n'));
  return source::find_declaration(headers + text, wanted);
}

// Adds the declarations of a launch's arrays from its sources, except for arrays whose shapes are given.
void add_declared(const launch_report& l, const source_files& sources, std::vector<expr::array_decl>& shapes) {
  for (const shared_array& a : l.arrays) {
    const auto namesakes = std::count_if(l.arrays.begin(), l.arrays.end(),
                                         [&](const shared_array& other) { return other.name == a.name; });
    if (a.name.empty() || a.declared_bytes == 0 || a.begin % 4 != 0 || namesakes != 1 ||
        std::any_of(shapes.begin(), shapes.end(), [&](const expr::array_decl& s) { return s.name == a.name; }))
      continue;
    // The declaration may be in the kernel or in a function that was inlined into the kernel. So the search begins at
    // the last access to the array in each source file.
    std::map<std::string, std::uint32_t> last_line;
    bool has_accesses = false;
    for (const std::size_t i : a.sites) {
      const site& s = l.sites[i];
      has_accesses |= is_access(s);
      for (const auto& [file, line] : {std::pair(s.file, s.line), std::pair(s.outer_file, s.outer_line)})
        if (!file.empty() && line != 0) {
          std::uint32_t& last = last_line[file];
          last = std::max(last, line);
        }
    }
    if (!has_accesses) continue;
    for (const auto& [file, line] : last_line)
      if (const auto text = sources.text(file))
        if (auto found = declaration_in(*text, {a.name, a.declared_bytes, line, l.kernel}, sources, file)) {
          // An array of bytes is usually accessed through pointers to other types. Then the element types come from
          // these pointers.
          if (!a.phases.empty() && found->extents.size() == 1 && found->element_bytes == 1) break;
          shapes.push_back(std::move(*found));
          break;
        }
  }
}

// Returns the cost of a struct of arrays, with an array for each member. Returns an empty string if the source does not
// define the type of the array's elements.
std::string cost_of_structs(const launch_report& l, const advise::kernel_array& a, const source_files& sources) {
  if (a.shape.name.empty() || a.what.dynamic) return {};
  const auto from = find_source(l, a.shape.name, a.sites, sources);
  const auto type = from ? advise::find_struct(from->text, from->declared.type) : std::nullopt;
  const auto costs =
      type ? advise::count_structures(a.what, *type, source::joins_elements(from->text, from->declared)) : std::nullopt;
  return costs ? advise::structures_note(*costs, *type, a.what.bytes / type->bytes) : std::string();
}

}  // namespace

result<std::vector<expr::array_decl>> read_shapes(const arguments& args) {
  std::vector<expr::array_decl> shapes;
  expr::scope names;
  for (const std::string& text : args.all("let")) {
    const auto one = expr::parse_constant(text, names);
    if (!one) return one.error();
    names.constants[one->first] = one->second;
  }
  for (const std::string& text : args.all("array")) {
    auto shape = expr::parse_array(text, names);
    if (!shape) return shape.error();
    shapes.push_back(expr::without_layout(std::move(*shape)));
  }
  return shapes;
}

std::optional<diagnostic> refuse_missing(const std::string& file) {
  std::error_code ec;
  if (std::filesystem::exists(file, ec) || !find_program(file).empty()) return std::nullopt;
  return diagnostic{formatted("{} is not a file, and no program on the PATH has this name", file),
                    {},
                    "build the program first, or pass its path"};
}

std::optional<array_source> find_source(const launch_report& l, const std::string& name,
                                        const std::vector<std::vector<instruction_at>>& sites,
                                        const source_files& sources) {
  std::map<std::string, std::set<std::uint32_t>> lines;
  for (const auto& group : sites)
    for (const instruction_at& at : group)
      for (const site& s : l.sites)
        if (s.pc == at.pc && s.function == at.function)
          for (const auto& [file, line] : {std::pair(s.file, s.line), std::pair(s.outer_file, s.outer_line)})
            if (!file.empty() && line != 0) lines[file].insert(line);
  for (const auto& [file, some] : lines) {
    auto text = sources.text(file);
    std::vector<std::uint32_t> all(some.begin(), some.end());
    if (auto declared = text ? source::find_declared(*text, name, all) : std::nullopt)
      return array_source{file, std::move(*text), std::move(all), std::move(*declared)};
  }
  return std::nullopt;
}

namespace {

bool is_same_array(const advise::kernel_array& a, const advise::kernel_array& b) {
  return a.title == b.title && a.begin == b.begin && a.what.bytes == b.what.bytes && a.what.as_it_is == b.what.as_it_is;
}

// Returns the function and pc of each instruction on the lines with the highest costs.
std::set<std::pair<std::string, std::uint64_t>> costliest_sites(const launch_report& l, std::size_t lines) {
  std::set<std::pair<std::string, std::uint64_t>> list;
  const std::vector<costly_line> costly = costly_lines(l);
  for (std::size_t i = 0; i < costly.size() && i < lines; ++i)
    if (costly[i].removable != 0)
      for (const std::size_t s : costly[i].sites) list.emplace(l.sites[s].function, l.sites[s].pc);
  return list;
}

bool accesses_any(const advise::kernel_array& a, const std::set<std::pair<std::string, std::uint64_t>>& sites) {
  return std::any_of(a.sites.begin(), a.sites.end(), [&](const auto& group) {
    return std::any_of(group.begin(), group.end(), [&](const instruction_at& at) {
      return sites.contains({at.function, at.pc});
    });
  });
}

tried_input count_answers(const std::string& name, const advise::problem& there, const advise::advice& found) {
  advise::evaluator e(there);
  tried_input t{name, e.wavefronts(there.as_it_is), {}};
  for (const advise::answer& a : found.answers) t.by_answer.push_back(e.wavefronts(a.layout));
  return t;
}

}  // namespace

result<launch_advice> advise_launch(const launch_report& l, const machine& on, std::vector<expr::array_decl> shapes,
                                    const source_files& sources, const std::vector<tried_launch>& tried,
                                    const search_limits& limits, bool* cut) {
  add_declared(l, sources, shapes);
  const auto text_of = [&](const std::string& file) { return sources.text(file); };
  auto arrays = advise::read_arrays(l, on, shapes, text_of);
  if (!arrays) return arrays.error();
  std::vector<std::pair<std::string, std::vector<advise::kernel_array>>> elsewhere;
  for (const tried_launch& t : tried) {
    auto there = advise::read_arrays(t.launch, on, shapes, text_of);
    if (!there) return there.error();
    elsewhere.emplace_back(t.name, std::move(*there));
  }
  launch_advice all;
  all.others = advise::find_other_instructions(l, on);
  for (advise::other_instructions& o : all.others)
    if (o.text.empty()) o.text = trim(sources.line(o.file, o.line));
  progress_line progress("layouts");
  const std::set<std::pair<std::string, std::uint64_t>> costly = costliest_sites(l, limits.findings);
  advise::effort effort = limits.effort;
  effort.stop = &stop_signal();
  for (advise::kernel_array& a : *arrays) {
    if (limits.findings < l.sites.size() && !accesses_any(a, costly)) continue;
    if (std::chrono::steady_clock::now() > limits.until || stop_signal() != 0) {
      if (cut != nullptr) *cut = true;
      break;
    }
    advise::advice found = advise::advise(
        a.what, effort, [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total, a.title); });
    std::string structs = cost_of_structs(l, a, sources);
    std::optional<advise::turned_array> turned = advise::turn(a.what, effort);
    if (turned && !advise::is_better(*turned, found)) turned.reset();
    std::vector<advise::data_input> inputs;
    std::vector<tried_input> counted;
    for (const auto& [name, there] : elsewhere) {
      const auto same =
          std::find_if(there.begin(), there.end(), [&](const auto& other) { return is_same_array(a, other); });
      if (same == there.end()) {
        a.notes.push_back(
            formatted("not tried with the input {}: with this input, the kernel does not access the "
                      "array, or the array has a different shape",
                      name));
        continue;
      }
      counted.push_back(count_answers(name, same->what, found));
      inputs.push_back({name, same->what.of_data, counted.back().before});
    }
    if (stop_signal() != 0) {  // the answer of this array is incomplete
      if (cut != nullptr) *cut = true;
      break;
    }
    advise::data_remedies by_data = advise::find_data_remedies(a.what, inputs);
    all.arrays.push_back({.title = a.title,
                          .array = a.shape,
                          .what = std::move(a.what),
                          .found = std::move(found),
                          .notes = std::move(a.notes),
                          .kernel = shown_name(l),
                          .sites = std::move(a.sites),
                          .launch = bound_of(l),
                          .most_clocks_won = a.most_clocks_won,
                          .begin = a.begin,
                          .by_data = std::move(by_data),
                          .of_rounds = std::move(a.of_rounds),
                          .tried = std::move(counted),
                          .turned = std::move(turned),
                          .through = a.through,
                          .structs = std::move(structs)});
  }
  constexpr std::size_t most_timed_answers = 4;  // few, because each predicted time takes a replay of the trace
  if (stop_signal() == 0) add_saved_time(l, all.arrays, cut != nullptr ? 1 : most_timed_answers);
  sort_by_time(all.arrays);
  return all;
}

void keep_words(const launch_advice& advised, launch_report& l) {
  l.fixes.clear();
  l.moves.clear();
  for (const advice_report& a : advised.arrays) l.fixes.push_back(summary_of(a));
  for (const advise::other_instructions& o : advised.others) l.moves.push_back(summary_of(o));
}

edit::array_question question_of(const launch_report& l, std::size_t n, const advice_report& a,
                                 const source_files& sources) {
  edit::array_question q{n,  shown_name(l),    a.title, a.array, a.what, a.found, {},
                         {}, l.sum.wavefronts, l.count, {},      {}};
  for (std::size_t side = 0; side < q.block.size(); ++side) q.block[side] = l.block[side];
  const auto from = find_source(l, a.array.name, a.sites, sources);
  if (!from) return q;
  q.file = from->file;
  q.lines = from->lines;
  if (!q.what.dynamic) return q;
  if (a.begin != l.static_shared_bytes)
    q.not_whole = formatted("the array begins at byte {} of the dynamic shared memory, not at its start",
                            grouped(a.begin - l.static_shared_bytes));
  for (const auto& group : a.sites)
    for (const instruction_at& at : group)
      for (const site& s : l.sites)
        if (s.pc == at.pc && s.function == at.function && s.file != q.file && s.outer_file != q.file)
          q.not_whole = formatted("code in another file also accesses the array: {}:{}", s.file, s.line);
  return q;
}

void add_edits(launch_fixes& fixes, const report& r, const source_files& sources) {
  std::vector<edit::array_question> questions;
  std::vector<advice_report*> asked;
  for (std::size_t n = 0; n < fixes.size(); ++n)
    for (advice_report& a : fixes[n]) {
      questions.push_back(question_of(r.launches[n], n, a, sources));
      asked.push_back(&a);
    }
  const auto text_of = [&](const std::string& file) { return sources.text(file); };
  for (const edit::planned_edit& e : edit::plan_edits(questions, false, text_of)) {
    if (!e.edit.refused.empty() || !e.edit.doubts.empty()) continue;
    const auto text = sources.text(e.file);
    if (!text) continue;
    std::vector<text_change> changes = e.edit.changes;
    for (text_change& c : changes)
      if (text->starts_with(byte_order_mark)) c.begin -= byte_order_mark.size(), c.end -= byte_order_mark.size();
    // Skips edits with characters that a terminal would interpret. Replaces tabs by blanks.
    std::string words = e.edit.words;
    std::replace(words.begin(), words.end(), '\t', ' ');
    if (words != printable(words) || std::any_of(changes.begin(), changes.end(), [](const text_change& c) {
          return c.text != printable_lines(c.text);
        }))
      continue;
    for (std::size_t i = 0; i < e.questions.size(); ++i)
      asked[e.questions[i]]->edit = layout_edit{e.file, words, e.after[i], changes};
  }
}

namespace {

constexpr answer_format<fix_answer> fix_formats[] = {
    {"text",
     [](const fix_answer& a, const answer_look& how) {
       std::vector<known_move> moves;
       for (const advise::other_instructions& o : a.others) moves.push_back(summary_of(o));
       const std::string others = to_text(moves, how.paint, how.all);
       return to_text(a.arrays, how.paint, how.all) + (others.empty() ? "" : "\n") + others;
     }},
    {"json", [](const fix_answer& a, const answer_look&) { return to_json(a.arrays, a.others); }},
};

}  // namespace

result<int> fix(const arguments& args) {
  if (wants_edit(args)) {
    if (args.has("try-input")) return diagnostic{"--try-input cannot be combined with --patch and --apply"};
    return apply_fixes(args);
  }
  for (const char* flag : {"kernel", "nvcc", "grid", "cluster", "arg", "cooperative"})
    if (args.has(flag) && !args.names_program)
      return diagnostic{formatted("--{} needs a program or a kernel file", flag)};
  const auto format = asked_format(args, fix_formats);
  if (!format) return format.error();
  if (args.positional.empty())
    return diagnostic{"bankwise fix needs a program, a kernel file, a report, or accesses to an array",
                      {},
                      "bankwise fix --array 'float tile[32][32]' --block 32,8 'st tile[threadIdx.y][threadIdx.x]' "
                      "'ld tile[threadIdx.x][threadIdx.y]'"};
  const bool from_report = args.positional.size() == 1 && args.positional[0].ends_with(".json");
  if (args.has("try-input") && !from_report)
    return diagnostic{"--try-input compares reports, but the command line has accesses"};
  const stop_on_signals stops;
  const auto answer = args.names_program ? advise_program(args)
                      : from_report      ? advise_report(args)
                                         : advise_tiles(args);
  if (!answer && stop_signal() != 0) {
    tell(answer.error().message);
    return exit_of(static_cast<int>(stop_signal().load()));
  }
  if (!answer) return answer.error();
  const auto written = write_answer(args, **format, *answer);
  if (written && stop_signal() != 0) return tell_late_stop();
  return written ? result<int>(exit_clean) : written.error();
}

}  // namespace bankwise::cli
