#include "cli/mcp/write_guard.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/format.hpp"

namespace bankwise::cli {

namespace {

// Rights, first those of version 1 of Landlock.
constexpr std::uint64_t writes_of_first = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                          LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                          LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                          LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                          LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr std::uint64_t refer = std::uint64_t{1} << 13, truncate = std::uint64_t{1} << 14;  // versions 2 and 3
constexpr long least_version = 3;  // earlier versions do not keep programs from emptying files
constexpr std::uint64_t of_devices = LANDLOCK_ACCESS_FS_WRITE_FILE | truncate;
constexpr std::uint64_t of_shared_memory = of_devices | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE;

}  // namespace

std::string forbid_writes_outside(std::span<const std::string> folders) {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return "this Linux has no Landlock";
  if (version < least_version)
    return formatted("Landlock has version {} here, and version {} (Linux 6.2) is needed", version, least_version);
  const std::uint64_t rights = writes_of_first | refer | truncate;
  landlock_ruleset_attr of_rules{};
  of_rules.handled_access_fs = rights;
  const int rules =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &of_rules, sizeof of_rules.handled_access_fs, 0));
  std::string why;
  const auto failed = [&](std::string_view what) {
    if (why.empty()) why = formatted("{}: {}", what, std::strerror(errno));
  };
  if (rules < 0) failed("cannot make rules of Landlock");
  const auto allow = [&](const char* path, std::uint64_t these) {
    const int folder = ::open(path, O_PATH | O_CLOEXEC);
    landlock_path_beneath_attr below{};
    below.allowed_access = these & rights;
    below.parent_fd = folder;
    if (folder < 0 || ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0) != 0) failed(path);
    if (folder >= 0) ::close(folder);
  };
  if (why.empty()) {
    for (const std::string& f : folders) allow(f.c_str(), rights);
    allow("/dev", of_devices);
    if (::access("/dev/shm", F_OK) == 0) allow("/dev/shm", of_shared_memory);
  }
  if (why.empty() &&
      (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::syscall(SYS_landlock_restrict_self, rules, 0) != 0))
    failed("cannot use rules of Landlock");
  if (rules >= 0) ::close(rules);
  return why;
}

}  // namespace bankwise::cli
