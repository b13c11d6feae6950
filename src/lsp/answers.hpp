// What an editor shows of a source, as the protocol has it: diagnostics, hints, hover, actions, lenses.
//
//     out[...] = tile[threadIdx.x][j];   32 wavefronts, 1 reachable
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lsp/line_notes.hpp"
#include "lsp/message.hpp"

namespace bankwise::lsp {

inline constexpr const char* explain_command = "bankwise.explain";  // arguments: the URI, the array's name, its line
inline constexpr const char* run_command = "bankwise.run";          // makes all reports again

// A source with what is known of it.
struct noted_source {
  std::string uri, path;
  const document* text = nullptr;
  const folder_reports* known = nullptr;
  source_notes notes;
};

json json_value(const range& r);

// `page_of`: the URI of the page of a kind of finding; empty: there is none.
json diagnostics_of(const noted_source& s, const std::function<std::string(std::string_view kind)>& page_of);
json inlay_hints(const noted_source& s, std::size_t from_line, std::size_t to_line);
// Null: nothing is known of this line.
json hover_of(const noted_source& s, std::size_t line, bool markdown);
json code_actions(const noted_source& s, std::size_t from_line, std::size_t to_line, const json& diagnostics);
json code_lenses(const noted_source& s);
// What its accesses cost; where no report has any, what a row and a column of it would.
std::string explain_array(const noted_source& s, const std::string& name, std::size_t line);

}  // namespace bankwise::lsp
