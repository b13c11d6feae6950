#include "source_files.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "files.hpp"

namespace bankwise::cli {

namespace {

constexpr std::uintmax_t most_source_bytes = std::uintmax_t{1} << 24;

// The name comes from the cubin, which may name anything: no key, no password file gets into a report that people send
// around.
bool is_source(const std::string& file) {
  static constexpr std::string_view endings[] = {".c",   ".cc",  ".cpp", ".cu",  ".cuh", ".cxx", ".h", ".hh",
                                                 ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".py",  ".rs"};
  return std::any_of(std::begin(endings), std::end(endings), [&](std::string_view e) { return file.ends_with(e); });
}

}  // namespace

std::optional<std::string> source_files::text(const std::string& file) const {
  if (!is_source(file)) return std::nullopt;
  const std::filesystem::path name = std::filesystem::path(file).filename();
  for (const std::filesystem::path& candidate : {std::filesystem::path(file), folder_ / name, name}) {
    std::error_code ec;
    if (!std::filesystem::is_regular_file(candidate, ec)) continue;
    if (const std::uintmax_t bytes = std::filesystem::file_size(candidate, ec); ec || bytes > most_source_bytes)
      continue;
    auto whole = read_file(candidate.string());
    if (whole && whole->find('\0') == std::string::npos) return std::move(*whole);
  }
  return std::nullopt;
}

std::string source_files::line(const std::string& file, std::uint32_t number) {
  auto [entry, is_new] = lines_.try_emplace(file);
  if (const auto whole = is_new ? text(file) : std::nullopt)
    for (const std::string_view l : split(*whole, '\n')) entry->second.emplace_back(l);
  return number >= 1 && number <= entry->second.size() ? entry->second[number - 1] : "";
}

}  // namespace bankwise::cli
