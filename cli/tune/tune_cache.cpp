#include "cli/tune/tune_cache.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/format.hpp"
#include "base/sha256.hpp"
#include "base/system/files.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* entry_folder = "entries";
constexpr const char* file_folder = "files";

std::string usual_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return formatted("{}/bankwise/tune", cache);
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return formatted("{}/.cache/bankwise/tune", home);
  return "";
}

}  // namespace

std::string content_key(const std::vector<std::string>& parts) {
  sha256 hash;
  for (const std::string& part : parts) hash.add_field(part);
  return hash.hexadecimal();
}

std::string file_key(const std::string& path) {
  const auto bytes = read_file(path);
  return bytes ? content_key({*bytes}) : "";
}

std::string stamp_of_file(const std::string& path) {
  std::error_code ec;
  const auto bytes = fs::file_size(path, ec);
  if (ec) return "";
  const auto changed = fs::last_write_time(path, ec);
  return ec ? "" : content_key({std::to_string(bytes), std::to_string(changed.time_since_epoch().count())});
}

std::string known_file_key(const std::string& path) {
  static std::mutex of_keys;
  static std::map<std::pair<std::string, std::string>, std::string> keys;  // by path and stamp
  std::string stamp = stamp_of_file(path);
  if (path.starts_with("/usr/")) return stamp;
  std::pair<std::string, std::string> of{path, std::move(stamp)};
  {
    const std::lock_guard lock(of_keys);
    if (const auto known = keys.find(of); known != keys.end()) return known->second;
  }
  std::string key = file_key(path);
  const std::lock_guard lock(of_keys);
  return keys.emplace(std::move(of), std::move(key)).first->second;
}

result<tune_cache> tune_cache::open(const std::optional<std::string>& asked) {
  if (asked == "off") return tune_cache("");
  const std::string folder = asked ? *asked : usual_folder();
  std::error_code ec;
  // The usual folder is made when something is kept in it.
  if (asked && !(fs::create_directories(folder, ec) || fs::is_directory(folder, ec)))
    return diagnostic{
        formatted("--cache {}: cannot make this folder{}", folder, ec ? formatted(": {}", ec.message()) : ""),
        {},
        "name a folder that can be written, or use --cache off"};
  return tune_cache(folder.empty() ? folder : fs::absolute(folder, ec).string());
}

std::optional<std::string> tune_cache::find(const std::string& key) const {
  if (!is_on()) return std::nullopt;
  const fs::path path = fs::path(folder_) / entry_folder / key;
  std::error_code ec;
  if (!fs::is_regular_file(path, ec)) return std::nullopt;
  const auto text = read_file(path.string());
  return text ? std::optional(*text) : std::nullopt;
}

void tune_cache::keep(const std::string& key, const std::string& text) const {
  if (!is_on()) return;
  std::error_code ec;
  fs::create_directories(fs::path(folder_) / entry_folder, ec);
  if (!ec) static_cast<void>(write_file((fs::path(folder_) / entry_folder / key).string(), text));
}

std::string tune_cache::keep_file(const std::string& path) const {
  if (!is_on()) return path;
  const std::string key = file_key(path);
  const fs::path to = fs::path(folder_) / file_folder / key;
  // A damaged copy is replaced.
  if (file_key(to.string()) == key) return to.string();
  std::error_code ec;
  fs::create_directories(to.parent_path(), ec);
  static std::atomic<unsigned> number{0};  // other threads may copy the same bytes
  const fs::path early = formatted("{}.{}.{}", to.string(), ::getpid(), ++number);
  fs::copy_file(path, early, fs::copy_options::overwrite_existing, ec);
  if (!ec) fs::rename(early, to, ec);
  return ec ? path : to.string();
}

std::optional<std::string> tune_cache::find_file(const std::string& key) const {
  if (!is_on()) return std::nullopt;
  const std::string path = (fs::path(folder_) / file_folder / key).string();
  return file_key(path) == key ? std::optional(path) : std::nullopt;
}

}  // namespace bankwise::cli
