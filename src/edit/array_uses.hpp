// The uses of an array: which of them an edit can rewrite, and which are doubts.
//
//     tile[ty][tx] = x;      can be rewritten
//     f(tile);               can, if f is a function of the source that gets no other array; else a doubt
//     row(&tile[0][0]);      a doubt
#pragma once

#include <optional>
#include <string>

#include "edit/draft.hpp"

namespace bankwise::edit {

// Doubts because of other variables with its name, and other members of its union.
void doubt_aliases(draft& d);

// Doubts because of indices that may leave their row, or their plane.
void doubt_indices(draft& d, const expr::array_decl& shape);

// Doubts because of lines in the report that reach the array by another name.
void doubt_unseen_lines(draft& d);

// Whether it is the only name of all dynamic memory; otherwise the edit is refused.
bool is_only_memory(draft& d);

// Adds the uses in the functions that the array is passed to.
void follow_into_functions(draft& d);

// What the code does with a used element in addition to reading and writing it.
std::optional<std::string> goes_beyond(const draft& d, const source::use& u);

// Whether every occurrence of the name is an access that can be rewritten; the others are doubts.
bool all_indexed(draft& d);

}  // namespace bankwise::edit
