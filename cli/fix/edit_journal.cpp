#include "cli/fix/edit_journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/text.hpp"

namespace bankwise::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view journal_ending = ".bankwise-edit", first_words = "bankwise edit 1";
constexpr std::size_t most_files = 50'000;  // largest number of folder entries that are searched for journals

std::string journal_of(const std::string& source) {
  const fs::path path(source);
  return (path.parent_path() / formatted(".{}{}", path.filename().string(), journal_ending)).string();
}

// Returns the time when a process started, in clock ticks since the machine was booted. Process ids are reused, so only
// the id and the time together identify a process. Returns an empty string if there is no such process.
std::string start_of(const std::string& process) {
  const auto stat = read_file(formatted("/proc/{}/stat", process));
  if (!stat) return "";
  // This file contains the process's name, in which any character may occur. After the name, the state and 18 numbers
  // precede the start time.
  const std::size_t name_end = stat->rfind(')');
  if (name_end == std::string::npos) return "";
  const auto words = split(std::string_view(*stat).substr(name_end + 1), ' ');
  constexpr std::size_t start = 20;
  return words.size() > start ? std::string(words[start]) : std::string();
}

struct read_journal {
  std::string process, start, before, after;
};

std::optional<read_journal> parse(const std::string& text) {
  const std::size_t line = text.find('\n');
  const std::size_t second = line == std::string::npos ? line : text.find('\n', line + 1);
  if (second == std::string::npos || std::string_view(text).substr(0, line) != first_words) return std::nullopt;
  const auto words = split(std::string_view(text).substr(line + 1, second - line - 1), ' ');
  if (words.size() != 4) return std::nullopt;
  const auto before = parse_size(words[2]), after = parse_size(words[3]);
  const std::size_t rest = text.size() - second - 1;
  if (!before || !after || *before > rest || *after != rest - *before) return std::nullopt;
  return read_journal{std::string(words[0]), std::string(words[1]), text.substr(second + 1, *before),
                      text.substr(second + 1 + *before)};
}

bool is_alive(const read_journal& j) { return !j.start.empty() && start_of(j.process) == j.start; }

// Writes a text and waits until it is on the disk. If this fails, the old file stays.
result<done> write_durably(const std::string& path, const std::string& text) {
  const std::string next = formatted("{}.next", path);
  const int file = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  const auto failed = [&] {
    const int why = errno;
    if (file >= 0) ::close(file);
    ::unlink(next.c_str());
    return diagnostic{formatted("cannot write {}: {}", path, std::strerror(why)),
                      {},
                      "bankwise fix edits a source only if it can restore the source after a crash. Make the folder "
                      "of the source writable"};
  };
  if (file < 0) return failed();
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(file, text.data() + at, text.size() - at);
    if (n < 0 && errno != EINTR) return failed();
    if (n > 0) at += static_cast<std::size_t>(n);
  }
  if (::fsync(file) != 0) return failed();
  ::close(file);
  if (::rename(next.c_str(), path.c_str()) == 0) return done{};
  const int why = errno;
  ::unlink(next.c_str());
  return diagnostic{formatted("cannot write {}: {}", path, std::strerror(why))};
}

}  // namespace

result<done> open_journal(const std::vector<journaled_edit>& edits) {
  const std::string own = std::to_string(::getpid());
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const journaled_edit& e = edits[i];
    const std::string journal = journal_of(e.path);
    result<done> written = done{};
    const auto there = read_file(journal);
    const auto other = there ? parse(*there) : std::nullopt;
    if (other && is_alive(*other))
      written = diagnostic{formatted("another bankwise process ({}) is editing {}", other->process, e.path),
                           {},
                           "wait until that process ends"};
    else
      written = write_durably(journal, formatted("{}\n{} {} {} {}\n{}{}", first_words, own, start_of(own),
                                                 e.before.size(), e.after.size(), e.before, e.after));
    if (written) continue;
    close_journal({edits.begin(), edits.begin() + static_cast<std::ptrdiff_t>(i)});
    return written;
  }
  return done{};
}

void close_journal(const std::vector<journaled_edit>& edits) {
  const std::string own = std::to_string(::getpid());
  for (const journaled_edit& e : edits) {
    const auto text = read_file(journal_of(e.path));
    const auto journal = text ? parse(*text) : std::nullopt;
    // If another bankwise process edits the file, its journal stays.
    if (journal && journal->process == own) ::unlink(journal_of(e.path).c_str());
  }
}

std::vector<std::string> restore_abandoned(const std::string& folder) {
  std::vector<std::string> restored;
  std::error_code ec;
  std::size_t looked = 0;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, fs::directory_options::skip_permission_denied, ec), end;
       !ec && at != end && ++looked <= most_files; at.increment(ec)) {
    const std::string name = at->path().filename().string();
    std::error_code none;
    if (!name.starts_with('.') || !name.ends_with(journal_ending) || name.size() <= journal_ending.size() + 1 ||
        !at->is_regular_file(none) || at->is_symlink(none))
      continue;
    const std::string source =
        (fs::path(folder) / name.substr(1, name.size() - 1 - journal_ending.size())).lexically_normal().string();
    const auto text = read_file(at->path().string());
    const auto journal = text ? parse(*text) : std::nullopt;
    if (!journal || is_alive(*journal)) continue;
    const auto now = read_file(source);
    if (!now || (*now != journal->before && *now != journal->after)) {
      tell(
          formatted("a killed bankwise process had edited {}. The file has changed since then, so bankwise did not "
                    "restore it. {} is a copy of the text before the edit. Delete the copy when you no longer need it",
                    source, at->path().string()));
      continue;
    }
    if (*now == journal->after && journal->before != journal->after) {
      if (const auto written = write_file(source, journal->before); !written) {
        tell(formatted("cannot restore {}: {}", source, written.error().message));
        continue;
      }
      tell(formatted("bankwise restored {}, because a killed bankwise process had edited it", source));
      restored.push_back(source);
    }
    ::unlink(at->path().c_str());
  }
  return restored;
}

}  // namespace bankwise::cli
