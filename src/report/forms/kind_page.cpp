#include "report/forms/kind_page.hpp"

#include <vector>

#include "bankwise/wavefronts.hpp"
#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

using check::finding_kind;

std::string wavefronts_of(access (*make)()) {
  const u32 n = analyze(make(), find_arch("sm_90")->model).wavefronts;
  return std::to_string(n) + (n == 1 ? " wavefront" : " wavefronts");
}

struct section {
  std::string title, text;
};

std::vector<section> sections_of(const finding_kind& r) {
  return {{"Why it matters", std::string(r.why)},
          {"What to do", spelled(r.fix)},
          {"When to ignore it", std::string(r.ignore)}};
}

// Wraps a text at 78 columns and indents it by two spaces.
std::string wrapped(std::string_view text) {
  std::string out;
  while (text.size() > 76) {
    const std::size_t blank = text.rfind(' ', 76);
    const std::size_t cut = blank == std::string_view::npos ? 76 : blank;
    out += formatted("  {}\n", text.substr(0, cut));
    text.remove_prefix(cut + (blank == std::string_view::npos ? 0 : 1));
  }
  return formatted("{}  {}\n", out, text);
}

}  // namespace

std::string severity_word(check::severity level) {
  return level == check::severity::note ? "recommendation" : std::string(check::name_of(level));
}

std::string kind_text(const finding_kind& r, const style& s) {
  std::string text =
      formatted("{}  {}  ({})\n\n{}", s.strong(std::string(r.id)), r.title, check::name_of(r.level), wrapped(r.what));
  if (r.example.before != nullptr) {
    text += formatted("\n{}\n", s.strong("For example"));
    const std::string before(r.example.before_code), after(r.example.after_code);
    const std::size_t width = std::max(before.size(), after.size());
    text += formatted("  {}   {}\n", pad_right(before, width), wavefronts_of(r.example.before));
    if (r.example.after != nullptr)
      text += formatted("  {}   {}\n", pad_right(after, width), wavefronts_of(r.example.after));
  }
  for (const section& part : sections_of(r)) text += formatted("\n{}\n{}", s.strong(part.title), wrapped(part.text));
  return text;
}

std::string kind_markdown(const finding_kind& r) {
  std::string text = formatted("{}\n", r.what);
  if (r.example.before != nullptr) {
    text += "\n| example | cost |\n|---|---|\n";
    text += formatted("| `{}` | {} |\n", r.example.before_code, wavefronts_of(r.example.before));
    if (r.example.after != nullptr)
      text += formatted("| `{}` | {} |\n", r.example.after_code, wavefronts_of(r.example.after));
  }
  for (const section& part : sections_of(r)) text += formatted("\n**{}.** {}\n", part.title, part.text);
  return text;
}

std::string kind_list(const style& s) {
  std::string text;
  for (const finding_kind& r : check::finding_kinds())
    text += formatted("{}  {} {}\n", s.strong(std::string(r.id)), pad_right(std::string(check::name_of(r.level)), 8),
                      r.title);
  return formatted("{}\nbankwise rule BW101 prints the page of the finding BW101.\n", text);
}

std::string kinds_document() {
  std::string text = formatted(
      "# Rules\n\nThis page describes each finding, and what to do about it. `bankwise rule BW101` prints one section of "
      "this page, and `bankwise rule {}` prints the whole page.\n",
      worded(setting::format, "markdown"));
  for (const finding_kind& r : check::finding_kinds())
    text += formatted("\n## {}: {}\n\n*{}*\n\n{}", r.id, r.title, check::name_of(r.level), kind_markdown(r));
  return text;
}

}  // namespace bankwise
