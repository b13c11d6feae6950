#include "cli/line/next_commands.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise::cli {

namespace {

// Largest number of commands, and largest width of a command in columns, so that the reason is on the same line.
constexpr std::size_t most_steps = 3, most_width = 56;
// Longest command, in columns, that is repeated for each suggestion.
constexpr std::size_t most_common = 60;

struct step {
  std::string flags, what_for;
  bool is_whole = false;  // whether `flags` is a complete command, not flags to add to a command
};

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

// Returns the suggestion to apply the edits with `fix`, for a program or for a report.
step apply_step(const next_facts& facts) {
  const std::string flags = facts.build_flags.empty() ? "" : formatted(" {}", joined(facts.build_flags));
  if (!facts.file.empty())
    return step{formatted("bankwise fix --apply{} -- {}", flags, joined(facts.file)),
                "write the fix into the source code", true};
  return step{"--accesses -o report.json", "then bankwise fix --apply report.json writes the fix into the source code"};
}

std::vector<step> steps_of(const std::vector<std::string>& words, const next_facts& facts) {
  const auto has = [&](const std::string& flag) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& w) { return w == flag || w.starts_with(flag + "="); });
  };
  std::vector<step> list;
  const bool can_check = !has("--check") && !has("--safe") && !has("--counts") && !has("--trace");
  if (facts.failed && can_check)
    list.push_back({"--check all", "look for races and uninitialised reads of shared memory"});
  if ((facts.has_fix && facts.can_apply) || facts.can_remove_delay) list.push_back(apply_step(facts));
  if (!facts.found && !facts.found_sectors) return list;
  if (facts.found && !has("--fix") && (facts.has_fix || facts.has_move || !facts.looked))
    list.push_back({"--fix", "print every fix in full, with its code and its saving"});
  if (!has("--all"))
    list.push_back({"--all", facts.found ? "list every instruction, and draw each finding's banks"
                                         : "list every instruction and every global-memory line"});
  if (!has("--format")) {
    list.push_back({"--format html -o report.html", "write a page with source, SASS and PTX"});
    list.push_back({"--format json -o before.json", "save a report for bankwise diff before.json after.json"});
  }
  if (list.size() > most_steps) list.resize(most_steps);
  return list;
}

}  // namespace

std::string next_commands(const std::vector<std::string>& words, const style& s, const next_facts& facts) {
  const std::vector<step> steps = steps_of(words, facts);
  if (steps.empty()) return {};
  std::vector<std::string> rest(words.begin() + 1, words.end());
  std::erase(rest, "--no-fix");
  const std::string verb = formatted("bankwise {}", words.front()), common = joined(rest);
  const bool is_long = verb.size() + 1 + common.size() > most_common;
  std::vector<std::string> lines;
  std::size_t width = 0, reasons = 0;
  for (const step& one : steps) {
    lines.push_back(is_long || one.is_whole ? one.flags : formatted("{} {} {}", verb, one.flags, common));
    width = std::max(width, lines.back().size());
    reasons = std::max(reasons, one.what_for.size());
  }
  const bool below = width > most_width || (s.fits && 4 + width + 4 + reasons > s.width);
  std::string text =
      is_long ? formatted("\nnext:\n  {} {}\n  with one of these flags added:\n", verb, common) : "\nnext:\n";
  const std::string indent = is_long ? "    " : "  ";
  for (std::size_t i = 0; i < steps.size(); ++i)
    text += below ? formatted("{}# {}\n{}{}\n", indent, steps[i].what_for, indent, lines[i])
                  : formatted("{}{}  # {}\n", indent, pad_right(lines[i], width), steps[i].what_for);
  return text;
}

}  // namespace bankwise::cli
