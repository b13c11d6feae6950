// Layouts for the arrays of a launch, for `run --fix` and `fix report.json`.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "cli/line/arguments.hpp"
#include "cli/run/source_files.hpp"
#include "edit/array_edit.hpp"
#include "edit/plan.hpp"
#include "model/report.hpp"
#include "report/json/write_report.hpp"
#include "report/text/advice_report.hpp"

namespace bankwise::cli {

// The error if the program or file for `fix` does not exist.
std::optional<diagnostic> refuse_missing(const std::string& file);

// Reads the declarations of --array.
result<std::vector<expr::array_decl>> read_shapes(const arguments& args);
// The source file that declares an array of a launch.
struct array_source {
  std::string file, text;
  std::vector<std::uint32_t> lines;  // lines of the array's accesses in this source, without duplicates
  source::declared_array declared;
};
// Finds the source that declares an array. `sites` are the instructions that access the array. Their source lines show
// where to search. The lines of callers into which instructions were inlined also count.
std::optional<array_source> find_source(const launch_report& l, const std::string& name,
                                        const std::vector<std::vector<instruction_at>>& sites,
                                        const source_files& sources);

// A launch of the same kernel with other input.
struct tried_launch {
  std::string name;
  launch_report launch;
};
// Limits of a search for layouts.
struct search_limits {
  advise::effort effort;
  std::size_t findings = ~std::size_t{0};  // number of the costliest lines whose arrays are searched
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
};
// Limits for --fix. A launch has more accesses than a tile, and the user waits for the result.
inline constexpr advise::effort whole_effort = {.accesses = 12'000'000, .words = 100'000'000};
// Limits for the search for a report without --fix.
inline constexpr advise::effort quick_effort = {.accesses = 2'000'000, .words = 8'000'000};

// All known remedies for a launch. The remedy with the largest saving is first.
struct launch_advice {
  std::vector<advice_report> arrays;
  std::vector<advise::other_instructions> others;
};
// Finds all advice for a launch with recorded accesses, and shows progress. Each array gets an answer. An array without
// a given shape gets the shape of its declaration, if its source is found. `tried` are other launches of the kernel.
// Sets `cut` if the time limit ended the search before all arrays had an answer.
result<launch_advice> advise_launch(const launch_report& l, const machine& on, std::vector<expr::array_decl> shapes,
                                    const source_files& sources, const std::vector<tried_launch>& tried = {},
                                    const search_limits& limits = {.effort = whole_effort}, bool* cut = nullptr);
// Stores the answers with the launch, as texts.
void keep_words(const launch_advice& advised, launch_report& l);
// The question for plan_edits(): how the declaration of an array in launch number n should change.
edit::array_question question_of(const launch_report& l, std::size_t n, const advice_report& a,
                                 const source_files& sources);
// Adds the edit of each array's source, if there is an edit that is certainly right. The edit is for all launches,
// kernels and template instances.
void add_edits(launch_fixes& fixes, const report& r, const source_files& sources);

}  // namespace bankwise::cli
