// Finds the sources of a kernel by the names in its line table, and adds them to its report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/line/arguments.hpp"
#include "model/report.hpp"

namespace bankwise::cli {

// Finds files by the names under which they were compiled, perhaps on another machine.
class source_files {
 public:
  source_files(const arguments& args, const std::string& input);

  // Returns the longest suffix of the file's path that is a file below the working folder or the folder of the input.
  // With --root, files below the root are preferred.
  std::optional<std::filesystem::path> find(const std::string& file) const;
  // The path that a report shows: relative to --root if the file is below it, otherwise as it was compiled.
  std::string path_from_root(const std::string& file) const;
  // The text of a file. Nothing if the file is not found, or is not a source.
  std::optional<std::string> text(const std::string& file) const;
  std::string line(const std::string& file, std::uint32_t number) const;
  // Whether --root was given.
  bool has_root() const { return root_.has_value(); }

 private:
  std::optional<std::string> root_;
  std::filesystem::path folder_;                                   // folder of the input
  mutable std::map<std::string, std::vector<std::string>> lines_;  // lines of files that line() has read
};

// Adds the text of each site's source line, if the source is found. A text is one line of at most some hundred bytes.
void add_source_lines(report& r, source_files& sources);
// Adds the complete texts of the sources, for a page.
void add_source_texts(report& r, const source_files& sources);
// Names every found source relative to the root, also in PTX. The report then contains no paths of the machine that
// compiled the code.
void name_from_root(report& r, const source_files& sources);

}  // namespace bankwise::cli
