// Checks that every link in a document leads to an existing file of the source tree and an existing heading. Some pages
// are only in the build folder, with the same paths (scripts/build-reference). Network addresses are not checked. Every page must have a place in the site, and every picture must be used in a page.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

namespace fs = std::filesystem;

// The folder of the generated pages, which has the folders of docs/.
fs::path generated_pages() {
  const char* folder = std::getenv("BANKWISE_PAGES");
  return folder != nullptr ? fs::path(folder) : fs::path(test::source_path("build/docs"));
}

// Returns the place of a file on the disk. The file's path is relative to the root of the project.
std::string place_of(const std::string& file) {
  std::string path = test::source_path(file);
  return fs::exists(path) || !file.starts_with("docs/") ? path : (generated_pages() / file.substr(5)).string();
}

// Returns all documents, as paths that are relative to the root of the project.
std::vector<std::string> documents() {
  std::vector<std::string> found;
  const fs::path root = test::source_path("");
  const auto add = [&](const fs::path& p) {
    if (p.extension() == ".md") found.push_back(p.lexically_relative(root).generic_string());
  };
  for (const fs::directory_entry& e : fs::directory_iterator(root)) add(e.path());
  for (const char* folder : {"docs", "data", "examples", "packaging", "tests"})
    for (const fs::directory_entry& e : fs::recursive_directory_iterator(root / folder)) add(e.path());
  for (const fs::directory_entry& e : fs::recursive_directory_iterator(generated_pages()))
    if (e.is_regular_file()) found.push_back("docs/" + e.path().lexically_relative(generated_pages()).generic_string());
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

struct line {
  std::size_t number;
  std::string text;
};

// Returns the lines of a document that are not code.
std::vector<line> prose_of(const std::string& file) {
  std::vector<line> lines;
  bool code = false;
  std::size_t number = 0;
  const std::string text = test::read_text(place_of(file));
  for (const std::string_view s : split(text, '\n')) {
    ++number;
    if (s.starts_with("```")) code = !code;
    if (!code && !s.starts_with("```") && !s.starts_with("    ")) lines.push_back({number, std::string(s)});
  }
  return lines;
}

// The anchor of a heading: github_anchor() returns it as on GitHub, site_anchor() as on the site (Python-Markdown). The
// two anchors differ for punctuation between blanks. A link must be correct for both anchors.
std::string github_anchor(const std::string& heading) {
  std::string s;
  for (const char c : heading) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) || c == '-' || c == '_' || u >= 128) s += static_cast<char>(std::tolower(u));
    if (c == ' ') s += '-';
  }
  return s;
}
std::string site_anchor(const std::string& heading) {
  std::string s;
  for (const char c : github_anchor(heading))
    if (static_cast<unsigned char>(c) < 128 && (c != '-' || !s.ends_with('-'))) s += c;
  return s;
}

struct anchors {
  std::set<std::string> github, site;
};

anchors anchors_of(const std::string& file) {
  static const std::regex heading("#{1,6} +(.*)"), link("\\[([^\\]]*)\\]\\([^)]*\\)");
  anchors found;
  std::map<std::string, int> seen_on_github, seen_on_site;
  for (const line& l : prose_of(file)) {
    std::smatch m;
    if (!std::regex_match(l.text, m, heading)) continue;
    const std::string text = std::regex_replace(m[1].str(), link, "$1");
    const std::string github = github_anchor(text), site = site_anchor(text);
    const int again = seen_on_github[github]++, again_on_site = seen_on_site[site]++;
    found.github.insert(again == 0 ? github : github + "-" + std::to_string(again));
    found.site.insert(again_on_site == 0 ? site : site + "_" + std::to_string(again_on_site));
  }
  return found;
}

struct link {
  std::string file;
  std::size_t line;
  std::string target;
};

std::vector<link> links_of(const std::string& file) {
  static const std::regex code("`[^`]*`"), target("\\]\\(([^)\\s]+)\\)");
  std::vector<link> links;
  for (const line& l : prose_of(file)) {
    // The text of a link may contain code with brackets. Such brackets would end the text.
    const std::string text = std::regex_replace(l.text, code, "code");
    for (std::sregex_iterator i(text.begin(), text.end(), target), end; i != end; ++i)
      links.push_back({file, l.number, (*i)[1]});
  }
  return links;
}

bool leaves(const std::string& target) { return target.starts_with("https://") || target.starts_with("http://"); }

// Returns the file that a link names, relative to the root of the project.
std::string file_of(const link& l) {
  const std::string path = l.target.substr(0, l.target.find('#'));
  if (path.empty()) return l.file;
  return (fs::path(l.file).parent_path() / path).lexically_normal().generic_string();
}

TEST(Links, AnchorsAreMadeAsGitHubAndTheSiteMakeThem) {
  EXPECT_EQ(github_anchor("In C++"), "in-c");
  EXPECT_EQ(site_anchor("In C++"), "in-c");
  EXPECT_EQ(github_anchor("Ideal & reachable"), "ideal--reachable");
  EXPECT_EQ(site_anchor("Ideal & reachable"), "ideal-reachable");
  EXPECT_EQ(github_anchor("`run`: a kernel, op_kind"), "run-a-kernel-op_kind");
}

TEST(Links, LeadToFilesAndHeadings) {
  std::map<std::string, anchors> known;
  std::size_t links = 0;
  for (const std::string& document : documents())
    for (const link& l : links_of(document)) {
      if (leaves(l.target)) continue;
      ++links;
      const std::string file = file_of(l), where = l.file + ":" + std::to_string(l.line) + ": " + l.target;
      if (file.starts_with("..") || !fs::is_regular_file(place_of(file))) {
        ADD_FAILURE() << where << ": the link leads to a file that does not exist: " << file;
        continue;
      }
      const std::size_t mark = l.target.find('#');
      if (mark == std::string::npos) continue;
      const std::string anchor = l.target.substr(mark + 1);
      if (!file.ends_with(".md")) {
        ADD_FAILURE() << where << ": the link names a heading, but only documents have headings";
        continue;
      }
      const anchors& there = known.try_emplace(file, anchors_of(file)).first->second;
      EXPECT_TRUE(there.github.contains(anchor)) << where << ": no heading of " << file << " has this anchor on GitHub";
      EXPECT_TRUE(there.site.contains(anchor)) << where << ": no heading of " << file << " has this anchor in the site";
    }
  EXPECT_GT(links, 100u);
}

// scripts/build-site writes these pages (MADE), so they are not in the source tree.
const std::set<std::string> made_for_the_site = {"docs/reference/files.md"};

TEST(Links, EveryPageHasOnePlaceInTheSite) {
  static const std::regex page("([A-Za-z0-9_/-]+\\.md)");
  const std::string config = test::read_text(test::source_path("mkdocs.yml"));
  std::map<std::string, int> places;
  for (std::sregex_iterator i(config.begin(), config.end(), page), end; i != end; ++i) ++places[(*i)[1]];
  for (const auto& [file, count] : places) {
    EXPECT_EQ(count, 1) << file;
    EXPECT_TRUE(fs::exists(place_of(file)) || made_for_the_site.contains(file))
        << "mkdocs.yml names " << file << ", which does not exist";
  }
  for (const std::string& document : documents())
    EXPECT_TRUE(!document.starts_with("docs/") || places.contains(document))
        << document << " is not in mkdocs.yml: give the page a place in the site";
}

TEST(Links, EveryPictureIsShown) {
  std::set<std::string> shown;
  for (const std::string& document : documents())
    for (const link& l : links_of(document))
      if (!leaves(l.target)) shown.insert(file_of(l));
  const fs::path root = test::source_path("");
  for (const fs::directory_entry& e : fs::directory_iterator(root / "docs/pictures")) {
    const std::string picture = e.path().lexically_relative(root).generic_string();
    EXPECT_TRUE(shown.contains(picture)) << picture << " is not used in any document";
  }
}

}  // namespace
}  // namespace bankwise
