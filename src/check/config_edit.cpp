#include "check/config_edit.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise::check {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}
std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += formatted("{}\n", line);
  return text;
}

bool is_header(std::string_view line) { return trim(line).starts_with('['); }
bool holds_nothing(std::string_view line) { return trim(line).empty() || trim(line).starts_with('#'); }

// Returns the line of a table's last key. The header of the table is on line `table`.
std::size_t end_of_table(const std::vector<std::string>& lines, std::size_t table) {
  std::size_t end = table + 1;
  for (std::size_t i = table + 1; i < lines.size() && !is_header(lines[i]); ++i)
    if (!holds_nothing(lines[i])) end = i + 1;
  return end;
}

std::string key_of(std::string_view line) {
  std::string_view key = trim(line.substr(0, std::min(line.find('='), line.size())));
  if (key.size() >= 2 && (key[0] == '"' || key[0] == '\'') && key.back() == key[0]) key = key.substr(1, key.size() - 2);
  return std::string(key);
}

// Returns the position of a value, which is a string in quotes or a word.
std::pair<std::size_t, std::size_t> value_in(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t", line.find('=') + 1);
  if (begin == std::string::npos) return {line.size(), line.size()};
  std::size_t end = begin;
  if (const char quote = line[begin]; quote == '"' || quote == '\'') {
    for (end = begin + 1; end < line.size() && line[end] != quote; ++end)
      if (quote == '"' && line[end] == '\\') ++end;
    return {begin, std::min(end + 1, line.size())};
  }
  while (end < line.size() && std::string_view(" \t#\r").find(line[end]) == std::string_view::npos) ++end;
  return {begin, end};
}

void set_in(std::vector<std::string>& lines, std::size_t table, std::string_view key, const std::string& value) {
  const std::size_t end = end_of_table(lines, table);
  for (std::size_t i = table + 1; i < end; ++i) {
    if (holds_nothing(lines[i]) || key_of(lines[i]) != key) continue;
    const auto [begin, after] = value_in(lines[i]);
    lines[i].replace(begin, after - begin, value);
    return;
  }
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(end), formatted("{} = {}", key, value));
}

std::vector<std::string> table_of(const new_budget& n) {
  std::vector<std::string> table = {"[[run.budget]]", formatted("kernel = {}", in_toml(budget_text(n.kernel)))};
  for (const limit& l : n.limits)
    if (l.row->init) table.push_back(formatted("{} = {}", l.row->key, l.text()));
  return table;
}

}  // namespace

std::string in_toml(std::string_view text) {
  // Single quotes keep a backslash as it is.
  if (text.find('\\') != std::string_view::npos && text.find('\'') == std::string_view::npos)
    return formatted("'{}'", text);
  std::string s = "\"";
  for (const char c : text) s += c == '"' || c == '\\' ? formatted("\\{}", c) : std::string(1, c);
  return formatted("{}\"", s);
}

void set_value(std::string& text, std::uint32_t table_line, std::string_view key, const std::string& value) {
  std::vector<std::string> lines = lines_of(text);
  if (table_line == 0 || table_line > lines.size()) return;
  set_in(lines, table_line - 1, key, value);
  text = text_of(lines);
}

std::string with_run(std::string text, const config& known, const run_entry& run,
                     const std::vector<new_budget>& budgets) {
  std::vector<std::string> lines = lines_of(text);
  std::vector<kernel_names> kernels;
  for (const new_budget& n : budgets) kernels.push_back(n.kernel);
  std::vector<const budget*> old;
  std::map<const budget*, std::vector<bool>> is_for;
  for (const budget& b : known.budgets)
    if (b.run == run.name) {
      old.push_back(&b);
      is_for[&b] = kernels_of_budget(b.kernel, kernels);
    }
  // Whether a budget has the limits of this kernel. The budget of a bare name also has those of other instances.
  const auto is_of = [&](const budget& b, std::size_t kernel) {
    const std::vector<bool>& all = is_for[&b];
    return b.line == 0 && all[kernel] &&
           (b.kernel != kernels[kernel].name || std::count(all.begin(), all.end(), true) == 1);
  };
  // The last line is removed first. Otherwise, the other line numbers would become invalid.
  std::sort(old.begin(), old.end(), [](const budget* a, const budget* b) { return a->config_line > b->config_line; });
  std::size_t end = end_of_table(lines, run.config_line - 1);
  if (!old.empty()) end = std::max(end, end_of_table(lines, old.front()->config_line - 1));
  std::vector<std::string> more;
  for (std::size_t i = 0; i < budgets.size(); ++i)
    if (std::none_of(old.begin(), old.end(), [&](const budget* b) { return is_of(*b, i); }))
      for (std::string& line : table_of(budgets[i])) more.push_back(std::move(line));
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(end), more.begin(), more.end());
  for (const budget* b : old) {
    const std::size_t table = b->config_line - 1;
    std::map<std::string, limit> most;  // by key
    bool any = false;
    for (std::size_t i = 0; i < budgets.size(); ++i)
      if (is_for[b][i]) {
        any = true;
        for (const limit& l : budgets[i].limits) {
          limit& highest = most.try_emplace(l.row->key, l).first->second;
          highest.most = std::max(highest.most, l.most);
        }
      }
    if (!any) {
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(table),
                  lines.begin() + static_cast<std::ptrdiff_t>(end_of_table(lines, table)));
    } else if (b->line == 0) {
      for (const auto& [key, highest] : most)
        if (b->find(key) != nullptr) set_in(lines, table, key, highest.text());
    }
  }
  set_in(lines, run.config_line - 1, "command", in_toml(run.command));
  return text_of(lines);
}

}  // namespace bankwise::check
