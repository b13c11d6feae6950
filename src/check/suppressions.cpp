#include "check/suppressions.hpp"

#include <algorithm>
#include <optional>

#include "base/format.hpp"
#include "base/text.hpp"
#include "check/finding_kinds.hpp"

namespace bankwise::check {

namespace {

constexpr std::string_view mark = "bankwise:";
constexpr std::size_t most_reason_bytes = 400;

// Returns the text after "bankwise:" in a comment on this line.
std::optional<std::string_view> after_mark(std::string_view line) {
  for (const std::string_view opening : {"//", "/*", "#"})
    for (std::size_t at = line.find(opening); at != std::string_view::npos; at = line.find(opening, at + 1)) {
      std::string_view rest = trim(line.substr(at + opening.size()));
      if (!rest.starts_with(mark)) continue;
      rest = trim(rest.substr(mark.size()));
      if (rest.ends_with("*/")) rest = trim(rest.substr(0, rest.size() - 2));
      return rest;
    }
  return std::nullopt;
}

bool is_comment(std::string_view line) {
  line = trim(line);
  return line.empty() || line.starts_with("//") || line.starts_with("/*") || line.starts_with("#");
}

suppression read_one(std::string_view words) {
  suppression s;
  const auto refuse = [&](std::string message) {
    if (s.wrong.empty()) s.wrong = std::move(message);
  };
  if (!words.starts_with("ignore")) {
    refuse("expected 'ignore' after 'bankwise:'");
    return s;
  }
  words.remove_prefix(6);
  const std::size_t dashes = words.find("--");
  std::string ids(words.substr(0, dashes));
  std::replace(ids.begin(), ids.end(), ',', ' ');
  for (const std::string_view word : split(ids, ' ')) {
    const std::string_view id = trim(word);
    if (id.empty()) continue;
    const finding_kind* r = find_kind(id);
    if (r == nullptr || !can_be_ignored(*r))
      refuse(formatted(
          "'{}' cannot be ignored, because it is not the ID of a finding, or because it is about a budget or a comment",
          std::string(id.substr(0, 40))));
    else
      s.kinds.emplace_back(r->id);
  }
  if (s.kinds.empty()) refuse("the comment names no finding");
  if (dashes != std::string_view::npos) {
    std::string reason(trim(words.substr(dashes + 2)).substr(0, most_reason_bytes));
    for (char& c : reason)
      if ((c >= 0 && c < ' ') || c == '\x7f') c = ' ';
    s.reason = std::move(reason);
  }
  if (s.reason.empty()) refuse("the comment gives no reason");
  return s;
}

}  // namespace

std::vector<suppression> read_suppressions(std::string_view source) {
  std::vector<suppression> all;
  const std::vector<std::string_view> lines = split(source, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto words = lines[i].find(mark) == std::string_view::npos ? std::nullopt : after_mark(lines[i]);
    if (!words) continue;
    suppression s = read_one(*words);
    s.comment_line = static_cast<std::uint32_t>(i + 1);
    std::size_t about = i;
    if (is_comment(lines[i]))
      while (about + 1 < lines.size() && is_comment(lines[about])) ++about;
    s.line = static_cast<std::uint32_t>(about + 1);
    all.push_back(std::move(s));
  }
  return all;
}

}  // namespace bankwise::check
