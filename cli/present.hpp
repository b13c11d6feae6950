// Presents a finished report: its format, its output and the exit status. `run` (for a kernel and for a program),
// `record` and `report` use it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/findings.hpp"
#include "cli/fix/fix.hpp"
#include "cli/line/arguments.hpp"
#include "cli/run/source_files.hpp"
#include "expr/expression.hpp"
#include "report/forms/report_formats.hpp"

namespace bankwise::cli {

enum class failing { never, removable, any };

// The options for a report.
struct report_request {
  const report_format* format = nullptr;
  style paint;
  std::string output;           // name of the file; empty or - means standard output
  bool beside_program = false;  // standard output belongs to the program, so the report goes to standard error
  bool all = false, fix = false, accesses = false;
  bool looks = false;                    // whether to search for one-line fixes, for a time too short to notice
  std::vector<expr::array_decl> shapes;  // declarations of --array
  std::vector<tried_launch> tried;       // launches of --try-input
  std::vector<std::string> words;        // words of the command line, from the verb on
  std::vector<std::string> build_flags;  // flags that `fix` also knows: --arch, --nvcc, --root
  std::vector<std::string> program;      // the program that was run, and its arguments; empty for a kernel of a file
  bool failed = false;                   // whether the program or a launch failed
  failing fails = failing::never;

  bool is_text() const { return format->name == "text"; }
  bool is_page() const { return format->name == "html"; }
  // Whether the user sees the text of the report.
  bool is_seen() const { return is_text() && output.empty(); }
};

enum class report_goes { out, beside_program, nowhere };
// Reads and checks the flags before anything runs.
result<report_request> read_report_request(const arguments& args, report_goes where);

// Names sources relative to the root if --root is given, and on pages, because users share pages.
void name_for_readers(const report_request& how, report& r, const source_files& sources);

// Writes the report. `search_cut` says that the search for fixes was incomplete. `input` is the file that is named for
// findings without a source line.
result<done> present(const report_request& how, const report& r, const launch_fixes& fixes, source_files& sources,
                     const std::string& input, bool search_cut = false);
// Completes a new report and writes it. Adds the layouts that --fix finds (if `may_advise`), the source lines of the
// sites, and, for a page, the texts of the sources. If there is nothing to report, writes `instead`.
result<done> present_new(const report_request& how, report& r, bool may_advise, source_files& sources,
                         const std::string& input, const std::optional<std::string>& instead = {});

// The exit status that --fail-on and the results of --check determine.
result<int> status_of(const report_request& how, const report& r);

// An error if --root is not a folder.
std::optional<diagnostic> refuse_root(const arguments& args);

}  // namespace bankwise::cli
