// Checks the comments of all files. The files that comments name exist. Every file begins with a comment that describes
// it. The dashes that follow a title are on the same line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

namespace fs = std::filesystem;

// Names of files that are not in this project: files of a user's program or another project, and files that a command
// writes.
const std::set<std::string, std::less<>> elsewhere = {
    "a.cu", "a/b.hpp", "app.cu", "b.cu", "main.cu", "build/transpose.json", "r.json", "report.123.json",
    "bankwise.baseline.json", "probes.cubin", "program.cubin", "k.cu", "tile.cu", "251.cu", "inc1/w.h", "inc2/w.h",
    "opt.h", "tile.h",
    // CUTLASS's
    "sgemm_1.cu",
    // CUDA's
    "cublas.h", "cuda_occupancy.h", "sanitizer.h",
    // files of nvFuser and Triton
    "bank_conflict.cpp", "csrc/device_lower/analysis/bank_conflict.cpp", "lib/Tools/GenericSwizzling.cpp",
    "unittest/Dialect/TritonGPU/SwizzleTest.cpp",
    // scripts/build-page makes this file; it is not in git
    "web/src/report/schema.ts",
    // complete listings by nvdisasm, which a reader must make
    "FOLDER/nvdisasm_sm_80.txt", "nvdisasm_sm_80.txt"};

// Returns whether the name is a placeholder for any file. Such names are in capitals: FILE.md.
bool is_placeholder(const std::string& name) {
  const std::string stem = fs::path(name).filename().string();
  return stem.substr(0, stem.find('.')).find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
}

constexpr const char* tops[] = {"bench", "cli",    "data",    "docs",    "examples", "fuzz",  "gpu", "include",
                                "math",  "python", "runtime", "scripts", "src",      "tests", "web"};
constexpr const char* sources_in[] = {"bench", "cli",    "fuzz",    "gpu", "include",
                                      "math",  "python", "runtime", "src", "tests"};

// Returns all files, as paths relative to the root of the project.
const std::vector<std::string>& files() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> found;
    const fs::path root = test::source_path("");
    for (const char* top : tops)
      for (auto it = fs::recursive_directory_iterator(root / top); it != fs::recursive_directory_iterator(); ++it) {
        if (it->path().filename() == "node_modules") it.disable_recursion_pending();
        if (it->is_regular_file()) found.push_back(fs::relative(it->path(), root).generic_string());
      }
    for (const fs::directory_entry& e : fs::directory_iterator(root))
      if (e.is_regular_file()) found.push_back(e.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }();
  return all;
}

std::vector<std::string> sources(const std::set<std::string, std::less<>>& kinds) {
  std::vector<std::string> found;
  for (const std::string& file : files()) {
    const std::string top = file.substr(0, file.find('/'));
    if (std::find(std::begin(sources_in), std::end(sources_in), top) != std::end(sources_in) &&
        !file.starts_with("fuzz/corpus/") && kinds.contains(fs::path(file).extension().string()))
      found.push_back(file);
  }
  return found;
}

// Returns the text after a // that is outside of quotes.
std::string_view comment_of(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    if (line[i] == '\\' && quoted)
      ++i;
    else if (line[i] == '"' && (i == 0 || line[i - 1] != '\''))
      quoted = !quoted;
    else if (!quoted && line.substr(i, 2) == "//")
      return line.substr(i + 2);
  }
  return {};
}

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '/' || c == '.';
}

// Returns the names of files in a comment: "rows of data/sm_90/forms.csv; forms_test launches the same." ->
// data/sm_90/forms.csv, forms_test
std::vector<std::string> names_in(std::string_view comment) {
  static const std::set<std::string, std::less<>> kinds = {".cpp", ".hpp", ".cuh",   ".cu",   ".def",  ".h",
                                                           ".py",  ".mjs", ".tsx",   ".ts",   ".csv",  ".txt",
                                                           ".zst", ".md",  ".cmake", ".json", ".test", ".cubin"};
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < comment.size();) {
    std::size_t end = begin;
    while (end < comment.size() && is_of_name(comment[end])) ++end;
    std::string_view word = comment.substr(begin, end - begin);
    // A part of a pattern, an expression or a network address is not the name of a file.
    const std::string_view marks = "*<>$:~=";
    const bool free = (begin == 0 || marks.find(comment[begin - 1]) == std::string_view::npos) &&
                      (end == comment.size() || marks.substr(0, 4).find(comment[end]) == std::string_view::npos);
    begin = std::max(end, begin + 1);
    while (word.ends_with('.')) word.remove_suffix(1);
    const std::size_t dot = word.rfind('.'), name = word.rfind('/') + 1;
    if (!free || word.starts_with('/') || word.starts_with('-')) continue;
    if (word.ends_with("_test") && name == 0)
      names.emplace_back(word);
    else if (dot != std::string_view::npos && dot > name && kinds.contains(word.substr(dot)))
      names.emplace_back(word);
  }
  return names;
}

// Returns whether the path of an existing file ends with this name.
bool is_there(const std::string& name) {
  static const std::set<std::string, std::less<>> ends = [] {
    std::set<std::string, std::less<>> all;
    for (const std::string& file : files())
      for (std::size_t at = 0;; ++at) {
        all.insert(file.substr(at));
        at = file.find('/', at);
        if (at == std::string::npos) break;
      }
    return all;
  }();
  return ends.contains(name.ends_with("_test") ? name + ".cpp" : name);
}

TEST(Comments, AreReadWithTheirNames) {
  EXPECT_EQ(comment_of("x = \"// no\"; // yes"), " yes");
  EXPECT_EQ(comment_of("c == '\"'; // yes"), " yes");
  EXPECT_EQ(comment_of("int x;"), "");
  EXPECT_EQ(names_in(" see a/b.hpp, c_test and d.csv.zst."),
            (std::vector<std::string>{"a/b.hpp", "c_test", "d.csv.zst"}));
  EXPECT_EQ(names_in(" FILE.X, *.cpp, <NAME>.hpp, https://a.com/b.md, t.x, 1.5"), std::vector<std::string>{});
  EXPECT_TRUE(is_there("tree/comments_test.cpp"));
  EXPECT_TRUE(is_there("comments_test"));
  EXPECT_FALSE(is_there("omments_test.cpp"));
}

TEST(Comments, NameFilesThatAreThere) {
  std::size_t named = 0;
  for (const std::string& file : sources({".cpp", ".hpp", ".cu", ".cuh", ".def"})) {
    const std::string text = test::read_text(test::source_path(file));
    std::size_t number = 0;
    for (const std::string_view line : split(text, '\n')) {
      ++number;
      for (const std::string& name : names_in(comment_of(line))) {
        ++named;
        EXPECT_TRUE(is_there(name) || is_placeholder(name) || elsewhere.contains(name))
            << file << ":" << number << ": the comment names a file that does not exist: " << name;
      }
    }
  }
  EXPECT_GT(named, 100u);
}

// Returns whether a line includes the header with the file's own name in the same folder. The first comment of such a
// header describes both files.
bool includes_own(const std::string& file, std::string_view line) {
  if (!line.starts_with("#include \"") || !line.ends_with('"')) return false;
  const fs::path own = fs::path(file).replace_extension(".hpp"), included(line.substr(10, line.size() - 11));
  return ("/" + own.generic_string()).ends_with("/" + included.generic_string());
}

TEST(Comments, OpenEveryFile) {
  const std::vector<std::string> all = sources({".cpp", ".hpp", ".cuh", ".def"});
  EXPECT_GT(all.size(), 300u);
  EXPECT_TRUE(includes_own("src/base/csv.cpp", "#include \"base/csv.hpp\""));
  EXPECT_TRUE(includes_own("cli/fix/fix.cpp", "#include \"fix.hpp\""));
  EXPECT_FALSE(includes_own("cli/diff.cpp", "#include \"check/diff.hpp\""));
  for (const std::string& file : all) {
    const std::string text = test::read_text(test::source_path(file));
    const std::string first = text.substr(0, text.find('\n'));
    EXPECT_TRUE(first.starts_with("// ") || includes_own(file, first))
        << file << " does not begin with a comment: describe the file in its first line";
  }
}

// A title and its dashes must be on the same line. If a title is too long, the formatter moves the dashes to the next
// line.
TEST(Comments, RulersStandWithTheirTitles) {
  for (const std::string& file : sources({".cpp", ".hpp", ".cu", ".cuh"})) {
    const std::string text = test::read_text(test::source_path(file));
    std::size_t number = 0;
    for (const std::string_view line : split(text, '\n')) {
      ++number;
      const std::string_view comment = trim(comment_of(line));
      const bool ruler = comment.size() > 3 && comment.find_first_not_of('-') == std::string_view::npos;
      EXPECT_FALSE(ruler) << file << ":" << number << ": dashes without a title on the same line";
    }
  }
}

}  // namespace
}  // namespace bankwise
