#include "model/run_options.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace bankwise {

std::vector<std::pair<std::string, std::string>> environment_of(const run_options& o) {
  std::vector<std::pair<std::string, std::string>> variables;
  const auto add = [&](const char* name, bool is_set, const std::string& value) {
    if (is_set) variables.emplace_back(name, value);
  };
#define SWITCH(name, flag, variable, meaning) add(variable, o.name, "1");
#define NUMBER(type, name, least, most, word, flag, variable, meaning) \
  add(variable, o.name != 0, std::to_string(o.name));
#define SECONDS(name, flag, variable, meaning) add(variable, o.name.count() != 0, std::to_string(o.name.count()));
#define TEXT(name, flag, variable, meaning) add(variable, !o.name.empty(), o.name);
#include "model/run_options.def"
  return variables;
}

run_options options_of_environment(const std::function<const char*(const char* name)>& variable,
                                   const std::function<void(const char* name, const char* value)>& ignored) {
  const auto number_of = [&](const char* name, std::uint64_t most) -> std::uint64_t {
    const char* const text = variable(name);
    if (text == nullptr) return 0;
    const auto n = parse_u64(text);
    if (!n) ignored(name, text);
    return std::min(n.value_or(0), most);
  };
  const auto is_on = [](const char* text) { return text != nullptr && std::string_view(text) != "off"; };
  constexpr std::uint64_t most_milliseconds = std::uint64_t{1} << 40;
  run_options o;
#define SWITCH(name, flag, named, meaning) o.name = is_on(variable(named));
#define NUMBER(type, name, least, most, word, flag, named, meaning) o.name = static_cast<type>(number_of(named, most));
#define SECONDS(name, flag, named, meaning) o.name = std::chrono::milliseconds(number_of(named, most_milliseconds));
#define TEXT(name, flag, named, meaning) \
  if (const char* const text = variable(named)) o.name = text;
#include "model/run_options.def"
  return o;
}

}  // namespace bankwise
