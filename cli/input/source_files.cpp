#include "cli/input/source_files.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/text.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t most_source_bytes = std::uintmax_t{1} << 24;
constexpr std::size_t most_line_bytes = 240;

// Whether the file may be a source. A cubin may name any file. A report, which users share, must not contain a file
// with keys or passwords.
bool is_source(const std::string& file) {
  static constexpr std::string_view endings[] = {".c",   ".cc",  ".cpp", ".cu",  ".cuh", ".cxx", ".h", ".hh",
                                                 ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".py",  ".rs"};
  return std::any_of(std::begin(endings), std::end(endings), [&](std::string_view e) { return file.ends_with(e); });
}

// Returns the line without characters that terminals or tables interpret.
std::string shown(std::string_view line) {
  std::string s(trim(line));
  std::replace(s.begin(), s.end(), '\t', ' ');
  s = printable(s);
  if (s.size() <= most_line_bytes) return s;
  std::size_t end = most_line_bytes;
  // Does not cut inside a character of several bytes.
  while (end > 0 && (static_cast<unsigned char>(s[end]) & 0xc0) == 0x80) --end;
  return s.substr(0, end);
}

// Returns the path of `file` relative to `folder`, both without symbolic links. Returns an empty string if the file is
// not below the folder.
std::string path_below(const fs::path& folder, const fs::path& file) {
  std::error_code ec;
  const fs::path relative = fs::weakly_canonical(file, ec).lexically_relative(fs::weakly_canonical(folder, ec));
  return relative.empty() || *relative.begin() == ".." ? "" : relative.generic_string();
}

// Returns the longest suffix of a path that is a file in one of the folders.
std::optional<fs::path> longest_end(fs::path path, std::initializer_list<fs::path> folders) {
  while (!path.empty()) {
    for (const fs::path& folder : folders) {
      std::error_code ec;
      if (fs::is_regular_file(folder / path, ec)) return folder / path;
    }
    fs::path shorter;
    for (auto part = std::next(path.begin()); part != path.end(); ++part) shorter /= *part;
    path = std::move(shorter);
  }
  return std::nullopt;
}

}  // namespace

std::optional<diagnostic> refuse_root(const arguments& args) {
  const std::string root = args.value("root").value_or(".");
  std::error_code ec;
  if (fs::is_directory(root, ec)) return std::nullopt;
  return diagnostic{formatted("--root {}: this folder does not exist", root), {}, {}, "root"};
}

source_files::source_files(const arguments& args, const std::string& input)
    : root_(args.value("root")), folder_(fs::path(input).parent_path()) {}

std::optional<fs::path> source_files::find(const std::string& file) const {
  const fs::path path = fs::path(file).lexically_normal();
  if (root_) {
    std::error_code ec;
    if (fs::is_regular_file(path, ec) && !path_below(*root_, path).empty()) return path;
    if (auto found = longest_end(path.relative_path(), {*root_})) return found;
  }
  return longest_end(path, {folder_, ""});
}

std::string source_files::path_from_root(const std::string& file) const {
  const auto found = find(file);
  const std::string path = found ? path_below(root_.value_or("."), *found) : "";
  return path.empty() ? file : path;
}

std::optional<std::string> source_files::text(const std::string& file) const {
  if (!is_source(file)) return std::nullopt;
  const auto path = find(file);
  std::error_code ec;
  if (!path || fs::file_size(*path, ec) > most_source_bytes || ec) return std::nullopt;
  auto text = read_file(path->string());
  if (!text || text->find('\0') != std::string::npos) return std::nullopt;
  return std::move(*text);
}

std::string source_files::line(const std::string& file, std::uint32_t number) const {
  auto [entry, is_new] = lines_.try_emplace(file);
  if (const auto whole = is_new ? text(file) : std::nullopt)
    for (const std::string_view l : split(*whole, '\n')) entry->second.emplace_back(l);
  return number >= 1 && number <= entry->second.size() ? entry->second[number - 1] : "";
}

void add_source_texts(report& r, const source_files& sources) {
  for (const kernel_code& code : r.code)
    for (const std::string& file : code.files)
      if (auto text = sources.text(file)) r.sources.emplace(file, std::move(*text));
}

void add_unchanged_sources(report& r, const source_files& sources) {
  std::map<std::string, std::vector<std::pair<std::uint32_t, std::string_view>>> kept;
  const auto keep = [&](const std::string& file, std::uint32_t line, const std::string& text) {
    if (!file.empty() && line != 0 && !text.empty()) kept[file].emplace_back(line, text);
  };
  for (const launch_report& l : r.launches) {
    for (const site& s : l.sites) keep(s.file, s.line, s.text);
    for (const global_site& s : l.global_sites) keep(s.file, s.line, s.text);
    for (const out_of_bounds_access& a : l.out_of_bounds) keep(a.place.file, a.place.line, a.place.text);
  }
  for (const auto& [file, lines] : kept) {
    auto text = sources.text(file);
    if (!text) continue;
    const auto of_file = split(*text, '\n');
    const bool is_unchanged = std::all_of(lines.begin(), lines.end(), [&](const auto& one) {
      return one.first <= of_file.size() && shown(of_file[one.first - 1]) == one.second;
    });
    if (is_unchanged) r.sources.emplace(file, std::move(*text));
  }
}

void add_source_lines(report& r, source_files& sources) {
  const auto add = [&](const std::string& file, std::uint32_t line, std::string& text) {
    if (line != 0 && text.empty()) text = shown(sources.line(file, line));
  };
  for (launch_report& l : r.launches) {
    for (site& s : l.sites) add(s.file, s.line, s.text);
    for (global_site& s : l.global_sites) add(s.file, s.line, s.text);
    for (out_of_bounds_access& a : l.out_of_bounds) add(a.place.file, a.place.line, a.place.text);
    for (hazard& h : l.hazards) add(h.second.file, h.second.line, h.second.text);
    for (block_race& b : l.block_races) add(b.second.file, b.second.line, b.second.text);
    for (delay& d : l.time.delays) add(d.place.file, d.place.line, d.place.text);
  }
}

void name_from_root(report& r, const source_files& sources) {
  std::map<std::string, std::string> known;
  const auto rename = [&](std::string& file) {
    if (file.empty()) return;
    const auto [at, is_new] = known.try_emplace(file);
    if (is_new) at->second = sources.path_from_root(file);
    file = at->second;
  };
  for (launch_report& l : r.launches) {
    for (site& s : l.sites) rename(s.file), rename(s.outer_file);
    for (global_site& s : l.global_sites) rename(s.file), rename(s.outer_file);
    for (hazard& h : l.hazards) rename(h.first.file), rename(h.second.file);
    for (block_race& b : l.block_races) rename(b.first.file), rename(b.second.file);
    for (out_of_bounds_access& a : l.out_of_bounds) rename(a.place.file);
    for (code_place& p : l.not_executed) rename(p.file);
    for (delay& d : l.time.delays) rename(d.place.file), rename(d.place.outer_file);
    for (waiting_line& w : l.time.lines) rename(w.file);
  }
  for (kernel_code& code : r.code) {
    for (std::string& file : code.files) rename(file);
    // The line is .file 1 "/home/me/tile.cu", for example.
    for (std::string& line : code.ptx) {
      const std::size_t open = line.find('"'), close = line.find('"', open + 1);
      if (!trim(line).starts_with(".file") || close == std::string::npos) continue;
      std::string file = line.substr(open + 1, close - open - 1);
      rename(file);
      line.replace(open + 1, close - open - 1, file);
    }
  }
  std::map<std::string, std::string> texts;
  for (auto& [file, text] : r.sources) {
    std::string name = file;
    rename(name);
    texts.try_emplace(std::move(name), std::move(text));
  }
  r.sources = std::move(texts);
}

}  // namespace bankwise::cli
