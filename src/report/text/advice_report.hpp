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

// The cost of an array's layouts with the accesses of another run.
struct tried_input {
  std::string name;
  std::uint64_t before = 0;              // wavefronts with today's layout, over all accesses
  std::vector<std::uint64_t> by_answer;  // with each of advice::answers
};

// One array and its search result.
struct advice_report {
  std::string title;       // "half A[64][64]"
  expr::array_decl array;  // as declared; no extents if not known
  advise::problem what;
  advise::advice found;
  std::vector<std::string> notes;  // things that the reader must check before the change
  // For an array of a launch:
  std::string kernel;                              // its bare name; empty: the question was about a declared array
  std::vector<std::vector<instruction_at>> sites;  // the instructions of each group
  time_bound launch{};                             // what bounds the launch
  std::uint64_t most_clocks_won = 0;               // clocks of the shared pipe that any layout of the array can save
  std::uint64_t begin = 0;                         // of the array in the block's shared memory
  advise::data_remedies by_data{};                 // remedies if addresses depend on the data
  std::vector<std::string> of_rounds{};            // what helps loops around a compare-and-swap, a line each
  std::vector<tried_input> tried{};
  std::optional<advise::turned_array> turned{};  // the transposed array, if it takes fewer wavefronts or instructions
  advise::traffic through{};
  std::string structs{};              // the cost of an array of structs as a struct of arrays, or with longer structs
  std::optional<layout_edit> edit{};  // the edit of its source, if one is certainly right
  predicted_time time{};              // of the launch; empty without a prediction
  std::vector<std::uint64_t> cycles_by_answer{};  // of the launch with each of found.answers; the last may be missing
};

// The best layout in about ten lines; `all`: also the accesses, every layout, the notes and the searched families.
std::string to_text(const advice_report& r, const style& s, bool all);
// All arrays; those with nothing to save get one line each after the others.
std::string to_text(const std::vector<advice_report>& all, const style& s, bool every_code);
// Schema bankwise.fix/1, docs/reference/fix.schema.json.
nlohmann::ordered_json json_value(const advice_report& r);
std::string to_json(const std::vector<advice_report>& all, const std::vector<advise::other_instructions>& others);

// Its words, to be stored with the launch.
known_fix summary_of(const advice_report& r);

// One sentence: "Swizzle<3,4,3>: 576 wavefronts instead of 4,160, the lower bound", or why there is nothing to save.
std::string verdict(const advice_report& r);

}  // namespace bankwise
