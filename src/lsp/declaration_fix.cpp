#include "lsp/declaration_fix.hpp"

#include <algorithm>
#include <ranges>

#include "base/format.hpp"
#include "expr/parse/declaration.hpp"
#include "source/declaration.hpp"
#include "source/shared_declarations.hpp"

namespace bankwise::lsp {

namespace {

std::uint32_t line_of(std::string_view source, std::size_t offset) {
  return static_cast<std::uint32_t>(
      1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

bool is_sum_or_less(std::string_view extent) {
  return extent.find_first_of("?:|&^<>=!,") == std::string_view::npos;  // these operators bind less tightly than +
}

}  // namespace

std::optional<source_edit> declaration_fix(std::string_view source, const known_fix& fix, const std::string& kernel,
                                           std::uint32_t line) {
  const auto before = expr::parse_array(fix.array, {});
  const auto after = expr::parse_array(fix.code.substr(0, fix.code.find(';')), {});
  if (!before || !after || before->name != after->name || before->extents.size() < 2 ||
      before->extents.size() != after->extents.size() || after->extents.back() <= before->extents.back() ||
      !std::equal(before->extents.begin(), before->extents.end() - 1, after->extents.begin()))
    return std::nullopt;
  const std::uint64_t more = after->extents.back() - before->extents.back();
  const std::vector<source::shared_declaration> all = source::shared_declarations(source);
  for (const source::shared_declaration& d : std::views::reverse(all)) {
    const std::uint32_t at = line_of(source, d.begin);
    if (d.name != before->name || at > line) continue;
    const auto meant = source::find_declaration(source, {before->name, expr::bytes_of(*before), at + 1, kernel});
    if (!meant || meant->extents != before->extents || d.extents != before->extents.size()) return std::nullopt;
    // Wide accesses need aligned rows, and a longer extent does not align rows. There is no edit if the fix needs an
    // alignment that the declaration lacks.
    const std::string_view declared =
        source.substr(source.rfind('\n', d.begin) + 1, d.begin - source.rfind('\n', d.begin) - 1);
    if (fix.code.find("__align__") != std::string::npos && declared.find("align") == std::string_view::npos)
      return std::nullopt;
    const std::string extent(source.substr(d.last_begin, d.last_end - d.last_begin));
    source_edit e{d.last_begin, d.last_end, {}, {}};
    e.by = formatted("{} + {}", is_sum_or_less(extent) ? extent : formatted("({})", extent), more);
    e.title = std::string(source.substr(d.begin, d.last_begin - d.begin)) + e.by +
              std::string(source.substr(d.last_end, d.end - d.last_end));
    std::replace_if(
        e.title.begin(), e.title.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return e;
  }
  return std::nullopt;
}

}  // namespace bankwise::lsp
