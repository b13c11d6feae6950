#include "tune/space.hpp"

#include <algorithm>
#include <set>

#include "base/csv.hpp"
#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "base/toml.hpp"
#include "base/toml_trap.hpp"

namespace bankwise::tune {

namespace {

constexpr std::size_t most_combinations = 10'000'000;  // that constraints choose from
constexpr std::size_t most_list_bytes = std::size_t{16} << 20;
constexpr const char* list_key = "configuration";

// Whether all constraints are true.
result<bool> is_allowed(const std::vector<std::string>& names, const configuration& c,
                        const std::vector<std::string>& constraints,
                        const std::map<std::string, std::int64_t, std::less<>>& constants) {
  if (constraints.empty()) return true;
  const named_values known = values_of(names, c, constants);
  for (const std::string& text : constraints) {
    const auto value = evaluate(text, known, worded(setting::where));
    if (!value) return value.error();
    if (*value == 0) return false;
  }
  return true;
}

std::optional<diagnostic> refuse_names(const std::vector<std::string>& names,
                                       const std::map<std::string, std::int64_t, std::less<>>& constants) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) return diagnostic{formatted("the name {} is used twice", name)};
    if (constants.contains(name))
      return diagnostic{formatted("{}: a dimension already has this name", worded(setting::let, name))};
  }
  return std::nullopt;
}

std::optional<diagnostic> refuse_size(const space& s) {
  if (s.configurations.empty())
    return diagnostic{"no configuration is left", {}, formatted("check the constraints of {}", worded(setting::where))};
  if (s.configurations.size() > most_configurations)
    return diagnostic{formatted("the space has more than {} configurations", grouped(most_configurations)),
                      {},
                      formatted("add constraints with {}, or leave out values", worded(setting::where))};
  return std::nullopt;
}

// The error for the last configuration of a list, if it is equal to an earlier one.
std::string listed_twice(const space& s) {
  return formatted("the configuration {} is listed twice", text_of(s.names, s.configurations.back()));
}

result<space> read_csv(std::string_view text, const std::string& file) {
  csv_reader rows(text, file);
  space s;
  std::set<std::vector<std::string>> seen;
  const auto head = rows.next();
  if (!head) return head.error();
  if (!*head) return rows.error("the file has no row with names");
  for (const csv_field& f : **head) {
    if (!is_dimension_name(trim(f.text)))
      return rows.error(f, formatted("'{}' is not a name", f.text), "the first row has the names, such as TILE,STAGES");
    s.names.emplace_back(trim(f.text));
  }
  for (;;) {
    const auto row = rows.next();
    if (!row) return row.error();
    if (!*row) return s;
    if ((*row)->size() != s.names.size())
      return rows.error(formatted("{} instead of {}", count_of((*row)->size(), "value"), s.names.size()));
    configuration& c = s.configurations.emplace_back();
    for (const csv_field& f : **row) {
      if (trim(f.text).empty()) return rows.error(f, "the value is missing");
      c.values.emplace_back(trim(f.text));
    }
    if (!seen.insert(c.values).second) return rows.error(listed_twice(s));
    if (s.configurations.size() > most_configurations) return *refuse_size(s);
  }
}

diagnostic error_in(const std::string& file, std::string_view text, const toml::source_region& at,
                    std::string message) {
  const auto lines = split(text, '\n');
  location where{.file = file, .line = at.begin.line, .column = at.begin.column};
  // In a line with other characters, the column is not the byte position, because toml++ counts characters.
  if (where.line > 0 && where.line <= lines.size() &&
      std::all_of(lines[where.line - 1].begin(), lines[where.line - 1].end(),
                  [](char c) { return c >= ' ' && c <= '~'; }))
    where.source_line = std::string(lines[where.line - 1].substr(0, 200));
  return {std::move(message), std::move(where),
          "each configuration is a table [[configuration]] with the same names, such as TILE = 16"};
}

// Returns a number, a word or a flag of TOML as text. Empty for other values.
std::string text_of_value(const toml::node& n) {
  if (const auto number = n.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto word = n.value_exact<std::string>()) return *word;
  if (const auto flag = n.value_exact<bool>()) return *flag ? "1" : "0";
  return "";
}

result<space> read_toml(std::string_view text, const std::string& file) {
  if (const auto trap = find_toml_trap(text, file, "each configuration begins with [[configuration]]")) return *trap;
  const toml::parse_result parsed = toml::parse(text, file);
  if (!parsed)
    return error_in(file, text, parsed.error().source(), printable(parsed.error().description().substr(0, 200)));
  const toml::array* const list = parsed.table().get_as<toml::array>(list_key);
  if (list == nullptr)
    return error_in(file, text, parsed.table().source(), formatted("the file has no table [[{}]]", list_key));
  space s;
  std::set<std::vector<std::string>> seen;
  for (const toml::node& n : *list) {
    const toml::table* const t = n.as_table();
    if (t == nullptr) return error_in(file, text, n.source(), "expected a table");
    if (s.configurations.empty()) {
      if (t->empty()) return error_in(file, text, t->source(), "the first table has no names");
      for (const auto& [key, value] : *t) {
        if (!is_dimension_name(key.str()))
          return error_in(file, text, value.source(), formatted("'{}' is not a name", key.str()));
        s.names.emplace_back(key.str());
      }
    }
    configuration& c = s.configurations.emplace_back();
    for (const std::string& name : s.names) {
      const toml::node* const value = t->get(name);
      if (value == nullptr) return error_in(file, text, t->source(), formatted("{} is missing", name));
      c.values.push_back(text_of_value(*value));
      if (c.values.back().empty())
        return error_in(file, text, value->source(), formatted("{} needs a whole number or a word", name));
    }
    if (t->size() != s.names.size())
      return error_in(file, text, t->source(), "this table has other names than the first one");
    if (!seen.insert(c.values).second) return error_in(file, text, t->source(), listed_twice(s));
    if (s.configurations.size() > most_configurations) return *refuse_size(s);
  }
  return s;
}

}  // namespace

result<space> combine(const std::vector<dimension>& dimensions, const std::vector<std::string>& constraints,
                      const std::map<std::string, std::int64_t, std::less<>>& constants) {
  space s;
  std::size_t count = 1;
  for (const dimension& d : dimensions) {
    s.names.push_back(d.name);
    count *= d.values.size();
    if (count > most_combinations)
      return diagnostic{
          formatted("the dimensions have more than {} combinations", grouped(most_combinations)),
          {},
          formatted("leave out values, or list the configurations in a file with {}", worded_name("configs"))};
  }
  if (const auto wrong = refuse_names(s.names, constants)) return *wrong;
  for (std::size_t n = 0; n < count; ++n) {
    configuration c;
    c.values.resize(dimensions.size());
    for (std::size_t i = dimensions.size(), rest = n; i-- > 0; rest /= dimensions[i].values.size())
      c.values[i] = dimensions[i].values[rest % dimensions[i].values.size()];
    const auto allowed = is_allowed(s.names, c, constraints, constants);
    if (!allowed) return allowed.error();
    if (*allowed) s.configurations.push_back(std::move(c));
    if (s.configurations.size() > most_configurations) break;
  }
  if (const auto wrong = refuse_size(s)) return *wrong;
  return s;
}

result<space> read_configurations(std::string_view text, const std::string& file) {
  if (text.size() > most_list_bytes)
    return diagnostic{formatted("the list has more than {} bytes", grouped(most_list_bytes)), {.file = file}};
  auto s = file.ends_with(".toml") ? read_toml(text, file) : read_csv(text, file);
  if (!s) return s;
  if (s->configurations.empty()) return diagnostic{"the file lists no configuration", {.file = file}};
  return s;
}

result<space> constrain(space all, const std::vector<std::string>& constraints,
                        const std::map<std::string, std::int64_t, std::less<>>& constants) {
  if (const auto wrong = refuse_names(all.names, constants)) return *wrong;
  space s{std::move(all.names), {}};
  for (configuration& c : all.configurations) {
    const auto allowed = is_allowed(s.names, c, constraints, constants);
    if (!allowed) return allowed.error();
    if (*allowed) s.configurations.push_back(std::move(c));
  }
  if (const auto wrong = refuse_size(s)) return *wrong;
  return s;
}

result<shard> parse_shard(std::string_view text, std::string_view what) {
  const std::size_t slash = text.find('/');
  const auto number = parse_u64(text.substr(0, slash));
  const auto of = slash == std::string_view::npos ? std::nullopt : parse_u64(text.substr(slash + 1));
  if (!number || !of || *number < 1 || *number > *of || *of > most_configurations)
    return diagnostic{formatted("{} {}: expected a number of a part and the number of parts", what, text),
                      {},
                      formatted("{} 2/8 is the second of eight parts", what)};
  return shard{static_cast<std::size_t>(*number), static_cast<std::size_t>(*of)};
}

}  // namespace bankwise::tune
