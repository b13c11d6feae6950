// Writes flags in the order that a user would choose.
#include "expr/question_words.hpp"

#include <algorithm>
#include <iterator>

#include "base/format.hpp"
#include "base/text.hpp"
#include "expr/address_list.hpp"

namespace bankwise {

namespace {

constexpr std::string_view question_flags[] = {"space",   "arch",  "op",     "type", "width", "array",
                                               "let",     "block", "warp",   "mask", "where", "pad",
                                               "swizzle", "base",  "source", "to",   "zfill"};

}  // namespace

bool is_question_flag(std::string_view name) {
  return std::find(std::begin(question_flags), std::end(question_flags), name) != std::end(question_flags);
}

std::vector<std::pair<std::string, std::string>> question_words(const flag_values& flags, const std::string& text,
                                                                bool is_addresses) {
  std::vector<std::pair<std::string, std::string>> words;
  if (flags.has("zfill")) words.emplace_back("zfill", "yes");  // --zfill is a switch without a value
  for (const std::string_view flag : question_flags)
    if (flag == "arch" && flags.has("phases"))  // the value of --phases is a part of the machine's name
      words.emplace_back(flag, formatted("{}:{}", flags.value(flag).value_or(""), *flags.value("phases")));
    else if (flag != "zfill" && flag != "phases")
      for (const std::string& value : flags.all(flag)) words.emplace_back(flag, value);
  words.emplace_back(is_addresses || is_address_list(text) ? "addresses" : "expr", text);
  return words;
}

std::string command_line(const flag_values& flags, const std::string& text) {
  std::string s = "bankwise explain";
  for (const auto& [flag, value] : question_words(flags, text)) {
    if (flag == "zfill")
      s += formatted(" {}{}", "--", flag);
    else if (flag != "expr" && flag != "addresses")
      s += formatted(" {}{} {}", "--", flag, shell_word(value));
  }
  // An expression that begins with a dash could be mistaken for a flag.
  return s + (text.starts_with('-') ? " -- " : " ") + shell_word(text);
}

}  // namespace bankwise
