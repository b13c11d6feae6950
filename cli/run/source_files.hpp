// The sources of a kernel, found by the names in its line table and added to its report.
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

// Files by the names under which they were compiled, perhaps on another machine.
class source_files {
 public:
  source_files(const arguments& args, const std::string& input);

  // The longest suffix of its path that is a file below the working folder or below the folder of the input. If --root
  // is given, files below it are preferred.
  std::optional<std::filesystem::path> find(const std::string& file) const;
  // The path to show: relative to --root if the file is below it, otherwise as it was compiled.
  std::string path_from_root(const std::string& file) const;
  // Nothing if the file was not found, or if it does not contain source code.
  std::optional<std::string> text(const std::string& file) const;
  std::string line(const std::string& file, std::uint32_t number) const;
  // --root was given.
  bool has_root() const { return root_.has_value(); }

 private:
  std::optional<std::string> root_;
  std::filesystem::path folder_;                                   // of the input
  mutable std::map<std::string, std::vector<std::string>> lines_;  // for files that were passed to line()
};

// The text of each site's line, as one line of at most some hundred bytes, if the source is found.
void add_source_lines(report& r, source_files& sources);
// The whole texts of the sources of its code, for a page.
void add_source_texts(report& r, const source_files& sources);
// Names every found source relative to the root, also in PTX, so that no paths of the compiling machine remain.
void name_from_root(report& r, const source_files& sources);

}  // namespace bankwise::cli
