#include "report/json_text.hpp"

#include <algorithm>

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

std::string scalar(const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace); }

void write(const json& j, std::size_t indent, std::string& out) {
  if (!j.is_structured() || j.empty()) {
    out += scalar(j);
    return;
  }
  const bool flat = (j.is_array() || j.size() <= 4) &&
                    std::all_of(j.begin(), j.end(), [](const json& e) { return !e.is_structured(); });
  const std::string line = flat ? "" : "\n" + std::string(indent + 2, ' ');
  out += j.is_array() ? '[' : '{';
  bool first = true;
  for (const auto& [key, value] : j.items()) {
    out += (first ? "" : flat ? ", " : ",") + line;
    first = false;
    if (j.is_object()) out += scalar(json(key)) + ": ";
    write(value, indent + 2, out);
  }
  if (!flat) out += "\n" + std::string(indent, ' ');
  out += j.is_array() ? ']' : '}';
}

}  // namespace

std::string json_text(const json& j) {
  std::string out;
  write(j, 0, out);
  return out + "\n";
}

}  // namespace bankwise
