#include "base/failure_words.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"

namespace bankwise {

namespace {

constexpr std::string_view words[] = {"fail", "failed", "wrong", "mismatch"};
constexpr std::string_view denials[] = {"0", "no"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&list)[N]) {
  return std::any_of(std::begin(list), std::end(list), [&](std::string_view w) { return equal_in_any_case(word, w); });
}

}  // namespace

bool reports_failure(std::string_view text) {
  std::string_view before;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_name_character(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (is_one_of(word, words) && !is_one_of(before, denials)) return true;
    at = end;
    while (at < text.size() && text[at] == ' ') ++at;
    // Only blanks may be between a denial and the word.
    before = at < text.size() && is_name_character(text[at]) ? word : std::string_view();
  }
  return false;
}

}  // namespace bankwise
