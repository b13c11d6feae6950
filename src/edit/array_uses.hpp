// The uses of an array: an edit can rewrite some of them, and the others are doubts.
//
//     tile[ty][tx] = x;      can be rewritten
//     f(tile);               can be rewritten if f is a function of the source that gets no other array; else a doubt
//     row(&tile[0][0]);      a doubt
#pragma once

#include <optional>
#include <string>

#include "edit/draft.hpp"

namespace bankwise::edit {

// Adds doubts because of other variables with the array's name, and other members of its union.
void doubt_aliases(draft& d);

// Adds doubts because of indices that may leave their row or their plane.
void doubt_indices(draft& d, const expr::array_decl& shape);

// Adds doubts because of lines in the report that access the array by another name.
void doubt_unseen_lines(draft& d);

// Whether the name is the only one for all dynamic memory. If not, the edit is refused.
bool is_only_memory(draft& d);

// Adds the uses in functions to which the array is passed.
void follow_into_functions(draft& d);

// What the code does with an element apart from reading and writing it. Nothing if it only reads and writes it.
std::optional<std::string> goes_beyond(const draft& d, const source::use& u);

// Whether every occurrence of the name is an access that can be rewritten. Other occurrences become doubts.
bool all_indexed(draft& d);

}  // namespace bankwise::edit
