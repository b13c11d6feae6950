#include "cli/tune/merge_tuned.hpp"

#include <cstdio>

#include "base/system/files.hpp"
#include "tune/tuned_json.hpp"

namespace bankwise::cli {

result<tune::tuned> merge_tuned_files(const std::vector<std::string>& files) {
  if (files.empty())
    return diagnostic{"--merge needs results of tune", {}, "bankwise tune --merge part1.json part2.json"};
  std::vector<tune::tuned> parts;
  for (const std::string& file : files) {
    const auto text = read_file(file);
    if (!text) return text.error();
    auto t = tune::read_tuned(*text, file);
    if (!t) return t.error();
    parts.push_back(std::move(*t));
  }
  return tune::merge_tuned(parts, files);
}

bool is_tuned_file(const std::string& file) {
  std::FILE* const in = std::fopen(file.c_str(), "rb");
  if (in == nullptr) return false;
  char head[200];
  const std::size_t n = std::fread(head, 1, sizeof head, in);
  std::fclose(in);
  return tune::is_tuned({head, n});
}

}  // namespace bankwise::cli
