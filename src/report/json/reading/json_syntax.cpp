#include "report/json/reading/json_syntax.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/setting.hpp"

namespace bankwise {

namespace {

using any_json = nlohmann::json;

struct syntax_reader : nlohmann::json_sax<any_json> {
  std::size_t position = 0;  // number of bytes read so far

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) override {
    position = at;
    return false;
  }
};

}  // namespace

std::string text_of(const parsed_json& j, bool only_ascii) {
  const std::string_view text = j.source();
  if (text.empty()) return "null";
  return any_json::parse(text.begin(), text.end(), nullptr, false)
      .dump(-1, ' ', only_ascii, any_json::error_handler_t::replace);
}

diagnostic syntax_error(std::string_view text, const std::string& name) {
  syntax_reader syntax;
  any_json::sax_parse(text.begin(), text.end(), &syntax);
  const std::string_view before = text.substr(0, std::min(syntax.position == 0 ? 0 : syntax.position - 1, text.size()));
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 if the error is on the first line
  location where{.file = name};
  where.line = static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n'));
  where.column = static_cast<std::uint32_t>(1 + before.size() - line_begin);
  return {"the JSON is invalid at this place", where,
          formatted("bankwise run {} writes a report that bankwise can read", worded(setting::format, "json"))};
}

}  // namespace bankwise
