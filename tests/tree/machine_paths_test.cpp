// Checks that no file of the project, including binary files, contains a path of the machine that made the file. On
// other machines, such a path would lead nowhere, or to files of a different user.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cubin/elf_image.hpp"
#include "cubin/line_table.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

namespace fs = std::filesystem;

// Returns the files that git tracks. Returns nothing if git is not installed, or if this folder is not a checkout.
std::vector<std::string> tracked_files() {
  const std::string root = test::source_path("");
  std::FILE* p = popen(("git -c safe.directory='*' -C '" + root + "' ls-files -z 2>/dev/null").c_str(), "r");
  std::string names;
  char buffer[4096];
  while (const std::size_t n = p == nullptr ? 0 : std::fread(buffer, 1, sizeof buffer, p)) names.append(buffer, n);
  std::vector<std::string> files;
  if (p == nullptr || pclose(p) != 0) return files;
  for (std::size_t begin = 0, end; (end = names.find('\0', begin)) != std::string::npos; begin = end + 1)
    if (const std::string file = names.substr(begin, end - begin); fs::is_regular_file(fs::path(root) / file))
      files.push_back(file);
  return files;
}

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

bool goes_on(char c) { return std::isalnum(static_cast<unsigned char>(c)) || is_one_of(c, "._-"); }

constexpr std::string_view anybody = "/home/me/";  // a path that documents and tests use as an example

// Returns folders of this machine that have a specific name. A folder such as /src may exist on any machine.
std::vector<std::string> folders_here() {
  std::vector<std::string> folders;
  const char* home = std::getenv("HOME");
  for (const std::string& folder : {test::source_path(""), std::string(home == nullptr ? "" : home)}) {
    const std::string path = fs::path(folder + "/").lexically_normal().parent_path();
    if (path.find('/', 1) != std::string::npos && !(path + "/").starts_with(anybody)) folders.push_back(path);
  }
  return folders;
}

// Returns the path of a machine in a text, if there is one.
std::optional<std::string> machine_path(std::string_view text, const std::vector<std::string>& folders) {
  const auto path_at = [&](std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && (goes_on(text[end]) || text[end] == '/')) ++end;
    return std::string(text.substr(at, end - at));
  };
  for (std::size_t at = 0; (at = text.find('/', at)) != std::string_view::npos; ++at) {
    if (at > 0 && (goes_on(text[at - 1]) || is_one_of(text[at - 1], "/}$)"))) continue;
    const std::string path = path_at(at);
    const auto is_below = [&](std::string_view folder) {
      return path.starts_with(folder) && path[folder.size()] == '/';
    };
    if (is_below("/tmp") && path.substr(5).starts_with("bankwise")) return path;
    if (is_below("/root")) return path;
    if (is_below("/home") && path.find('/', 6) != std::string::npos && !path.starts_with(anybody)) return path;
    for (const std::string& folder : folders)
      if (path == folder || is_below(folder)) return path;
  }
  return std::nullopt;
}

TEST(MachinePaths, AreSeenWhereTheyStand) {
  const std::vector<std::string> folders{"/somewhere/checkout"};
  // The paths are put together from parts, so that this file does not contain them.
  const std::string tmp = "/tmp/", home = "/home/", root = "/root";
  for (const std::string& text : {tmp + "bankwise/a.cu", std::string(1, '\0') + tmp + "bankwise" + std::string(1, '\0'),
                                  "\"" + home + "ada/a.cu\"", "in " + root + "/x", std::string("(/somewhere/checkout)"),
                                  std::string("file = /somewhere/checkout/src")})
    EXPECT_TRUE(machine_path(text, folders)) << text;
  for (const char* text : {"/somewhere/checkouts", "a/somewhere/checkout", "$root/root/x", "file:///home/a.cu",
                           "/home/me/bankwise", "bankwise-XXXXXX", "/usr/local/cuda"})
    EXPECT_FALSE(machine_path(text, folders)) << text;
}

TEST(MachinePaths, StandInNoFile) {
  const std::vector<std::string> files = tracked_files(), folders = folders_here();
  if (files.empty()) GTEST_SKIP() << "this is not a git checkout, or git is not installed";
  for (const std::string& file : files) {
    const auto found = machine_path(test::read_text(test::source_path(file)), folders);
    EXPECT_FALSE(found) << file << ": " << *found;
  }
}

// The sources that a cubin names are found by the end of their path. So the cubin does not need the folder of its
// compilation.
TEST(MachinePaths, StandInNoLineTable) {
  const std::vector<std::string> files = tracked_files();
  if (files.empty()) GTEST_SKIP() << "this is not a git checkout, or git is not installed";
  int tables = 0;
  for (const std::string& file : files) {
    if (!file.ends_with(".cubin")) continue;
    const std::vector<std::byte> bytes = test::read_bytes(test::source_path(file));
    const auto image = cubin::read_elf(bytes, file);
    if (!image) continue;  // a fuzzer's
    const auto lines = cubin::read_line_table(*image, ".debug_line", file);
    if (!lines) continue;
    for (const std::string& name : lines->files) EXPECT_FALSE(name.starts_with('/')) << file << ": " << name;
    tables += lines->files.size() > 1;
  }
  EXPECT_GT(tables, 50);
}

}  // namespace
}  // namespace bankwise
