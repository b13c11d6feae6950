// Presents a finished report: its format, its output file and the exit status. Used by `run` (for a kernel and for a
// program), `record` and `report`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "check/config.hpp"
#include "check/findings.hpp"
#include "cli/fix/fix.hpp"
#include "cli/input/source_files.hpp"
#include "cli/line/arguments.hpp"
#include "expr/parse/expression.hpp"
#include "report/forms/report_formats.hpp"

namespace bankwise::cli {

struct report_request {
  const report_format* format = nullptr;
  style paint;
  std::string output;           // output file; empty or "-" means standard output
  bool beside_program = false;  // whether the program uses standard output; the report then goes to standard error
  bool all = false, fix = false, accesses = false, brief = false;
  launch_order order = launch_order::time;
  bool looks = false;                    // whether to search briefly for one-line fixes
  std::vector<expr::array_decl> shapes;  // declarations from --array
  std::vector<tried_launch> tried;       // launches with the inputs of --try-input
  std::vector<std::string> words;        // words of the command line, starting with the verb
  std::vector<std::string> build_flags;  // flags that `fix` also accepts: --arch, --nvcc, --root
  std::vector<std::string> program;      // program and arguments of the run; empty for a kernel of a file
  std::filesystem::path edit_root;       // folder whose sources `fix` may edit
  bool failed = false;      // whether the program or a launch failed, or the program printed that it failed
  bool ends_early = false;  // whether a signal may end the search for fixes and the writing
  failing fails = failing::never;
  check::config accepted;  // the [[ignore]] entries of --suppressions
  std::size_t print_limit = most_findings_printed;

  bool is_text() const { return format->name == "text"; }
  // Whether the report has a line for each fix, so that bankwise searches for fixes.
  bool shows_fixes() const { return is_text() || brief || format->name == "markdown"; }
  bool is_page() const { return format->name == "html"; }
  // Whether the report is printed as text, so that the user sees it at once.
  bool is_seen() const { return is_text() && output.empty(); }
};

enum class report_goes { out, beside_program, nowhere };
// Reads and checks the flags, before anything runs.
result<report_request> read_report_request(const arguments& args, report_goes where);

// Makes names of sources relative to the root. Does this if --root is given, and for a page, because users share pages.
void name_for_readers(const report_request& how, report& r, const source_files& sources);

// Writes the report. `search_cut` is whether the search for fixes was incomplete. Findings without a source line are
// reported as findings of the file `input`.
result<done> present(const report_request& how, const report& r, const launch_fixes& fixes, source_files& sources,
                     const std::string& input, bool search_cut = false);
// Removes what --suppressions accepts, and says so.
void leave_out_accepted(const report_request& how, report& r);
// Completes a new report and writes it. First leaves out what --suppressions accepts. Adds the source lines of the sites. With `may_advise`, adds the layouts that
// --fix finds. For a page, adds the texts of the sources. If the report is empty, writes `instead`.
result<done> present_new(const report_request& how, report& r, bool may_advise, source_files& sources,
                         const std::string& input, const std::optional<std::string>& instead = {});

// Returns the exit status, which depends on --fail-on and on the result of --check.
result<int> status_of(const report_request& how, const report& r);

}  // namespace bankwise::cli
