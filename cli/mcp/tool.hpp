// The tools of the server. Each is a verb of bankwise, and its arguments are flags and words of this verb.
//
//     {"name": "explain", "arguments": {"access": "tile[t][0]", "array": ["float tile[32][32]"]}}
//     bankwise explain --format json --array='float tile[32][32]' -- 'tile[t][0]'
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "mcp/folded.hpp"

namespace bankwise::mcp {

enum class field_kind : unsigned char {
  text,     // --flag=TEXT
  texts,    // --flag=TEXT for each item
  integer,  // --flag=N
  yes,      // --flag, if true
  word,     // a word after --
  words,    // words after --
  report,   // a word after --: the handle of an earlier result, or a file
  own,      // not for the verb: the server itself reads the value
};

struct field {
  std::string_view name;
  field_kind kind;
  std::string_view flag;  // without the dashes; empty for words
  std::string_view about;
  bool is_required = false;
};

// What a call prints.
enum class result_kind : unsigned char {
  value,   // JSON on standard output
  text,    // text on standard output
  report,  // a report in a file, and what the program prints on standard output
  stored,  // a part of an earlier result, without a call
};

struct tool {
  std::string_view name, title, about;
  std::vector<std::string_view> verb;  // first words of the command
  std::span<const field> fields;
  result_kind gives;
  bool changes_files = false;                  // whether the tool, or a program that it runs, may change anything
  std::vector<std::string_view> unless_yes{};  // words of the command if no argument of the kind `yes` is true
};

std::span<const tool> tools();
const tool* find_tool(std::string_view name);  // returns null if there is no tool with this name

// Returns the JSON schema of a tool's arguments.
json schema_of(const tool& t);

// Returns the words of the command, or an error that names the argument. `file_of` returns the file of a handle, or an
// empty text if there is no such handle.
result<std::vector<std::string>> words_of(const tool& t, const json& arguments,
                                          const std::function<std::string(const std::string&)>& file_of);

}  // namespace bankwise::mcp
