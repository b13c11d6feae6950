#include "runtime/load/loaded_code.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "base/format.hpp"

namespace bankwise::cuda {

namespace {

std::string read_all(const char* path) {
  std::string text;
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char piece[4096];
  for (ssize_t n; (n = ::read(file, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0) text.append(piece, static_cast<std::size_t>(n));
  ::close(file);
  return text;
}

// Parses a line such as "55d0c0000000-55d0c0008000 r-xp 00001000 08:01 42 /bin/x".
std::optional<mapping> read_mapping(std::string_view line) {
  mapping m;
  const char* const end = line.data() + line.size();
  const auto first = std::from_chars(line.data(), end, m.first, 16);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto last = std::from_chars(first.ptr + 1, end, m.last, 16);
  if (last.ec != std::errc() || end - last.ptr < 5 || m.last <= m.first) return std::nullopt;
  m.protection = (last.ptr[1] == 'r' ? PROT_READ : 0) | (last.ptr[2] == 'w' ? PROT_WRITE : 0) |
                 (last.ptr[3] == 'x' ? PROT_EXEC : 0);
  return m;
}

}  // namespace

std::vector<mapping> read_mappings() {
  std::vector<mapping> all;
  const std::string text = read_all("/proc/self/maps");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (const auto m = read_mapping(std::string_view(text).substr(at, end - at))) all.push_back(*m);
    at = end + 1;
  }
  return all;
}

std::optional<mapping> find_code(const std::vector<mapping>& all, std::uint64_t address, std::uint64_t size) {
  constexpr int executed = PROT_READ | PROT_EXEC;
  // Adjacent mappings are joined here, because change_code() splits a mapping when it changes the protection of some
  // pages.
  std::optional<mapping> found;
  for (const mapping& m : all) {
    if ((m.protection & executed) != executed) continue;
    if (found && found->last == m.first && found->protection == m.protection)
      found->last = m.last;
    else if (found && address >= found->first && address < found->last)
      break;
    else
      found = m;
  }
  if (!found || address < found->first || address >= found->last || size > found->last - address) return std::nullopt;
  return found;
}

std::string change_code(const mapping& where, const std::vector<code_change>& changes) {
  if (changes.empty()) return {};
  for (const code_change& c : changes)
    if (c.before.size() != c.after.size() || c.address < where.first || c.address >= where.last ||
        c.before.size() > where.last - c.address)
      return "the code in memory is not at the address that the file gives";
  for (const code_change& c : changes)
    if (std::memcmp(reinterpret_cast<const void*>(c.address), c.before.data(), c.before.size()) != 0)
      return "the code in memory differs from the code in the file";
  const std::uint64_t page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t first = changes.front().address / page * page,
                      last = (changes.back().address + changes.back().before.size() + page - 1) / page * page;
  void* const begin = reinterpret_cast<void*>(first);
  if (::mprotect(begin, last - first, PROT_READ | PROT_WRITE) != 0)
    return formatted("this system does not allow writes to the code: {}", std::strerror(errno));
  for (const code_change& c : changes) std::memcpy(reinterpret_cast<void*>(c.address), c.after.data(), c.after.size());
  if (::mprotect(begin, last - first, where.protection) != 0) {
    // The program cannot continue if its code is not executable.
    constexpr std::string_view text = "bankwise: this system does not allow modified code to be executed\n";
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(126);
    ::_exit(126);
  }
  return {};
}

}  // namespace bankwise::cuda
