#include "report/table/source_excerpt.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/text.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

// A subscript "name[" that is not inside another subscript.
struct subscript {
  std::string_view name;
  std::size_t at = 0;
};

std::vector<subscript> subscripts_of(std::string_view line) {
  std::vector<subscript> list;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ']' && depth != 0) --depth;
    if (line[i] != '[') continue;
    std::size_t begin = i;
    while (begin > 0 && is_name_character(line[begin - 1])) --begin;
    if (depth++ == 0 && begin != i) list.push_back({line.substr(begin, i - begin), begin});
  }
  return list;
}

// Returns the position of the last assignment on the line, or the end of the line if there is no assignment.
std::size_t assignment_in(std::string_view line) {
  for (std::size_t i = line.size(); i-- > 1;)
    if (line[i] == '=' && (i + 1 == line.size() || line[i + 1] != '=') &&
        std::string_view("=<>!").find(line[i - 1]) == std::string_view::npos)
      return i;
  return line.size();
}

// Returns the position in the line where the access begins.
std::size_t access_in(std::string_view line, const site& s, const std::string& array) {
  const std::vector<subscript> all = subscripts_of(line);
  if (all.empty()) return 0;
  const std::size_t assigned = assignment_in(line);
  const bool stores = s.op.spelling.starts_with("st");
  const bool by_name = std::any_of(all.begin(), all.end(), [&](const subscript& one) { return one.name == array; });
  const subscript* found = nullptr;
  for (const subscript& one : all) {
    if (by_name && one.name != array) continue;
    const bool is_side = assigned == line.size() || (one.at < assigned) == stores;
    // For a store, the last subscript is used, because the line may begin with the head of a loop.
    if (is_side && (found == nullptr || stores)) found = &one;
  }
  return found != nullptr ? found->at : by_name ? line.find(formatted("{}[", array)) : all.front().at;
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

}  // namespace

std::string source_excerpt(const std::string& line, const site& s, const std::string& array, std::size_t width) {
  constexpr std::string_view dots = "...";
  if (display_width(line) <= width || width < 2 * dots.size()) return shortened(line, width);
  const std::size_t at = access_in(line, s, array);
  if (at + dots.size() < width / 2) return shortened(line, width);
  // The excerpt begins at the access. If the rest of the line is shorter than the available width, the excerpt begins
  // earlier.
  std::size_t begin = std::min(at, line.size() - std::min(line.size(), width - dots.size()));
  while (begin < line.size() && !begins_character(line[begin])) ++begin;
  return std::string(dots) + shortened(line.substr(begin), width - dots.size());
}

std::string array_of(const launch_report& l, const site& s) {
  for (const known_fix& fix : l.fixes)
    for (const auto& [function, pc] : fix.sites) {
      if (function != s.function || pc != s.pc) continue;
      // `array` is a declaration such as "float tile[32][32]", or a name such as "tile"
      const std::string_view title = std::string_view(fix.array).substr(0, fix.array.find('['));
      return std::string(title.substr(title.rfind(' ') + 1));
    }
  return {};
}

}  // namespace bankwise
