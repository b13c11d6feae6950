#include "tune/dimension.hpp"

#include <algorithm>
#include <optional>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise::tune {

namespace {

// Reads the values of one dimension.
struct values_reader {
  std::string text;
  std::string what;
  std::vector<std::string> values = {};

  diagnostic wrong(std::string_view part, std::string message, std::string hint = {}) const {
    const std::size_t at = static_cast<std::size_t>(part.data() - text.data());
    return {std::move(message),
            {.file = what,
             .line = 1,
             .column = static_cast<std::uint32_t>(at + 1),
             .length = static_cast<std::uint32_t>(std::max<std::size_t>(1, part.size())),
             .source_line = text},
            std::move(hint)};
  }

  std::optional<diagnostic> add(std::string_view part, std::string value) {
    if (std::find(values.begin(), values.end(), value) != values.end())
      return wrong(part, formatted("the value {} is listed twice", value));
    if (values.size() == most_values)
      return wrong(part, formatted("a dimension has at most {} values", grouped(most_values)));
    values.push_back(std::move(value));
    return std::nullopt;
  }

  // Reads a range such as 8..64:*2 or 1..4.
  std::optional<diagnostic> add_range(std::string_view part, std::size_t dots) {
    const std::string_view rest = part.substr(dots + 2);
    const std::size_t colon = rest.find(':');
    const auto first = parse_i64(trim(part.substr(0, dots))), last = parse_i64(trim(rest.substr(0, colon)));
    const char* const forms = "a range is 1..4, 0..32:+8 or 8..64:*2";
    if (!first || !last) return wrong(part, "the range needs two whole numbers", forms);
    if (*first > *last) return wrong(part, formatted("the range is empty: {} is above {}", *first, *last));
    bool multiplies = false;
    std::int64_t step = 1;
    if (colon != std::string_view::npos) {
      const std::string_view by = trim(rest.substr(colon + 1));
      const auto number = by.empty() ? std::nullopt : parse_i64(by.substr(1));
      if (!number || (by[0] != '+' && by[0] != '*')) return wrong(rest.substr(colon + 1), "unknown step", forms);
      multiplies = by[0] == '*';
      step = *number;
      if (multiplies ? step < 2 || *first < 1 : step < 1)
        return wrong(rest.substr(colon + 1), "with this step, the range does not grow",
                     multiplies ? "the first value must be at least 1, and the factor at least 2"
                                : "the step must be at least 1");
    }
    for (std::int64_t value = *first; value <= *last;) {
      if (auto bad = add(part, std::to_string(value))) return bad;
      if (multiplies ? __builtin_mul_overflow(value, step, &value) : __builtin_add_overflow(value, step, &value)) break;
    }
    return std::nullopt;
  }
};

}  // namespace

bool is_dimension_name(std::string_view name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

result<dimension> parse_dimension(std::string_view given, std::string_view what) {
  values_reader reader{std::string(given), std::string(what)};
  const std::string_view text = reader.text;
  const std::size_t equals = text.find('=');
  const std::string_view name = trim(text.substr(0, equals));
  if (!is_dimension_name(name))
    return reader.wrong(text.substr(0, equals), "expected a name, such as TILE", "for example: TILE=16,32,64");
  if (equals == std::string_view::npos)
    return reader.wrong(text, formatted("{} has no values", name), formatted("for example: {}=16,32,64", name));
  for (const std::string_view part : split(text.substr(equals + 1), ',')) {
    if (trim(part).empty()) return reader.wrong(part, "a value is missing");
    const std::size_t dots = part.find("..");
    if (auto bad =
            dots != std::string_view::npos ? reader.add_range(part, dots) : reader.add(part, std::string(trim(part))))
      return *bad;
  }
  return dimension{std::string(name), std::move(reader.values)};
}

}  // namespace bankwise::tune
