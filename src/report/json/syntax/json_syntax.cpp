#include "report/json/syntax/json_syntax.hpp"

#include <algorithm>
#include <cstdint>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

diagnostic syntax_error(std::size_t position, std::string_view text, const std::string& name) {
  const std::string_view before = text.substr(0, std::min(position == 0 ? 0 : position - 1, text.size()));
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 if the error is on the first line
  location where{.file = name};
  where.line = static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n'));
  where.column = static_cast<std::uint32_t>(1 + before.size() - line_begin);
  return {"the JSON is invalid at this place", where,
          formatted("bankwise run {} writes a report that bankwise can read", worded(setting::format, "json"))};
}

}  // namespace

diagnostic error_of(const json_document& document, std::string_view text, const std::string& name) {
  using state = json_document::state;
  switch (document.is()) {
    case state::too_many_values:
      return {formatted("the file has more values than a report of {} bytes can have", grouped(text.size())),
              {.file = name}};
    case state::too_deep:
      return {formatted("the lists and objects of the file are nested more than {} levels deep", most_json_depth),
              {.file = name}};
    case state::key_twice:
      return {formatted("the key \"{}\" occurs twice in the report", printable(document.key_twice().substr(0, 40))),
              {.file = name}};
    default: return syntax_error(document.wrong_at(), text, name);
  }
}

}  // namespace bankwise
