// The arrays that a source declares in shared memory: the cost of each array, and the explanation of one array.
#include <algorithm>
#include <map>
#include <set>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "check/saturate.hpp"
#include "expr/parse/declaration.hpp"
#include "expr/question.hpp"
#include "lsp/answers.hpp"
#include "lsp/line_texts.hpp"
#include "source/declaration.hpp"
#include "source/shared_declarations.hpp"
#include "source/text.hpp"

namespace bankwise::lsp {

namespace {

constexpr std::size_t most_explained = 6;  // largest number of lines that are explained for one array

// The notes about each declared array. The first key is the array's name, and the second key is the line of the
// declaration. A note belongs to the array if its line contains the array's name, before the next declaration of the
// same name. One pass over the lines finds all arrays.
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
      const auto after = array->second.upper_bound(n.line);
      if (after != array->second.begin()) std::prev(after)->second.push_back(&n);
    }
  }
  return all;
}

// Returns the cost of reading a row and a column of an array. It is used if no recorded access uses the array.
std::string asked_accesses(std::string_view source, const source::shared_declaration& d) {
  const std::string statement(source.substr(d.statement, d.begin - d.statement));
  const std::string declared(source.substr(d.begin, d.end - d.begin));
  // The type is before the first name of the statement. If the array's name is not the first, the names before it are
  // removed.
  std::string head = statement.substr(0, statement.find(','));
  if (head.size() != statement.size()) {
    head.resize(std::min(head.find('['), head.size()));
    while (!head.empty() && source::is_word(head.back())) head.pop_back();
  }
  const source::constants known = source::constants_before(source::code_alone(source), d.begin, {});
  const auto array = expr::parse_array(head + declared, known.scope);
  if (!array)
    return formatted(
        "no report has an access to {}, and bankwise does not know the types or sizes in this declaration: {}\n",
        d.name, array.error().message);
  if (array->extents.empty() || array->extents.size() > 2) return formatted("no report has an access to {}\n", d.name);
  std::string text =
      formatted("no report has an access to {}. If a warp reads the array with these indices, the cost is:\n", d.name);
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
      won = check::plus(won, sum_of(*n)[measure::removable].is);
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
  if (d == all.end()) return formatted("the line no longer declares __shared__ {}\n", printable(name));
  const std::string& source = s.text->text();
  std::string text = formatted("{}:{}  {}\n", base_name(s.path), line + 1, source.substr(d->begin, d->end - d->begin));
  std::vector<const line_note*> notes = notes_of_arrays(s, all)[name][line];
  std::stable_sort(notes.begin(), notes.end(), [](const line_note* a, const line_note* b) {
    return sum_of(*a)[measure::removable].is > sum_of(*b)[measure::removable].is;
  });
  if (notes.empty()) text += asked_accesses(source, *d);
  std::set<std::string> verdicts;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const line_note& n = *notes[i];
    text += formatted("\n{}:{}  {}\n", base_name(s.path), n.line + 1, trim(s.text->line(n.line)));
    text += i < most_explained && sum_of(n)[measure::wavefronts].is != sum_of(n)[measure::reachable].is
                ? access_text(n)
                : formatted("{}\n", sum_text(n));
    for (const noted_site& one : n.sites)
      if (const known_fix* f = fix_of(one); f != nullptr && verdicts.insert(f->verdict).second)
        text += formatted("\n{}: {}\n{}", f->array, f->verdict, indented(f->code, "  "));
  }
  if (!s.notes.stale.empty()) text += formatted("\n{}\n", stale_text(s.notes));
  return printable_lines(text);
}

}  // namespace bankwise::lsp
