// The names of settings, and the form in which each front end writes them.
#include "base/setting.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>

#include "base/text.hpp"

namespace bankwise {

namespace {

struct setting_row {
  std::string_view name;
  enum class form : std::uint8_t { value, whole_number, on_or_off, name_and_value } is = form::value;
};
using form = setting_row::form;

constexpr setting_row setting_table[] = {
    {"all", form::on_or_off},
    {"arch"},
    {"array"},
    {"baseline"},
    {"block", form::whole_number},
    {"budget", form::whole_number},
    {"check"},
    {"ctas", form::whole_number},
    {"faults"},
    {"fix", form::on_or_off},
    {"format"},
    {"global"},
    {"grid", form::whole_number},
    {"let", form::name_and_value},
    {"mask", form::whole_number},
    {"op"},
    {"pad"},
    {"phases", form::whole_number},
    {"seed", form::whole_number},
    {"shared", form::whole_number},
    {"source"},
    {"stack", form::whole_number},
    {"swizzle", form::whole_number},
    {"threads", form::whole_number},
    {"time", form::whole_number},
    {"time-model"},
    {"total-budget", form::whole_number},
    {"trace"},
    {"type"},
    {"update-baseline", form::on_or_off},
    {"update-budgets", form::on_or_off},
    {"warp", form::whole_number},
    {"where"},
    {"width", form::whole_number},
    {"zfill", form::on_or_off},
};
static_assert(std::size(setting_table) == setting_count);

std::atomic<wording> spoken{wording::flags};

const setting_row* find_setting(std::string_view name) {
  const auto* row = std::find_if(std::begin(setting_table), std::end(setting_table),
                                 [&](const setting_row& r) { return r.name == name; });
  return row == std::end(setting_table) ? nullptr : row;
}

std::string parameter(std::string_view name) {
  std::string s(name);
  std::replace(s.begin(), s.end(), '-', '_');
  return s;
}

// Writes a value for Python. A number is written as 16, several numbers as (3, 4, 3), and all other text as a string.
std::string python_value(form is, std::string_view value) {
  if (is == form::name_and_value) {
    const std::size_t equals = value.find('=');
    if (equals == std::string_view::npos) return "\"" + std::string(value) + "\"";
    const std::string_view number = trim(value.substr(equals + 1));
    return "{\"" + std::string(value.substr(0, equals)) +
           "\": " + (parse_i64(number) ? std::string(number) : "\"" + std::string(number) + "\"") + "}";
  }
  if (is != form::whole_number) return "\"" + std::string(value) + "\"";
  std::string list;
  for (const std::string_view number : split(value, ',')) {
    if (!parse_i64(number)) return "\"" + std::string(value) + "\"";
    list += (list.empty() ? "" : ", ") + std::string(number);
  }
  return list.find(',') == std::string::npos ? list : "(" + list + ")";
}

std::string name_with_value(std::string_view name, std::string_view value) {
  if (spoken == wording::flags) return worded_name(name) + " " + shell_word(value);
  const setting_row* row = find_setting(name);
  return parameter(name) + "=" + python_value(row == nullptr ? form::value : row->is, value);
}

}  // namespace

std::string_view name_of(setting s) { return setting_table[static_cast<unsigned>(s)].name; }

void speak(wording w) { spoken = w; }

std::string worded_name(std::string_view name) {
  if (spoken == wording::flags) return "--" + std::string(name);
  const setting_row* row = find_setting(name);
  return parameter(name) + (row != nullptr && row->is == form::on_or_off ? "=True" : "");
}

std::string worded(setting s) { return worded_name(name_of(s)); }

std::string worded(setting s, std::string_view value) { return name_with_value(name_of(s), value); }

std::string spelled(std::string_view sentence) {
  std::string text;
  for (;;) {
    const std::size_t open = sentence.find('{'), close = sentence.find('}', open);
    if (close == std::string_view::npos) return text += sentence;
    const std::string_view inside = sentence.substr(open + 1, close - open - 1);
    const std::size_t equals = inside.find('=');
    text += sentence.substr(0, open);
    text += equals == std::string_view::npos ? worded_name(inside)
                                             : name_with_value(inside.substr(0, equals), inside.substr(equals + 1));
    sentence.remove_prefix(close + 1);
  }
}

}  // namespace bankwise
