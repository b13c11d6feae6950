// The language server's answers about a source: diagnostics, hints, hover texts, actions, lenses.
//
//     out[...] = tile[threadIdx.x][j];   32 wavefronts, 1 reachable
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lsp/line_notes.hpp"
#include "lsp/message.hpp"

namespace bankwise::lsp {

inline constexpr const char* explain_command = "bankwise.explain";  // arguments: URI, name of the array, line
inline constexpr const char* run_command = "bankwise.run";          // command that makes all reports again

// A source and the notes about its lines.
struct noted_source {
  std::string uri, path;
  const document* text = nullptr;
  const folder_reports* known = nullptr;
  source_notes notes;
};

json json_value(const range& r);

// `page_of` returns the URI of the page about a kind of finding, or an empty string.
json diagnostics_of(const noted_source& s, const std::function<std::string(std::string_view kind)>& page_of);
json inlay_hints(const noted_source& s, std::size_t from_line, std::size_t to_line);
// Returns null if the line has no notes.
json hover_of(const noted_source& s, std::size_t line, bool markdown);
json code_actions(const noted_source& s, std::size_t from_line, std::size_t to_line, const json& diagnostics);
json code_lenses(const noted_source& s);
// Returns the cost of an array's accesses. If the reports have no access to the array, returns the cost of reading a
// row and a column.
std::string explain_array(const noted_source& s, const std::string& name, std::size_t line);

}  // namespace bankwise::lsp
