#include "cli/line/help/kernel_words.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/text.hpp"
#include "cli/input/saved_report.hpp"
#include "cubin/load.hpp"
#include "source/tokens.hpp"

namespace bankwise::cli {

namespace {

constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20;  // a shell waits for the answer

// Adds the functions that a source declares with __global__, or with .entry in PTX. The name is the first word before a
// parenthesis that is not an attribute.
void add_declared(std::string_view text, std::set<std::string>& names) {
  const std::vector<source::token> tokens = source::tokens_of(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].spelled != "__global__" && tokens[i].spelled != "entry") continue;
    for (std::size_t j = i + 1; j + 1 < tokens.size() && tokens[j].spelled != ";" && tokens[j].spelled != "{"; ++j) {
      if (tokens[j].is != source::token::kind::word || tokens[j + 1].spelled != "(") continue;
      if (tokens[j].spelled.starts_with("__") && tokens[j].spelled.ends_with("__")) {
        j = source::closing(tokens, j + 1);
        continue;
      }
      names.emplace(tokens[j].spelled);
      break;
    }
  }
}

// Returns the machine code in a cubin or fatbin, or in each translation unit of a program.
std::vector<cubin::program> programs_in(const std::string& contents, const std::string& file) {
  const byte_span bytes = bytes_of(contents);
  if (auto all = cubin::load_all(bytes, file, cubin::device_for(bytes, file)); all && !all->empty())
    return std::move(*all);
  std::vector<cubin::program> one;
  if (auto program = cubin::load(bytes, file, 0)) one.push_back(std::move(*program));
  return one;
}

// Whether a shell can complete the name. Names in cubins and reports may contain any character, and a shell would expand
// some of them.
bool is_identifier(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_name_character);
}

}  // namespace

std::string kernel_words(const std::vector<std::string>& words) {
  std::set<std::string> names;
  for (const std::string& word : words) {
    std::error_code ec;
    if (!std::filesystem::is_regular_file(word, ec) || std::filesystem::file_size(word, ec) > most_bytes) continue;
    const auto contents = read_file(word);
    if (!contents) continue;
    if (word.ends_with(".cu") || word.ends_with(".cuh") || word.ends_with(".ptx")) {
      add_declared(*contents, names);
    } else if (word.ends_with(".json")) {
      if (const auto r = load_report(word))
        for (const launch_report& l : r->launches) names.insert(l.name);
    } else {
      for (const cubin::program& p : programs_in(*contents, word))
        for (const cubin::kernel& k : p.kernels) names.insert(k.name);
    }
  }
  std::string text;
  for (const std::string& name : names)
    if (is_identifier(name)) text += formatted("{}\n", name);
  return text;
}

}  // namespace bankwise::cli
