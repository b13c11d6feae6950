// The changes of a source that an editor offers: a better layout for an array, and an assertion for an access.
#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "lsp/answers.hpp"
#include "lsp/declaration_fix.hpp"
#include "lsp/line_texts.hpp"
#include "report/forms/access_code.hpp"
#include "source/text.hpp"

namespace bankwise::lsp {

namespace {

using source::is_word;

bool is_here(const noted_source& s, const std::string& file) {
  const auto at = s.known->paths.find(file);
  return at != s.known->paths.end() && at->second == s.path;
}

bool names(std::string_view code, std::string_view name) {
  for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1))
    if ((at == 0 || !is_word(code[at - 1])) && (at + name.size() == code.size() || !is_word(code[at + name.size()])))
      return true;
  return false;
}

json edit_of(const document& text, std::size_t begin, std::size_t end, const std::string& by) {
  return {{"range", json_value(range{text.position_at(begin), text.position_at(end)})}, {"newText", by}};
}

// Returns the edits that a report contains for exactly this text. Returns nothing if the edits do not match the text.
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

// Returns bankwise's diagnostics about this line, from the diagnostics of a request.
json ours_of(const json& diagnostics, std::size_t line) {
  json ours = json::array();
  for (const json& d : diagnostics) {
    const std::string* source = text_of(member(&d, "source"));
    const auto at = number_of(member(member(member(&d, "range"), "start"), "line"));
    if (source != nullptr && *source == "bankwise" && at == line) ours.push_back(d);
  }
  return ours;
}

// Returns the position after the last #include. If there is none, returns the position after the comments at the start
// of the file.
std::size_t include_place(const document& text) {
  std::size_t after = 0;
  const document code(source::code_alone(text.text()));
  for (std::size_t i = 0; i < code.lines(); ++i) {
    std::string_view line = trim(code.line(i));
    if (!line.starts_with('#')) continue;
    line = trim(line.substr(1));
    if (line.starts_with("include") || line.starts_with("pragma once")) after = i + 1;
  }
  if (after == 0)
    while (after < text.lines() && trim(text.line(after)).starts_with("//")) ++after;
  return text.offset({static_cast<std::uint32_t>(after), 0});
}

std::string identifier(std::string_view name) {
  std::string s;
  for (const char c : name)
    s += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ? c : '_';
  return s.empty() || (s[0] >= '0' && s[0] <= '9') ? formatted("kernel{}", s) : s;
}

// Adds the #include of the header, and an assertion at the end of the source. Each assertion has its own namespace,
// because assertions always use the same names.
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
        title = formatted("Change the layout of {} to {}: {} for all accesses to the array", fix->array, whole->words,
                          count_of(whole->wavefronts, "wavefront"));
        edits = edits_of(*s.text, *whole);
      }
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

}  // namespace bankwise::lsp
