// Checks every #include of the source tree: a folder only includes folders below itself. The same is true for the
// subfolders of a folder.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

namespace fs = std::filesystem;

constexpr const char* the_door = "runtime/library_call.hpp";

// For each folder: the folders or single files that it may include in addition to itself. A folder without a row has no
// source files.
const std::map<std::string, std::set<std::string>> may_include = {
    {"include/bankwise", {}},
    {"src/rule", {"bankwise"}},
    {"src/base", {"bankwise"}},
    {"src/expr", {"bankwise", "base"}},
    {"src/cubin", {"bankwise/ability.hpp", "bankwise/arch.hpp", "base"}},
    {"src/sass", {"bankwise/access.hpp", "base", "cubin/architectures.hpp"}},
    // The facts of a report, whatever their origin is.
    {"src/model",
     {"bankwise", "base", "expr", "cubin/architectures.hpp", "cubin/instance_names.hpp", "sass/flow/inputs.hpp",
      "sass/meaning.hpp"}},
    // The emulator reports accesses, and does not know banks.
    {"src/emulate",
     {"bankwise/ability.hpp", "bankwise/access.hpp", "bankwise/asynchronous.hpp", "bankwise/texture_sectors.hpp",
      "base", "expr", "cubin", "sass", "model/parts/global_kind.hpp", "model/parts/out_of_bounds.hpp",
      "model/parts/whole_counts.hpp", "model/run_options.hpp"}},
    // The timing model computes clocks from events and machine code. It does not know reports.
    {"src/timing", {"bankwise", "rule", "base", "cubin", "sass", "model/time/resources.def", "emulate"}},
    {"src/profile", {"bankwise", "rule", "base", "expr", "cubin", "sass", "model", "emulate", "timing"}},
    // Readers of C++ do not know banks.
    {"src/source", {"base", "expr"}},
    {"src/advise",
     {"bankwise", "rule", "base", "expr", "cubin/occupancy.hpp", "emulate/launch/warp_shape.hpp", "model", "source"}},
    {"src/edit", {"bankwise", "base", "expr", "model", "source", "advise"}},
    // What is wrong in a launch, as values. Checks and renderers use the same list.
    {"src/findings", {"bankwise", "base", "expr", "model"}},
    // Checks pair kernels by their names.
    {"src/check",
     {"bankwise", "base", "expr", "cubin/instance_names.hpp", "cubin/names/name_parts.hpp", "model", "findings"}},
    // Renderers know the values that they print, but not their origin.
    {"src/report",
     {"bankwise", "rule/clocks.hpp", "base", "expr", "model", "findings", "source", "advise", "edit", "check"}},
    // The language server turns reports into messages to an editor. Other folders load and make the reports.
    {"src/lsp", {"bankwise", "base", "expr", "model", "findings", "source", "advise", "edit", "check", "report"}},
    // Results of the server of the Model Context Protocol, which fit into a context.
    {"src/mcp", {"base"}},
    // The results of a search among configurations.
    {"src/tune", {"bankwise/config.hpp", "base", "expr", "report"}},
    {"src/wasm", {"bankwise", "base", "expr", "source", "advise", "report"}},
    // The rows below are programs and libraries. No folder of src includes them.
    {"runtime",
     {"bankwise", "base", "expr", "cubin", "sass", "model", "emulate", "timing", "profile", "advise", "check",
      "report"}},
    // The math libraries include one header of the stand-in driver. No other folder includes the math libraries.
    {"math/common", {"base", the_door}},
    {"math/blas", {"math/common", the_door}},
    {"math/sparse", {"base", "math/common", "math/blas", the_door}},
    {"math/solver", {"base", "math/common", "math/blas", "math/sparse", the_door}},
    {"math/fft", {"math/common", the_door}},
    {"math/random", {"base", "math/common", the_door}},
    {"math/dnn", {"base", "math/common", the_door}},
    {"gpu",
     {"bankwise", "base", "expr", "cubin", "sass", "model", "emulate", "timing", "profile", "advise", "check",
      "report"}},
    {"python", {"bankwise", "base", "expr", "report"}},
    {"cli",
     {"bankwise", "rule/clocks.hpp", "base", "expr", "cubin", "sass", "model", "emulate", "timing", "profile",
      "findings", "source", "advise", "edit", "check", "report", "lsp", "mcp", "tune", "runtime", "gpu"}},
};

// The floors of a folder: its subfolders, from the lowest to the highest. "" means the files of the folder itself. A
// floor only includes floors below itself.
const std::map<std::string, std::vector<std::string>> floors = {
    {"src/base", {"", "system"}},
    {"src/expr", {"names", "parse", ""}},
    {"src/cubin", {"names", ""}},
    // A row of opcodes.def names its operands. The fields of an instruction contain operands.
    {"src/sass", {"", "operand", "fields", "flow", "print"}},
    {"src/model", {"parts", "time", "", "sectors", "causes"}},
    // The code of a kernel, the state of a block, what executes the code, and what chooses the next warp and block.
    {"src/emulate",
     {"texture", "", "memory", "launch", "code", "block", "counting", "counting/follow", "execute", "execute/tensor",
      "execute/tensor_memory", "jit", "decode", "turns", "grid"}},
    // What was recorded, the GPU's parameters and the costs of instructions, one multiprocessor, and the whole launch.
    {"src/timing", {"trace", "", "multiprocessor", "launch", "clocks"}},
    {"src/profile", {"code", "delays", ""}},
    {"src/source", {"", "range"}},
    {"src/advise", {"search", "memory", "sectors", ""}},
    {"src/report", {"json/syntax", "table", "picture", "sectors", "sections", "text", "json", "page", "forms"}},
    // The state of the process is plain values. The floors above it change these values, in the order of their calls.
    {"runtime",
     {"", "clock", "device", "launch", "memory", "stream", "process", "driver", "driver/entries", "cudart/entries",
      "cudart", "library", "management", "load"}},
    {"gpu", {"record", "probe", "probe/timing"}},
    {"cli", {"line", "nvcc", "input", "line/help", "fix", "run", "check", "mcp", "tune", ""}},
};

struct include {
  std::string file;  // path relative to the root of the project
  std::size_t line = 0;
  std::string name;  // name of the included file
  bool in_quotes = false;
};

// Returns the includes of a file: "# include <a/b.hpp>" -> a/b.hpp
std::vector<include> includes_of(const std::string& file) {
  std::vector<include> found;
  const std::string text = test::read_text(test::source_path(file));
  std::size_t line = 0;
  for (std::string_view s : split(text, '\n')) {
    ++line;
    s = trim(s);
    if (!s.starts_with('#')) continue;
    s = trim(s.substr(1));
    if (!s.starts_with("include")) continue;
    s = trim(s.substr(7));
    const bool quotes = s.starts_with('"');
    const std::size_t end = s.empty() ? std::string_view::npos : s.find(quotes ? '"' : '>', 1);
    if (end != std::string_view::npos) found.push_back({file, line, std::string(s.substr(1, end - 1)), quotes});
  }
  return found;
}

// Returns the row for `file`: the longest name of a folder that contains the file, or an empty name.
std::string row_of(const std::string& file) {
  std::string best;
  for (const auto& [folder, allowed] : may_include)
    if (file.starts_with(folder + "/") && folder.size() > best.size()) best = folder;
  return best;
}

std::vector<std::string> source_files() {
  std::vector<std::string> files;
  const fs::path root = test::source_path("");
  for (const char* top : {"include", "src", "cli", "runtime", "math", "gpu", "python"}) {
    if (!fs::exists(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top))
      if (const std::string kind = entry.path().extension();
          entry.is_regular_file() &&
          std::set<std::string>{".hpp", ".cpp", ".cu", ".cuh", ".h", ".c", ".def"}.contains(kind))
        files.push_back(fs::relative(entry.path(), root).generic_string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool allowed(const include& i) {
  const std::string row = row_of(i.file);
  const std::string own = row.substr(row.rfind('/') + 1);
  // The rule must not include headers of the library or of the system. Only the rule's header for tests may include
  // such headers.
  if (!i.in_quotes) return row != "include/bankwise" || i.file.starts_with("include/bankwise/testing");
  if (i.name.find('/') == std::string::npos) return row.find('/') == std::string::npos;  // a neighbour
  const std::set<std::string>& others = may_include.at(row);
  return i.name.starts_with(own + "/") || i.name.starts_with(row + "/") ||
         std::any_of(others.begin(), others.end(),
                     [&](const std::string& other) { return i.name == other || i.name.starts_with(other + "/"); });
}

// Returns the folder of `floors` that contains a file, or an empty name.
std::string building_of(const std::string& file) {
  for (const auto& [folder, list] : floors)
    if (file.starts_with(folder + "/")) return folder;
  return "";
}

// Returns the number of a file's floor, counted from the lowest. Nothing if the table does not have this floor.
std::optional<std::ptrdiff_t> floor_of(const std::string& building, const std::string& file) {
  const std::string folder = file.substr(0, file.rfind('/'));
  const std::vector<std::string>& list = floors.at(building);
  const auto it = std::find(list.begin(), list.end(), folder == building ? "" : folder.substr(building.size() + 1));
  return it == list.end() ? std::nullopt : std::optional(it - list.begin());
}

// Whether an include goes to the same floor, to a lower floor, or out of the building.
bool goes_down(const include& i) {
  const std::string building = building_of(i.file);
  if (!i.in_quotes || building.empty() || i.name.find('/') == std::string::npos) return true;
  const std::string to = i.name.starts_with(building + "/") ? i.name : "src/" + i.name;
  if (!to.starts_with(building + "/")) return true;
  const auto from = floor_of(building, i.file), below = floor_of(building, to);
  return from && below && *below <= *from;
}

TEST(Layers, IncludesGoDown) {
  const std::vector<std::string> files = source_files();
  ASSERT_GT(files.size(), 50u);
  for (const std::string& file : files) {
    ASSERT_NE(row_of(file), "") << file << " is in a folder without a row in this test's table: add a row";
    for (const include& i : includes_of(file))
      EXPECT_TRUE(allowed(i)) << i.file << ":" << i.line << ": " << row_of(i.file) << " may not include " << i.name;
  }
}

TEST(Layers, SubfoldersIncludeFloorsBelowThemselves) {
  for (const std::string& file : source_files()) {
    const std::string building = building_of(file);
    if (building.empty()) continue;
    ASSERT_TRUE(floor_of(building, file))
        << file << " is in a folder without a floor: add it to the row of " << building;
    for (const include& i : includes_of(file))
      EXPECT_TRUE(goes_down(i)) << i.file << ":" << i.line << ": " << i.name << " is on a floor above";
  }
}

// Every folder with subfolders has a row in the table of floors, except those of math/.
TEST(Layers, EverySubfolderIsOnAFloor) {
  for (const std::string& file : source_files()) {
    const std::string row = row_of(file);
    const bool is_inside = file.rfind('/') != row.size() && !row.starts_with("math/");
    EXPECT_TRUE(!is_inside || !building_of(file).empty()) << file << " is in a folder without a row of floors";
  }
}

// math/ includes only this header of runtime/. The header itself includes none of our files.
TEST(Layers, TheDoorToMathIncludesNothingOfOurs) {
  const std::vector<include> all = includes_of(the_door);
  ASSERT_FALSE(all.empty());
  for (const include& i : all) EXPECT_FALSE(i.in_quotes) << i.file << ":" << i.line << ": " << i.name;
}

TEST(Layers, AnIncludeThatGoesUpIsSeen) {
  EXPECT_TRUE(allowed({"src/emulate/execute/lanes.hpp", 1, "emulate/block/worker.hpp", true}));
  EXPECT_TRUE(allowed({"src/emulate/launch/launch.hpp", 1, "bankwise/access.hpp", true}));
  EXPECT_FALSE(allowed({"src/emulate/launch/launch.hpp", 1, "bankwise/wavefronts.hpp", true}));
  EXPECT_FALSE(allowed({"src/base/text.hpp", 1, "cubin/program.hpp", true}));
  EXPECT_FALSE(allowed({"src/base/text.hpp", 1, "result.hpp", true}));
  EXPECT_FALSE(allowed({"include/bankwise/arch.hpp", 1, "cstdint", false}));
  EXPECT_TRUE(allowed({"cli/run/run.cpp", 1, "nvcc.hpp", true}));
}

TEST(Layers, AnIncludeOfAHigherFloorIsSeen) {
  EXPECT_TRUE(goes_down({"src/emulate/turns/block_runner.cpp", 1, "emulate/block/worker.hpp", true}));
  EXPECT_TRUE(goes_down({"src/emulate/turns/block_runner.cpp", 1, "sass/print/print.hpp", true}));
  EXPECT_FALSE(goes_down({"src/emulate/block/worker.hpp", 1, "emulate/turns/block_runner.hpp", true}));
  EXPECT_FALSE(goes_down({"src/sass/row.hpp", 1, "sass/operand/address.hpp", true}));
  EXPECT_TRUE(goes_down({"runtime/stream/graph.cpp", 1, "runtime/memory/allocation.hpp", true}));
  EXPECT_FALSE(goes_down({"runtime/device/state.hpp", 1, "runtime/launch/module.hpp", true}));
  EXPECT_FALSE(goes_down({"runtime/device/state.hpp", 1, "runtime/unknown/module.hpp", true}));
}

TEST(Layers, MathAndRuntimeShareOneHeader) {
  EXPECT_TRUE(allowed({"math/blas/vectors.hpp", 1, "runtime/library_call.hpp", true}));
  EXPECT_TRUE(allowed({"math/dnn/graph/graph_steps.hpp", 1, "math/dnn/dnn_tensor.hpp", true}));
  EXPECT_FALSE(allowed({"math/blas/vectors.hpp", 1, "runtime/device/state.hpp", true}));
  EXPECT_FALSE(allowed({"math/blas/vectors.hpp", 1, "state.hpp", true}));
  EXPECT_FALSE(allowed({"math/blas/vectors.hpp", 1, "math/solver/lapack.hpp", true}));
  EXPECT_FALSE(allowed({"runtime/launch/launch.cpp", 1, "math/common/routine.hpp", true}));
  EXPECT_FALSE(allowed({"cli/run/run.cpp", 1, "math/common/routine.hpp", true}));
}

}  // namespace
}  // namespace bankwise
