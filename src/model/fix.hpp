// Improvements that were found for a launch, as text: better layouts of arrays, and other instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text_change.hpp"
#include "model/time/predicted_time.hpp"

namespace bankwise {

// An edit of a source that gives an array a different layout (edit/array_edit.hpp).
struct layout_edit {
  std::string file;              // path of the source, spelled as in the sites of the report
  std::string words;             // the declaration after the edit, for example "tile[TILE][TILE + 1]"
  std::uint64_t wavefronts = 0;  // wavefronts of all accesses to the array after the edit
  // the edits, sorted by position; offsets are in the source without its byte order mark
  std::vector<text_change> changes;
};

// The result of a search for a better layout of an array (advise/), as text.
struct known_fix {
  std::string array;    // name, for example "tile"
  std::string verdict;  // the result as a sentence
  std::string code;     // CUDA code of the best layout; empty if no layout is better
  // function and pc of each instruction whose number of wavefronts changes
  std::vector<std::pair<std::string, std::uint64_t>> sites;
  std::optional<layout_edit> edit = {};
  std::string json = {};  // the complete JSON of a fix that was read from a report
  // The recommended change, for example "rows of 132 bytes instead of 128". If a layout cannot help, it is a remedy for
  // addresses that depend on the data, for example "sort the input". Empty if no change is known.
  std::string change = {};
  bool simple = true;  // whether `change` is simple enough to be recommended without a look at the code
  // Wavefronts of all accesses to the array, without and with the change. Both are 0 if no change is known.
  std::uint64_t wavefronts_before = 0, wavefronts_after = 0;
  // Predicted elapsed cycles of the launch, without changes and with the first layout of the fix. If times are not
  // predicted, both numbers are 0.
  std::uint64_t cycles_before = 0, cycles_after = 0;

  bool is_layout() const { return !code.empty(); }
  // Whether the launch is predicted to be slower with the layout: its index costs more than the saved wavefronts.
  bool is_slower() const { return is_clearly_slower(cycles_before, cycles_after); }
  // Number of wavefronts that a simple layout saves.
  std::uint64_t saved() const {
    return is_layout() && simple && wavefronts_after < wavefronts_before ? wavefronts_before - wavefronts_after : 0;
  }
};

// Other instructions for a source line (advise/other_instructions.hpp), as text. The layout stays the same.
struct known_move {
  std::string kernel;  // name without parameters
  std::string file;    // file of the source line; empty if unknown
  std::uint32_t line = 0;
  std::string text;  // text of the source line, if known
  // the instructions before and after: "st.b32", "st.b128", "1 st.b128 in place of 4 st.b32"
  std::string before, after, swaps;
  std::string verdict;  // a sentence with `swaps` and the saving
  std::string needs;    // the conditions under which the change is possible
  std::uint64_t wavefronts_before = 0, wavefronts_after = 0;
  std::vector<std::pair<std::string, std::uint64_t>> sites;
  std::string json;  // the complete JSON of this improvement

  std::uint64_t saved() const { return wavefronts_before - wavefronts_after; }
};

}  // namespace bankwise
