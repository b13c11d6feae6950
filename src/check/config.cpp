#include "check/config.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "base/toml.hpp"
#include "base/toml_trap.hpp"
#include "check/finding_kinds.hpp"

namespace bankwise::check {

namespace {

constexpr std::size_t most_config_bytes = std::size_t{1} << 20;
constexpr std::size_t most_budgets = 10'000, most_runs = 1'000, most_ignores = 10'000;
constexpr std::size_t most_word = 200, most_command = 10'000;  // limits for the length of a word and of a command
constexpr const char* top_keys[] = {"reports", "baseline", "fail-on", "cache", "run", "budget", "ignore"};
constexpr const char* ignore_keys[] = {"finding", "kernel", "line", "reason"};
constexpr const char* run_keys[] = {"name", "command", "inputs", "budget"};

// Returns the names of the keys of a budget, and of its limits only.
std::vector<std::string> limit_keys() {
  std::vector<std::string> keys;
  for (const limit_row& row : limit_rows) keys.emplace_back(row.key);
  return keys;
}
std::vector<std::string> budget_keys() {
  std::vector<std::string> keys = limit_keys();
  keys.insert(keys.begin(), {"kernel", "line"});
  return keys;
}

// Returns a text such as "wavefronts, excess or removable".
std::string one_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words)
    text += formatted("{}{}", text.empty() ? "" : &w == &words.back() ? " or " : ", ", w);
  return text;
}

// Returns the kinds of findings that a word of an [[ignore]] names: a number, or what a check of run finds in kernels.
std::vector<std::string> kinds_to_ignore(const std::string& word) {
  struct check_kinds {
    std::string_view word;
    std::vector<std::string_view> ids;
  };
  static const check_kinds all[] = {{"memory", {out_of_bounds}},
                                    {"race", {race, doubtful_synchronisation, other_results}},
                                    {"init", {uninitialised_read}},
                                    {"sync", {wrong_synchronisation, doubtful_synchronisation}}};
  for (const check_kinds& c : all)
    if (c.word == word) return {c.ids.begin(), c.ids.end()};
  const finding_kind* const k = find_kind(word);
  return k == nullptr || !can_be_ignored(*k) ? std::vector<std::string>()
                                             : std::vector<std::string>{std::string(k->id)};
}

class config_reader {
 public:
  config_reader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  result<config> read() {
    if (const auto trap = find_toml_trap(text_, name_, "a budget begins with [[budget]]")) return *trap;
    const toml::parse_result parsed = toml::parse(text_, name_);
    if (!parsed) {
      const toml::parse_error& e = parsed.error();
      return error(e.source(), formatted("not valid TOML: {}", printable(e.description().substr(0, 200))));
    }
    const toml::table& table = parsed.table();
    config c;
    c.name = name_;
    check_keys(table, top_keys);
    for (const auto& [key, value] : table) {
      if (key == "reports") c.reports = words(value, "reports");
      if (key == "baseline") c.baseline = word(value, "baseline");
      if (key == "fail-on") {
        c.fails = parse_fail_on(word(value, "fail-on"));
        if (!c.fails) fail(value, "fail-on must be one of \"new\", \"any\", \"budget\", \"never\"");
      }
      if (key == "cache") c.cache = word(value, "cache");
      if (key == "budget") read_budgets(value, {}, c.budgets);
      if (key == "run") read_runs(value, c);
      if (key == "ignore") read_ignores(value, c);
    }
    if (wrong_) return *wrong_;
    return c;
  }

 private:
  diagnostic error(const toml::source_region& at, std::string message, std::string hint = {}) const {
    location where{.file = name_};
    where.line = at.begin.line;
    where.column = at.begin.column;
    const std::vector<std::string_view> lines = split(text_, '\n');
    if (where.line >= 1 && where.line <= lines.size()) {
      const std::string_view line = lines[where.line - 1];
      // The source line is shown only if it is short and all of its characters are ASCII. In other lines, the column is
      // not the byte position, because toml++ counts characters.
      bool plain = line.size() <= 200;
      for (const char c : line) plain = plain && ((c >= ' ' && c < '\x7f') || c == '\t' || c == '\r');
      if (plain) where.source_line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    }
    return {std::move(message), std::move(where), std::move(hint)};
  }
  // Records an error, unless there is an earlier error.
  void fail(const toml::node& n, const std::string& message, const std::string& hint = {}) {
    if (!wrong_) wrong_ = error(n.source(), message, hint);
  }

  void check_keys(const toml::table& t, const auto& known) {
    for (const auto& [key, value] : t) {
      std::vector<std::string> names(std::begin(known), std::end(known));
      bool found = false;
      for (const std::string& k : names) found |= k == key.str();
      if (found || wrong_) continue;
      const std::string name = printable(key.str().substr(0, 200));
      const std::vector<std::string> near = nearest(name, names, 1);
      std::string all;
      for (const std::string& k : names) all += (all.empty() ? "" : ", ") + k;
      wrong_ =
          error(key.source(), formatted("unknown key '{}'", name),
                near.empty() ? formatted("the possible keys are {}", all) : formatted("did you mean {}?", near[0]));
    }
  }

  std::string word(const toml::node& n, const char* key, std::size_t most = most_word) {
    const auto* s = n.as_string();
    if (s == nullptr || s->get().empty() || s->get().size() > most || !is_printable(s->get())) {
      fail(n, formatted("{} must be a text in quotes", key));
      return {};
    }
    return s->get();
  }
  std::vector<std::string> words(const toml::node& n, const char* key) {
    std::vector<std::string> list;
    if (const toml::array* a = n.as_array(); a == nullptr)
      fail(n, formatted("{} must be a list, such as [\"a.json\"]", key));
    else
      for (const toml::node& one : *a) list.push_back(word(one, key));
    return list;
  }
  std::uint64_t number(const toml::node& n, const char* key) {
    const auto* i = n.as_integer();
    if (i == nullptr || i->get() < 0) {
      fail(n, formatted("{} must be a whole number of 0 or more", key));
      return 0;
    }
    return static_cast<std::uint64_t>(i->get());
  }

  // Calls a function for each table of a list of tables.
  void read_tables(const toml::node& n, const std::string& key, std::size_t most, const auto& known,
                   const auto& read_one) {
    const toml::array* list = n.as_array();
    const std::string bare = key.substr(key.rfind('.') + 1),
                      hint = formatted("begin each of these entries with [[{}]]", key);
    if (list == nullptr || list->size() > most) {
      fail(n, formatted("{}: expected tables{}", bare, list != nullptr ? formatted(", at most {}", grouped(most)) : ""),
           hint);
      return;
    }
    for (const toml::node& one : *list) {
      const toml::table* t = one.as_table();
      if (t == nullptr) {
        fail(one, formatted("{}: expected a table", bare), hint);
        return;
      }
      check_keys(*t, known);
      read_one(*t);
    }
  }

  void read_runs(const toml::node& n, config& c) {
    read_tables(n, "run", most_runs, run_keys, [&](const toml::table& t) {
      run_entry r;
      r.config_line = t.source().begin.line;
      for (const auto& [key, value] : t) {
        if (key == "name") {
          r.name = word(value, "name");
          if (!is_file_name(r.name))
            fail(value,
                 "the name of this run contains a character that is not allowed. Use only letters, digits, -, _ and ., "
                 "because the name is also the file name of the report");
          for (const run_entry& other : c.runs)
            if (other.name == r.name) fail(value, formatted("two runs have the name {}", r.name));
        }
        if (key == "command") r.command = word(value, "command", most_command);
        if (key == "inputs") r.inputs = words(value, "inputs");
      }
      if (r.name.empty())
        fail(t, "this run has no name",
             "add a name, such as name = \"transpose\". The name is also the file name of the report");
      if (r.command.empty())
        fail(t, "this run has no command", "add command = \"...\" with the arguments of `bankwise run`");
      if (const toml::node* budgets = t.get("budget")) read_budgets(*budgets, r.name, c.budgets);
      c.runs.push_back(std::move(r));
    });
  }
  static bool is_file_name(std::string_view name) {
    return name[0] != '.' && name[0] != '-' &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
               std::string_view::npos;
  }

  void read_budgets(const toml::node& n, const std::string& run, std::vector<budget>& budgets) {
    read_tables(n, run.empty() ? "budget" : "run.budget", most_budgets, budget_keys(),
                [&](const toml::table& t) { budgets.push_back(read_budget(t, run)); });
  }

  void read_ignores(const toml::node& n, config& c) {
    read_tables(n, "ignore", most_ignores, ignore_keys, [&](const toml::table& t) {
      ignore_entry e;
      e.config_line = t.source().begin.line;
      for (const auto& [key, value] : t) {
        if (key == "finding")
          for (const std::string& name :
               value.is_array() ? words(value, "finding") : std::vector<std::string>{word(value, "finding")}) {
            const std::vector<std::string> ids = kinds_to_ignore(name);
            if (ids.empty())
              fail(value, formatted("'{}' is not the number of a finding that can be ignored", name),
                   "write race, init, memory, sync, or a number such as BW403");
            e.findings.insert(e.findings.end(), ids.begin(), ids.end());
            if (!name.starts_with("BW") && !name.starts_with("bw")) e.checks.push_back(name);
          }
        if (key == "kernel") e.kernel = word(value, "kernel");
        if (key == "line") read_place(value, e.file, e.line);
        if (key == "reason") e.reason = word(value, "reason");
      }
      if (e.findings.empty()) fail(t, "this entry names no finding", "add finding = \"race\", or a number of a kind");
      if (e.reason.empty()) fail(t, "this entry gives no reason", "add reason = \"...\"");
      const auto has_no_line = [](const std::string& id) { return id == wrong_call || id == doubtful_call; };
      if (const toml::node* line = t.get("line");
          line != nullptr && std::all_of(e.findings.begin(), e.findings.end(), has_no_line))
        fail(*line,
             formatted("{} and {} are about calls of the program, which have no line", wrong_call, doubtful_call),
             "leave out the key line");
      c.ignores.push_back(std::move(e));
    });
  }

  // Reads a place such as "transpose.cu:18".
  void read_place(const toml::node& n, std::string& file, std::uint32_t& number) {
    const std::string place = word(n, "line");
    const std::size_t colon = place.rfind(':');
    const auto line = colon == std::string::npos ? std::nullopt : parse_u64(place.substr(colon + 1));
    if (!line || *line < 1 || *line > 0xffffffff || colon == 0)
      fail(n, "the key line must be a file and a line number, such as \"transpose.cu:18\"");
    else
      number = static_cast<std::uint32_t>(*line);
    file = place.substr(0, colon);
  }

  limit read_limit(const limit_row& row, const toml::node& n) {
    limit l{&row};
    if (row.form == limit_form::number) {
      l.most = number(n, row.key);
      return l;
    }
    constexpr double most_microseconds = 1e12;
    const bool is_ratio = row.form == limit_form::ratio;
    const auto r = n.value<double>();
    if (!r || !std::isfinite(*r) || *r < (is_ratio ? 1 : 0) || (!is_ratio && *r > most_microseconds))
      fail(n, is_ratio ? formatted("the key {} must be a number of 1 or more: the {} divided by the {}", row.key,
                                   l.of().many, row_of(l.of().ideal).many)
                       : formatted("the key {} must be a number: the time of one launch in microseconds", row.key));
    else if (is_ratio)
      l.ratio = *r;
    else
      l.most = static_cast<std::uint64_t>(*r * 1000 + 0.5);
    return l;
  }

  budget read_budget(const toml::table& t, const std::string& run) {
    budget b;
    b.run = run;
    if (!run.empty()) b.kernel = "*";
    b.config_line = t.source().begin.line;
    for (const auto& [key, value] : t) {
      if (key == "kernel") b.kernel = word(value, "kernel");
      if (key == "line") read_place(value, b.file, b.line);
    }
    for (const limit_row& row : limit_rows)
      if (const toml::node* value = t.get(row.key)) b.limits.push_back(read_limit(row, *value));
    if (b.kernel.empty()) fail(t, "this budget has no kernel", "kernel = \"*\" matches every kernel");
    if (b.limits.empty())
      fail(t, "this budget has no limit", formatted("add one of the keys {}", one_of(limit_keys())));
    std::vector<std::string> of_time;
    for (const limit_row& row : limit_rows)
      if (row_of(row.of).record == measure_record::time) of_time.emplace_back(row.key);
    if (b.line != 0 && b.has({measure_record::time}))
      fail(t, formatted("the keys {} limit a whole launch, but this budget is for a line", enumerated(of_time)),
           "write a second budget for the kernel, without the key line");
    return b;
  }

  std::string_view text_;
  const std::string& name_;
  std::optional<diagnostic> wrong_;
};

}  // namespace

std::optional<fail_on> parse_fail_on(std::string_view word) {
  if (word == "new") return fail_on::fresh;
  if (word == "any") return fail_on::any;
  if (word == "budget") return fail_on::budget;
  if (word == "never") return fail_on::never;
  return std::nullopt;
}

std::string limit::text() const {
  if (row->form == limit_form::ratio) return fixed(ratio, 2);
  if (row->form == limit_form::number) return std::to_string(most);
  std::uint64_t step = 1;  // nanoseconds
  int decimals = 3;
  for (std::uint64_t rest = most; rest >= 1000; rest /= 10) {
    step *= 10;
    decimals = std::max(decimals - 1, 0);
  }
  return fixed(static_cast<double>((most + step - 1) / step * step) / 1000, decimals);
}

const limit* budget::find(std::string_view key) const {
  const auto at = std::find_if(limits.begin(), limits.end(), [&](const limit& l) { return key == l.row->key; });
  return at == limits.end() ? nullptr : &*at;
}

bool budget::has(std::initializer_list<measure_record> records) const {
  return std::any_of(limits.begin(), limits.end(), [&](const limit& l) {
    return std::find(records.begin(), records.end(), l.of().record) != records.end();
  });
}

result<config> read_config(std::string_view text, const std::string& name) {
  if (text.size() > most_config_bytes)
    return diagnostic{formatted("the configuration has {} bytes, which is more than the limit of {} bytes",
                                grouped(text.size()), grouped(most_config_bytes)),
                      {.file = name}};
  return config_reader(text, name).read();
}

}  // namespace bankwise::check
