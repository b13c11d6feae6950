// The uses of an array in a source. An edit can rewrite some uses. The remaining uses are doubts.
//
//     tile[ty][tx] = x;      can be rewritten
//     f(tile);               can be rewritten if f is a function of the source to which only this array is passed
//     row(&tile[0][0]);      a doubt
#pragma once

#include <optional>
#include <string>

#include "edit/draft.hpp"

namespace bankwise::edit {

// Adds doubts about other variables with the array's name, and about other members of its union.
void doubt_aliases(draft& d);

// Adds doubts about indices that may be outside their row or their dimension.
void doubt_indices(draft& d, const expr::array_decl& shape);

// Adds doubts about lines of the report that access the array by a different name.
void doubt_unseen_lines(draft& d);

// Whether the array's name is the only name of the dynamic memory. If not, the edit is refused.
bool is_only_memory(draft& d);

// Adds the uses of the array in functions that get the array as an argument.
void follow_into_functions(draft& d);

// Returns why this use of the whole array does not compile with rows of another length. Returns nothing if it compiles,
// or if this is unknown.
std::optional<std::string> needs_its_rows(const draft& d, const source::use& u);

// Returns what the code does with an element, apart from reading and writing it. Returns nothing if the code only reads
// and writes the element.
std::optional<std::string> goes_beyond(const draft& d, const source::use& u);

// Whether every occurrence of the name is an access that can be rewritten. Each occurrence that cannot be rewritten
// becomes a doubt.
bool all_indexed(draft& d);

}  // namespace bankwise::edit
