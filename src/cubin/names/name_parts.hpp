// The parts of a demangled name: its namespaces, its own name, its template arguments and its parameters. Arguments are
// read into brackets within brackets, so that a long argument can be left out as a whole.
//
//     void ns::hgemm<128, ns::tile<64, 8>>(float*)     scope ns::   bare hgemm   arguments 128 and tile<64, 8>
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::cubin::names {

struct name_token;
using name_tokens = std::vector<name_token>;

// A word, a sign, or a list in brackets.
struct name_token {
  std::string text;                // the word or the sign; empty for a list
  char open = '\0';                // the opening bracket of a list: ( < { [
  std::vector<name_tokens> items;  // of a list, which commas separate
  bool blank_before = false;

  bool is_word() const;
  bool is_sign(std::string_view sign) const { return open == '\0' && text == sign; }
  friend bool operator==(const name_token& a, const name_token& b) {
    return a.text == b.text && a.open == b.open && a.items == b.items;
  }
};

struct name_parts {
  name_tokens scope;  // with the last ::
  std::string bare;
  std::optional<name_token> arguments, parameters;
};

// Returns nothing if the brackets do not match, if they are nested too deeply, or if there is no name.
std::optional<name_parts> parts_of_name(std::string_view full_name);

// Returns a name without blanks, which do not matter when names are compared.
std::string without_blanks(std::string name);

// --- text of parts

enum class name_detail {
  short_words,  // without namespaces; short words for types and literals
  every_word,
};
std::string text_of(const name_tokens& tokens, name_detail d);
std::string text_of(const name_token& token, name_detail d);
// Returns the text in short words. Writes ... instead of the items of lists in more than `levels` brackets.
std::string outline_of(const name_token& token, unsigned levels);
// Returns the text in short words, with ... for lists that are equal in all `others`.
std::string differences_of(const name_token& token, const std::vector<const name_token*>& others);

}  // namespace bankwise::cubin::names
