#include "source_files.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "base/text.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t most_source_bytes = std::uintmax_t{1} << 24;
constexpr std::size_t most_line_bytes = 240;

// The name comes from the cubin, which may name anything: no key, no password file gets into a report that people send
// around.
bool is_source(const std::string& file) {
  static constexpr std::string_view endings[] = {".c",   ".cc",  ".cpp", ".cu",  ".cuh", ".cxx", ".h", ".hh",
                                                 ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".py",  ".rs"};
  return std::any_of(std::begin(endings), std::end(endings), [&](std::string_view e) { return file.ends_with(e); });
}

// One that goes to terminals and into tables.
std::string printable(std::string_view line) {
  std::string s(trim(line));
  std::replace_if(
      s.begin(), s.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }, ' ');
  if (s.size() <= most_line_bytes) return s;
  std::size_t end = most_line_bytes;
  while (end > 0 && (static_cast<unsigned char>(s[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return s.substr(0, end);
}

}  // namespace

std::optional<fs::path> source_files::find(const std::string& file) const {
  if (!is_source(file)) return std::nullopt;
  const fs::path name = fs::path(file).filename();
  for (const fs::path& candidate : {fs::path(file), folder_ / name, name}) {
    std::error_code ec;
    if (!fs::is_regular_file(candidate, ec)) continue;
    if (const std::uintmax_t bytes = fs::file_size(candidate, ec); ec || bytes > most_source_bytes) continue;
    return candidate;
  }
  return std::nullopt;
}

std::optional<std::string> source_files::text(const std::string& file) const {
  const auto path = find(file);
  if (!path) return std::nullopt;
  auto text = read_file(path->string());
  if (!text || text->find('\0') != std::string::npos) return std::nullopt;
  return std::move(*text);
}

std::string source_files::line(const std::string& file, std::uint32_t number) {
  auto [entry, is_new] = lines_.try_emplace(file);
  if (const auto whole = is_new ? text(file) : std::nullopt)
    for (const std::string_view l : split(*whole, '\n')) entry->second.emplace_back(l);
  return number >= 1 && number <= entry->second.size() ? entry->second[number - 1] : "";
}

void add_source_lines(report& r, source_files& sources) {
  const auto add = [&](const std::string& file, std::uint32_t line, std::string& text) {
    if (line != 0 && text.empty()) text = printable(sources.line(file, line));
  };
  for (launch_report& l : r.launches) {
    for (site& s : l.sites) add(s.file, s.line, s.text);
    for (out_of_bounds_access& a : l.out_of_bounds) add(a.place.file, a.place.line, a.place.text);
  }
}

std::string path_from(const fs::path& root, const source_files& sources, const std::string& file) {
  if (file.empty()) return file;
  std::error_code ec;
  const fs::path from = fs::weakly_canonical(root, ec);
  const auto below = [&](const fs::path& candidate) -> std::string {
    if (!fs::is_regular_file(candidate, ec)) return {};
    const fs::path relative = fs::weakly_canonical(candidate, ec).lexically_relative(from);
    return relative.empty() || relative.begin()->string() == ".." ? "" : relative.generic_string();
  };
  if (const std::string path = below(file); !path.empty()) return path;
  // It was compiled elsewhere: the longest end of its path that is a file here.
  for (fs::path rest = fs::path(file).relative_path(); !rest.empty();) {
    if (const std::string path = below(from / rest); !path.empty()) return path;
    fs::path shorter;
    for (auto part = std::next(rest.begin()); part != rest.end(); ++part) shorter /= *part;
    rest = std::move(shorter);
  }
  const std::string path = below(sources.beside_input(file));
  return path.empty() ? file : path;
}

}  // namespace bankwise::cli
