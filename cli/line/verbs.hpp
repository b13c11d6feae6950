// Every verb and its function. The table is read by main(), the parser, help, completion and the manual.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/line/arguments.hpp"

namespace bankwise::cli {

inline constexpr int exit_clean = 0;
inline constexpr int exit_findings = 1;
inline constexpr int exit_failed = 2;

// The meaning of the words after the verb.
enum class verb_words {
  ours,
  program,              // the words are a program and its arguments
  file_or_program,      // the words are a file, or a program and its arguments
  accesses_or_program,  // the words are a program and its arguments, accesses to an array, or a report
};

struct verb {
  std::string_view name;
  // Returns the exit status, or a diagnostic. main() prints a diagnostic and exits with status 2.
  result<int> (*run)(const arguments& args);
  std::string_view usage;    // words that follow the verb, for help
  std::string_view summary;  // description of the verb, in one line
  std::string_view example;
  std::string_view details = {};  // paragraphs for the help of the verb
  verb_words words_are = verb_words::ours;
  std::vector<std::string_view> (*words)() = nullptr;  // returns words that may follow the verb, for completion
  bool may_overwrite = false;  // whether -o may name an input file, because the output has all data of the input
};

std::span<const verb> verbs();
const verb* find_verb(std::string_view name);  // returns null if there is no verb with this name

// The functions of the verbs. Each is in the file with the verb's name. run_kernel_or_program is the function of `run`.
// The functions of `report`, `check`, `lsp`, `mcp` and `tune` are render_report, check_reports, lsp_server, mcp_server and
// tune_kernels.
result<int> explain(const arguments& args);
result<int> predict(const arguments& args);
result<int> run_kernel_or_program(const arguments& args);
result<int> record(const arguments& args);
result<int> fix(const arguments& args);
result<int> render_report(const arguments& args);
result<int> diff(const arguments& args);
result<int> merge(const arguments& args);
result<int> check_reports(const arguments& args);
result<int> init(const arguments& args);
result<int> lsp_server(const arguments& args);
result<int> mcp_server(const arguments& args);
result<int> tune_kernels(const arguments& args);
result<int> compare(const arguments& args);
result<int> rule(const arguments& args);
result<int> probe(const arguments& args);
result<int> contribute(const arguments& args);
result<int> arch(const arguments& args);

}  // namespace bankwise::cli
