#include "base/csv.hpp"

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

// Reads a field that starts with a quote. Returns the text without quotes, and the position after the field. Returns
// nothing if the closing quote is missing.
std::optional<std::pair<std::string, std::size_t>> quoted(std::string_view text) {
  std::string s;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '"') {
      s += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '"') {
      s += '"';
      ++i;
    } else {
      return std::pair{s, i + 1};
    }
  }
  return std::nullopt;
}

}  // namespace

result<std::optional<std::vector<csv_field>>> csv_reader::next() {
  for (;;) {
    if (text_.empty()) return std::optional<std::vector<csv_field>>{};
    line_ = next_line_;
    current_ = text_.substr(0, text_.find('\n'));
    std::vector<csv_field> fields;
    unquoted_.clear();
    std::size_t at = 0;
    for (;;) {
      csv_field f{{}, static_cast<std::uint32_t>(at + 1)};
      if (at < text_.size() && text_[at] == '"') {
        auto q = quoted(text_.substr(at));
        if (!q) return error(f, "the quote that opens here has no closing quote");
        for (const char c : text_.substr(at, q->second)) next_line_ += c == '\n';
        at += q->second;
        unquoted_.push_back(std::move(q->first));
        f.text = {};  // the view of the text is set at the end, because the strings may move before then
        f.column |= 0x80000000u;
        while (at < text_.size() && text_[at] != ',' && text_[at] != '\n') ++at;
      } else {
        const std::size_t begin = at;
        while (at < text_.size() && text_[at] != ',' && text_[at] != '\n') ++at;
        f.text = trim(text_.substr(begin, at - begin));
      }
      if (fields.size() == most_csv_fields)
        return error(f, formatted("the line has more than {} fields", grouped(most_csv_fields)));
      fields.push_back(f);
      if (at >= text_.size() || text_[at] == '\n') break;
      ++at;
    }
    std::size_t q = 0;
    for (csv_field& f : fields)
      if ((f.column & 0x80000000u) != 0) {
        f.column &= 0x7fffffffu;
        f.text = unquoted_[q++];
      }
    text_.remove_prefix(at < text_.size() ? at + 1 : at);
    ++next_line_;
    if (fields.size() == 1 && fields[0].text.empty()) continue;
    return std::optional{std::move(fields)};
  }
}

diagnostic csv_reader::error(const csv_field& field, std::string message, std::string hint) const {
  return {std::move(message),
          {.file = name_,
           .line = line_,
           .column = field.column,
           .length = static_cast<std::uint32_t>(field.text.empty() ? 1 : field.text.size()),
           .source_line = std::string(trim(current_.substr(0, 200)))},
          std::move(hint)};
}

diagnostic csv_reader::error(std::string message, std::string hint) const {
  return {std::move(message), {.file = name_, .line = line_ == 0 ? 1 : line_}, std::move(hint)};
}

std::string csv_text(std::string_view field) {
  return csv_quote((starts_with_any(trim(field), "=+-@") ? "'" : "") + printable(field));
}

std::string csv_quote(std::string_view field) {
  if (field.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(field);
  std::string s = "\"";
  for (const char c : field) {
    if (c == '"') s += '"';
    s += c;
  }
  return formatted("{}\"", s);
}

}  // namespace bankwise
