#include "lsp/answers.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "check/saturate.hpp"
#include "expr/parse/declaration.hpp"
#include "expr/question.hpp"
#include "lsp/declaration_fix.hpp"
#include "model/sectors/sector_reason.hpp"
#include "report/forms/access_code.hpp"
#include "report/sections/dependence_report.hpp"
#include "report/sections/finding_report.hpp"
#include "report/sections/time_report.hpp"
#include "source/declaration.hpp"
#include "source/shared_declarations.hpp"
#include "source/text.hpp"

namespace bankwise::lsp {

namespace {

constexpr std::size_t most_drawn = 6;      // limit for drawn wavefronts of a phase
constexpr std::size_t most_explained = 6;  // limit for listed lines of an array

enum class shown_as { error = 1, warning, information, hint };

// Sums for a line, over its instructions and all launches.
struct line_sum {
  std::uint64_t executed = 0, wavefronts = 0, reachable = 0, removable = 0, queued = 0;
  bool estimated = false;
};
line_sum sum_of(const line_note& n) {
  line_sum sum;
  for (const noted_site& s : n.sites) {
    const auto add = [&](std::uint64_t& to, std::uint64_t one) {
      to = check::plus(to, check::times(one, s.launch->count));
    };
    add(sum.executed, s.what->executed);
    add(sum.wavefronts, s.what->wavefronts);
    add(sum.reachable, s.what->reachable);
    add(sum.removable, removable(*s.what));
    add(sum.queued, queued(*s.what));
    sum.estimated |= s.launch->scaled;
  }
  return sum;
}

access_report worst_of(const line_note& n) { return explained(*n.sites.front().what, n.sites.front().in->what.on); }

// Example: "32 wavefronts, 1 reachable"
std::string cost_in_short(const access_report& r) {
  const cost& c = r.why.total;
  return count_of(c.wavefronts, "wavefront") +
         (c.wavefronts == c.reachable ? "" : formatted(", {} reachable", grouped(c.reachable)));
}

std::string sum_text(const line_sum& s) {
  return formatted("{}{} for {}; {} reachable, {} removable{}", s.estimated ? "about " : "",
                   count_of(s.wavefronts, "wavefront"), count_of(s.executed, "execution"), grouped(s.reachable),
                   grouped(s.removable),
                   s.queued == 0 ? "" : formatted(", {} from lanes that queue for one word", grouped(s.queued)));
}

const known_fix* fix_of(const noted_site& s) {
  for (const known_fix& f : s.launch->fixes)
    if (!f.code.empty() &&
        std::find(f.sites.begin(), f.sites.end(), std::pair{s.what->function, s.what->pc}) != f.sites.end())
      return &f;
  return nullptr;
}

shown_as shown(const check::finding& f) {
  if (f.what->level == check::severity::error) return shown_as::error;
  if (f.compared == check::novelty::known) return shown_as::information;
  return f.what->level == check::severity::warning ? shown_as::warning : shown_as::information;
}

std::string finding_message(const check::finding& f) {
  std::string text = f.message;
  if (f.compared == check::novelty::known) text += " (known, in the baseline)";
  if (f.compared == check::novelty::worse) text += " (worse than in the baseline)";
  if (const std::string saving = saving_of_finding(f); !saving.empty()) text += formatted("\n{}", saving);
  if (!f.fix.empty())
    text += formatted("\n{}", f.fix);
  else if (f.what->id == check::removable_conflict)
    text += formatted("\nbankwise run {} finds a layout that removes them", worded(setting::fix));
  return printable_lines(text);
}

bool is_here(const noted_source& s, const std::string& file) {
  const auto at = s.known->paths.find(file);
  return at != s.known->paths.end() && at->second == s.path;
}

bool overlaps(const line_note& n, std::size_t from, std::size_t to) { return n.line >= from && n.line <= to; }

using source::is_word;

bool names(std::string_view code, std::string_view name) {
  for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1))
    if ((at == 0 || !is_word(code[at - 1])) && (at + name.size() == code.size() || !is_word(code[at + name.size()])))
      return true;
  return false;
}

// A drawing of the worst access on a line.
std::string access_text(const line_note& n) {
  const site& s = *n.sites.front().what;
  const access_report worst = worst_of(n);
  std::string text = formatted("{}\n", sum_text(sum_of(n)));
  text += formatted("{} of {}{}\n", s.sass, n.sites.front().launch->name,
                    n.sites.size() > 1 ? formatted(", the worst of {} on this line", n.sites.size()) : "");
  if (const std::string depends = dependences_text(s); !depends.empty()) text += formatted("depends on: {}\n", depends);
  return formatted("{}{}\n\n{}", text, verdict(worst), collision_text(worst, {}, most_drawn));
}

// The sectors of a line in one kind of memory, over all launches.
global_counts sectors_of(const line_note& n, memory_kind of) {
  global_counts sum;
  for (const noted_global_site& s : n.global_sites)
    if (memory_of(s.what->kind) == of)
      for (const global_count_row& c : global_count_rows)
        if (c.member != nullptr)
          sum.*c.member = check::plus(sum.*c.member, check::times((*s.what).*c.member, s.launch->count));
  return sum;
}

// "8 sectors, 4 ideal", for one access. Empty if the line touches no more sectors than its bytes fill.
std::string sectors_in_short(const line_note& n) {
  const auto first = std::find_if(n.global_sites.begin(), n.global_sites.end(),
                                  [](const noted_global_site& s) { return s.what->worst.mask != 0; });
  if (first == n.global_sites.end() || excess_sectors(*first->what) == 0) return {};
  const global_site& worst = *first->what;
  return formatted("{}, {} ideal", count_of(worst.worst.sectors, "sector"), worst.worst.sectors_ideal);
}

// The sectors of a line, the reason for their number, and the remedy.
std::string global_text(const line_note& n) {
  std::string text;
  if (const global_counts sum = sectors_of(n, memory_kind::global); sum.requests != 0)
    text += formatted("global memory: {} for {}; {} would be enough for these bytes\n", count_of(sum.sectors, "sector"),
                      count_of(sum.requests, "request"), grouped(sum.sectors_ideal));
  for (const auto& [of, name] :
       {std::pair(memory_kind::local, "local memory"), std::pair(memory_kind::texture, "textures"),
        std::pair(memory_kind::surface, "surfaces")})
    if (const global_counts sum = sectors_of(n, of); sum.requests != 0)
      text += formatted("{}: {} for {}\n", name, count_of(sum.sectors, "sector"), count_of(sum.requests, "request"));
  for (const noted_global_site& s : n.global_sites)
    if (const sector_reason why = reason_of(*s.launch, *s.what)) {
      text += formatted("{} of {}: {}\n{}\n", s.what->sass, s.launch->name, why.why, remedy_sentence(*s.what, why));
      break;
    }
  return text;
}

// Puts a text into a code block. Only a line that ends the block would act as markup.
std::string fenced(const std::string& text) {
  std::string s = printable_lines(text);
  std::replace(s.begin(), s.end(), '`', '\'');
  return formatted("```text\n{}{}```", s, s.ends_with('\n') ? "" : "\n");
}

std::string stale_text(const source_notes& n) {
  std::string names;
  for (const std::string& s : n.stale) names += (names.empty() ? "" : ", ") + s;
  return formatted(
      "this source has changed since {}{} made. Lines are found by their text, and the numbers are for the "
      "older source{}. Run `bankwise check` to update the reports",
      names, n.stale.size() == 1 ? " was" : " were",
      n.gone == 0 ? "" : formatted(" (changed since then: {} with accesses)", count_of(n.gone, "line")));
}

json edit_of(const document& text, std::size_t begin, std::size_t end, const std::string& by) {
  return {{"range", json_value(range{text.position_at(begin), text.position_at(end)})}, {"newText", by}};
}

// The edits of a report for exactly this text. Empty if the edits do not fit the text.
json edits_of(const document& text, const layout_edit& e) {
  json edits = json::array();
  std::size_t least = 0;
  for (const text_change& c : e.changes) {
    if (c.begin < least || c.end < c.begin || c.end > text.text().size()) return json::array();
    edits.push_back(edit_of(text, c.begin, c.end, c.text));
    least = c.end;
  }
  return edits;
}

json action(const std::string& title, const char* kind, const std::string& uri, json edits) {
  return {{"title", printable(title)}, {"kind", kind}, {"edit", {{"changes", {{uri, std::move(edits)}}}}}};
}

// Our diagnostics in a request that are about this line.
json ours_of(const json& diagnostics, std::size_t line) {
  json ours = json::array();
  for (const json& d : diagnostics) {
    const std::string* source = text_of(member(&d, "source"));
    const auto at = number_of(member(member(member(&d, "range"), "start"), "line"));
    if (source != nullptr && *source == "bankwise" && at == line) ours.push_back(d);
  }
  return ours;
}

// The position after the last #include. If there is none, the position after the first comments of the file.
std::size_t include_place(const document& text) {
  std::size_t behind = 0;
  const document code(source::code_alone(text.text()));
  for (std::size_t i = 0; i < code.lines(); ++i) {
    std::string_view line = trim(code.line(i));
    if (!line.starts_with('#')) continue;
    line = trim(line.substr(1));
    if (line.starts_with("include") || line.starts_with("pragma once")) behind = i + 1;
  }
  if (behind == 0)
    while (behind < text.lines() && trim(text.line(behind)).starts_with("//")) ++behind;
  return text.offset({static_cast<std::uint32_t>(behind), 0});
}

std::string identifier(std::string_view name) {
  std::string s;
  for (const char c : name)
    s += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ? c : '_';
  return s.empty() || (s[0] >= '0' && s[0] <= '9') ? formatted("kernel{}", s) : s;
}

// Adds the header, and an assertion at the end of the source. The assertion is in its own namespace, because its names
// are always the same.
json assertion_edits(const document& text, const line_note& n) {
  const std::string& source = text.text();
  access_report worst = worst_of(n);
  worst.title = std::string(trim(text.line(n.line)));
  std::string code = to_cpp(worst);
  const std::string include = code.substr(0, code.find('\n') + 1);
  code = formatted("{}\n", trim(code.substr(include.size())));
  const std::string stem = formatted("{}_access", identifier(n.sites.front().launch->name));
  std::string name = stem;
  for (int i = 2; names(source, name); ++i) name = formatted("{}_{}", stem, i);
  json edits = json::array();
  const std::string bare = source::code_alone(source);
  if (source.find("<bankwise/bankwise.hpp>") == std::string::npos &&
      source.find("<bankwise/assert.hpp>") == std::string::npos) {
    const std::size_t at = include_place(text);
    edits.push_back(edit_of(text, at, at, (at != 0 && source[at - 1] != '\n' ? "\n" : "") + include));
  }
  edits.push_back(edit_of(text, source.size(), source.size(),
                          formatted("{}\nnamespace {} {{\n{}}}  // namespace {}\n",
                                    source.empty() || source.ends_with('\n') ? "" : "\n", name, code, name)));
  return edits;
}

}  // namespace

json json_value(const range& r) {
  const auto one = [](position p) { return json{{"line", p.line}, {"character", p.character}}; };
  return {{"start", one(r.from)}, {"end", one(r.to)}};
}

json diagnostics_of(const noted_source& s, const std::function<std::string(std::string_view kind)>& page_of) {
  json all = json::array();
  for (const line_note& n : s.notes.lines)
    for (const check::finding* f : n.findings) {
      if (f->suppressed) continue;
      json d = {{"range", json_value(s.text->written(n.line))},
                {"severity", static_cast<int>(shown(*f))},
                {"code", f->what->id},
                {"source", "bankwise"},
                {"message", finding_message(*f)}};
      if (const std::string page = page_of ? page_of(f->what->id) : ""; !page.empty())
        d["codeDescription"] = {{"href", page}};
      all.push_back(std::move(d));
    }
  if (!s.notes.stale.empty())
    all.push_back({{"range", json_value(s.text->written(s.notes.lines.empty() ? 0 : s.notes.lines.front().line))},
                   {"severity", static_cast<int>(shown_as::hint)},
                   {"code", "stale"},
                   {"source", "bankwise"},
                   {"message", printable_lines(stale_text(s.notes))}});
  return all;
}

json inlay_hints(const noted_source& s, std::size_t from_line, std::size_t to_line) {
  json all = json::array();
  for (const line_note& n : s.notes.lines) {
    if (!overlaps(n, from_line, to_line)) continue;
    const std::string sectors = sectors_in_short(n);
    std::string label, tooltip;
    if (!n.sites.empty()) {
      const access_report worst = worst_of(n);
      label = cost_in_short(worst);
      tooltip = verdict(worst);
    }
    if (!sectors.empty()) {
      label += (label.empty() ? "" : "; ") + sectors;
      tooltip += (tooltip.empty() ? "" : "\n") + global_text(n);
    }
    if (label.empty()) continue;
    const position end = s.text->written(n.line).to;
    all.push_back({{"position", {{"line", end.line}, {"character", end.character}}},
                   {"label", (s.notes.stale.empty() ? "" : "before: ") + label},
                   {"paddingLeft", true},
                   {"tooltip", printable_lines(tooltip)}});
  }
  return all;
}

namespace {

std::set<std::string_view> words_of(std::string_view code) {
  std::set<std::string_view> words;
  for (std::size_t from = 0, end = 0; from < code.size(); from = end + 1) {
    for (end = from; end < code.size() && is_word(code[end]);) ++end;
    if (end != from) words.insert(code.substr(from, end - from));
  }
  return words;
}

// Example: "transpose_plain, grid 2, 2, block 32, 8: about 12.3 us on an H100 SXM ..."
std::string time_of_launch(const noted_site& one) {
  const std::string time = time_line(one.in->what, *one.launch);
  if (time.empty()) return {};
  return formatted("{}, grid {}, block {}: {}\n", one.launch->name, triple(one.launch->grid), triple(one.launch->block),
                   time);
}

// For each launch, the share of its time that warps wait at instructions of the line.
std::string time_text(const line_note& n) {
  std::string text;
  std::set<const launch_report*> seen;
  for (const noted_site& one : n.sites) {
    if (!seen.insert(one.launch).second) continue;
    const std::string waits = waiting_sentence(*one.launch, one.what->file, n.line_before);
    if (!waits.empty()) text += formatted("{}\n", waits);
  }
  return text;
}

// The time of a kernel's launches, if the line defines a kernel.
std::string kernel_text(const noted_source& s, std::size_t line) {
  const std::string code = source::code_alone(std::string(s.text->line(line)));
  std::string before = code;
  for (std::size_t i = 1; i <= 2 && i <= line; ++i) before = formatted("{}\n{}", s.text->line(line - i), before);
  if (before.find("__global__") == std::string::npos) return {};
  const std::set<std::string_view> words = words_of(code);
  std::string text;
  std::set<const launch_report*> seen;
  for (const line_note& n : s.notes.lines)
    for (const noted_site& one : n.sites)
      if (words.contains(one.launch->name) && seen.insert(one.launch).second) text += time_of_launch(one);
  return text;
}

}  // namespace

json hover_of(const noted_source& s, std::size_t line, bool markdown) {
  const auto answer = [&](const std::string& text) -> json {
    return {
        {"contents",
         {{"kind", markdown ? "markdown" : "plaintext"}, {"value", markdown ? fenced(text) : printable_lines(text)}}},
        {"range", json_value(s.text->written(line))}};
  };
  for (const line_note& n : s.notes.lines) {
    if (n.line != line) continue;
    std::string text;
    for (const check::finding* f : n.findings)
      text += formatted("{}: {}{}\n", f->what->id, finding_message(*f),
                        f->suppressed ? formatted("\nsuppressed: {}", *f->suppressed) : "");
    if (!n.sites.empty()) text += (text.empty() ? "" : "\n") + access_text(n) + time_text(n);
    if (!n.global_sites.empty()) text += (text.empty() ? "" : "\n") + global_text(n);
    if (!s.notes.stale.empty()) text += formatted("\n{}\n", stale_text(s.notes));
    return answer(text);
  }
  const std::string of_kernel = kernel_text(s, line);
  if (of_kernel.empty()) return nullptr;
  return answer(of_kernel + (s.notes.stale.empty() ? "" : formatted("\n{}\n", stale_text(s.notes))));
}

json code_actions(const noted_source& s, std::size_t from_line, std::size_t to_line, const json& diagnostics) {
  json all = json::array();
  std::set<std::string> offered;
  for (const line_note& n : s.notes.lines) {
    if (!overlaps(n, from_line, to_line)) continue;
    for (const noted_site& one : n.sites) {
      const known_fix* fix = removable(*one.what) != 0 ? fix_of(one) : nullptr;
      if (fix == nullptr) continue;
      std::string title;
      json edits = json::array();
      // If the text has changed since the report, only the declaration may be edited.
      if (const auto edit =
              declaration_fix(s.text->text(), *fix, one.launch->kernel, static_cast<std::uint32_t>(n.line + 1))) {
        title = formatted("Declare {}: {}", edit->title, fix->verdict);
        edits.push_back(edit_of(*s.text, edit->begin, edit->end, edit->by));
      } else if (const auto& whole = fix->edit; whole && s.notes.stale.empty() && is_here(s, whole->file)) {
        title = formatted("Give {} another layout, {}: {} for all its accesses", fix->array, whole->words,
                          count_of(whole->wavefronts, "wavefront"));
        edits = edits_of(*s.text, *whole);
      }
      // Reports of other runs may contain the same edit.
      if (edits.empty() || !offered.insert(edits.dump(-1, ' ', false, json::error_handler_t::replace)).second) continue;
      json a = action(title, "quickfix", s.uri, std::move(edits));
      if (json ours = ours_of(diagnostics, n.line); !ours.empty()) a["diagnostics"] = std::move(ours);
      if (offered.size() == 1) a["isPreferred"] = true;
      all.push_back(std::move(a));
    }
    if (n.sites.empty()) continue;
    const u32 wavefronts = worst_of(n).why.total.wavefronts;
    all.push_back(
        action(formatted("Assert at most {} for the worst access of this line", count_of(wavefronts, "wavefront")),
               "refactor", s.uri, assertion_edits(*s.text, n)));
  }
  return all;
}

namespace {

// The lines with accesses that name the array, from its declaration to the next declaration of the same name. Each line
// is read only once, even if there are many arrays.
using array_notes = std::map<std::string, std::map<std::size_t, std::vector<const line_note*>>, std::less<>>;
array_notes notes_of_arrays(const noted_source& s, const std::vector<source::shared_declaration>& declared) {
  array_notes all;
  for (const source::shared_declaration& d : declared) all[d.name].try_emplace(s.text->position_at(d.begin).line);
  const document code(source::code_alone(s.text->text()));
  for (const line_note& n : s.notes.lines) {
    if (n.sites.empty()) continue;
    for (const std::string_view word : words_of(code.line(n.line))) {
      const auto array = all.find(word);
      if (array == all.end()) continue;
      const auto behind = array->second.upper_bound(n.line);
      if (behind != array->second.begin()) std::prev(behind)->second.push_back(&n);
    }
  }
  return all;
}

// The cost of a row and of a column, for an array that no recorded access uses.
std::string asked_accesses(std::string_view source, const source::shared_declaration& d) {
  const std::string statement(source.substr(d.statement, d.begin - d.statement));
  const std::string declared(source.substr(d.begin, d.end - d.begin));
  // The type is before the first name of the statement. For another name, all text between the type and this name is
  // dropped.
  std::string head = statement.substr(0, statement.find(','));
  if (head.size() != statement.size()) {
    head.resize(std::min(head.find('['), head.size()));
    while (!head.empty() && is_word(head.back())) head.pop_back();
  }
  const source::constants known = source::constants_before(source::code_alone(source), d.begin, {});
  const auto array = expr::parse_array(head + declared, known.scope);
  if (!array)
    return formatted("no report has an access to {}, and the types or sizes in its declaration are not known: {}\n",
                     d.name, array.error().message);
  if (array->extents.empty() || array->extents.size() > 2) return formatted("no report has an access to {}\n", d.name);
  std::string text = formatted(
      "no report has an access to {}. A warp that reads the array by row and by column would cost:\n", d.name);
  flag_values flags;
  std::string shape = formatted("{} {}", array->type, array->name);
  for (const std::uint64_t n : array->extents) shape += formatted("[{}]", n);
  flags.values["array"].push_back(shape);
  const std::string row = array->extents.size() == 2 ? formatted("{}[0][t]", d.name) : formatted("{}[t]", d.name);
  std::vector<std::string> asked{row};
  if (array->extents.size() == 2) asked.push_back(formatted("{}[t][0]", d.name));
  for (const std::string& e : asked)
    if (const auto q = read_question(flags, e)) {
      const access_report r = report_access(*q);
      text += formatted("\n{}\n{}\n{}", e, verdict(r), collision_text(r, {}, most_drawn));
    }
  return text;
}

}  // namespace

json code_lenses(const noted_source& s) {
  json all = json::array();
  const std::vector<source::shared_declaration> declared = source::shared_declarations(s.text->text());
  array_notes notes = notes_of_arrays(s, declared);
  for (const source::shared_declaration& d : declared) {
    const range at{s.text->position_at(d.begin), s.text->position_at(d.end)};
    std::uint64_t won = 0;
    bool any = false;
    for (const line_note* n : notes[d.name][at.from.line]) {
      won = check::plus(won, sum_of(*n).removable);
      any = true;
    }
    all.push_back({{"range", json_value(at)},
                   {"command",
                    {{"title", formatted("explain {}{}", d.name,
                                         any ? formatted(": {}", count_of(won, "removable wavefront")) : "")},
                     {"command", explain_command},
                     {"arguments", {s.uri, d.name, at.from.line}}}}});
  }
  return all;
}

std::string explain_array(const noted_source& s, const std::string& name, std::size_t line) {
  const std::vector<source::shared_declaration> all = source::shared_declarations(s.text->text());
  const auto d = std::find_if(all.begin(), all.end(), [&](const source::shared_declaration& one) {
    return one.name == name && s.text->position_at(one.begin).line == line;
  });
  if (d == all.end()) return formatted("this line no longer declares __shared__ {}\n", printable(name));
  const std::string& source = s.text->text();
  std::string text = formatted("{}:{}  {}\n", base_name(s.path), line + 1, source.substr(d->begin, d->end - d->begin));
  std::vector<const line_note*> notes = notes_of_arrays(s, all)[name][line];
  std::stable_sort(notes.begin(), notes.end(),
                   [](const line_note* a, const line_note* b) { return sum_of(*a).removable > sum_of(*b).removable; });
  if (notes.empty()) text += asked_accesses(source, *d);
  std::set<std::string> verdicts;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const line_note& n = *notes[i];
    text += formatted("\n{}:{}  {}\n", base_name(s.path), n.line + 1, trim(s.text->line(n.line)));
    text += i < most_explained && sum_of(n).wavefronts != sum_of(n).reachable ? access_text(n)
                                                                              : formatted("{}\n", sum_text(sum_of(n)));
    for (const noted_site& one : n.sites)
      if (const known_fix* f = fix_of(one); f != nullptr && verdicts.insert(f->verdict).second)
        text += formatted("\n{}: {}\n{}", f->array, f->verdict, indented(f->code, "  "));
  }
  if (!s.notes.stale.empty()) text += formatted("\n{}\n", stale_text(s.notes));
  return printable_lines(text);
}

}  // namespace bankwise::lsp
