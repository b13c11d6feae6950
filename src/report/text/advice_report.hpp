// The answer of `bankwise fix`: each layout with its cost, its saving and its code, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "advise/data_remedies.hpp"
#include "advise/kernel_question.hpp"
#include "advise/other_instructions.hpp"
#include "advise/turned_array.hpp"
#include "expr/expression.hpp"
#include "model/time/time_bound.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// The cost of an array's layouts for the accesses of another run.
struct tried_input {
  std::string name;
  std::uint64_t before = 0;              // wavefronts of all accesses with the current layout
  std::vector<std::uint64_t> by_answer;  // wavefronts with each of advice::answers
};

// An array and the result of its search.
struct advice_report {
  std::string title;       // example: "half A[64][64]"
  expr::array_decl array;  // the declaration; without extents if they are unknown
  advise::problem what;
  advise::advice found;
  std::vector<std::string> notes;  // what a user must check before the change
  // The next members are only set for an array of a launch.
  std::string kernel;                              // bare name; empty if the question was about a declared array
  std::vector<std::vector<instruction_at>> sites;  // instructions of each group
  time_bound launch{};                             // what limits the launch
  std::uint64_t most_clocks_won = 0;               // how many clocks of the shared pipe a layout of the array can save
  std::uint64_t begin = 0;                         // offset of the array in the block's shared memory
  advise::data_remedies by_data{};                 // remedies for addresses that depend on data
  std::vector<std::string> of_rounds{};            // remedies for loops around a compare-and-swap, one line each
  std::vector<tried_input> tried{};
  std::optional<advise::turned_array> turned{};  // the transposed array, if it takes fewer wavefronts or instructions
  advise::traffic through{};
  std::string structs{};              // the cost of an array of structs as a struct of arrays, or with longer structs
  std::optional<layout_edit> edit{};  // the edit of the source, if bankwise is certain that it is right
  predicted_time time{};              // predicted time of the launch; empty if not predicted
  std::vector<std::uint64_t> cycles_by_answer{};  // predicted cycles of the launch for each of found.answers
};

// The best layout in about ten lines. If `all` is set, also the accesses, every layout, the notes and the searched
// families.
std::string to_text(const advice_report& r, const style& s, bool all);
// The answers for all arrays. At the end is one line for each array with nothing to save.
std::string to_text(const std::vector<advice_report>& all, const style& s, bool every_code);
// Writes the schema bankwise.fix/1, docs/reference/fix.schema.json.
nlohmann::ordered_json json_value(const advice_report& r);
std::string to_json(const std::vector<advice_report>& all, const std::vector<advise::other_instructions>& others);

// The texts of the answer that are stored with the launch.
known_fix summary_of(const advice_report& r);

// One sentence: "Swizzle<3,4,3>: 576 wavefronts instead of 4,160, the lower bound". If there is nothing to save, says
// why.
std::string verdict(const advice_report& r);

}  // namespace bankwise
