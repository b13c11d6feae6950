#include "kernel_words.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace bankwise::fuzz {

namespace {

struct macro {
  bool takes_arguments = false;
  std::vector<std::string> parameters;
  std::vector<kernel_word> body;
};

// Splits a source into words and expands the macros.
class preprocessor {
 public:
  std::vector<kernel_word> run(std::string_view source) {
    const auto tokens = source::tokens_of(source);
    std::vector<kernel_word> plain;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].of_directive) {
        plain.push_back({std::string(tokens[i].spelled), tokens[i].is, tokens[i].line});
        continue;
      }
      std::size_t end = i + 1;
      while (end < tokens.size() && tokens[end].of_directive && tokens[end].spelled != "#") ++end;
      if (end > i + 2 && tokens[i + 1].spelled == "define") define(tokens, i + 2, end);
      i = end - 1;
    }
    std::vector<kernel_word> out;
    expand(plain, out, {});
    return out;
  }

 private:
  void define(const std::vector<source::token>& t, std::size_t name, std::size_t end) {
    macro m;
    std::size_t i = name + 1;
    if (i < end && t[i].spelled == "(" && t[i].at == t[name].end()) {
      m.takes_arguments = true;
      for (++i; i < end && t[i].spelled != ")"; ++i)
        if (t[i].spelled != ",") m.parameters.emplace_back(t[i].spelled);
      ++i;
    }
    for (; i < end; ++i) m.body.push_back({std::string(t[i].spelled), t[i].is, t[i].line});
    macros_[std::string(t[name].spelled)] = std::move(m);
  }

  void expand(const std::vector<kernel_word>& in, std::vector<kernel_word>& out, const std::set<std::string>& inside) {
    for (std::size_t i = 0; i < in.size() && out.size() < 20'000; ++i) {
      const auto at = macros_.find(in[i].text);
      if (at == macros_.end() || in[i].is != source::token::kind::word || inside.count(in[i].text) != 0) {
        out.push_back(in[i]);
        continue;
      }
      const macro& m = at->second;
      std::vector<std::vector<kernel_word>> given;
      std::size_t last = i;
      if (m.takes_arguments) {
        if (i + 1 >= in.size() || in[i + 1].text != "(") {
          out.push_back(in[i]);
          continue;
        }
        given.emplace_back();
        int depth = 0;
        for (last = i + 1; last < in.size(); ++last) {
          const std::string& s = in[last].text;
          if (s == "(" && depth++ == 0) continue;
          if (s == ")" && --depth == 0) break;
          if (s == "," && depth == 1)
            given.emplace_back();
          else
            given.back().push_back(in[last]);
        }
      }
      std::vector<kernel_word> body;
      for (const kernel_word& w : m.body) {
        const auto p = std::find(m.parameters.begin(), m.parameters.end(), w.text);
        const auto n = static_cast<std::size_t>(p - m.parameters.begin());
        if (p != m.parameters.end() && n < given.size())
          body.insert(body.end(), given[n].begin(), given[n].end());
        else
          body.push_back(w);
      }
      for (kernel_word& w : body) w.line = in[i].line;
      auto deeper = inside;
      deeper.insert(in[i].text);
      expand(body, out, deeper);
      i = last;
    }
  }

  std::map<std::string, macro> macros_;
};

}  // namespace

std::vector<kernel_word> words_of(std::string_view source) { return preprocessor().run(source); }

}  // namespace bankwise::fuzz
