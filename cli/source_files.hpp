// The sources of a kernel: found by the names that its line table has, and put into its report.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace bankwise::cli {

// Files by the name they were compiled under, or by their last part beside the input or in the working folder.
class source_files {
 public:
  explicit source_files(const std::string& input) : folder_(std::filesystem::path(input).parent_path()) {}

  // Where it is; nothing if there is no such file, or if it is none that holds source code.
  std::optional<std::filesystem::path> find(const std::string& file) const;
  // Nothing if there is no such file.
  std::optional<std::string> text(const std::string& file) const;
  std::string line(const std::string& file, std::uint32_t number);
  std::filesystem::path beside_input(const std::string& file) const {
    return folder_ / std::filesystem::path(file).filename();
  }

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>> lines_;
};

// The text of each site's line, on one line of at most some hundred bytes, where the source is found.
void add_source_lines(report& r, source_files& sources);

// The name of a file as people have it: from `root` where it is below it, otherwise as it was compiled.
std::string path_from(const std::filesystem::path& root, const source_files& sources, const std::string& file);

}  // namespace bankwise::cli
