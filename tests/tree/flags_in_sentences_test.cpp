// Checks that no text of the library names a flag of the command line. A text must name a setting
// (src/base/setting.hpp), because the page, the editor and Python use different words for the setting.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/setting.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

namespace fs = std::filesystem;

struct literal {
  std::size_t line = 0;
  std::string text;  // text as in the source, including escapes
};

// Returns the string literals of a C++ source, including raw strings and the names after #include. Adjacent literals
// are one literal.
std::vector<literal> literals_of(std::string_view text) {
  std::vector<literal> all;
  std::size_t line = 1, end_of_last = 0;
  const auto goes_on = [&](std::size_t at) {
    return !all.empty() && end_of_last != 0 &&
           text.substr(end_of_last, at - end_of_last).find_first_not_of(" \t\n") == std::string_view::npos;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (text.substr(at, 2) == "//") {
      end = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      end = std::min(text.find("*/", at), text.size() - 2) + 2;
    } else if (text.substr(at, 2) == "R\"") {
      const std::string close = ")" + std::string(text.substr(at + 2, text.find('(', at) - at - 2)) + "\"";
      end = std::min(text.find(close, at), text.size() - close.size()) + close.size();
      all.push_back({line, std::string(text.substr(at, end - at))});
      end_of_last = end;
    } else if (c == '"' || (c == '\'' && (at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1]))))) {
      while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      if (c == '"') {
        const std::string inside(text.substr(at + 1, end - at - 2));
        if (goes_on(at))
          all.back().text += inside;
        else
          all.push_back({line, inside});
        end_of_last = end;
      }
    }
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at = end - 1;
  }
  return all;
}

bool is_of_a_flag(char c) { return (c >= 'a' && c <= 'z') || c == '-'; }

// Returns the names of the flags in a text: "--NAME" without the dashes.
std::vector<std::string> dashed_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find("--"); at != std::string_view::npos; at = text.find("--", at + 2)) {
    std::size_t end = at + 2;
    while (end < text.size() && is_of_a_flag(text[end])) ++end;
    if (end > at + 2) words.emplace_back(text.substr(at + 2, end - at - 2));
    at = end - 2;
  }
  return words;
}

// Returns the names in the table of cli/line/flags.cpp.
std::set<std::string> flags() {
  std::set<std::string> names;
  for (const literal& l : literals_of(test::read_text(test::source_path("cli/line/flags.cpp"))))
    if (l.text.starts_with("--") || (l.text.size() > 5 && l.text[0] == '-' && l.text.substr(2, 3) == ",--"))
      for (const std::string& name : dashed_words(l.text)) names.insert(name);
  return names;
}

TEST(FlagsInSentences, TheLibraryNamesNone) {
  const std::set<std::string> names = flags();
  ASSERT_GT(names.size(), 60u);
  ASSERT_TRUE(names.contains("fix") && names.contains("kernel") && names.contains("total-budget"));
  const fs::path root = test::source_path("");
  std::size_t seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    const std::string kind = entry.path().extension();
    if (!entry.is_regular_file() || (kind != ".cpp" && kind != ".hpp" && kind != ".def")) continue;
    for (const literal& l : literals_of(test::read_text(entry.path()))) {
      ++seen;
      EXPECT_EQ(l.text.find("--{"), std::string::npos) << fs::relative(entry.path(), root).string() << ":" << l.line;
      for (const std::string& word : dashed_words(l.text))
        EXPECT_FALSE(names.contains(word))
            << fs::relative(entry.path(), root).string() << ":" << l.line << ": --" << word
            << " is a flag of the command line: use worded(setting::...) instead";
    }
  }
  EXPECT_GT(seen, 5000u);
}

TEST(FlagsInSentences, EverySettingIsAFlag) {
  const std::set<std::string> names = flags();
  for (unsigned i = 0; i < setting_count; ++i)
    EXPECT_TRUE(names.contains(std::string(name_of(static_cast<setting>(i))))) << name_of(static_cast<setting>(i));
}

TEST(FlagsInSentences, AFlagIsSeen) {
  const auto found =
      literals_of("f('\"', \"raise --bud\"\n  \"get, or\"); // \"--fix\"\ng(R\"(--all)\", 1'000, \"a \\\" --let\");");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(dashed_words(found[0].text), std::vector<std::string>{"budget"});
  EXPECT_EQ(dashed_words(found[1].text), std::vector<std::string>{"all"});
  EXPECT_EQ(dashed_words(found[2].text), std::vector<std::string>{"let"});
  EXPECT_EQ(found[2].line, 3u);
  EXPECT_EQ(dashed_words("nvcc --generate-line-info, i--"), std::vector<std::string>{"generate-line-info"});
}

}  // namespace
}  // namespace bankwise
