// Layouts for the arrays of a launch, for `run --fix` and `fix report.json`.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "cli/input/source_files.hpp"
#include "cli/line/arguments.hpp"
#include "edit/array_edit.hpp"
#include "edit/plan.hpp"
#include "model/report.hpp"
#include "report/json/write_report.hpp"
#include "report/text/advice_report.hpp"

namespace bankwise::cli {

// Returns an error if the program or file that `fix` gets does not exist.
std::optional<diagnostic> refuse_missing(const std::string& file);

// Reads the declarations of --array.
result<std::vector<expr::array_decl>> read_shapes(const arguments& args);
// A source file that declares an array of a launch, and this declaration.
struct array_source {
  std::string file, text;
  std::vector<std::uint32_t> lines;  // lines in this source that access the array, without duplicates
  source::declared_array declared;
};
// Finds the source that declares an array. `sites` are the instructions that access the array. The search begins at the
// source lines of these instructions, and at the lines of the callers into which they were inlined.
std::optional<array_source> find_source(const launch_report& l, const std::string& name,
                                        const std::vector<std::vector<instruction_at>>& sites,
                                        const source_files& sources);

// A launch of the same kernel with another input (--try-input).
struct tried_launch {
  std::string name;
  launch_report launch;
};
struct search_limits {
  advise::effort effort;
  std::size_t findings = ~std::size_t{0};  // limit of lines whose arrays are examined; costliest lines come first
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
};
// Limits of a search with --fix. These limits are higher than those for a single tile, because a launch has more
// accesses.
inline constexpr advise::effort whole_effort = {.accesses = 12'000'000, .words = 100'000'000};
// Limits of the search that every report makes without --fix.
inline constexpr advise::effort quick_effort = {.accesses = 2'000'000, .words = 8'000'000};

// All known remedies for a launch. Remedies with larger savings come first.
struct launch_advice {
  std::vector<advice_report> arrays;
  std::vector<advise::other_instructions> others;
};
// Finds remedies for a launch whose accesses were recorded, and shows progress. Every array gets an answer. If `shapes`
// does not contain an array, its shape comes from its declaration in the source. `tried` has other launches of the
// kernel. If the time limit ends the search before every array has an answer, sets `cut`.
result<launch_advice> advise_launch(const launch_report& l, const machine& on, std::vector<expr::array_decl> shapes,
                                    const source_files& sources, const std::vector<tried_launch>& tried = {},
                                    const search_limits& limits = {.effort = whole_effort}, bool* cut = nullptr);
// Stores the answers in the launch, as texts.
void keep_words(const launch_advice& advised, launch_report& l);
// Returns the question for plan_edits(): how to change the declaration of the array in `a`. `n` is the number of the
// launch that uses the array.
edit::array_question question_of(const launch_report& l, std::size_t n, const advice_report& a,
                                 const source_files& sources);
// Adds an edit of the source for each array. An edit is only added if it is certainly correct for all launches, kernels
// and template instances.
void add_edits(launch_fixes& fixes, const report& r, const source_files& sources);

}  // namespace bankwise::cli
