// Calls fast functions of floats instead of functions with full precision.
#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "edit/delay_draft.hpp"

namespace bankwise::edit {

void call_fast_functions(delay_draft& d) {
  constexpr std::string_view precise[] = {"sinf", "cosf", "tanf", "expf", "exp10f", "logf", "log2f", "log10f", "powf"};
  std::vector<std::string> names;
  for (std::size_t i = 1; i < d.tokens.size(); ++i) {
    const source::token& t = d.tokens[i];
    if (t.line != d.line || !d.is_word(i) || d.word(i + 1) != "(") continue;
    if (std::find(std::begin(precise), std::end(precise), t.spelled) == std::end(precise)) continue;
    const std::string_view before = d.word(i - 1);
    const bool is_declared = d.is_word(i - 1) && before != "return" && before != "else";
    if (is_declared || before == "::" || before == "." || before == "->") continue;
    if (t.of_directive) return d.refuse(formatted("line {} is in a macro", d.line));
    std::string name = formatted("{} becomes __{}", t.spelled, t.spelled);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    d.replace(i, formatted("__{}", t.spelled));
  }
  if (names.empty()) return d.refuse(formatted("line {} calls no function that has a fast form", d.line));
  d.made.words = enumerated(names);
}

}  // namespace bankwise::edit
