#include "next_commands.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace bankwise::cli {

namespace {

struct next_step {
  const char *flags, *what_for;
};
constexpr next_step steps[] = {
    {"--fix", "the padding, swizzle or other change that removes them"},
    {"--all", "every instruction, and the banks of each finding drawn"},
    {"--format html -o report.html", "the same beside source, SASS and PTX, to send on"},
    {"--format json -o before.json", "to compare with: bankwise diff before.json after.json"},
};
constexpr std::size_t most_steps = 3, most_width = 56;  // of commands with their reason behind them

}  // namespace

std::string next_commands(const std::vector<std::string>& words, const style& s) {
  std::vector<std::pair<std::string, const char*>> commands;
  std::size_t width = 0, reasons = 0;
  for (const next_step& step : steps) {
    const std::string flag(split(step.flags, ' ')[0]);
    if (commands.size() == most_steps || std::find(words.begin(), words.end(), flag) != words.end()) continue;
    std::string line = "bankwise " + words.front() + " " + step.flags;
    for (std::size_t i = 1; i < words.size(); ++i) line += " " + shell_word(words[i]);
    width = std::max(width, line.size());
    reasons = std::max(reasons, std::string_view(step.what_for).size());
    commands.emplace_back(std::move(line), step.what_for);
  }
  const bool below = width > most_width || (s.fits && 2 + width + 4 + reasons > s.width);
  std::string text = "\nnext:\n";
  for (const auto& [line, what_for] : commands)
    text += below ? std::string("  # ") + what_for + "\n  " + line + "\n"
                  : "  " + pad_right(line, width) + "  # " + what_for + "\n";
  return text;
}

}  // namespace bankwise::cli
