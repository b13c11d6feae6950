#include "cubin/names/name_parts.hpp"

#include <algorithm>
#include <functional>

#include "base/text.hpp"

namespace bankwise::cubin::names {

namespace {

constexpr unsigned most_brackets = 96;

// The longest sign comes first, so that operator<<= is not read as operator<.
constexpr std::string_view operator_signs[] = {
    "<<=", ">>=", "<=>", "->*", "()", "[]", "->", "<<", ">>", "<=", ">=", "==", "!=",
    "&&",  "||",  "++",  "--",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<",
    ">",   "+",   "-",   "*",   "/",  "%",  "&",  "|",  "^",  "~",  "!",  "=",  ","};

// Short words for types. Other names lose the prefix __nv_.
struct short_word {
  std::string_view type, words;
};
constexpr short_word short_words[] = {
    {"__half", "half"}, {"__half2", "half2"}, {"__nv_bfloat16", "bfloat16"}, {"__nv_bfloat162", "bfloat162"}};
constexpr std::string_view nvidia_prefix = "__nv_";

// Wrappers that nvcc puts around the lambdas of a program. The last item of their tag is the number of the lambda.
constexpr std::string_view lambda_wrappers[] = {"__nv_dl_wrapper_t", "__nv_hdl_wrapper_t",
                                                "__nv_dl_trailing_return_wrapper_t"};

char closing(char open) { return open == '(' ? ')' : open == '<' ? '>' : open == '{' ? '}' : ']'; }

class token_reader {
 public:
  explicit token_reader(std::string_view text) : text_(text) {}

  std::optional<name_tokens> run() {
    std::vector<name_tokens> items = list('\0');
    if (failed_ || at_ != text_.size() || items.size() != 1) return std::nullopt;
    return std::move(items[0]);
  }

 private:
  // Reads items up to the bracket that closes `open`, or up to the end of the text.
  std::vector<name_tokens> list(char open) {
    std::vector<name_tokens> items(1);
    bool blank = false;
    if (++depth_ > most_brackets) failed_ = true;
    for (; at_ < text_.size() && !failed_;) {
      const char c = text_[at_];
      name_tokens& to = items.back();
      if (open != '\0' && c == closing(open)) break;
      if (c == ' ') {
        blank = true;
        ++at_;
        continue;
      }
      if (c == ',' && open != '\0') {
        items.emplace_back();
        blank = false;
        ++at_;
        continue;
      }
      name_token t;
      t.blank_before = blank && !to.empty();
      blank = false;
      if (is_name_character(c)) {
        t.text = word();
      } else if (c == '(' || c == '{' || c == '[' || (c == '<' && opens(to))) {
        t.open = c;
        ++at_;
        t.items = list(c);
        if (at_ == text_.size()) failed_ = true;  // the bracket is not closed
        ++at_;
        if (t.items.size() == 1 && t.items[0].empty()) t.items.clear();
      } else if (c == ')' || c == '}' || c == ']') {
        failed_ = true;
      } else {
        const std::size_t length = text_.substr(at_).starts_with("::") || text_.substr(at_).starts_with("->") ? 2 : 1;
        t.text = text_.substr(at_, length);
        at_ += length;
      }
      to.push_back(std::move(t));
    }
    --depth_;
    return items;
  }

  // Whether a < opens template arguments. After a bracket, it compares two values: (a)<(b).
  static bool opens(const name_tokens& before) { return !before.empty() && before.back().is_word(); }

  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    std::string s(text_.substr(begin, at_ - begin));
    if (s != "operator") return s;
    for (const std::string_view sign : operator_signs)
      if (text_.substr(at_).starts_with(sign)) {
        at_ += sign.size();
        return s + std::string(sign);
      }
    return s;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  bool failed_ = false;
};

bool is_anonymous(const name_token& t) {
  return t.open == '(' && t.items.size() == 1 && text_of(t.items[0], name_detail::every_word) == "anonymous namespace";
}

std::string short_of(const std::string& word) {
  for (const short_word& w : short_words)
    if (word == w.type) return std::string(w.words);
  if (word.starts_with(nvidia_prefix) && word.size() > nvidia_prefix.size()) return word.substr(nvidia_prefix.size());
  if (!word.empty() && word[0] >= '0' && word[0] <= '9') return word.substr(0, word.find_first_of("ul"));
  return word;
}

// Returns the number of a lambda that nvcc wrapped. Returns an empty text for other types.
std::string wrapped_lambda(const name_token& word, const name_token& list) {
  if (std::find(std::begin(lambda_wrappers), std::end(lambda_wrappers), word.text) == std::end(lambda_wrappers))
    return {};
  if (list.items.empty() || list.items[0].empty()) return {};
  const name_token& tag = list.items[0].back();
  if (tag.open != '<' || tag.items.empty() || tag.items.back().size() != 1) return {};
  return "lambda#" + short_of(tag.items.back()[0].text);
}

// Returns "lambda#1" for {lambda(int)#1}, and an empty text for other brackets.
std::string plain_lambda(const name_token& t) {
  if (t.open != '{' || t.items.size() != 1) return {};
  const name_tokens& in = t.items[0];
  return in.size() == 4 && in[0].text == "lambda" && in[2].text == "#" ? "lambda#" + in[3].text : std::string();
}

// The types of literals whose value says enough: (bool)1, (short)3.
bool is_plain_type(const std::string& type) {
  constexpr std::string_view types[] = {"bool",           "char",     "signed char",       "unsigned char", "short",
                                        "unsigned short", "__int128", "unsigned __int128", "wchar_t"};
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

using list_text = std::function<std::string(const name_token&)>;

// Writes tokens. `of_list` writes a list with its brackets.
std::string written(const name_tokens& tokens, name_detail d, const list_text& of_list) {
  std::string text;
  const bool is_short = d == name_detail::short_words;
  std::size_t from = 0;
  if (is_short && tokens.size() >= 2 && tokens[0].open == '(' && tokens[0].items.size() == 1) {
    const std::string type = text_of(tokens[0].items[0], name_detail::every_word);
    if (is_plain_type(type)) from = 1;
    if (type == "bool" && tokens.size() == 2) return tokens[1].text == "0" ? "false" : "true";
  }
  for (std::size_t i = from; i < tokens.size(); ++i) {
    const name_token& t = tokens[i];
    const bool is_scope = i + 1 < tokens.size() && tokens[i + 1].is_sign("::");
    if (is_short && is_scope && (t.is_word() || is_anonymous(t))) {
      ++i;
      continue;
    }
    if (t.blank_before && !text.empty()) text += ' ';
    if (t.open == '\0') {
      if (is_short && i + 1 < tokens.size() && tokens[i + 1].open == '<')
        if (const std::string lambda = wrapped_lambda(t, tokens[i + 1]); !lambda.empty()) {
          text += lambda;
          ++i;
          continue;
        }
      // An unsigned int is as clear as an unsigned.
      if (is_short && t.text == "int" && text.ends_with("unsigned ")) {
        text.pop_back();
        continue;
      }
      text += is_short ? short_of(t.text) : t.text;
      continue;
    }
    if (const std::string lambda = is_short ? plain_lambda(t) : std::string(); !lambda.empty())
      text += lambda;
    else
      text += of_list(t);
  }
  return text;
}

std::string in_brackets(const name_token& list,
                        const std::function<std::string(const name_tokens&, std::size_t)>& one) {
  std::string text(1, list.open);
  for (std::size_t i = 0; i < list.items.size(); ++i) text += (i == 0 ? "" : ", ") + one(list.items[i], i);
  return text + closing(list.open);
}

std::string left_out(const name_token& list) { return std::string(1, list.open) + "..." + closing(list.open); }

// Whether both are equal apart from the items of their lists.
bool same_outline(const name_tokens& a, const name_tokens& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const name_token& x, const name_token& y) {
    return x.text == y.text && x.open == y.open && x.items.size() == y.items.size();
  });
}

}  // namespace

bool name_token::is_word() const { return open == '\0' && !text.empty() && is_name_character(text[0]); }

std::optional<name_parts> parts_of_name(std::string_view full_name) {
  auto read = token_reader(full_name).run();
  if (!read) return std::nullopt;
  name_tokens& all = *read;
  std::size_t end = all.size();
  name_parts p;
  // The parameters are the last brackets, apart from (anonymous namespace).
  for (std::size_t i = all.size(); i-- > 0;)
    if (all[i].open == '(' && !is_anonymous(all[i])) {
      p.parameters = all[i];
      end = i;
      break;
    }
  if (end != 0 && all[end - 1].open == '<') p.arguments = all[--end];
  if (end == 0 || !all[end - 1].is_word()) return std::nullopt;
  p.bare = all[--end].text;
  std::size_t begin = end;
  while (begin != 0 && !all[begin].blank_before && (begin != end || all[begin - 1].is_sign("::"))) --begin;
  p.scope.assign(all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end));
  return p;
}

std::string without_blanks(std::string name) {
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
  return name;
}

std::string text_of(const name_token& token, name_detail d) {
  if (token.open == '\0') return token.text;
  return in_brackets(token, [&](const name_tokens& one, std::size_t) { return text_of(one, d); });
}
std::string text_of(const name_tokens& tokens, name_detail d) {
  return written(tokens, d, [&](const name_token& list) { return text_of(list, d); });
}

std::string outline_of(const name_token& token, unsigned levels) {
  if (levels == 0) return left_out(token);
  return in_brackets(token, [&](const name_tokens& one, std::size_t) {
    return written(one, name_detail::short_words, [&](const name_token& list) {
      return list.items.empty() ? text_of(list, name_detail::short_words) : outline_of(list, levels - 1);
    });
  });
}

std::string differences_of(const name_token& token, const std::vector<const name_token*>& others) {
  return in_brackets(token, [&](const name_tokens& one, std::size_t i) {
    std::vector<const name_tokens*> theirs;
    for (const name_token* o : others)
      if (i < o->items.size()) theirs.push_back(&o->items[i]);
    const bool same =
        std::all_of(theirs.begin(), theirs.end(), [&](const name_tokens* t) { return same_outline(one, *t); });
    if (!same || theirs.size() != others.size()) return text_of(one, name_detail::short_words);
    return written(one, name_detail::short_words, [&](const name_token& list) {
      const auto place = static_cast<std::size_t>(&list - one.data());
      std::vector<const name_token*> lists;
      for (const name_tokens* t : theirs) lists.push_back(&(*t)[place]);
      if (std::all_of(lists.begin(), lists.end(), [&](const name_token* l) { return *l == list; }))
        return list.items.empty() ? text_of(list, name_detail::short_words) : left_out(list);
      return differences_of(list, lists);
    });
  });
}

}  // namespace bankwise::cubin::names
