#include "report/json/reading/json_document.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

namespace bankwise {

namespace {

constexpr std::size_t least_in_block = 64, most_in_block = 4096;  // values; the blocks grow with the document

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Returns the number of bytes of the UTF-8 character at `at`, or 0 if it is invalid. Overlong forms, surrogates and
// characters above U+10FFFF are invalid.
std::size_t length_of_character(const char* at, const char* end) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(at[i]); };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return at + i < end && byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef)
    return follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf) && follows(2) ? 3 : 0;
  if (first >= 0xf0 && first <= 0xf4)
    return follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

void append_character(std::uint32_t c, std::string& to) {
  const auto add = [&](std::uint32_t byte) { to += static_cast<char>(byte); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      add(0xe0 | c >> 12);
    } else {
      add(0xf0 | c >> 18);
      add(0x80 | (c >> 12 & 0x3f));
    }
    add(0x80 | (c >> 6 & 0x3f));
  }
  add(0x80 | (c & 0x3f));
}

}  // namespace

const parsed_json* parsed_json::find(std::string_view key) const {
  for (std::size_t i = size_; i-- > 0;)
    if (this->key(i) == key) return &member(i);
  return nullptr;
}

const parsed_json* json_document::keep(const parsed_json* values, std::size_t n) {
  if (room_ < n) {
    room_ = std::max(n, std::min(most_in_block, least_in_block << std::min<std::size_t>(blocks_.size(), 6)));
    free_ = blocks_.emplace_back(std::make_unique<parsed_json[]>(room_)).get();
  }
  parsed_json* const kept = free_;
  std::copy_n(values, n, kept);
  free_ += n;
  room_ -= n;
  return kept;
}

// Reads a text without recursion, because a hostile text may be nested deeply. `values_` contains the values of the
// lists and objects that are still open.
class json_document_parser {
 public:
  json_document_parser(std::string_view text, json_document& to)
      : at_(text.data()), end_(text.data() + text.size()), to_(to) {}

  std::optional<parsed_json> run() {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(mark)) at_ += mark.size();
    do {
      if (!begin_value()) return std::nullopt;
      while (!wants_value_ && !open_.empty())
        if (!continue_open()) return std::nullopt;
    } while (wants_value_);
    skip_blanks();
    if (at_ != end_) return std::nullopt;
    return values_.front();
  }

 private:
  struct opened {
    std::size_t first = 0;  // index of the first inner value
    const char* begin = nullptr;
    bool is_object = false;
  };
  using kind = parsed_json::kind;

  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  // Reads a value without inner values, or the beginning of a list or an object.
  bool begin_value() {
    skip_blanks();
    wants_value_ = false;
    if (at_ == end_) return false;
    switch (*at_) {
      case '{':
      case '[': {
        const bool is_object = *at_ == '{';
        open_.push_back({values_.size(), at_, is_object});
        ++at_;
        if (take(is_object ? '}' : ']')) return close();
        wants_value_ = true;
        return !is_object || read_key();
      }
      case '"': return read_text();
      case 't': return read_word("true", kind::flag, 1);
      case 'f': return read_word("false", kind::flag, 0);
      case 'n': return read_word("null", kind::null, 0);
      default: return read_number();
    }
  }

  // Reads what follows a value in a list or an object: the next key, or the end.
  bool continue_open() {
    const opened& in = open_.back();
    if (take(',')) {
      wants_value_ = true;
      return !in.is_object || read_key();
    }
    return take(in.is_object ? '}' : ']') && close();
  }

  bool read_key() {
    skip_blanks();
    return at_ != end_ && *at_ == '"' && read_text() && take(':');
  }

  bool close() {
    const opened in = open_.back();
    open_.pop_back();
    parsed_json v;
    v.kind_ = in.is_object ? kind::object : kind::list;
    const std::size_t n = values_.size() - in.first;
    v.size_ = static_cast<std::uint32_t>(in.is_object ? n / 2 : n);
    v.inner_ = to_.keep(values_.data() + in.first, n);
    values_.resize(in.first);
    add(v, in.begin);
    return true;
  }

  void add(parsed_json v, const char* begin) {
    v.begin_ = begin;
    v.length_ = static_cast<std::uint32_t>(at_ - begin);
    values_.push_back(v);
  }

  bool read_word(std::string_view word, kind is, std::uint64_t number) {
    const char* const begin = at_;
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) return false;
    at_ += word.size();
    parsed_json v;
    v.kind_ = is;
    v.natural_ = number;
    add(v, begin);
    return true;
  }

  void skip_digits() {
    while (at_ != end_ && is_digit(*at_)) ++at_;
  }

  bool read_number() {
    const char* const begin = at_;
    const bool is_negative = *at_ == '-';
    if (is_negative) ++at_;
    const char* const digits = at_;
    skip_digits();
    if (at_ == digits || (*digits == '0' && at_ - digits > 1)) return false;
    bool is_natural = !is_negative;
    if (at_ != end_ && *at_ == '.') {
      is_natural = false;
      const char* const fraction = ++at_;
      skip_digits();
      if (at_ == fraction) return false;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      is_natural = false;
      if (++at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      const char* const exponent = at_;
      skip_digits();
      if (at_ == exponent) return false;
    }
    parsed_json v;
    v.kind_ = kind::natural;
    if (!is_natural || std::from_chars(begin, at_, v.natural_).ec != std::errc()) {
      v.kind_ = kind::real;
      const auto value = real_of(begin, at_);
      if (!value) return false;
      v.real_ = *value;
    }
    add(v, begin);
    return true;
  }

  // Returns nothing if the number is too large.
  static std::optional<double> real_of(const char* begin, const char* end) {
    double value = 0;
    if (std::from_chars(begin, end, value).ec == std::errc()) return value;
    if (std::isinf(std::strtod(std::string(begin, end).c_str(), nullptr))) return std::nullopt;
    return 0;
  }

  bool read_text() {
    const char* const begin = at_++;
    const char* const first = at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\')
      if (!skip_character()) return false;
    parsed_json v;
    v.kind_ = kind::text;
    std::string_view text(first, static_cast<std::size_t>(at_ - first));
    if (at_ != end_ && *at_ == '\\') {
      std::string& decoded = to_.texts_.emplace_back(text);
      if (!decode_rest(decoded)) return false;
      text = decoded;
    }
    if (at_ == end_) return false;
    ++at_;
    v.characters_ = text.data();
    v.size_ = static_cast<std::uint32_t>(text.size());
    add(v, begin);
    return true;
  }

  // Skips a character that needs no escape sequence.
  bool skip_character() {
    if (static_cast<unsigned char>(*at_) < ' ') return false;
    const std::size_t n = length_of_character(at_, end_);
    at_ += n;
    return n != 0;
  }

  // Appends the text from an escape sequence to the closing quote.
  bool decode_rest(std::string& to) {
    while (at_ != end_ && *at_ != '"') {
      if (*at_ == '\\') {
        if (!decode_escape(to)) return false;
        continue;
      }
      const char* const first = at_;
      if (!skip_character()) return false;
      to.append(first, at_);
    }
    return true;
  }

  bool decode_escape(std::string& to) {
    constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    if (++at_ == end_) return false;
    const char c = *at_++;
    if (const std::size_t n = letters.find(c); n != letters.npos) {
      to += meant[n];
      return true;
    }
    auto code = c == 'u' ? read_hex() : std::nullopt;
    if (!code || (*code >= 0xdc00 && *code <= 0xdfff)) return false;
    if (*code >= 0xd800 && *code <= 0xdbff) {
      if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return false;
      at_ += 2;
      const auto low = read_hex();
      if (!low || *low < 0xdc00 || *low > 0xdfff) return false;
      code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
    }
    append_character(*code, to);
    return true;
  }

  std::optional<std::uint32_t> read_hex() {
    if (end_ - at_ < 4) return std::nullopt;
    std::uint32_t code = 0;
    const auto [stop, ec] = std::from_chars(at_, at_ + 4, code, 16);
    if (ec != std::errc() || stop != at_ + 4) return std::nullopt;
    at_ += 4;
    return code;
  }

  const char* at_;
  const char* end_;
  json_document& to_;
  bool wants_value_ = false;
  std::vector<parsed_json> values_;
  std::vector<opened> open_;
};

json_document::json_document(std::string_view text) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) return;
  if (const auto read = json_document_parser(text, *this).run()) {
    root_ = *read;
    valid_ = true;
  }
}

}  // namespace bankwise
