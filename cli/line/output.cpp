#include "cli/line/output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/format.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "cli/line/verbs.hpp"
#include "report/forms/report_formats.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

// Output formats that reports do not have, such as pictures.
struct other_format {
  std::string_view name, endings;
};
constexpr other_format other_formats[] = {{"svg", ".svg"}, {"cpp", ".cpp"}};

std::string_view endings_of(std::string_view format) {
  if (const report_format* f = find_report_format(format)) return f->endings;
  for (const other_format& f : other_formats)
    if (f.name == format) return f.endings;
  return {};
}

bool is_standard(const std::string& file) { return file.empty() || file == "-"; }

diagnostic cannot_write(const std::string& flag, const std::string& file, const std::string& why) {
  return {formatted("cannot write {}: {}", file, why),
          {},
          formatted("bankwise executed nothing. After --{}, give the name of a file that bankwise can write", flag),
          flag};
}

std::optional<diagnostic> refuse(const std::string& flag, const std::string& file,
                                 const std::vector<std::string>& inputs) {
  if (is_standard(file)) return std::nullopt;
  const fs::path folder = fs::path(file).parent_path();
  // %p, %h and %r in a file name of `record` get their values when the program runs, so the folder is not known yet.
  if (folder.string().find('%') != std::string::npos) return std::nullopt;
  std::error_code ec;
  if (fs::is_directory(file, ec)) return cannot_write(flag, file, "this is a folder");
  const bool is_there = ::access(file.c_str(), F_OK) == 0;
  const std::string needed = is_there ? file : folder.empty() ? "." : folder.string();
  if (::access(needed.c_str(), is_there ? W_OK : W_OK | X_OK) != 0)
    return cannot_write(flag, file, std::strerror(errno));
  for (const std::string& input : inputs)
    if (fs::is_regular_file(file, ec) && fs::equivalent(file, input == "-" ? "/dev/stdin" : input, ec))
      return cannot_write(flag, file, "this file is also an input");
  return std::nullopt;
}

// Returns the file name after `mark`, such as FILE in "N=FILE" or "f32[]=file:FILE".
std::string text_after(const std::string& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string::npos ? "" : text.substr(at + mark.size());
}

}  // namespace

result<std::string> output_format(const arguments& args, std::string_view otherwise,
                                  const std::vector<std::string>& words) {
  if (!args.has("format"))
    for (const std::string& word : words)
      for (const std::string_view ending : split(endings_of(word), ' '))
        if (!ending.empty() && args.value("output").value_or("").ends_with(ending)) return word;
  return choice(args, "format", otherwise, words);
}

std::optional<diagnostic> refuse_outputs(const arguments& args) {
  std::vector<std::string> inputs;
  if (!args.asked->may_overwrite) inputs = args.positional;
  // The program may be in PATH, and its arguments may be files.
  inputs.insert(inputs.end(), args.of_program.begin(), args.of_program.end());
  if (args.asked->words_are != verb_words::ours && !args.positional.empty())
    if (std::string found = find_tool(args.positional[0]); !found.empty()) inputs.push_back(std::move(found));
  for (const char* flag : {"addresses", "config", "baseline", "batch"})
    if (const auto file = args.value(flag)) inputs.push_back(*file);
  for (const std::string& text : args.all("arg"))
    if (std::string file = text_after(text, "=file:"); !file.empty()) inputs.push_back(std::move(file));
  const std::string output = args.value("output").value_or("");
  if (auto refused = refuse("output", output, inputs)) return refused;
  std::vector<std::string> written;
  if (!is_standard(output)) written.push_back(output);
  for (const std::string& text : args.all("dump")) {
    const std::string file = text_after(text, "=");
    if (auto refused = refuse("dump", file, inputs)) return refused;
    std::error_code ec;
    const auto is_same = [&](const std::string& other) {
      return fs::weakly_canonical(file, ec) == fs::weakly_canonical(other, ec);
    };
    if (!file.empty() && std::any_of(written.begin(), written.end(), is_same))
      return cannot_write("dump", file, "another option already writes to this file");
    written.push_back(file);
  }
  return std::nullopt;
}

}  // namespace bankwise::cli
