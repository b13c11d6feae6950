// Every verb, once, with its function: main(), parsing, help, completion and the manual read this table.
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

// The owner of the words after the verb.
enum class verb_words {
  ours,
  program,              // to the program that is named first
  file_or_program,      // the same, if the first word names a program
  accesses_or_program,  // the same, unless it is an access to an array or a report
};

struct verb {
  std::string_view name;
  // The exit status, or the diagnostic that main() prints before it exits with 2.
  result<int> (*run)(const arguments& args);
  std::string_view usage;    // the words after the verb
  std::string_view summary;  // one line
  std::string_view example;
  std::string_view details = {};  // paragraphs of its help
  verb_words words_are = verb_words::ours;
  std::vector<std::string_view> (*words)() = nullptr;  // words that may follow it, for completion
  bool may_overwrite = false;  // -o may name an input file, because the output contains everything in it
};

std::span<const verb> verbs();
const verb* find_verb(std::string_view name);  // null if there is none

// Each function is in the file of its name; run_kernel_or_program is `run`, render_report `report`, check_reports
// `check`, lsp_server `lsp`.
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
result<int> compare(const arguments& args);
result<int> rule(const arguments& args);
result<int> probe(const arguments& args);
result<int> arch(const arguments& args);

}  // namespace bankwise::cli
