#include "cli/fix/written_files.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <functional>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/scratch_folder.hpp"

namespace bankwise::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_entries = 20'000;
constexpr std::uint64_t longest_text = 1 << 20, longest_file = std::uint64_t{1} << 30;

std::string content_of(const fs::path& path) {
  std::error_code ec;
  const std::uint64_t bytes = fs::file_size(path, ec);
  if (ec) return "";
  if (bytes > longest_file) return formatted("{} bytes", bytes);
  const auto text = read_file(path.string());
  if (!text) return "";
  return bytes <= longest_text ? *text : formatted("{} bytes, {}", bytes, std::hash<std::string>{}(*text));
}

// Whether bankwise itself writes this file, as in `bankwise fix --apply -- app.cu >log`.
bool is_our_output(const struct stat& file) {
  for (const int ours : {1, 2}) {
    struct stat s {};
    if (::fstat(ours, &s) == 0 && s.st_dev == file.st_dev && s.st_ino == file.st_ino) return true;
  }
  return false;
}

}  // namespace

folder_state look_at(const std::string& folder) {
  folder_state all;
  std::error_code ec;
  std::size_t looked = 0;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, ec), end;
       !ec && at != end && ++looked <= most_entries; at.increment(ec)) {
    std::error_code none;
    if (at->is_symlink(none)) continue;
    if (at->is_directory(none)) {
      // In /tmp, other bankwise processes have folders for temporary files.
      const std::string name = at->path().filename().string();
      if (name.starts_with('.') || is_scratch_name(name)) at.disable_recursion_pending();
      continue;
    }
    struct stat s {};
    if (!at->is_regular_file(none) || ::stat(at->path().c_str(), &s) != 0 || is_our_output(s)) continue;
    all[at->path().lexically_relative(folder).string()] = {
        std::int64_t{s.st_mtim.tv_sec} * 1'000'000'000 + s.st_mtim.tv_nsec, static_cast<std::uint64_t>(s.st_size)};
  }
  return all;
}

file_contents written_since(const folder_state& before, const std::string& folder) {
  file_contents files;
  for (const auto& [path, state] : look_at(folder)) {
    const auto was = before.find(path);
    if (was == before.end() || was->second != state) files[path] = content_of(fs::path(folder) / path);
  }
  return files;
}

file_contents read_again(const file_contents& files, const std::string& folder) {
  file_contents now;
  for (const auto& [path, content] : files) {
    std::error_code ec;
    if (fs::is_regular_file(fs::path(folder) / path, ec)) now[path] = content_of(fs::path(folder) / path);
  }
  return now;
}

}  // namespace bankwise::cli
