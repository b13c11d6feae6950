// The places where an array is used: which of them an edit can rewrite, and which are doubts.
//
//     tile[ty][tx] = x;      can be rewritten
//     f(tile);               can, if f is a function of the source that gets no other array; else a doubt
//     row(&tile[0][0]);      a doubt
#pragma once

#include <optional>
#include <string>

#include "edit/draft.hpp"

namespace bankwise::edit {

// Other variables of its name, and other members of its union.
void doubt_aliases(draft& d);

// Indices that may leave their row, or their plane.
void doubt_indices(draft& d, const expr::array_decl& shape);

// Lines of the report that reach the array by another name.
void doubt_unseen_lines(draft& d);

// Whether it is the only name of all dynamic memory; otherwise the edit is refused.
bool is_only_memory(draft& d);

// Adds the uses in the functions that the array is passed to.
void follow_into_functions(draft& d);

// What the code does with the element of a use in addition to reading and writing it.
std::optional<std::string> goes_beyond(const draft& d, const source::use& u);

// Whether every place with the name is an access that can be rewritten; the others are doubts.
bool all_indexed(draft& d);

}  // namespace bankwise::edit
