// The answer of `bankwise fix`: layouts with their cost, saving and code, as text and as JSON.
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
#include "expr/parse/expression.hpp"
#include "model/time_bound.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// The cost of an array's layouts for the accesses of another run (--try-input).
struct tried_input {
  std::string name;
  std::uint64_t before = 0;              // wavefronts of all accesses with the current layout
  std::vector<std::uint64_t> by_answer;  // wavefronts with each layout of advise::answers
};

struct advice_report {
  std::string title;       // name and shape of the array, such as "half A[64][64]"
  expr::array_decl array;  // declaration of the array; without extents if they are unknown
  advise::problem what;
  advise::advice found;
  std::vector<std::string> notes;  // sentences about what the user must check before the change
  // The following members are set only for an array of a launch.
  std::string kernel;                              // bare name of the kernel; empty if the user declared the array
  std::vector<std::vector<instruction_at>> sites;  // instructions of each group of accesses
  time_bound launch{};                             // resources that limit the launch
  std::uint64_t most_clocks_won = 0;               // largest saving by a layout, in clocks of the shared pipe
  std::uint64_t begin = 0;                         // offset of the array in the block's shared memory
  advise::data_remedies by_data{};                 // remedies for addresses that depend on data
  std::vector<std::string> of_rounds{};            // remedies for loops around a compare-and-swap, one line each
  std::vector<tried_input> tried{};
  std::optional<advise::turned_array> turned{};  // transposed array, if it takes fewer wavefronts or instructions
  advise::traffic through{};
  std::string structs{};              // cost of an array of structs as a struct of arrays, or with longer structs
  std::optional<layout_edit> edit{};  // edit of the source; empty unless it is certainly correct
  predicted_time time{};              // predicted time of the launch; empty if it was not predicted
  std::vector<std::uint64_t> cycles_by_answer{};  // predicted cycles of the launch with each layout in found.answers
};
// The layouts that were found for each launch. The list is empty if no layouts were requested.
using launch_fixes = std::vector<std::vector<advice_report>>;

// Returns the best layout in about ten lines. With `all`, adds the accesses, every layout, the notes and the families
// of layouts that were searched.
std::string to_text(const advice_report& r, const style& s, bool all);
// Returns the answers for all arrays. The last lines list the arrays for which nothing can be saved.
std::string to_text(const std::vector<advice_report>& all, const style& s, bool every_code);
// Writes the answer as JSON. Its schema is bankwise.fix/1, docs/reference/fix.schema.json.
nlohmann::ordered_json json_value(const advice_report& r);
std::string to_json(const std::vector<advice_report>& all, const std::vector<advise::other_instructions>& others);

known_fix summary_of(const advice_report& r);

// Returns a sentence such as "Swizzle<3,4,3>: 576 wavefronts instead of 4,160, the lower bound". If nothing can be
// saved, returns the reason.
std::string verdict(const advice_report& r);

}  // namespace bankwise
