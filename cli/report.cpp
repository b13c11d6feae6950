// bankwise report and rule: show a saved report, and explain a kind of finding.
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/input/saved_report.hpp"
#include "cli/line/output.hpp"
#include "cli/line/terminal.hpp"
#include "cli/line/verbs.hpp"
#include "cli/run/present.hpp"
#include "report/forms/kind_page.hpp"

namespace bankwise::cli {

result<int> render_report(const arguments& args) {
  const auto how = read_report_request(args, report_goes::out);
  if (!how) return how.error();
  if (args.positional.size() != 1)
    return diagnostic{
        "bankwise report needs one report", {}, "bankwise run --format json -o report.json writes a report"};
  const std::string& file = args.positional[0];
  auto r = load_report(file);
  if (!r) return r.error();
  const auto status = status_of(*how, *r);
  if (!status) return status.error();
  source_files sources(args, file);
  if (how->is_page()) add_unchanged_sources(*r, sources);
  name_for_readers(*how, *r, sources);
  const auto written = present(*how, *r, {}, sources, file);
  return written ? result<int>(*status) : written.error();
}

namespace {

// Finds kinds of findings by the word that a user typed: BW101, 101, RemovableBankConflict, or words of the title such
// as bank-conflict.
std::vector<const check::finding_kind*> find_kinds(const std::string& word) {
  for (const std::string& id : {word, formatted("BW{}", word)})
    if (const check::finding_kind* const kind = check::find_kind(id)) return {kind};
  const auto plain = [](std::string_view text) {
    std::string s;
    for (const char c : text)
      if (c != ' ' && c != '-' && c != '_') s += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return s;
  };
  std::vector<const check::finding_kind*> kinds;
  const std::string wanted = plain(word);
  constexpr std::size_t least = 4;  // shorter words are in many titles
  for (const check::finding_kind& kind : check::finding_kinds())
    if (plain(kind.name) == wanted ||
        (wanted.size() >= least && (plain(kind.name) + plain(kind.title)).find(wanted) != std::string::npos))
      kinds.push_back(&kind);
  return kinds;
}

diagnostic unknown_kind(const std::string& word, const std::vector<const check::finding_kind*>& similar) {
  if (similar.empty())
    return {formatted("bankwise has no finding with the ID {}", word), {}, "bankwise rule lists all findings"};
  std::string list;
  for (const check::finding_kind* kind : similar) list += formatted("\n    {}  {}", kind->id, kind->title);
  return {formatted("several findings have '{}' in their titles", word), {}, formatted("choose one of{}", list)};
}

}  // namespace

result<int> rule(const arguments& args) {
  const auto format = choice(args, "format", "text", {"text", "markdown"});
  if (!format) return format.error();
  const auto look = output_style(args);
  if (!look) return look.error();
  if (args.positional.size() > 1) return diagnostic{"bankwise rule takes at most one finding, such as BW101"};
  std::string text;
  if (args.positional.empty()) {
    text = *format == "markdown" ? kinds_document() : kind_list(*look);
  } else {
    const auto found = find_kinds(args.positional[0]);
    if (found.size() != 1) return unknown_kind(args.positional[0], found);
    const check::finding_kind* r = found[0];
    text = *format == "markdown" ? kind_markdown(*r) : kind_text(*r, *look);
  }
  const auto written = write_file("", in_form(*format, text, *look));
  return written ? result<int>(exit_clean) : written.error();
}

}  // namespace bankwise::cli
