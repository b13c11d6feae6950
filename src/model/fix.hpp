// Improvements that were found for a launch, as text: other layouts of its arrays, and other instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text_change.hpp"

namespace bankwise {

// An edit of a source that gives an array another layout (edit/array_edit.hpp).
struct layout_edit {
  std::string file;                  // named as in sites
  std::string words;                 // for example "tile[TILE][TILE + 1]"
  std::uint64_t wavefronts = 0;      // wavefronts of all accesses to the array after the edit
  std::vector<text_change> changes;  // in order; offsets are in the source after its byte order mark
};

// The result of a search for a better layout of an array (advise/), as text.
struct known_fix {
  std::string array;    // for example "tile"
  std::string verdict;  // the result as a sentence
  std::string code;     // CUDA code of the best layout; empty if no layout is better
  // function and pc of each instruction whose wavefronts change
  std::vector<std::pair<std::string, std::uint64_t>> sites;
  std::optional<layout_edit> edit = {};
  std::string json = {};    // the complete JSON, if the fix was read from a report
  std::uint64_t saved = 0;  // wavefronts saved over all accesses to the array
  // Predicted elapsed cycles of the launch as it is, and with the first of the layouts. 0 without a prediction.
  std::uint64_t cycles_before = 0, cycles_after = 0;
};

// Other instructions for a line (advise/other_instructions.hpp), as text. The layout does not change.
struct known_move {
  std::string kernel;  // bare name
  std::string file;    // empty if unknown
  std::uint32_t line = 0;
  std::string text;                  // text of the line, if known
  std::string before, after, swaps;  // for example "st.b32", "st.b128", "1 st.b128 in place of 4 st.b32"
  std::string verdict;               // `swaps` with the saving, as a sentence
  std::string needs;                 // the conditions under which it applies
  std::uint64_t wavefronts_before = 0, wavefronts_after = 0;
  std::vector<std::pair<std::string, std::uint64_t>> sites;  // function and pc of each instruction that is replaced
  std::string json;                                          // the complete JSON

  std::uint64_t saved() const { return wavefronts_before - wavefronts_after; }
};

}  // namespace bankwise
