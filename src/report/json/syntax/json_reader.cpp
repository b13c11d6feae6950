#include "report/json/syntax/json_reader.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_string_bytes = std::size_t{1} << 16;

std::string excerpt(const parsed_json& j) {
  if (j.is_object()) return "an object";
  if (j.is_array()) return "a list";
  const std::string text = text_of(j, true);
  return text.size() <= 40 ? text : formatted("{}...", text.substr(0, 37));
}

}  // namespace

std::string path_of(const node& n) {
  if (n.parent == nullptr) return "the report";
  const std::string before = n.parent->parent == nullptr ? "" : path_of(*n.parent);
  return n.key == nullptr ? formatted("{}[{}]", before, n.index) : before + (before.empty() ? "" : ".") + n.key;
}

void json_reader::fail(const node& n, const std::string& message, const std::string& hint) {
  if (!wrong_) wrong_ = diagnostic{formatted("{}: {}", path_of(n), message), {.file = name_}, hint};
}

void json_reader::refuse_file(const std::string& message, const std::string& hint) {
  if (!wrong_) wrong_ = diagnostic{message, {.file = name_}, hint};
}

void json_reader::refuse(const node& n, const std::string& expected) {
  if (!wrong_) fail(n, formatted("{}, not {}", expected, excerpt(*n.value)));
}

node json_reader::value_at(const node& parent, const char* key) {
  static const parsed_json nothing;
  if (!parent.value->is_object()) {
    refuse(parent, "expected an object");
  } else if (const parsed_json* const found = parent.value->find(key); found != nullptr) {
    return {found, &parent, key};
  } else {
    fail(parent, formatted("the key \"{}\" is missing", key));
  }
  return {&nothing, &parent, key};
}

node json_reader::list(const node& parent, const char* key, std::size_t most) {
  const node n = value_at(parent, key);
  if (!n.value->is_array())
    refuse(n, "expected a list");
  else if (n.value->size() > most)
    fail(n, formatted("the list has {} entries, which is more than the limit of {}", grouped(n.value->size()),
                      grouped(most)));
  return n;
}

std::uint64_t json_reader::number(const node& n, std::uint64_t most, std::uint64_t least) {
  if (n.value->is_number_unsigned())
    if (const auto value = n.value->number(); value >= least && value <= most) return value;
  refuse(n, formatted("expected a whole number from {} to {}", grouped(least), grouped(most)));
  return least;
}

std::string json_reader::text(const node& n) {
  if (!n.value->is_string()) {
    refuse(n, "expected a text");
    return {};
  }
  const std::string_view s = n.value->text();
  if (!is_fit(s, n)) return {};
  return printable(s);
}

// Stores an error if a text is too long, or contains characters that a terminal interprets.
bool json_reader::is_fit(std::string_view s, const node& n) {
  if (s.size() > most_string_bytes)
    fail(n, formatted("the text has {} bytes, which is too long", grouped(s.size())));
  else if (std::any_of(s.begin(), s.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }))
    // Texts may be printed on a terminal.
    fail(n, "the text contains control characters, which are not allowed");
  else
    return true;
  return false;
}

std::string json_reader::code(const node& parent, const char* key) {
  const node n = value_at(parent, key);
  if (!n.value->is_string()) {
    refuse(n, "expected a text");
    return {};
  }
  const std::string s(n.value->text());
  std::string line = s;
  std::erase_if(line, [](char c) { return c == '\n' || c == '\t'; });
  is_fit(line, n);
  return wrong_ ? "" : printable_lines(s);
}

bool json_reader::flag(const node& parent, const char* key) {
  const node n = value_at(parent, key);
  if (!n.value->is_boolean()) refuse(n, "expected true or false");
  return n.value->is_boolean() && n.value->flag();
}

std::uint64_t json_reader::pc(const node& parent) {
  const node n = value_at(parent, "pc");
  const std::uint64_t value = number(n, most_u32);
  if (value % 16 != 0) refuse(n, "expected a multiple of 16");
  return value;
}

std::array<std::uint32_t, 3> json_reader::triple(const node& parent, const char* key, std::uint64_t least) {
  const node n = list(parent, key, 3);
  std::array<std::uint32_t, 3> t{1, 1, 1};
  if (size(n) != 3) {
    refuse(n, "expected three numbers");
    return t;
  }
  for (std::size_t i = 0; i < 3; ++i) t[i] = static_cast<std::uint32_t>(number(item(n, i), most_u32, least));
  return t;
}

}  // namespace bankwise
