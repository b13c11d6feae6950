// The sources that a report shows, found on this machine.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bankwise::cli {

// Source files by the name they were compiled under, or by their last part beside the input or in the working folder.
class source_files {
 public:
  explicit source_files(const std::string& input) : folder_(std::filesystem::path(input).parent_path()) {}

  // Nothing if there is no such file.
  std::optional<std::string> text(const std::string& file) const;
  std::string line(const std::string& file, std::uint32_t number);

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>> lines_;
};

}  // namespace bankwise::cli
