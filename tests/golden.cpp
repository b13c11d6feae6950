// Golden tests: commands and what they print, as a person would see it.
//
//     golden BANKWISE SOURCE_DIR FILE.test
//
// A file holds lines of prose starting with #, and commands:
//
//     $ bankwise explain 't * 4'
//     1 wavefront: no bank conflict
//     ...
//
// Standard output and standard error are compared together; "[exit 2]" stands behind the output of a command that does
// not exit 0. Commands run in SOURCE_DIR, through sh. BANKWISE_REBASE=1 rewrites the file with what came out.
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct entry {
  std::vector<std::string> prose;  // lines before the command
  std::string command;             // without "$ "
  std::string expected;
  int line = 0;
};

std::vector<entry> read(const std::string& path, std::vector<std::string>& tail) {
  std::ifstream in(path);
  if (!in) {
    std::cerr << "cannot read " << path << "\n";
    std::exit(2);
  }
  std::vector<entry> entries;
  std::vector<std::string> prose;
  std::string line;
  int number = 0;
  while (std::getline(in, line)) {
    ++number;
    if (line.starts_with("$ ")) {
      entries.push_back({prose, line.substr(2), "", number});
      prose.clear();
    } else if (line.starts_with("# ") || line == "#") {
      prose.push_back(line);
    } else if (!entries.empty() && prose.empty()) {
      entries.back().expected += line + "\n";
    } else if (!line.empty()) {
      std::cerr << path << ":" << number << ": output without a command\n";
      std::exit(2);
    } else {
      prose.push_back(line);
    }
  }
  tail = prose;
  return entries;
}

std::string run(const std::string& command) {
  std::FILE* p = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (p == nullptr) return "[cannot start]\n";
  std::string out;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, p)) out.append(buffer, n);
  const int status = pclose(p);
  if (!out.empty() && out.back() != '\n') out += '\n';
  if (!WIFEXITED(status)) return out + "[killed by signal " + std::to_string(WTERMSIG(status)) + "]\n";
  if (WEXITSTATUS(status) != 0) out += "[exit " + std::to_string(WEXITSTATUS(status)) + "]\n";
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  namespace fs = std::filesystem;
  const fs::path tool = fs::absolute(argv[1]);
  const std::string file = fs::absolute(argv[3]);
  setenv("PATH", (tool.parent_path().string() + ":" + getenv("PATH")).c_str(), 1);
  unsetenv("FORCE_COLOR");
  unsetenv("CLICOLOR_FORCE");
  setenv("NO_COLOR", "1", 1);
  fs::current_path(argv[2]);

  std::vector<std::string> tail;
  const std::vector<entry> entries = read(file, tail);
  const bool rebase = getenv("BANKWISE_REBASE") != nullptr;
  int failed = entries.empty() ? 1 : 0;
  std::ostringstream rewritten;
  for (const entry& e : entries) {
    const std::string got = run(e.command);
    // A blank line between commands belongs to nobody.
    std::string expected = e.expected;
    while (expected.ends_with("\n\n")) expected.pop_back();
    std::string trimmed = got;
    while (trimmed.ends_with("\n\n")) trimmed.pop_back();
    if (expected == "\n") expected.clear();
    if (expected != trimmed) {
      ++failed;
      if (!rebase)
        std::cout << file << ":" << e.line << ": $ " << e.command << "\n--- expected\n"
                  << expected << "--- got\n"
                  << trimmed;
    }
    for (const std::string& p : e.prose) rewritten << p << "\n";
    rewritten << "$ " << e.command << "\n" << trimmed << "\n";
  }
  if (rebase) {
    for (const std::string& p : tail) rewritten << p << "\n";
    std::string text = rewritten.str();
    while (text.ends_with("\n\n")) text.pop_back();
    std::ofstream(file) << text;
    return 0;
  }
  std::cout << entries.size() - static_cast<std::size_t>(failed) << " of " << entries.size()
            << " commands as expected\n";
  return failed == 0 ? 0 : 1;
}
