#include "edit/draft.hpp"

#include "base/format.hpp"

#include <algorithm>

namespace bankwise::edit {

void draft::refuse(std::string why) {
  made.refused = std::move(why);
  made.changes.clear();
  made.words.clear();
}

void draft::doubt(std::uint32_t line, std::string what) {
  by_hand b{line, std::move(what)};
  if (std::find(made.doubts.begin(), made.doubts.end(), b) == made.doubts.end()) made.doubts.push_back(std::move(b));
}

void draft::replace(std::size_t first, std::size_t last, std::string with) {
  made.changes.push_back({tokens[first].at, tokens[last].end(), std::move(with)});
}

std::uint32_t draft::line_of(std::size_t at) const {
  return static_cast<std::uint32_t>(
      std::count(reader.source().begin(), reader.source().begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1);
}

std::string draft::declared_words() const {
  std::string words = name;
  for (std::size_t i = 0; i < declared.extent.size(); ++i)
    words += formatted("[{}]", i + 1 == declared.extent.size()
                                   ? extent
                                   : reader.text(declared.extent[i].first, declared.extent[i].second));
  return words;
}

std::string draft::declaration_text() const {
  std::string text = name;
  for (const auto& [first, last] : declared.extent)
    text += formatted("[{}]", first > last ? "" : reader.text(first, last));
  return text;
}

std::map<std::string, std::int64_t, std::less<>> draft::constants_of(const expr::array_decl& of) const {
  std::map<std::string, std::int64_t, std::less<>> constants;
  for (std::size_t i = 0; i < declared.extent.size() && i < of.extents.size(); ++i) {
    const auto [first, last] = declared.extent[i];
    const bool has_padding = i + 1 == declared.extent.size() && problem.as_it_is.gap != 0;
    if (first == last && tokens[first].is == source::token::kind::word && !has_padding)
      constants.emplace(tokens[first].spelled, static_cast<std::int64_t>(of.extents[i]));
  }
  return constants;
}

}  // namespace bankwise::edit
