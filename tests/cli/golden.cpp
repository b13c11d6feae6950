// Golden tests: runs commands and compares their complete output.
//
//     golden BANKWISE SOURCE_DIR FILE.test
//     golden BANKWISE SOURCE_DIR FILE.md
//
// A .test file contains comments that start with #, and commands with their output:
//
//     $ bankwise explain 't * 4'
//     1 wavefront: no bank conflict
//     ...
//
// Standard output and standard error are compared together. If a command does not exit with 0, "[exit 2]" or another
// status follows its output. Commands run in SOURCE_DIR, through sh. BANKWISE_REBASE=1 rewrites the file with the
// actual output. Commands write files into $TMPDIR, a scratch folder for each .test file. The output shows its path as
// "$TMPDIR".
//
// In a Markdown file, ```console blocks contain such commands; a \ at the end of a line continues the command on the
// next line. A ```sh block is a script that must exit with 0. Blocks run in sequence, in a scratch folder that contains
// all of SOURCE_DIR except build and docs. One of two comments may precede a block:
//
//     <!-- needs: nvcc -->                    skipped, with a message, if nvcc is not on the PATH
//     <!-- not run: needs a GPU -->           never run
//
// If a document has a bankwise command outside of such blocks, the test fails, so that every command is tested.
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

// A command with its output, and the text of the file before the command.
struct piece {
  std::string text;      // text before the command
  std::string command;   // the command without "$ "; empty after the last command
  std::string expected;  // the output, which follows the command
  std::string skipped;   // why the command is not run, or empty
  int line = 0;
  bool script = false;  // whether this is a script, whose output is not compared
};

[[noreturn]] void give_up(const std::string& path, int line, const char* what) {
  std::cerr << path << ":" << line << ": " << what << "\n";
  std::exit(2);
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  if (!in) give_up(path, 0, "cannot be read");
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Blank lines at the end of an output are ignored.
std::string without_blank_end(std::string s) {
  while (s.ends_with("\n\n")) s.pop_back();
  return s == "\n" ? "" : s;
}

std::vector<piece> read_goldens(const std::string& path) {
  std::vector<piece> pieces(1);
  int number = 0;
  for (const std::string& line : lines_of(path)) {
    ++number;
    if (line.starts_with("$ ")) {
      pieces.back().command = line.substr(2);
      pieces.back().line = number;
      pieces.emplace_back();
    } else if (line.starts_with("# ") || line == "#") {
      pieces.back().text += line + "\n";
    } else if (pieces.size() > 1 && pieces.back().text.empty()) {
      pieces[pieces.size() - 2].expected += line + "\n";
    } else if (line.empty()) {
      pieces.back().text += "\n";
    } else {
      give_up(path, number, "output without a command");
    }
  }
  for (piece& p : pieces) p.expected = without_blank_end(p.expected) + "\n";  // each output is followed by a blank line
  return pieces;
}

bool is_on_path(const std::string& program) {
  return std::system(("command -v '" + program + "' >/dev/null").c_str()) == 0;
}

// Returns the reason to skip the next block, from a line "<!-- needs: nvcc -->" or "<!-- not run: ... -->".
std::string skip_reason(std::string_view line) {
  const auto between = [&](std::string_view open) {
    constexpr std::string_view close = " -->";
    if (!line.starts_with(open) || !line.ends_with(close)) return std::string();
    return std::string(line.substr(open.size(), line.size() - open.size() - close.size()));
  };
  if (std::string reason = between("<!-- not run: "); !reason.empty()) return reason;
  const std::string program = between("<!-- needs: ");
  return program.empty() || is_on_path(program) ? "" : "there is no " + program + " on this machine";
}

std::vector<piece> read_markdown(const std::string& path) {
  const auto is_command = [](std::string_view s) { return s.starts_with("$ ") || s.starts_with("bankwise "); };
  std::vector<piece> pieces(1);
  std::string fence, skipped, command;  // `fence` is the language of the open block
  bool open = false;
  int number = 0;
  const auto begin_command = [&](const std::string& text, bool script) {
    piece& p = pieces.back();
    p.command = text;
    p.skipped = skipped;
    p.line = number;
    p.script = script;
    pieces.emplace_back();
  };
  for (const std::string& line : lines_of(path)) {
    ++number;
    if (line.starts_with("```")) {
      if (open && fence == "sh") begin_command(command, true);
      open = !open;
      fence = open ? line.substr(3) : "";
      command.clear();
      pieces.back().text += line + "\n";
      if (!open) skipped.clear();
      continue;
    }
    if (!open) {
      if (!line.empty()) skipped = skip_reason(line);
      if (line.starts_with("    ") && is_command(std::string_view(line).substr(4)))
        give_up(path, number, "a command that nobody runs: write a block ```console, or ```sh");
      pieces.back().text += line + "\n";
    } else if (fence == "sh") {
      command += line + "\n";
    } else if (fence != "console") {
      if (is_command(line)) give_up(path, number, "a command that nobody runs: write ```console, or ```sh");
      pieces.back().text += line + "\n";
    } else if (!command.empty() || line.starts_with("$ ")) {
      command += command.empty() ? line.substr(2) : "\n" + line;
      if (command.ends_with('\\')) continue;
      begin_command(command, false);
      command.clear();
    } else if (pieces.size() > 1 && pieces.back().text.empty()) {
      pieces[pieces.size() - 2].expected += line + "\n";
    } else {
      give_up(path, number, "output without a command");
    }
  }
  if (open) give_up(path, number, "a block is not closed");
  return pieces;
}

struct outcome {
  std::string output;
  bool succeeded = false;
};

outcome run(const std::string& command) {
  std::FILE* p = popen(("{ " + command + "\n} 2>&1 </dev/null").c_str(), "r");
  if (p == nullptr) return {"[cannot start]\n"};
  std::string out;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, p)) out.append(buffer, n);
  const int status = pclose(p);
  if (!out.empty() && out.back() != '\n') out += '\n';
  if (!WIFEXITED(status)) return {out + "[killed by signal " + std::to_string(WTERMSIG(status)) + "]\n"};
  if (WEXITSTATUS(status) != 0) return {out + "[exit " + std::to_string(WEXITSTATUS(status)) + "]\n"};
  return {out, true};
}

// A folder for the files that commands write. The folder is deleted at the end.
struct scratch_folder {
  fs::path path;

  scratch_folder() {
    std::string name = (fs::canonical(fs::temp_directory_path()) / "bankwise-golden-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) give_up(name, 0, "cannot be made");
    path = name;
  }
  ~scratch_folder() {
    std::error_code ignored;
    fs::current_path("/", ignored);
    fs::remove_all(path, ignored);
  }
  // Links all sources except docs/, because pictures are written there. The examples are copied, because a command may
  // change them.
  void fill(const fs::path& source) const {
    for (const fs::directory_entry& e : fs::directory_iterator(source)) {
      const fs::path leaf = e.path().filename();
      if (leaf == "examples")
        fs::copy(e.path(), path / leaf, fs::copy_options::recursive);
      else if (leaf != "docs" && leaf != "build")
        fs::create_symlink(e.path(), path / leaf);
    }
    fs::create_directories(path / "docs/pictures");
  }
};

std::string replaced(std::string s, const std::string& what, std::string_view with) {
  for (std::size_t at = 0; (at = s.find(what, at)) != std::string::npos; at += with.size())
    s.replace(at, what.size(), with);
  return s;
}

// Runs the commands, and returns whether all outputs are as expected. `rewritten` gets the text of the file with the
// actual outputs.
bool run_all(const std::string& file, const std::vector<piece>& pieces, const std::string& scratch, bool rebase,
             std::string& rewritten) {
  int commands = 0, failed = 0;
  for (const piece& p : pieces) {
    rewritten += p.text;
    if (p.command.empty()) continue;
    rewritten += p.script ? p.command : "$ " + p.command + "\n";
    if (!p.skipped.empty()) {
      std::cout << "skipped: " << file << ":" << p.line << ": " << p.skipped << "\n";
      rewritten += p.expected;
      continue;
    }
    ++commands;
    const outcome got = run(p.script ? "set -e\n" + p.command : p.command);
    const std::string expected = p.script ? "" : without_blank_end(p.expected);
    const std::string output = without_blank_end(replaced(got.output, scratch, "$TMPDIR"));
    if (p.script ? !got.succeeded : output != expected) {
      ++failed;
      if (!rebase || p.script)
        std::cout << file << ":" << p.line << ": $ " << p.command << "\n--- expected\n"
                  << (p.script ? "[exit 0]\n" : expected) << "--- got\n"
                  << output;
    }
    if (!p.script) rewritten += output + (p.expected.ends_with("\n\n") || p.expected == "\n" ? "\n" : "");
  }
  std::cout << commands - failed << " of " << commands << " commands as expected\n";
  return failed == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const fs::path tool = fs::absolute(argv[1]), source = fs::absolute(argv[2]);
  const std::string file = fs::absolute(argv[3]);
  setenv("PATH", (tool.parent_path().string() + ":" + getenv("PATH")).c_str(), 1);
  unsetenv("FORCE_COLOR");
  unsetenv("CLICOLOR_FORCE");
  setenv("NO_COLOR", "1", 1);

  // Goldens show predicted times only if a command asks for them. So a changed parameter of the model does not change
  // all goldens. Documents show times, because a reader sees them.
  const bool markdown = file.ends_with(".md") || file.ends_with(".txt"), rebase = getenv("BANKWISE_REBASE") != nullptr;
  if (!markdown) setenv("BANKWISE_TIME_MODEL", "off", 1);
  const std::vector<piece> pieces = markdown ? read_markdown(file) : read_goldens(file);
  if (!markdown && pieces.size() < 2) give_up(file, 0, "no command");
  const scratch_folder scratch;
  if (markdown) scratch.fill(source);
  fs::current_path(markdown ? scratch.path : source);
  setenv("TMPDIR", scratch.path.c_str(), 1);
  setenv("XDG_CACHE_HOME", (scratch.path / "cache").c_str(), 1);
  std::string rewritten;
  const bool right = run_all(file, pieces, scratch.path, rebase, rewritten);
  if (!rebase) return right ? 0 : 1;
  while (rewritten.ends_with("\n\n")) rewritten.pop_back();
  std::ofstream(file) << rewritten;
  return 0;
}
