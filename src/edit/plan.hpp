// Chooses one edit for each declaration. This edit applies to all launches, kernels and instances of a template that
// use the array:
//
//     scan<float> 1,024 blocks   temp[1024]   8 free bytes after every 128    }  one line of one source,
//     scan<int>      64 blocks   temp[1024]   8 free bytes after every 128    }  and their sum
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "edit/array_edit.hpp"
#include "expr/parse/scope.hpp"

namespace bankwise::edit {

// An array of one launch, and the result of the search for this array.
struct array_question {
  std::size_t launch = 0;
  std::string kernel;  // name of the kernel without parameters
  std::string title;   // the array as text, for example "float tile[32][32]"
  expr::array_decl shape;
  advise::problem what;
  advise::advice found;
  std::string file;                  // source that contains the declaration; empty if it was not found
  std::vector<std::uint32_t> lines;  // lines of the array's accesses in this source
  std::uint64_t of_launch = 0;       // wavefronts of the launch
  std::uint64_t count = 1;           // number of equal launches
  source::threads_of_block block{};
  // for dynamic memory: why the declaration cannot be edited for this array alone; empty if it can be edited
  std::string not_whole;
};

// The first answer to a question whose array gets a different layout instead.
struct passed_over {
  std::size_t question = 0;
  advise::answer first;
  std::string why;
};

struct planned_edit {
  std::string file;
  source::declared_array declared;
  std::vector<std::size_t> questions;      // the questions that the edit answers
  std::vector<std::uint64_t> after;        // wavefronts of each question with the edit, for one launch
  std::uint64_t before = 0, promised = 0;  // wavefronts of all questions, before the edit and with it
  std::vector<std::uint64_t> again;        // for each question: additional wavefronts if elements are read again
  std::uint64_t at_most = 0;               // upper bound for the wavefronts of all questions
  std::vector<std::uint32_t> read_again;   // lines that may load elements again
  std::uint64_t floor = 0;
  array_edit edit;  // the edit; if refused, it contains the reason, and was made for the best answer
  std::string title;
  std::size_t question = 0, answer = 0;  // indices of the question and of the answer for which the edit was made
  std::vector<passed_over> others;       // first answers that this edit does not use, without duplicates
};

// Plans edits. Set `allow_doubts` if the caller builds the edited program and compares the results. `text` returns the
// text of a source. For an array without rows, a function may compute the index. The compiler then no longer joins
// adjacent elements into wider accesses, so such questions are counted again, with at most this effort.
inline constexpr advise::effort effort_again = {.accesses = 4'000'000, .words = 8'000'000};
std::vector<planned_edit> plan_edits(std::vector<array_question>& all, bool allow_doubts,
                                     const std::function<std::optional<std::string>(const std::string& file)>& text,
                                     const advise::effort& again = effort_again);

}  // namespace bankwise::edit
