#include "report/json/syntax/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

void write_text(const std::string& s, std::string& out) {
  const auto is_plain = [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; };
  if (!std::all_of(s.begin(), s.end(), is_plain)) {
    out += json(s).dump(-1, ' ', false, json::error_handler_t::replace);
    return;
  }
  out += '"';
  out += s;
  out += '"';
}

void write_scalar(const json& j, std::string& out) {
  if (j.is_string())
    write_text(j.get_ref<const std::string&>(), out);
  else if (j.is_number_unsigned())
    out += std::to_string(j.get<std::uint64_t>());
  else
    out += j.dump();
}

template <class Number>
void append_numbers(std::uint32_t mask, std::span<const Number> numbers, std::string& out) {
  out += '[';
  for (std::size_t lane = 0; lane < numbers.size(); ++lane) {
    if (lane != 0) out += ", ";
    if ((mask >> lane & 1) == 0) {
      out += "null";
      continue;
    }
    char digits[20];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, numbers[lane]).ptr);
  }
  out += ']';
}

}  // namespace

void append_json(const json& j, std::size_t indent, std::string& out) {
  if (!j.is_structured() || j.empty()) return write_scalar(j, out);
  const bool is_object = j.is_object();
  const bool flat = (!is_object || j.size() <= most_in_line) &&
                    std::all_of(j.begin(), j.end(), [](const json& e) { return !e.is_structured(); });
  const std::string line = flat ? "" : "\n" + std::string(indent + 2, ' ');
  out += is_object ? '{' : '[';
  bool first = true;
  for (auto it = j.begin(); it != j.end(); ++it) {
    out += (first ? "" : flat ? ", " : ",");
    out += line;
    first = false;
    if (is_object) {
      write_text(it.key(), out);
      out += ": ";
    }
    append_json(*it, indent + 2, out);
  }
  if (!flat) out += "\n" + std::string(indent, ' ');
  out += is_object ? '}' : ']';
}

json object_with_room(std::size_t size) {
  json object = json::object();
  object.get_ref<json::object_t&>().reserve(size);
  return object;
}

json list_with_room(std::size_t size) {
  json list = json::array();
  list.get_ref<json::array_t&>().reserve(size);
  return list;
}

void add_member(json& object, const char* key, json value) {
  json::object_t::Container& members = object.get_ref<json::object_t&>();
  members.emplace_back(key, std::move(value));
}

void append_item(char mark, std::size_t indent, std::string& out) {
  out += mark;
  out += '\n';
  out.append(indent, ' ');
}

void append_key(char mark, const char* key, std::size_t indent, std::string& out) {
  append_item(mark, indent, out);
  out += '"';
  out += key;
  out += "\": ";
}

void append_end(char mark, std::size_t indent, std::string& out) {
  out += '\n';
  out.append(indent, ' ');
  out += mark;
}

void append_lanes(std::uint32_t mask, std::span<const std::uint32_t> numbers, std::string& out) {
  append_numbers(mask, numbers, out);
}
void append_lanes(std::uint32_t mask, std::span<const std::uint64_t> numbers, std::string& out) {
  append_numbers(mask, numbers, out);
}

std::string json_text(const json& j) {
  std::string out;
  append_json(j, 0, out);
  out += '\n';
  return out;
}

}  // namespace bankwise
