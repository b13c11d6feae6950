#include "base/failure_words.hpp"

#include <algorithm>
#include <iterator>

namespace bankwise {

namespace {

constexpr std::string_view words[] = {"fail", "failed", "wrong", "mismatch"};
constexpr std::string_view denials[] = {"0", "no"};

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool equals_in_any_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; });
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&list)[N]) {
  return std::any_of(std::begin(list), std::end(list), [&](std::string_view w) { return equals_in_any_case(word, w); });
}

}  // namespace

bool reports_failure(std::string_view text) {
  std::string_view before;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_of_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_of_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (is_one_of(word, words) && !is_one_of(before, denials)) return true;
    at = end;
    while (at < text.size() && text[at] == ' ') ++at;
    // Only blanks may be between a denial and the word.
    before = at < text.size() && is_of_word(text[at]) ? word : std::string_view();
  }
  return false;
}

}  // namespace bankwise
