#include "lsp/answers.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "lsp/line_texts.hpp"
#include "model/instances.hpp"
#include "report/sections/time_report.hpp"
#include "source/text.hpp"

namespace bankwise::lsp {

namespace {

enum class shown_as { error = 1, warning, information, hint };

shown_as shown(const check::finding& f) {
  if (f.what->level == check::severity::error) return shown_as::error;
  if (f.compared == check::novelty::known) return shown_as::information;
  return f.what->level == check::severity::warning ? shown_as::warning : shown_as::information;
}

// Puts a text into a code block. Backticks become quotes, because they could end the block.
std::string fenced(const std::string& text) {
  std::string s = printable_lines(text);
  std::replace(s.begin(), s.end(), '`', '\'');
  return formatted("```text\n{}{}```", s, s.ends_with('\n') ? "" : "\n");
}

// Returns "transpose_plain, grid 2, 2, block 32, 8: about 12.3 us on an H100 SXM ...", for example.
std::string time_of_launch(const noted_site& one) {
  const std::string time = time_line(one.in->what, *one.launch);
  if (time.empty()) return {};
  return formatted("{}, grid {}, block {}: {}\n", shown_name(*one.launch), triple(one.launch->grid),
                   triple(one.launch->block), time);
}

// Returns the times of a kernel's launches if this line defines the kernel.
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

}  // namespace bankwise::lsp
