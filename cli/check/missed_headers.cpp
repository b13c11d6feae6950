#include "cli/check/missed_headers.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "base/system/files.hpp"
#include "base/text.hpp"
#include "cli/check/system_folders.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

struct asked_name {
  std::string name;
  bool quoted = false;
  bool only_asked = false;  // whether only __has_include names the file

  friend bool operator<(const asked_name& a, const asked_name& b) {
    return std::tie(a.name, a.quoted, a.only_asked) < std::tie(b.name, b.quoted, b.only_asked);
  }
};

// Adds the included name, <name> or "name", at the start of `rest`. Ignores a name that comes from a macro.
void take_name(std::string_view rest, bool only_asked, std::set<asked_name>& to) {
  rest = trim(rest);
  if (only_asked && rest.starts_with('(')) rest = trim(rest.substr(1));
  if (rest.empty() || (rest[0] != '<' && rest[0] != '"')) return;
  const bool quoted = rest[0] == '"';
  const std::size_t end = rest.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos || end == 1 || end > 1000) return;
  to.insert({std::string(rest.substr(1, end - 1)), quoted, only_asked});
}

std::set<asked_name> names_in(const std::string& text) {
  std::set<asked_name> names;
  for (const std::string_view line : split(text, '\n')) {
    constexpr std::string_view asks = "__has_include";
    for (std::size_t at = line.find(asks); at != std::string_view::npos; at = line.find(asks, at + 1)) {
      std::string_view rest = line.substr(at + asks.size());
      if (rest.starts_with("_next")) rest.remove_prefix(5);
      take_name(rest, true, names);
    }
    std::string_view rest = trim(line);
    if (!rest.starts_with('#')) continue;
    rest = trim(rest.substr(1));
    for (const std::string_view word : {"include_next", "include", "import"})
      if (rest.starts_with(word)) {
        take_name(rest.substr(word.size()), false, names);
        break;
      }
  }
  return names;
}

}  // namespace

header_search read_header_search(std::string_view said) {
  header_search search;
  std::vector<std::string>* to = nullptr;
  for (const std::string_view line : split(said, '\n')) {
    if (line.starts_with("#include \"...\" search starts here")) {
      search = {};  // if the output contains several compilations, only the last one counts
      to = &search.quoted;
    } else if (line.starts_with("#include <...> search starts here")) {
      to = &search.angled;
    } else if (line.starts_with("End of search list")) {
      to = nullptr;
    } else if (to != nullptr && line.starts_with(' ')) {
      to->emplace_back(trim(line));
    }
  }
  return search;
}

asked_headers find_asked_headers(const std::vector<std::string>& sources, const header_search& search,
                                 const std::string& folder) {
  std::set<std::string> missing, found;
  std::map<std::string, bool> known;
  const auto is_there = [&](const std::string& path) {
    const auto [at, is_new] = known.try_emplace(path);
    std::error_code ec;
    if (is_new) at->second = fs::is_regular_file(fs::path(folder) / path, ec);
    return at->second;
  };
  for (const std::string& source : sources) {
    const auto text = read_file((fs::path(folder) / source).string());
    if (!text) continue;
    const std::string beside = fs::path(source).parent_path().string();
    for (const asked_name& asked : names_in(*text)) {
      std::vector<std::string> places;
      if (asked.name.starts_with('/')) {
        places.emplace_back("");
      } else {
        if (asked.quoted) {
          places.push_back(beside);
          places.insert(places.end(), search.quoted.begin(), search.quoted.end());
        }
        places.insert(places.end(), search.angled.begin(), search.angled.end());
      }
      std::vector<std::string> before;
      bool is_found = false;
      for (const std::string& place : places) {
        const std::string path = (fs::path(place) / asked.name).lexically_normal().string();
        is_found = is_there(path);
        if (is_found && asked.only_asked) found.insert(path);
        if (is_found) break;
        if (!is_of_system(place)) before.push_back(path);
      }
      // If no folder contains an included file, its #include is in code that is not compiled.
      if (is_found || asked.only_asked) missing.insert(before.begin(), before.end());
    }
  }
  return {{missing.begin(), missing.end()}, {found.begin(), found.end()}};
}

}  // namespace bankwise::cli
