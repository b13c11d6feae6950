// Applies changes and writes patches. A patch consists of whole lines: the lines with a change, and three lines before
// and after them.
#include "base/text_change.hpp"

#include "base/format.hpp"

#include <algorithm>

namespace bankwise {

namespace {

constexpr std::size_t lines_around = 3;

// Returns the lines of a text, including their line breaks.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

struct block {
  std::size_t first = 0, last = 0;  // numbers of the lines that change, from 0; `last` is one past the last line
  std::string after;                // the new text of these lines
};

void add_line(std::string& to, char mark, std::string_view line) {
  to += mark;
  to += line;
  if (!line.ends_with('\n')) to += "\n\\ No newline at end of file\n";
}

}  // namespace

bool in_order(std::vector<text_change>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const text_change& a, const text_change& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
  for (std::size_t i = 1; i < changes.size(); ++i) {
    const text_change &a = changes[i - 1], &b = changes[i];
    if (b.begin < a.end || (b.begin == a.begin && b.end == a.end)) return false;
  }
  return true;
}

std::string changed(std::string_view text, const std::vector<text_change>& changes) {
  std::string to;
  std::size_t at = 0;
  for (const text_change& c : changes) {
    to += text.substr(at, c.begin - at);
    to += c.text;
    at = c.end;
  }
  return to += text.substr(at);
}

std::string unified_patch(std::string_view path, std::string_view text, const std::vector<text_change>& changes) {
  const std::vector<std::string_view> lines = lines_of(text);
  const auto begin_of = [&](std::size_t line) {
    return line < lines.size() ? static_cast<std::size_t>(lines[line].data() - text.data()) : text.size();
  };
  std::vector<block> blocks;
  for (std::size_t c = 0, line = 0; c < changes.size();) {
    while (line + 1 < lines.size() && begin_of(line + 1) <= changes[c].begin) ++line;
    block b{line, line + 1, {}};
    std::size_t first = c;
    for (; c < changes.size() && changes[c].begin < begin_of(b.last); ++c)
      while (b.last < lines.size() && begin_of(b.last) < changes[c].end) ++b.last;
    if (c == first) break;  // the position is after the last line
    std::vector<text_change> here(changes.begin() + static_cast<std::ptrdiff_t>(first),
                                  changes.begin() + static_cast<std::ptrdiff_t>(c));
    const std::size_t from = begin_of(b.first);
    for (text_change& one : here) one.begin -= from, one.end -= from;
    b.after = changed(text.substr(from, begin_of(b.last) - from), here);
    blocks.push_back(std::move(b));
  }
  std::string patch;
  std::ptrdiff_t moved = 0;  // number of lines that earlier changes added
  for (std::size_t i = 0; i < blocks.size();) {
    std::size_t last = i;
    while (last + 1 < blocks.size() && blocks[last + 1].first <= blocks[last].last + 2 * lines_around) ++last;
    const std::size_t first_line = blocks[i].first - std::min(blocks[i].first, lines_around);
    const std::size_t last_line = std::min(lines.size(), blocks[last].last + lines_around);
    std::string body;
    std::size_t at = first_line, count = 0;
    for (std::size_t n = i; n <= last; ++n) {
      for (; at < blocks[n].first; ++at, ++count) add_line(body, ' ', lines[at]);
      const std::vector<std::string_view> after = lines_of(blocks[n].after);
      std::size_t same = 0;  // number of lines at the beginning of the block that the change keeps
      for (; at < blocks[n].last && same < after.size() && after[same] == lines[at]; ++at, ++same, ++count)
        add_line(body, ' ', lines[at]);
      for (; at < blocks[n].last; ++at) add_line(body, '-', lines[at]);
      for (; same < after.size(); ++same, ++count) add_line(body, '+', after[same]);
    }
    for (; at < last_line; ++at, ++count) add_line(body, ' ', lines[at]);
    const auto new_first = static_cast<std::ptrdiff_t>(first_line) + moved;
    patch += formatted("@@ -{},{} +{},{} @@\n{}", first_line + 1, last_line - first_line, new_first + 1, count, body);
    moved += static_cast<std::ptrdiff_t>(count) - static_cast<std::ptrdiff_t>(last_line - first_line);
    i = last + 1;
  }
  if (patch.empty()) return patch;
  const std::string name(path);
  return formatted("--- a/{}\n+++ b/{}\n{}", name, name, patch);
}

}  // namespace bankwise
