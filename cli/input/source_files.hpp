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

// Finds sources by the names under which they were compiled. The compilation may have been on another machine.
class source_files {
 public:
  source_files(const arguments& args, const std::string& input);

  // Returns the file whose path is the longest suffix of `file` below the working folder or the folder of the input.
  // With --root, searches below the root first.
  std::optional<std::filesystem::path> find(const std::string& file) const;
  // Returns the path to show in a report. If the file is below the root, the path is relative to the root. Otherwise,
  // it is the path under which the file was compiled.
  std::string path_from_root(const std::string& file) const;
  // Returns the text of a file. Returns nothing if the file is not found or is not a source.
  std::optional<std::string> text(const std::string& file) const;
  std::string line(const std::string& file, std::uint32_t number) const;
  bool has_root() const { return root_.has_value(); }

 private:
  std::optional<std::string> root_;
  std::filesystem::path folder_;                                   // folder of the input
  mutable std::map<std::string, std::vector<std::string>> lines_;  // lines of the files that line() has read
};

// Returns an error if --root is not a folder.
std::optional<diagnostic> refuse_root(const arguments& args);

// Adds the source line of each site, if its source is found. The source line is cut to a few hundred bytes.
void add_source_lines(report& r, source_files& sources);
// Adds the complete texts of the sources to a report, for a page.
void add_source_texts(report& r, const source_files& sources);
// Adds the texts of sources to a saved report, for a page. A source is only added if each of its lines in the report is
// still the same.
void add_unchanged_sources(report& r, const source_files& sources);
// Makes the names of all found sources relative to the root, also in PTX. The report then has no paths of the machine
// that compiled the code.
void name_from_root(report& r, const source_files& sources);

}  // namespace bankwise::cli
